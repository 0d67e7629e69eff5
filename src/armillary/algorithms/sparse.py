"""Sparse symmetric equations over scalars, eliminated in a given order without pivots.

Entries that are structurally zero are not there; what elimination fills in is.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.scalar import Scalar

SparseRows = list[dict[int, Scalar]]


def symmetric_rows(size: int) -> SparseRows:
    return [{} for _ in range(size)]


def put(rows: SparseRows, i: int, j: int, value: Scalar) -> None:
    """Set entries (i, j) and (j, i), unless the value is structurally zero."""
    if type(value) is int and value == 0:
        return
    rows[i][j] = value
    rows[j][i] = value


def symmetric(matrix: Sequence[Sequence[Scalar]]) -> SparseRows:
    """The rows of a symmetric matrix, from its lower half."""
    rows = symmetric_rows(len(matrix))
    for i, row in enumerate(matrix):
        for k in range(i + 1):
            put(rows, i, k, row[k])
    return rows


def times(rows: SparseRows, x: Sequence[Scalar]) -> list[Scalar]:
    """A x."""
    return [product(row, x) for row in rows]


def product(row: dict[int, Scalar], x: Sequence[Scalar]) -> Scalar:
    """Σ row_j x_j over the entries that are there, in their order."""
    total: Scalar = 0
    for j in sorted(row):
        total = total + row[j] * x[j]
    return total


def common(row: dict[int, Scalar], column: dict[int, Scalar]) -> Scalar:
    """Σ row_j column_j over the entries that both have, in their order."""
    total: Scalar = 0
    for j in sorted(row.keys() & column.keys()):
        total = total + row[j] * column[j]
    return total


class SparseLDL:
    """A = L D L^T in the order `order`; `lower[k]` holds column k of L."""

    def __init__(self, rows: SparseRows, order: Sequence[int]):
        rest = [dict(row) for row in rows]
        self.order = tuple(order)
        self.lower: dict[int, dict[int, Scalar]] = {}
        self.inverse: dict[int, Scalar] = {}
        for k in self.order:
            row = rest[k]
            inverse = 1.0 / row.pop(k)
            others = sorted(row)
            column = {i: row[i] * inverse for i in others}
            for n, i in enumerate(others):
                del rest[i][k]
                for j in others[n:]:
                    value = rest[i].get(j, 0) - column[i] * row[j]
                    rest[i][j] = value
                    rest[j][i] = value
            self.lower[k], self.inverse[k] = column, inverse

    def solve(self, b: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """x with A x = b; and the intermediate D^-1 L^-1 b, which tells the size of the terms."""
        x = list(b)
        for k in self.order:
            for i, factor in self.lower[k].items():
                x[i] = x[i] - factor * x[k]
        x = [value * self.inverse[k] for k, value in enumerate(x)]
        intermediate = list(x)
        for k in reversed(self.order):
            for i, factor in self.lower[k].items():
                x[k] = x[k] - factor * x[i]
        return x, intermediate
