"""The exponential of small matrices, single or stacked."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array

_TERMS = 16
_SIZE = 0.25  # largest norm for the series


def expm(A: Array) -> Array:
    """e^A (..., n, n): the series [Yesiloglu2007, 4.24] of A / 2^s, squared s times."""
    norm = float(np.abs(A).sum(axis=-1).max(initial=0.0))
    if not np.isfinite(norm):
        return np.full_like(A, np.nan)
    squarings = max(0, int(np.ceil(np.log2(max(norm, 1e-300) / _SIZE))))
    A = A / 2.0**squarings
    one = np.eye(A.shape[-1])
    result = one + A / _TERMS
    for k in range(_TERMS - 1, 0, -1):  # 1 + A/1 (1 + A/2 (1 + ...))
        result = one + (A / k) @ result
    for _ in range(squarings):
        result = result @ result
    return result
