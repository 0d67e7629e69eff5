"""The car of [Yesiloglu2007], section 5.4, by a reading of its joints.

The source prints 51 degrees of freedom in all joints, 24 independent ones, and sorts 54; it names
nine arms that meet at c, d (the front knuckles), e and f (the chassis), and gives no numbers.  Its
matrices A_bc and A_tc (5.25, 5.26) read as: arms 1, 2 lead from the road through the rear wheels
and their suspensions to the chassis f; arms 3, 4 from the road through the front wheels to the
knuckles c, d; arm 5 from c to d (the tie rod); arms 6, 7 from c and d to the front beam e (the
kingpins); arms 8, 9 from the chassis to the beam (the front suspensions).  Freedoms:

    4 tyres       3 rotations at the contact, the wheel's own bearing, and behind it, on a carrier
                  that does not spin, 3 slides with springs and dampers (one vertical, two
                  horizontal)                                                                 4 x 7
    4 suspensions five hinges each                                                            4 x 5
    trapezoid     two kingpins and two pins of the tie rod, less the kingpin that steers      4 - 1
                                                                                              = 51

Nine arms at four bodies close five loops of six rows, 30 in all; of the six of the plane trapezoid
three follow from the others: 51 - 27 = 24.  With three pseudo joints there, 54 - 30 = 24 as well.
The steered kingpin counts as given, as its angle is the driver's; without that it is 52 and 25, and
no reading that is the same on both sides has an odd number but for the steering.

A contact with three rotations and no motion is that of an instant: as the wheel rolls, another of
its points comes to the road.  The car that drives has the same bodies and springs on tyres that
roll without slip; it is built from the chassis outward, and has the same 25 freedoms.  As far as
the trapezoid does not turn both wheels about one centre, such tyres push against each other, harder
with every metre: its arms stand so that this is of the fourth order of the angle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from armillary.errors import InputError
from armillary.mechanism.making import Builder
from armillary.model import Passive, Pose, Report, Shape, Wheel
from armillary.model.arguments import check_arguments
from armillary.model.checks import numbers
from armillary.model.joints import JointOptions
from armillary.model.parts import BodyData
from armillary.vehicles.assembling import (
    BLUE,
    CHASSIS,
    DARK,
    Assembler,
    bar_shape,
    block,
    mirrored,
    rod,
)
from armillary.vehicles.axle import Axle
from armillary.vehicles.axles import SLIDES, RoadWheel, SprungWheel
from armillary.vehicles.fitting import fitted
from armillary.vehicles.kinematics import steering_gain
from armillary.vehicles.steering import Trapezoid
from armillary.vehicles.suspensions import FiveDegree, Hinge
from armillary.vehicles.vehicle import Vehicle

CONTACTS = ("rolling", "standing", "lifted")
CORNERS = ("front-left", "front-right", "rear-left", "rear-right")
STEERING = "steering"
BEAM = "front-beam"
_RING = 6.0  # kg


@check_arguments
def yesiloglu_car(
    contact: str = "rolling",
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

    contact: "rolling" (the tyres' rings roll without slip; `start` and `drive` move it, the knuckle
    of the left kingpin steers, and a run lifts the road under each wheel by
    `prescribed={"front-left-tyre": motion}`), "standing" (the tyres' contact points are ball
    joints on the road, as the source has them: 51 coordinates; for questions about one instant, as
    it does not roll), or "lifted" (the same on four slides, road-front-left and so on, which a run
    prescribes: the V^s of the source).  steered, of the car that stands: the left kingpin is a
    coordinate, `steering`, instead of a given angle.  tyre_stiffness, tyre_damping: of the slides
    between rim and ring along x, y and z, N/m, N s/m.  Springs are wound so that the car rests
    where it starts, those along the road without force."""
    if contact not in CONTACTS:
        raise InputError(
            f"yesiloglu_car: contact is one of {', '.join(CONTACTS)}; found {contact!r:.60}."
        )
    pins = trapezoid or Trapezoid(friction=100.0).for_track(2.0 * half_track, wheelbase)
    rim = wheel or RoadWheel(radius=0.31, mass=14.0)
    tyre = _tyre(rim, tyre_stiffness, tyre_damping)
    data = suspension or FiveDegree()
    data = replace(data, wheel_center=(data.wheel_center[0], half_track, rim.radius))
    box = Shape("box", (wheelbase, 0.7, 0.25), Pose((-0.5 * wheelbase, 0.0, 0.5)), color=BLUE)
    tensor = block(mass, (3.6, 1.5, 0.9))
    body: BodyData = {"mass": mass, "com": com, "inertia": tensor, "shapes": [box]}
    b = Builder("yesiloglu-car", report=Report(source="[Yesiloglu2007], 5.4; numbers made up"))
    if contact == "rolling":
        made = _rolling(b, body, data, pins, tyre, wheelbase)
    else:
        arms = _Arms(Assembler(b, "world"), tyre, data, contact == "lifted")
        arms.all(wheelbase, pins, body, steered)
        made = _standing(b, steered, arms.lifted)
    return replace(
        made,
        radii=(rim.radius,) * 4,
        axles=(0.0, -wheelbase),
        tracks=(2.0 * half_track,) * 2,
        driven=made.wheels[2:],
        rolling=True,
        about="the car of [Yesiloglu2007], 5.4, by a reading of its joints",
    )


