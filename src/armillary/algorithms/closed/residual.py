"""The residual check: whether accelerations fulfil the equations they are to solve.

A correction that is small proves nothing next to a singularity; the residual of the true equations
does.  Squares are compared, so that no root is taken.

A *status* is a scalar: 0 where all checks so far passed, NaN where one failed.  Compiled code has
no output for it; `with_status` adds it to the results, so that a state that has not converged is
NaN (constraints/ladder.py reads the mark).
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.sparse import SparseRows, product
from armillary.scalar import Scalar, where

Row = dict[int, Scalar]
CONVERGED, UNCONVERGED = 0.0, float("nan")
ROUNDING = 1e-14
RESIDUAL = 1e-12  # of the terms of an equation
LEAST_SQUARES = 1e-13  # of the terms of all rows
CONTRADICTION = 1e-3  # of the terms of all rows: more than the digits of a file leave open


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
    noise = in_units(a, scale)
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


def fulfilled(
    status: Scalar,
    target: Scalar,
    row: Row,
    a: Sequence[Scalar],
    scale: Sequence[float],
    noise: Scalar,
    share: Scalar,
    size: float = 0.0,
) -> Scalar:
    """The status after checking one row, J a = target; share: the square of what it may be off, as
    a part of its terms; noise: the square of what is rounded in it.  size: of a row of its kind
    that moves something.  A row may vanish wherever the mechanism is closed (Sarrus' linkage does
    not tilt): what is left of it is rounding, and counts against that size, not itself."""
    residual, squares = _residual(target, row, a, scale, noise)
    allowed = squares * share + noise * (ROUNDING * size) ** 2
    return where(residual * residual <= allowed, status, UNCONVERGED)


def least_squares_check(
    status: Scalar,
    lines: Sequence[tuple[Row, Scalar]],
    a: Sequence[Scalar],
    scale: Sequence[float],
    mu: Sequence[float],
    reference: Scalar,
) -> Scalar:
    """The status after checking J^T (target - J a) / mu = 0: no motion comes nearer to the rows.

    Rows that contradict each other, as those of a loop that is open by the digits of its file, keep
    a residual that no motion takes away.  reference: the square of what is rounded in the rows."""
    sums: dict[int, Scalar] = {}
    terms: Scalar = 0
    for (entries, target), size in zip(lines, mu, strict=True):
        weight, norm = mu[0] / size, 0
        left = (target - product(entries, a)) * weight
        for dof, x in sorted(entries.items()):
            lever = x if scale[dof] == 1.0 else x * scale[dof]
            norm = norm + lever * lever
            sums[dof] = sums.get(dof, 0) + lever * left
        terms = terms + norm * (norm * reference + target * target) * weight**2
    total: Scalar = 0
    for dof in sorted(sums):
        total = total + sums[dof] * sums[dof]
    return where(total <= terms * LEAST_SQUARES**2, status, UNCONVERGED)


def agreement_check(
    lines: Sequence[tuple[Row, Scalar]],
    a: Sequence[Scalar],
    scale: Sequence[float],
    mu: Sequence[float],
    reference: Scalar,
) -> Scalar:
    """Unconverged where rows contradict each other by more than the digits of a file: their least
    squares are told of by the solver behind.  The arguments are those of `least_squares_check`."""
    clash: Scalar = 0
    terms: Scalar = 0
    for (entries, target), size in zip(lines, mu, strict=True):
        weight, norm = mu[0] / size, 0
        left = (target - product(entries, a)) * weight
        for dof, x in sorted(entries.items()):
            lever = x if scale[dof] == 1.0 else x * scale[dof]
            norm = norm + lever * lever
        clash = clash + left * left
        terms = terms + (norm * reference + target * target) * weight**2
    return where(clash <= terms * CONTRADICTION**2, CONVERGED, UNCONVERGED)


def in_units(values: Sequence[Scalar], scale: Sequence[float]) -> Scalar:
    """Σ (x / size)²: turns of 1 and slides of the machine's size count the same."""
    parts = [x * (1.0 / size) for x, size in zip(values, scale, strict=True)]
    return sum(x * x for x in parts)


def _residual(
    target: Scalar, row: Row, a: Sequence[Scalar], scale: Sequence[float], noise: Scalar
) -> tuple[Scalar, Scalar]:
    """target - Σ row a, and the squares of its terms, with rounding of all accelerations (noise:
    their squares)."""
    residual, squares = target, target * target
    noise = noise * (ROUNDING / RESIDUAL) ** 2  # what all may do to each of them
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
