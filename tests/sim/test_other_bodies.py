"""Runs of closed mechanisms with other inertias (`parameters=`): a model with these bodies.

What a step leaves of the constraints is taken away by kinetic energy: that of the given bodies.  Of
the model's, momentum would leak, and methods whose steps leave much would lose an order."""

import numpy as np
import pytest

import armillary as am
from laws.test_drift import held, swing
from samples import random_mass
from sim.native_runs import both
from sim.test_loop_turns import LAWS, in_loop

METHODS = ("euler", "semi-implicit", "variational", "implicit", "exponential", "rk4")


def bodies(m, seed):
    """Masses in no relation to those of the model."""
    rng = np.random.default_rng(seed)
    masses = {name: random_mass(rng) for name in m.bodies}
    return {n: {"mass": x.mass, "com": x.com, "inertia": x.tensor} for n, x in masses.items()}


def machine(name):
    m = in_loop(LAWS["law"]) if name == "spring in the loop" else am.example(name)
    q, v = m.project(m.assemble().q, np.random.default_rng(5).normal(size=m.nv))
    return m, q, 0.3 * v


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["four-bar", "spring in the loop", "dual-arm-free-flyer"])
def test_the_model_of_these_bodies(name, method):
    m, q, v = machine(name)
    other = m.replace(bodies(m, 1))
    span = {"duration": 0.02, "step": 2e-3, "method": method}
    run, taken = both(m, q, v, parameters=other.parameters, **span)
    assert taken == 10 or (name, method) == ("spring in the loop", "implicit")
    right = am.simulate(other, q, v, **span)
    size = np.abs(right.q - q).max()
    np.testing.assert_allclose(run.q, right.q, atol=1e-9 * size, rtol=0)
    own = am.simulate(m, q, v, **span)
    assert np.abs(own.q - right.q).max() > 1e-4 * size  # the bodies matter


@pytest.mark.parametrize("method", ["semi-implicit", "variational"])
def test_rows_of_a_batch_have_their_own(method):
    m, q, v = machine("four-bar")
    others = [m.replace(bodies(m, seed)) for seed in range(9)]
    p = np.array([x.parameters for x in others])
    span = {"duration": 0.02, "step": 2e-3, "method": method}
    run, taken = both(m, np.tile(q, (9, 1)), np.tile(v, (9, 1)), parameters=p, **span)
    assert taken == 10
    for k in (0, 4, 8):
        right = am.simulate(others[k], q, v, **span)
        np.testing.assert_allclose(run.q[:, k], right.q, atol=1e-12, rtol=0)


def test_a_crank_that_is_driven():
    m, q, _ = machine("slider-crank")
    other = m.replace(bodies(m, 3))
    crank = m.joint_names[0]
    driven = {crank: lambda t: float(q[0]) + 2.0 * t + t * t}
    span = {"duration": 0.02, "step": 2e-3, "method": "variational", "prescribed": driven}
    run, _ = both(m, q, parameters=other.parameters, **span)
    np.testing.assert_allclose(run.q, am.simulate(other, q, **span).q, atol=1e-10, rtol=0)


@pytest.mark.parametrize("make", [swing, held])
@pytest.mark.parametrize("method", ["euler", "semi-implicit", "variational"])
def test_momentum_of_free_bodies(make, method):
    """No force from outside: linear momentum is kept to rounding, whatever the step."""
    m = make().replace(gravity=(0, 0, 0))
    other = m.replace(bodies(m, 2))
    p = other.parameters
    q, v = m.project(m.assemble().q, np.random.default_rng(5).normal(size=m.nv))
    run, _ = both(m, q, v, duration=0.1, step=5e-3, method=method, parameters=p)
    linear = other.momentum(run.q, run.v)[:, 3:]
    assert np.abs(linear - linear[0]).max() < 1e-12 * np.abs(linear).max()
