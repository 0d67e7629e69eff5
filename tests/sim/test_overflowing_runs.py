"""Runs whose numbers overflow end where they break and say so; the steps before are kept."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import NotFiniteError

METHODS = ("euler", "semi-implicit", "rk4", "dopri5", "implicit", "variational", "exponential")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("example", ["two-link", "four-bar"])
def test_a_run_ends_where_it_breaks(example, method):
    m = am.example(example)
    v0 = m.project(m.initial, np.ones(m.nv))[1]
    sizes = [1e100, 1e180]
    if m.constraints:  # where squares overflow nobody knows whether the constraints allow it
        with pytest.raises(NotFiniteError, match=r"v\[\d\]"):
            am.simulate(m, m.initial, v0 * sizes.pop(), 0.01, step=1e-3, method=method)
    for size in sizes:
        run = am.simulate(m, m.initial, v0 * size, 0.01, step=1e-3, method=method)
        assert not run.complete
        np.testing.assert_allclose(run.v[0], v0 * size, rtol=1e-12)


@pytest.mark.parametrize("method", ["rk4", "implicit", "variational"])
def test_the_other_runs_of_a_batch_go_on(method):
    m = am.example("two-link")
    v0 = np.array([[1.0, 1.0], [1e180, 1e180], [1.0, 2.0]])
    run = am.simulate(m, np.tile(m.initial, (3, 1)), v0, 0.01, step=1e-3, method=method)
    assert any("run 1" in str(event) for event in run.events)
    for row in (0, 2):
        alone = am.simulate(m, m.initial, v0[row], 0.01, step=1e-3, method=method)
        np.testing.assert_allclose(run.q[-1, row], alone.q[-1], rtol=1e-9)


@pytest.mark.parametrize("period", [None, 0.002])
def test_a_controller_with_a_model_ends_with_its_run(period):
    m = am.example("two-link")
    controller = am.GravityCompensation(m, period=period)
    run = am.simulate(m, m.initial, np.full(2, 1e180), 0.01, step=1e-3, controller=controller)
    assert not run.complete
