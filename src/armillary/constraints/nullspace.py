"""The safest solution of one state: motion in the null space of the constraints.

Pivoted QR of the scaled J^T finds the rank and a basis N of the free motions; then N^T M N is
solved.  This stays exact next to singularities, with redundant rows, massless bodies and mass
ratios of 1e8, where Delassus matrices do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.null_space_kernel import decompose, solve_call
from armillary.errors import ModelError, NotFiniteError, SingularError
from armillary.evaluate.inputs import Array

RANK_TOLERANCE = 1e-9  # of scaled rows: less counts as dependent
_LOCKED = 1e-14  # of an inertia, which others take all of: what is left is rounding
_NEGATIVE = 1e-9  # of the largest inertia: less is rounding
_SHARE = 1e-7  # of a row in one that follows from others: less is rounding


@dataclass(frozen=True)
class Scaling:
    """Lengths made dimensionless with the size L of the machine: turns of 1 and slides of L
    count the same, so do moments of 1 and forces of 1/L."""

    length: float
    rows: Array  # (m,)  J_scaled = rows * J * columns / L
    columns: Array  # (n,)

    @classmethod
    def of(cls, length: float, row_units: tuple[str, ...], axis_units: tuple[str, ...]) -> Scaling:
        rows = np.array([length if unit == "rad" else 1.0 for unit in row_units])
        columns = np.array([length if unit == "m" else 1.0 for unit in axis_units])
        return cls(length, rows, columns)

    @cached_property
    def weights(self) -> tuple[Array, Array]:
        """Of rows (m) and columns (n): J_scaled is their product with J."""
        return self.rows, self.columns / self.length

    def scaled(self, J: Array) -> Array:
        """J (..., m, n) of all rows, without units."""
        rows, columns = self.weights
        return np.asarray(rows[:, None] * J * columns)

    def of_rows(self, chosen: NDArray[np.bool_ | np.intp]) -> Scaling:
        """That of some of the rows."""
        return Scaling(self.length, self.rows[chosen], self.columns)


def counted(pivots: Array, tolerance: float) -> int:
    """How many of the pivots (or singular values) of scaled rows count as independent.

    A row of a constraint that moves anything has size 1 in scaled units, whatever its type: where
    all pivots are smaller, they are not measured against each other but against 1.  Rows that the
    tree fulfils already are rounding, and rounding has no say."""
    return int(np.sum(pivots > tolerance * max(float(pivots.max(initial=0.0)), 1.0)))


class Factor:
    """Complete orthogonal decomposition of the scaled J: rank, free motions, self-stresses.

    J~ = P R2^T... : J~^T P = Q [R; 0], rank r by the diagonal of R, R_r^T = Q2 R2.  By native code
    (rank_kernel.py), or LAPACK where there is none, or rows are many."""

    _bound = np.inf  # of the condition
    _shares: Array | None = None  # of the rows in those that follow from others

    def __init__(
        self,
        J: Array,
        scaling: Scaling,
        tolerance: float,
        native: bool = True,
        found: Sequence[Array] | None = None,
    ):
        """found: what native code has found already."""
        self.J, self.scaling, self.tolerance = J, scaling, tolerance
        m, n = J.shape
        if m == 0 or n == 0:
            self.rank, self._Q, self._P = 0, np.eye(n), np.arange(m)
            self._R = np.zeros((n, m))
            return
        call = decompose(m, n) if native and found is None else None
        if call is not None:
            found = call(J.ravel(), *scaling.weights, np.array([tolerance]))
        if found is None:
            self._Q, self._R, self._P = _pivoted_qr(self.J_scaled.T)
            self.rank = counted(np.abs(self._R.diagonal()), tolerance)
            return
        (rank, self._bound), turned, R_turned, order, self._shares = found
        self._Q, self._R = turned.T, R_turned.T
        self.rank, self._P = int(rank), order.astype(np.intp)

    @cached_property
    def J_scaled(self) -> Array:
        scaled = self.scaling.scaled(self.J)
        if not np.isfinite(scaled).all():
            raise NotFiniteError(
                "the rows of the constraints are not finite numbers at this state: an angle beyond "
                "1e15 rad, a quaternion of zeros, or coordinates that overflow."
            )
        return scaled

    @cached_property
    def dependent(self) -> NDArray[np.bool_]:
        """(m,) rows that follow from others, or that others follow from."""
        if self._shares is not None:
            return np.asarray(self._shares > _SHARE)
        return np.asarray(np.abs(self.stress).max(axis=1, initial=0.0) > _SHARE)

    def condition_below(self, limit: float) -> bool:
        """Is the condition of the rows that count smaller?  A cheap bound often tells."""
        return self._bound < limit or self.condition < limit

    @cached_property
    def _reflected(self) -> tuple[Array, Array]:
        """R_r^T = Q2 R2: R2 in the upper half, and the reflections that make up Q2."""
        from scipy.linalg.lapack import dgeqrf

        lower = self._R[: self.rank].T.copy()
        for k in range(self.rank):
            lower[k, k + 1 :] = 0.0
        raw, scales, *_ = dgeqrf(lower)
        return raw, scales

    @cached_property
    def _rows(self) -> tuple[Array, Array]:
        """Q2, R2."""
        from scipy.linalg.lapack import dorgqr

        if not self.rank:
            return np.zeros((len(self._P), 0)), np.zeros((0, 0))
        raw, scales = self._reflected
        R2 = raw[: self.rank].copy()
        for k in range(1, self.rank):
            R2[k, :k] = 0.0
        return dorgqr(raw, scales)[0], R2

    @cached_property
    def singular_values(self) -> Array:
        """Of the scaled J, largest first."""
        return np.asarray(np.linalg.svd(self.J_scaled, compute_uv=False), float)

    @property
    def condition(self) -> float:
        """Largest over smallest singular value that counts; 1 without any."""
        values = self.singular_values[: self.rank]
        return float(values[0] / values[-1]) if len(values) else 1.0

    @cached_property
    def free(self) -> Array:
        """N (n, n - r): a basis of the motions the constraints allow."""
        return self.scaling.columns[:, None] * self._Q[:, self.rank :]

    @cached_property
    def stress(self) -> Array:
        """Z (m, m - r): multipliers that balance each other, J^T Z = 0 (scaled units)."""
        m = len(self._P)
        full = _complete(*self._reflected) if self.rank else np.eye(m)
        Z = np.zeros((m, m - self.rank))
        Z[self._P] = full[:, self.rank :]
        return Z

    def motion(self, target: Array) -> tuple[Array, Array]:
        """x with J x = target, smallest in scaled units; and the residual of each row.  target (m,)
        or (m, k): k at once."""
        x = self._motion(target)
        # one refinement: the rounding of y is seen by rows of very different size
        x = x + self._motion(target - self.J @ x)
        return x, target - self.J @ x

    def _motion(self, target: Array) -> Array:
        s = self.scaling
        Q2, R2 = self._rows
        y = _solve(R2, Q2.T @ _times(s.rows / s.length, target)[self._P])
        return _times(s.columns, self._Q[:, : self.rank] @ y)

    def multipliers(self, force: Array) -> Array:
        """λ with J^T λ = force (n,) or (n, k), smallest in scaled units."""
        s = self.scaling
        Q2, R2 = self._rows
        z = _solve(R2.T, self._Q[:, : self.rank].T @ _times(s.columns, force))
        scaled = np.zeros((len(self._P), *force.shape[1:]))
        scaled[self._P] = Q2 @ z
        return _times(s.rows / s.length, scaled)


def _pivoted_qr(A: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """A[:, P] = Q R, Q (m, m), the upper half of what is given as R; as of scipy.linalg.qr, whose
    checks take longer than the work."""
    from scipy.linalg.lapack import dgeqp3

    R, P, scales, *_ = dgeqp3(A)
    return _complete(R, scales), R, P - 1


def orthonormal(A: Array) -> Array:
    """Orthonormal columns (B, n, k) that span those of A (B, n, k), n >= k: each along its own, as
    Gram and Schmidt have them."""
    if len(A) != 1 or not A.shape[2]:
        Q, R = np.linalg.qr(A)
        return np.asarray(Q * np.copysign(1.0, np.einsum("bii->bi", R))[:, None])
    from scipy.linalg.lapack import dgeqrf, dorgqr

    raw, scales, *_ = dgeqrf(A[0])
    return np.asarray(dorgqr(raw, scales)[0] * np.copysign(1.0, raw.diagonal()))[None]


def _complete(reflections: Array, scales: Array) -> Array:
    """Q (m, m) of reflections (m, n) as LAPACK keeps them."""
    from scipy.linalg.lapack import dorgqr

    m, n = reflections.shape
    if m > n:
        reflections = np.concatenate([reflections, np.zeros((m, m - n))], axis=1)
    return np.asarray(dorgqr(reflections[:, :m], scales)[0])


def _times(sizes: Array, x: Array) -> Array:
    """Every row of x (n,) or (n, k) by its size."""
    return np.asarray((sizes * x.T).T)


def _solve(A: Array, b: Array) -> Array:
    """By LU, triangular as A may be: threads are woken for other ways through several columns, and
    wait for each other where the machine is busy."""
    return np.asarray(np.linalg.solve(A, b), float) if len(A) else np.zeros(b.shape)


@dataclass(frozen=True)
class Answer:
    """One state solved."""

    a: Array  # (n,)
    multipliers: Array  # (m,), smallest in scaled units where they are not unique
    residual: Array  # (m,) target - J a: not zero where rows contradict each other
    factor: Factor
    fault: str = ""  # why the accelerations are undefined, and NaN; of one state of many


def answer(
    M: Array,
    force: Array,
    J: Array,
    target: Array,
    scaling: Scaling,
    tolerance: float,
    labels: tuple[str, ...] = (),
) -> Answer:
    """`solve` of rows J (m, n) along which their forces act, by one native call where there is one
    and the accelerations are defined."""
    call = solve_call(*J.shape)
    if call is not None:
        given = (M.ravel(), force, J.ravel(), target, *scaling.weights, np.array([tolerance]))
        if (found := call(*given)) is not None:
            a, multipliers, residual, *parts = found
            return Answer(a, multipliers, residual, Factor(J, scaling, tolerance, found=parts))
    return solve(M, force, Factor(J, scaling, tolerance), target, labels=labels)


def solve(
    M: Array,
    force: Array,
    factor: Factor,
    target: Array,
    G: Array | None = None,
    labels: tuple[str, ...] = (),
) -> Answer:
    """M a = force + G^T λ,  J a = target (least squares where that cannot be).  G: J by default.

    force (n,) and target (m,), or k of them as columns, where G is J."""
    a, residual = factor.motion(target)
    N = factor.free
    if G is not None:
        a, multipliers = _with_friction(M, force, factor, a, G)
        return Answer(a, multipliers, residual, factor)
    if N.shape[1]:
        N = _graded(N, M, factor.scaling)
        a = a + N @ _reduced(N, M, N.T @ (force - M @ a), labels)
        # refined once: the sum above cancels where constraints carry most of the force
        a = a + N @ _reduced(N, M, N.T @ (force - M @ a), labels)
    return Answer(a, factor.multipliers(M @ a - force), residual, factor)


def smallest(M: Array, factor: Factor, target: Array, labels: tuple[str, ...] = ()) -> Array:
    """x with J x = target and the least kinetic energy; target (m,) or (m, k)."""
    zero = np.zeros((len(M), *target.shape[1:]))
    try:
        if target.ndim == 1:
            return answer(M, zero, factor.J, target, factor.scaling, factor.tolerance, labels).a
        return solve(M, zero, factor, target, labels=labels).a
    except ModelError:  # a free motion without inertia costs nothing: it is not used
        size = np.maximum(np.diag(M), np.trace(M) / len(M) * 1e-3)
        return solve(M + 1e-9 * np.diag(size), zero, factor, target).a


def _graded(N: Array, M: Array, scaling: Scaling) -> Array:
    """The same motions, each with a coordinate of its own, heavy coordinates first.

    An orthonormal basis mixes what is heavy into every motion, and the light bodies drown in its
    rounding; here the motions of light bodies leave the heavy ones where they are."""
    from scipy.linalg import qr

    scaled = N / scaling.columns[:, None]
    weights = scaling.columns * np.sqrt(np.maximum(np.diag(M), 0.0))
    for weight in (weights + 1e-9 * weights.max(initial=0.0), np.ones(len(N))):
        own = qr((weight[:, None] * scaled).T, mode="r", pivoting=True)[1][: N.shape[1]]
        basis = np.linalg.solve(scaled[own].T, scaled.T).T
        size = np.abs(basis).max()
        if size < 100.0:  # else a heavy coordinate that hardly moves was taken for its own
            break
    basis[np.abs(basis) < 4e-16 * size] = 0.0
    basis[own] = np.eye(N.shape[1])
    return np.asarray(scaling.columns[:, None] * basis, float)


def inertia_sums(N: Array, M: Array) -> Array:
    """(..., k) what the inertias along the motions N (..., n, k) are sums of: Σ_i N_ik² |M_ii|.
    Where axes coincide the terms of N^T M N cancel, and a diagonal far below this is rounding."""
    diagonal = np.abs(np.einsum("...ii->...i", M))
    return np.asarray(np.einsum("...ik,...i->...k", N * N, diagonal))


def sound(M: Array) -> NDArray[np.bool_]:
    """(B,) which inertia matrices (B, n, n) leave no motion without inertia, but for rounding."""
    good = np.asarray(np.isfinite(M).all(axis=(1, 2)))
    size = np.sqrt(np.maximum(np.einsum("bii->bi", np.where(good[:, None, None], M, 0.0)), 0.0))
    good &= size.all(axis=1)
    rows = np.flatnonzero(good)
    scaled = M[rows] / (size[rows, :, None] * size[rows, None, :])
    good[rows] = np.linalg.eigvalsh(scaled).min(axis=1, initial=1.0) > _LOCKED
    return good


def _reduced(N: Array, M: Array, b: Array, labels: tuple[str, ...]) -> Array:
    """A y = b, A = N^T M N symmetric positive definite; scaled to a unit diagonal first."""
    A = N.T @ M @ N
    nothing = np.asarray(np.diag(A) <= _LOCKED * inertia_sums(N, M))
    size = np.sqrt(np.maximum(np.diag(A), 0.0))
    if nothing.any():
        k = int(np.argmin(np.where(nothing, np.diag(A), np.inf)))
        _undefined(N, k, labels, negative=A[k, k] < -_NEGATIVE * np.abs(A).max())
    scaled = A / np.outer(size, size)
    try:
        L = np.linalg.cholesky(scaled)
        sound = not len(L) or float(np.diag(L).min()) ** 2 > _LOCKED
    except np.linalg.LinAlgError:
        sound = False
    if not sound:
        values, vectors = np.linalg.eigh(scaled)
        motion = N @ (vectors[:, :1] / size[:, None])
        _undefined(motion, 0, labels, negative=values[0] < -_NEGATIVE)
    y = np.linalg.solve(L.T, np.linalg.solve(L, (b.T / size).T))
    return np.asarray((y.T / size).T)


def _undefined(N: Array, k: int, labels: tuple[str, ...], negative: bool) -> None:
    motion = np.abs(N[:, k])
    names = [labels[i] for i in np.argsort(-motion)[:3] if motion[i] > 0.1 * motion.max()]
    named = ", ".join(names) or "the mechanism"
    if negative:
        raise SingularError(
            f"the inertia along a free motion of {named} is negative, which no machine has, so its "
            f"acceleration is undefined. Correct the masses and moments of inertia that move with "
            f"it: `report` names bodies with a negative moment."
        )
    raise SingularError(
        f"nothing with inertia moves along a free motion of {named}, so its acceleration is "
        f"undefined. Give a body there a mass, or constrain the motion."
    )


def _with_friction(
    M: Array, force: Array, factor: Factor, a: Array, G: Array
) -> tuple[Array, Array]:
    """Forces that do not act along their rows (class II contacts): one least-squares system for
    the free motion and the multipliers."""
    N = factor.free
    size = np.sqrt(np.maximum(np.diag(M), np.abs(M).max() * 1e-12))
    A = np.concatenate([M @ N, -G.T], axis=1) / size[:, None]
    weights = np.abs(A).max(axis=0)
    weights[weights == 0.0] = 1.0
    y = np.linalg.lstsq(A / weights, (force - M @ a) / size, rcond=factor.tolerance)[0] / weights
    free = N.shape[1]
    return a + N @ y[:free], y[free:]
