"""Every method converges with its order: a damped arm, quaternion joints, a closed chain.

The references are DOP853 over raw coordinates, without charts and projections.
"""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.chart import inverse_dexp
from armillary.sim.loop.simulate import simulate
from armillary.sim.methods.centre_of_mass import Center
from armillary.sim.methods.chart import Chart
from armillary.sim.methods.choice import METHODS, stepper
from armillary.sim.methods.system import System
from sim.machines import damped_arm, distance, flyer, reference, start_of, top, undamped

MACHINES = {
    "arm": damped_arm,
    "top": top,
    "free flyer": flyer,
    "four-bar": lambda: am.example("four-bar"),
}
ORDER = {
    "euler": 1, "semi-implicit": 1, "heun": 2, "rk3": 3, "rk4": 4, "dopri5": 5, "implicit": 3,
    "exponential-euler": 1, "exponential": 2, "variational": 2,
}  # fmt: skip
STEPS = {1: (200, 400, 800), 2: (40, 80, 160), 3: (40, 80, 160), 4: (20, 40, 80), 5: (16, 32, 64)}
DURATION = 0.4


@cache
def machine(name):
    mechanism = MACHINES[name]()
    start = start_of(mechanism)
    return mechanism, start, reference(mechanism, *start, DURATION)


def fixed_run(mechanism, start, method, count):
    """`count` equal steps, by the method itself (dopri5 as well)."""
    view = System(mechanism).view()
    stepping, (q, v), h = stepper(method, view), start, DURATION / count
    for k in range(count):
        y, x = view.enter_chart(q, v, np.zeros(0))
        q, v, _ = view.leave_chart(y, stepping.step(view, k * h, h, y, x))
        q, v = view.projection(q, v)
    return q, v


def test_all_methods_are_covered():
    assert set(ORDER) == set(METHODS)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("method", ORDER)
def test_order_of_convergence(method, name):
    mechanism, start, end = machine(name)
    finer = 2 if name == "four-bar" and ORDER[method] > 3 else 1  # it turns fast
    coarser = 4 if name == "free flyer" and ORDER[method] > 3 else 1  # else all is rounding
    counts = [finer * n // coarser for n in STEPS[ORDER[method]]]
    errors = [distance(mechanism, fixed_run(mechanism, start, method, n), end) for n in counts]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-1] > ORDER[method] - 0.3, f"{errors} {orders}"
    assert orders[-1] < ORDER[method] + 1.3, f"{errors} {orders}"
    assert errors[-1] < 0.1


@pytest.mark.parametrize("name", MACHINES)
def test_adaptive_run_keeps_its_tolerance(name):
    mechanism, start, end = machine(name)
    errors = []
    for tolerance in (1e-5, 1e-8, 1e-11):
        run = simulate(mechanism, *start, DURATION, 0.01, "dopri5", tolerance=tolerance)
        errors.append(distance(mechanism, (run.q[-1], run.v[-1]), end))
        assert errors[-1] < 200 * tolerance
    assert errors[2] < 1e-3 * errors[0]


@pytest.mark.parametrize("name", MACHINES)
def test_dense_output(name):
    """Instants between the steps, against a run that ends there."""
    mechanism, start, _ = machine(name)
    run = simulate(mechanism, *start, DURATION, DURATION / 64, "dopri5", tolerance=1e-9)
    for k in (13, 37):
        end = reference(mechanism, *start, run.time[k])
        assert distance(mechanism, (run.q[k], run.v[k]), end) < 3e-7


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.3, 0.49, 0.51, 1.7, 3.0, np.pi])
def test_inverse_of_the_differential_of_exp(size):
    """dexp(-θ) = Σ (-[θ, ·])^k / (k + 1)!, summed up, is undone."""
    rng = np.random.default_rng(3)
    theta, v = rng.normal(size=3), rng.normal(size=3)
    theta *= size / np.linalg.norm(theta)
    term, total = v, np.zeros(3)
    for k in range(60):
        total = total + term / (k + 1)
        term = -np.cross(theta, term) / (k + 1)
    np.testing.assert_allclose(inverse_dexp(theta, total), v, rtol=0, atol=3e-13)


def centre_of(mechanism, q):
    """Centre of mass of the whole mechanism, after its orientation: y of a lone free base."""
    return np.concatenate([q[:4], mechanism.center_of_mass(q), q[7:]])


def test_slope_of_the_chart():
    """θ(t) from y0 to y(t) moves with the slope: differences of a move."""
    mechanism = flyer()
    chart, center = Chart(mechanism), Center(mechanism)
    rng = np.random.default_rng(0)
    q0, _, _ = mechanism.random_state(1)
    y0, theta, v, h = centre_of(mechanism, q0), 0.8 * rng.normal(size=7), rng.normal(size=7), 1e-6
    q, _ = center.leave(chart.step(y0, theta), np.zeros(7))
    _, s = center.enter(q, v)
    ends = []
    for sign in (1, -1):
        y = centre_of(mechanism, mechanism.integrate(q, sign * h * v))
        turn = mechanism.difference(q0, np.concatenate([y[:4], q0[4:]]))[:3]
        ends.append(np.concatenate([turn, y[4:] - y0[4:]]))
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), chart.slope(theta, s), atol=1e-8)


