"""Suspensions by hard points: double wishbone, MacPherson strut, trailing arm, five degrees.

Points are those of the left wheel at the design position, in axes with their origin on the road
under the middle of the axle: x forward, y left, z up (ISO 8855), m; the right side is the mirror
image.  Every argument has a default of a passenger car.  The solid axle is in solid_axle.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from armillary.errors import InputError
from armillary.model import Passive
from armillary.model.parts import BodyData, Triple
from armillary.vehicles.arms import SIX, Bushing, Pivots, put_arm, put_rubber, rubber_of
from armillary.vehicles.assembling import (
    TIE_ROD,
    Assembler,
    Data,
    bar_shape,
    middle,
    minus,
    mirrored,
    rod,
    z_along,
)
from armillary.vehicles.axles import (
    Corner,
    RoadWheel,
    Strut,
    at_corner,
    put_strut,
    put_wheel,
    sides,
    spindle,
)

_LEVEL = 0.01  # m seen from above: arms that reach less far lift nothing
Hinge = tuple[str, Triple, Triple, Passive]  # name, place, axis, spring and damper


class TwoCorners(Data):
    """A suspension whose two sides are mirror images."""

    def attach(
        self, a: Assembler, axle: str, x: float, wheel: RoadWheel, tie: str
    ) -> tuple[Corner, Corner]:
        left, right = (self._corner(a, n, s, x, wheel, tie) for n, s in sides(axle))
        return left, right

    def _corner(
        self, a: Assembler, name: str, side: float, x: float, wheel: RoadWheel, tie: str
    ) -> Corner:
        """One side; tie: the body that holds the inner end of its tie rod, if it has one."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Wishbones(TwoCorners):
    """A suspension with arms on a front and a rear pivot.  tie_rod: stiffness along its rod with
    what bears it, N/m (springs in a row: 1/k adds up); 0: rigid."""

    bushing: Bushing | None = None
    rear_bushing: Bushing | None = None
    tie_rod: float = 0.0

    def __post_init__(self) -> None:
        rubber_of(self.title, self.bushing, self.rear_bushing, "rear_bushing")
        super().__post_init__()

    def rigid(self) -> Wishbones:
        """With ideal hinges instead of rubber, and rigid tie rods."""
        return replace(self, bushing=None, rear_bushing=None, tie_rod=0.0)

    def _put_tie_rod(
        self, a: Assembler, name: str, inner: tuple[str, Triple], outer: tuple[str, Triple]
    ) -> None:
        a.link(f"{name}-{TIE_ROD}", inner, outer, self.tie_rod)

    def _pivots(self, points: dict[str, Triple], arm: str) -> Pivots:
        """Of an arm, "lower" or "upper"."""
        rubber = rubber_of(self.title, self.bushing, self.rear_bushing, "rear_bushing")
        return Pivots({word: points[f"{arm}_{word}"] for word in ("front", "rear")}, rubber)


@dataclass(frozen=True)
class DoubleWishbone(Wishbones):
    """Two arms, an upright between their ball joints, a tie rod; the strut stands on the lower arm.

    camber: positive with the top outward, toe: positive toe-in, rad.  Masses in kg.  bushing:
    rubber in every pivot of the arms (None: ideal hinges); rear_bushing: in the rear ones, where
    it is another."""

    lower_front: Triple = (0.16, 0.38, 0.21)
    lower_rear: Triple = (-0.20, 0.36, 0.20)
    lower_ball: Triple = (0.005, 0.70, 0.19)
    upper_front: Triple = (0.11, 0.45, 0.49)
    upper_rear: Triple = (-0.15, 0.43, 0.475)
    upper_ball: Triple = (-0.025, 0.66, 0.515)
    tie_inner: Triple = (-0.14, 0.373, 0.245)
    tie_outer: Triple = (-0.15, 0.69, 0.245)
    wheel_center: Triple = (0.0, 0.76, 0.31)
    strut_low: Triple = (-0.01, 0.60, 0.21)
    strut_top: Triple = (-0.03, 0.50, 0.64)
    camber: float = 0.0
    toe: float = 0.0
    lower_mass: float = 5.0
    upper_mass: float = 3.0
    upright_mass: float = 12.0
    strut: Strut = field(default_factory=lambda: Strut(stiffness=60.0e3, damping=5.0e3))
    SIGNED = frozenset({"camber", "toe"})
    POSITIVE = frozenset({"lower_mass", "upper_mass", "upright_mass"})

    def __post_init__(self) -> None:
        super().__post_init__()
        for arm in ("lower", "upper"):
            self._apart(f"{arm}_front", f"{arm}_rear")
            self._off_line(f"{arm}_ball", f"{arm}_front", f"{arm}_rear")
        self._apart("lower_ball", "upper_ball")
        self._apart("tie_inner", "tie_outer")
        self._apart("strut_low", "strut_top")
        self._off_line("tie_outer", "lower_ball", "upper_ball")

    def _corner(
        self, a: Assembler, name: str, side: float, x: float, wheel: RoadWheel, tie: str
    ) -> Corner:
        p = at_corner(self, side, x)
        lower, upper, hub = f"{name}-lower-arm", f"{name}-upper-arm", f"{name}-upright"
        pivots = self._pivots(p, "lower")
        swing = put_arm(a, lower, pivots, p["lower_ball"], side, self.lower_mass)
        solid = rod(self.upright_mass, p["lower_ball"], p["upper_ball"], p["lower_ball"], 0.05)
        solid["shapes"] = [
            bar_shape(p["lower_ball"], p["upper_ball"], p["lower_ball"], 0.02),
            bar_shape(p["tie_outer"], p["wheel_center"], p["lower_ball"]),
        ]
        a.body(hub, lower, "spherical", p["lower_ball"], **solid)
        put_arm(a, upper, self._pivots(p, "upper"), p["upper_ball"], side, self.upper_mass)
        a.ball(f"{name}-upper-ball", upper, hub, p["upper_ball"])
        self._put_tie_rod(a, name, (tie, p["tie_inner"]), (hub, p["tie_outer"]))
        rpy = spindle(self.camber, self.toe, side)
        body = put_wheel(a, name, hub, p["wheel_center"], rpy, wheel)
        top, low = (a.carrier, p["strut_top"]), (lower, p["strut_low"])
        struts = put_strut(a, f"{name}-strut", top, low, self.strut)
        return Corner(name, hub, body, side, swing, struts, p["wheel_center"], rpy)


