"""A point on a profile: a road, a rail or a cam, z = h(x) in frame 1 and the same for every y."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from armillary.joints.closures import OnPlane, push
from armillary.scalar import Scalar, where
from armillary.spatial import Force, Transform, Vector

_NUMBERS = 5  # of a piece: where it begins, and h = c0 + c1 u + c2 u² + c3 u³ from there on


class OnProfile(OnPlane):
    """The origin of 2 stays on z = h(x) of 1:  z' = h' x',  z'' - h' x'' = h'' x'².

    pieces: five numbers for each, x rising; level before the first one.  The row is not of unit
    length: its multiplier is the force along z of 1, the force along x is -h' of it."""

    def __init__(self, pieces: Sequence[Scalar]):
        self.pieces = tuple(pieces)

    def parameters(self) -> tuple[Scalar, ...]:
        return self.pieces

    def with_parameters(self, values: Sequence[Scalar]) -> OnProfile:
        return OnProfile(values)

    def height(self, x: Scalar) -> tuple[Scalar, Scalar]:
        """h and h' at x."""
        start, c0 = self.pieces[:2]
        c1: Scalar = 0.0
        c2: Scalar = 0.0
        c3: Scalar = 0.0
        for k in range(0, len(self.pieces), _NUMBERS):
            own = self.pieces[k : k + _NUMBERS]
            inside = x >= own[0]
            start, c0, c1, c2, c3 = (
                where(inside, new, old)
                for new, old in zip(own, (start, c0, c1, c2, c3), strict=True)
            )
        u = x - start
        return c0 + u * (c1 + u * (c2 + u * c3)), c1 + u * (c2 * 2.0 + u * c3 * 3.0)

    def wrenches(self, X: Transform) -> list[Force]:
        _, slope = self.height(X.r.x)
        return [push(X.E @ Vector(slope * -1, 0, 1))]

    def residual(self, X: Transform) -> list[Scalar]:
        return [X.r.z - self.height(X.r.x)[0]]


def smooth_pieces(rows: Sequence[tuple[float, float]]) -> list[float]:
    """Pieces of the cubic spline through rows (x, z), level at both ends and beyond them.

    Slopes m with continuous curvature:  m₋/h₋ + 2 m (1/h₋ + 1/h) + m₊/h = 3 (d₋/h₋ + d/h)."""
    x, z = zip(*rows, strict=True)
    h = [b - a for a, b in pairwise(x)]
    d = [(b - a) / step for (a, b), step in zip(pairwise(z), h, strict=True)]
    m = _slopes(h, d)
    pieces: list[float] = []
    for k, step in enumerate(h):
        bend = (3.0 * d[k] - 2.0 * m[k] - m[k + 1]) / step
        pieces += [x[k], z[k], m[k], bend, (m[k] + m[k + 1] - 2.0 * d[k]) / step**2]
    return [*pieces, x[-1], z[-1], 0.0, 0.0, 0.0]


def _slopes(h: Sequence[float], d: Sequence[float]) -> list[float]:
    """Zero at both ends; the others by elimination of the three diagonals."""
    right: list[float] = [0.0]  # of the rows that are eliminated: m = value - factor m₊
    factor: list[float] = [0.0]
    for k in range(1, len(h)):
        before, after = 1.0 / h[k - 1], 1.0 / h[k]
        pivot = 2.0 * (before + after) - before * factor[-1]
        factor.append(after / pivot)
        known = 3.0 * (d[k - 1] * before + d[k] * after)
        right.append((known - before * right[-1]) / pivot)
    m = [0.0] * (len(h) + 1)
    for k in range(len(h) - 1, 0, -1):
        m[k] = right[k] - factor[k] * m[k + 1]
    return m
