"""Constraints that give way: penalty and stabilised penalty [Yesiloglu2007, 1.2.1]."""

import numpy as np
import pytest

import armillary as am
from sim.native_runs import both

BARS = am.example("four-bar")
LAWS = [
    am.Penalty(5e3, 20.0),
    am.StabilizedPenalty(50.0, 80.0),
    am.StabilizedPenalty(2.0, 60.0, 0.5),
]


def hanging(mass: float) -> am.Mechanism:
    """A bead on a vertical slide that has an offset frame, kept at its height by a loop."""
    b = am.Builder("bead", gravity=(0.0, 0.0, -9.81))
    b.body("z", "world", "prismatic", (0.3, -0.2, 0.5), axis="z", mass=mass, inertia=(0.1,) * 3)
    b.loop("hook", am.Frame("anchor", "world", am.Pose((0.3, -0.2, 0.5))), "z", "planar", axis="z")
    return b.build()


@pytest.mark.parametrize("mass", [0.4, 7.0])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_an_oscillator(mass, law):
    """(mass + m) r'' + c r' + k r = -mass g from a closed start: the answer in closed form."""
    m, c, k = law.law
    run = am.simulate(hanging(mass), duration=0.2, step=2e-4, project=law, record=("q", "drift"))
    sigma, sag = 0.5 * c / (mass + m), mass * 9.81 / k
    omega = np.sqrt(complex(k / (mass + m) - sigma**2)) + 1e-12
    t = run.time
    decay = np.exp(-sigma * t) * (np.cos(omega * t) + sigma / omega * np.sin(omega * t))
    np.testing.assert_allclose(run.q[:, 0], -sag * (1.0 - decay.real), atol=2e-8 * sag)
    assert run.performance().native == 1.0


def test_energy_of_springs():
    """Without damping the energy of the mechanism and of its rows, r k r / 2, is kept."""
    smooth = BARS.replace(bodies={name: {"passive": am.Passive()} for name in BARS.bodies})
    q, v = smooth.project(smooth.initial, np.array([3.0, 0.0, 0.0]))
    found = []
    for step in (4e-4, 2e-4):
        run = am.simulate(smooth, q, v, duration=0.4, step=step,
                          project=am.Penalty(400.0), record=("energy", "drift"))  # fmt: skip
        total = run.energy + 200.0 * (run.drift**2).sum(axis=1)
        found.append(np.abs(total - total[0]).max())
        assert np.abs(run.drift).max() > 1e-4
        assert np.ptp(run.energy) > 1e-4
    assert found[1] < 1e-7 and found[1] < found[0] / 10.0


@pytest.mark.parametrize("method", ["euler", "rk4", "semi-implicit"])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_native_loop_takes_the_same_steps(law, method):
    q, v = BARS.project(BARS.initial, np.array([3.0, 0.0, 0.0]))
    for rows in (1, 9):
        start = (np.tile(x, (rows, 1)) if rows > 1 else x for x in (q, v))
        options = {"duration": 0.05, "project": law, "method": method, "inputs": {"crank": 0.3}}
        push = {"external": {"coupler": [0, 0.1, 0, 1.0, 0, -2.0]}} if rows == 1 else {}
        _, taken = both(BARS, *start, **options, **push, record=("q", "v", "a", "drift"))
        assert taken == 50


CLOSED = ["four-bar", "stewart", "rolling-disc", "delta"]


def states(name):
    m = am.example(name)
    rng = np.random.default_rng(4)
    q, v = m.project(m.initial, 0.3 * rng.normal(size=m.nv))
    q = m.integrate(q, 1e-3 * rng.normal(size=m.nv))  # a little open
    return m, q, v + 1e-2 * rng.normal(size=m.nv), rng.normal(size=m.nv)


@pytest.mark.parametrize("name", CLOSED)
def test_weights_that_grow_lead_to_rates(name):
    """The penalty of a large weight is Baumgarte's; what is missing falls with the weight."""
    m, q, v, tau = states(name)
    wanted, gaps = m.forward_dynamics(q, v, tau, baumgarte=(24.0, 30.0)), []
    for weight in (1e3, 1e4, 1e5):
        law = am.StabilizedPenalty(weight, 30.0, 0.8)
        gaps.append(np.abs(m.forward_dynamics(q, v, tau, baumgarte=law) - wanted).max())
    size = np.abs(wanted).max()
    assert gaps[2] < 0.02 * size and gaps[2] < 0.2 * gaps[1] < 0.05 * gaps[0]


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_equations_of_motion(name, law):
    """(M + m JᵀJ) a = tau - h - Jᵀ (c J v + k r - m γ), γ from `solve`-independent rows; `solve`
    gives the same accelerations, and forces that balance them."""
    m, q, v, tau = states(name)
    mass, damping, stiffness = law.law
    J, r, rate = m.constraint_jacobian(q), m.constraint_residual(q), m.constraint_rate(q, v)
    h = m.tree.bias_forces(q, v)
    a0 = m.forward_dynamics(q, v, tau)  # J a0 = γ
    left = m.mass_matrix(q) + mass * J.T @ J
    right = tau - h - J.T @ (damping * rate + stiffness * r - mass * J @ a0)
    expected = np.linalg.solve(left, right)
    scale = np.abs(expected).max()
    found = m.forward_dynamics(q, v, tau, baumgarte=law)
    np.testing.assert_allclose(found, expected, atol=1e-9 * scale)
    own = m.solve(q, v, tau, baumgarte=law)
    np.testing.assert_allclose(own.acceleration, expected, atol=1e-9 * scale)
    forces = -(mass * (J @ (expected - a0)) + damping * rate + stiffness * r)
    np.testing.assert_allclose(own.multipliers, forces, atol=1e-8 * np.abs(forces).max())
    # Newton-Euler with these forces: what reaches the joints along their axes is what drives them
    along = m.mass_matrix(q) @ own.acceleration + h - J.T @ own.multipliers
    np.testing.assert_allclose(along, tau, atol=1e-8 * np.abs(forces).max())
    sizes = [abs(float(x)) for x in vars(own.balance).values()]
    assert abs(own.balance.imbalance) < 1e-9 * max(sizes) and own.convention.startswith("what the")
    if name == "stewart":  # balls: three rows each, along axes of their own
        sizes = np.linalg.norm(own.multipliers.reshape(-1, 3), axis=1)
        balls = np.linalg.norm(own.constraint_forces.wrench[:, 3:], axis=1)
        np.testing.assert_allclose(balls, sizes, rtol=1e-9)
    rows = m.solve(*(np.tile(x, (3, 1)) for x in (q, v, tau)), baumgarte=law)
    np.testing.assert_allclose(rows.multipliers[1], own.multipliers, rtol=1e-12)
    np.testing.assert_allclose(rows.reactions.total[2], own.reactions.total, atol=1e-9 * scale)


