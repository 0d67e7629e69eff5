"""Steering: a rack between tie rods, and the trapezoid of a beam axle; the Ackermann condition.

A vehicle with wheelbase L whose front wheels turn about kingpins a distance w apart rolls without
slip about one centre if  cot δ_outer - cot δ_inner = w / L  (Ackermann).  Steering angles are
positive to the left (about z up), rad.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from armillary.errors import InputError
from armillary.model import Limits, Passive
from armillary.model.arguments import check_arguments
from armillary.model.parts import BodyData, Triple
from armillary.vehicles.assembling import Assembler, Data, bar_shape, mirrored, rod

RACK = "rack"


@dataclass(frozen=True)
class Rack(Data):
    """A rack that slides across the car and carries the inner ends of the tie rods.

    at: its middle, in the axes of the axle, m; mass kg (with what the column reflects); pinion:
    travel per angle of the steering wheel, m/rad; friction: N s/m; stop: travel to either side, m;
    centring: N/m, of the column's springs, 0 for none.  Its coordinate `rack` is positive where
    it steers to the left: a rack behind the wheels' centres moves to the right then."""

    at: Triple = (-0.14, 0.0, 0.245)
    mass: float = 4.0
    pinion: float = 0.0085
    friction: float = 100.0
    centring: float = 0.0
    stop: float = 0.085
    POSITIVE = frozenset({"mass", "pinion", "stop"})
    LEFT = False

    def attach(self, a: Assembler, x: float, behind: bool) -> str:
        """The rack on the carrier; its name, which is that of its joint.  behind: it pushes the
        uprights behind their steering axes."""
        at = mirrored(self.at, 1.0, x)
        left, right = ((at[0], at[1] + side * 0.33, at[2]) for side in (1.0, -1.0))
        law = Passive(viscous=self.friction, spring=self.centring)
        limits = Limits(-self.stop, self.stop)
        solid = rod(self.mass, left, right, at, 0.012)
        a.body(
            RACK,
            a.carrier,
            "prismatic",
            at,
            axis=(0.0, -1.0 if behind else 1.0, 0.0),
            passive=law,
            limits=limits,
            **solid,
        )
        return RACK


@dataclass(frozen=True)
class Trapezoid(Data):
    """Two steering arms and a tie rod between the kingpins of a beam axle.

    pins: distance of the kingpins, m; arm: length of a steering arm, m; friction: of each kingpin,
    N m s/rad; inward: angle by which the arms point inward (behind the axle), rad.  `inward` None:
    the arms' lines meet on the middle of the rear axle (wheelbase away), the construction of text
    books."""

    pins: float = 1.30
    arm: float = 0.16
    inward: float | None = None
    wheelbase: float = 2.70
    knuckle_mass: float = 10.0
    rod_mass: float = 2.0
    friction: float = 0.0
    SIGNED = frozenset({"inward"})
    POSITIVE = frozenset({"pins", "arm", "wheelbase", "knuckle_mass", "rod_mass"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -1.2 < self.angle < 1.2 or self.rod_length <= 1e-3:
            raise InputError(
                f"Trapezoid: arms of {self.arm:g} m that point inward by {self.angle:g} rad leave "
                f"{self.rod_length:.4g} m for the tie rod between pins {self.pins:g} m apart. Give "
                f"shorter arms, or `inward` between -1.2 and 1.2 rad."
            )

    @property
    def angle(self) -> float:
        """By which the arms point inward, rad."""
        return math.atan2(0.5 * self.pins, self.wheelbase) if self.inward is None else self.inward

    @check_arguments
    def for_track(self, track: float, wheelbase: float) -> Trapezoid:
        """With arms such that wheels a track (m) apart turn about one centre, but for their angles
        to the fourth:  tan h = track / wheelbase (1 - 2 arm sin h / pins),  h: `inward`."""
        found, h = replace(self, wheelbase=wheelbase), 0.0
        for _ in range(60):
            h = math.atan(track / wheelbase * (1.0 - 2.0 * self.arm * math.sin(h) / self.pins))
        return replace(found, inward=h)

    @property
    def rod_length(self) -> float:
        """Of the tie rod, m."""
        return self.pins - 2.0 * self.arm * math.sin(self.angle)

    @check_arguments
    def right_angle(self, left: float) -> float:
        """Steering angle of the right wheel for that of the left one (rad), in closed form.

        With L from the right kingpin to the end of the left arm, at the angle β, and the right arm
        at the angle ψ = δ_r - h behind the axle: |L + r (cos ψ, sin ψ)| is the rod's length, so
        |L| cos(ψ - β) = -c,  c = (|L|² + r² - rod²) / (2 r)."""
        r, h = self.arm, self.angle
        x, y = -r * math.cos(left + h), self.pins - r * math.sin(left + h)
        size = math.hypot(x, y)
        c = (size * size + r * r - self.rod_length**2) / (2.0 * r)
        if abs(c) > size:
            raise InputError(
                f"Trapezoid: with the left wheel at {left:g} rad the tie rod does not reach the "
                f"right steering arm. Steer less, or give other arms."
            )
        return math.atan2(y, x) - math.acos(-c / size) + h

    def attach(self, a: Assembler, axle: str, beam: str, x: float, z: float) -> tuple[str, str]:
        """Kingpins, knuckles and the tie rod as a body; the last pin closes a planar loop of five
        rows, three of which are redundant.  The names of the knuckles."""
        names = (f"{axle}-left-knuckle", f"{axle}-right-knuckle")
        law = Passive(viscous=self.friction)
        pins = [(x, side * 0.5 * self.pins, z) for side in (1.0, -1.0)]
        ends = []
        for name, pin, side in zip(names, pins, (1.0, -1.0), strict=True):
            tip = self.tip(pin, side)
            solid: BodyData = {"mass": self.knuckle_mass, "inertia": (0.15, 0.15, 0.1)}
            solid["shapes"] = [bar_shape(pin, tip, pin)]
            a.body(name, beam, "revolute", pin, axis="z", passive=law, **solid)
            ends.append(tip)
        tie = f"{axle}-tie-rod"
        solid = rod(self.rod_mass, ends[0], ends[1], ends[0], 0.012)
        a.body(tie, names[0], "revolute", ends[0], axis="z", **solid)
        first, second = (a.frame(f"{tie}.{body}", body, ends[1]) for body in (tie, names[1]))
        a.builder.loop(f"{axle}-trapezoid", first, second, "revolute", axis="z")
        return names

    def tip(self, pin: Triple, side: float) -> Triple:
        """End of a steering arm, behind the axle."""
        r, h = self.arm, self.angle
        return (pin[0] - r * math.cos(h), pin[1] - side * r * math.sin(h), pin[2])


@check_arguments
def ackermann_outer(inner: float, pins: float, wheelbase: float) -> float:
    """The outer wheel's angle (rad, same sign) that goes with the inner one's without slip."""
    if not wheelbase > 0.0:
        raise InputError(f"ackermann_outer: wheelbase is more than 0 (m), found {wheelbase!r}.")
    if not inner:
        return 0.0
    size = abs(inner)
    return math.copysign(math.atan2(1.0, 1.0 / math.tan(size) + pins / wheelbase), inner)


@check_arguments
def ackermann_error(left: float, right: float, pins: float, wheelbase: float) -> float:
    """How far the outer wheel's angle is from Ackermann's for that of the inner one, rad.

    Positive: the outer wheel turns further than it should (towards parallel steering)."""
    inner, outer = (left, right) if left + right >= 0.0 else (-right, -left)
    return outer - ackermann_outer(inner, pins, wheelbase)
