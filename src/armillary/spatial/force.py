"""Spatial force vectors (n; f): wrenches, momenta, and the spaces that constraint forces span."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

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

    def dot(self, motion: Any) -> Scalar:
        """Power of this force on a motion, both in one frame."""
        return motion.dot(self)

    def __repr__(self) -> str:
        return f"Force{self.leaves()}"


class Space:
    """Spanned by a few spatial vectors: its columns."""

    __slots__ = ("columns",)

    def __init__(self, columns: Sequence):
        self.columns = tuple(columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator:
        return iter(self.columns)

    def __getitem__(self, k: int) -> Any:
        return self.columns[k]

    @property
    def T(self) -> _Rows:
        return _Rows(self.columns)

    def _combine(self, coordinates: Sequence[Scalar], total: object) -> Any:
        for column, x in zip(self.columns, coordinates, strict=True):
            total = total + column * x
        return total


class ForceSpace(Space):
    """T, one wrench per constraint:  f = T @ multipliers."""

    __slots__ = ()

    def __matmul__(self, multipliers: Sequence[Scalar]) -> Force:
        return self._combine(multipliers, Force.zero())


class _Rows(Space):
    """S^T projects a force on each axis; T^T gives what of a motion each constraint forbids."""

    __slots__ = ()

    def __matmul__(self, other: Any) -> tuple[Scalar, ...]:
        return tuple(column.dot(other) for column in self.columns)
