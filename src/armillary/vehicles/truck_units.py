"""Tractors, trailers and dollies by their numbers, and the axles of a truck."""

from __future__ import annotations

from dataclasses import dataclass, field

from armillary.errors import InputError
from armillary.vehicles.assembling import Data, block
from armillary.vehicles.axles import RoadWheel, Strut
from armillary.vehicles.solid_axle import SolidAxle

COUPLINGS = ("fifth wheel", "dolly", "drawbar")


@dataclass(frozen=True)
class Unit(Data):
    """A tractor, trailer or dolly without its axles: lengths from the unit's own front point (the
    front axle of a tractor, the kingpin of a trailer, the drawbar's eye of a dolly) backwards, m.

    mass kg; com: of the body behind the front point, height: of it over the road; axle: of the
    first axle, spacing: to a second one (0: none); hitch: of what it pulls (0: nothing),
    hitch_height: of that point; roll, pitch, yaw: inertia about the centre of mass, kg m² (0: of a
    block).  coupling, of a trailer: "fifth wheel" (it turns and pitches on the unit before, and
    rolls with it), "dolly" (a fifth wheel on a dolly of its own), "drawbar" (a ball), or "": the
    first on a fifth wheel, later ones on dollies."""

    mass: float = 20000.0
    com: float = 5.0
    height: float = 1.8
    axle: float = 7.0
    spacing: float = 0.0
    hitch: float = 0.0
    hitch_height: float = 1.1
    length: float = 9.0
    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0
    coupling: str = ""
    POSITIVE = frozenset({"mass", "height", "axle", "length"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coupling not in ("", *COUPLINGS):
            raise InputError(
                f"Unit: coupling is one of {', '.join(COUPLINGS)}; found {self.coupling!r:.60}."
            )

    @property
    def axles(self) -> list[float]:
        return [self.axle, *([self.axle + self.spacing] if self.spacing else [])]

    @property
    def middle(self) -> float:
        """Of its axles, behind the front point."""
        return sum(self.axles) / len(self.axles)

    @property
    def tensor(self) -> tuple[float, float, float]:
        own = block(self.mass, (self.length, 2.4, 1.6))
        given = (self.roll, self.pitch, self.yaw)
        x, y, z = (a or b for a, b in zip(given, own, strict=True))
        return (x, y, z)


def usual_tractor() -> Unit:
    return Unit(
        mass=5800.0, com=1.35, height=1.05, axle=3.6, hitch=3.4, hitch_height=1.15, length=5.0
    )


def usual_trailer() -> Unit:
    return Unit(
        mass=16000.0, com=4.2, height=1.9, axle=7.0, hitch=8.2, hitch_height=0.9, length=8.6
    )


def usual_dolly() -> Unit:
    return Unit(mass=700.0, com=1.8, height=0.9, axle=2.0, hitch=2.0, hitch_height=1.15, length=2.2)


@dataclass(frozen=True)
class TruckAxle(Data):
    """Numbers of every axle of a truck: track and radius m, masses kg; strut per wheel; deflection:
    the lever arm is that of the struts, `seats` m apart."""

    track: float = 1.86
    radius: float = 0.50
    wheel_mass: float = 110.0
    beam_mass: float = 450.0
    seats: float = 1.0
    strut: Strut = field(
        default_factory=lambda: Strut(stiffness=4.0e5, damping=1.6e4, bump=0.0, rebound=0.0)
    )
    POSITIVE = frozenset({"track", "radius", "wheel_mass", "beam_mass", "seats"})

    @property
    def wheel(self) -> RoadWheel:
        return RoadWheel(radius=self.radius, width=0.3, mass=self.wheel_mass)

    def suspension(self) -> SolidAxle:
        y, z = 0.5 * self.seats, self.radius
        return SolidAxle(
            guide="ideal",
            wheel_center=(0.0, 0.5 * self.track, z),
            strut_low=(0.0, y, z),
            strut_top=(0.0, y, z + 0.35),
            mass=self.beam_mass,
            strut=self.strut,
        )