def _tyre(rim: RoadWheel, stiffness: object, damping: object) -> SprungWheel:
    """The rim with a ring on springs along x, y and z."""
    given: dict[str, float] = {}
    for word, values in (("stiffness", stiffness), ("damping", damping)):
        found = numbers(values, 3, f"yesiloglu_car, tyre_{word}")
        given |= {f"{word}_{x}": value for x, value in zip("xyz", found, strict=True)}
    across, spin, _ = rim.tensor
    more = {"mass": _RING, "spin": spin + 0.55, "across": across + 0.30, "rim": rim.mass}
    return SprungWheel(radius=rim.radius, width=rim.width, **more, **given)


def _rolling(
    b: Builder,
    body: BodyData,
    data: FiveDegree,
    pins: Trapezoid,
    tyre: SprungWheel,
    wheelbase: float,
) -> Vehicle:
    """From the chassis outward, on wheels that roll."""
    axles = Axle(data, pins, 0.0, tyre, "front"), Axle(data, None, 0.0, tyre, "rear")
    b.body(CHASSIS, joint="free", **body)
    a = Assembler(b)
    parts = [axle.attach(a, x) for axle, x in zip(axles, (0.0, -wheelbase), strict=True)]
    corners = [corner for part in parts for corner in part.corners]
    for corner in corners:
        b.wheel(Wheel(f"{corner.name}-tyre", corner.wheel, tyre.radius))
    return Vehicle(
        fitted(b.build(), slack=_along_the_road(corner.name for corner in corners)),
        tuple(corner.wheel for corner in corners),
        tuple(f"{corner.name}-tyre" for corner in corners),
        (),
        steering=parts[0].steering,
        steering_gain=steering_gain(axles[0]),
    )


def _standing(b: Builder, steered: bool, lifted: bool) -> Vehicle:
    """What the nine arms put in, from four points of the road inward."""
    b.report.add(
        "assumed",
        "tyres",
        "their contact points are ball joints on the road, for questions about one instant: it "
        "does not roll, and a run of it tips about those points",
    )
    roads = [f"road-{corner}" for corner in CORNERS] if lifted else []
    return Vehicle(
        fitted(b.build(), roads, slack=_along_the_road(CORNERS)),
        tuple(f"{corner}-bearing" for corner in CORNERS),
        tuple(f"{corner}-contact" for corner in CORNERS),
        (),
        steering=STEERING if steered else "",
        steering_gain=1.0 if steered else 0.0,
    )


def _along_the_road(corners: Iterable[str]) -> list[str]:
    """Coordinates of the tyres' slides that bear nothing at rest."""
    return [f"{corner}-carrier.d{x}" for corner in corners for x in "xy"]


