"""Rank, free motions and dependent rows by native code.  Oracles: singular values of numpy, and
what the words mean: orthogonality, products, null spaces."""

import numpy as np
import pytest

from armillary.constraints.null_space_kernel import decompose
from armillary.constraints.nullspace import Factor, Scaling
from armillary.evaluate import native_call

pytestmark = pytest.mark.skipif(not native_call.available(), reason="needs native calls")
TOLERANCE = 1e-9


def parts(A, tolerance=TOLERANCE, rows=None, columns=None):
    """(rank, bound, Q, R, P, shares) of A."""
    m, n = A.shape
    rows, columns = (
        (np.ones(m) if rows is None else rows),
        (np.ones(n) if columns is None else columns),
    )
    numbers, Q, R, P, shares = decompose(m, n)(A.ravel(), rows, columns, np.array([tolerance]))
    return int(numbers[0]), numbers[1], Q.T, R.T, P.astype(int), shares


def matrices():
    """Random ones of every rank, and structured ones: signs, units, equal rows, zeros."""
    rng = np.random.default_rng(8)
    for m, n, r in [
        (5, 3, 2),
        (12, 14, 9),
        (36, 30, 24),
        (12, 12, 12),
        (3, 9, 2),
        (9, 3, 3),
        (7, 7, 1),
    ]:
        yield r, rng.normal(size=(m, r)) @ rng.normal(size=(r, n))
    yield 0, np.zeros((4, 3))
    yield 1, np.ones((3, 5))
    yield 1, np.array([[0.0, -2.0, 0.0]])
    yield 1, np.array([[-3.0]])
    yield 3, -np.eye(3, 6)
    yield 2, np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    yield 4, np.kron(np.array([[1.0, 1.0], [1.0, -1.0], [2.0, 0.0]]), np.eye(2))
    yield 2, np.array([[1.0, 0.0, 0.0], [1.0, 1e-4, 0.0], [1.0, 0.0, 1e-12]])


@pytest.mark.parametrize("rank, A", list(matrices()))
def test_decomposition(rank, A):
    m, n = A.shape
    found, bound, Q, R, P, _ = parts(A)
    size = max(np.abs(A).max(), 1.0)
    assert found == rank
    assert sorted(P) == list(range(m))
    np.testing.assert_allclose(Q.T @ Q, np.eye(n), atol=1e-14)
    np.testing.assert_allclose(Q[:, :rank] @ R[:rank], A[P].T, atol=3e-9 * size)
    assert not np.tril(R[:rank, :rank], -1).any()
    pivots = np.abs(R.diagonal()[:rank])
    assert (np.diff(pivots) <= 1e-12 * size).all()
    np.testing.assert_allclose(A @ Q[:, rank:], 0.0, atol=3e-9 * size)
    values = np.linalg.svd(A, compute_uv=False)[:rank]
    if rank:
        condition = values[0] / values[-1]
        assert (
            (1.0 - 1e-12) * condition
            <= bound
            <= 1.0001 * min(m, n) * max(m, n) * 2.0**rank * condition
        )


@pytest.mark.parametrize("rank, A", list(matrices()))
def test_rows_that_have_to_do_with_others(rank, A):
    """Those with a part in a combination that vanishes: null space of A^T, by singular values."""
    left, values, _ = np.linalg.svd(A)
    null = left[:, int(np.sum(values > 1e-9)) :]
    expected = np.abs(null).max(axis=1, initial=0.0) > 1e-7
    assert ((parts(A)[5] > 1e-7) == expected).all()


def test_weights_and_tolerance():
    rng = np.random.default_rng(2)
    A, rows, columns = rng.normal(size=(4, 6)), rng.uniform(0.1, 9.0, 4), rng.uniform(0.1, 9.0, 6)
    weighted = rows[:, None] * A * columns
    for x, y in zip(parts(A, rows=rows, columns=columns), parts(weighted), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)
    small = np.diag([1e-3, 1e-4, 1e-8])  # measured against 1, not against each other
    assert [parts(small, t)[0] for t in (1e-9, 1e-6, 1e-3)] == [3, 2, 0]
    large = np.diag([1e3, 1e-4, 1e-8])
    assert [parts(large, t)[0] for t in (1e-9, 1e-12)] == [2, 3]


def test_numbers_that_are_none_have_no_answer():
    A = np.eye(3)
    A[1, 2] = np.nan
    assert decompose(3, 3)(A.ravel(), np.ones(3), np.ones(3), np.array([1e-9])) is None


def test_free_motions_do_not_depend_on_rounding():
    """Rows that follow from others are left alone: noise in them turns no basis."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(3, 8))
    doubled = np.concatenate([A, 0.5 * A])
    noisy = doubled + 1e-14 * rng.normal(size=doubled.shape)
    one, other = parts(doubled), parts(noisy)
    assert one[0] == other[0] == 3
    np.testing.assert_allclose(one[2][:, 3:], other[2][:, 3:], atol=1e-13)


@pytest.mark.parametrize("rank, A", list(matrices()))
def test_as_lapack_has_it(rank, A, monkeypatch):
    """The whole factor beside the one without native code: rank, condition, projections."""
    m, n = A.shape
    scaling = Scaling(0.7, np.linspace(0.5, 1.0, m), np.linspace(1.0, 0.6, n))
    native = Factor(A, scaling, TOLERANCE)
    monkeypatch.setattr("armillary.constraints.nullspace.decompose", lambda m, n: None)
    lapack = Factor(A, scaling, TOLERANCE)
    assert native.rank == lapack.rank == rank
    assert (native.dependent == lapack.dependent).all()
    target, force = A @ np.linspace(-1.0, 1.0, n), A.T @ np.linspace(1.0, 2.0, m)
    size = max(np.abs(A).max(), 1.0) * max(lapack.condition, 1.0)
    for x, y in (
        (native.free @ native.free.T, lapack.free @ lapack.free.T),
        (native.stress @ native.stress.T, lapack.stress @ lapack.stress.T),
        (native.motion(target)[0], lapack.motion(target)[0]),
        (native.multipliers(force), lapack.multipliers(force)),
    ):
        np.testing.assert_allclose(x, y, atol=1e-9 * size, rtol=1e-9)
    for limit in (1.5, 10.0, 1e3, 1e6):
        assert native.condition_below(limit) == (lapack.condition < limit)
