"""What the compiled solvers accept is right: each check by itself, on equations so small that their
solution is known (closed forms, fractions).  Where a check is taken away, one of these tests finds
an accepted state that is off, though pivots and last corrections look sound."""

import math
from fractions import Fraction

import numpy as np
import pytest

from armillary.algorithms.closed.constrained import solved
from armillary.algorithms.closed.embedding import Pivot
from armillary.algorithms.closed.plan import Plan
from armillary.algorithms.closed.residual import fulfilled, residual_check

M = ((2.0, 0.1, 0.3), (0.1, 1.0, 0.2), (0.3, 0.2, 1.5))
FORCE = (1.0, 2.0, 3.0)
TARGET = (0.3, -0.8)


def sparse(rows):
    return [{k: float(x) for k, x in enumerate(row)} for row in rows]


def exact(J):
    """Accelerations of M a = force + J^T λ, J a = target, in fractions."""
    n, size = len(M), len(M) + len(J)
    A = [[Fraction(0)] * size for _ in range(size)]
    for i, row in enumerate((*M, *J)):
        for k, x in enumerate(row):
            A[i][k] = A[k][i] = Fraction(x)
    b = [Fraction(x) for x in (*FORCE, *TARGET)]
    for k in range(size):
        best = max(range(k, size), key=lambda i: abs(A[i][k]))
        A[k], A[best], b[k], b[best] = A[best], A[k], b[best], b[k]
        for i in range(size):
            factor = A[i][k] / A[k][k] if i != k else Fraction(0)
            A[i] = [x - factor * y for x, y in zip(A[i], A[k], strict=True)]
            b[i] -= factor * b[k]
    return np.array([float(b[k] / A[k][k]) for k in range(n)])


def test_pivots_that_were_small_in_the_samples_too():
    """Regular rows, solved for a coordinate that hardly takes part: rounding grows by 1/pivot²."""
    accepted = 0
    for power in np.arange(0.0, 9.0, 0.25):
        small = 10.0**-power
        J = ((small, 1.0, 0.3), (1.0, 0.7, -0.4))
        plan = Plan((0, 1), pivots=(Pivot(0, 0, small), Pivot(1, 1, 1.0)), scale=(1.0,) * 3)
        lines = list(zip(sparse(J), TARGET, strict=True))
        a = np.array(solved(sparse(M), plan, list(FORCE), lines))
        if np.isfinite(a).all():
            accepted += 1
            expected = exact(J)
            assert np.abs(a - expected).max() <= 1e-12 * np.abs(expected).max()
        else:
            assert small < 1e-3  # pivots of a usual size pass
    assert accepted > 12


def test_massless_coordinates_do_not_hide_what_is_missing():
    """A massless coordinate held by a row that has nearly vanished, beside a heavy one: weighed by
    inertias its corrections are nothing, and it once was accepted when off by 5e-3."""
    accepted, (heavy, force) = 0, (2.0, 3.0)
    for light in 10.0 ** -np.arange(8.0, 16.0):
        for row in 10.0 ** -np.arange(0.0, 9.0, 0.125):
            for x in (7e-5, 7e-3, 0.7, 70.0, 7e5):
                plan = Plan((0,), order=(0, 2, 1), mu=(0.1,), scale=(1.0, 1.0))
                lines = [({0: 0.0, 1: row}, row * x)]
                a = solved([{0: heavy}, {1: light}], plan, [force, 0.0], lines)
                if math.isfinite(a[0]):
                    accepted += 1
                    assert abs(a[1] - x) <= 2e-13 * max(x, force / heavy)
                else:
                    assert row < 1e-2
    assert accepted > 1000


J = ((0.5, 1.0, 0.3), (1.0, 0.7, -0.4))
N = np.cross(*J)


@pytest.mark.parametrize(
    ("off", "accepted"),
    [
        ((0.0, 0.0, 0.0), True),
        (tuple(1e-9 * N), False),  # along the free motion: rows are fulfilled, forces are not
        (tuple(1e-9 * np.array(J[0])), False),
        (tuple(1e-9 * np.array(J[1])), False),
    ],
)
def test_rows_and_balance_have_their_say(off, accepted):
    lines = list(zip(sparse(J), TARGET, strict=True))
    motions = [dict(enumerate(N.tolist()))]
    a = [float(x) for x in exact(J) + np.array(off)]
    status = residual_check(0.0, sparse(M), list(FORCE), lines, motions, a, (1.0,) * 3)
    assert (status == 0.0) is accepted


def test_rows_without_a_pivot():
    """One row off by more than its share of the terms; one that is rounding of its usual size."""
    a, scale = [1.0, 2.0], (1.0, 1.0)
    row = {0: 0.3, 1: -0.15}  # 0
    assert fulfilled(0.0, 1e-7, row, a, scale, 0.0, share=1e-12) == 0.0
    assert math.isnan(fulfilled(0.0, 1e-5, row, a, scale, 0.0, share=1e-12))
    rounding = {0: 3e-16, 1: 2e-16}
    assert math.isnan(fulfilled(0.0, 0.0, rounding, a, scale, 5.0, share=1e-24))
    assert fulfilled(0.0, 0.0, rounding, a, scale, 5.0, share=1e-24, size=1.0) == 0.0
