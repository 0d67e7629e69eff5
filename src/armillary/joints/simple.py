"""Joints whose axes stand still in the body: fixed, revolute, prismatic, helical, cylindrical."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.joints.base import Coordinates, Joint, pure_rotation, pure_translation, wrench_units
from armillary.scalar import Scalar
from armillary.spatial import Force, ForceSpace, Matrix, Motion, MotionSpace, Transform, Vector
from armillary.spatial.rotation import about_z


class Fixed(Joint):
    """No freedom: a weld that keeps its body's name, frame and reaction."""

    kind = "fixed"

    def transform(self, q: Coordinates) -> Transform:
        return Transform.identity()

    def motion_space(self, q: Coordinates) -> MotionSpace:
        return MotionSpace([])

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        return wrench_units(0, 1, 2, 3, 4, 5)


class Revolute(Joint):
    """One angle about z, unbounded."""

    kind = "revolute"
    coordinates = ("angle",)
    units = ("rad",)
    nq = nv = 1

    def transform(self, q: Coordinates) -> Transform:
        return Transform(about_z(q[0]), Vector())

    def motion_space(self, q: Coordinates) -> MotionSpace:
        return MotionSpace([pure_rotation(z=1)])

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        return wrench_units(0, 1, 3, 4, 5)

    def bearing(self, f: Force) -> tuple[Sequence[Scalar], ...]:
        nx, ny, nz, fx, fy, fz = f.leaves()
        return (fx, fy), (fz,), (nx, ny), (nz,)


class Prismatic(Joint):
    """One translation along z."""

    kind = "prismatic"
    coordinates = ("translation",)
    units = ("m",)
    nq = nv = 1

    def transform(self, q: Coordinates) -> Transform:
        return Transform(Matrix.identity(), Vector(0, 0, q[0]))

    def motion_space(self, q: Coordinates) -> MotionSpace:
        return MotionSpace([pure_translation(z=1)])

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        return wrench_units(0, 1, 2, 3, 4)

    def bearing(self, f: Force) -> tuple[Sequence[Scalar], ...]:
        nx, ny, nz, fx, fy, fz = f.leaves()
        return (fx, fy), (0,), (nx, ny, nz), (fz,)


class Helical(Joint):
    """A screw about z: the angle q moves the body by pitch * q (pitch in m/rad)."""

    kind = "helical"
    coordinates = ("angle",)
    units = ("rad",)
    nq = nv = 1

    def __init__(self, pitch: Scalar):
        self.pitch = pitch

    def parameters(self) -> tuple[Scalar, ...]:
        return (self.pitch,)

    def with_parameters(self, values: Sequence[Scalar]) -> Helical:
        return Helical(*values)

    def transform(self, q: Coordinates) -> Transform:
        return Transform(about_z(q[0]), Vector(0, 0, self.pitch * q[0]))

    def motion_space(self, q: Coordinates) -> MotionSpace:
        return MotionSpace([Motion(Vector(0, 0, 1), Vector(0, 0, self.pitch))])

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        screw = Force(Vector(0, 0, -self.pitch), Vector(0, 0, 1))
        return ForceSpace([*wrench_units(0, 1, 3, 4), screw])

    def bearing(self, f: Force) -> tuple[Sequence[Scalar], ...]:
        nx, ny, nz, fx, fy, fz = f.leaves()
        return (fx, fy), (fz,), (nx, ny), (nz + self.pitch * fz,)


class Cylindrical(Joint):
    """An angle about z and a translation along z."""

    kind = "cylindrical"
    coordinates = ("angle", "translation")
    units = ("rad", "m")
    nq = nv = 2

    def transform(self, q: Coordinates) -> Transform:
        return Transform(about_z(q[0]), Vector(0, 0, q[1]))

    def motion_space(self, q: Coordinates) -> MotionSpace:
        return MotionSpace([pure_rotation(z=1), pure_translation(z=1)])

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        return wrench_units(0, 1, 3, 4)
