"""Example one of [QuinnChang1991, section 5]: two equal links, the hand on a straight line.

Case 004_planar_two_link; every recorded value is asserted.  The hand moves from (1, 1) ft to
(3, 3) ft with cos(t) ft/s² in each axis (errata 4-9), without gravity and with 9.81 m/s² along -y,
elbow on either side.  The adaptive re-simulations are rounding noise there: bounded, not compared.
"""

import numpy as np
import pytest

import armillary as am
from seeds.cases import assert_rows, assert_value, case, columns, motion, table

LINE = case("004_planar_two_link")
FOOT = 0.305
BRANCH = {"pos": 1.0, "neg": -1.0}


def build(gravity: float) -> am.Mechanism:
    builder = am.Builder("planar", (0.0, -gravity, 0.0))
    parent, at = "world", 0.0
    for k, body in enumerate(LINE.problem["bodies"]):
        I = body["inertia_com_zz"]
        builder.body(f"link{k}", parent, "revolute", (at, 0, 0), axis="z", mass=body["mass"],
                     com=body["com"], inertia=(0.0, I, I))  # fmt: skip
        parent, at = f"link{k}", body["length"]
    builder.frame("hand", parent, (at, 0, 0))
    return builder.build()


ARMS = {"g0": build(0.0), "g981": build(9.81)}


def joint_motion(t, side: float):
    """q, v, a of the hand's line: place in closed form, rates through J and its derivative."""
    arm = ARMS["g0"]
    t = np.atleast_1d(t)
    length = LINE.problem["bodies"][0]["length"]
    diagonal = np.ones(2) * FOOT
    place = np.outer(2 - np.cos(t), diagonal)
    fold = np.arccos(np.sum(place**2, axis=1) / (2 * length**2) - 1)
    q = np.stack([np.arctan2(place[:, 1], place[:, 0]) - side * fold / 2, side * fold], axis=1)
    J = arm.jacobian(q, "hand", "world_aligned")[:, 3:5]
    v = np.linalg.solve(J, np.outer(np.sin(t), diagonal)[..., None])[..., 0]
    dJ = arm.jacobian_dot(q, v, "hand", "world_aligned")[:, 3:5]
    rest = np.outer(np.cos(t), diagonal) - np.einsum("bij,bj->bi", dJ, v)
    return q, v, np.linalg.solve(J, rest[..., None])[..., 0]


@pytest.mark.parametrize("branch", BRANCH)
def test_motion_and_torques_along_the_line(branch):
    data = table("004_planar_example_reference")
    t = np.linspace(0, np.pi, 101)
    q, v, a = joint_motion(t, BRANCH[branch])
    assert_rows(t[:, None], data["t"][:, None], 1e-11)
    for name, values in (("q", q), ("qd", v), ("qdd", a)):
        assert_rows(values, columns(data, f"{name}1_{branch}", f"{name}2_{branch}"), 1e-11)
    for weight, arm in ARMS.items():
        recorded = columns(data, f"tau1_{weight}_{branch}", f"tau2_{weight}_{branch}")
        tau = arm.inverse_dynamics(q, v, a)
        assert_rows(tau, recorded, 1e-11)
        np.testing.assert_allclose(arm.forward_dynamics(q, v, tau), a, rtol=0, atol=1e-12)


@pytest.mark.parametrize("quantity, t", [("t=0", 0.0), ("t=pi", np.pi)])
def test_ends_of_the_line(quantity, t):
    value = LINE[f"joint state at {quantity} (branch q2>0)"]
    q, v, a = (row[0] for row in joint_motion(t, 1.0))
    assert_value(q, value["q"])
    assert_value(v, value["qd"])
    assert_value(a, value["qdd"])
    assert_value(ARMS["g0"].inverse_dynamics(q, v, a), value["tau_g0"])


def test_peak_torques():
    q, v, a = joint_motion(np.linspace(0, np.pi, 101), 1.0)
    peak = np.abs(ARMS["g0"].inverse_dynamics(q, v, a)).max(axis=0)
    assert_value(peak, LINE["peak |tau| (branch q2>0, no gravity, 101 samples)"])


# -- the torques put back in, open loop ----------------------------------------------------------


def rate_of(arm, side: float):
    def rate(t, x):
        q, v, a = (row[0] for row in joint_motion(t, side))
        tau = arm.inverse_dynamics(q, v, a)
        return np.concatenate([x[2:], arm.forward_dynamics(x[:2], x[2:], tau)])

    return rate


def end_errors(x, side: float):
    q, v, _ = (row[0] for row in joint_motion(np.pi, side))
    return np.abs(x[:2] - q).max(), np.abs(x[2:] - v).max()


def start(side: float) -> np.ndarray:
    q, v, _ = (row[0] for row in joint_motion(0.0, side))
    return np.concatenate([q, v])


@pytest.mark.parametrize("branch", BRANCH)
@pytest.mark.parametrize("steps, digits", [(31, 1e-7), (63, 2e-6), (314, 1e-3)])
def test_errors_of_runge_kutta_runs(branch, steps, digits):
    """The truncation errors of classical Runge-Kutta are recorded; `digits` is what rounding of
    1e-14 leaves of them."""
    side = BRANCH[branch]
    rate, x, h = rate_of(ARMS["g0"], side), start(side), np.pi / steps
    for t in np.arange(steps) * h:
        k1 = rate(t, x)
        k2 = rate(t + h / 2, x + h / 2 * k1)
        k3 = rate(t + h / 2, x + h / 2 * k2)
        k4 = rate(t + h, x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    recorded = LINE["open-loop re-simulation error at t=pi (max |dq|, max |dqd|)"]
    recorded = recorded[f"branch {side:+.0f}"][f"RK4 {steps} steps"]
    np.testing.assert_allclose(end_errors(x, side), recorded, rtol=digits)


@pytest.mark.parametrize("branch", BRANCH)
@pytest.mark.parametrize("weight, bound", [("g0", 1e-12), ("g981", 1e-7)])
def test_adaptive_run_comes_back_to_the_line(branch, weight, bound):
    """With gravity the open loop is unstable: rounding grows by five powers of ten, so the
    recorded 3e-10 is one sample of noise."""
    side = BRANCH[branch]
    end = motion(rate_of(ARMS[weight], side), start(side), [0.0, np.pi])[-1]
    assert max(end_errors(end, side)) < bound
