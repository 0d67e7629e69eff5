"""Elements with states in native loops, behind controllers and with inputs over time."""

import numpy as np
import pytest
from test_long_trucks import mixed

import armillary as am
from armillary.scalar import cos, sin
from armillary.sim.record.performance import ASKED, NATIVE
from sim.native_runs import both

V = am.vehicles


class Pusher(am.Block):
    """A controller with two states, which sees the motion and passes its command on."""

    states, state_units = ("pusher.a", "pusher.b"), ("", "")

    def force(self, t, q, v, z, u):
        return [x + 3.0 * z[0] - 0.2 * w + z[1] for x, w in zip(u, v, strict=True)]

    def rate(self, t, q, v, z, u):
        return [sin(5.0 * t) - z[0], v[0] - 2.0 * z[1]]

    def start(self, mechanism, q=None, v=None):
        return [0.0 * v[0] + 0.5, 0.0 * v[0]]


class Sampled(Pusher):
    period = 4e-3


def bump(t):
    return 0.004 * (1.0 - cos(30.0 * t)), 0.12 * sin(30.0 * t)


INPUTS = {"second": bump, "spring": lambda t: 40.0 * sin(9.0 * t)}
SLOPING = {"tyre": am.Schedule([0.0, 0.05], [[0.0, 0.1], [5e-3, 0.1]]), "spring": 25.0}
CASES = {  # and how many runs side by side, None: one alone
    "block": ({"controller": Pusher()}, None),
    "two": ({"controller": [Pusher(), Sampled()]}, 5),
    "inputs": ({"inputs": INPUTS}, 5),
    "both": ({"controller": Pusher(), "inputs": SLOPING | {"arm": 2.0}}, None),
}


def sprung():
    """With a spring that has an input and no states."""
    return mixed(spring=True)


def start(m, rows=None):
    rng = np.random.default_rng(6)
    v = 0.3 * rng.normal(size=(rows or 1, m.nv)) + np.eye(m.nv)[3]
    return m.initial, v if rows else v[0]


@pytest.mark.parametrize(("given", "rows"), CASES.values(), ids=CASES.keys())
def test_loops_behind_controllers_equal_straight_code_and_python(given, rows):
    m = sprung()
    q, v = start(m, rows)
    q = np.tile(q, (rows, 1)) if rows else q
    how = {"duration": 0.05, "step": 1e-3, "record": ("q", "v", "tau", "states", "tyres")}
    loops, _ = both(m.compile(tier=1), q, v, **how, **given)
    straight = am.simulate(m.compile(tier=2), q, v, **how, **given)
    for run in (loops, straight):
        assert set(run.performance().steps) == {NATIVE}
    for name in ("q", "v", "tau", "states", "tyres"):
        one, two = np.asarray(loops[name]), np.asarray(straight[name])
        assert np.abs(one - two).max() <= 1e-9 * (1.0 + np.abs(two).max()), name
    without = am.simulate(m.compile(tier=1), q, v, **how)
    assert np.abs(np.asarray(loops["q"]) - np.asarray(without["q"])).max() > 1e-4


@pytest.mark.parametrize("method", ["semi-implicit", "exponential", "variational"])
def test_other_methods_call_both_kernels(method):
    m = sprung()
    q, v = start(m)
    how = {"duration": 0.01, "step": 1e-3, "record": ("q", "states"), "method": method}
    runs = [
        am.simulate(m.compile(tier=k), q, v, controller=Pusher(), inputs=INPUTS, **how)
        for k in (1, 2)
    ]
    one, two = (np.concatenate([run["q"], run["states"]], axis=1) for run in runs)
    assert set(runs[0].performance().steps) == {NATIVE}
    assert np.abs(one - two).max() <= 1e-7 * np.abs(two).max()


def test_a_driver_of_a_long_truck_runs_natively():
    truck = V.truck(4)
    q, v = truck.start(10.0)
    driver = V.Driver(truck, 10.0, V.Circle(40.0))
    how = {"duration": 0.03, "step": 1e-3, "record": ("q", "states")}
    run, native = both(truck.mechanism, q, v, controller=driver, **how)
    assert native == 30 and set(run.performance().steps) == {NATIVE}
    assert run.column("driver.steer")[-1] > 0.01


def test_functions_of_arrays_are_asked_and_elements_stay_right():
    m = sprung()
    q, v = start(m)

    def push(t, q, v):
        return np.linspace(0.0, 1.0, m.nv) * float(np.tanh(v[0]))

    how = {"duration": 0.02, "step": 1e-3, "record": ("q", "states"), "controller": push}
    asked, plain = (am.simulate(m.compile(tier=k), q, v, **how) for k in (1, 2))
    assert set(asked.performance().steps) == {ASKED}
    assert np.allclose(asked["states"], plain["states"], atol=1e-10)
