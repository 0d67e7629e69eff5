"""Spaces spanned by a few spatial vectors: joint axes and constraint forces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from armillary.scalar import Scalar
from armillary.spatial.force import Force
from armillary.spatial.motion import Motion


class _Space:
    __slots__ = ("columns",)

    def __init__(self, columns: Sequence):
        self.columns = tuple(columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator:
        return iter(self.columns)

    def __getitem__(self, k: int) -> Any:
        return self.columns[k]

    def _combine(self, coordinates: Sequence[Scalar], total: object) -> Any:
        for column, x in zip(self.columns, coordinates, strict=True):
            total = total + column * x
        return total


class MotionSpace(_Space):
    """S, one motion per degree of freedom:  v_J = S @ v,  tau = S.T @ f."""

    __slots__ = ()

    def __matmul__(self, coordinates: Sequence[Scalar]) -> Motion:
        return self._combine(coordinates, Motion.zero())

    def leaves(self) -> tuple[Scalar, ...]:
        return tuple(x for column in self.columns for x in column.leaves())

    @property
    def T(self) -> _Rows:
        return _Rows(self.columns)


class ForceSpace(_Space):
    """T, one wrench per constraint:  f = T @ multipliers."""

    __slots__ = ()

    def __matmul__(self, multipliers: Sequence[Scalar]) -> Force:
        return self._combine(multipliers, Force.zero())

    @property
    def T(self) -> _ForceRows:
        return _ForceRows(self.columns)


class _Rows:
    """S^T: projects a force on each axis."""

    __slots__ = ("columns",)

    def __init__(self, columns: tuple[Motion, ...]):
        self.columns = columns

    def __matmul__(self, f: Force) -> tuple[Scalar, ...]:
        return tuple(column.dot(f) for column in self.columns)


class _ForceRows(_Rows):
    """T^T: what of a motion each constraint forbids."""

    __slots__ = ()

    def __matmul__(self, m: Any) -> tuple[Scalar, ...]:
        return tuple(m.dot(column) for column in self.columns)
