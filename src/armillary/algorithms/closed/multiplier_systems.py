"""Linear systems of the multipliers: rows that are independent, and rows that need not be."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.closed.constraint_rows import Row
from armillary.algorithms.closed.embedding import Pivot
from armillary.algorithms.sparse import SparseLDL, SparseRows, product, put, times
from armillary.scalar import Scalar

MU = 1e-12  # of rows of size 1
UNSOLVED = 1e-10  # of a probe by one refinement: rows of condition 1e4 leave less behind


class Transposed:
    """J_D = L U by the pivots of an embedding, D their degrees of freedom; solves J_D^T λ = r_D."""

    def __init__(self, pivots: Sequence[Pivot], lines: Sequence[Row]):
        self.pivots = pivots
        rows = [dict(line) for line in lines]
        self.upper: list[Row] = []  # U: rows after elimination, without the pivots
        self.factors: list[list[tuple[int, Scalar]]] = []  # L: what was taken off later rows
        self.inverses: list[Scalar] = []
        self.growth: Scalar = 0
        for k, pivot in enumerate(self.pivots):
            row = rows[pivot.row]
            inverse = 1.0 / row.pop(pivot.dof)
            taken: list[tuple[int, Scalar]] = []
            for later in self.pivots[k + 1 :]:
                other = rows[later.row]
                if pivot.dof in other:
                    factor = other.pop(pivot.dof) * inverse
                    taken.append((later.row, factor))
                    for dof, x in row.items():
                        other[dof] = other.get(dof, 0) - factor * x
            self.inverses.append(inverse)
            self.upper.append(row)
            self.factors.append(taken)
            share = inverse * pivot.typical
            self.growth = self.growth + share * share

    def solve(self, r: Sequence[Scalar]) -> list[Scalar]:
        """U^T z = r_D from the first pivot to the last, then L^T λ = z back."""
        left = list(r)
        z: list[Scalar] = [0] * len(self.pivots)
        for pivot, inverse, row in zip(self.pivots, self.inverses, self.upper, strict=True):
            z[pivot.row] = left[pivot.dof] * inverse
            for dof, x in row.items():
                left[dof] = left[dof] - x * z[pivot.row]
        for pivot, taken in zip(reversed(self.pivots), reversed(self.factors), strict=True):
            for later, factor in taken:
                z[pivot.row] = z[pivot.row] - factor * z[later]
        return z


class SaddleSystem:
    """H λ + J y = g,  J^T λ = r: H positive definite, J with rows that may depend on each other."""

    def __init__(self, H: SparseRows, lines: Sequence[Row], dofs: int):
        self.H, self.lines = H, lines
        self.columns = [
            {k: line[dof] for k, line in enumerate(lines) if dof in line} for dof in range(dofs)
        ]
        damped = [dict(row) for row in H]
        for column in self.columns:
            for i, x in column.items():
                for k, y in column.items():
                    if k <= i:
                        put(damped, i, k, damped[i].get(k, 0) + x * y * (1.0 / MU))
        self.factor = SparseLDL(damped, fewest_first(damped))

    def solve(
        self, g: Sequence[Scalar], r: Sequence[Scalar], refinements: int
    ) -> tuple[list[Scalar], list[Scalar]]:
        """λ and its last correction."""
        found, y = [0] * len(g), [0] * len(r)
        step: list[Scalar] = []
        for turn in range(refinements + 1):
            if turn:
                Hx, Jy = times(self.H, found), [product(line, y) for line in self.lines]
                first = [a - b - c for a, b, c in zip(g, Hx, Jy, strict=True)]
                second = [b - product(c, found) for b, c in zip(r, self.columns, strict=True)]
            else:
                first, second = list(g), list(r)
            pushed = [x * (1.0 / MU) for x in second]
            right = [x + product(line, pushed) for x, line in zip(first, self.lines, strict=True)]
            step, _ = self.factor.solve(right)
            found = [x + dx for x, dx in zip(found, step, strict=True)]
            left = [x - product(c, step) for x, c in zip(second, self.columns, strict=True)]
            y = [x - dx * (1.0 / MU) for x, dx in zip(y, left, strict=True)]
        return found, step

    def unsolved(self) -> Scalar:
        """Σ (J^T λ)² that a probe leaves after one refinement: nothing along rows of any size and
        along rows that depend on others, something in between."""
        some = [1.0 / (1.0 + k % 3) for k in range(len(self.lines))]
        x, _ = self.factor.solve(some)
        left = [product(column, x) * (1.0 / MU) for column in self.columns]
        step, _ = self.factor.solve([product(line, left) for line in self.lines])
        x = [a - b for a, b in zip(x, step, strict=True)]
        total: Scalar = 0
        for column in self.columns:
            part = product(column, x) * (1.0 / UNSOLVED)
            total = total + part * part
        return total


def fewest_first(rows: SparseRows) -> list[int]:
    """Elimination order of a positive definite matrix: the row with the fewest neighbours next."""
    near = {k: set(row) - {k} for k, row in enumerate(rows)}
    order: list[int] = []
    while near:
        k = min(near, key=lambda i: (len(near[i]), i))
        others = near.pop(k)
        for i in others:
            near[i] = (near[i] | others) - {i, k}
        order.append(k)
    return order
