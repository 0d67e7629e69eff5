"""Transforms form a group, carry motions with X and forces with X^T, and never change a power."""

import numpy as np
import pytest

from armillary.spatial import Force, Matrix, Motion, MotionSpace, Transform, Vector
from dense import (
    array,
    columns,
    force_cross,
    inertia_matrix,
    inertia_of_points,
    motion_cross,
    motion_matrix,
    point_cloud,
    random_rotation,
)


@pytest.fixture(params=range(4))
def rng(request):
    return np.random.default_rng(request.param)


def random_transform(rng):
    """The library's object and the 6x6 matrix of the same change of coordinates."""
    E, r = random_rotation(rng), rng.normal(size=3)
    return Transform(Matrix(E), Vector(*r)), motion_matrix(E, r)


def matrix_of(X: Transform) -> np.ndarray:
    """The 6x6 matrix that X *does*: its action on the six unit motions."""
    return np.array([array(X @ Motion.from_leaves(e)) for e in np.eye(6)]).T


def force_matrix_of(X: Transform) -> np.ndarray:
    return np.array([array(X.force(Force.from_leaves(e))) for e in np.eye(6)]).T


def test_motion_transform(rng):
    X, dense = random_transform(rng)
    np.testing.assert_allclose(matrix_of(X), dense, atol=1e-14)


def test_points_and_their_velocities(rng):
    """A point fixed in B, seen from A, moves as the transformed motion says."""
    X_AB, _ = random_transform(rng)
    p, w, v = (Vector(*rng.normal(size=3)) for _ in range(3))
    v_A = X_AB @ Motion(w, v)
    velocity_B = v + w.cross(p)  # of the point p under the motion (ω; v), in B
    velocity_A = v_A.linear + v_A.angular.cross(X_AB.point(p))
    np.testing.assert_allclose(array(velocity_A), array(X_AB.E @ velocity_B), atol=1e-13)


def test_composition_and_identity(rng):
    """X_AC = X_AB X_BC, one is neutral, and the product is associative."""
    (X_AB, A), (X_BC, B), (X_CD, C) = (random_transform(rng) for _ in range(3))
    np.testing.assert_allclose(matrix_of(X_AB @ X_BC), A @ B, atol=1e-13)
    np.testing.assert_allclose(matrix_of((X_AB @ X_BC) @ X_CD), A @ B @ C, atol=1e-13)
    np.testing.assert_allclose(matrix_of(X_AB @ (X_BC @ X_CD)), A @ B @ C, atol=1e-13)
    np.testing.assert_array_equal(matrix_of(Transform.identity()), np.eye(6))
    np.testing.assert_array_equal(matrix_of(X_AB @ Transform.identity()), matrix_of(X_AB))


def test_inverse(rng):
    X, dense = random_transform(rng)
    np.testing.assert_allclose(matrix_of(X.inverse()), np.linalg.inv(dense), atol=1e-13)
    np.testing.assert_allclose(matrix_of(X @ X.inverse()), np.eye(6), atol=1e-14)
    np.testing.assert_allclose(matrix_of(X.inverse() @ X), np.eye(6), atol=1e-14)


def test_forces_go_with_the_transpose(rng):
    """X^T takes a wrench from A to B; its inverse transpose from B to A (errata 0-40)."""
    X, dense = random_transform(rng)
    back = np.array([array(X.T @ Force.from_leaves(e)) for e in np.eye(6)]).T
    np.testing.assert_allclose(back, dense.T, atol=1e-14)
    np.testing.assert_allclose(force_matrix_of(X), np.linalg.inv(dense).T, atol=1e-13)


def test_power_is_the_same_in_every_frame(rng):
    X, _ = random_transform(rng)
    m, f = Motion.from_leaves(rng.normal(size=6)), Force.from_leaves(rng.normal(size=6))
    assert (X @ m).dot(X.force(f)) == pytest.approx(m.dot(f), rel=1e-12)
    assert (X @ m).dot(f) == pytest.approx(m.dot(X.T @ f), rel=1e-12)


def test_translation_has_no_turn(rng):
    r = rng.normal(size=3)
    dense = motion_matrix(np.eye(3), r)
    np.testing.assert_allclose(matrix_of(Transform.translation(Vector(*r))), dense)


