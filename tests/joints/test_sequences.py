"""Closed forms of the six-parameter joint and its relatives, with the misprints set right."""

import math
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

from armillary.joints import Cylindrical, Free, General, Gimbal, Helical, Planar, Universal
from armillary.spatial import Motion
from dense import array, columns, skew

STEP = 1e-6


def rate_of(f, q, v):
    """Derivative of f(q) along q' = v, by central differences (error about 1e-10)."""
    q, v = np.asarray(q), np.asarray(v)
    return (f(q + STEP * v) - f(q - STEP * v)) / (2 * STEP)


def test_rotation_of_three_turns():
    """A = Rot(z) Rot(y) Rot(x) as coordinate transforms  [VanDerMerwe1995, 2.20-2.28].

    Entry (2, 3) is sz sy cx + cz sx; two of its letters are misprinted (errata 0-2)."""
    x, y, z = sp.symbols("x y z", real=True)
    E = Gimbal(("rx", "ry", "rz")).transform((x, y, z)).E.rows
    cx, cy, cz, sx, sy, sz = (
        *(sp.cos(a) for a in (x, y, z)),
        *(sp.sin(a) for a in (x, y, z)),
    )
    expected = [
        [cz * cy, cz * sy * sx + sz * cx, sz * sx - cz * sy * cx],
        [-sz * cy, cz * cx - sz * sy * sx, sz * sy * cx + cz * sx],
        [sy, -cy * sx, cy * cx],
    ]
    for i in range(3):
        for k in range(3):
            assert sp.expand(E[i][k] - expected[i][k]) == 0


def test_motion_space_of_three_turns():
    """Columns Rot(z) Rot(y) e_x, Rot(z) e_y, e_z  [2.38, 2.39]."""
    q = (0.3, -0.7, 1.1)
    S = columns(Gimbal(("rx", "ry", "rz")).motion_space(q))
    _, y, z = q
    expected = np.array(
        [
            [math.cos(z) * math.cos(y), -math.sin(z) * math.cos(y), math.sin(y)],
            [math.sin(z), math.cos(z), 0.0],
            [0.0, 0.0, 1.0],
        ]
    ).T
    np.testing.assert_allclose(S[:3], expected, atol=1e-15)
    np.testing.assert_array_equal(S[3:], np.zeros((3, 3)))


def test_rate_of_the_rotation():
    """dA/dt = -ω~ A with ω relative, in the outer frame (errata 0-24: not A^T ω~ A)."""
    joint = Gimbal(("rx", "ry", "rz"))
    q, v = np.array([0.4, -0.9, 2.0]), np.array([0.7, -1.3, 0.5])
    A = array(joint.transform(q).E)
    w = array(joint.motion_space(q) @ v)[:3]
    rate = rate_of(lambda x: array(joint.transform(x).E), q, v)
    np.testing.assert_allclose(rate, -skew(w) @ A, atol=1e-9)
    assert np.abs(rate - A.T @ skew(w) @ A).max() > 0.5


def test_rate_of_the_axes():
    """Axis k moves with *minus* the velocity of the later turns (errata 0-25)."""
    joint = Gimbal(("rx", "ry", "rz"))
    q, v = np.array([0.4, -0.9, 2.0]), np.array([0.7, -1.3, 0.5])
    S = columns(joint.motion_space(q))[:3]
    rate = rate_of(lambda x: columns(joint.motion_space(x))[:3], q, v)
    ours = columns(joint.motion_space_rate(q, v))[:3]
    np.testing.assert_allclose(ours, rate, atol=1e-9)
    later = S[:, 1] * v[1] + S[:, 2] * v[2]
    np.testing.assert_allclose(rate[:, 0], -np.cross(later, S[:, 0]), atol=1e-9)
    assert np.abs(rate[:, 0] - np.cross(later, S[:, 0])).max() > 0.5


def test_slide_on_a_turn_has_coriolis_acceleration():
    """A bead on a turning rod: 2 ω × u inside one joint (errata 0-13).

    Classical acceleration of the body's origin at constant rates: -ω² r outward, 2 ω u across."""
    joint = Gimbal(("rz", "dx"))
    q, v = (0.8, 0.5), (2.0, 0.3)
    velocity = joint.motion_space(q) @ v
    classical = joint.bias(q, v).classical(velocity)
    np.testing.assert_allclose(
        array(classical), [0, 0, 0, -(2.0**2) * 0.5, 2 * 2.0 * 0.3, 0], atol=1e-14
    )


def test_two_columns_fewer_turns():
    """Turns x and z only: the first axis is Rot(z) e_x (errata 0-3)."""
    S = columns(Gimbal(("rx", "rz")).motion_space((0.5, 0.9)))
    np.testing.assert_allclose(S[:3, 0], [math.cos(0.9), -math.sin(0.9), 0.0])
    np.testing.assert_allclose(S[:3, 1], [0, 0, 1])


