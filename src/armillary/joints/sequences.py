"""Joints made of a sequence of one-axis motions: universal, planar, gimbal, general axes.

Their motion space depends on q, so they have a velocity bias of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.errors import ModelError
from armillary.joints.base import (
    Coordinates,
    Joint,
    normalize,
    pure_rotation,
    pure_translation,
    wrench_units,
)
from armillary.scalar import Scalar, cos, sin
from armillary.spatial import Force, ForceSpace, Matrix, Motion, MotionSpace, Transform, Vector
from armillary.spatial.rotation import about_x, about_y, about_z

AXES = ("rx", "ry", "rz", "dx", "dy", "dz")
_ABOUT = (about_x, about_y, about_z)


def in_order(free: Sequence[str], part: str) -> tuple[str, ...]:
    """The free directions of a gimbal: different ones, in the order in which it carries them out
    and in which its coordinates stand in q."""
    given = tuple(free)
    if any(name not in AXES for name in given) or len(set(given)) != len(given):
        raise ModelError(
            f"{part}: `free` must name different ones of {', '.join(AXES)}; found {list(free)}."
        )
    if given != tuple(name for name in AXES if name in given):
        axes = ", ".join(_axis_text(name) for name in given)
        raise ModelError(
            f"{part}: expected `free` in the order {', '.join(AXES)}, in which a gimbal moves and "
            f"counts its coordinates; found {', '.join(given)}. Sort them, or take a joint of the "
            f"type general with axes [{axes}] for motions in the order given."
        )
    return given


def _axis_text(name: str) -> str:
    """The same motion as an axis of a general joint."""
    slide = [0, 0, 0, *(int(name[1] == letter) for letter in "xyz")]
    return f'"{name[1]}"' if name[0] == "r" else str(slide)


_UNIT = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))


class Universal(Joint):
    """A rotation about x, then one about the rotated y (a cross, Hooke's joint)."""

    kind = "universal"
    order = (0, 1)
    coordinates = ("first", "second")
    units = ("rad", "rad")
    nq = nv = 2

    def transform(self, q: Coordinates) -> Transform:
        return Transform(about_y(q[1]) @ about_x(q[0]), Vector())

    def motion_space(self, q: Coordinates) -> MotionSpace:
        return MotionSpace([pure_rotation(x=cos(q[1]), z=sin(q[1])), pure_rotation(y=1)])

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        across = Force(Vector(-sin(q[1]), 0, cos(q[1])), Vector())
        return ForceSpace([across, *wrench_units(3, 4, 5)])


class Planar(Joint):
    """Place (x, y) in the joint's plane and an angle about its normal z;  q = (angle, x, y).

    x and y count along the axes of the joint frame, which do not rotate with the body."""

    kind = "planar"
    order = (1, 2, 0)
    coordinates = ("angle", "x", "y")
    units = ("rad", "m", "m")
    nq = nv = 3

    def transform(self, q: Coordinates) -> Transform:
        return Transform(about_z(q[0]), Vector(q[1], q[2], 0))

    def motion_space(self, q: Coordinates) -> MotionSpace:
        c, s = cos(q[0]), sin(q[0])
        return MotionSpace([pure_rotation(z=1), pure_translation(c, -s), pure_translation(s, c)])

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        return wrench_units(0, 1, 5)


class Gimbal(Joint):
    """The six-parameter joint: rotations about x, y, z in sequence, then translations along the
    rotated axes.

    `free` names the free ones of rx, ry, rz, dx, dy, dz; the body frame sits at the far end of
    the translation  [VanDerMerwe1995, 2.20-2.29, 2.38-2.39].  With three rotations it is
    singular at ry = ±90 degrees; use `Spherical` or `Free` for unlimited rotation."""

    kind = "gimbal"

    def __init__(self, free: Sequence[str]):
        self.free = in_order(free, "gimbal joint")
        self.coordinates = self.free
        self.units = tuple("rad" if name[0] == "r" else "m" for name in self.free)
        self.nq = self.nv = len(self.free)
        self.order = tuple(range(self.nv))
        self.may_lock = set(AXES[:3]) <= set(self.free)

    def key(self) -> tuple:
        return (self.kind, self.free)

    def _values(self, q: Coordinates) -> dict[str, Scalar]:
        return dict(zip(self.free, q, strict=True))

    def _arm(self, q: Coordinates) -> Vector:
        """The translation, in B: from the centre of rotation to the origin of B."""
        value = self._values(q)
        return Vector(*(value.get(name, 0) for name in AXES[3:]))

    def _axes(self, q: Coordinates) -> tuple[Matrix, list[tuple[str, Vector]]]:
        """Rotation J -> B and the axes of the free rotations, in B."""
        value = self._values(q)
        E = Matrix.identity()
        axes: list[tuple[str, Vector]] = []
        for name, about, unit in zip(AXES[:3], _ABOUT, _UNIT, strict=True):
            if name in value:
                rotation = about(value[name])
                E = rotation @ E
                axes = [(n, rotation @ axis) for n, axis in axes]
                axes.append((name, unit))
        return E, axes

    def transform(self, q: Coordinates) -> Transform:
        E, _ = self._axes(q)
        return Transform(E, E.T @ self._arm(q))

    def motion_space(self, q: Coordinates) -> MotionSpace:
        _, axes = self._axes(q)
        arm = self._arm(q)
        rotations = [Motion(axis, axis.cross(arm)) for _, axis in axes]
        translations = [
            Motion(Vector(), unit)
            for name, unit in zip(AXES[3:], _UNIT, strict=True)
            if name in self.free
        ]
        return MotionSpace(rotations + translations)

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        _, axes = self._axes(q)
        arm = self._arm(q)
        moments = [Force(axis, Vector()) for axis in _missing_axes([a for _, a in axes])]
        forces = [
            Force(-(arm.cross(unit)), unit)
            for name, unit in zip(AXES[3:], _UNIT, strict=True)
            if name not in self.free
        ]
        return ForceSpace(moments + forces)


def _missing_axes(axes: list[Vector]) -> list[Vector]:
    """Directions orthogonal to the given independent axes (0 to 3 of them)."""
    if len(axes) == 0:
        return list(_UNIT)
    if len(axes) == 1:
        axis = axes[0].leaves()
        return [unit for unit, entry in zip(_UNIT, axis, strict=True) if entry == 0]
    if len(axes) == 2:
        return [axes[0].cross(axes[1])]
    return []


class General(Joint):
    """Any sequence of 1 to 6 screws: rotations about or translations along freely chosen lines.

    Each axis is a motion (ω; v) in the joint frame J at q = 0 with |ω| = 1, or ω = 0 and |v| = 1;
    axis k is carried along by the axes before it (product of exponentials)."""

    kind = "general"

    def __init__(self, axes: Sequence[Motion], units: Sequence[str] | None = None):
        self.axes = tuple(axes)
        self.nq = self.nv = len(self.axes)
        self.order = tuple(range(self.nv))
        self.may_lock = self.nv > 1
        self.coordinates = tuple(f"axis{k + 1}" for k in range(self.nv))
        if units is None:
            units = ["rad" if any(axis.angular.leaves()) else "m" for axis in self.axes]
        self.units = tuple(units)

    def key(self) -> tuple:
        return (self.kind, self.units)

    def parameters(self) -> tuple[Scalar, ...]:
        return tuple(x for axis in self.axes for x in axis.leaves())

    def with_parameters(self, values: Sequence[Scalar]) -> General:
        axes = [Motion.from_leaves(values[6 * k : 6 * k + 6]) for k in range(self.nv)]
        return General(axes, self.units)

    def driving_wrenches(self, S: Sequence[Motion]) -> list[Force]:
        """psi = S (S^T S)^-1: parallel rotations have no couples of their own, so lengths count in
        metres here."""
        return [Force.from_leaves(c) for c in normalize([s.leaves() for s in S])]

    def transform(self, q: Coordinates) -> Transform:
        X = Transform.identity()
        for axis, unit, x in zip(self.axes, self.units, q, strict=True):
            X = _screw(axis, unit, x) @ X
        return X

    def motion_space(self, q: Coordinates) -> MotionSpace:
        columns: list[Motion] = []
        for axis, unit, x in zip(self.axes, self.units, q, strict=True):
            X = _screw(axis, unit, x)
            columns = [X @ column for column in columns]
            columns.append(axis)  # a screw leaves its own axis in place
        return MotionSpace(columns)


def _screw(axis: Motion, unit: str, x: Scalar) -> Transform:
    """Coordinate transform of the motion `axis` carried on by x:  exp(-x [axis ×])."""
    w, v = axis.angular, axis.linear
    if unit == "m":
        return Transform.translation(v * x)
    c, s = cos(x), sin(x)
    W = w.skew()
    WW = W @ W
    E = Matrix.identity() - W * s + WW * (1 - c)
    r = v * x + (W @ v) * (1 - c) + (WW @ v) * (x - s)
    return Transform(E, r)
