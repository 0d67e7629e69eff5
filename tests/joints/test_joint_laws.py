"""Laws that every joint type keeps, each against derivatives or numpy, never against itself.

S is the derivative of the transform, dS/dt the derivative of S, T its complement, and integrate
and difference are each other's inverse on the joint's manifold.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import expm

from armillary.joints import (
    AXES,
    Cylindrical,
    Fixed,
    Free,
    General,
    Gimbal,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from armillary.spatial import Motion
from dense import array, columns, motion_cross, motion_matrix

SUBSETS = [s for n in range(1, 7) for s in itertools.combinations(AXES, n)]


def random_screws(n: int, seed: int) -> General:
    """n axes in no special position: turns, screws with a pitch, slides."""
    rng = np.random.default_rng(seed)
    axes = []
    for k in range(n):
        w, v = rng.normal(size=(2, 3))
        w /= np.linalg.norm(w)
        if (k + seed) % 3 == 2:
            axes.append(Motion.from_leaves([0.0, 0.0, 0.0, *(v / np.linalg.norm(v))]))
        elif (k + seed) % 3 == 1:
            axes.append(Motion.from_leaves([*w, *v]))  # a screw: v has a part along w
        else:
            axes.append(Motion.from_leaves([*w, *np.cross(v, w)]))  # a turn about a line through v
    return General(axes)


def skew_slides() -> General:
    """Two slides that are not perpendicular, then a third (A56)."""
    rng = np.random.default_rng(56)
    directions = [(1.0, 0.0, 0.0), (0.6, 0.8, 0.0), rng.normal(size=3)]
    units = [np.asarray(d) / np.linalg.norm(d) for d in directions]
    return General([Motion.from_leaves([0.0, 0.0, 0.0, *u]) for u in units])


JOINTS = {
    "fixed": Fixed(),
    "revolute": Revolute(),
    "prismatic": Prismatic(),
    "helical": Helical(0.37),
    "helical-left": Helical(-1.2),
    "cylindrical": Cylindrical(),
    "universal": Universal(),
    "planar": Planar(),
    "spherical": Spherical(),
    "free": Free(),
    "skew-slides": skew_slides(),
    **{"gimbal-" + "-".join(s): Gimbal(s) for s in SUBSETS},
    **{f"general-{n}-{k}": random_screws(n, k) for n in range(1, 7) for k in range(3)},
}
everyone = pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS.keys())
moving = pytest.mark.parametrize(
    "joint", [j for j in JOINTS.values() if j.nv], ids=[n for n, j in JOINTS.items() if j.nv]
)


def random_q(joint, rng) -> list[float]:
    """A place away from the neutral one; quaternions of unit length; gimbals off their pole."""
    q = rng.uniform(-1.4, 1.4, joint.nq)
    if joint.nq > joint.nv:
        q[:4] /= np.linalg.norm(q[:4])
    return [float(x) for x in q]


def numbers(joint, seed=0):
    rng = np.random.default_rng(seed)
    return random_q(joint, rng), rng.normal(size=joint.nv), rng


def dense(X) -> np.ndarray:
    return motion_matrix(array(X.E), array(X.r))


def pose(X) -> np.ndarray:
    """H_JB, the homogeneous matrix of the body frame in the joint frame."""
    E, r = array(X.E), array(X.r)
    H = np.eye(4, dtype=np.result_type(E, r))
    H[:3, :3], H[:3, 3] = E.T, r
    return H


def derivative(f, t=0.0, h=1e-3):
    """Central difference of sixth order: error about h^6, 1e-13 with rounding."""
    d1, d2, d3 = (f(t + k * h) - f(t - k * h) for k in (1, 2, 3))
    return (45 * d1 - 9 * d2 + d3) / (60 * h)


def twist(rate: np.ndarray) -> np.ndarray:
    """The motion V of a 6x6 matrix -[V ×]."""
    block, arm = rate[:3, :3], rate[3:, :3]
    return -np.array([block[2, 1], block[0, 2], block[1, 0], arm[2, 1], arm[0, 2], arm[1, 0]])


@everyone
def test_counts(joint):
    q, v, _ = numbers(joint)
    assert len(joint.neutral()) == joint.nq == len(joint.coordinates)
    assert len(joint.units) == joint.nv == len(joint.motion_space(q))
    assert len(joint.constraint_space(q)) == 6 - joint.nv
    assert len(joint.rate(q, list(v))) == joint.nq


@everyone
def test_neutral_is_closed(joint):
    X = joint.transform(joint.neutral())
    np.testing.assert_allclose(dense(X), np.eye(6), atol=1e-15)


@moving
def test_motion_space_is_the_derivative_of_the_transform(joint):
    """dX_BJ/dt = -[S_k ×] X_BJ along integrate(q, t e_k)."""
    q, _, _ = numbers(joint)
    S = columns(joint.motion_space(q))
    X = dense(joint.transform(q))
    for k in range(joint.nv):

        def along(t, k=k):
            step = [t if i == k else 0.0 for i in range(joint.nv)]
            return dense(joint.transform(joint.integrate(q, step)))

        rate = derivative(along) @ np.linalg.inv(X)
        np.testing.assert_allclose(rate, -motion_cross(S[:, k]), atol=1e-10)


@moving
def test_motion_space_by_complex_step(joint):
    """H_JB^-1 dH_JB = S_k, the body velocity, from one complex evaluation along dq = rate(e_k)."""
    q, _, _ = numbers(joint)
    S = columns(joint.motion_space(q))
    H, h = pose(joint.transform(q)), 1e-40
    for k in range(joint.nv):
        dq = joint.rate(q, [float(i == k) for i in range(joint.nv)])
        moved = joint.transform([complex(x, h * d) for x, d in zip(q, dq, strict=True)])
        V = np.linalg.inv(H) @ pose(moved).imag / h
        np.testing.assert_allclose([V[2, 1], V[0, 2], V[1, 0], *V[:3, 3]], S[:, k], atol=1e-13)


@moving
def test_motion_space_rate(joint):
    """dS/dt along integrate(q, t v), seen in B (errata 0-13, 0-25)."""
    q, v, _ = numbers(joint, 1)
    rate = columns(joint.motion_space_rate(q, list(v)))

    def along(t):
        return columns(joint.motion_space(joint.integrate(q, list(t * v))))

    np.testing.assert_allclose(rate, derivative(along), atol=1e-9)
    np.testing.assert_allclose(array(joint.bias(q, list(v))), rate @ v, atol=1e-13)


@moving
def test_bias_is_the_acceleration_at_constant_rates(joint):
    """With v constant, d/dt (S v) = bias: from the second derivative of the transform itself."""
    q, v, _ = numbers(joint, 2)

    def velocity(t):
        here = joint.integrate(q, list(t * v))
        rate = derivative(lambda s: dense(joint.transform(joint.integrate(q, list(s * v)))), t)
        return twist(rate @ np.linalg.inv(dense(joint.transform(here))))

    np.testing.assert_allclose(
        derivative(velocity, h=1e-2), array(joint.bias(q, list(v))), atol=1e-7
    )


@everyone
def test_constraint_space_complements_the_motion_space(joint):
    """S^T T = 0 and together they span everything."""
    q, _, _ = numbers(joint, 3)
    S, T = columns(joint.motion_space(q)), columns(joint.constraint_space(q))
    np.testing.assert_allclose(S.T @ T, np.zeros((joint.nv, 6 - joint.nv)), atol=1e-13)
    assert np.linalg.matrix_rank(T) == 6 - joint.nv
    assert np.linalg.matrix_rank(S) == joint.nv


@everyone
def test_dual_bases(joint):
    """[psi T]^T [S phi^c] = 1 and f = psi (S^T f) + T (phi^c^T f)  [VanDerMerwe1995, 2.10-2.16]."""
    q, _, rng = numbers(joint, 4)
    S, T = columns(joint.motion_space(q)), columns(joint.constraint_space(q))
    psi, phi_c = (columns(space) for space in joint.dual_bases(q))
    motions, forces = np.hstack([S, phi_c]), np.hstack([psi, T])
    assert abs(np.linalg.det(motions)) > 1e-8
    np.testing.assert_allclose(forces.T @ motions, np.eye(6), atol=1e-10)
    np.testing.assert_allclose(forces.T, np.linalg.inv(motions), atol=1e-9)
    f = rng.normal(size=6)
    np.testing.assert_allclose(psi @ (S.T @ f) + T @ (phi_c.T @ f), f, atol=1e-10)


@moving
def test_rate_is_the_derivative_of_integrate(joint):
    q, v, _ = numbers(joint, 5)

    def along(t):
        return np.array(joint.integrate(q, list(t * v)))

    np.testing.assert_allclose(joint.rate(q, list(v)), derivative(along), atol=1e-10)


@everyone
@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-4, 0.3, 1.7])
def test_difference_undoes_integrate(joint, size):
    q, v, _ = numbers(joint, 6)
    step = size * v / max(np.linalg.norm(v), 1e-9)
    there = joint.integrate(q, list(step))
    np.testing.assert_allclose(joint.difference(q, there), step, rtol=1e-9, atol=1e-14)


@everyone
def test_integrate_reaches_the_goal(joint):
    """integrate(q0, difference(q0, q1)) is the place q1 (quaternions up to sign)."""
    rng = np.random.default_rng(7)
    q0, q1 = random_q(joint, rng), random_q(joint, rng)
    reached = joint.integrate(q0, joint.difference(q0, q1))
    np.testing.assert_allclose(
        dense(joint.transform(reached)), dense(joint.transform(q1)), atol=1e-12
    )


@everyone
def test_two_half_steps_are_one(joint):
    """A one-parameter group: integrate(integrate(q, s v), t v) = integrate(q, (s + t) v)."""
    q, v, _ = numbers(joint, 8)
    twice = joint.integrate(joint.integrate(q, list(0.4 * v)), list(2.1 * v))
    once = joint.integrate(q, list(2.5 * v))
    np.testing.assert_allclose(
        dense(joint.transform(twice)), dense(joint.transform(once)), atol=1e-12
    )


BALLS = pytest.mark.parametrize("joint", [Spherical(), Free()], ids=["spherical", "free"])


@BALLS
@pytest.mark.parametrize(
    "angle", [0.0, 1e-9, 9e-4, 1.1e-3, 0.031, 0.032, 3.0, math.pi - 1e-6, math.pi - 1e-12]
)
def test_turns_up_to_half_a_circle_come_back(joint, angle):
    rng = np.random.default_rng(9)
    axis = rng.normal(size=3)
    step = np.r_[angle * axis / np.linalg.norm(axis), rng.normal(size=joint.nv - 3)]
    q = random_q(joint, rng)
    back = joint.difference(q, joint.integrate(q, list(step)))
    np.testing.assert_allclose(back, step, rtol=1e-9, atol=1e-12)


@BALLS
def test_exact_half_turns(joint):
    """w = 0 between the two places: a difference of length pi, in either direction."""
    for k in range(3):
        q0, q1 = list(joint.neutral()), list(joint.neutral())
        q1[0], q1[1 + k] = 0.0, 1.0
        turn = joint.difference(q0, q1)
        assert np.abs(turn[:3]).max() == pytest.approx(math.pi)
        reached = joint.integrate(q0, turn)
        np.testing.assert_allclose(
            dense(joint.transform(reached)), dense(joint.transform(q1)), atol=1e-14
        )


@BALLS
@pytest.mark.parametrize("turns", [3.5, 6.0, 20.0, 1000.0])
def test_large_turns_go_round(joint, turns):
    """integrate takes any length; n small steps end where one large step does."""
    rng = np.random.default_rng(10)
    axis = rng.normal(size=3)
    step = np.r_[turns * axis / np.linalg.norm(axis), rng.normal(size=joint.nv - 3)]
    q = random_q(joint, rng)
    many = q
    for _ in range(64):
        many = joint.integrate(many, list(step / 64))
    once = joint.integrate(q, list(step))
    np.testing.assert_allclose(
        dense(joint.transform(many)), dense(joint.transform(once)), atol=1e-11
    )
    assert sum(x * x for x in once[:4]) == pytest.approx(1.0, abs=1e-15)


@BALLS
def test_a_quaternion_and_its_negative_are_one_place(joint):
    rng = np.random.default_rng(11)
    q = random_q(joint, rng)
    minus = [-x for x in q[:4]] + q[4:]
    np.testing.assert_allclose(joint.difference(q, minus), np.zeros(joint.nv), atol=1e-15)
    np.testing.assert_allclose(dense(joint.transform(q)), dense(joint.transform(minus)))


def test_the_free_joint_moves_along_a_screw():
    """integrate is the exponential of SE(3): against the 4x4 matrix exponential."""
    joint = Free()
    q, v, _ = numbers(joint, 12)
    w, u = np.split(v, 2)
    twist4 = np.zeros((4, 4))
    twist4[:3, :3] = np.array([np.cross(w, e) for e in np.eye(3)]).T
    twist4[:3, 3] = u

    there = pose(joint.transform(joint.integrate(q, list(v))))
    np.testing.assert_allclose(there, pose(joint.transform(q)) @ expm(twist4), atol=1e-13)
