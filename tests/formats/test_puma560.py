"""The built-in Puma 560 against printed numbers of the Robotics Toolbox and a plain Newton-Euler.

Printed: Robotics Toolbox for Python, tests of `SerialLink.rne`, `inertia`, `accel` for the model
of [CorkeArmstrong1994] with friction, gears and rotors, at the nominal pose qn, four decimals."""

import numpy as np
import pytest

import armillary as am

PI = np.pi
QN = np.array([0, PI / 4, PI, 0, PI / 4, 0])
ZERO, ONE = np.zeros(6), np.ones(6)
PRINTED_TORQUES = [
    (ZERO, ZERO, [0, 31.6399, 6.0351, 0, 0.0283, 0]),
    (ONE, ZERO, [29.1421, 56.5044, 16.3528, 1.2645, 1.1239, 0.5196]),
    (ONE, ONE, [32.4952, 60.8670, 17.7436, 1.4545, 1.2991, 0.7138]),
]
PRINTED_INERTIA = [
    [3.6594, -0.4044, 0.1006, -0.0025, 0, 0],
    [-0.4044, 4.4137, 0.3509, 0, 0.0024, 0],
    [0.1006, 0.3509, 0.9378, 0, 0.0015, 0],
    [-0.0025, 0, 0, 0.1925, 0, 0],
    [0, 0.0024, 0.0015, 0, 0.1713, 0],
    [0, 0, 0, 0, 0, 0.1941],
]

# the published table once more: a, alpha, d, mass, com, inertia, Jm, G, B, Tc+, Tc-
LINKS = [
    (0, PI / 2, 0, 0, (0, 0, 0), (0, 0.35, 0), 200e-6, -62.6111, 1.48e-3, 0.395, -0.435),
    (0.4318, 0, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539),
     200e-6, 107.815, 0.817e-3, 0.126, -0.071),
    (0.0203, -PI / 2, 0.15005, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125),
     200e-6, -53.7063, 1.38e-3, 0.132, -0.105),
    (0, PI / 2, 0.4318, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3),
     33e-6, 76.0364, 71.2e-6, 11.2e-3, -16.9e-3),
    (0, -PI / 2, 0, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3),
     33e-6, 71.923, 82.6e-6, 9.26e-3, -14.5e-3),
    (0, 0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3),
     33e-6, 76.686, 36.7e-6, 3.96e-3, -10.5e-3),
]  # fmt: skip


def newton_euler(q, v, a):
    """Torques by forces and moments in world axes, link by link; nothing of ours in it."""
    R, p = np.eye(3), np.zeros(3)
    w, dw, acc = np.zeros(3), np.zeros(3), np.array([0, 0, 9.81])
    axes, origins, forces, moments, centres = [], [], [], [], []
    for k, (length, alpha, d, mass, com, I, *_) in enumerate(LINKS):
        z = R[:, 2]
        axes.append(z)
        origins.append(p)
        w_new = w + z * v[k]
        dw = dw + z * a[k] + np.cross(w, z * v[k])
        w = w_new
        c, s, ca, sa = np.cos(q[k]), np.sin(q[k]), np.cos(alpha), np.sin(alpha)
        R_next = R @ np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0, sa, ca]])
        step = R @ np.array([length * c, length * s, d])
        acc_next = acc + np.cross(dw, step) + np.cross(w, np.cross(w, step))
        R, p, acc = R_next, p + step, acc_next
        centre = R @ np.array(com)
        forces.append(mass * (acc + np.cross(dw, centre) + np.cross(w, np.cross(w, centre))))
        tensor = R @ np.diag(I) @ R.T
        moments.append(tensor @ dw + np.cross(w, tensor @ w))
        centres.append(p + centre)
    tau = np.zeros(6)
    for k, (*_, Jm, G, B, forward, backward) in enumerate(LINKS):
        beyond = range(k, 6)
        n = sum(moments[i] + np.cross(centres[i] - origins[k], forces[i]) for i in beyond)
        coulomb = forward if v[k] > 0 else backward if v[k] < 0 else 0.0
        tau[k] = n @ axes[k] + G**2 * (Jm * a[k] + B * v[k]) + abs(G) * coulomb
    return tau


@pytest.mark.parametrize(("v", "a", "printed"), PRINTED_TORQUES)
def test_the_printed_torques(v, a, printed):
    assert am.example("puma560").inverse_dynamics(QN, v, a) == pytest.approx(printed, abs=5.1e-5)


def test_the_printed_inertia_and_acceleration():
    puma = am.example("puma560")
    assert puma.mass_matrix(QN) == pytest.approx(np.array(PRINTED_INERTIA), abs=5.1e-5)
    v, tau = [0.1, 0.2, 0.8, 0.2, 0.5, 1.0], [1.0, 3.2, 1.8, 0.1, 0.7, 4.6]
    printed = [-7.4102, -9.8432, -10.9694, -4.4314, -0.9881, 21.0228]
    assert puma.forward_dynamics(QN, v, tau) == pytest.approx(printed, abs=5.1e-5)


def test_newton_euler_in_both_directions():
    """Friction differs between the directions: random signs of v, one state and batches."""
    puma, rng = am.example("puma560"), np.random.default_rng(56)
    q, v, a = rng.normal(size=(3, 40, 6))
    expected = np.array([newton_euler(*state) for state in zip(q, v, a, strict=True)])
    assert puma.inverse_dynamics(q, v, a) == pytest.approx(expected, rel=1e-11, abs=1e-11)
    for k in range(5):
        assert puma.inverse_dynamics(q[k], v[k], a[k]) == pytest.approx(
            expected[k], rel=1e-11, abs=1e-11
        )
    back = puma.forward_dynamics(q, v, expected)
    assert back == pytest.approx(a, rel=1e-8, abs=1e-9)


def test_the_run_loses_what_friction_takes():
    """dE/dt = -v·friction with the published levels of each direction."""
    puma = am.example("puma560")
    start = np.array([0.0, 0.4, -2.0, 0.1, 0.3, 0.2])
    run = am.simulate(puma, start, [0.5, -1.0, 1.0, -3.0, 2.0, -2.0], duration=0.05, step=1e-4,
                      record=("q", "v", "energy"))  # fmt: skip
    B, G = (np.array([row[k] for row in LINKS]) for k in (8, 7))
    forward, backward = (np.array([row[k] for row in LINKS]) for k in (9, 10))
    v = run.v
    level = np.where(v > 0, forward, np.where(v < 0, backward, 0.0)) * abs(G)
    power = (v * (B * G**2 * v + level)).sum(axis=1)
    assert (np.sign(v[0]) == np.sign(v[-1])).all()  # no joint stands still in between
    h = run.time[1] - run.time[0]
    work = h * (power.sum() - 0.5 * (power[0] + power[-1]))
    assert run.energy[0] - run.energy[-1] == pytest.approx(work, rel=1e-6)


def test_it_starts_straight_up():
    """Both long links above each other, the wrist beside the shoulder by a3 and d3, not turned;
    within its limits."""
    m = am.example("puma560")
    turned, place = m.pose(m.initial, "link6")
    assert place == pytest.approx([0.0203, -0.15005, 2 * 0.4318], abs=1e-12)
    assert turned == pytest.approx(np.eye(3), abs=1e-12)
    for body, angle in zip(m.model.bodies, m.initial, strict=True):
        (limits,) = body.joint.limits
        assert limits.lower < angle < limits.upper
