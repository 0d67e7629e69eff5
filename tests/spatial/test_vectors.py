"""Vectors, matrices and symmetric tensors against numpy."""

import numpy as np
import pytest

from armillary.spatial import Matrix, Symmetric, Vector
from armillary.spatial.vector import squared_skew
from dense import array, random_rotation, skew


@pytest.fixture(params=range(3))
def rng(request):
    return np.random.default_rng(request.param)


def test_products_of_vectors(rng):
    """a·b, a × b, a b^T and c~ x = c × x."""
    a, b = rng.normal(size=(2, 3))
    A, B = Vector(*a), Vector(*b)
    assert A.dot(B) == pytest.approx(a @ b, rel=1e-14)
    np.testing.assert_allclose(array(A.cross(B)), np.cross(a, b), rtol=1e-14)
    np.testing.assert_allclose(array(A.outer(B)), np.outer(a, b), rtol=1e-15)
    np.testing.assert_allclose(array(A.skew() @ B), np.cross(a, b), rtol=1e-14)
    np.testing.assert_array_equal(array(A.skew()), skew(a))


def test_sums_and_multiples(rng):
    a, b = rng.normal(size=(2, 3))
    A, B = Vector(*a), Vector(*b)
    np.testing.assert_array_equal(array(A + B), a + b)
    np.testing.assert_array_equal(array(A - B), a - b)
    np.testing.assert_array_equal(array(-A), -a)
    np.testing.assert_array_equal(array(2.5 * A), array(A * 2.5))


def test_matrix_products(rng):
    a, b = rng.normal(size=(2, 3, 3))
    x = rng.normal(size=3)
    A, B = Matrix(a), Matrix(b)
    np.testing.assert_allclose(array(A @ B), a @ b, rtol=1e-13)
    np.testing.assert_allclose(array(A @ Vector(*x)), a @ x, rtol=1e-13)
    np.testing.assert_array_equal(array(A.T), a.T)
    np.testing.assert_array_equal(array(A + B), a + b)
    np.testing.assert_array_equal(array(A - B), a - b)
    np.testing.assert_array_equal(array(-A), -a)
    np.testing.assert_array_equal(array(A * 3.0), 3.0 * a)
    np.testing.assert_array_equal(array(A.column(1)), a[:, 1])
    np.testing.assert_array_equal(array(Matrix.identity()), np.eye(3))
    np.testing.assert_array_equal(array(Matrix.zero()), np.zeros((3, 3)))


def test_symmetric_tensor(rng):
    """Six numbers stand for the whole matrix; R S R^T turns it."""
    s = rng.normal(size=(3, 3))
    s = s + s.T
    S = Matrix(s).symmetric()
    R = random_rotation(rng)
    x = rng.normal(size=3)
    np.testing.assert_array_equal(np.array(S.rows), s)
    np.testing.assert_allclose(array(S.matrix()), s)
    np.testing.assert_allclose(np.array((S @ Vector(*x)).leaves()), s @ x, rtol=1e-13)
    np.testing.assert_allclose(np.array(S.rotate(Matrix(R)).rows), R @ s @ R.T, atol=1e-13)
    np.testing.assert_allclose(array(Matrix(R) @ S), R @ s, atol=1e-13)
    assert S.trace() == pytest.approx(np.trace(s))


def test_squared_skew_is_minus_the_square(rng):
    """-c~ c~, not c~ c~ (errata 0-7)."""
    c = rng.normal(size=3)
    S = np.array(squared_skew(Vector(*c)).rows)
    np.testing.assert_allclose(S, -skew(c) @ skew(c), atol=1e-14)
    assert np.linalg.eigvalsh(S)[0] == pytest.approx(0.0, abs=1e-14)  # no moment along c itself


@pytest.mark.parametrize("kind", [Vector, Matrix, Symmetric])
def test_leaves_go_round(rng, kind):
    numbers = tuple(rng.normal(size=kind.size))
    assert kind.from_leaves(numbers).leaves() == numbers
