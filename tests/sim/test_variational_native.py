"""The variational method in the native loop: the steps of the loop in Python, to rounding.

The Python loop solves by numpy's pseudo-inverses with all rows of the constraints, the native one
by factors of those that count; laws of the method stand in test_integrators.py.
"""

import numpy as np
import pytest

import armillary as am
import samples
from armillary.sim.loop import native
from armillary.sim.methods.variational import Variational
from sim.machines import damped_arm, flyer, top
from sim.native_runs import both
from sim.test_loop_turns import LAWS, in_loop

CLOSED = ("two-link-load", "dual-arm-free-flyer", "four-bar", "bricard")
MORE = (
    "four-link-closed",
    "hslm",
    "slider-crank",
    "four-bar-ladder",
    "differential",
    "stewart",
    "delta",
)
OPTIONS = {"duration": 0.04, "step": 2e-3, "method": "variational"}


def moving(m, speed=0.5, seed=3):
    """A closed state in motion."""
    q, v, _ = m.random_state(seed=seed)
    return m.project(m.initial, speed * v) if m.constraints else (q, speed * v)


@pytest.mark.parametrize(
    "name", [*CLOSED, *(pytest.param(name, marks=pytest.mark.soak) for name in MORE)]
)
def test_closed_mechanisms(name):
    m = am.example(name)
    _, taken = both(m, *moving(m), **OPTIONS)
    assert taken == 20


@pytest.mark.parametrize("make", [damped_arm, top, flyer])
def test_trees(make):
    m = make()
    _, taken = both(m, *moving(m), **OPTIONS, record=("q", "v", "a", "tau", "energy"))
    assert taken == 20


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("model", [samples.random_model, samples.structured_model])
def test_every_kind_of_joint(model, seed):
    kinds = ("revolute", "universal", "spherical", "planar", "cylindrical", "helical", "prismatic")
    m = am.Mechanism(model(seed, kinds, bodies=6))
    q, v, _ = samples.random_state(m.model, seed, 0.5)
    _, taken = both(m, q, v, **OPTIONS)
    assert taken == 20


@pytest.mark.parametrize("make", [damped_arm, top])
def test_a_base_that_moves(make):
    """Second order on a base that turns and is pushed."""
    base = {
        "base_velocity": (0.3, -0.2, 0.4, 1.0, 0.0, 0.5),
        "base_acceleration": (0, 1, 0, 2, 0, 1),
    }
    m = make().replace(**base)
    q, v = moving(m)
    both(m, q, v, **OPTIONS)
    fine = am.simulate(m, q, v, 0.2, 1e-3, "rk4").q[-1]
    errors = [
        np.abs(am.simulate(m, q, v, 0.2, h, "variational").q[-1] - fine).max() for h in (4e-3, 2e-3)
    ]
    assert 3.5 < errors[0] / errors[1] < 4.5


def table(*rows):
    return am.Schedule([0.0, 0.01, 0.02, 0.04], rows)


GIVEN = {
    "forces": {"inputs": {"crank": 0.7}},
    "forces over time": {"inputs": {"crank": table(0.0, 2.0, -1.0, 1.0)}},
    "wrench": {"external": {"coupler": [0.1, 0.2, -0.1, 1.0, 2.0, -3.0]}},
    "wrench over time": {"external": {"coupler": lambda t: [0, 1.0, 0, 50 * t, 0, np.sin(90 * t)]}},
}


@pytest.mark.parametrize("given", GIVEN)
def test_what_is_given(given):
    m = am.example("four-bar")
    for rows in (1, 9):
        q, v = (np.tile(x, (rows, 1)) if rows > 1 else x for x in moving(m))
        _, taken = both(m, q, v, **OPTIONS, **GIVEN[given], record=("q", "v", "a", "tau"))
        assert taken == 20


def test_wrenches_on_a_free_body():
    m = flyer()
    push = {"arm": lambda t: [0.1, 0.2 * t, 0, 1.0, np.cos(9 * t), 0.3]}
    _, taken = both(m, *moving(m), **OPTIONS, external=push)
    assert taken == 20


def test_controllers():
    m = damped_arm()
    start, first = moving(m), m.joint_names[0]
    pid = {"kp": 20.0, "ki": 5.0, "kd": 2.0}
    for options in ({}, {"period": 4e-3}):
        controller = am.PID(m, {first: 0.5}, **pid)
        _, taken = both(m, *start, **OPTIONS, controller=controller, **options)
        assert taken == 20
    tiled = (np.tile(x, (9, 1)) for x in start)
    both(m, *tiled, **OPTIONS, controller=am.PID(m, {first: 0.5}, **pid))


def test_a_controller_in_python():
    m, seen = damped_arm(), []

    def law(t, q, v):
        seen.append(t)
        return -np.asarray(v) * float(np.linalg.norm(q))

    for options in ({}, {"inputs": {m.joint_names[1]: table(0.0, 2.0, -1.0, 1.0)}}):
        _, taken = both(m, *moving(m), **OPTIONS, controller=law, inside=False, **options)
        assert taken == 20