@dataclass(frozen=True)
class MacPherson(Wishbones):
    """A lower arm, and an upright that slides on the strut: the line through strut_low and
    strut_top (the upper mount, a ball), fixed in the upright, goes through the mount always.

    bushing: rubber in both pivots of the arm (None: an ideal hinge); rear_bushing: in the rear
    one, where it is another.  mount: rubber of the upper mount, between the body and the strut's
    rod, with its axis along the strut (None: rigid); the strut turns in it on a bearing.
    mount_mass: of rod and plate on that rubber, kg."""

    lower_front: Triple = (0.17, 0.37, 0.20)
    lower_rear: Triple = (-0.22, 0.36, 0.195)
    lower_ball: Triple = (0.0, 0.71, 0.18)
    strut_top: Triple = (-0.03, 0.575, 0.87)
    strut_low: Triple = (-0.008, 0.645, 0.42)
    tie_inner: Triple = (-0.14, 0.366, 0.235)
    tie_outer: Triple = (-0.15, 0.69, 0.23)
    wheel_center: Triple = (0.0, 0.76, 0.31)
    camber: float = 0.0
    toe: float = 0.0
    lower_mass: float = 5.0
    upright_mass: float = 15.0
    strut: Strut = field(default_factory=lambda: Strut(stiffness=25.0e3, damping=1.8e3))
    mount: Bushing | None = None
    mount_mass: float = 2.0
    SIGNED = frozenset({"camber", "toe"})
    POSITIVE = frozenset({"lower_mass", "upright_mass", "mount_mass"})

    def __post_init__(self) -> None:
        super().__post_init__()
        self._apart("lower_front", "lower_rear")
        self._off_line("lower_ball", "lower_front", "lower_rear")
        self._apart("strut_low", "strut_top", "lower_ball")
        self._apart("tie_inner", "tie_outer")
        self._off_line("tie_outer", "lower_ball", "strut_top")
        rubber_of(self.title, self.mount, None, "mount")
        if self.mount is not None and not self.mount.turning:
            raise InputError(
                f"{self.title}: mount.turning is more than 0, found 0: the strut turns on its "
                f"bearing, and nothing else holds the mount about it."
            )

    def rigid(self) -> MacPherson:
        """With ideal hinges instead of rubber, and rigid tie rods."""
        return replace(self, bushing=None, rear_bushing=None, tie_rod=0.0, mount=None)

    def _corner(
        self, a: Assembler, name: str, side: float, x: float, wheel: RoadWheel, tie: str
    ) -> Corner:
        p = at_corner(self, side, x)
        lower, hub = f"{name}-lower-arm", f"{name}-upright"
        pivots = self._pivots(p, "lower")
        swing = put_arm(a, lower, pivots, p["lower_ball"], side, self.lower_mass)
        solid = rod(self.upright_mass, p["lower_ball"], p["strut_low"], p["lower_ball"], 0.05)
        solid["shapes"] = [
            bar_shape(p["lower_ball"], p["strut_low"], p["lower_ball"], 0.02),
            bar_shape(p["tie_outer"], p["wheel_center"], p["lower_ball"]),
        ]
        a.body(hub, lower, "spherical", p["lower_ball"], **solid)
        top = self._put_mount(a, name, p)
        # the mount first, the upright's strut axis second: the displacement runs along that axis
        turned = z_along(minus(p["strut_low"], p["strut_top"]))
        ends = (
            a.frame(f"{name}-slide.mount", top, p["strut_top"], turned),
            a.frame(f"{name}-slide.tube", hub, p["strut_low"], turned),
        )
        free = ("rx", "ry", "rz", "dz") if self.mount is None else ("rz", "dz")
        a.builder.loop(f"{name}-slide", *ends, "gimbal", free=free)
        self._put_tie_rod(a, name, (tie, p["tie_inner"]), (hub, p["tie_outer"]))
        rpy = spindle(self.camber, self.toe, side)
        body = put_wheel(a, name, hub, p["wheel_center"], rpy, wheel)
        strut = (top, p["strut_top"]), (hub, p["strut_low"])
        struts = put_strut(a, f"{name}-strut", *strut, self.strut)
        return Corner(name, hub, body, side, swing, struts, p["wheel_center"], rpy)

    def _put_mount(self, a: Assembler, name: str, p: dict[str, Triple]) -> str:
        """What the top of the strut stands in: the carrier, or the rod on rubber."""
        if self.mount is None:
            return a.carrier
        top, rod_end = p["strut_top"], middle(p["strut_top"], p["strut_low"])
        solid = rod(self.mount_mass, top, rod_end, top)
        a.body(f"{name}-mount", a.carrier, "gimbal", top, free=SIX, **solid)
        put_rubber(a, f"{name}-mount", top, minus(p["strut_low"], top), self.mount)
        return f"{name}-mount"


