"""Constraints that are drawn back instead of projected, and the corrective force of it."""

import numpy as np
import pytest

import armillary as am

BARS = am.example("four-bar")
RATES = (20.0, 20.0)


def run(**options) -> am.Run:
    given = {"duration": 1.0, "inputs": {"crank": 0.3}, "method": "euler"} | options
    return am.simulate(BARS, **given)


def test_drift_is_bounded_by_the_rates():
    """Explicit Euler lets the loop open without end; the rates hold it, the more the stronger."""
    free = np.abs(run(project=False, record="drift").drift).max()
    soft = np.abs(run(project=(5.0, 5.0), record="drift").drift).max()
    stiff = np.abs(run(project=(50.0, 50.0), record="drift").drift).max()
    assert free > 1e-3
    assert soft < 0.5 * free
    assert stiff < 0.2 * soft


def test_the_motion_is_that_of_projection():
    """With a method of high order both follow the one coordinate of the linkage."""
    drawn, projected = run(project=RATES, method="rk4"), run(method="rk4")
    np.testing.assert_allclose(drawn.q[-1], projected.q[-1], atol=1e-8)
    assert drawn.q[-1].tolist() != projected.q[-1].tolist()


def test_corrective_force():
    """J^T of it makes the accelerations that the rates ask for:
    M (a - a without) = Q(corrective), J (a - a without) = -2 alpha J v - beta² residual."""
    names = ("q", "v", "a", "drift", "constraint_forces", "corrective_force")
    found = run(project=RATES, record=names, every=50)
    assert found.units["corrective_force"] == found.units["constraint_forces"]
    k = 10
    q, v, tau = found.q[k], found.v[k], np.array([0.3, 0.0, 0.0])
    change = found["a"][k] - BARS.forward_dynamics(q, v, tau)
    J = BARS.constraint_jacobian(q)
    alpha, beta = RATES
    wanted = -2 * alpha * (J @ v) - beta**2 * found.drift[k]
    np.testing.assert_allclose(J @ change, wanted, atol=1e-8 * max(1.0, np.abs(wanted).max()))
    assert np.abs(found["corrective_force"][k]).max() > 1e-6
    # the pin's part of the constraint forces, by virtual work on the open tree
    tree = BARS.tree
    pulled = found["constraint_forces"][k] - found["corrective_force"][k]
    plain = BARS.solve(q, v, tau).constraint_forces
    expected = np.concatenate([plain.wrench.ravel(), plain.axis])
    np.testing.assert_allclose(pulled, expected, atol=1e-9)
    force = tree.mass_matrix(q) @ change
    multipliers = np.linalg.lstsq(J.T, force, rcond=None)[0]
    np.testing.assert_allclose(J.T @ multipliers, force, atol=1e-9)


def test_batches_and_resume(tmp_path):
    starts = np.tile(BARS.initial, (3, 1))
    many = am.simulate(BARS, starts, duration=0.1, project=RATES, record=("q", "drift"))
    one = am.simulate(BARS, duration=0.1, project=RATES, record=("q", "drift"))
    np.testing.assert_allclose(many.q[:, 1], one.q, atol=1e-12)
    path = tmp_path / "run.nc"
    am.simulate(BARS, duration=0.05, project=RATES, record="corrective_force", out=path)
    whole = am.simulate(
        BARS, duration=0.1, project=RATES, record="corrective_force", out=path, resume=True
    )
    again = am.simulate(BARS, duration=0.1, project=RATES, record="corrective_force")
    np.testing.assert_allclose(
        whole["corrective_force"], again["corrective_force"], rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("options", [
    {"project": (1.0,)}, {"project": (-1.0, 1.0)}, {"project": "strong"},
    {"project": RATES, "method": "variational"},
    {"project": RATES, "parameters": BARS.parameters},
    {"record": "corrective_force"},
], ids=str)  # fmt: skip
def test_refused(options):
    with pytest.raises(am.InputError, match=r"baumgarte|project|corrective"):
        run(**options)
