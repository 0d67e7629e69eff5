"""Paths on the ground that a driver follows; over scalars, so that they are compiled with the run.

A path begins at the world's origin along x.  `offset(x, y)` says how far to the left of a point it
runs, m.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from armillary.errors import InputError
from armillary.scalar import Scalar, sin, sqrt
from armillary.sim.control.block import clip
from armillary.sim.motion.profiles import PROFILES


class Path:
    """A line on the ground."""

    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        """From the point (x, y) to the path, m, positive where it runs to the left."""
        raise NotImplementedError


@dataclass(frozen=True)
class Straight(Path):
    """Along the world's x axis, `y` beside it, m."""

    y: float = 0.0

    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        return self.y - y


@dataclass(frozen=True)
class Circle(Path):
    """A straight line of `begin` m, then a circle: radius m, positive to the left."""

    radius: float = 50.0
    begin: float = 0.0

    def __post_init__(self) -> None:
        if not 1e-3 < abs(self.radius) < math.inf:
            raise InputError(f"Circle: radius is a length other than 0, found {self.radius!r}.")

    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        ahead = clip(x - self.begin, 0.0, math.inf)  # before it begins: the tangent
        across = y - self.radius
        distance = sqrt(ahead * ahead + across * across)
        side = 1.0 if self.radius > 0 else -1.0
        return side * (distance - abs(self.radius))


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
        if not self.length > 0.0:
            raise InputError(f"LaneChange: length is more than 0 m, found {self.length!r}.")

    def y(self, x: Scalar) -> Scalar:
        there = smooth_step(x, self.begin, self.length)
        if self.back:
            there = there - smooth_step(x, self.begin + self.length + self.stay, self.length)
        return self.width * there

    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        return self.y(x) - y


@dataclass(frozen=True)
class Slalom(Path):
    """Between cones `spacing` m apart, `width` m to either side, from `begin` on."""

    spacing: float = 18.0
    width: float = 1.5
    begin: float = 30.0

    def __post_init__(self) -> None:
        if not self.spacing > 0.0:
            raise InputError(f"Slalom: spacing is more than 0 m, found {self.spacing!r}.")

    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        swing = sin((x - self.begin) * (math.pi / self.spacing))
        return self.width * smooth_step(x, self.begin, self.spacing) * swing - y


@dataclass(frozen=True)
class Line(Path):
    """y(x) of your own, m, over scalars."""

    y: Callable[[Scalar], Scalar]

    def offset(self, x: Scalar, y: Scalar) -> Scalar:
        return self.y(x) - y
