"""The car of [Yesiloglu2007], section 5.4, by a reading of its joints.

The source prints 51 degrees of freedom in all joints, 24 independent ones, and sorts 54; it names
nine arms that meet at c, d (the front knuckles), e and f (the chassis), and gives no numbers.  Its
matrices A_bc and A_tc (5.25, 5.26) read as: arms 1, 2 lead from the road through the rear wheels
and their suspensions to the chassis f; arms 3, 4 from the road through the front wheels to the
knuckles c, d; arm 5 from c to d (the tie rod); arms 6, 7 from c and d to the front beam e (the
kingpins); arms 8, 9 from the chassis to the beam (the front suspensions).  Freedoms:

    4 tyres       3 rotations at the contact, 3 slides with springs and dampers (one vertical, two
                  horizontal), and the wheel's own bearing                                    4 x 7
    4 suspensions five hinges each                                                            4 x 5
    trapezoid     two kingpins and two pins of the tie rod, less the kingpin that steers      4 - 1
                                                                                              = 51

Nine arms at four bodies close five loops of six rows, 30 in all; of the six of the plane trapezoid
three follow from the others: 51 - 27 = 24.  With three pseudo joints there, 54 - 30 = 24 as well.
The steered kingpin counts as given, as its angle is the driver's; without that it is 52 and 25, and
no reading that is the same on both sides has an odd number but for the steering.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from armillary.errors import InputError
from armillary.mechanism.making import Builder
from armillary.model import Passive, Pose, Report, Shape, Wheel
from armillary.model.joints import JointOptions
from armillary.model.parts import BodyData, Triple
from armillary.vehicles.assembling import BLUE, CHASSIS, DARK, Assembler, bar_shape, block, rod
from armillary.vehicles.axles import RoadWheel
from armillary.vehicles.fitting import fitted
from armillary.vehicles.steering import Trapezoid
from armillary.vehicles.suspensions import FiveDegree
from armillary.vehicles.vehicle import Vehicle

Hinge = tuple[str, Triple, Triple, Passive]  # name, place, axis, spring and damper

CONTACTS = ("point", "lifted", "rolling")
STEERING = "steering"
BEAM = "front-beam"


def yesiloglu_car(
    contact: str = "point",
    *,
    steered: bool = False,
    wheelbase: float = 2.60,
    half_track: float = 0.76,
    mass: float = 1100.0,
    com: tuple[float, float, float] = (-1.20, 0.0, 0.55),
    suspension: FiveDegree | None = None,
    trapezoid: Trapezoid | None = None,
    wheel: RoadWheel | None = None,
    tyre_stiffness: tuple[float, float, float] = (1.5e5, 1.2e5, 2.0e5),
    tyre_damping: tuple[float, float, float] = (600.0, 600.0, 500.0),
) -> Vehicle:
    """The car of the source at rest; all numbers are made up, as it prints none.

    contact: "point" (the tyres' contact points are ball joints on the road: 51 coordinates),
    "lifted" (the same on four slides, road-front-left and so on, to be prescribed in a run: the V^s
    of the source), or "rolling" (the tyres' rings roll on the plane without slip: 12 coordinates
    and 12 rows more, and the same freedoms).  steered: the left kingpin is a coordinate,
    `steering`, instead of a given angle.  tyre_stiffness, tyre_damping: of the slides along x, y
    and z of a tyre's ring, N/m, N s/m.  Springs are wound so that the car rests where it starts."""
    if contact not in CONTACTS:
        raise InputError(f"contact is one of {', '.join(CONTACTS)}; found {contact!r:.60}.")
    b = Builder("yesiloglu-car", report=Report(source="[Yesiloglu2007], 5.4; numbers made up"))
    data = suspension or FiveDegree()
    pins = trapezoid or Trapezoid(wheelbase=wheelbase, pins=1.30)
    rim = wheel or RoadWheel(radius=0.31, mass=14.0)
    box = Shape("box", (wheelbase, 0.7, 0.25), Pose((-0.5 * wheelbase, 0.0, 0.5)), color=BLUE)
    tensor = block(mass, (3.6, 1.5, 0.9))
    body = BodyData(mass=mass, com=com, inertia=tensor, shapes=[box])
    build = _Arms(Assembler(b, "world"), contact, rim, data, tyre_stiffness, tyre_damping)
    build.all(wheelbase, half_track, pins, body, steered)
    corners = ("front-left", "front-right", "rear-left", "rear-right")
    roads = [f"road-{corner}" for corner in corners] if contact == "lifted" else []
    mechanism = fitted(b.build(), roads)
    wheels = tuple(f"{corner}-bearing" for corner in corners)
    return Vehicle(
        mechanism,
        wheels,
        tuple(f"{corner}-contact" for corner in corners),
        (rim.radius,) * 4,
        axles=(0.0, -wheelbase),
        tracks=(2.0 * half_track,) * 2,
        driven=wheels[2:],
        steering=STEERING if steered else "",
        steering_gain=1.0 if steered else 0.0,
        rolling=True,
        about="the car of [Yesiloglu2007], 5.4, by a reading of its joints",
    )


@dataclass
class _Arms:
    """The nine arms.  All points in the world's axes at the start, where all coordinates are 0."""

    a: Assembler
    contact: str
    rim: RoadWheel
    data: FiveDegree
    stiffness: Sequence[float]
    damping: Sequence[float]

    def all(
        self, wheelbase: float, half: float, pins: Trapezoid, body: BodyData, steered: bool
    ) -> None:
        # arm 1 carries the chassis in the tree; the tips of the others are welded where they meet
        hub = self.tyre("rear-left", (-wheelbase, half))
        inner, outer = self.points(-wheelbase, 1.0)
        rows = self.hinges("rear-left", inner, outer, 1.0)[::-1]
        self.chain(hub, rows, CHASSIS, (0.0, 0.0, 0.0), body)
        hub = self.tyre("rear-right", (-wheelbase, -half))  # arm 2
        self.suspension("rear-right", -wheelbase, -1.0, "rear-right-carrier", self.small)
        self.weld("arm2", hub, "rear-right-carrier", (-wheelbase, -half, self.rim.radius))
        middle = (0.0, 0.0, self.rim.radius)
        beam = rod(45.0, (0.0, -0.6, middle[2]), (0.0, 0.6, middle[2]), middle)
        self.suspension("front-left", 0.0, 1.0, BEAM, beam, middle)  # arm 8
        self.suspension("front-right", 0.0, -1.0, "front-right-carrier", self.small)  # arm 9
        self.weld("arm9", BEAM, "front-right-carrier", self.points(0.0, -1.0)[1])
        self.trapezoid(pins, steered)  # arms 5, 6, 7
        for corner, side in (("front-left", 1.0), ("front-right", -1.0)):  # arms 3, 4
            hub = self.tyre(corner, (0.0, side * half))
            self.weld(
                f"arm{3 if side > 0 else 4}",
                hub,
                f"{corner}-knuckle",
                (0.0, side * half, middle[2]),
            )

    @property
    def small(self) -> BodyData:
        return {"mass": 0.5, "inertia": (0.02, 0.02, 0.02)}

    def weld(self, name: str, first: str, second: str, point: Sequence[float]) -> None:
        one, two = (self.a.frame(f"{name}.{body}", body, point) for body in (first, second))
        self.a.builder.loop(name, one, two, "fixed")

    def tyre(self, corner: str, at: tuple[float, float]) -> str:
        """Road, contact point, ring, slides with springs, rim, bearing; the body that bears it."""
        a, r = self.a, self.rim.radius
        base, ring, center = "world", f"{corner}-contact", (*at, r)
        if self.contact == "lifted":
            base = f"road-{corner}"
            a.body(base, "world", "prismatic", (*at, 0.0), axis="z", mass=1.0)
        turned = Pose.from_rpy((0, 0, r), (0.5 * math.pi, 0, 0))
        shape = Shape("cylinder", (r, self.rim.width), turned, color=DARK)
        own: BodyData = {
            "mass": 6.0,
            "com": (0.0, 0.0, r),
            "inertia": (0.3, 0.55, 0.3),
            "shapes": [shape],
        }
        rolls = self.contact == "rolling"
        a.body(ring, base, "free" if rolls else "spherical", (*at, 0.0), **own)
        if rolls:
            a.builder.wheel(Wheel(f"{corner}-rim", ring, r, (0.0, 1.0, 0.0), center=(0.0, 0.0, r)))
        laws = [
            Passive(spring=k, viscous=d) for k, d in zip(self.stiffness, self.damping, strict=True)
        ]
        solid: BodyData = {"mass": self.rim.mass, "inertia": self.rim.tensor}
        a.body(
            f"{corner}-rim", ring, "gimbal", center, free=("dx", "dy", "dz"), passive=laws, **solid
        )
        a.body(f"{corner}-bearing", f"{corner}-rim", "revolute", center, axis="y", **self.small)
        return f"{corner}-bearing"

    def points(self, x: float, side: float) -> tuple[Triple, Triple]:
        """Inner and outer point of a suspension."""
        (ix, iy, iz), (ox, oy, oz) = self.data.inner, self.data.outer
        return (x + ix, side * iy, iz), (x + ox, side * oy, oz)

    def hinges(self, corner: str, inner: Triple, outer: Triple, side: float) -> list[Hinge]:
        """Names, places, axes and springs of the five hinges, from the chassis outward."""
        d = self.data
        first = Passive(spring=d.swing, viscous=d.swing_time * d.swing)
        other = Passive(spring=d.twist, viscous=d.twist_time * d.twist)
        return [
            (f"{corner}-swing", inner, (side, 0.0, 0.0), first),
            (f"{corner}-inner-pitch", inner, (0.0, 1.0, 0.0), other),
            (f"{corner}-camber", outer, (side, 0.0, 0.0), other),
            (f"{corner}-pitch", outer, (0.0, 1.0, 0.0), other),
            (f"{corner}-yaw", outer, (0.0, 0.0, 1.0), other),
        ]

    def chain(
        self,
        parent: str,
        rows: Sequence[Hinge],
        last: str,
        origin: Sequence[float],
        solid: BodyData,
    ) -> None:
        """Hinges one after the other; the last body has the given name, mass and shape.  The arm is
        the body behind the second hinge from the chassis, or before it on the way to it."""
        for k, (name, at, axis, law) in enumerate(rows):
            if k + 1 < len(rows):
                there = rows[k + 1][1]
                own = self.small if there == at else rod(self.data.mass, at, there, at)
                self.a.body(name, parent, "revolute", at, axis=axis, passive=law, **own)
                parent = name
                continue
            shift = [p - o for p, o in zip(origin, at, strict=True)]
            own = solid.copy()
            own["com"] = tuple(c + s for c, s in zip(own.get("com", (0, 0, 0)), shift, strict=True))
            own["shapes"] = [_moved(shape, shift) for shape in own.get("shapes", ())]
            how = JointOptions(axis=axis, joint_name=name)
            self.a.body(last, parent, "revolute", at, passive=law, **how, **own)

    def suspension(
        self,
        corner: str,
        x: float,
        side: float,
        last: str,
        solid: BodyData,
        origin: Sequence[float] | None = None,
    ) -> None:
        """From the chassis outward to a body of the given name."""
        inner, outer = self.points(x, side)
        rows = self.hinges(corner, inner, outer, side)
        self.chain(CHASSIS, rows, last, outer if origin is None else origin, solid)

    def trapezoid(self, pins: Trapezoid, steered: bool) -> None:
        """Kingpins on the beam (arms 6, 7) and the tie rod (arm 5), its end welded to the right."""
        a, z = self.a, self.rim.radius
        tips = []
        for corner, side in (("front-left", 1.0), ("front-right", -1.0)):
            pin = (0.0, side * 0.5 * pins.pins, z)
            tip = pins.tip(pin, side)
            kind: JointOptions = {
                "axis": "z",
                "joint_name": STEERING if side > 0 else f"{corner}-kingpin",
            }
            joint = "revolute"
            if side > 0 and not steered:
                joint, kind = "fixed", {"joint_name": STEERING}
            solid: BodyData = {"mass": pins.knuckle_mass, "inertia": (0.15, 0.15, 0.1)}
            looks = [bar_shape(pin, tip, pin)]
            a.body(f"{corner}-knuckle", BEAM, joint, pin, shapes=looks, **kind, **solid)
            tips.append(tip)
        tie = rod(pins.rod_mass, tips[0], tips[1], tips[0], 0.012)
        a.body("tie-rod", "front-left-knuckle", "revolute", tips[0], axis="z", **tie)
        a.body("tie-rod-end", "tie-rod", "revolute", tips[1], axis="z", **self.small)
        self.weld("trapezoid", "tie-rod-end", "front-right-knuckle", tips[1])


def _moved(shape: Shape, shift: Sequence[float]) -> Shape:
    place = tuple(p + s for p, s in zip(shape.pose.position, shift, strict=True))
    return replace(shape, pose=Pose(place, shape.pose.rotation))  # type: ignore[arg-type]
