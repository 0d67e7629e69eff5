"""What suspensions have in common: struts, road wheels, and what an axle leaves behind by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from armillary.errors import InputError
from armillary.model import Passive, Pose, Shape
from armillary.vehicles.assembling import (
    DARK,
    SIDES,
    Assembler,
    Data,
    distance,
    mirrored,
)

SLIDES = ("dx", "dy", "dz")


@dataclass(frozen=True)
class Strut(Data):
    """A spring with its damper and stops between two points.

    stiffness N/m, damping N s/m; bump, rebound: m that it may shorten or lengthen from the design
    position until it meets a stop of the stiffness `stop`, N/m (bump or rebound 0: no such stop).
    load: compression at the design position, N; None: what the vehicle weighs there."""

    stiffness: float = 30.0e3
    damping: float = 2.0e3
    bump: float = 0.06
    rebound: float = 0.07
    stop: float = 3.0e5
    load: float | None = None
    SIGNED = frozenset({"load"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.load and not self.stiffness:
            raise InputError(
                f"Strut: a load of {self.load:g} N needs a stiffness more than 0 that bears it."
            )


@dataclass(frozen=True)
class RoadWheel(Data):
    """Rim and tyre as a body: radius and width m (radius: loaded, at the design position), mass kg;
    spin, across: inertia about the axle and across it, kg m² (0: those of a disc)."""

    radius: float = 0.31
    width: float = 0.20
    mass: float = 18.0
    spin: float = 0.0
    across: float = 0.0
    POSITIVE = frozenset({"radius", "width", "mass"})

    @property
    def tensor(self) -> tuple[float, float, float]:
        rr, ww = self.radius * self.radius, self.width * self.width
        spin = self.spin or 0.5 * self.mass * rr
        across = self.across or self.mass * (3.0 * rr + ww) / 12.0
        return (across, spin, across)

    def put_bearer(self, a: Assembler, name: str, hub: str, point: Sequence[float]) -> str:
        """The body that the bearing sits on: the hub."""
        return hub


@dataclass(frozen=True)
class SprungWheel(RoadWheel):
    """A wheel whose tyre is springs and dampers along three slides [Yesiloglu2007, 5.4].

    The slides stand between the hub and a carrier that does not spin; on that the tyre's ring
    turns.  mass: of the ring; spin, across: of ring and rim, whose axes stay parallel; rim: its
    mass, kg, which moves with the hub; stiffness, damping of the slides along x, y and z, N/m,
    N s/m."""

    rim: float = 14.0
    stiffness_x: float = 1.5e5
    stiffness_y: float = 1.2e5
    stiffness_z: float = 2.0e5
    damping_x: float = 600.0
    damping_y: float = 600.0
    damping_z: float = 500.0
    POSITIVE = RoadWheel.POSITIVE | {"rim", "stiffness_x", "stiffness_y", "stiffness_z"}

    def laws(self) -> list[Passive]:
        """Of the slides along x, y and z."""
        pairs = ((getattr(self, f"stiffness_{x}"), getattr(self, f"damping_{x}")) for x in "xyz")
        return [Passive(spring=k, viscous=d) for k, d in pairs]

    def put_bearer(self, a: Assembler, name: str, hub: str, point: Sequence[float]) -> str:
        a.body(f"{name}-rim", hub, "fixed", point, mass=self.rim)
        carrier = f"{name}-carrier"
        how: dict[str, Any] = {
            "free": SLIDES,
            "passive": self.laws(),
            "mass": 0.5,
            "inertia": (0.02, 0.02, 0.02),
        }
        a.body(carrier, f"{name}-rim", "gimbal", point, **how)
        return carrier


@dataclass(frozen=True)
class Corner:
    """One wheel of an axle, by the names of its parts.

    hub: the body that carries the wheel; wheel: the wheel's body, and its joint; swing: its part of
    the twist of an anti-roll bar, {coordinate: weight} (the left wheel up is positive); struts:
    springs; center: of the wheel at the design position, in the axes of the carrier, m;
    rpy: of the wheel's axis there, rad."""

    name: str
    hub: str
    wheel: str
    side: float
    swing: dict[str, float]
    struts: tuple[str, ...]
    center: tuple[float, float, float]
    rpy: tuple[float, float, float]


