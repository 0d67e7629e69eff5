"""Results go to other processes whole: what was not yet asked for is found before they leave."""

import copy
import pickle

import numpy as np
import pytest

import armillary as am


def sent(result):
    return pickle.loads(pickle.dumps(result))


@pytest.mark.parametrize("name", ["four-bar", "stewart", "rover"])
def test_mobility_and_solutions(name):
    m = am.example(name)
    q = m.assemble(m.initial).q
    v, tau = np.zeros(m.nv), np.linspace(-1.0, 1.0, m.nv)
    for travel in (sent, copy.deepcopy):
        here, there = m.mobility(q), travel(m.mobility(q))
        assert (there.rank, there.finite, there.redundant) == (
            here.rank,
            here.finite,
            here.redundant,
        )
        np.testing.assert_array_equal(there.singular_values, here.singular_values)
        assert there.condition == here.condition and str(there) == str(here)
        one, other = m.solve(q, v, tau), travel(m.solve(q, v, tau))
        np.testing.assert_array_equal(other.multipliers, one.multipliers)
        np.testing.assert_array_equal(other.residual, one.residual)
        assert other.rank == one.rank and other.notes == one.notes
        assert str(other.reactions) == str(one.reactions)


def test_solutions_of_trees_and_other_answers():
    m = am.example("double-pendulum")
    s = m.solve([0.3, 0.2], [1.0, 0.0], [0.0, 0.0])
    assert str(sent(s)) == str(s)
    bars = am.example("four-bar")
    d = bars.forward_dynamics.derivatives(bars.initial, np.zeros(3), np.zeros(3))
    np.testing.assert_array_equal(sent(d).full.dq, d.full.dq)


@pytest.mark.parametrize("control", ["none", "PID", "function"])
def test_runs(control):
    m = am.example("double-pendulum")
    hold = am.PID(m, {"shoulder": 0.5, "elbow": 0.0}, kp=40.0, ki=30.0, kd=4.0)
    controllers = {"none": None, "PID": hold, "function": lambda t, q, v: [0.1 * t, 0.0]}
    run = am.simulate(m, [1.2, 0.6], duration=0.05, controller=controllers[control])
    there = sent(run)
    np.testing.assert_array_equal(there.q, run.q)
    assert there.experiment_text == run.experiment_text and str(there) == str(run)
    assert there.performance() == run.performance()
