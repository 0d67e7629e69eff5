"""Paths on the ground that a driver follows; over scalars, so that they are compiled with the run.

A path begins at the world's origin along x.  `point(s)` says where it is after s metres: it is
followed by its length, so it may turn back and cross itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from armillary.errors import InputError
from armillary.model.arguments import check_fields
from armillary.scalar import Scalar, cos, sin, sqrt, where
from armillary.sim.motion.profiles import PROFILES

_NEAR = 0.01  # m, of differences along a path


class Path:
    """A line on the ground: `across` x, or with a `point` of its own any other.

    begin: s at which what it is for begins, m; room: farther beside it one does not follow it."""

    begin: float = 0.0

    @property
    def room(self) -> float:
        return math.inf

    def across(self, x: Scalar) -> Scalar:
        """y at x, m."""
        raise NotImplementedError

    def point(self, s: Scalar) -> tuple[Scalar, Scalar]:
        """x and y (m) at s, which grows by about the length of the path, m."""
        return s, self.across(s)

    def slope(self, s: Scalar) -> tuple[Scalar, Scalar]:
        """(dx/ds, dy/ds), 1: a unit vector along the path where s is its length."""
        (x0, y0), (x1, y1) = self.point(s - _NEAR), self.point(s + _NEAR)
        return (x1 - x0) * (0.5 / _NEAR), (y1 - y0) * (0.5 / _NEAR)

    def curvature(self, s: Scalar) -> Scalar:
        """1/m, positive to the left."""
        (x0, y0), (x1, y1), (dx, dy) = self.slope(s - _NEAR), self.slope(s + _NEAR), self.slope(s)
        ddx, ddy = (x1 - x0) * (0.5 / _NEAR), (y1 - y0) * (0.5 / _NEAR)
        size2 = dx * dx + dy * dy
        return (dx * ddy - dy * ddx) / (size2 * sqrt(size2))

    def beside(self, s: Scalar, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """From the path at s to a point: along it and to its left, m."""
        px, py = self.point(s)
        dx, dy = self.slope(s)
        size = sqrt(dx * dx + dy * dy)
        ex, ey = (x - px) / size, (y - py) / size
        return ex * dx + ey * dy, ey * dx - ex * dy

    def near(self, x: float, y: float) -> float:
        """s where a vehicle at a point takes the path up, m."""
        return x


@dataclass(frozen=True)
class Straight(Path):
    """Along the world's x axis, `y` beside it, m."""

    y: float = 0.0
    begin: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)

    def across(self, x: Scalar) -> Scalar:
        return self.y


@dataclass(frozen=True)
class Circle(Path):
    """A straight line of `begin` m, then a circle: radius m, positive to the left."""

    radius: float = 50.0
    begin: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not 1e-3 < abs(self.radius) < math.inf:
            raise InputError(f"Circle: radius is a length other than 0, found {self.radius!r}.")

    @property
    def room(self) -> float:
        return 0.5 * abs(self.radius)

    def point(self, s: Scalar) -> tuple[Scalar, Scalar]:
        before = where(s < self.begin, s, self.begin)
        angle = (s - before) / self.radius
        return before + self.radius * sin(angle), self.radius * (1.0 - cos(angle))

    def near(self, x: float, y: float) -> float:
        across = y - self.radius
        angle = math.atan2((x - self.begin) / self.radius, -across / self.radius)
        away = abs(math.hypot(x - self.begin, across) - abs(self.radius))
        if x <= self.begin and abs(y) <= away:
            return x
        return self.begin + self.radius * angle % (math.tau * abs(self.radius))


def smooth_step(x: Scalar, begin: float, length: float) -> Scalar:
    """From 0 to 1 over a length, with rates and second rates that vanish at both ends."""
    return PROFILES["quintic"](x - begin, length)[0]


@dataclass(frozen=True)
class LaneChange(Path):
    """To another lane and, with back, home again: `width` m to the left over `length` m, `stay` m
    there, and back over `length` m."""

    width: float = 3.5
    begin: float = 50.0
    length: float = 30.0
    stay: float = 25.0
    back: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.length > 0.0:
            raise InputError(f"LaneChange: length is more than 0 m, found {self.length!r}.")

    @property
    def room(self) -> float:
        return 0.75 * abs(self.width) or math.inf

    def across(self, x: Scalar) -> Scalar:
        there = smooth_step(x, self.begin, self.length)
        if self.back:
            there = there - smooth_step(x, self.begin + self.length + self.stay, self.length)
        return self.width * there


@dataclass(frozen=True)
class Slalom(Path):
    """Between cones `spacing` m apart, `width` m to either side, from `begin` on."""

    spacing: float = 18.0
    width: float = 1.5
    begin: float = 30.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.spacing > 0.0:
            raise InputError(f"Slalom: spacing is more than 0 m, found {self.spacing!r}.")

    @property
    def room(self) -> float:
        return abs(self.width) or math.inf  # beyond, it goes around no cone

    def across(self, x: Scalar) -> Scalar:
        swing = sin((x - self.begin) * (math.pi / self.spacing))
        return self.width * smooth_step(x, self.begin, self.spacing) * swing


@dataclass(frozen=True)
class Line(Path):
    """y(x) of your own, m, over scalars."""

    y: Callable[[Scalar], Scalar]

    def __post_init__(self) -> None:
        check_fields(self)

    def across(self, x: Scalar) -> Scalar:
        return self.y(x)
