"""Joint space sorted into base, actuated, free and flexible joints [Yesiloglu2007, 4.1-4.24].

Two masses and a spring in closed form; a flying arm with flexible joints, full tensors and offsets
against `forward_dynamics`; the frozen solution 4.17 against that of an oscillator.
"""

import numpy as np
import pytest

import armillary as am
import samples
from armillary.errors import InputError
from armillary.textbook import sorted_subspaces
from compare import close

SPRUNG = ("shoulder", "wrist")


def flying_arm() -> am.Mechanism:
    """A free base, two arms of three joints; one joint of each is flexible."""
    b, rng = am.Builder("flying", gravity=(1.0, -2.0, -9.0)), np.random.default_rng(4)
    b.body("base", joint="free", mass=samples.random_mass(rng, 20.0))
    for arm, flexible in (("left", "shoulder"), ("right", "wrist")):
        parent = "base"
        for name in (f"{arm}-hip", flexible, f"{arm}-slide"):
            kind = "prismatic" if "slide" in name else "revolute"
            stiff = am.Passive(viscous=2.0, spring=300.0, rest=0.1, coulomb=0.2, smoothing=0.3)
            soft = am.Passive(viscous=0.4)
            b.body(f"{name}-link", parent, kind, samples.random_pose(rng), joint_name=name,
                   mass=samples.random_mass(rng, 2.0), passive=stiff if name == flexible else soft,
                   rotor=am.Rotor(0.01, 3.0), **samples.random_joint(kind, rng))  # fmt: skip
            parent = f"{name}-link"
        b.frame(f"{arm}-tip", parent, samples.random_pose(rng))
    return b.build()


@pytest.fixture(scope="module")
def machine() -> am.Mechanism:
    return flying_arm()


def state(m: am.Mechanism, seed: int = 2):
    q, v, tau = samples.random_state(m.model, seed)
    for name in (*SPRUNG, "left-slide"):
        tau[m.v_labels.index(name)] = 0.0
    return q, v, tau


def two_masses(m_1: float, m_2: float, k: float, d: float) -> am.Mechanism:
    b = am.Builder("masses", gravity=(0.0, 0.0, 0.0))
    b.body("one", joint="prismatic", axis="x", mass=m_1, inertia=(1, 1, 1))
    b.body("two", "one", "prismatic", axis="x", mass=m_2, inertia=(1, 1, 1),
           passive=am.Passive(spring=k, viscous=d, rest=0.4))  # fmt: skip
    return b.build()


def test_two_masses_in_closed_form():
    """M* is the reduced mass m_1 m_2 / (m_1 + m_2), B = -m_2 / (m_1 + m_2)."""
    m_1, m_2, k, d = 3.0, 0.5, 40.0, 0.7
    x = sorted_subspaces(two_masses(m_1, m_2, k, d), [1.0, 0.6], [0.0, -2.0], [5.0, 0.0])
    mu = m_1 * m_2 / (m_1 + m_2)
    close(x.M_star, [[mu]], 1e-14)
    close(x.B, [[-m_2 / (m_1 + m_2)]], 1e-14)
    np.testing.assert_allclose(x.C_star, 0, atol=1e-14)
    close(x.W, [0.2, -2.0], 1e-14)
    acceleration = (-m_2 / (m_1 + m_2) * 5.0 + d * 2.0 - k * 0.2) / mu
    close(x.theta_dd_l, [acceleration], 1e-13)
    assert (x.actuated, x.flexible, x.base, x.free) == (("one",), ("two",), (), ())


