"""A six-revolute arm by the equations of [Swartz1982], case 001_synthetic_6r.

Not covered: "time step / smallest mechanical time constant" (no motor data are printed for it).
Voltages are converted here, R i = V - Kt v, tau = Kt i (eqs 11, 12): motors in time live in `sim`.
"""

import numpy as np
import pytest

import armillary as am
from seeds.cases import assert_value, case, six_numbers

SIX = case("001_synthetic_6r")
INVERSE = SIX["inverse arm: q,qd,qdd -> tau"]
Q, V, A = (np.array(INVERSE[name]) for name in ("q", "qd", "qdd"))
R, KT = (np.array([motor[name] for motor in SIX.problem["motors"]]) for name in ("R", "Kt"))


def build(friction: bool = False) -> am.Mechanism:
    rows = []
    for row, link, viscous in zip(
        SIX.problem["dh"], SIX.problem["links"], SIX.problem["friction"], strict=True
    ):
        rows.append(
            {"a": row["a"], "d": row["r"], "alpha": row["alpha"], "mass": link["mass"],
             "com": link["com"], "inertia": six_numbers(link["inertia_com"])}
            | ({"friction": viscous} if friction else {})
        )  # fmt: skip
    return am.dh(rows, gravity=(0.0, 0.0, -SIX.problem["gravity"]["g"]))


@pytest.fixture(scope="module")
def arm() -> am.Mechanism:
    return build()


def test_inverse_arm(arm):
    """Eqs 1-10 (errata 1-1, 1-6), and the voltage of every motor (11)."""
    tau = arm.inverse_dynamics(Q, V, A)
    assert_value(tau, INVERSE["tau"])
    assert_value(tau * R / KT + KT * V, INVERSE["voltage (11)"])


def test_built_in_arm():
    """The example has exact right angles, the case 12 digits of them; its motors are the same."""
    arm = am.example("six-r")
    assert_value(arm.inverse_dynamics(Q, V, A), INVERSE["tau"], rounding=5e-12)
    motors = [body.motor for body in arm.model.bodies]
    assert [(m.resistance, m.torque_constant) for m in motors] == list(zip(R, KT, strict=True))


def test_inverse_arm_with_friction():
    assert_value(build(friction=True).inverse_dynamics(Q, V, A), INVERSE["tau with friction b"])
    assert_value(build(friction=True).inverse_dynamics(Q, V, A, passive=False), INVERSE["tau"])


def test_bias_forces(arm):
    """Eq 14."""
    assert_value(arm.bias_forces(Q, V), SIX["bias vector B (14) at q,qd"])


def test_mass_matrix_by_two_methods(arm):
    """Composite bodies (method 3, eqs 16-26; errata 1-12, 1-13) and unit accelerations with
    gravity and velocities off (method 1; errata 1-8)."""
    H = arm.mass_matrix(Q)
    assert_value(H, SIX["H (16-26) at q"])
    still = arm.replace(gravity=(0.0, 0.0, 0.0))
    units = still.inverse_dynamics(Q, np.zeros(6), np.eye(6))
    assert_value(units.T, SIX["H (16-26) at q"])
    np.testing.assert_allclose(units.T, H, rtol=0, atol=1e-14)


def test_forward_arm(arm):
    recorded = SIX["forward arm: tau=0 -> qdd"]
    assert_value(arm.forward_dynamics(Q, V, np.zeros(6)), recorded)
    M, h = arm.mass_matrix(Q), arm.bias_forces(Q, V)
    assert_value(np.linalg.solve(M, -h), recorded)


def test_hand_load(arm):
    """The hand exerts f, n on its surroundings, in the axes of frame 6 (errata 1-5)."""
    by_hand = np.array([0.1, -0.2, 0.3, 1.0, 2.0, -3.0])
    tau = arm.inverse_dynamics(Q, V, A, external={"link6_dh": -by_hand})
    recorded = "hand load: f_{N+1}=(1,2,-3), n_{N+1}=(.1,-.2,.3) added (exerted BY the hand)"
    assert_value(tau, SIX[recorded])
    J = arm.jacobian(Q, "link6_dh")
    assert_value(arm.inverse_dynamics(Q, V, A) + J.T @ by_hand, SIX[recorded])


def test_link_vectors(arm):
    """p_i = (a, r sin(alpha), r cos(alpha)) from frame i-1 to i, in frame i (errata 1-1)."""
    for k, row in enumerate(SIX.problem["dh"]):
        before = f"link{k}_dh" if k else "world"
        R_here, here = arm.pose(Q, f"link{k + 1}_dh")
        _, there = arm.pose(Q, before)
        expected = [row["a"], row["r"] * np.sin(row["alpha"]), row["r"] * np.cos(row["alpha"])]
        np.testing.assert_allclose(R_here.T @ (here - there), expected, atol=1e-11)


# -- 0.2 s under constant voltages ---------------------------------------------------------------


def kutta(f, x, h: float):
    """Kutta's third-order step (errata 1-14, 1-15)."""
    k1 = f(x)
    k2 = f(x + h / 2 * k1)
    k3 = f(x + 2 * h * k2 - h * k1)
    return x + h / 6 * (k1 + 4 * k2 + k3)


def printed_kutta(f, x, h: float):
    """The step as printed: the second half of the third stage uses velocities for accelerations."""
    k1 = f(x)
    k2 = f(x + h / 2 * k1)
    third = x + 2 * h * k2 - h * k1
    third[6:] = x[6:] + 2 * h * k2[6:] - h * k1[:6]
    return x + h / 6 * (k1 + 4 * k2 + f(third))


def run(arm, step, h: float) -> np.ndarray:
    sim = SIX.problem["simulation"]
    voltages = np.array(sim["voltages"])

    def rate(x):
        q, v = x[:6], x[6:]
        tau = KT / R * (voltages - KT * v)  # eq 12
        return np.concatenate([v, arm.forward_dynamics(q, v, tau)])

    x = np.concatenate([sim["q0"], sim["qd0"]]).astype(float)
    for _ in range(round(sim["duration"] / h)):
        x = step(rate, x, h)
    return x


def both(value: dict) -> np.ndarray:
    return np.concatenate([value["theta"], value["omega"]])


def test_voltage_run_by_kutta(arm):
    """The recorded run of 200 steps of 1 ms, and its distance from the exact motion."""
    end = run(arm, kutta, 1e-3)
    assert_value(end, both(SIX["state after 0.2 s, RK3 h=1 ms (correct formulas)"]))


def test_errors_of_kutta_steps(arm):
    """Third order as it should be, first order as printed; the errors themselves are recorded."""
    exact = both(SIX["state after 0.2 s, DOP853 rtol 1e-13"])
    recorded = SIX["RK3 error at T=0.2 for h=4,2,1 ms"]
    for name, step in (("correct", kutta), ("printed", printed_kutta)):
        errors = [np.abs(run(arm, step, h) - exact).max() for h in (4e-3, 2e-3, 1e-3)]
        np.testing.assert_allclose(errors, recorded[name], rtol=0, atol=2e-11)


def test_exact_run(arm):
    """Classical fourth order at 0.1 ms against the recorded state of an adaptive integrator."""
    end = run(arm, runge_kutta_4, 1e-4)
    assert_value(end, both(SIX["state after 0.2 s, DOP853 rtol 1e-13"]))


def runge_kutta_4(f, x, h: float):
    k1 = f(x)
    k2 = f(x + h / 2 * k1)
    k3 = f(x + h / 2 * k2)
    k4 = f(x + h * k3)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