@dataclass(frozen=True)
class TrailingArm(TwoCorners):
    """One arm that turns about the line through two pivots: trailing with pivots across the car,
    semi-trailing with oblique ones.

    bushing: rubber in both pivots (None: an ideal hinge); outer_bushing: in the outer one, where it
    is another."""

    pivot_inner: Triple = (0.36, 0.30, 0.30)
    pivot_outer: Triple = (0.44, 0.62, 0.29)
    wheel_center: Triple = (0.0, 0.75, 0.31)
    strut_low: Triple = (0.02, 0.58, 0.28)
    strut_top: Triple = (0.04, 0.55, 0.66)
    camber: float = 0.0
    toe: float = 0.0
    mass: float = 22.0
    strut: Strut = field(default_factory=lambda: Strut(stiffness=22.0e3, damping=1.6e3))
    bushing: Bushing | None = None
    outer_bushing: Bushing | None = None
    SIGNED = frozenset({"camber", "toe"})
    POSITIVE = frozenset({"mass"})

    def __post_init__(self) -> None:
        rubber_of(self.title, self.bushing, self.outer_bushing, "outer_bushing")
        super().__post_init__()
        self._apart("pivot_inner", "pivot_outer")
        self._off_line("wheel_center", "pivot_inner", "pivot_outer")
        self._apart("strut_low", "strut_top")

    def rigid(self) -> TrailingArm:
        """With an ideal hinge instead of rubber."""
        return replace(self, bushing=None, outer_bushing=None)

    def _corner(
        self, a: Assembler, name: str, side: float, x: float, wheel: RoadWheel, tie: str
    ) -> Corner:
        p, hub = at_corner(self, side, x), f"{name}-arm"
        rubber = rubber_of(self.title, self.bushing, self.outer_bushing, "outer_bushing")
        pivots = Pivots({word: p[f"pivot_{word}"] for word in ("inner", "outer")}, rubber)
        swing = put_arm(a, hub, pivots, p["wheel_center"], side, self.mass)
        rpy = spindle(self.camber, self.toe, side)
        body = put_wheel(a, name, hub, p["wheel_center"], rpy, wheel)
        top, low = (a.carrier, p["strut_top"]), (hub, p["strut_low"])
        struts = put_strut(a, f"{name}-strut", top, low, self.strut)
        return Corner(name, hub, body, side, swing, struts, p["wheel_center"], rpy)


