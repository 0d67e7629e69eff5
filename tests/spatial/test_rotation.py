"""Rotations, quaternions, roll-pitch-yaw, exponentials and logarithms, also where they are hard."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.spatial import Matrix, Vector
from armillary.spatial import rotation as rot
from dense import array, random_rotation, rodrigues

UNIT = np.eye(3)
quick = settings(max_examples=200, deadline=None)
number = st.floats(-1.0, 1.0, allow_subnormal=False)
direction = st.tuples(number, number, number).filter(lambda v: math.hypot(*v) > 1e-3)


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)


@pytest.fixture(params=range(3))
def rng(request):
    return np.random.default_rng(request.param)


@pytest.mark.parametrize("k", range(3))
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.7, -2.0, math.pi, 7.0])
def test_turns_about_letters(k, angle):
    """R_BA takes A coordinates to B: the transpose of the active rotation."""
    about = (rot.about_x, rot.about_y, rot.about_z)[k]
    np.testing.assert_allclose(array(about(angle)), rodrigues(UNIT[k], angle).T, atol=1e-13)
    general = rot.about(Vector(*UNIT[k]), angle)
    np.testing.assert_allclose(array(general), rodrigues(UNIT[k], angle).T, atol=1e-13)


@given(direction, st.floats(-7.0, 7.0))
@quick
def test_turn_about_any_axis(axis, angle):
    u = unit(axis)
    R = array(rot.about(Vector(*u), angle))
    np.testing.assert_allclose(R, rodrigues(u, angle).T, atol=1e-12)
    np.testing.assert_allclose(R @ u, u, atol=1e-14)


def test_roll_pitch_yaw_turns_about_fixed_axes(rng):
    """The URDF rule: active R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = rng.uniform(-3, 3, 3)
    x, y, z = UNIT
    active = rodrigues(z, yaw) @ rodrigues(y, pitch) @ rodrigues(x, roll)
    np.testing.assert_allclose(array(rot.from_rpy(roll, pitch, yaw)), active.T, atol=1e-13)


@given(
    st.floats(-math.pi, math.pi),
    st.one_of(
        st.floats(-math.pi / 2, math.pi / 2),
        st.sampled_from([math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9, 1e-7 - math.pi / 2]),
    ),
    st.floats(-math.pi, math.pi),
)
@quick
def test_roll_pitch_yaw_goes_round(roll, pitch, yaw):
    """The rotation comes back for every triple, also in gimbal lock, where the angles may not."""
    R = rot.from_rpy(roll, pitch, yaw)
    again = rot.to_rpy(R)
    assert abs(again[1]) <= math.pi / 2 + 1e-15
    np.testing.assert_allclose(array(rot.from_rpy(*again)), array(R), atol=1e-14)
    if abs(pitch) < 1.5:
        assert again[1] == pytest.approx(pitch, abs=1e-14)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
@pytest.mark.parametrize("exact", [True, False])
def test_gimbal_lock(pitch, exact):
    """At the pole roll and yaw are not told apart, but the rotation comes back."""
    R = rot.from_rpy(0.3, pitch, -0.8)
    if exact:  # the cosine of a rounded right angle is not zero: here it is
        s = math.copysign(1.0, pitch)
        c, d = math.cos(0.3 + s * 0.8), math.sin(0.3 + s * 0.8)
        R = Matrix(((0.0, 0.0, -s), (s * d, c, 0.0), (s * c, -d, 0.0)))
    again = rot.to_rpy(R)
    assert again[1] == pytest.approx(pitch)
    np.testing.assert_allclose(array(rot.from_rpy(*again)), array(R), atol=1e-15)


@given(direction, st.floats(0.0, 2 * math.pi))
@quick
def test_quaternion_is_axis_and_half_angle(axis, angle):
    u = unit(axis)
    q = (math.cos(angle / 2), *(math.sin(angle / 2) * u))
    np.testing.assert_allclose(array(rot.from_quaternion(q)), rodrigues(u, angle).T, atol=1e-12)
    scaled = tuple(-3.7 * x for x in q)  # the length does not matter, nor the sign
    np.testing.assert_allclose(
        array(rot.from_quaternion(scaled)), array(rot.from_quaternion(q)), atol=1e-14
    )


