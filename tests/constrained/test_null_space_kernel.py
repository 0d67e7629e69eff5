"""Equations solved by the null space in native code.  Oracles: fractions, LAPACK, and the laws that
define the answer: rows in least squares, balance along what they leave free."""

from fractions import Fraction

import numpy as np
import pytest

from armillary.constraints.null_space_kernel import solve_call
from armillary.constraints.nullspace import Factor, Scaling, answer, solve
from armillary.errors import SingularError
from armillary.evaluate import native_call
from compare import close

pytestmark = pytest.mark.skipif(not native_call.available(), reason="needs native calls")
TOLERANCE = 1e-9
SIZES = [(1, 1, 0), (3, 2, 1), (2, 5, 2), (6, 4, 4), (5, 9, 3), (12, 14, 9), (7, 7, 7), (4, 3, 0)]


def scaling(rng, m, n):
    """Turns and slides in a machine of 0.7 m."""
    sizes = np.array([0.7, 1.0])
    return Scaling(0.7, rng.choice(sizes, m), rng.choice(sizes, n))


def native(M, force, J, target, s, split=False):
    m, n = J.shape
    given = (M.ravel(), force, J.ravel(), target, *s.weights, np.array([TOLERANCE]))
    return solve_call(m, n, split)(*given)


def rows_of_rank(rng, m, n, r):
    """(J, C): the first r rows are independent whole numbers, the others C times those."""
    own = rng.integers(-3, 4, (r, n)) + 5 * np.eye(r, n)
    C = rng.integers(-2, 3, (max(m - r, 0), r))
    return np.concatenate([own, C @ own])[:m].astype(float), C.astype(float)


def exactly(M, force, own, target):
    """a and M a - force in fractions, of independent rows."""
    n, r = len(M), len(own)
    A = [[Fraction(x) for x in row] for row in np.block([[M, own.T], [own, np.zeros((r, r))]])]
    b = [Fraction(x) for x in np.concatenate([force, target])]
    for k in range(n + r):
        pivot = max(range(k, n + r), key=lambda i: abs(A[i][k]))
        A[k], A[pivot], b[k], b[pivot] = A[pivot], A[k], b[pivot], b[k]
        for i in range(n + r):
            if i != k and A[i][k]:
                share = A[i][k] / A[k][k]
                A[i] = [x - share * y for x, y in zip(A[i], A[k], strict=True)]
                b[i] -= share * b[k]
    a = [b[k] / A[k][k] for k in range(n)]
    held = [sum(Fraction(m) * x for m, x in zip(row, a, strict=True)) for row in M]
    carried = [float(x - Fraction(f)) for x, f in zip(held, force, strict=True)]
    return np.array([float(x) for x in a]), np.array(carried)


@pytest.mark.parametrize("heavy", [0, 4])
@pytest.mark.parametrize("size", SIZES)
def test_against_fractions(size, heavy):
    """Redundant rows that agree; with masses up to 1e8 times those of others."""
    m, n, r = size
    rng = np.random.default_rng([*size, heavy])
    J, C = rows_of_rank(rng, m, n, r)
    half = rng.integers(-2, 3, (n, n)) + 4.0 * np.eye(n)
    masses = 10.0 ** rng.integers(-heavy, heavy + 1, n)
    M = (half @ half.T) * np.outer(masses, masses)
    force, s = rng.integers(-9, 10, n) * masses, scaling(rng, m, n)
    target = np.concatenate([t := rng.integers(-9, 10, r).astype(float), C @ t])
    a, carried = exactly(M, force, J[:r], target[:r])
    found = answer(M, force, J, target, s, TOLERANCE)
    assert found.factor.rank == r
    np.testing.assert_allclose(found.a, a, rtol=1e-10, atol=1e-12 * np.abs(a).max(initial=0.0))
    pushed = J.T @ found.multipliers
    sizes = np.abs(J).T @ np.abs(found.multipliers) + np.abs(M) @ np.abs(a) + np.abs(force)
    assert (np.abs(pushed - carried) <= 1e-14 * sizes.max(initial=0.0) + 1e-12 * sizes).all()
    close(found.residual, np.zeros(m), 1e-12 * max(1.0, np.abs(target).max(initial=0.0)))
    # no self-stress makes them smaller, in scaled units
    stress = np.concatenate([-C.T, np.eye(m - r)]) if r else np.eye(m)
    weighed = stress.T @ (found.multipliers / s.rows**2)
    assert np.abs(weighed).max(initial=0.0) <= 1e-10 * np.abs(found.multipliers).max(initial=1.0)


