"""Eigenvalues that are exactly zero, told apart from rounding.

A free body has A = [0 1; 0 0] in every direction: double zeros without a basis of eigenvectors,
which rounding of size e turns into pairs ±√e.  Orthogonal steps find them instead: the null space
of A by singular values, then that of what is left, until nothing is,

    Qᵀ A Q = [N X; 0 R]      N nilpotent, R without zero eigenvalues
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array


@dataclass(frozen=True)
class Staircase:
    """Q (n, n) orthogonal, the transformed matrix, the number of zeros, and of them the first
    ones, which have eigenvectors."""

    Q: Array
    T: Array
    zeros: int
    first: int

    @property
    def null(self) -> Array:
        """(n, first): A x = 0."""
        return self.Q[:, : self.first]

    def others(self) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
        """Eigenvalues that are not zero, and their eigenvectors (n, ·) of A."""
        m = self.zeros
        roots, w = (x.astype(complex) for x in np.linalg.eig(self.T[m:, m:]))
        N, X = self.T[:m, :m], self.T[:m, m:]
        z = [np.linalg.solve(N - s * np.eye(m), -X @ w[:, k]) for k, s in enumerate(roots)]
        upper = np.array(z).T if m and len(roots) else np.zeros((m, len(roots)))
        return roots, self.Q @ np.concatenate([upper, w])


def staircase(A: Array, tolerance: float) -> Staircase:
    """Of a square matrix in units in which its entries are about 1."""
    n = len(A)
    Q, T, m, first = np.eye(n), A.copy(), 0, 0
    limit = tolerance * max(float(np.linalg.norm(A, 2)) if n else 0.0, 1e-300)
    while m < n:
        _, values, right = np.linalg.svd(T[m:, m:])
        count = int(np.sum(values <= limit))
        if not count:
            break
        V = np.concatenate([right[n - m - count :], right[: n - m - count]]).T
        T[m:] = V.T @ T[m:]
        T[:, m:] = T[:, m:] @ V
        T[m:, m : m + count] = 0.0
        Q[:, m:] = Q[:, m:] @ V
        first = first or count
        m += count
    return Staircase(Q, T, m, first)
