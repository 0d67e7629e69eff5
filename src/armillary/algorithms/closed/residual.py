"""The residual check: whether accelerations fulfil the equations they are to solve.

A correction that is small proves nothing next to a singularity; the residual of the true equations
does.  Squares are compared, so that no root is taken.

A *status* is a scalar: 0 where all checks so far passed, NaN where one failed.  Compiled code has
no output for it; `with_status` adds it to the results, so that a state that has not converged is
NaN (constraints/ladder.py reads the mark).
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.sparse import SparseRows
from armillary.scalar import Scalar, where

Row = dict[int, Scalar]
CONVERGED, UNCONVERGED = 0.0, float("nan")
ROUNDING = 1e-14
RESIDUAL = 1e-12  # of the terms of an equation


def with_status(values: Sequence[Scalar], status: Scalar) -> list[Scalar]:
    """The values, NaN where they have not converged."""
    return [value + status for value in values]


def residual_check(
    status: Scalar,
    M: SparseRows,
    force: Sequence[Scalar],
    lines: Sequence[tuple[Row, Scalar]],
    motions: Sequence[Row],
    a: Sequence[Scalar],
    scale: Sequence[float],
) -> Scalar:
    """The status after checking J a = target and, along the free motions N, N^T (force - M a) = 0.

    lines: rows of J with their targets; motions: columns of N; scale: 1 rad or the size of the
    machine, per degree of freedom."""
    whole = sum((x * (1.0 / size)) * (x * (1.0 / size)) for x, size in zip(a, scale, strict=True))
    noise = whole * (ROUNDING / RESIDUAL) ** 2  # what rounding of all may do to each of them
    for entries, target in lines:
        status = _small(status, *_residual(target, entries, a, scale, noise))
    balance = [_residual(f, M[j], a, scale, noise) for j, f in enumerate(force)]
    for motion in motions:
        residual: Scalar = 0
        squares: Scalar = 0
        for dof, x in sorted(motion.items()):
            residual, squares = residual + x * balance[dof][0], squares + x * x * balance[dof][1]
        status = _small(status, residual, squares)
    return status


def _residual(
    target: Scalar, row: Row, a: Sequence[Scalar], scale: Sequence[float], noise: Scalar
) -> tuple[Scalar, Scalar]:
    """target - Σ row a, and the squares of its terms, with rounding of all accelerations."""
    residual, squares = target, target * target
    for dof, x in sorted(row.items()):
        product, lever = x * a[dof], x * scale[dof]
        residual, squares = (
            residual - product,
            squares + (product * product + lever * lever * noise),
        )
    return residual, squares


def _small(status: Scalar, residual: Scalar, squares: Scalar) -> Scalar:
    """The status, unconverged where a residual is not small against the terms of its equation."""
    return where(residual * residual <= squares * RESIDUAL**2, status, UNCONVERGED)