@pytest.mark.parametrize("agree", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_against_lapack(size, agree):
    """Rows that contradict each other give the least-squares motion."""
    m, n, r = size
    rng = np.random.default_rng([*size, agree])
    J, s = rng.normal(size=(m, r)) @ rng.normal(size=(r, n)), scaling(rng, m, n)
    half = rng.normal(size=(n, n))
    M, force = half @ half.T + 0.1 * np.eye(n), rng.normal(size=n)
    target = J @ rng.normal(size=n) if agree else rng.normal(size=m)
    expected = solve(M, force, Factor(J, s, TOLERANCE, native=False), target)
    found = answer(M, force, J, target, s, TOLERANCE)
    assert found.factor.rank == expected.factor.rank == r
    for name in ("a", "multipliers", "residual"):
        close(getattr(found, name), getattr(expected, name), 1e-9, name)
    off = s.scaled(J).T @ (s.rows * found.residual)
    close(off, np.zeros(n), 1e-10)
    close(found.factor.free.T @ (M @ found.a - force), np.zeros(n - r), 1e-10)


@pytest.mark.parametrize("size", SIZES)
def test_answers_to_other_right_sides(size):
    """P: J P is the identity on what rows can do; R: N (N^T M N)^-1 N^T."""
    m, n, r = size
    rng = np.random.default_rng(size)
    J, s = rng.normal(size=(m, r)) @ rng.normal(size=(r, n)), scaling(rng, m, n)
    half = rng.normal(size=(n, n))
    M, force, x = half @ half.T + 0.1 * np.eye(n), rng.normal(size=n), rng.normal(size=n)
    a, multipliers, P_turned, R, (rank, _), Q_turned = native(M, force, J, J @ x, s, split=True)
    assert rank == r
    one = answer(M, force, J, J @ x, s, TOLERANCE)
    close(a, one.a, 1e-12)
    close(multipliers, one.multipliers, 1e-10)
    scaled = np.linalg.pinv(s.scaled(J), rcond=1e-9)
    close(P_turned.T, s.weights[1][:, None] * scaled * s.rows, 1e-9)
    N = s.columns[:, None] * np.linalg.svd(s.scaled(J))[2][r:].T
    close(R, N @ np.linalg.solve(N.T @ M @ N, N.T), 1e-9)
    close(np.abs(Q_turned[r:] @ (N / s.columns[:, None])), np.eye(n - r), 1.0)
    close(J @ (s.columns[:, None] * Q_turned[r:].T), np.zeros((m, n - r)), 1e-12)


def test_light_motions_beside_heavy_ones():
    """Coordinates that hardly move are none of their own: a basis with entries beyond 100 is given
    up, and the answer stays that of LAPACK."""
    J, s = np.array([[1.0, 1e-4, 0.0]]), Scaling(1.0, np.ones(1), np.ones(3))
    M = np.diag([1e8, 1e-4, 1.0])
    expected = solve(M, np.ones(3), Factor(J, s, TOLERANCE, native=False), np.zeros(1))
    found = answer(M, np.ones(3), J, np.zeros(1), s, TOLERANCE)
    np.testing.assert_allclose(found.a, expected.a, rtol=1e-12)


def test_small_rows_are_kept_as_well_as_large_ones():
    """Rows of size 1e-6 beside others: what rounding leaves of them is of their own size."""
    rng = np.random.default_rng(6)
    sizes = 10.0 ** np.array([0.0, -6.0, -3.0, -6.0])
    J, s = sizes[:, None] * rng.normal(size=(4, 7)), Scaling(1.0, np.ones(4), np.ones(7))
    x = rng.normal(size=7)
    found = answer(np.eye(7), rng.normal(size=7), J, J @ x, s, TOLERANCE)
    assert found.factor.rank == 4
    assert (np.abs(found.residual) <= 3e-16 * sizes * np.abs(x).sum()).all()


@pytest.mark.parametrize("noise", [0.0, 4e-16, -4e-16])
def test_motions_without_inertia_are_left_to_the_error(noise):
    J, s = np.array([[1.0, 1.0]]), Scaling(1.0, np.ones(1), np.ones(2))
    M, push = np.array([[1.0, 1.0], [1.0, 1.0 + noise]]), np.array([1.0, -1.0])
    assert native(M, push, J, np.zeros(1), s) is None
    with pytest.raises(SingularError, match="second"):
        answer(M, push, J, np.zeros(1), s, TOLERANCE, ("first", "second"))
    three = np.array([[1.0, 1, 1], [1, 1, 1], [1, 1, 1]]) + np.diag([0.0, 0.5, 0.5])
    wide = Scaling(1.0, np.ones(1), np.ones(3))
    assert native(three, np.ones(3), np.zeros((1, 3)), np.zeros(1), wide) is not None
    three[2] = three[:, 2] = three[1]  # the difference of two of them weighs nothing
    three[2, 2] = three[1, 1] * (1.0 + 2.0 * abs(noise))
    assert native(three, np.ones(3), np.zeros((1, 3)), np.zeros(1), wide) is None


@pytest.mark.parametrize("where", ["M", "force", "J", "target"])
def test_numbers_that_are_not_finite_give_none(where):
    given = {"M": np.eye(3), "force": np.ones(3), "J": np.eye(2, 3), "target": np.ones(2)}
    s = Scaling(1.0, np.ones(2), np.ones(3))
    assert native(*given.values(), s) is not None
    given[where].flat[-1] = np.nan
    assert native(*given.values(), s) is None
