"""The torque regressor: tau = Y pi, its columns, and the parameters that forces can tell apart."""

from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import armillary as am
from armillary.evaluate.request import CompileOptions
from compare import close
from oracles.pinocchio_model import pin_from_urdf
from robots import robot
from samples import random_model, random_state

FAST = CompileOptions(tier=1)


@cache
def tree(seed: int) -> am.Mechanism:
    """All joint types, welds, friction and rotors: the latter two are not in the regressor."""
    return am.Mechanism(random_model(500 + seed, None, 2 + seed % 6, passive=seed % 2 == 0), FAST)


# ---------------------------------------------------------------- tau = Y pi


@pytest.mark.parametrize("seed", range(0, 15, 2))
def test_forces_are_linear_in_the_parameters(seed):
    mechanism = tree(seed)
    q, v, a = random_state(mechanism.model, seed)
    Y = mechanism.regressor(q, v, a)
    assert Y.shape == (mechanism.nv, 10 * len(mechanism.bodies))
    tau = mechanism.inverse_dynamics(q, v, a, passive=False)
    close(Y @ mechanism.parameters, tau, 1e-12)


def test_a_moving_base_is_felt():
    mechanism = tree(3).replace(base_velocity=(0.5, 0.1, -0.4, 1.0, 0.2, 0.0),
                                base_acceleration=(0.1, 0.9, 0.3, -1.0, 0.5, 2.0))  # fmt: skip
    q, v, a = random_state(mechanism.model, 1)
    tau = mechanism.inverse_dynamics(q, v, a, passive=False)
    close(mechanism.regressor(q, v, a) @ mechanism.parameters, tau, 1e-12)


def test_straight_lines_and_batches():
    loops = tree(1)
    straight = loops.compile(tier=2)
    rows = [random_state(loops.model, k) for k in range(9)]
    Q, V, A = (np.array(x) for x in zip(*rows, strict=True))
    many = loops.regressor(Q, V, A)
    for k in range(9):
        np.testing.assert_array_equal(many[k], loops.regressor(*rows[k]))
    close(straight.regressor(Q, V, A), many, 1e-12)


# ---------------------------------------------------------------- columns are derivatives


def moved(mechanism: am.Mechanism, body: str, change: np.ndarray) -> am.Mechanism:
    """The mechanism with the ten parameters of a body changed."""
    k = 10 * mechanism.bodies.index(body)
    m, *rest = mechanism.parameters[k : k + 10] + change
    h, I = np.array(rest[:3]), np.array(rest[3:])
    com = h / m
    x, y, z = com  # tensor about the centre: less m (c·c 1 - c c^T)
    shift = m * np.array([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])
    return mechanism.replace(bodies={body: {"mass": m, "com": tuple(com),
                                            "inertia": tuple(I - shift)}})  # fmt: skip


