"""Whether accelerations fulfil the equations they are to solve: rows and balance of forces.

A correction that is small proves nothing next to a singularity; what is left of the true equations
does.  Squares are compared, so that no root is taken."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.sparse import SparseRows
from armillary.scalar import Scalar, where

Row = dict[int, Scalar]
NAN = float("nan")
ROUNDING = 1e-14
RESIDUAL = 1e-12  # of the terms of an equation


def proved(
    doubt: Scalar, M: SparseRows, force: Sequence[Scalar], lines: Sequence[tuple[Row, Scalar]],
    motions: Sequence[Row], a: Sequence[Scalar], reach: Sequence[float],
) -> Scalar:  # fmt: skip
    """The doubt, and not a number where J a = target or, along the free motions N,
    N^T (force - M a) = 0 does not hold.  lines: rows of J with their targets; motions: columns of
    N; reach: 1 rad or the size of the machine, per degree of freedom."""
    whole = sum((x * (1.0 / size)) * (x * (1.0 / size)) for x, size in zip(a, reach, strict=True))
    noise = whole * (ROUNDING / RESIDUAL) ** 2  # what rounding of all may do to each of them
    for entries, target in lines:
        doubt = _small(doubt, *_left(target, entries, a, reach, noise))
    balance = [_left(f, M[j], a, reach, noise) for j, f in enumerate(force)]
    for motion in motions:
        left: Scalar = 0
        squares: Scalar = 0
        for dof, x in sorted(motion.items()):
            left, squares = left + x * balance[dof][0], squares + x * x * balance[dof][1]
        doubt = _small(doubt, left, squares)
    return doubt


def _left(
    target: Scalar, row: Row, a: Sequence[Scalar], reach: Sequence[float], noise: Scalar
) -> tuple[Scalar, Scalar]:
    """target - Σ row a, and the squares of its terms, with rounding of all accelerations."""
    left, squares = target, target * target
    for dof, x in sorted(row.items()):
        product, lever = x * a[dof], x * reach[dof]
        left, squares = left - product, squares + (product * product + lever * lever * noise)
    return left, squares


def _small(doubt: Scalar, left: Scalar, squares: Scalar) -> Scalar:
    """The doubt, and not a number where what is left of an equation is not small against its
    terms."""
    return where(left * left <= squares * RESIDUAL**2, doubt, NAN)