@dataclass
class _Arms:
    """The nine arms.  All points in the world's axes at the start, where all coordinates are 0."""

    a: Assembler
    wheel: SprungWheel
    data: FiveDegree
    lifted: bool

    def all(self, wheelbase: float, pins: Trapezoid, body: BodyData, steered: bool) -> None:
        # arm 1 carries the chassis in the tree; the tips of the others are welded where they meet
        half = self.data.wheel_center[1]
        carrier = self.tyre("rear-left", (-wheelbase, half))
        rows = self.data.hinges("rear-left", 1.0, -wheelbase)[::-1]
        hub = self.data.hub
        self.a.body("rear-left-hub", carrier, "fixed", rows[0][1], **hub)
        self.chain("rear-left-hub", rows, CHASSIS, (0.0, 0.0, 0.0), body)
        carrier = self.tyre("rear-right", (-wheelbase, -half))  # arm 2
        self.suspension("rear-right", -wheelbase, -1.0, "rear-right-hub", hub)
        self.weld("arm2", carrier, "rear-right-hub", (-wheelbase, -half, self.wheel.radius))
        middle = (0.0, 0.0, self.wheel.radius)
        left, right = (mirrored(self.data.outer, side) for side in (1.0, -1.0))
        beam = rod(self.data.beam_mass, left, right, middle)
        self.suspension("front-left", 0.0, 1.0, BEAM, beam, middle)  # arm 8
        outer = self.suspension("front-right", 0.0, -1.0, "front-right-hub", self.data.small)
        self.weld("arm9", BEAM, "front-right-hub", outer)
        self.trapezoid(pins, steered)  # arms 5, 6, 7
        for arm, corner, side in ((3, "front-left", 1.0), (4, "front-right", -1.0)):
            carrier = self.tyre(corner, (0.0, side * half))
            self.weld(f"arm{arm}", carrier, f"{corner}-knuckle", (0.0, side * half, middle[2]))

    def weld(self, name: str, first: str, second: str, point: Sequence[float]) -> None:
        one, two = (self.a.frame(f"{name}.{body}", body, point) for body in (first, second))
        self.a.builder.loop(name, one, two, "fixed")

    def tyre(self, corner: str, at: tuple[float, float]) -> str:
        """Road, contact point, ring, bearing, slides with springs on what does not spin; the body
        behind them, which bears the rim's mass."""
        a, r = self.a, self.wheel.radius
        ring, bearing, carrier = (f"{corner}-{word}" for word in ("contact", "bearing", "carrier"))
        center, small = (*at, r), self.data.small
        turned = Pose.from_rpy((0, 0, r), (0.5 * math.pi, 0, 0))
        shape = Shape("cylinder", (r, self.wheel.width), turned, color=DARK)
        own: BodyData = {"mass": self.wheel.mass, "com": (0.0, 0.0, r), "shapes": [shape]}
        base = f"road-{corner}" if self.lifted else "world"
        if self.lifted:
            a.body(base, "world", "prismatic", (*at, 0.0), axis="z", mass=1.0)
        a.body(ring, base, "spherical", (*at, 0.0), inertia=self.wheel.tensor, **own)
        a.body(bearing, ring, "revolute", center, axis="y", **small)
        laws, mass = self.wheel.laws(), self.wheel.rim
        a.body(carrier, bearing, "gimbal", center, free=SLIDES, passive=laws, mass=mass)
        return carrier

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
                own = self.data.small if there == at else rod(self.data.mass, at, there, at)
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
    ) -> Sequence[float]:
        """From the chassis outward to a body of the given name; the outer point."""
        rows = self.data.hinges(corner, side, x)
        outer = rows[-1][1]
        self.chain(CHASSIS, rows, last, outer if origin is None else origin, solid)
        return outer

    def trapezoid(self, pins: Trapezoid, steered: bool) -> None:
        """Kingpins on the beam (arms 6, 7) and the tie rod (arm 5), its end welded to the right."""
        a, z = self.a, self.wheel.radius
        tips = []
        for corner, side in (("front-left", 1.0), ("front-right", -1.0)):
            pin = (0.0, side * 0.5 * pins.pins, z)
            tip = pins.tip(pin, side)
            own: dict[str, Any] = {"mass": pins.knuckle_mass, "inertia": (0.15, 0.15, 0.1)}
            own |= {"joint_name": STEERING if side > 0 else f"{corner}-kingpin"}
            own |= {"shapes": [bar_shape(pin, tip, pin)]}
            given = side > 0 and not steered
            turns: dict[str, Any] = {"axis": "z", "passive": Passive(viscous=pins.friction)}
            a.body(
                f"{corner}-knuckle",
                BEAM,
                "fixed" if given else "revolute",
                pin,
                **own,
                **({} if given else turns),
            )
            tips.append(tip)
        tie = rod(pins.rod_mass, tips[0], tips[1], tips[0], 0.012)
        a.body("tie-rod", "front-left-knuckle", "revolute", tips[0], axis="z", **tie)
        a.body("tie-rod-end", "tie-rod", "revolute", tips[1], axis="z", **self.data.small)
        self.weld("trapezoid", "tie-rod-end", "front-right-knuckle", tips[1])


def _moved(shape: Shape, shift: Sequence[float]) -> Shape:
    place = tuple(p + s for p, s in zip(shape.pose.position, shift, strict=True))
    return replace(shape, pose=Pose(place, shape.pose.rotation))  # type: ignore[arg-type]
