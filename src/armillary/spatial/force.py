"""Spatial force vectors (n; f): wrenches and momenta."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.scalar import Scalar
from armillary.spatial.vector import Vector


class Force:
    """A wrench (moment about the frame's origin; force)  [VanDerMerwe1995, 2.3]."""

    __slots__ = ("angular", "linear")
    size = 6

    def __init__(self, angular: Vector, linear: Vector):
        self.angular, self.linear = angular, linear

    @classmethod
    def zero(cls) -> Force:
        return cls(Vector(), Vector())

    def leaves(self) -> tuple[Scalar, ...]:
        return self.angular.leaves() + self.linear.leaves()

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> Force:
        return cls(Vector(*leaves[:3]), Vector(*leaves[3:]))

    def __add__(self, o: Force) -> Force:
        return Force(self.angular + o.angular, self.linear + o.linear)

    def __sub__(self, o: Force) -> Force:
        return Force(self.angular - o.angular, self.linear - o.linear)

    def __neg__(self) -> Force:
        return Force(-self.angular, -self.linear)

    def __mul__(self, s: Scalar) -> Force:
        return Force(self.angular * s, self.linear * s)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"Force{self.leaves()}"
