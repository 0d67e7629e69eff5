"""An axle: a suspension, perhaps steered, perhaps with an anti-roll bar."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from armillary.errors import InputError
from armillary.model import Builder
from armillary.model.arguments import fits
from armillary.vehicles.assembling import CHASSIS, Assembler, mirrored
from armillary.vehicles.axles import (
    BeamSuspension,
    Corner,
    RoadWheel,
    Suspension,
    put_wheel,
    sides,
)
from armillary.vehicles.solid_axle import SolidAxle
from armillary.vehicles.steering import Rack, Trapezoid
from armillary.vehicles.suspensions import DoubleWishbone, FiveDegree, MacPherson, TrailingArm

SUSPENSIONS: dict[str, type] = {
    "double wishbone": DoubleWishbone,
    "MacPherson": MacPherson,
    "trailing arm": TrailingArm,
    "solid axle": SolidAxle,
    "five-degree": FiveDegree,
}


def suspension(kind: str | Suspension) -> Suspension:
    """A suspension by its word, with the numbers of a passenger car; others stay as they are."""
    if not isinstance(kind, str):
        if not hasattr(kind, "attach"):
            raise InputError(
                f"suspension: expected one of {', '.join(SUSPENSIONS)}, or a suspension such as "
                f"DoubleWishbone(...); found {kind!r:.60}."
            )
        return kind
    by_word = {word.casefold(): made for word, made in SUSPENSIONS.items()}
    if kind.casefold() not in by_word:
        raise InputError(
            f"suspension: there is no '{kind}'; expected one of {', '.join(SUSPENSIONS)}."
        )
    made: Suspension = by_word[kind.casefold()]()
    return made


@dataclass(frozen=True)
class AxleParts:
    """What an axle left in a builder: its corners, and the coordinate that steers it ("": none)."""

    corners: tuple[Corner, Corner]
    steering: str


@dataclass(frozen=True)
class Axle:
    """A suspension with its wheels.

    suspension: one of `SUSPENSIONS` or an object; steering: a `Rack` for suspensions with tie rods,
    a `Trapezoid` for a solid axle or a five-degree suspension (which then bears a beam with the
    kingpins), None: not steered (tie rods end on the chassis).  anti_roll:
    stiffness of the bar, N m per rad of the arms' difference in angle (solid axle: of its roll)."""

    suspension: str | Suspension = "double wishbone"
    steering: Rack | Trapezoid | None = None
    anti_roll: float = 0.0
    wheel: RoadWheel = field(default_factory=RoadWheel)
    name: str = "front"

    def __post_init__(self) -> None:
        for name, kinds in (("steering", Rack | Trapezoid | None), ("wheel", RoadWheel)):
            if not isinstance(value := getattr(self, name), kinds):
                wanted = "a RoadWheel(...)" if name == "wheel" else "a Rack, a Trapezoid or None"
                raise InputError(f"axle: {name} is {wanted}, found {value!r:.60}.")
        made = suspension(self.suspension)
        object.__setattr__(self, "suspension", made)
        if isinstance(self.steering, Rack) and not hasattr(made, "tie_inner"):
            own = "a Trapezoid" if isinstance(made, BeamSuspension) else "no steering"
            raise InputError(
                f"{self.title}: a {type(made).__name__} has no tie rods for a rack. Take "
                f"{own}, or a double wishbone or MacPherson."
            )
        if isinstance(self.steering, Trapezoid) and not isinstance(made, BeamSuspension):
            rack = "Take a Rack." if hasattr(made, "tie_inner") else "Take no steering there."
            raise InputError(
                f"{self.title}: a steering trapezoid stands on a SolidAxle or a FiveDegree, not on "
                f"a {type(made).__name__}. {rack}"
            )
        if not (fits(self.anti_roll, float) and self.anti_roll >= 0.0):
            raise InputError(
                f"{self.title}: anti_roll is 0 or more (N m/rad), found {self.anti_roll!r}."
            )
        height, radius = made.wheel_center[2], self.wheel.radius
        if abs(height - radius) > 1e-9:
            where = "in the air" if height > radius else "in the ground"
            raise InputError(
                f"{self.title}: its wheels begin {where}: their centres are {height:g} m above the "
                f"road, their radius is {radius:g} m. Give "
                f"RoadWheel(radius={height:g}), or a wheel_center with z = {radius:g}."
            )

    @property
    def title(self) -> str:
        return f"axle '{self.name}'"

    @property
    def made(self) -> Suspension:
        """The suspension as an object."""
        return suspension(self.suspension)

    def rigid(self) -> Axle:
        """The same with ideal hinges and guides instead of rubber and leaf springs."""
        made = self.made
        return replace(self, suspension=made.rigid()) if hasattr(made, "rigid") else self

    @property
    def track(self) -> float:
        """Distance of the wheels' centres, m."""
        return 2.0 * self.made.wheel_center[1]

    def attach(self, a: Assembler, x: float = 0.0) -> AxleParts:
        """Put everything into a builder, the axle at x of the carrier."""
        made, steering = self.made, ""
        if isinstance(self.steering, Trapezoid) and isinstance(made, BeamSuspension):
            corners = self._on_knuckles(a, made, self.steering, x)
            steering = corners[0].hub
        else:
            tie = a.carrier
            if isinstance(self.steering, Rack):
                behind = made.tie_outer[0] < made.lower_ball[0]  # type: ignore[attr-defined]
                tie = steering = self.steering.attach(a, x, behind)
            corners = made.attach(a, self.name, x, self.wheel, tie)
        if self.anti_roll:
            twist = {k: w for corner in corners for k, w in corner.swing.items()}
            a.builder.coordinate_spring(
                f"{self.name}-anti-roll-bar", twist, stiffness=self.anti_roll
            )
        return AxleParts(corners, steering)

    def weighed(self) -> tuple[float, float]:
        """Mass of all its parts, kg, and Σ mass × x about the axle's middle, kg m."""
        b = Builder("scales")
        b.body(CHASSIS, joint="fixed", mass=1.0)
        a = Assembler(b)
        self.attach(a)
        bodies = [body for body in b.build().bodies if body.name != CHASSIS]
        moment = sum(m.mass.mass * (a.origins[m.name][0] + m.mass.com[0]) for m in bodies)
        return sum(m.mass.mass for m in bodies), moment

    def _on_knuckles(
        self, a: Assembler, made: BeamSuspension, trapezoid: Trapezoid, x: float
    ) -> tuple[Corner, Corner]:
        """Wheels on the knuckles of a steered beam."""
        beam = made.put_beam(a, self.name, x)
        center = made.wheel_center
        knuckles = trapezoid.attach(a, self.name, beam, x + center[0], center[2])
        corners = []
        for (name, side), hub in zip(sides(self.name), knuckles, strict=True):
            place = mirrored(center, side, x)
            wheel = put_wheel(a, name, hub, place, (0.0, 0.0, 0.0), self.wheel)
            struts, swing = made.put_beam_struts(a, name, beam, side, x)
            corners.append(Corner(name, hub, wheel, side, swing, struts, place, (0.0, 0.0, 0.0)))
        return corners[0], corners[1]


__all__ = ["CHASSIS", "SUSPENSIONS", "Axle", "AxleParts", "suspension"]
