"""Eigenvalues of a matrix whose entries are known to rounding, the zeros told apart.

A number is zero here where the rounding of the very rows and columns it stands in can make it, and
not because another one is large: stiff beside soft is the normal case.  So every matrix A comes
with its rounding E, entry by entry (rounding.py).

A free body has A = [0 1; 0 0] in every direction: double zeros without a basis of eigenvectors,
which rounding e turns into pairs ±√e.  Steps of elimination find them instead: the null space of A,
with rows and columns scaled so that E is about 1 in all of them, then that of what is left,

    S⁻¹ A S = [N X; 0 R]      N nilpotent, R without zero eigenvalues

S takes null vectors with an entry of their own and leaves all other coordinates as they are, so
that rows keep their size.  An eigenvalue s of R with the vectors x, y moves by no more than

    |y|ᵀ E |x| / |yᴴ x|

under that rounding, and is taken as  yᴴ R x / yᴴ x,  which the rounding of large entries elsewhere
does not reach.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array

_SWEEPS = 6  # of the scaling of rows and columns
_FAR_APART = 1e-6  # of the fastest rate
_BESIDE = 2.0**-20  # of a root
_SCALINGS = 3  # that are tried
_SAFE = 64.0  # singular values are known to so many parts of the rounding
_LARGEST_NOISE = 1e-3  # of a null vector: more cannot be rounding
Complex = NDArray[np.complex128]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class Staircase:
    """S (n, n), the transformed matrix T = [N X; 0 R] and its rounding, the number of zeros, and
    of them the first ones, which have eigenvectors."""

    S: Array
    T: Array
    E: Array
    zeros: int
    first: int

    @property
    def null(self) -> Array:
        """(n, first): A x = 0, each x with an entry 1 where all others have 0."""
        return self.S[:, : self.first]

    def others(self) -> tuple[Complex, Complex]:
        """Eigenvalues that are not zero, and their eigenvectors (n, ·) of A."""
        m = self.zeros
        roots, w = eigenvalues(self.T[m:, m:], self.E[m:, m:])
        N, X = self.T[:m, :m], self.T[:m, m:]
        shifts = (N - (s or 1.0) * np.eye(m) for s in roots)  # of a zero found late: any will do
        z = [np.linalg.solve(shift, -X @ w[:, k]) for k, shift in enumerate(shifts)]
        upper = np.array(z).T if m and len(roots) else np.zeros((m, len(roots)))
        return roots, self.S @ np.concatenate([upper, w])


def spectrum(A: Array, E: Array) -> Complex:
    """All eigenvalues of A with the rounding E, zeros first."""
    found = staircase(A, E)
    return np.concatenate([np.zeros(found.zeros, complex), found.others()[0]])


def staircase(A: Array, E: Array) -> Staircase:
    """Of a square matrix with the rounding E of its entries."""
    n = len(A)
    S, T, E, m, first = np.eye(n), A.copy(), E.copy(), 0, 0
    while m < n:
        found = _null(T[m:, m:], E[m:, m:])
        if found is None:
            break
        W, own = found
        count, rest = len(own), np.setdiff1d(np.arange(n - m), own)
        T[m:] = _other_rows(T[m:], W, own, rest)
        E[m:] = _other_rows(E[m:], -np.abs(W), own, rest)
        for X, Y in ((T, W), (E, np.abs(W)), (S, W)):
            X[:, m:] = np.concatenate([X[:, m:] @ Y, X[:, m + rest]], axis=1)
        T[m:, m : m + count] = 0.0
        first = first or count
        m += count
    return Staircase(S, T, E, m, first)


def _other_rows(rows: Array, W: Array, own: Places, rest: Places) -> Array:
    """S⁻¹ times them: own entries, and the others less what the null vectors have there."""
    return np.concatenate([rows[own], rows[rest] - W[rest] @ rows[own]])


def _null(A: Array, E: Array) -> tuple[Array, Places] | None:
    """Null vectors W (n, k) with W[own] = 1; None where there are none.

    Under any scaling a singular matrix within E of A has a small singular value: what only some
    scalings take for a zero is none."""
    rows, columns = even(E)
    count = len(A) + 1
    for _ in range(_SCALINGS):
        B, F = (rows[:, None] * X * columns for X in (A, E))
        left, values, right = np.linalg.svd(B)
        noise = float(np.linalg.norm(F, 2))
        fewer = int(np.sum(values <= noise))
        if not fewer:
            return None
        if fewer < count:
            count, found = fewer, (rows, columns, values, right, noise)
        if not noise:
            break
        inverse = np.abs((right.T / np.maximum(values, noise / _SAFE)) @ left.T)
        rows, columns = _against(rows, columns, inverse, F)
    rows, columns, values, right, noise = found
    null = columns[:, None] * right[len(A) - count :].T
    if count < len(A):  # what rounding mixes in
        share = min(noise / float(values[-count - 1]), _LARGEST_NOISE)
        null[np.abs(null) <= share * columns[:, None]] = 0.0
    return echelon(null, rows)


def _against(rows: Array, columns: Array, inverse: Array, F: Array) -> tuple[Array, Array]:
    """Factors under which |A⁻¹| E has equal row sums, by power iteration.  They are its greatest
    eigenvalue: below 1 no matrix within E of A is singular.  F: the scaled E."""
    size = np.ones(len(F))
    for _ in range(_SWEEPS):
        size = inverse @ (F @ size)
        size /= size.max()
    size = np.maximum(size, 1e-30)
    reached = F @ size
    return rows / np.where(reached > 0.0, reached, size), columns * size


def echelon(left: Array, rows: Array) -> tuple[Array, Places]:
    """The same span, each vector with an entry of its own, and their places."""
    found, own = left.T.copy(), list[int]()
    for k in range(len(found)):
        size = np.abs(found[k:]) * rows
        size[:, own] = 0.0
        i, j = divmod(int(np.argmax(size)), size.shape[1])
        found[[k, k + i]] = found[[k + i, k]]
        found[k] /= found[k, j]
        others = np.arange(len(found)) != k
        taken = np.outer(found[others, j], found[k])
        size = np.abs(found[others]) + np.abs(taken)
        found[others] -= taken
        found[others] = np.where(np.abs(found[others]) < 1e-12 * size, 0.0, found[others])
        found[:, j] = np.arange(len(found)) == k
        own.append(j)
    order = np.argsort(own)
    return found[order].T, np.array(own)[order]


def even(E: Array) -> tuple[Array, Array]:
    """Factors of rows and columns that bring the largest entry of each to 1 or a little below."""
    rows, columns = np.ones(len(E)), np.ones(len(E))
    for _ in range(_SWEEPS):
        for factors, axis in ((rows, 1), (columns, 0)):
            largest = (rows[:, None] * E * columns).max(axis=axis, initial=0.0)
            factors /= np.where(largest > 0.0, largest, 1.0)
    still = ~E.any(axis=1)  # nothing changes these: before all others they stand for themselves
    return np.where(still, np.max(rows * columns, initial=1.0) / columns, rows), columns


def eigenvalues(A: Array, E: Array) -> tuple[Complex, Complex]:
    """Of A with the rounding E, each part exactly zero that the rounding can make; and vectors."""
    if not len(A):
        return np.zeros(0, complex), np.zeros((0, 0), complex)
    left, right = _vectors(A)
    across = (left.conj() * right).sum(axis=0)
    roots = (left.conj() * (A @ right)).sum(axis=0) / across
    off = (np.abs(left) * (E @ np.abs(right))).sum(axis=0) / np.abs(across)
    real = np.where(np.abs(roots.real) <= off, 0.0, roots.real)
    imaginary = np.where(np.abs(roots.imag) <= off, 0.0, roots.imag)
    return real + 1j * imaginary, right.astype(complex)


def _vectors(A: Array) -> tuple[Complex, Complex]:
    """Left and right eigenvectors.  What `eig` loses is a part of the fastest rate: slow ones are
    those of A⁻¹, which are its fastest; and a step of inverse iteration takes those far away out
    of each."""
    from scipy.linalg import eig

    roots, left, right = eig(A, left=True, right=True)
    order = np.argsort(-np.abs(roots))
    size = np.abs(roots[order])
    if size[-1] >= _FAR_APART * size[0]:
        return left, right
    rows, columns = even(np.abs(A))
    inverse = columns[:, None] * np.linalg.inv(rows[:, None] * A * columns) * rows
    slow, *also = eig(inverse, left=True, right=True)
    gaps = size[1:] / np.maximum(size[:-1], np.finfo(float).tiny)
    k = 1 + int(np.argmin(np.where(size[1:] <= np.sqrt(size[0] * size[-1]), gaps, np.inf)))
    own = np.argsort(-np.abs(slow))[: len(A) - k]
    roots = np.concatenate([roots[order[:k]], 1.0 / slow[own]])
    pairs = [(left, also[0]), (right, also[1])]
    y, x = (np.hstack([one[:, order[:k]], other[:, own]]).astype(complex) for one, other in pairs)
    for j, s in enumerate(roots):
        near = rows[:, None] * (A - s * (1.0 + _BESIDE) * np.eye(len(A))) * columns
        with suppress(np.linalg.LinAlgError):  # so far apart that the shift is lost
            x[:, j] = columns * np.linalg.solve(near, rows * x[:, j])
            y[:, j] = rows * np.linalg.solve(near.conj().T, columns * y[:, j])
    return y / np.linalg.norm(y, axis=0), x / np.linalg.norm(x, axis=0)