def test_parameters_come_back():
    mechanism = tree(2)
    again = moved(mechanism, mechanism.bodies[0], np.zeros(10))
    np.testing.assert_allclose(again.parameters, mechanism.parameters, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", [1, 3])
def test_columns_are_changes_of_force(seed):
    """tau is linear in them: two mechanisms give the column to rounding."""
    mechanism = tree(seed)
    q, v, a = random_state(mechanism.model, seed)
    Y = mechanism.regressor(q, v, a)
    tau = mechanism.inverse_dynamics(q, v, a, passive=False)
    for n, body in enumerate(mechanism.bodies[:3]):
        for k in range(10):
            step = np.zeros(10)
            step[k] = 1e-4
            other = moved(mechanism, body, step)
            slope = (other.inverse_dynamics(q, v, a, passive=False) - tau) / 1e-4
            close(Y[:, 10 * n + k], slope, 1e-8, mechanism.parameter_names[10 * n + k])


def test_accelerations_change_with_the_parameters():
    """da/dpi = -M^-1 Y at the accelerations found."""
    mechanism = tree(5)
    q, v, tau = random_state(mechanism.model, 4)
    a = mechanism.forward_dynamics(q, v, tau, passive=False)
    M = mechanism.mass_matrix(q, passive=False)
    slopes = -np.linalg.solve(M, mechanism.regressor(q, v, a))
    body = mechanism.bodies[-1]
    k = 10 * (len(mechanism.bodies) - 1)
    step = np.zeros(10)
    step[0] = 1e-4
    up, down = (moved(mechanism, body, sign * step) for sign in (1, -1))
    found = (up.forward_dynamics(q, v, tau, passive=False)
             - down.forward_dynamics(q, v, tau, passive=False)) / 2e-4  # fmt: skip
    close(slopes[:, k], found, 1e-6)


def test_names_follow_the_columns():
    mechanism = tree(1)
    names = mechanism.parameter_names
    assert len(names) == len(mechanism.parameters) == 10 * len(mechanism.bodies)
    assert names[0] == f"{mechanism.bodies[0]}.mass"
    masses = mechanism.parameters[0::10]
    assert list(masses) == pytest.approx([b.mass.mass for b in mechanism.model.bodies])


# ---------------------------------------------------------------- another engine

# Pinocchio: m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz about the joint's origin
THEIR_ORDER = [0, 1, 2, 3, 4, 7, 5, 8, 9, 6]


def test_panda_against_pinocchio():
    """Bodies welded to a link are part of its parameters there: compare columns of moving ones."""
    ours = am.load(robot("panda")).compile(tier=1)
    theirs = pin_from_urdf(robot("panda"), "fixed", ours.model)
    q, v, a = random_state(ours.model, 1)
    Y = ours.regressor(q, v, a)
    other = pin.computeJointTorqueRegressor(
        theirs.model, theirs.data, theirs.q(q), theirs.v(v), theirs.v(a)
    )
    other = theirs.back(np.array(other).T).T
    for k in range(1, theirs.model.njoints):
        joint = theirs.model.names[k]
        n = ours.joints.index(joint)
        want = other[:, 10 * (k - 1) : 10 * k]
        close(Y[:, 10 * n : 10 * n + 10][:, THEIR_ORDER], want, 1e-11, joint)


# ---------------------------------------------------------------- base parameters


@cache
def six_r() -> am.Mechanism:
    """Six hinges in no special position; the world holds the first."""
    model = random_model(77, ("revolute",), 6, branching=0, roots=0)
    return am.Mechanism(model, FAST)


def test_a_general_six_axis_arm_has_36_on_an_upright_axis():
    """Of a hinged body three combinations slip into its neighbour: 7 each.  The first one turns
    about one fixed axis only: 3 where gravity is across the axis, 1 where it is upright."""
    upright = six_r()
    first = upright.model.bodies[0]
    axis = np.array(first.at.rotation) @ np.array(first.joint.axes[0])
    arm = upright.replace(gravity=tuple(-9.81 * axis))
    assert arm.base_parameters(60).rank == 36
    assert six_r().base_parameters(60).rank == 38


def test_other_known_counts():
    """A hinge: its inertia, and two moments where gravity is across it.  A free body: all ten."""
    hinge = random_model(5, ("revolute",), 1)
    assert am.Mechanism(hinge, FAST).base_parameters(30).rank == 3
    assert am.Mechanism(random_model(6, ("free",), 1), FAST).base_parameters(30).rank == 10
    assert am.Mechanism(random_model(7, ("prismatic",), 1), FAST).base_parameters(30).rank == 1
    ball = am.Mechanism(random_model(8, ("spherical",), 1), FAST)
    assert ball.base_parameters(30).rank == 9


@pytest.mark.parametrize("which", ["six", "tree"])
def test_base_parameters_are_enough(which):
    """At fresh states, the forces from the few combinations alone."""
    mechanism = six_r() if which == "six" else tree(5)
    base = mechanism.base_parameters(80, seed=1)
    beta = base.matrix @ mechanism.parameters
    assert base.matrix.shape == (base.rank, 10 * len(mechanism.bodies))
    for seed in range(5):
        q, v, a = random_state(mechanism.model, 900 + seed)
        Y = mechanism.regressor(q, v, a)
        tau = mechanism.inverse_dynamics(q, v, a, passive=False)
        close(Y[:, list(base.columns)] @ beta, tau, 1e-8)


def test_base_parameters_cannot_be_fewer():
    """The chosen columns are independent, and every other parameter set with the same base
    parameters gives the same forces."""
    mechanism = six_r()
    base = mechanism.base_parameters(60)
    rows = [mechanism.regressor(*random_state(mechanism.model, 700 + k)) for k in range(40)]
    Y = np.concatenate(rows)
    assert np.linalg.matrix_rank(Y[:, list(base.columns)]) == base.rank
    assert np.linalg.matrix_rank(Y, tol=1e-9 * np.linalg.norm(Y, 2)) == base.rank
    hidden = np.linalg.svd(base.matrix)[2][base.rank :]
    close(Y @ hidden.T, np.zeros((len(Y), len(hidden))), 1e-7)


def test_identification_finds_the_base_parameters():
    """Forces at random states, least squares on the base columns: the true combinations."""
    mechanism = six_r()
    base = mechanism.base_parameters(60)
    states = [random_state(mechanism.model, k) for k in range(40)]
    Y = np.concatenate([mechanism.regressor(*s) for s in states])[:, list(base.columns)]
    tau = np.concatenate([mechanism.inverse_dynamics(*s, passive=False) for s in states])
    found = np.linalg.lstsq(Y, tau, rcond=None)[0]
    close(found, base.matrix @ mechanism.parameters, 1e-7)


def test_base_parameters_print_their_combinations():
    base = six_r().base_parameters(60)
    text = str(base)
    assert text.startswith(f"{base.rank} base parameters of 60")
    assert "body5." in text
    assert len(base.names) == base.rank
    assert (np.diff(base.singular_values) <= 1e-12).all()