def test_motion_spaces_go_column_by_column(rng):
    X, dense = random_transform(rng)
    S = rng.normal(size=(6, 3))
    space = MotionSpace([Motion.from_leaves(c) for c in S.T])
    np.testing.assert_allclose(columns(X @ space), dense @ S, atol=1e-13)
    f = rng.normal(size=6)
    np.testing.assert_allclose(space.T @ Force.from_leaves(f), S.T @ f, atol=1e-13)
    np.testing.assert_allclose(array(space @ [1.0, 2.0, 3.0]), S @ [1, 2, 3], atol=1e-13)


def test_cross_products_are_their_matrices(rng):
    v, m, f = rng.normal(size=(3, 6))
    V = Motion.from_leaves(v)
    np.testing.assert_allclose(
        array(V.cross(Motion.from_leaves(m))), motion_cross(v) @ m, atol=1e-14
    )
    np.testing.assert_allclose(
        array(V.cross_force(Force.from_leaves(f))), force_cross(v) @ f, atol=1e-14
    )


def test_cross_product_is_the_derivative_of_the_transform(rng):
    """A frame that moves with V sees a constant motion m change by -V × m."""
    V, m = rng.normal(size=(2, 6))
    h = 1e-6

    def seen_after(t):
        """exp(-t V×) m, from frames that have moved by t V."""
        step = np.eye(6) - t * motion_cross(V) + 0.5 * t**2 * motion_cross(V) @ motion_cross(V)
        return step @ m

    rate = (seen_after(h) - seen_after(-h)) / (2 * h)
    crossed = Motion.from_leaves(V).cross(Motion.from_leaves(m))
    np.testing.assert_allclose(rate, -array(crossed), atol=1e-8)


def test_jacobi_identity_and_power_conservation(rng):
    a, b, c = (Motion.from_leaves(x) for x in rng.normal(size=(3, 6)))
    f = Force.from_leaves(rng.normal(size=6))
    jacobi = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    np.testing.assert_allclose(array(jacobi), np.zeros(6), atol=1e-13)
    assert a.cross(b).dot(f) + b.dot(a.cross_force(f)) == pytest.approx(0.0, abs=1e-13)


def test_congruence_of_inertias(rng):
    """X^T I X is the same body seen from B: same kinetic energy for the same motion."""
    X, dense = random_transform(rng)
    masses, points = point_cloud(rng)
    I_A = inertia_matrix(masses, points)
    I_B = X.T @ inertia_of_points(masses, points) @ X
    dense_B = np.array([array(I_B @ Motion.from_leaves(e)) for e in np.eye(6)]).T
    np.testing.assert_allclose(dense_B, dense.T @ I_A @ dense, atol=1e-12)
    assert I_B.mass == pytest.approx(masses.sum())


def test_wrong_halves_do_not_multiply(rng):
    """X.T @ I @ Y with another Y is no congruence and is refused."""
    X, Y = random_transform(rng)[0], random_transform(rng)[0]
    body = inertia_of_points(*point_cloud(rng))
    with pytest.raises(TypeError):
        X.T @ body @ Y
    with pytest.raises(TypeError):
        X.T @ body @ X.T
    with pytest.raises(TypeError):
        X @ Force.zero()
    with pytest.raises(TypeError):
        X.T @ Motion.zero()


def test_classical_and_spatial_acceleration(rng):
    """The origin of a frame on a moving body: p'' = a_spatial + ω × v."""
    v, a = (Motion.from_leaves(x) for x in rng.normal(size=(2, 6)))
    classical = array(a.classical(v))
    expected = array(a) + np.r_[0, 0, 0, np.cross(array(v)[:3], array(v)[3:])]
    np.testing.assert_allclose(classical, expected, atol=1e-14)
    np.testing.assert_allclose(array(a.classical(v).spatial(v)), array(a), atol=1e-14)


def test_leaves_go_round(rng):
    X, _ = random_transform(rng)
    again = Transform.from_leaves(X.leaves())
    np.testing.assert_array_equal(matrix_of(again), matrix_of(X))
