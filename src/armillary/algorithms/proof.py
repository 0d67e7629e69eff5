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
    for entries, target in lines:
        total, squares = _sums({dof: (x, a[dof], None) for dof, x in entries.items()})
        lever = sum((x * reach[dof]) * (x * reach[dof]) for dof, x in sorted(entries.items()))
        rounding = lever * whole * (ROUNDING / RESIDUAL) ** 2
        doubt = _small(doubt, target - total, target * target + squares + rounding)
    balance = [_balance(f, M[j], a) for j, f in enumerate(force)]
    for motion in motions:
        doubt = _small(doubt, *_sums({dof: (x, *balance[dof]) for dof, x in motion.items()}))
    return doubt


def _balance(force: Scalar, row: dict[int, Scalar], a: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """What is left of the equation of motion of a degree of freedom (constraint forces are not in
    it), and the squares of its terms."""
    total, squares = _sums({dof: (x, a[dof], None) for dof, x in row.items()})
    return force - total, force * force + squares


def _sums(terms: dict[int, tuple[Scalar, Scalar, Scalar | None]]) -> tuple[Scalar, Scalar]:
    """Σ x y, and Σ x² y² or, where squares s are given instead of those of y, Σ x² s."""
    total: Scalar = 0
    squares: Scalar = 0
    for dof in sorted(terms):
        x, y, s = terms[dof]
        product = x * y
        total = total + product
        squares = squares + (product * product if s is None else x * x * s)
    return total, squares


def _small(doubt: Scalar, left: Scalar, squares: Scalar) -> Scalar:
    """The doubt, and not a number where what is left of an equation is not small against its
    terms."""
    return where(left * left <= squares * RESIDUAL**2, doubt, NAN)
