"""Symmetric 6x6 maps, LDL^T and orthogonal complements against numpy."""

import numpy as np
import pytest

from armillary.spatial import Force, ForceDyad, Matrix, Motion, MotionDyad, Transform, Vector
from armillary.spatial.small import LDL, orthogonal_complement
from dense import (
    array,
    inertia_of_points,
    matrix_of_inertia,
    motion_matrix,
    point_cloud,
    random_rotation,
)


@pytest.fixture(params=range(4))
def rng(request):
    return np.random.default_rng(request.param)


def random_dyad(rng, kind):
    a = rng.normal(size=(6, 6))
    a = a @ a.T
    blocks = (Matrix(a[:3, :3]).symmetric(), Matrix(a[:3, 3:]), Matrix(a[3:, 3:]).symmetric())
    return kind(*blocks), a


def dense_of(dyad) -> np.ndarray:
    vector = Motion if isinstance(dyad, ForceDyad) else Force
    return np.array([array(dyad @ vector.from_leaves(e)) for e in np.eye(6)]).T


@pytest.mark.parametrize("kind", [ForceDyad, MotionDyad])
def test_blocks_sums_and_leaves(rng, kind):
    (A, a), (B, b) = random_dyad(rng, kind), random_dyad(rng, kind)
    np.testing.assert_allclose(dense_of(A), a, atol=1e-13)
    np.testing.assert_allclose(dense_of(A + B), a + b, atol=1e-13)
    np.testing.assert_allclose(dense_of(A - B), a - b, atol=1e-13)
    np.testing.assert_array_equal(dense_of(kind.zero()), np.zeros((6, 6)))
    np.testing.assert_array_equal(dense_of(kind.from_leaves(A.leaves())), dense_of(A))


def test_force_dyad_congruence(rng):
    """X^T A X: an articulated inertia seen from B."""
    A, a = random_dyad(rng, ForceDyad)
    E, r = random_rotation(rng), rng.normal(size=3)
    X, dense = Transform(Matrix(E), Vector(*r)), motion_matrix(E, r)
    np.testing.assert_allclose(dense_of(X.T @ A @ X), dense.T @ a @ dense, atol=1e-12)


def test_motion_dyad_congruence(rng):
    """X W X^T: an inverse inertia seen from A."""
    W, w = random_dyad(rng, MotionDyad)
    E, r = random_rotation(rng), rng.normal(size=3)
    X, dense = Transform(Matrix(E), Vector(*r)), motion_matrix(E, r)
    np.testing.assert_allclose(dense_of(X @ W @ X.T), dense @ w @ dense.T, atol=1e-12)


def test_a_rigid_body_is_a_force_dyad(rng):
    body = inertia_of_points(*point_cloud(rng))
    dyad = ForceDyad.from_inertia(body)
    np.testing.assert_allclose(dense_of(dyad), matrix_of_inertia(body), atol=1e-13)
    E, r = random_rotation(rng), rng.normal(size=3)
    X = Transform(Matrix(E), Vector(*r))
    np.testing.assert_allclose(
        dense_of(X.T @ dyad @ X), matrix_of_inertia(X.T @ body @ X), atol=1e-12
    )


def test_outer_products(rng):
    """Σ u u^T over columns; a sum that is symmetric as a whole also with two different sets."""
    u = rng.normal(size=(6, 2))
    g = rng.normal(size=(2, 2))
    g = g @ g.T
    forces = [Force.from_leaves(c) for c in u.T]
    weighted = [Force.from_leaves(c) for c in (u @ g).T]
    np.testing.assert_allclose(
        dense_of(ForceDyad.outer(forces, weighted)), u @ (u @ g).T, atol=1e-13
    )


@pytest.mark.parametrize("n", range(1, 8))
def test_ldl_solves_symmetric_systems(n):
    rng = np.random.default_rng(n)
    a = rng.normal(size=(n, n))
    a = a @ a.T + 0.1 * np.eye(n)
    b = rng.normal(size=n)
    factor = LDL(a.tolist())
    np.testing.assert_allclose(factor.solve(b.tolist()), np.linalg.solve(a, b), rtol=1e-10)
    L = np.array(factor.L) + np.eye(n)
    np.testing.assert_allclose(L @ np.diag(1 / np.array(factor.inverse_D)) @ L.T, a, atol=1e-12)


def test_ldl_of_nothing():
    assert LDL([]).solve([]) == ()


@pytest.mark.parametrize("n", range(7))
def test_orthogonal_complement(n):
    """6 - n orthonormal vectors, all orthogonal to the n given ones."""
    rng = np.random.default_rng(n)
    given = rng.normal(size=(n, 6))
    rest = np.array(orthogonal_complement(given.tolist(), 6)).reshape(6 - n, 6)
    np.testing.assert_allclose(rest @ rest.T, np.eye(6 - n), atol=1e-14)
    np.testing.assert_allclose(rest @ given.T, np.zeros((6 - n, n)), atol=1e-13)


@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_orthogonal_complement_of_a_unit_vector(k, sign):
    """Axis-aligned input, also the reflector's critical case, a first entry of zero."""
    given = [sign if i == k else 0.0 for i in range(6)]
    rest = np.array(orthogonal_complement([given], 6))
    assert np.linalg.matrix_rank(rest) == 5
    np.testing.assert_allclose(rest @ given, 0.0, atol=1e-15)


def test_orthogonal_complement_of_nearly_parallel_vectors():
    rng = np.random.default_rng(5)
    a = rng.normal(size=6)
    given = [a, a + 1e-7 * rng.normal(size=6)]
    rest = np.array(orthogonal_complement([list(g) for g in given], 6))
    assert np.abs(rest @ np.array(given).T).max() < 1e-14
