"""Spatial motion vectors (ω; v): velocities, accelerations, joint axes and the spaces they span."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.scalar import Scalar
from armillary.spatial.force import Force, Space
from armillary.spatial.vector import Vector


class Motion:
    """A motion (angular; linear), linear part of the frame's origin  [VanDerMerwe1995, 2.1]."""

    __slots__ = ("angular", "linear")
    size = 6

    def __init__(self, angular: Vector, linear: Vector):
        self.angular, self.linear = angular, linear

    @classmethod
    def zero(cls) -> Motion:
        return cls(Vector(), Vector())

    def leaves(self) -> tuple[Scalar, ...]:
        return self.angular.leaves() + self.linear.leaves()

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> Motion:
        return cls(Vector(*leaves[:3]), Vector(*leaves[3:]))

    def __add__(self, o: Motion) -> Motion:
        return Motion(self.angular + o.angular, self.linear + o.linear)

    def __sub__(self, o: Motion) -> Motion:
        return Motion(self.angular - o.angular, self.linear - o.linear)

    def __neg__(self) -> Motion:
        return Motion(-self.angular, -self.linear)

    def __mul__(self, s: Scalar) -> Motion:
        return Motion(self.angular * s, self.linear * s)

    __rmul__ = __mul__

    def dot(self, f: Force) -> Scalar:
        """Power of a force on this motion, both in one frame."""
        return self.angular.dot(f.angular) + self.linear.dot(f.linear)

    def cross(self, o: Motion) -> Motion:
        """v × m: rate of a motion m that is carried along by v."""
        return Motion(
            self.angular.cross(o.angular),
            self.angular.cross(o.linear) + self.linear.cross(o.angular),
        )

    def cross_force(self, f: Force) -> Force:
        """v ×* f: rate of a force f that is carried along by v."""
        return Force(
            self.angular.cross(f.angular) + self.linear.cross(f.linear),
            self.angular.cross(f.linear),
        )

    def classical(self, velocity: Motion) -> Motion:
        """Acceleration of the origin as a material point: a + (0; ω × v), from a spatial one."""
        return Motion(self.angular, self.linear + velocity.angular.cross(velocity.linear))

    def spatial(self, velocity: Motion) -> Motion:
        """The inverse of `classical`."""
        return Motion(self.angular, self.linear - velocity.angular.cross(velocity.linear))

    def __repr__(self) -> str:
        return f"Motion{self.leaves()}"


class MotionSpace(Space):
    """S, one motion per degree of freedom:  v_J = S @ v,  tau = S.T @ f."""

    __slots__ = ()

    def __matmul__(self, coordinates: Sequence[Scalar]) -> Motion:
        return self._combine(coordinates, Motion.zero())

    def leaves(self) -> tuple[Scalar, ...]:
        return tuple(x for column in self.columns for x in column.leaves())