@pytest.mark.parametrize("step", [0.01, 0.3, 2.0])
def test_the_frozen_solution_is_that_of_an_oscillator(step):
    """4.17: here M* does not change, so it is exact; damped, with a force along B."""
    m_1, m_2, k, d, force = 3.0, 0.5, 40.0, 0.7, 5.0
    x = sorted_subspaces(two_masses(m_1, m_2, k, d), [1.0, 0.6], [0.0, -2.0], [force, 0.0])
    mu = m_1 * m_2 / (m_1 + m_2)
    rest = -m_2 / (m_1 + m_2) * force / k
    decay, turn = d / (2 * mu), np.sqrt(k / mu - (d / (2 * mu)) ** 2)
    a = 0.2 - rest
    b = (-2.0 + decay * a) / turn
    wave = a * np.cos(turn * step) + b * np.sin(turn * step)
    slope = turn * (b * np.cos(turn * step) - a * np.sin(turn * step)) - decay * wave
    W, rate = x.after(step)
    damped = np.exp(-decay * step)
    np.testing.assert_allclose(W, [rest + damped * wave, damped * slope], rtol=1e-12)
    bend = (-k * (W[0] - rest) - d * W[1]) / mu
    np.testing.assert_allclose(rate, [W[1], bend], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(x.series(0.01, 12), x.after(0.01)[1], rtol=1e-13)
    assert np.abs(x.series(0.3, 2) - x.after(0.3)[1]).max() > 1e-3  # cut off too early (4.24)


def test_a_damper_without_a_spring_is_known():
    """4.17 as printed needs L_s^-1 (errata 2-18); the flexible joint coasts to rest here."""
    x = sorted_subspaces(two_masses(2.0, 2.0, 0.0, 3.0), [0, 0.0], [0, 1.0], [0, 0],
                         flexible=["two"])  # fmt: skip
    W, _ = x.after(0.8)
    np.testing.assert_allclose(W[1], np.exp(-3.0 * 0.8), rtol=1e-12)  # M* = 1 kg


def test_all_accelerations(machine):
    """4.6, 4.7, 4.20 against forward dynamics, Coulomb friction and rotors in it."""
    q, v, tau = state(machine)
    x = sorted_subspaces(machine, q, v, tau, free=["left-slide"])
    close(x.theta_dd, machine.forward_dynamics(q, v, tau), 1e-12)
    assert x.base == machine.v_labels[:6] and x.flexible == SPRUNG and x.free == ("left-slide",)
    assert set(x.actuated) == {"left-hip", "right-hip", "right-slide"}
    np.testing.assert_allclose(x.residual, 0, atol=1e-10 * np.abs(x.C_baf).max())
    np.testing.assert_array_equal(x.S @ x.S.T, np.eye(machine.nv))
    np.testing.assert_allclose(x.split(x.theta_dd)["flexible"], x.theta_dd_l)
    # 4.7 and 4.12 as they stand (errata 2-16)
    stretch, rate = np.split(x.W, 2)
    left = x.M_star @ x.theta_dd_l + x.L_d @ rate + x.L_s @ stretch + x.C_star
    close(left, x.B @ x.T_baf, 1e-9)
    close(x.M_s @ x.W_rate + x.L_sd @ x.W + x.C_s, x.B_s @ x.T_baf, 1e-9)
    # M*^-1 is a block of M^-1 (4.23)
    block = (x.S @ np.linalg.inv(machine.mass_matrix(q)) @ x.S.T)[-2:, -2:]
    close(np.linalg.inv(x.M_star), block, 1e-11)
    assert "M_4 - M_3 M_1^-1 M_2 (4.8)" in str(x)


def test_forces_of_the_tips(machine):
    """J* (4.10): F_t is exerted by the tips, so the environment exerts the opposite."""
    q, v, tau = state(machine)
    tips = ("left-tip", "right-tip")
    F = np.random.default_rng(1).normal(size=(2, 6)) * 5.0
    x = sorted_subspaces(machine, q, v, tau, tips=tips, F_t=F)
    external = {}
    for tip, f in zip(tips, F, strict=True):
        R, _ = machine.pose(q, tip)
        external[tip] = -np.kron(np.eye(2), R.T) @ f
    close(x.theta_dd, machine.forward_dynamics(q, v, tau, external), 1e-12)
    bare = sorted_subspaces(machine, q, v, tau)
    change = -np.linalg.solve(x.M_star, x.J_star.T @ F.ravel())
    close(x.theta_dd_l - bare.theta_dd_l, change, 1e-9)


def test_what_is_refused(machine):
    q, v, tau = state(machine)
    driven = tau.copy()
    driven[machine.v_labels.index("wrist")] = 1.0
    with pytest.raises(InputError, match="'wrist' is flexible and has no drive; expected 0"):
        sorted_subspaces(machine, q, v, driven)
    with pytest.raises(InputError, match="'wrist' is named in more than one subspace"):
        sorted_subspaces(machine, q, v, tau, free=["wrist"])
    with pytest.raises(am.ModelError, match="wrist"):
        sorted_subspaces(machine, q, v, tau, free=["rist"])
    with pytest.raises(InputError, match="has no joint with a spring"):
        m = am.example("stanford")
        sorted_subspaces(m, m.initial, np.zeros(5), np.zeros(5))
