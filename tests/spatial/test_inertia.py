"""Inertias against sums over point masses: every tensor, shift, turn and torque formula."""

import numpy as np
import pytest
import sympy as sp

from armillary.spatial import Force, Inertia, Matrix, Motion, Symmetric, Vector
from dense import (
    array,
    force_cross,
    inertia_matrix,
    inertia_of_points,
    matrix_of_inertia,
    point_cloud,
    random_rotation,
    skew,
    tensor_of_points,
)


@pytest.fixture(params=range(4))
def rng(request):
    return np.random.default_rng(request.param)


def euler_of_points(masses, points) -> np.ndarray:
    """∫ p p^T dm."""
    return sum(m * np.outer(p, p) for m, p in zip(masses, points, strict=True))


def symmetric(matrix) -> Symmetric:
    return Matrix(matrix).symmetric()


def test_inertia_of_a_point_cloud(rng):
    """I = -∫ r~ r~ dm (errata 0-7), lower-left block m c~^T (errata 0-16)."""
    masses, points = point_cloud(rng)
    body = inertia_of_points(masses, points)
    dense = inertia_matrix(masses, points)
    np.testing.assert_allclose(matrix_of_inertia(body), dense, atol=1e-12)
    np.testing.assert_allclose(array(body.tensor), tensor_of_points(masses, points), atol=1e-12)
    np.testing.assert_allclose(
        array(body.tensor),
        -sum(m * skew(p) @ skew(p) for m, p in zip(masses, points, strict=True)),
        atol=1e-12,
    )
    com = masses @ points / masses.sum()
    np.testing.assert_allclose(array(body.com()), com, atol=1e-13)
    np.testing.assert_allclose(
        array(body.tensor_com()), tensor_of_points(masses, points - com), atol=1e-12
    )


def test_two_clouds_are_one(rng):
    (m1, p1), (m2, p2) = point_cloud(rng), point_cloud(rng)
    together = inertia_of_points(np.r_[m1, m2], np.r_[p1, p2])
    summed = inertia_of_points(m1, p1) + inertia_of_points(m2, p2)
    np.testing.assert_allclose(matrix_of_inertia(summed), matrix_of_inertia(together), atol=1e-12)
    left = together - inertia_of_points(m2, p2)
    np.testing.assert_allclose(matrix_of_inertia(left), inertia_matrix(m1, p1), atol=1e-12)


def test_moved_and_turned(rng):
    masses, points = point_cloud(rng)
    body = inertia_of_points(masses, points)
    r, R = rng.normal(size=3), random_rotation(rng)
    np.testing.assert_allclose(
        matrix_of_inertia(body.shift(Vector(*r))), inertia_matrix(masses, points + r), atol=1e-12
    )
    np.testing.assert_allclose(
        matrix_of_inertia(body.rotate(Matrix(R))), inertia_matrix(masses, points @ R.T), atol=1e-12
    )


def test_shift_of_a_massless_couple(rng):
    """Equal and opposite point masses: no mass, but a first moment; the shift needs no centre."""
    masses, points = np.array([1.0, -1.0]), rng.normal(size=(2, 3))
    couple = Inertia(0.0, Vector(*(masses @ points)), symmetric(tensor_of_points(masses, points)))
    r = rng.normal(size=3)
    np.testing.assert_allclose(
        matrix_of_inertia(couple.shift(Vector(*r))), inertia_matrix(masses, points + r), atol=1e-12
    )


def test_euler_tensor(rng):
    """J = ∫ r r^T dm = ½ tr(I) 1 - I, and back I = tr(J) 1 - J  [VanDerMerwe1995, 3.24-3.30]."""
    masses, points = point_cloud(rng)
    body = inertia_of_points(masses, points)
    J = euler_of_points(masses, points)
    np.testing.assert_allclose(array(body.euler()), J, atol=1e-12)
    again = Inertia.from_euler(body.mass, body.moment, symmetric(J))
    np.testing.assert_allclose(matrix_of_inertia(again), matrix_of_inertia(body), atol=1e-12)


def test_angular_momentum_in_both_forms(rng):
    """L = Σ m r × (ω × r) = I ω = -J ω + tr(J) ω (errata 0-9: not ½ tr(J))."""
    masses, points = point_cloud(rng)
    body, w = inertia_of_points(masses, points), rng.normal(size=3)
    L = sum(m * np.cross(p, np.cross(w, p)) for m, p in zip(masses, points, strict=True))
    J, W = body.euler(), Vector(*w)
    np.testing.assert_allclose(array(body.tensor @ W), L, atol=1e-11)
    np.testing.assert_allclose(array(-(J @ W) + W * J.trace()), L, atol=1e-11)
    printed = array(-(J @ W) + W * (0.5 * J.trace()))
    assert np.abs(printed - L).max() > 0.1


