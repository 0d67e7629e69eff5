"""A tyre between a road and a wheel: the wrench on the rim by slip, load and camber."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from armillary.errors import ModelError
from armillary.model.elements.element import ElementLaw, End
from armillary.model.elements.turning import Between
from armillary.model.parts import Triple
from armillary.model.roads.plane import Plane
from armillary.model.roads.road import Road
from armillary.model.tyres.contact import WheelContact, touch
from armillary.model.tyres.simple import Linear
from armillary.model.tyres.spring_damper import SpringDamper
from armillary.model.tyres.tyre_model import TINY, Slip, TyreModel, at_least, begun, size_of
from armillary.scalar import Scalar, atan2, where
from armillary.spatial import Force, Vector

_SLIPPING = 0.5  # of the slip velocity: the speed in the slip is at least about that
_RELEASE = 0.01  # s: the carcass lets go of a wheel in the air
_BEYOND = 1.1  # of the friction: forces of the carcass never reach further


@dataclass(frozen=True)
class TyreForces:
    """In the tyre's axes at the point of contact; u: rates of the carcass, m/s."""

    fx: Scalar
    fy: Scalar
    fz: Scalar
    mx: Scalar
    my: Scalar
    mz: Scalar
    u: tuple[Scalar, ...] = ()


@dataclass(frozen=True)
class Tyre(ElementLaw):
    """The wrench of a road (frame 1) on a wheel (frame 2, at its centre, which turns with it).

    Steady forces follow the slips at once.  With relaxation lengths the carcass (stiffness c,
    damping d, own states u along and across) stands between rim and road: at a slip velocity V_s
    the patch slides with V_s + du/dt, and with f = F_steady/slip, V the speed in the slip,

        c u + d du/dt = F = F_steady - (f/V) du/dt    so    du/dt = V (F_steady - c u) / (f + V d)

    [Rill, Road Vehicle Dynamics, first-order tyre dynamics].  At rest V vanishes with V_s, u grows
    by -V_s alone, and friction bounds it: a parked wheel is held by a spring.  Questions about one
    state have no run behind them, and take the steady forces."""

    kind = "tyre"
    inputs = ("lift",)

    radius: float = 0.3  # m
    model: TyreModel = field(default_factory=Linear)
    road: Road = field(default_factory=Plane)
    axis: Triple = (0.0, 1.0, 0.0)  # of the wheel's spin, in frame 2; unit
    lift: tuple[float, float] = (0.0, 0.0)  # of the surface, m, and its rate, m/s
    state: tuple[float, ...] = ()
    relaxed: bool = False  # at the present states, and not steady

    def input_labels(self) -> tuple[tuple[str, str], ...]:
        return (("height", "m"), ("rate", "m/s"))

    # -- numbers ---------------------------------------------------------------------------------

    def value_names(self) -> tuple[str, ...]:
        road = (f"road.{name}" for name in self.road.number_names())
        return ("radius", *self.model.number_names(), *road)

    def named_values(self) -> tuple[Scalar, ...]:
        return (self.radius, *self.model.number_values(), *self.road.number_values())

    def with_named(self, values: Sequence[Scalar]) -> Self:
        rest = iter(values)
        radius = next(rest)
        model = self.model.with_numbers(rest)
        return replace(self, radius=radius, model=model, road=self.road.with_numbers(rest))

    def parameters(self) -> tuple[Scalar, ...]:
        return (*self.axis, *self.lift, *self.state, *self.named_values())

    def with_parameters(self, values: Sequence[Scalar]) -> Self:
        n = 5 + len(self.state)
        own = replace(
            self, axis=tuple(values[:3]), lift=tuple(values[3:5]), state=tuple(values[5:n])
        )
        return own.with_named(values[n:])

    def key(self) -> tuple[object, ...]:
        structure = (self.model.structure(), self.road.structure())
        return (type(self), *structure, len(self.state), self.relaxed)

    def renumbered(self, part: str, changes: dict[str, object]) -> Self:
        """With other numbers by their names; part: how a message names it."""
        law = self
        for name, value in changes.items():
            given: dict[str, Scalar] = {name: value}
            if name in ("model", "road", "radius"):
                law = replace(law, **given)
            elif name.startswith("road."):
                road = law.road.changed(part, name.removeprefix("road."), value)
                law = replace(law, road=road)
            else:
                law = replace(law, model=law.model.changed(part, name, value))
        return law.checked(part)

    def checked(self, part: str) -> Self:
        """With floats, and the states that its model has."""
        if not isinstance(self.model, TyreModel):
            raise ModelError(
                f"{part}: model is one of armillary.tyres, such as Linear(), found "
                f"{self.model!r:.60}."
            )
        if not isinstance(self.road, Road):
            raise ModelError(
                f"{part}: road is one of armillary.roads, such as Plane(), found {self.road!r:.60}."
            )
        model = self.model.checked(part)
        state = (0.0, 0.0) if model.relaxes else ()
        law = replace(self, model=model, road=self.road.checked(f"{part}, road"), state=state)
        law.check(part)
        return law

    def check(self, part: str) -> None:
        if not (isinstance(self.radius, (int, float)) and 0.0 < self.radius < float("inf")):
            raise ModelError(f"{part}: its radius is {self.radius!r:.60} m; expected more than 0.")

    # -- own states ------------------------------------------------------------------------------

    def state_names(self) -> tuple[str, ...]:
        return ("ux", "uy") if self.state else ()

    def state_units(self) -> tuple[str, ...]:
        return ("m", "m") if self.state else ()

    @property
    def begins_steady(self) -> bool:
        return bool(self.state) and not self.model.stateful

    @property
    def answers_steady(self) -> bool:
        return self.begins_steady

    def changed(self, state: Sequence[Scalar], added: Sequence[Scalar]) -> Self:
        found = super().changed(state, added)
        return replace(found, relaxed=True) if state else found

    def rates(self, ends: Sequence[End]) -> Sequence[Scalar]:
        return self.forces(self.contact(Between(ends))).u

    # -- the law ---------------------------------------------------------------------------------

    def contact(self, between: Between) -> WheelContact:
        R = between.X.E.T
        motion, e = between.motion, R @ Vector(*self.axis)
        w, u = R @ motion.angular, R @ motion.linear
        return touch(self.road, between.X.r, e, w, u, self.radius, self.lift)

    def forces(self, c: WheelContact) -> TyreForces:
        model = self.model
        fz = model.radial(c.deflection, c.approach, self.radius) / c.cosine
        rolling = c.spin * model.rolling_radius(self.radius, c.deflection, c.spin)
        along, across = c.forward - rolling, c.sideways  # slip velocities
        speed = abs(c.forward if model.reference == "forward" else rolling)

        def slip(v: Scalar) -> Slip:
            return Slip(
                kappa=-(along / v),
                tan_alpha=across / v,
                sine=c.sine,
                camber=c.camber,
                fz=fz,
                mu=c.ground.mu,
                speed=speed,
                rolling=rolling,
                radius=self.radius,
            )

        s = slip(at_least(speed, model.low_speed))
        u: tuple[Scalar, ...] = ()
        if isinstance(model, SpringDamper):
            fx, fy, u = self._held(model, fz, c.ground.mu, along, across)
        elif not self.relaxed:
            fx, fy = model.steady(s)
        else:
            least = at_least(speed, _SLIPPING * size_of(along, across) + TINY)
            s = slip(least)
            fx, fy, u = self._relaxing(s, least)
        mx, my, mz = model.moments(s, fx, fy)
        mz = mz * begun(speed / model.low_speed)  # a tyre at rest has no trail
        return TyreForces(fx, fy, fz, mx, my, mz, u)

    def _relaxing(self, s: Slip, speed: Scalar) -> tuple[Scalar, Scalar, tuple[Scalar, ...]]:
        """Forces of the carcass along and across, and the rates of its deflections."""
        model = self.model
        steady, c = model.steady(s), model.carcass()
        slopes, grip = model.slopes(s.fz, s.camber, s.mu), model.grip(s.fz, s.mu)
        linear = size_of(slopes[0] * s.kappa, slopes[1] * s.tan_alpha)
        share = model.friction_share(linear / where(grip > 1e-6, grip, 1e-6))
        forces, rates = [], []
        for k in range(2):
            f = where(s.fz > 0, slopes[k] * share, 1.0)
            d = c[k] * model.carcass_time
            rate = speed * (steady[k] - c[k] * self.state[k]) / (f + speed * d)
            rate = where(s.fz > 0, rate, self.state[k] * (-1.0 / _RELEASE))
            rates.append(rate)
            forces.append(c[k] * self.state[k] + d * rate)
        most = _BEYOND * grip + size_of(*steady)
        size = size_of(*forces)
        hold = where(s.fz > 0, where(size > most, most / size, 1.0), 0.0)
        return forces[0] * hold, forces[1] * hold, tuple(rates)

    def _held(
        self, model: SpringDamper, fz: Scalar, mu: Scalar, along: Scalar, across: Scalar
    ) -> tuple[Scalar, Scalar, tuple[Scalar, ...]]:
        """Springs and dampers to a point that rolls.  The spring alone grows to the limit of
        friction, as in Dahl's model: du/dt = -V_s - |V_s| c u / grip."""
        k, d, grip = model.horizontal_stiffness, model.horizontal_damping, model.grip(fz, mu)
        u, holds = self.state, grip > 1e-6
        sliding = size_of(along, across) * k / where(holds, grip, 1.0)
        forces, rates = [], []
        for x, slip in zip(u, (along, across), strict=True):
            rate = where(holds, -slip - sliding * x, x * (-1.0 / _RELEASE))
            rates.append(rate)
            forces.append(k * x - d * slip)
        size = size_of(*forces)
        share = where(holds, where(size > grip, grip / size, 1.0), 0.0)
        return forces[0] * share, forces[1] * share, tuple(rates)

    def act(self, ends: Sequence[End]) -> None:
        between = Between(ends)
        c = self.contact(between)
        f = self.forces(c)
        force = c.x * f.fx + c.y * f.fy + c.z * f.fz
        # F_x drives at the rolling radius: its power is that of the slip
        drive = -(f.fx * self._lever(c))
        moment = c.x * f.mx + c.y * f.my + c.z * f.mz + c.e * drive + c.arm.cross(force)
        E = between.X.E
        between.twist(Force(E @ moment, E @ force))

    def _lever(self, c: WheelContact) -> Scalar:
        """Rolling radius less loaded radius."""
        return self.model.rolling_radius(self.radius, c.deflection, c.spin) - c.loaded

    def potential(self, ends: Sequence[End]) -> Scalar:
        total = self.model.stored(self.contact(Between(ends)).deflection)
        if self.relaxed or self.model.stateful:
            for c, u in zip(self.model.carcass(), self.state, strict=True):
                total = total + c * u * u * 0.5
        return total

    def outputs(self, ends: Sequence[End]) -> list[Scalar]:
        """`OUTPUTS`, in the tyre's axes at the point of contact; x, y, z: of that point."""
        c = self.contact(Between(ends))
        f = self.forces(c)
        drive = -(f.fx * self._lever(c))
        point = c.r + c.arm
        forward = at_least(abs(c.forward), self.model.low_speed)  # whatever the model's slips
        slipping = c.forward - c.spin * (c.loaded + self._lever(c))
        return [
            -(slipping / forward),
            atan2(c.sideways, forward),
            c.camber,
            c.deflection,
            f.fx,
            f.fy,
            f.fz,
            f.mx,
            f.my + drive * c.cosine,
            f.mz + drive * c.sine,
            c.loaded,
            c.ground.mu,
            *point,
        ]
