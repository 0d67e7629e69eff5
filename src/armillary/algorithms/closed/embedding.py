"""Dependent coordinates eliminated: accelerations in the null space of independent rows.

Each row of J is solved for one degree of freedom (sparse, in an order fixed at build).  With
x = g + N y, y the independent accelerations, the equations of motion shrink to
(N^T M N) y = N^T (f - M g)  [Yesiloglu2007, 5.39-5.44].  No inertia of a dependent coordinate is
ever divided by, so massless bodies do no harm.  The growth of pivots that become small is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.algorithms.sparse import SparseRows, common, product
from armillary.scalar import Scalar
from armillary.spatial.small import LDL

Row = dict[int, Scalar]


@dataclass(frozen=True)
class Pivot:
    """Row `row` (of the kept ones) is solved for degree of freedom `dof`."""

    row: int
    dof: int
    typical: float  # size of the pivot in the samples


@dataclass
class Embedding:
    """x = g + N y."""

    motions: list[Row]  # one column of N per independent degree of freedom
    given: list[Scalar]  # g
    pivot_growth: Scalar  # Σ (typical / pivot)²: large where a pivot became small


def embed(
    lines: Sequence[Row], gamma: Sequence[Scalar], pivots: Sequence[Pivot], n: int
) -> Embedding:
    """Solve the rows for their dependent degrees of freedom."""
    rows, right = [dict(line) for line in lines], list(gamma)
    inverses: list[Scalar] = []
    growth: Scalar = 0
    for k, pivot in enumerate(pivots):
        row = rows[pivot.row]
        inverse = 1.0 / row.pop(pivot.dof)
        inverses.append(inverse)
        growth = growth + (inverse * pivot.typical) * (inverse * pivot.typical)
        for later in pivots[k + 1 :]:
            other = rows[later.row]
            if pivot.dof not in other:
                continue
            factor = other.pop(pivot.dof) * inverse
            for dof, x in row.items():
                other[dof] = other.get(dof, 0) - factor * x
            right[later.row] = right[later.row] - factor * right[pivot.row]
    dependent = {pivot.dof for pivot in pivots}
    motion: dict[int, Row] = {k: {k: 1} for k in range(n) if k not in dependent}
    given: list[Scalar] = [0] * n
    for pivot, inverse in zip(reversed(pivots), reversed(inverses), strict=True):
        total = right[pivot.row]
        entries: Row = {}
        for dof in sorted(rows[pivot.row]):
            x = rows[pivot.row][dof]
            total = total - x * given[dof]
            for y, factor in motion[dof].items():
                entries[y] = entries.get(y, 0) - x * factor
        given[pivot.dof] = total * inverse
        motion[pivot.dof] = {y: value * inverse for y, value in entries.items()}
    columns = [
        {dof: motion[dof][y] for dof in range(n) if y in motion[dof]}
        for y in range(n)
        if y not in dependent
    ]
    return Embedding(columns, given, growth)


def reduced(
    M: SparseRows, force: Sequence[Scalar], state: Embedding
) -> tuple[list[Scalar], Scalar]:
    """Accelerations, and Σ (terms / pivot)² of the reduced mass matrix: large where pivots are
    what is left of large terms that cancel."""
    rest = [f - product(M[j], state.given) for j, f in enumerate(force)]
    H = reduced_inertia(M, state.motions)
    right = [product(column, rest) for column in state.motions]
    factor = LDL(H)
    y = factor.solve(right)
    growth: Scalar = 0
    for column, inverse in zip(state.motions, factor.inverse_D, strict=True):
        terms: Scalar = 0
        for dof, x in column.items():
            terms = terms + M[dof].get(dof, 0) * (x * x)
        growth = growth + (terms * inverse) * (terms * inverse)
    a = list(state.given)
    for column, value in zip(state.motions, y, strict=True):
        for dof, x in column.items():
            a[dof] = a[dof] + x * value
    return a, growth


def reduced_inertia(M: SparseRows, motions: Sequence[Row]) -> list[list[Scalar]]:
    """N^T M N of the columns of N."""
    moved = [[common(row, column) for row in M] for column in motions]
    H: list[list[Scalar]] = [[0] * len(motions) for _ in motions]
    for i, column in enumerate(motions):
        for k in range(i + 1):
            H[i][k] = H[k][i] = product(column, moved[k])
    return H
