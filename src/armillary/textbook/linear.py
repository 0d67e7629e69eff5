"""Linear systems whose rank is a result: bases, pseudo-inverses, leading variables, null space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.linalg import lstsq, norm, svd

from armillary.errors import ModelError
from armillary.evaluate.inputs import Array

RANK = 1e-10  # of the largest singular value: less counts as zero


def solve(A: Array, b: Array) -> Array:
    """A^-1 b."""
    return np.asarray(np.linalg.solve(A, b), float)


def split(A: Array, floor: float = 0.0) -> tuple[Array, Array]:
    """(U, N): orthonormal bases of the column space of A and of its complement, A^T N = 0.

    floor: what the largest singular value is at least, where A may be rounding only."""
    U, s, _ = svd(A, full_matrices=True)
    rank = int(np.sum(s > RANK * max(floor, s.max(initial=0.0))))
    return U[:, :rank], U[:, rank:]


def null_space(A: Array, floor: float = 0.0) -> Array:
    """Orthonormal basis N of A N = 0."""
    return split(A.T, floor)[1]


def rank_of(A: Array, floor: float = 0.0) -> int:
    return split(A, floor)[0].shape[1]


def smallest(A: Array, b: Array) -> Array:
    """The solution of A x = b of least norm; the nearest where there is none."""
    return np.asarray(lstsq(A, b, rcond=RANK)[0])


def pseudo_inverse(A: Array, floor: float = 0.0) -> Array:
    """A^-1, or the inverse on what A reaches; singular values below RANK of the floor are 0."""
    U, s, Vt = svd(A, full_matrices=False)
    keep = s > RANK * max(floor, s.max(initial=0.0))
    return np.asarray(Vt[keep].T / s[keep] @ U[:, keep].T, float)


def leading(A: Array, b: Array) -> Array:
    """A x = b with the free variables zero: what Gauss-Jordan elimination leaves, column by
    column from the left  [VanDerMerwe1995, 5.129, errata 0-33]."""
    work, size = A.copy(), float(np.abs(A).max(initial=0.0))
    row, columns = 0, []
    for k in range(A.shape[1]):
        if row == len(A):
            break
        pivot = row + int(np.argmax(np.abs(work[row:, k])))
        if abs(work[pivot, k]) <= RANK * size:
            continue  # a free variable
        work[[row, pivot]] = work[[pivot, row]]
        work[row] /= work[row, k]
        others = np.arange(len(work)) != row
        work[others] -= np.outer(work[others, k], work[row])
        columns.append(k)
        row += 1
    x = np.zeros((A.shape[1], *b.shape[1:]))
    x[columns] = smallest(A[:, columns], b)
    return x


@dataclass(frozen=True)
class Motion:
    """Accelerations a and multipliers F of  M a = force - G^T F,  G a = target."""

    a: Array
    F: Array  # of least norm
    rank: int


def constrained_motion(M: Array, force: Array, G: Array, target: Array) -> Motion:
    """By the null space of G: M need not have an inverse, only what can move needs inertia."""
    N = null_space(G, floor=1.0)
    a_p = smallest(G, target)
    inertia = N.T @ M @ N
    if rank_of(inertia) < len(inertia):
        raise ModelError(
            "a motion that the constraints allow moves nothing with inertia, so its acceleration "
            "is undefined. Give a body that takes part in it a mass, or lock a joint."
        )
    a = a_p + N @ solve(inertia, N.T @ (force - M @ a_p)) if N.size else a_p
    F = smallest(G.T, force - M @ a)
    return Motion(a, F, len(M) - N.shape[1])


def orthonormal(phi: Array) -> bool:
    return bool(norm(phi.T @ phi - np.eye(phi.shape[1])) < 1e-12)
