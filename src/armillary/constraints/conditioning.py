"""Closures that are nearly singular, told by name with the condition number.

Where rows of J almost depend on each other, a small force along one motion takes a large force in
the constraints, and an error of the geometry comes back multiplied by the condition number: the
numbers are those of the model, but no machine has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.constraints.nullspace import Factor

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

NEARLY_SINGULAR = 1e5  # condition of the scaled rows, over their rank


def condition(factor: Factor) -> float:
    """Largest over smallest singular value that counts; 1 without any."""
    values = factor.singular_values[: factor.rank]
    return float(values[0] / values[-1]) if len(values) else 1.0


def nearness(equations: Equations, factor: Factor) -> str:
    """A remark where the closure is nearly singular, with the constraints it comes from; else
    empty."""
    size = condition(factor)
    if size < NEARLY_SINGULAR:
        return ""
    worst = np.abs(np.linalg.svd(factor.J_scaled, full_matrices=False)[0][:, factor.rank - 1])
    slices = equations.constraints.slices
    shares = {name: worst[rows].max(initial=0.0) for name, rows in slices.items()}
    limit = 0.3 * max(shares.values())
    names = [name for name in sorted(shares, key=lambda x: -shares[x]) if shares[name] > limit]
    named = ", ".join(f"'{name}'" for name in names[:4])
    return (
        f"the closure is nearly singular: condition number {size:.2g} of the rows of {named}. "
        f"Forces there may be very large, and errors of the geometry count {size:.2g} times in them"
    )
