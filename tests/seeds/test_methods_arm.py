"""Inverse Arm and Forward Arm by the document's equations, against its numbers and the engine."""

import math

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from seeds.cases import assert_value, case
from seeds.test_six_r import build

SIX = case("001_synthetic_6r")
INVERSE = SIX["inverse arm: q,qd,qdd -> tau"]
Q, V, A = (np.array(INVERSE[name]) for name in ("q", "qd", "qdd"))


def arm_of(seed: int, structured: bool) -> am.Mechanism:
    """Five joints: any numbers, or right and half angles, zeros and axes that fall together."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(5):
        right = [0.0, math.pi / 2, -math.pi / 2, math.pi]
        X = random.normal(size=(3, 6))
        J = X @ X.T
        rows.append(
            {
                "a": random.choice([0.0, 0.3]) if structured else random.normal(),
                "d": random.choice([0.0, -0.2]) if structured else random.normal(),
                "alpha": random.choice(right) if structured else random.uniform(-3, 3),
                "theta": random.choice(right) if structured else random.uniform(-3, 3),
                "mass": random.uniform(0.5, 3.0),
                "com": random.normal(size=3) * (0.0 if structured else 0.3),
                "inertia": np.trace(J) * np.eye(3) - J,
                "friction": random.uniform(0.0, 1.0),
            }
        )
    return am.dh(rows, gravity=(0.7, -1.2, -9.0))


MACHINES = [arm_of(seed, structured) for structured in (False, True) for seed in range(3)]
ARMS = [*MACHINES, am.example("direct-drive")]


def test_the_numbers_of_the_document():
    arm = build()
    assert_value(am.methods.inverse_arm(arm, Q, V, A).tau, INVERSE["tau"])
    loss = build(friction=True)
    assert_value(am.methods.inverse_arm(loss, Q, V, A).tau, INVERSE["tau with friction b"])
    assert_value(am.methods.walker_orin(arm, Q, 3), SIX["H (16-26) at q"])
    free = am.methods.forward_arm(arm, Q, V, np.zeros(6))
    assert_value(free.alpha, SIX["forward arm: tau=0 -> qdd"])
    assert_value(free.bias, SIX["bias vector B (14) at q,qd"])


@pytest.mark.parametrize("k", range(len(ARMS)))
def test_the_engine_says_the_same(k):
    arm = ARMS[k]
    q, v, a = arm.random_state(seed=k)
    found = am.methods.inverse_arm(arm, q, v, a)
    tau = arm.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(found.tau, tau, rtol=0, atol=1e-12 * np.abs(tau).max())
    M = arm.mass_matrix(q)
    for method in (1, 2, 3):
        H = am.methods.walker_orin(arm, q, method)
        np.testing.assert_allclose(H, M, rtol=0, atol=1e-12 * np.abs(M).max())
    wanted = arm.forward_dynamics(q, v, tau)
    for method in (1, 2, 3, 4):
        alpha = am.methods.forward_arm(arm, q, v, tau, method=method).alpha
        np.testing.assert_allclose(alpha, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())


@pytest.mark.parametrize("k", range(len(ARMS)))
def test_the_vectors_on_the_way(k):
    """Motion of the last frame and the wrench in every joint, by the engine's questions."""
    arm = ARMS[k]
    q, v, a = arm.random_state(seed=k)
    found = am.methods.inverse_arm(arm, q, v, a)
    frame = f"{arm.bodies[-1]}_dh"
    velocity = arm.velocity(q, v, frame)
    np.testing.assert_allclose([*found.omega[-1], *found.v[-1]], velocity, atol=1e-10)
    acceleration = arm.acceleration(q, v, a, frame)
    R, _ = arm.pose(q, frame)
    felt = acceleration[3:] - R.T @ np.array(arm.model.gravity)
    np.testing.assert_allclose(found.omega_d[-1], acceleration[:3], atol=1e-9)
    np.testing.assert_allclose(found.v_d[-1], felt, atol=1e-9)
    # the body frame sits on the joint: force and moment there, turned to the frame of the link
    wrench = arm.reactions(q, v, a)[arm.bodies[0]]
    R_body, _ = arm.pose(q, arm.bodies[0])
    R_link, _ = arm.pose(q, f"{arm.bodies[0]}_dh")
    turn = R_link.T @ R_body
    size = np.abs(wrench).max()
    np.testing.assert_allclose(found.n[0], turn @ wrench[:3], rtol=0, atol=1e-11 * size)
    np.testing.assert_allclose(found.f[0], turn @ wrench[3:], rtol=0, atol=1e-11 * size)


def test_the_hand_pushes():
    """f_hand is exerted by the hand (errata 1-5): tau grows by J^T of it."""
    arm = MACHINES[0]
    q, v, a = arm.random_state(seed=1)
    f, n = np.array([1.0, -2.0, 3.0]), np.array([0.3, 0.1, -0.2])
    frame = f"{arm.bodies[-1]}_dh"
    more = am.methods.inverse_arm(arm, q, v, a, f, n).tau - am.methods.inverse_arm(arm, q, v, a).tau
    np.testing.assert_allclose(more, arm.jacobian(q, frame).T @ [*n, *f], atol=1e-11)
    external = arm.inverse_dynamics(q, v, a, external={frame: -np.array([*n, *f])})
    found = am.methods.inverse_arm(arm, q, v, a, f, n)
    np.testing.assert_allclose(found.tau, external, atol=1e-10)
    tau = am.methods.forward_arm(arm, q, v, found.tau, f, n, method=2)
    np.testing.assert_allclose(tau.alpha, a, atol=1e-8)


def test_what_it_does_not_know_is_refused():
    q = np.zeros(5)
    with pytest.raises(ModelError, match="one chain of revolute joints"):
        am.methods.inverse_arm(am.example("stanford"), q, q, q)
    slide = am.dh([{"type": "prismatic", "mass": 1.0}])
    with pytest.raises(ModelError, match="slides"):
        am.methods.inverse_arm(slide, [0.0], [0.0], [0.0])
    dry = am.dh([{"mass": 1.0, "inertia": (1, 1, 1), "friction": {"coulomb": 1.0}}])
    with pytest.raises(ModelError, match="passive=False"):
        am.methods.inverse_arm(dry, [0.0], [0.0], [0.0])
    assert am.methods.inverse_arm(dry, [0.0], [1.0], [1.0], passive=False).tau == pytest.approx(1.0)
    with pytest.raises(InputError, match="method"):
        am.methods.walker_orin(MACHINES[0], q, 4)
    with pytest.raises(ModelError, match="four-bar"):
        am.methods.inverse_arm(am.example("four-bar"), np.zeros(3), np.zeros(3), np.zeros(3))
    with pytest.raises(InputError, match="f_hand"):
        am.methods.inverse_arm(MACHINES[0], q, q, q, f_hand=(1.0,))


def test_it_prints_its_work():
    text = str(am.methods.inverse_arm(MACHINES[0], *MACHINES[0].random_state(seed=1)))
    assert "net force (6)" in text and "tau [N m]" in text