def test_prescribed_motion():
    m = am.example("four-bar")
    x = m.initial[0]

    def motion(t):
        return x + 0.3 * np.sin(5 * t), 1.5 * np.cos(5 * t), -7.5 * np.sin(5 * t)

    _, taken = both(m, **OPTIONS, prescribed={"crank": motion})
    assert taken == 20


def test_springs_in_loops():
    m = in_loop(LAWS["law"])
    q, v = m.project(m.assemble().q, np.array([1.0, 2.0, -1.0]))
    _, taken = both(m, q, v, **OPTIONS)
    assert taken == 20


def test_bodies_of_every_run():
    m, rng = flyer(), np.random.default_rng(0)
    p = m.parameters * (1.0 + 0.2 * rng.random((9, len(m.parameters))))
    q, v = (np.tile(x, (9, 1)) for x in moving(m))
    run, taken = both(m, q, v, **OPTIONS, parameters=p)
    one = am.simulate(m, q[4], v[4], **OPTIONS, parameters=p[4])
    assert taken == 20
    np.testing.assert_allclose(run.q[:, 4], one.q, atol=1e-13, rtol=0)


@pytest.mark.parametrize("name", ["four-bar", "bricard", "six-r"])
def test_a_row_is_the_single_run(name):
    """... though its neighbours need more iterations."""
    m = am.example(name)
    q, v = moving(m)
    speeds = np.linspace(0.0, 12.0, 11)[:, None]
    run = am.simulate(m, np.tile(q, (11, 1)), speeds * v, **OPTIONS)
    for k in (0, 1, 10):
        one = am.simulate(m, q, speeds[k] * v, **OPTIONS)
        size = 1.0 + np.abs(one.v).max()
        np.testing.assert_allclose(run.v[:, k], one.v, atol=1e-13 * size, rtol=0)


def test_singular_positions_are_left_to_python(monkeypatch):
    """Rods that fall over through the position where all lie in one line (test_singular.py)."""
    m = am.example("four-bar-ladder", n=2)
    counts, advance = [], native.NativeLoop.advance

    def counted(*options):
        found = advance(*options)
        counts.append(found.done)
        return found

    monkeypatch.setattr(native.NativeLoop, "advance", counted)
    run = am.simulate(m, m.initial, [-1.0, 1.0, -1.0, 1.0, -1.0], 1.5, 4e-3, "variational")
    assert run.complete and len(run.events) == 1
    assert 200 < sum(counts) < 370


def test_steps_that_do_not_converge_are_left_to_python(monkeypatch):
    """A controller too stiff for the step is asked of Python, which says what is wrong."""
    m = damped_arm()
    asked, step = [], Variational.step
    monkeypatch.setattr(Variational, "step", lambda *x: (asked.append(1), step(*x))[1])
    stiff = am.PID(m, {m.joint_names[0]: 0.5}, kp=1e6, kd=1e4)
    run = am.simulate(m, [1.0, 2.0, 0.5], None, 0.1, 1e-2, "variational", controller=stiff)
    assert asked and not run.complete and "not a number" in run.message


def test_large_trees_stay_in_python():
    """Where the code would be too long there is no native loop, and no fault."""
    m = am.example("six-r").compile(budget=100)
    run = am.simulate(m, duration=0.01, method="variational")
    assert run.complete and "would compile for seconds" in str(run.performance())


@pytest.mark.parametrize("name", ["four-bar", "delta"])
@pytest.mark.parametrize("step", [1e-5, 1e-7])
def test_short_steps_converge(name, step):
    """What rounding leaves of an opening is divided by the step; it is no lack of convergence."""
    m = am.example(name)
    q, v = m.project(m.initial, np.random.default_rng(0).normal(size=m.nv))
    found, wanted = (am.simulate(m, q, v, 20 * step, step, x) for x in ("variational", "rk4"))
    assert found.complete
    np.testing.assert_allclose(found.v[-1], wanted.v[-1], atol=1e-11, rtol=0)


def test_what_starts_next_to_a_singular_position_is_left_to_python(monkeypatch):
    """A step that would converge, 1 mrad before all rods lie in one line."""
    m = am.example("four-bar-ladder", n=1)
    asked, step = [], Variational.step
    monkeypatch.setattr(Variational, "step", lambda *x: (asked.append(1), step(*x))[1])
    for off, count in ((0.1, 0), (1e-3, 5)):
        q = (np.pi / 2 - off) * np.array([1.0, -1.0, 1.0])
        run = am.simulate(m, q, None, 5e-4, 1e-4, "variational")
        assert run.complete and len(asked) == count
        fall = 3 * 9.81 * np.cos(off) / 2 * 5e-4 * 4 / 5  # 2 rods of 1 kg, 1 m, and a coupler
        assert run.v[-1] == pytest.approx(fall * np.array([1.0, -1.0, 1.0]), rel=1e-3)
