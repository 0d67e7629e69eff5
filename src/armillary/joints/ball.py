"""Joints with a quaternion: spherical and free."""

from __future__ import annotations

from armillary.joints.base import Coordinates, Joint, wrench_units
from armillary.joints.left_jacobian import se3_arm, se3_arm_inverse
from armillary.scalar import Scalar
from armillary.spatial import ForceSpace, Motion, MotionSpace, Transform, Vector
from armillary.spatial.rotation import (
    from_quaternion,
    normalized,
    quaternion_exp,
    quaternion_log,
    quaternion_product,
)


class Spherical(Joint):
    """A ball joint: q = quaternion (w, x, y, z) of the body in the joint frame, v = ω in B."""

    kind = "spherical"
    coordinates = ("w", "x", "y", "z")
    units = ("rad", "rad", "rad")
    nq, nv = 4, 3

    def transform(self, q: Coordinates) -> Transform:
        return Transform(from_quaternion(q), Vector())

    def motion_space(self, q: Coordinates) -> MotionSpace:
        return _unit_motions(3)

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        return wrench_units(3, 4, 5)

    def neutral(self) -> tuple[Scalar, ...]:
        return (1.0, 0.0, 0.0, 0.0)

    def integrate(self, q: Coordinates, step: Coordinates) -> tuple[Scalar, ...]:
        return normalized(quaternion_product(q, quaternion_exp(Vector(*step))))

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        return quaternion_log(normalized(quaternion_product(_conjugate(q0), q1))).leaves()

    def rate(self, q: Coordinates, v: Coordinates) -> tuple[Scalar, ...]:
        return tuple(x * 0.5 for x in quaternion_product(q, (0, *v)))


class Free(Joint):
    """A floating body: q = (w, x, y, z, px, py, pz), position in the joint frame; v = (ω; v) in
    B."""

    kind = "free"
    coordinates = ("w", "x", "y", "z", "px", "py", "pz")
    units = ("rad", "rad", "rad", "m", "m", "m")
    nq, nv = 7, 6

    def transform(self, q: Coordinates) -> Transform:
        return Transform(from_quaternion(q[:4]), Vector(*q[4:]))

    def motion_space(self, q: Coordinates) -> MotionSpace:
        return _unit_motions(6)

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        return ForceSpace([])

    def neutral(self) -> tuple[Scalar, ...]:
        return (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def integrate(self, q: Coordinates, step: Coordinates) -> tuple[Scalar, ...]:
        """The screw motion of constant body velocity: the exponential of SE(3)."""
        rotation, translation = Vector(*step[:3]), Vector(*step[3:])
        position = Vector(*q[4:]) + from_quaternion(q[:4]).T @ (se3_arm(rotation) @ translation)
        orientation = normalized(quaternion_product(q[:4], quaternion_exp(rotation)))
        return (*orientation, *position)

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        rotation = quaternion_log(normalized(quaternion_product(_conjugate(q0[:4]), q1[:4])))
        apart = from_quaternion(q0[:4]) @ (Vector(*q1[4:]) - Vector(*q0[4:]))
        return (*rotation, *(se3_arm_inverse(rotation) @ apart))

    def rate(self, q: Coordinates, v: Coordinates) -> tuple[Scalar, ...]:
        spin = tuple(x * 0.5 for x in quaternion_product(q[:4], (0, *v[:3])))
        return (*spin, *(from_quaternion(q[:4]).T @ Vector(*v[3:])))


def _unit_motions(n: int) -> MotionSpace:
    columns = []
    for k in range(n):
        leaves = [0] * 6
        leaves[k] = 1
        columns.append(Motion.from_leaves(leaves))
    return MotionSpace(columns)


def _conjugate(q: Coordinates) -> tuple[Scalar, ...]:
    w, x, y, z = q
    return (w, -x, -y, -z)