def test_torque_in_both_forms(rng):
    """M = Σ m r × r'' of a body turning about the origin, r'' = α × r + ω × (ω × r):

    I α + ω × I ω  =  -[J α + ω~ J ω] + tr(J) α  (errata 0-10: the printed sign is wrong)."""
    masses, points = point_cloud(rng)
    body = inertia_of_points(masses, points)
    w, alpha = rng.normal(size=(2, 3))
    torque = sum(
        m * np.cross(p, np.cross(alpha, p) + np.cross(w, np.cross(w, p)))
        for m, p in zip(masses, points, strict=True)
    )
    W, A, J = Vector(*w), Vector(*alpha), body.euler()
    inertia_form = body.tensor @ A + W.cross(body.tensor @ W)
    bracket = J @ A + W.cross(J @ W)
    np.testing.assert_allclose(array(inertia_form), torque, atol=1e-11)
    np.testing.assert_allclose(array(A * J.trace() - bracket), torque, atol=1e-11)
    assert np.abs(array(A * J.trace() + bracket) - torque).max() > 0.1
    # the same as the moment part of the spatial Newton-Euler equation
    velocity, acceleration = Motion(W, Vector()), Motion(A, Vector())
    wrench = body @ acceleration + velocity.cross_force(body @ velocity)
    np.testing.assert_allclose(array(wrench)[:3], torque, atol=1e-11)


def test_newton_euler_of_a_free_cloud(rng):
    """f = I a + v ×* I v against Σ m p'' and Σ p × m p'', for an accelerating, turning frame."""
    masses, points = point_cloud(rng)
    body = inertia_of_points(masses, points)
    v, a = rng.normal(size=(2, 6))
    (w, u), (alpha, spatial) = np.split(v, 2), np.split(a, 2)
    origin = spatial + np.cross(w, u)  # acceleration of the origin as a material point
    accelerations = [origin + np.cross(alpha, p) + np.cross(w, np.cross(w, p)) for p in points]
    force = sum(m * x for m, x in zip(masses, accelerations, strict=True))
    moment = sum(m * np.cross(p, x) for m, p, x in zip(masses, points, accelerations, strict=True))
    V, A = Motion.from_leaves(v), Motion.from_leaves(a)
    wrench = array(body @ A + V.cross_force(body @ V))
    np.testing.assert_allclose(wrench, np.r_[moment, force], atol=1e-11)
    dense = matrix_of_inertia(body)
    np.testing.assert_allclose(wrench, dense @ a + force_cross(v) @ dense @ v, atol=1e-11)


def test_kinetic_energy(rng):
    """½ Σ m |u + ω × p|², König's sum counts translation once (errata 3-3)."""
    masses, points = point_cloud(rng)
    w, u = rng.normal(size=(2, 3))
    energy = sum(
        0.5 * m * np.sum((u + np.cross(w, p)) ** 2) for m, p in zip(masses, points, strict=True)
    )
    body = inertia_of_points(masses, points)
    assert body.kinetic_energy(Motion(Vector(*w), Vector(*u))) == pytest.approx(energy, rel=1e-12)


def test_box_about_its_corner():
    """[Lecture]: a box m, w × l × h with a corner at the origin, by volume integrals.

    The products of inertia are negative, I_xy = -m w l / 4 (errata 3-5, 3-6)."""
    m, w, l, h = 12.0, 0.3, 0.8, 1.7
    x, y, z = sp.symbols("x y z")

    def integral(f):
        inner = sp.integrate(f, (x, 0, w), (y, 0, l), (z, 0, h))
        return float(inner * m / (w * l * h))

    exact = np.array(
        [
            [integral(y**2 + z**2), -integral(x * y), -integral(x * z)],
            [-integral(x * y), integral(x**2 + z**2), -integral(y * z)],
            [-integral(x * z), -integral(y * z), integral(x**2 + y**2)],
        ]
    )
    centre = Symmetric(*(m / 12 * s for s in (l * l + h * h, w * w + h * h, w * w + l * l)))
    box = Inertia.from_com(m, Vector(w / 2, l / 2, h / 2), centre)
    np.testing.assert_allclose(array(box.tensor), exact, rtol=1e-12)
    third = m / 3
    assert box.tensor.xx == pytest.approx(third * (l * l + h * h))
    assert box.tensor.xy == pytest.approx(-m * w * l / 4)
    assert box.tensor.xz == pytest.approx(-m * h * w / 4)
    assert box.tensor.yz == pytest.approx(-m * h * l / 4)


def test_nothing_weighs_nothing():
    zero = Inertia.zero() @ Motion.from_leaves([1.0] * 6)
    assert isinstance(zero, Force)
    assert array(zero).tolist() == [0.0] * 6


def test_leaves_go_round(rng):
    body = inertia_of_points(*point_cloud(rng))
    assert Inertia.from_leaves(body.leaves()).leaves() == body.leaves()