def test_singular_gimbal():
    """At ry = 90 degrees the first and third axis fall together and one freedom is lost."""
    S = columns(Gimbal(("rx", "ry", "rz")).motion_space((0.3, math.pi / 2, 0.8)))
    assert np.linalg.matrix_rank(S, tol=1e-12) == 2
    assert np.linalg.svd(S)[1][2] == pytest.approx(0.0, abs=1e-15)


def screw(w=(0, 0, 0), v=(0, 0, 0)):
    return Motion.from_leaves([float(x) for x in (*w, *v)])


X, Y, Z = np.eye(3)


@pytest.mark.parametrize(
    ("special", "general", "order"),
    [
        (Universal(), [screw(X), screw(Y)], (0, 1)),
        (Planar(), [screw(v=X), screw(v=Y), screw(Z)], (1, 2, 0)),
        (Cylindrical(), [screw(Z), screw(v=Z)], (0, 1)),
        (Helical(0.3), [screw(Z, 0.3 * Z)], (0,)),
        (Gimbal(("rx", "rz", "dy")), [screw(X), screw(Z), screw(v=Y)], (0, 1, 2)),
        (
            Gimbal(("rx", "ry", "rz", "dx", "dy", "dz")),
            [screw(X), screw(Y), screw(Z), screw(v=X), screw(v=Y), screw(v=Z)],
            range(6),
        ),
    ],
    ids=["universal", "planar", "cylindrical", "helical", "gimbal-3", "gimbal-6"],
)
def test_special_joints_are_general_joints(special, general, order):
    """The same mechanism written as a product of exponentials of its axes."""
    rng = np.random.default_rng(3)
    joint = General(general)
    q, v = rng.normal(size=(2, special.nv))
    Q, V = q[list(order)], v[list(order)]
    ours, theirs = special.transform(q), joint.transform(Q)
    np.testing.assert_allclose(array(ours.E), array(theirs.E), atol=1e-14)
    np.testing.assert_allclose(array(ours.r), array(theirs.r), atol=1e-14)
    S, G = columns(special.motion_space(q)), columns(joint.motion_space(Q))
    np.testing.assert_allclose(S[:, list(order)], G, atol=1e-14)
    np.testing.assert_allclose(array(special.bias(q, v)), array(joint.bias(Q, V)), atol=1e-13)


def test_a_general_axis_passes_through_its_point():
    """A turn about a line leaves the points of the line where they are."""
    point, direction = np.array([0.3, -1.0, 2.0]), np.array([2.0, 3.0, 6.0]) / 7.0
    joint = General([screw(direction, np.cross(point, direction))])
    X_BJ = joint.transform([1.3])
    for along in (0.0, 1.0, -4.0):
        p = point + along * direction
        np.testing.assert_allclose(array(X_BJ.E) @ (p - array(X_BJ.r)), p, atol=1e-14)


def test_parameters_go_round():
    """Joints of one type differ by their numbers only, and take other numbers back."""
    helix = Helical(0.3).with_parameters((0.5,))
    assert helix.pitch == 0.5
    general = General([screw(X), screw(v=Y)])
    again = general.with_parameters([2.0 * x for x in general.parameters()])
    assert again.parameters() == tuple(2.0 * x for x in general.parameters())
    assert again.key() == general.key()
    assert Free().with_parameters(()).parameters() == ()


def test_keys_tell_types_apart():
    joints = [
        Universal(), Planar(), Cylindrical(), Free(), Gimbal(("rx",)), Gimbal(("ry",)),
        General([screw(X)]), General([screw(v=X)]), General([screw(X), screw(Y)]),
    ]  # fmt: skip
    keys = sorted(str(joint.key()) for joint in joints)
    assert all(a != b for a, b in pairwise(keys))
    assert Helical(0.1).key() == Helical(0.2).key()


def test_motion_space_of_symbols():
    """SymPy: S of a gimbal is the symbolic derivative of its own transform."""
    x, z, d = sp.symbols("x z d", real=True)
    joint = Gimbal(("rx", "rz", "dy"))
    q = (x, z, d)
    transform = joint.transform(q)
    E = sp.Matrix([list(row) for row in transform.E.rows])
    r = sp.Matrix(list(transform.r))
    for k, coordinate in enumerate(q):
        column = joint.motion_space(q)[k]
        spin = E.diff(coordinate) * E.T  # -ω~
        w = sp.Matrix([-spin[2, 1], -spin[0, 2], -spin[1, 0]])
        u = E * r.diff(coordinate)
        difference = sp.Matrix([*w, *u]) - sp.Matrix(list(column.leaves()))
        assert difference.applyfunc(lambda e: sp.trigsimp(sp.expand(e))) == sp.zeros(6, 1)
