"""What a model of a tyre has to say, and what all of them share.

Signs and axes of ISO 8855 (W): slip ratio κ = -V_sx/|V_x| (driving is positive), tan α = V_sy/|V_x|
(the tyre slips to the left), camber γ (the top leans to the right).  The forces are those of the
road on the tyre: F_x > 0 drives, F_y < 0 for α > 0, F_z > 0 carries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from armillary.errors import ModelError
from armillary.model.numbered import Numbered, quantity
from armillary.scalar import Scalar, sqrt, tanh, where

TINY = 1e-9  # m/s, N: keeps quotients of zeros apart, changes no digit
_ONSET = 2e-3  # of the radius: over this deflection the damping sets in


@dataclass(frozen=True)
class Slip:
    """At a moment: slips (1), sin γ and γ (rad), load (N), friction of the road (1), speed of the
    point of contact and of rolling (m/s), undeformed radius (m)."""

    kappa: Scalar
    tan_alpha: Scalar
    sine: Scalar
    camber: Scalar
    fz: Scalar
    mu: Scalar
    speed: Scalar
    rolling: Scalar
    radius: Scalar


@dataclass(frozen=True, kw_only=True)
class TyreModel(Numbered):
    """The parts that all models have.

    Radial force in the plane of the wheel: stiffness ρ + progressive ρ² + damping dρ/dt, for a
    deflection ρ > 0, and never a pull.  Rolling radius R - rolling_share ρ.  With relaxation
    lengths the tangential forces come by own states in runs, the deflections of the carcass; its
    stiffness is slope / length.  Below low_speed the slips of steady forces are bounded."""

    reference: ClassVar[str] = "forward"  # speed in the slip: "forward" or "rolling"
    stateful: ClassVar[bool] = False  # has states whatever its relaxation
    stiffness: float = quantity(2e5, "N/m", "radial stiffness")
    progressive: float = quantity(0.0, "N/m²", "its growth with the deflection")
    damping: float = quantity(200.0, "N s/m", "radial damping")
    rolling_share: float = quantity(
        1.0 / 3.0, "1", "part of the deflection by which the rolling radius is smaller"
    )
    rolling_resistance: float = quantity(0.01, "1", "moment against rolling per load and radius")
    relaxation_x: float = quantity(0.15, "m", "relaxation length along; 0 and 0: steady forces")
    relaxation_y: float = quantity(0.4, "m", "relaxation length across")
    carcass_time: float = quantity(0.002, "s", "damping of the carcass over its stiffness")
    low_speed: float = quantity(0.5, "m/s", "below, slips are those of a larger speed")

    @property
    def relaxes(self) -> bool:
        return self.stateful or bool(self.relaxation_x or self.relaxation_y)

    def check(self, part: str) -> None:
        self.refuse_not_positive(part, "stiffness", "low_speed")
        self.refuse_negative(
            part,
            "progressive",
            "damping",
            "rolling_share",
            "rolling_resistance",
            "relaxation_x",
            "relaxation_y",
            "carcass_time",
        )
        if (self.relaxation_x > 0.0) != (self.relaxation_y > 0.0):
            raise ModelError(
                f"{part}: relaxation lengths belong together, found {self.relaxation_x:g} m along "
                f"and {self.relaxation_y:g} m across. Give both, or 0 and 0 for steady forces."
            )
        if self.rolling_share > 1.0:
            raise ModelError(
                f"{part}: rolling_share is at most 1 (the loaded radius), found "
                f"{self.rolling_share:g}."
            )

    # -- across the road -------------------------------------------------------------------------

    def radial(self, deflection: Scalar, rate: Scalar, radius: Scalar) -> Scalar:
        """Force in the plane of the wheel, N; 0 in the air."""
        x = where(deflection > 0, deflection, 0.0)
        damped = self.damping * rate * begun(x / (_ONSET * radius))
        total = self.stiffness * x + self.progressive * (x * x) + damped
        return where(total > 0, total, 0.0)

    def stored(self, deflection: Scalar) -> Scalar:
        x = where(deflection > 0, deflection, 0.0)
        return x * x * (0.5 * self.stiffness + x * (self.progressive / 3.0))

    def rolling_radius(self, radius: Scalar, deflection: Scalar, spin: Scalar) -> Scalar:
        """Distance per radian of a wheel that rolls freely, m."""
        return radius - self.rolling_share * where(deflection > 0, deflection, 0.0)

    # -- along the road --------------------------------------------------------------------------

    def slopes(self, fz: Scalar, camber: Scalar, mu: Scalar) -> tuple[Scalar, Scalar]:
        """dF_x/dκ and -dF_y/d tan α at no slip, N."""
        raise NotImplementedError

    def nominal_slopes(self) -> tuple[Scalar, Scalar]:
        """Those that the stiffness of the carcass follows from."""
        raise NotImplementedError

    def grip(self, fz: Scalar, mu: Scalar) -> Scalar:
        """The largest force along the road, about; N."""
        raise NotImplementedError

    def friction_share(self, x: Scalar) -> Scalar:
        """What friction lets through of the linear force, by their ratio x."""
        return brush_share(x)

    def steady(self, s: Slip) -> tuple[Scalar, Scalar]:
        """F_x and F_y of a slip that lasts, N."""
        raise NotImplementedError

    def moments(self, s: Slip, fx: Scalar, fy: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """M_x, M_y (rolling resistance) and M_z about the point of contact, N m."""
        return 0, self.resisting(s), 0

    def resisting(self, s: Slip) -> Scalar:
        """Rolling resistance: against the rolling, and smooth through rest."""
        size = self.rolling_resistance * s.fz * s.radius
        return -(size * tanh(s.rolling / (0.2 * self.low_speed)))

    def carcass(self) -> tuple[Scalar, Scalar]:
        """Stiffness of the carcass along and across, N/m."""
        kx, ky = self.nominal_slopes()
        return kx / self.relaxation_x, ky / self.relaxation_y


def size_of(x: Scalar, y: Scalar, tiny: float = TINY) -> Scalar:
    """√(x² + y²), with a slope at 0, too."""
    return sqrt(x * x + y * y + tiny * tiny)


def begun(x: Scalar) -> Scalar:
    """From 0 at 0 to 1 from 1 on, level at both ends."""
    x = where(x < 1, x, 1.0)
    return x * x * (3.0 - 2.0 * x)


def at_least(speed: Scalar, least: Scalar) -> Scalar:
    """The speed where it is larger, else a parabola that meets it: smooth, at least least/2."""
    return where(speed > least, speed, 0.5 * (speed * speed / least + least))


def brush_share(x: Scalar) -> Scalar:
    """Force of a brush over its linear force, by the linear force over the friction, x."""
    inner = where(x < 3, x, 3.0)
    return where(
        x < 3, 1.0 - inner * (1.0 / 3.0) + inner * inner * (1.0 / 27.0), 1.0 / where(x < 3, 3.0, x)
    )
