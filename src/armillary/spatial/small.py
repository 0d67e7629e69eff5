"""Small dense linear algebra over scalars: no pivots, no branches."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.scalar import Scalar, dot, sqrt, where

Rows = Sequence[Sequence[Scalar]]


class LDL:
    """A = L D L^T of a symmetric positive-definite matrix of any small size."""

    __slots__ = ("L", "inverse_D")

    def __init__(self, A: Rows):
        n = len(A)
        L: list[list[Scalar]] = [[0] * n for _ in range(n)]
        D: list[Scalar] = []
        self.inverse_D: list[Scalar] = []
        for j in range(n):
            scaled = [L[j][k] * D[k] for k in range(j)]
            d = A[j][j] - dot(L[j][:j], scaled)
            D.append(d)
            self.inverse_D.append(1.0 / d)
            for i in range(j + 1, n):
                L[i][j] = (A[i][j] - dot(L[i][:j], scaled)) * self.inverse_D[j]
        self.L = L

    def solve(self, b: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """x with A x = b."""
        n = len(b)
        y: list[Scalar] = []
        for i in range(n):
            y.append(b[i] - dot(self.L[i][:i], y))
        x: list[Scalar] = [y[i] * self.inverse_D[i] for i in range(n)]
        for i in reversed(range(n)):
            x[i] = x[i] - dot([self.L[k][i] for k in range(i + 1, n)], x[i + 1 :])
        return tuple(x)


def orthogonal_complement(columns: Rows, size: int) -> list[list[Scalar]]:
    """Orthonormal vectors orthogonal to the given ones: the rest of a Householder QR.

    The given columns (each of `size` scalars) must be independent."""
    return _turned(_reflectors(columns), range(len(columns), size), size)


def _reflectors(columns: Rows) -> list[list[Scalar]]:
    reflectors: list[list[Scalar]] = []
    for k, column in enumerate(columns):
        x = list(column)
        for w in reflectors:
            x = _reflect(w, x)
        tail = x[k:]
        norm = sqrt(dot(tail, tail))
        away = where(tail[0] < 0, norm, -norm)
        w = [0] * k + [tail[0] - away, *tail[1:]]
        scale = 1.0 / sqrt(dot(w, w))
        reflectors.append([x * scale for x in w])
    return reflectors


def _turned(reflectors: Rows, numbers: Sequence[int], size: int) -> list[list[Scalar]]:
    """Some columns of Q."""
    found = []
    for k in numbers:
        unit: list[Scalar] = [0] * size
        unit[k] = 1
        for w in reversed(reflectors):
            unit = _reflect(w, unit)
        found.append(unit)
    return found


def _reflect(w: Sequence[Scalar], x: Sequence[Scalar]) -> list[Scalar]:
    """(1 - 2 w w^T) x."""
    twice = dot(w, x) * 2
    return [a - b * twice for a, b in zip(x, w, strict=True)]


def length(components: Sequence[Scalar]) -> Scalar:
    """sqrt(x² + y² + ...), with the slope 0 where all are 0; of one number its absolute value."""
    if len(components) == 1:
        x = components[0]
        return where(x < 0, -x, x)
    square = dot(components, components)
    some = square > 0
    return where(some, sqrt(where(some, square, 1.0)), 0.0)
