"""Through positions where a closed mechanism could go on in several ways, by every method."""

import numpy as np
import pytest

import armillary as am
from armillary.sim.methods.choice import METHODS

ORDER_ONE = ("euler", "semi-implicit", "exponential-euler")


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("method", METHODS)
def test_rods_that_lie_down(method, n):
    """n four-bars side by side fall over, through the position where all rods lie in one line.

    All rods keep one angle φ, so this is a pendulum: with rods of 1 m and 1 kg (a = (n + 1) rods,
    n couplers that do not turn) ½ (a/3 + n) φ'² + g (a/2 + n) cos φ is kept, whichever way they
    came."""
    m = am.example("four-bar-ladder", n=n)
    v0 = np.array([-1.0, 1.0] * n + [-1.0])
    steps = {"variational": 4e-3} | dict.fromkeys(ORDER_ONE, 2e-3)
    run = am.simulate(m, m.initial, v0, 1.5, steps.get(method, 1e-2), method)
    assert run.complete, run.message
    rods = run.q[:, ::2]
    slack = 0.03 if method in ORDER_ONE else 1e-3
    assert np.abs(rods).max() > 0.6 * np.pi  # beyond the ground
    np.testing.assert_allclose(rods, np.tile(rods[:, :1], (1, n + 1)), atol=1e-6)
    energy = 0.5 * ((n + 1) / 3 + n) * run.v[:, 0] ** 2 + 9.81 * ((n + 1) / 2 + n) * np.cos(
        rods[:, 0]
    )
    np.testing.assert_allclose(energy, energy[0], rtol=slack)


def test_a_step_near_it_is_told():
    m = am.example("four-bar-ladder", n=2)
    run = am.simulate(m, m.initial, [-1.0, 1.0, -1.0, 1.0, -1.0], 1.0, 1e-2, "variational")
    assert len(run.events) == 1
    ((t, text),) = run.events
    assert 0.6 < t < 0.8 and "singular position" in text and "coupler" in text


@pytest.mark.parametrize("name, speed", [("bricard", 1.0), ("four-bar", 5.0), ("hslm", 1.0)])
def test_nothing_is_braked(name, speed):
    """No brake is told where none is: the energy is that of the start."""
    m = am.example(name)
    m = m.replace(bodies={body: {"passive": am.Passive()} for body in m.bodies})
    q, v = m.project(m.initial, speed * np.random.default_rng(0).normal(size=m.nv))
    record = ("q", "v", "energy")
    run = am.simulate(m, q, v, 0.3, 5e-3, "variational", record=record)
    assert run.complete and not run.events
    np.testing.assert_allclose(
        run.energy, run.energy[0], atol=3e-3 * np.ptp(m.energy(run.q, run.v)[0])
    )
