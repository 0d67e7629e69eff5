"""What the built-in mechanisms are made of: bars, discs, and the angles that close a chain."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from armillary.model import Builder, Frame, Model, Pose, Report, Shape

Solid = dict[str, Any]  # mass, com, inertia and shapes, as `Builder.body` takes them
Color = tuple[float, float, float, float]
STEEL: Color = (0.55, 0.58, 0.62, 1.0)
BLUE: Color = (0.30, 0.50, 0.80, 1.0)
ORANGE: Color = (0.90, 0.60, 0.20, 1.0)
DARK: Color = (0.20, 0.20, 0.22, 1.0)
_AXES = "xyz"
# roll, pitch, yaw that turn a cylinder's own z axis
_RPY_TO = {"x": (0.0, math.pi / 2, 0.0), "y": (math.pi / 2, 0.0, 0.0), "z": (0.0, 0.0, 0.0)}


@dataclass(frozen=True)
class Example:
    """A built-in mechanism: what it is, where its numbers come from, and how it is made.

    motion: arguments of `simulate` for a run worth seeing."""

    description: str
    source: str
    build: Callable[..., Model]  # build(name, **options)
    options: tuple[str, ...] = ()
    motion: Mapping[str, Any] = field(default_factory=dict)


def built(
    fill: Callable[..., None], description: str, source: str, options: tuple[str, ...] = ()
) -> Example:
    """An example from a function that puts its parts into a builder."""

    def build(name: str, **given: object) -> Model:
        builder = Builder(name, report=Report(source=source))
        fill(builder, **given)
        return builder.build()

    return Example(description, source, build, options)


# -- bodies: mass, centre, tensor and looks in one word ------------------------------------------


def solid(mass: float, com: Sequence[float], inertia: Sequence[float], *shapes: Shape) -> Solid:
    """As it was measured."""
    return {"mass": mass, "com": com, "inertia": inertia, "shapes": shapes}


def bar(mass: float, length: float, width: float, along: str = "x", color: Color = BLUE) -> Solid:
    """A uniform square bar from the origin along an axis of its body: "x", "-z", ..."""
    k, sign = _AXES.index(along[-1]), -1.0 if along.startswith("-") else 1.0
    com, size = [0.0] * 3, [width] * 3
    com[k], size[k] = sign * length / 2, length
    return box(mass, size, com, color)


def rod(mass: float, length: float, along: str = "x", color: Color = BLUE) -> Solid:
    """A slender rod from the origin: no inertia about its own line."""
    inertia = [mass * length**2 / 12] * 3
    inertia[_AXES.index(along[-1])] = 0.0
    return bar(mass, length, 0.04 * length, along, color) | {"inertia": tuple(inertia)}


def box(
    mass: float, size: Sequence[float], com: Sequence[float] = (0.0, 0.0, 0.0), color: Color = STEEL
) -> Solid:
    """A uniform block about its centre."""
    x, y, z = (float(s) ** 2 for s in size)
    inertia = (mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12)
    shape = Shape("box", tuple(float(s) for s in size), Pose.from_rpy(com), color=color)
    return {"mass": mass, "com": tuple(com), "inertia": inertia, "shapes": [shape]}


def disc(mass: float, radius: float, width: float, axis: str = "y", color: Color = DARK) -> Solid:
    """A uniform disc about its centre."""
    inertia = [mass * (3 * radius**2 + width**2) / 12] * 3
    inertia[_AXES.index(axis)] = mass * radius**2 / 2
    shapes = [round_shape(radius, width, axis, color)]
    return {"mass": mass, "inertia": tuple(inertia), "shapes": shapes}


def round_shape(radius: float, width: float, axis: str, color: Color) -> Shape:
    """A cylinder about an axis of its body."""
    return Shape("cylinder", (radius, width), Pose.from_rpy(rpy=_RPY_TO[axis]), color=color)


# -- closing -------------------------------------------------------------------------------------


Side = tuple[str, Sequence[float]] | tuple[str, Sequence[float], Sequence[float]]


def close(b: Builder, name: str, first: Side, second: Side, joint: str, **options: Any) -> None:
    """A loop between two frames, each: body, position, perhaps roll, pitch, yaw."""
    (one, *here), (two, *there) = first, second
    ends = (Pose.from_rpy(*here), Pose.from_rpy(*there))
    frames = Frame(f"{name}.first", one, ends[0]), Frame(f"{name}.second", two, ends[1])
    b.loop(name, *frames, joint, **options)


def two_bars(A: Sequence[float], a: float, D: Sequence[float], d: float) -> tuple[float, float]:
    """A pin C at the distances a from A and d from D, on the left of the way from A to D: the
    angles of A -> C and of D -> C, from the first axis towards the second."""
    x, y = D[0] - A[0], D[1] - A[1]
    way, heading = math.hypot(x, y), math.atan2(y, x)
    along = (way * way + a * a - d * d) / (2 * way)
    height = math.sqrt(a * a - along * along)
    return heading + math.atan2(height, along), heading + math.atan2(height, along - way)


def free_coordinates(
    position: Sequence[float], rpy: Sequence[float] = (0.0, 0.0, 0.0)
) -> tuple[float, ...]:
    """q of a free joint: quaternion and position."""
    pose = Pose.from_rpy(position, rpy)
    return (*pose.quaternion(), *pose.position)