class Suspension(Protocol):
    """Anything that carries the two wheels of an axle."""

    @property
    def wheel_center(self) -> tuple[float, float, float]: ...

    def attach(
        self, a: Assembler, axle: str, x: float, wheel: RoadWheel, tie: str
    ) -> tuple[Corner, Corner]:
        """Put both sides in, the axle at x; tie: the body that holds the inner ends of tie rods."""
        ...


@runtime_checkable
class BeamSuspension(Protocol):
    """A suspension that can bear a beam with kingpins, which a trapezoid steers."""

    @property
    def wheel_center(self) -> tuple[float, float, float]: ...

    def put_beam(self, a: Assembler, axle: str, x: float) -> str:
        """The beam with its guide; its name."""
        ...

    def put_beam_struts(
        self, a: Assembler, name: str, beam: str, side: float, x: float
    ) -> tuple[tuple[str, ...], dict[str, float]]:
        """Struts of a side, and that side's part of the twist of an anti-roll bar."""
        ...


def sides(axle: str) -> list[tuple[str, float]]:
    """Names and signs of the two corners of an axle."""
    return [(f"{axle}-{side}", sign) for side, sign in SIDES.items()]


def spindle(camber: float, toe: float, side: float) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a wheel's axis.  camber: positive with its top outward; toe: positive
    with its front inward (toe-in); rad, as ISO 8855 counts them."""
    return (-side * camber, 0.0, -side * toe)


def put_wheel(
    a: Assembler,
    name: str,
    hub: str,
    point: Sequence[float],
    rpy: tuple[float, float, float],
    wheel: RoadWheel,
) -> str:
    """The wheel on its bearing: it turns about y of its own frame."""
    body, bearer = f"{name}-wheel", wheel.put_bearer(a, name, hub, point)
    turned = Pose.from_rpy(rpy=(math.pi / 2, 0.0, 0.0))
    looks = Shape("cylinder", (wheel.radius, wheel.width), turned, color=DARK)
    a.body(
        body,
        bearer,
        "revolute",
        point,
        rpy,
        axis="y",
        mass=wheel.mass,
        inertia=wheel.tensor,
        shapes=[looks],
    )
    return body


def put_strut(
    a: Assembler,
    name: str,
    top: tuple[str, Sequence[float]],
    low: tuple[str, Sequence[float]],
    strut: Strut,
) -> tuple[str, ...]:
    """Spring and damper from `top` to `low`, each a body and a point; stops beside it."""
    ends = [a.frame(f"{name}.{end}", *at) for end, at in (("top", top), ("low", low))]
    size = distance(top[1], low[1])
    load = strut.load or 0.0
    b = a.builder
    b.spring(
        name,
        *ends,
        stiffness=strut.stiffness,
        damping=strut.damping,
        rest=size + (load / strut.stiffness if strut.stiffness else 0.0),
    )
    stops = []
    for stop, way, side in (("bump", -strut.bump, "push"), ("rebound", strut.rebound, "pull")):
        if way and strut.stop:
            stops.append(f"{name}-{stop}-stop")
            b.spring(stops[-1], *ends, stiffness=strut.stop, rest=size + way, side=side)
    return (name, *stops)


def at_corner(data: Data, side: float, x: float) -> dict[str, tuple[float, float, float]]:
    """All hard points of a side by name, in the axes of the carrier."""
    points = {name: value for name, value in vars(data).items() if isinstance(value, tuple)}
    return {name: mirrored(point, side, x) for name, point in points.items()}