@given(
    direction,
    st.one_of(
        st.floats(0.0, math.pi),
        st.sampled_from([0.0, 1e-12, 1e-7, math.pi, math.pi - 1e-12, math.pi - 1e-7]),
    ),
)
@quick
def test_matrix_to_quaternion_and_back(axis, angle):
    R = rodrigues(unit(axis), angle).T
    q = rot.to_quaternion(Matrix(R))
    assert q[0] >= 0
    assert sum(x * x for x in q) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(array(rot.from_quaternion(q)), R, atol=1e-12)


@pytest.mark.parametrize("k", range(3))
def test_half_turns_about_letters(k):
    """Trace -1: each of the four branches of `to_quaternion` must be reached."""
    R = np.diag([1.0 if i == k else -1.0 for i in range(3)])
    q = rot.to_quaternion(Matrix(R))
    assert q[1 + k] == pytest.approx(1.0)
    turn = rot.rotation_log(Matrix(R))
    np.testing.assert_allclose(np.abs(array(turn)), math.pi * UNIT[k], atol=1e-15)


def test_quaternion_product_is_the_product_of_turns(rng):
    """p q: first by p, then by q about the turned axes; active matrices multiply in that order."""
    p, q = rng.normal(size=(2, 4))
    P, Q = (array(rot.from_quaternion(x)).T for x in (p, q))
    product = rot.quaternion_product(p, q)
    np.testing.assert_allclose(array(rot.from_quaternion(product)).T, P @ Q, atol=1e-13)
    length = np.linalg.norm(rot.normalized(product))
    assert length == pytest.approx(1.0, abs=1e-15)


LENGTHS = [0.0, 1e-300, 1e-12, 1e-6, 9.9e-5, 1.01e-4, 1e-3, 0.5, 3.0]
NEAR_PI = [math.pi - 1e-3, math.pi - 1e-8, math.pi - 1e-14]


@pytest.mark.parametrize("length", LENGTHS + NEAR_PI)
def test_exp_and_log_are_inverse(length, rng):
    """log exp u = u for |u| < pi, with full relative accuracy near the identity."""
    u = length * unit(rng.normal(size=3))
    q = rot.quaternion_exp(Vector(*u))
    np.testing.assert_allclose(array(rot.quaternion_log(q)), u, rtol=1e-9, atol=1e-18)
    np.testing.assert_allclose(array(rot.quaternion_log(q)), u, rtol=1e-13, atol=1e-14)
    minus = tuple(-x for x in q)
    np.testing.assert_allclose(array(rot.quaternion_log(minus)), u, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("length", [*LENGTHS, *NEAR_PI, math.pi, 4.0, 6.2, 10.0])
def test_exp_is_the_rotation_by_its_vector(length, rng):
    axis = unit(rng.normal(size=3))
    q = rot.quaternion_exp(Vector(*(length * axis)))
    assert sum(x * x for x in q) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(array(rot.from_quaternion(q)), rodrigues(axis, length).T, atol=1e-12)


@pytest.mark.parametrize("length", [math.pi + 1e-6, 4.0, 6.0])
def test_log_takes_the_short_way(length, rng):
    axis = unit(rng.normal(size=3))
    back = rot.quaternion_log(rot.quaternion_exp(Vector(*(length * axis))))
    np.testing.assert_allclose(array(back), (length - 2 * math.pi) * axis, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("q", [(0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.6, -0.8), (-0.0, 0.0, 0.0, 1.0)])
def test_log_of_exact_half_turns(q):
    """w = 0: the branch for small turns must stay finite although it is not taken."""
    turn = array(rot.quaternion_log(q))
    np.testing.assert_allclose(np.abs(turn), math.pi * np.abs(q[1:]), atol=1e-15)


def test_rotation_log(rng):
    R = random_rotation(rng)
    turn = array(rot.rotation_log(Matrix(R)))
    length = np.linalg.norm(turn)
    assert length <= math.pi + 1e-12
    np.testing.assert_allclose(rodrigues(turn / length, length).T, R, atol=1e-12)


@pytest.mark.parametrize("length", [0.99e-4, 1.01e-4])
def test_exp_has_no_seam(length):
    """The series and the closed form agree where they meet."""
    w, x, _, _ = rot.quaternion_exp(Vector(length, 0.0, 0.0))
    assert w == pytest.approx(math.cos(length / 2), abs=1e-16)
    assert x == pytest.approx(math.sin(length / 2), rel=1e-15)