def test_moves_of_batches_are_those_of_singles():
    mechanism = flyer()
    chart, center = Chart(mechanism), Center(mechanism)
    q, v, _ = mechanism.random_state(1, 5)
    functions = (
        chart.step, lambda q, v: chart.slope(v, v[..., ::-1].copy()),
        lambda q, v: np.concatenate(center.enter(q, v), axis=-1),
        lambda q, v: np.concatenate(center.leave(q, v), axis=-1),
        lambda q, v: center.rate(q, v, v), lambda q, v: center.matrix(q),
    )  # fmt: skip
    for function in functions:
        many = function(q, v)
        for k in range(5):
            np.testing.assert_allclose(function(q[k], v[k]), many[k], rtol=0, atol=1e-15)


def test_there_and_back_to_the_centre():
    mechanism = flyer()
    center = Center(mechanism)
    q, v, _ = mechanism.random_state(2, 5)
    y, s = center.enter(q, v)
    np.testing.assert_allclose(y[:, 4:7], mechanism.center_of_mass(q), rtol=0, atol=1e-14)
    mass = sum(p[0] for p in mechanism.parameters.reshape(-1, 10))
    np.testing.assert_allclose(s[:, 3:6] * mass, mechanism.momentum(q, v)[:, 3:], atol=1e-14)
    for found, wanted in zip(center.leave(y, s), (q, v), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)


# -- stiff mechanisms ----------------------------------------------------------------------------


def stiff_arm() -> am.Mechanism:
    """A gearbox spring of 2e5 N m/rad with its damper, between two links."""
    b = am.Builder("stiff")
    b.body("motor", joint="revolute", axis="y", mass=1.0, com=(0.0, 0.0, 0.1),
           inertia=(0.02, 0.02, 0.02))  # fmt: skip
    b.body("link", "motor", "revolute", axis="y", mass=1.0, com=(0.3, 0.0, 0.0),
           inertia=(0.01, 0.03, 0.03), passive=am.Passive(viscous=300.0, spring=2e5))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("method", ["implicit", "exponential", "exponential-euler"])
def test_stiff_springs(method):
    """Steps a hundred times longer than explicit methods bear: the slow motion is right."""
    arm = stiff_arm()
    q0, v0 = np.array([0.3, 0.0]), np.zeros(2)
    rigid = arm.lock({"link": 0.0})
    slow = reference(rigid, q0[:1], v0[:1], 1.0)[0]
    run = simulate(arm, q0, v0, 1.0, 0.01, method)
    assert run.complete
    assert abs(run.q[-1, 0] - slow[0]) < (0.1 if method == "exponential-euler" else 2e-3)
    assert np.abs(run.q[:, 1]).max() < 1e-3
    blown = simulate(arm, q0, v0, 1.0, 0.01, "rk4")
    assert not blown.complete


def test_exponential_is_exact_for_a_linear_joint():
    """A slide on a spring: one frozen step is the solution at any length (4.17)."""
    b = am.Builder("slide", (0.0, 0.0, 0.0))
    b.body("mass", joint="prismatic", axis="x", mass=2.0,
           passive=am.Passive(viscous=0.3, spring=50.0, rest=0.2))  # fmt: skip
    slide = b.build()
    run = simulate(slide, [0.5], [1.0], 4.0, 0.5, "exponential-euler", inputs=[1.5])
    sigma, rest = 0.3 / 4.0, 0.2 + 1.5 / 50.0
    omega = np.sqrt(25.0 - sigma**2)
    t, x = run.time, 0.5 - rest
    exact = np.exp(-sigma * t) * (
        x * np.cos(omega * t) + (1.0 + sigma * x) / omega * np.sin(omega * t)
    )
    np.testing.assert_allclose(run.q[:, 0], rest + exact, rtol=0, atol=1e-13)


# -- long runs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name, duration", [("top", 3.0), ("double-pendulum", 20.0)])
def test_variational_energy_does_not_drift(name, duration):
    """The energy error of the symplectic method stays bounded; half the step, a quarter of it."""
    mechanism = top() if name == "top" else undamped(am.example(name))
    q0, v0 = start_of(mechanism)
    spans = []
    for h in (0.008, 0.004):
        run = simulate(mechanism, q0, v0, duration, h, "variational", record=("q", "v", "energy"))
        error = np.abs(run.energy - run.energy[0])
        first, last = np.array_split(error, 2)
        assert last.max() < 2.0 * first.max()
        spans.append(error.max())
    assert spans[0] < 0.02 * np.ptp(mechanism.energy(run.q, run.v)[0])
    assert 3.0 < spans[0] / spans[1] < 6.0


def test_variational_momentum_is_kept():
    """Without gravity the momentum of a free mechanism is that of the start, to rounding."""
    mechanism = flyer().replace(gravity=(0.0, 0.0, 0.0))
    q0, v0 = start_of(mechanism)
    run = simulate(mechanism, q0, v0, 2.0, 0.02, "variational", record=("q", "v", "momentum"))
    linear = run.momentum[:, 3:]
    np.testing.assert_allclose(linear, np.tile(linear[0], (len(linear), 1)), rtol=0, atol=1e-11)
    about_origin = run.momentum[:, :3] + np.cross(mechanism.center_of_mass(run.q), linear)
    np.testing.assert_allclose(
        about_origin, np.tile(about_origin[0], (len(linear), 1)), rtol=0, atol=1e-11
    )