@dataclass(frozen=True)
class FiveDegree(TwoCorners):
    """The suspension of [Yesiloglu2007], 5.4: five hinges in a row between chassis and hub, with
    torsional springs and dampers; the source gives no numbers and only a figure.

    Read as: at `inner` a level hinge across the arm (it swings) and one along z, at `outer` hinges
    along x, y and z.  What they do not allow is motion along the line from inner to outer.  A beam
    between two such arms heaves only where they are not across the car.  swing, twist:
    stiffness of the first hinge, and of the four others, N m/rad; damping as a time, s.  beam_mass:
    of the beam that carries the kingpins where a trapezoid steers it, kg."""

    inner: Triple = (0.42, 0.56, 0.34)
    outer: Triple = (0.0, 0.66, 0.30)
    wheel_center: Triple = (0.0, 0.76, 0.31)
    swing: float = 4000.0
    twist: float = 20.0e3
    swing_time: float = 0.06
    twist_time: float = 0.01
    mass: float = 8.0
    hub_mass: float = 12.0
    beam_mass: float = 45.0
    load: float | None = None
    SIGNED = frozenset({"load"})
    POSITIVE = frozenset({"swing", "twist", "mass", "hub_mass", "beam_mass"})

    def __post_init__(self) -> None:
        super().__post_init__()
        self._apart("inner", "outer")
        if math.dist(self.inner[:2], self.outer[:2]) < _LEVEL:
            raise InputError(
                f"{self.title}: inner and outer stand above each other, {self.inner} and "
                f"{self.outer}: the arm cannot swing. Move one of them along x or y."
            )

    def _corner(
        self, a: Assembler, name: str, side: float, x: float, wheel: RoadWheel, tie: str
    ) -> Corner:
        p, hub = at_corner(self, side, x), f"{name}-hub"
        self.put_hinges(a, name, side, x, hub, self.hub)
        body = put_wheel(a, name, hub, p["wheel_center"], (0.0, 0.0, 0.0), wheel)
        swing = {f"{name}-swing": side}
        return Corner(name, hub, body, side, swing, (), p["wheel_center"], (0.0, 0.0, 0.0))

    def put_beam(self, a: Assembler, axle: str, x: float) -> str:
        """A beam across the car between the outer points of both sides: the left hinges end at it,
        and the right ones at a small body that is welded to it (six rows); left is another."""
        beam, end = f"{axle}-beam", f"{axle}-right-hub"
        left, right = (mirrored(self.outer, side, x) for side in (1.0, -1.0))
        self.put_hinges(a, f"{axle}-left", 1.0, x, beam, rod(self.beam_mass, left, right, left))
        self.put_hinges(a, f"{axle}-right", -1.0, x, end, self.small)
        a.body(f"{axle}-left-hub", beam, "fixed", left, **self.small)
        first, second = (a.frame(f"{beam}.{body}", body, right) for body in (beam, end))
        a.builder.loop(f"{beam}-weld", first, second, "fixed")
        return beam

    def put_beam_struts(
        self, a: Assembler, name: str, beam: str, side: float, x: float
    ) -> tuple[tuple[str, ...], dict[str, float]]:
        return (), {f"{name}-swing": side}

    @property
    def hub(self) -> BodyData:
        return {"mass": self.hub_mass, "inertia": (0.2, 0.2, 0.2)}

    @property
    def small(self) -> BodyData:
        """Of the bodies between two hinges."""
        return {"mass": 0.5, "inertia": (0.02, 0.02, 0.02)}

    def hinges(self, name: str, side: float, x: float) -> list[Hinge]:
        """The five hinges of a side from the chassis outward.  The first spring carries `load` (N,
        at the outer point) where all angles are zero."""
        inner, outer = (mirrored(point, side, x) for point in (self.inner, self.outer))
        along = minus(outer, inner)
        reach = math.hypot(*along[:2])
        across = (along[1] / reach, -along[0] / reach, 0.0)  # positive angles lift the outer point
        rest = -(self.load or 0.0) * reach / self.swing
        first = Passive(spring=self.swing, rest=rest, viscous=self.swing_time * self.swing)
        other = Passive(spring=self.twist, viscous=self.twist_time * self.twist)
        return [
            (f"{name}-swing", inner, across, first),
            (f"{name}-turn", inner, (0.0, 0.0, 1.0), other),
            (f"{name}-camber", outer, (side, 0.0, 0.0), other),
            (f"{name}-pitch", outer, (0.0, 1.0, 0.0), other),
            (f"{name}-yaw", outer, (0.0, 0.0, 1.0), other),
        ]

    def put_hinges(
        self, a: Assembler, name: str, side: float, x: float, last: str, solid: BodyData
    ) -> None:
        """The hinges with their bodies; the last one has the given name and mass, and its origin at
        the outer point."""
        rows, parent = self.hinges(name, side, x), a.carrier
        arm = rod(self.mass, rows[0][1], rows[-1][1], rows[0][1])
        solids = (self.small, arm, self.small, self.small, solid)
        for (body, at, axis, law), own in zip(rows, solids, strict=True):
            body = last if body.endswith("-yaw") else body
            a.body(body, parent, "revolute", at, axis=axis, passive=law, **own)
            parent = body
