"""Putting assemblies into a builder by hard points.

All points are in the axes of the carrier (the chassis) at the design position: x forward, y left,
z up (ISO 8855), m; z = 0 is the road there.  Every body begins with the axes of the carrier, so
that all coordinates are zero at the design position.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

from armillary.errors import InputError
from armillary.model import Builder, Frame, Pose, Shape
from armillary.model.parts import BodyData, Rows, Triple

STEEL = (0.55, 0.58, 0.62, 1.0)
DARK = (0.20, 0.20, 0.22, 1.0)
BLUE = (0.30, 0.50, 0.80, 1.0)
ORANGE = (0.90, 0.60, 0.20, 1.0)
CHASSIS = "chassis"
SIDES = {"left": 1.0, "right": -1.0}
TIE_ROD = "tie-rod"  # how the names of tie rods end
_LOSS = 1e-3  # s: damping of an elastic rod, of its stiffness
_APART = 1e-3  # m: points of a link that are nearer are one


# -- data that a person gives ----------------------------------------------------------------------


@dataclass(frozen=True)
class Data:
    """Numbers with names, checked by name: fields of three numbers are points (m), others are
    numbers that are not negative.  `SIGNED` names those that may be."""

    SIGNED = frozenset[str]()
    POSITIVE = frozenset[str]()
    LEFT = True  # points are those of the left wheel

    def __post_init__(self) -> None:
        for part in fields(self):
            value, usual = getattr(self, part.name), part.default
            if callable(part.default_factory):
                usual = part.default_factory()
            if isinstance(usual, Data | str):
                self._of_kind(part.name, value, type(usual))
            elif isinstance(usual, tuple):
                object.__setattr__(self, part.name, self._point(part.name, value))
            elif not isinstance(value, Data) and not (value is None and usual is None):
                object.__setattr__(self, part.name, self._number(part.name, value))

    @property
    def title(self) -> str:
        return type(self).__name__

    def _of_kind(self, name: str, value: object, kind: type) -> None:
        if not isinstance(value, kind):
            what = "a text" if kind is str else f"a {kind.__name__}(...)"
            raise InputError(f"{self.title}: {name} is {what}, found {value!r:.60}.")

    def _point(self, name: str, value: object) -> Triple:
        try:
            x, y, z = (float(v) for v in value)  # type: ignore[attr-defined]
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{self.title}: {name} is a point, three numbers in m (x forward, y left, z up); "
                f"found {value!r:.60}."
            ) from None
        if not all(map(math.isfinite, (x, y, z))):
            raise InputError(f"{self.title}: {name} has numbers that are not finite: {(x, y, z)}.")
        if self.LEFT and y < 0.0:
            raise InputError(
                f"{self.title}: {name} has y = {y:g} m. Points are those of the left wheel (y left "
                f"of the middle); the right one is its mirror image. Give y = {-y:g}."
            )
        return (x, y, z)

    def _number(self, name: str, value: object) -> float:
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{self.title}: {name} is a number, found {value!r:.60}.") from None
        low = 0.0 if name not in self.SIGNED else number
        if not (low <= number and math.isfinite(number)) or (name in self.POSITIVE and not number):
            wanted = "more than 0" if name in self.POSITIVE else "0 or more"
            raise InputError(
                f"{self.title}: {name} is {'finite' if name in self.SIGNED else wanted}, "
                f"found {number:g}."
            )
        return number

    def _apart(self, *names: str) -> None:
        """Refuse hard points that coincide."""
        for one, other in pairwise(names):
            if distance(getattr(self, one), getattr(self, other)) < _APART:
                raise InputError(
                    f"{self.title}: {one} and {other} are the same point "
                    f"{getattr(self, one)}; a link needs two."
                )

    def _off_line(self, point: str, first: str, second: str) -> None:
        """Refuse an arm whose outer point lies on its own pivot axis."""
        a, b, p = (getattr(self, name) for name in (first, second, point))
        u = unit(minus(b, a))
        away = minus(p, a)
        if length(cross(u, away)) < _APART:
            raise InputError(
                f"{self.title}: {point} lies on the line through {first} and {second}, so the arm "
                f"cannot swing. Move one of the three points."
            )


# -- vectors of three numbers ----------------------------------------------------------------------


def minus(a: Sequence[float], b: Sequence[float]) -> Triple:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def plus(a: Sequence[float], b: Sequence[float]) -> Triple:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def middle(a: Sequence[float], b: Sequence[float]) -> Triple:
    return (0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]))


def cross(a: Sequence[float], b: Sequence[float]) -> Triple:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a: Sequence[float]) -> float:
    return math.hypot(*a)


def distance(a: Sequence[float], b: Sequence[float]) -> float:
    return math.dist(a, b)


def unit(a: Sequence[float]) -> Triple:
    size = length(a)
    return (a[0] / size, a[1] / size, a[2] / size)


def z_along(axis: Sequence[float]) -> Rows:
    """Rotation whose third column is the given direction."""
    z = unit(axis)
    helper = (1.0, 0.0, 0.0) if abs(z[0]) < 0.9 else (0.0, 1.0, 0.0)
    y = unit(cross(z, helper))
    x = cross(y, z)
    rows = [(x[k], y[k], z[k]) for k in range(3)]
    return (rows[0], rows[1], rows[2])


def rod(
    mass: float,
    a: Sequence[float],
    b: Sequence[float],
    origin: Sequence[float],
    radius: float = 0.02,
) -> BodyData:
    """A round bar from a to b in a body with the given origin: mass, centre, tensor, shape."""
    u, size, center = unit(minus(b, a)), distance(a, b), minus(middle(a, b), origin)
    across = mass * (size * size / 12.0 + radius * radius / 4.0)
    along = mass * radius * radius / 2.0
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    tensor = [(across if i == k else 0.0) + (along - across) * u[i] * u[k] for i, k in pairs]
    looks = Shape("cylinder", (radius, size), Pose(center, z_along(u)), color=STEEL)
    return {"mass": mass, "com": center, "inertia": tensor, "shapes": [looks]}


def bar_shape(
    a: Sequence[float], b: Sequence[float], origin: Sequence[float], radius: float = 0.015
) -> Shape:
    """A round bar to look at."""
    center = minus(middle(a, b), origin)
    return Shape(
        "cylinder", (radius, distance(a, b)), Pose(center, z_along(minus(b, a))), color=STEEL
    )


def block(mass: float, size: Sequence[float]) -> tuple[float, float, float]:
    """Tensor of a uniform block about its centre, kg m²."""
    x, y, z = (s * s for s in size)
    return (mass * (y + z) / 12.0, mass * (x + z) / 12.0, mass * (x + y) / 12.0)


# -- the builder with origins ----------------------------------------------------------------------


@dataclass
class Assembler:
    """A builder that takes points in the axes of the carrier.

    origins: of every body that was put in, at the design position."""

    builder: Builder
    carrier: str = CHASSIS
    origins: dict[str, Triple] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.origins.setdefault(self.carrier, (0.0, 0.0, 0.0))

    def local(self, body: str, point: Sequence[float]) -> Triple:
        return minus(point, self.origins[body])

    def body(
        self,
        name: str,
        parent: str,
        joint: str,
        at: Sequence[float],
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
        **options: Any,
    ) -> None:
        """A body whose origin is the point `at`."""
        self.builder.body(name, parent, joint, self.local(parent, at), rpy, **options)
        self.origins[name] = plus(at, (0.0, 0.0, 0.0))

    def frame(
        self, name: str, body: str, point: Sequence[float], rotation: Rows | None = None
    ) -> Frame:
        pose = (
            Pose(self.local(body, point))
            if rotation is None
            else Pose(self.local(body, point), rotation)
        )
        return Frame(name, body, pose)

    def ball(self, name: str, first: str, second: str, point: Sequence[float]) -> None:
        """A ball joint that closes a loop: three rows."""
        ends = (
            self.frame(f"{name}.first", first, point),
            self.frame(f"{name}.second", second, point),
        )
        self.builder.loop(name, *ends, "spherical")

    def link(
        self,
        name: str,
        first: tuple[str, Sequence[float]],
        second: tuple[str, Sequence[float]],
        stiffness: float = 0.0,
    ) -> None:
        """A massless rod with ball ends: one row; with a stiffness (N/m) a spring instead."""
        one, two = (
            self.frame(f"{name}.{end}", body, point)
            for end, (body, point) in (("first", first), ("second", second))
        )
        length = distance(first[1], second[1])
        if not stiffness:
            self.builder.distance(name, one, two, length)
            return
        damping = _LOSS * stiffness
        self.builder.spring(name, one, two, stiffness=stiffness, damping=damping, rest=length)


def mirrored(point: Sequence[float], side: float, x: float = 0.0) -> Triple:
    """A point of the left wheel as that of a side (1: left, -1: right), moved forward by x."""
    return (point[0] + x, side * point[1], point[2])
