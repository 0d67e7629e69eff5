"""The Magic Formula  [Pacejka, Tire and Vehicle Dynamics, 2nd ed. 2006, 4.E1-4.E68], with the
coefficients of property files (`.tir`) by their names, in versions 5.2 and 6.1; without turn slip.

    y = D sin(C arctan(B x - E (B x - arctan B x)))

The aligning moment takes F'_y = F_y - S_Vyκ.  6.1 adds camber stiffness and inflation pressure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from armillary.errors import ModelError
from armillary.model.numbered import Numbered
from armillary.model.tyres.coefficients import NEEDED, OTHER_DEFAULTS, is_scale
from armillary.model.tyres.tyre_model import Slip, TyreModel
from armillary.scalar import Scalar, atan2, cos, exp, sin, sqrt, tanh, where

VERSIONS = ("5.2", "6.1")
_SMALL = 1e-9


@dataclass(frozen=True)
class Coefficients(Numbered):
    """Numbers by name; those that are not there are 0, scale factors 1."""

    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    def number_names(self) -> tuple[str, ...]:
        return self.names

    def number_values(self) -> tuple[Scalar, ...]:
        return self.values

    def with_numbers(self, values: Iterator[Scalar]) -> Self:
        return type(self)(self.names, tuple(next(values) for _ in self.names))

    def structure(self) -> tuple[object, ...]:
        return (type(self), self.names)

    @cached_property
    def _known(self) -> dict[str, Scalar]:
        return dict(zip(self.names, self.values, strict=True))

    def __getitem__(self, name: str) -> Scalar:
        found = self._known.get(name)
        if found is not None:
            return found
        return OTHER_DEFAULTS.get(name, 1 if is_scale(name) else 0)

    def __contains__(self, name: object) -> bool:
        return name in self._known


@dataclass(frozen=True)
class _Side:
    """Intermediate quantities of the lateral force, which the aligning moment needs too."""

    fy0: Scalar
    weight: Scalar  # G_yκ
    shift: Scalar  # S_Vyκ
    stiffness: Scalar  # K_yα
    bc: Scalar  # B_y C_y
    offset: Scalar  # S_Hy + S_Vy/K_yα
    mu: Scalar


@dataclass(frozen=True, kw_only=True)
class MagicFormula(TyreModel):
    """Pacejka's Magic Formula by the coefficients of a property file; `read_tir` reads one.

    Radius, nominal load and stiffness are among the coefficients (UNLOADED_RADIUS, FNOMIN);
    `stiffness`, `damping` and relaxation lengths of `TyreModel` are used as they stand there."""

    coefficients: Coefficients = field(default_factory=Coefficients)
    version: str = "5.2"
    notes: tuple[str, ...] = field(
        default=(), compare=False
    )  # what the reader of a file had to say

    @classmethod
    def of(
        cls,
        coefficients: dict[str, float],
        version: str = "5.2",
        notes: Sequence[str] = (),
        **more: float,
    ) -> MagicFormula:
        """By a mapping of coefficients; more: fields of `TyreModel`, by default from them."""
        c = {name.upper(): value for name, value in coefficients.items()}
        missing = [name for name in NEEDED if name not in c]
        if missing:
            raise ModelError(
                f"Magic Formula: the coefficients {', '.join(missing)} are missing. Give them, or "
                f"take a simpler tyre (armillary.tyres.Brush)."
            )
        own = {"stiffness": c["VERTICAL_STIFFNESS"], "damping": c.get("VERTICAL_DAMPING", 50.0)}
        own |= _relaxation(c)
        if "QSY1" in c:
            own["rolling_resistance"] = 0.0
        names = tuple(sorted(c))
        found = Coefficients(names, tuple(c[name] for name in names))
        return cls(coefficients=found, version=version, notes=tuple(notes), **own | more)

    @property
    def unloaded_radius(self) -> float:
        return float(self.coefficients["UNLOADED_RADIUS"])

    def check(self, part: str) -> None:
        super().check(part)
        if self.version not in VERSIONS:
            raise ModelError(
                f"{part}: version is one of {', '.join(VERSIONS)}, found {self.version!r:.40}."
            )
        missing = [name for name in NEEDED if name not in self.coefficients]
        if missing:
            raise ModelError(f"{part}: the coefficients {', '.join(missing)} are missing.")
        for name in ("PDY1", "PKY1", "PKY2"):
            if not self.coefficients[name]:
                raise ModelError(f"{part}: the coefficient {name} is 0, so there is no such force.")
        for name in ("UNLOADED_RADIUS", "FNOMIN", "PDX1", "PCX1", "PCY1", "PKX1"):
            if not self.coefficients[name] > 0.0:
                raise ModelError(
                    f"{part}: the coefficient {name} is {self.coefficients[name]:g}; expected more "
                    f"than 0."
                )

    # -- what all parts share --------------------------------------------------------------------

    @property
    def _new(self) -> bool:
        return self.version == "6.1"

    def _load(self, fz: Scalar) -> tuple[Scalar, Scalar]:
        """Nominal load with its scale, and how far the load is from it."""
        nominal = self.coefficients["FNOMIN"] * self.coefficients["LFZO"]
        return nominal, (fz - nominal) / nominal

    def _pressure(self) -> Scalar:
        c = self.coefficients
        if not self._new or "INFLPRES" not in c or "NOMPRES" not in c:
            return 0
        return (c["INFLPRES"] - c["NOMPRES"]) / c["NOMPRES"]

    def _angle(self, s: Slip) -> tuple[Scalar, Scalar]:
        """α and γ as the version takes them: angles, or tangent and sine."""
        return (s.tan_alpha, s.sine) if self._new else (_atan(s.tan_alpha), s.camber)

    def rolling_radius(self, radius: Scalar, deflection: Scalar, spin: Scalar) -> Scalar:
        c = self.coefficients
        if "BREFF" not in c:
            return super().rolling_radius(radius, deflection, spin)
        x = where(deflection > 0, deflection, 0.0)
        unit = c["FNOMIN"] / self.stiffness
        return radius - unit * (c["DREFF"] * _atan(c["BREFF"] * x / unit) + c["FREFF"] * x / unit)

    # -- forces ----------------------------------------------------------------------------------

    def _kx(self, fz: Scalar) -> Scalar:
        c, dp = self.coefficients, self._pressure()
        _, df = self._load(fz)
        slope = (c["PKX1"] + c["PKX2"] * df) * exp(c["PKX3"] * df) * c["LKX"]
        return fz * slope * (1 + c["PPX1"] * dp + c["PPX2"] * dp * dp)

    def _ky(self, fz: Scalar, gamma: Scalar) -> Scalar:
        c, dp = self.coefficients, self._pressure()
        nominal, _ = self._load(fz)
        camber = 1.0 - c["PKY3"] * abs(gamma)
        slope = c["PKY1"] * nominal * (1 + c["PPY1"] * dp) * camber * c["LKY"]
        reach = (c["PKY2"] + c["PKY5"] * gamma * gamma) * (1 + c["PPY2"] * dp)
        return slope * sin(c["PKY4"] * _atan(fz / (nominal * reach)))

    def _along(self, s: Slip) -> Scalar:
        """F_x at no lateral slip  [4.E9-4.E18]."""
        c, dp = self.coefficients, self._pressure()
        _, df = self._load(s.fz)
        _, gamma = self._angle(s)
        x = s.kappa + (c["PHX1"] + c["PHX2"] * df) * c["LHX"]
        C = c["PCX1"] * c["LCX"]
        mu = (c["PDX1"] + c["PDX2"] * df) * (1.0 - c["PDX3"] * gamma * gamma) * c["LMUX"] * s.mu
        D = mu * (1 + c["PPX3"] * dp + c["PPX4"] * dp * dp) * s.fz
        E = (c["PEX1"] + c["PEX2"] * df + c["PEX3"] * df * df) * c["LEX"]
        E = _at_most_one(E * (1.0 - c["PEX4"] * where(x > 0, 1.0, where(x < 0, -1.0, 0.0))))
        B = self._kx(s.fz) / _apart(C * D)
        shift = s.fz * (c["PVX1"] + c["PVX2"] * df) * c["LVX"] * c["LMUX"] * s.mu
        return _formula(B, C, D, E, x) + shift

    def _along_weight(self, s: Slip) -> Scalar:
        """G_xα  [4.E50-4.E57]."""
        c = self.coefficients
        _, df = self._load(s.fz)
        alpha, gamma = self._angle(s)
        more = c["RBX3"] * gamma * gamma if self._new else 0
        B = (c["RBX1"] + more) * cos(_atan(c["RBX2"] * s.kappa)) * c["LXAL"]
        E = _at_most_one(c["REX1"] + c["REX2"] * df)
        return _weight(B, c["RCX1"], E, alpha + c["RHX1"], c["RHX1"])

    def _side(self, s: Slip) -> _Side:
        """F_y at no longitudinal slip  [4.E19-4.E30], and how that changes it  [4.E58-4.E67]."""
        c, dp = self.coefficients, self._pressure()
        _, df = self._load(s.fz)
        alpha, gamma = self._angle(s)
        mu = (c["PDY1"] + c["PDY2"] * df) * (1.0 - c["PDY3"] * gamma * gamma) * c["LMUY"] * s.mu
        mu = mu * (1 + c["PPY3"] * dp + c["PPY4"] * dp * dp)
        K, C, D = self._ky(s.fz, gamma), c["PCY1"] * c["LCY"], mu * s.fz
        scale = c["LMUY"] * s.mu
        level = s.fz * (c["PVY1"] + c["PVY2"] * df) * c["LVY"] * scale
        leaning = s.fz * (c["PVY3"] + c["PVY4"] * df) * gamma * c["LKYC"] * scale
        begin = (c["PHY1"] + c["PHY2"] * df) * c["LHY"]
        if self._new:
            thrust = s.fz * (c["PKY6"] + c["PKY7"] * df) * (1 + c["PPY5"] * dp) * c["LKYC"]
            begin = begin + (thrust * gamma - leaning) / _apart(K)
        else:
            begin = begin + c["PHY3"] * gamma * c["LKYC"]
        x = alpha + begin
        E = (c["PEY1"] + c["PEY2"] * df) * c["LEY"]
        sign = where(x > 0, 1.0, where(x < 0, -1.0, 0.0))
        more = c["PEY5"] * gamma * gamma if self._new else 0
        E = _at_most_one(E * (1.0 + more - (c["PEY3"] + c["PEY4"] * gamma) * sign))
        B = K / _apart(C * D)
        force = _formula(B, C, D, E, x) + level + leaning
        more = c["RBY4"] * gamma * gamma if self._new else 0
        Bk = (c["RBY1"] + more) * cos(_atan(c["RBY2"] * (alpha - c["RBY3"]))) * c["LYKA"]
        shift = c["RHY1"] + c["RHY2"] * df
        E = _at_most_one(c["REY1"] + c["REY2"] * df)
        weight = _weight(Bk, c["RCY1"], E, s.kappa + shift, shift)
        turn = mu * s.fz * (c["RVY1"] + c["RVY2"] * df + c["RVY3"] * gamma)
        turn = turn * cos(_atan(c["RVY4"] * alpha)) * c["LVYKA"]
        induced = turn * sin(c["RVY5"] * _atan(c["RVY6"] * s.kappa))
        offset = begin + (level + leaning) / _apart(K)
        return _Side(force, weight, induced, K, B * C, offset, scale)

    def steady(self, s: Slip) -> tuple[Scalar, Scalar]:
        side = self._side(s)
        along = self._along(s) * self._along_weight(s)
        return along, side.fy0 * side.weight + side.shift

    def slopes(self, fz: Scalar, camber: Scalar, mu: Scalar) -> tuple[Scalar, Scalar]:
        return abs(self._kx(fz)), abs(self._ky(fz, camber))

    def nominal_slopes(self) -> tuple[Scalar, Scalar]:
        return self.slopes(self.coefficients["FNOMIN"], 0, 1)

    def grip(self, fz: Scalar, mu: Scalar) -> Scalar:
        c = self.coefficients
        _, df = self._load(fz)
        x = abs(c["PDX1"] + c["PDX2"] * df) * c["LMUX"]
        y = abs(c["PDY1"] + c["PDY2"] * df) * c["LMUY"]
        return where(x > y, x, y) * mu * fz

    # -- moments ---------------------------------------------------------------------------------

    def moments(self, s: Slip, fx: Scalar, fy: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        return self._overturning(s, fy), self._rolling(s, fx), self._aligning(s, fx, fy)

    def _overturning(self, s: Slip, fy: Scalar) -> Scalar:
        """[4.E69], with the additions of 6.1."""
        c, nominal = self.coefficients, self.coefficients["FNOMIN"]
        gamma, side, load = self._angle(s)[1], fy / nominal, s.fz / nominal
        total = c["QSX1"] * c["LVMX"] - c["QSX2"] * gamma + c["QSX3"] * side
        if self._new:
            ratio = c["QSX6"] * load
            bend = cos(c["QSX5"] * _atan(ratio * ratio))
            turn = c["QSX7"] * gamma + c["QSX8"] * _atan(c["QSX9"] * side)
            total = total + c["QSX4"] * bend * sin(turn)
            total = total + c["QSX10"] * _atan(c["QSX11"] * load) * gamma
        return c["UNLOADED_RADIUS"] * s.fz * total * c["LMX"]

    def _rolling(self, s: Slip, fx: Scalar) -> Scalar:
        """[4.E70], smooth through rest, beside `rolling_resistance`."""
        c = self.coefficients
        if "QSY1" not in c:
            return self.resisting(s)
        v = abs(s.rolling) / c["LONGVL"]
        v4 = v * v * v * v
        total = c["QSY1"] + c["QSY2"] * fx / c["FNOMIN"] + c["QSY3"] * v + c["QSY4"] * v4
        turning = tanh(s.rolling / (0.2 * self.low_speed))
        return self.resisting(s) - c["UNLOADED_RADIUS"] * s.fz * total * c["LMY"] * turning

    def _aligning(self, s: Slip, fx: Scalar, fy: Scalar) -> Scalar:
        """[4.E31-4.E49, 4.E71-4.E78]."""
        c, side = self.coefficients, self._side(s)
        nominal, df = self._load(s.fz)
        alpha, gamma = self._angle(s)
        R, lean = c["UNLOADED_RADIUS"], abs(gamma)
        stiff = c["LKY"] / _apart(side.mu)
        # slips that count, with the longitudinal one
        ratio = self._kx(s.fz) / _apart(side.stiffness) * s.kappa
        shift = c["QHZ1"] + c["QHZ2"] * df + (c["QHZ3"] + c["QHZ4"] * df) * gamma
        trailing, leftover = (self._together(alpha + x, ratio) for x in (shift, side.offset))
        # pneumatic trail
        B = (c["QBZ1"] + c["QBZ2"] * df + c["QBZ3"] * df * df) * stiff
        D = s.fz * (c["QDZ1"] + c["QDZ2"] * df) * R / nominal * c["LTR"]
        if self._new:
            B = B * (1.0 + c["QBZ5"] * lean + c["QBZ6"] * gamma * gamma)
            D = D * (1.0 + c["QDZ3"] * lean + c["QDZ4"] * gamma * gamma)
        else:
            B = B * (1.0 + c["QBZ4"] * gamma + c["QBZ5"] * lean)
            D = D * (1.0 + c["QDZ3"] * gamma + c["QDZ4"] * gamma * gamma)
        C = c["QCZ1"]
        E = c["QEZ1"] + c["QEZ2"] * df + c["QEZ3"] * df * df
        E = E * (
            1.0
            + (c["QEZ4"] + c["QEZ5"] * gamma) * _atan(B * C * (alpha + shift)) * 0.6366197723675814
        )
        cosine = 1.0 / sqrt(1.0 + s.tan_alpha * s.tan_alpha)
        x = B * trailing
        trail = D * cos(C * _atan(x - _at_most_one(E) * (x - _atan(x)))) * cosine
        # residual moment
        B = c["QBZ9"] * stiff + c["QBZ10"] * side.bc
        D = (c["QDZ6"] + c["QDZ7"] * df) * c["LRES"] + (c["QDZ8"] + c["QDZ9"] * df) * gamma
        if self._new:
            D = D + (c["QDZ10"] + c["QDZ11"] * df) * gamma * lean
        D = D * s.fz * R * side.mu
        rest = D * cos(_atan(B * leftover)) * cosine
        arm = c["SSZ1"] + c["SSZ2"] * fy / nominal + (c["SSZ3"] + c["SSZ4"] * df) * gamma
        return -(trail * (fy - side.shift)) + rest + arm * R * c["LS"] * fx

    def _together(self, x: Scalar, ratio: Scalar) -> Scalar:
        """A lateral slip with the part of the longitudinal one."""
        if self._new:
            size = sqrt(x * x + ratio * ratio + _SMALL * _SMALL)
            return where(x < 0, -size, size)
        tangent = sin(x) / cos(x)
        size = _atan(sqrt(tangent * tangent + ratio * ratio + _SMALL * _SMALL))
        return where(x < 0, -size, size)


def _atan(x: Scalar) -> Scalar:
    return atan2(x, 1.0)


def _apart(x: Scalar) -> Scalar:
    """Away from zero, for quotients."""
    return where(abs(x) > _SMALL, x, _SMALL)


def _at_most_one(E: Scalar) -> Scalar:
    return where(E < 1, E, 1.0)


def _formula(B: Scalar, C: Scalar, D: Scalar, E: Scalar, x: Scalar) -> Scalar:
    y = B * x
    return D * sin(C * _atan(y - E * (y - _atan(y))))


def _weight(B: Scalar, C: Scalar, E: Scalar, x: Scalar, shift: Scalar) -> Scalar:
    """cos(C arctan(...)) at x over that at the shift."""
    found = []
    for slip in (x, shift):
        y = B * slip
        found.append(cos(C * _atan(y - E * (y - _atan(y)))))
    return found[0] / found[1]


def _relaxation(c: dict[str, float]) -> dict[str, float]:
    """Lengths at the nominal load, of 5.2 or by the stiffness of the carcass; else the defaults."""
    R, load = c["UNLOADED_RADIUS"], c["FNOMIN"]
    if c.get("PTX1") and c.get("PTY1"):
        along = c["PTX1"] * R * c.get("LSGKP", 1.0)
        across = abs(c["PTY1"] * math.sin(2.0 * math.atan(1.0 / c.get("PTY2", 1.0)))) * R
        return {"relaxation_x": along, "relaxation_y": across * c.get("LSGAL", 1.0)}
    if c.get("LONGITUDINAL_STIFFNESS") and c.get("LATERAL_STIFFNESS"):
        kx = c["PKX1"] * load
        ky = abs(c["PKY1"] * load * math.sin(c.get("PKY4", 2.0) * math.atan(1.0 / c["PKY2"])))
        return {
            "relaxation_x": kx / c["LONGITUDINAL_STIFFNESS"],
            "relaxation_y": ky / c["LATERAL_STIFFNESS"],
        }
    return {}