def test_stiffness_that_grows_leads_to_the_projected_run():
    """The loop opens by force / stiffness, and the motion comes as near."""
    wanted, gaps = am.simulate(BARS, inputs={"crank": 0.3}, duration=0.3).q[-1], []
    for stiffness in (1e3, 1e4, 1e5):
        law = am.Penalty(stiffness, 2e-2 * stiffness**0.5)
        run = am.simulate(BARS, inputs={"crank": 0.3}, duration=0.3, step=1e-4, project=law,
                          record=("q", "drift"), every=10)  # fmt: skip
        gaps.append((np.abs(run.drift).max(), np.abs(run.q[-1] - wanted).max()))
    for soft, stiff in ((gaps[0], gaps[1]), (gaps[1], gaps[2])):
        assert stiff[0] < 0.2 * soft[0] and stiff[1] < 0.3 * soft[1]


def test_multipliers_of_a_step_that_is_implicit():
    """Park and Chiou: (ε + d² J M⁻¹ Jᵀ) λ = -(r + d J v + d² (J M⁻¹ f - γ)), ε = 1/k."""
    m, q, v, tau = states("four-bar")
    k, d = 3e4, 2e-3
    J, r, rate = m.constraint_jacobian(q), m.constraint_residual(q), m.constraint_rate(q, v)
    M, f = m.mass_matrix(q), tau - m.tree.bias_forces(q, v)
    gamma = J @ m.forward_dynamics(q, v, tau)
    free = np.linalg.solve(M, f)
    left = np.eye(len(r)) / k + d * d * J @ np.linalg.solve(M, J.T)
    multipliers = -np.linalg.solve(left, r + d * rate + d * d * (J @ free - gamma))
    expected = free + np.linalg.solve(M, J.T @ multipliers)
    law = am.StabilizedPenalty(k * d * d, 1.0 / d, 0.5)
    found = m.forward_dynamics(q, v, tau, baumgarte=law)
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_redundant_rows_and_singular_positions():
    """Rows given twice, and a four-bar that lies flat: nothing has to be found out."""
    b = am.Builder("flat")
    b.body("crank", axis="y", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3))
    b.body("coupler", "crank", "revolute", (0.2, 0, 0), axis="y", mass=1.0, com=(0.2, 0, 0.01),
           inertia=(0.1, 0.2, 0.3))  # fmt: skip
    b.body("rocker", "coupler", "revolute", (0.5, 0, 0), axis="y", mass=1.0, inertia=(0.1,) * 3)
    at = am.Frame("pivot", "world", am.Pose((0.7, 0.0, 0.0)))
    b.loop("pin", at, "rocker", "revolute", axis="y")
    b.loop("again", at, "rocker", "revolute", axis="y")
    flat, q = b.build(), np.zeros(3)
    law = am.StabilizedPenalty(100.0, 50.0)
    _, taken = both(flat, q, duration=0.05, project=law)
    assert taken == 50


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, "2"])
def test_numbers_that_are_none(bad):
    for kind in (am.Penalty, am.StabilizedPenalty):
        with pytest.raises(am.InputError, match=f"{kind.__name__}: .* from 0 on"):
            kind(bad, 1.0)


def test_what_cannot_be():
    with pytest.raises(am.InputError, match=r"project: expected .*Penalty\(stiffness"):
        am.simulate(BARS, project=3.0)
    with pytest.raises(am.InputError, match="project: what draws constraints back goes"):
        am.simulate(BARS, project=LAWS[0], method="implicit")
    b = am.Builder("massless")
    b.body("a", axis="y", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.body("b", "a", "revolute", (1, 0, 0), axis="y", mass=0.0)
    b.loop("pin", am.Frame("at", "world", am.Pose((1.0, 0.0, 0.0))), "b", "revolute", axis="y")
    with pytest.raises(am.ModelError, match="neither it nor anything beyond"):
        am.simulate(b.build(), project=LAWS[0])
