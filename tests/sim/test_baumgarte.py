"""Constraints that are drawn back instead of projected, and the corrective force of it."""

from itertools import pairwise

import numpy as np
import pytest

import armillary as am
from sim.native_runs import both

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


# -- in the native loop, and by a force ------------------------------------------------------------

FORCE = am.CorrectiveForce(kp=800.0, kv=40.0)


def point(mass: float) -> am.Mechanism:
    """A bead on three slides, tied to the origin across the first two."""
    b = am.Builder("bead", gravity=(0.0, 0.0, 0.0))
    for name, parent, axis, m in (
        ("x", "world", "x", 0.0),
        ("y", "x", "y", 0.0),
        ("z", "y", "z", mass),
    ):
        b.body(name, parent, "prismatic", axis=axis, mass=m, inertia=(m * 0.01,) * 3)
    b.loop("track", am.Frame("origin", "world"), "z", "prismatic", axis="z")
    return b.build()


@pytest.mark.parametrize("how", [RATES, (0.0, 0.0), FORCE, False], ids=str)
@pytest.mark.parametrize("method", ["euler", "rk4", "semi-implicit"])
def test_the_native_loop_takes_the_same_steps(how, method):
    q, v = BARS.project(BARS.initial, np.array([3.0, 0.0, 0.0]))
    for rows in (1, 9):
        start = (np.tile(x, (rows, 1)) if rows > 1 else x for x in (q, v))
        options = {"duration": 0.05, "project": how, "method": method, "inputs": {"crank": 0.3}}
        _, taken = both(BARS, *start, **options, record=("q", "v", "a", "drift"))
        assert taken == 50


@pytest.mark.parametrize("alpha", [10.0, 40.0])
def test_an_open_start_decays_by_the_rates(alpha):
    """r'' + 2 alpha r' + alpha² r = 0:  r = r0 (1 + alpha t) e^(-alpha t), whatever the mass."""
    bead = point(3.0)
    found = am.simulate(bead, [1e-4, -2e-4, 0.5], duration=0.3, project=(alpha, alpha))
    t = found.time[:, None]
    wanted = (1.0 + alpha * t) * np.exp(-alpha * t) * np.array([1e-4, -2e-4])
    np.testing.assert_allclose(found.q[:, :2], wanted, rtol=0, atol=1e-9)
    assert "is drawn back" in found.events[0][1]


@pytest.mark.parametrize("mass", [0.3, 8.0])
def test_an_open_start_decays_by_the_force(mass):
    """m r'' + kv r' + kp r = 0 along each row: an oscillator of the mass behind it."""
    sigma, omega = 40.0 / (2 * mass), np.sqrt(complex(800.0 / mass - (40.0 / (2 * mass)) ** 2))
    found = am.simulate(point(mass), [1e-3, 0.0, 0.5], duration=0.3, project=FORCE)
    t = found.time
    wanted = np.exp(-sigma * t) * (np.cos(omega * t) + sigma / omega * np.sin(omega * t)).real
    np.testing.assert_allclose(found.q[:, 0], 1e-3 * wanted, rtol=0, atol=1e-9)


def test_gains_that_grow_lead_to_the_projected_run():
    """The loop of the four-bar opens the less, and the motion comes closer."""
    wanted, gaps = run(step=2e-4).q[-1], []
    for gain in (1.0, 10.0, 100.0):
        how = am.CorrectiveForce(kp=gain * 10.0, kv=gain / 10.0)
        found = run(step=2e-4, project=how, record=("q", "drift"))
        gaps.append((np.abs(found.drift).max(), np.abs(found.q[-1] - wanted).max()))
    for before, after in pairwise(gaps):
        assert after[0] < 0.6 * before[0] and after[1] < before[1]


def test_the_corrective_force_is_recorded():
    """-kv (J v) - kp (residual) along the rows of the track."""
    names = ("q", "v", "corrective_force")
    found = am.simulate(point(2.0), [1e-3, 0.0, 0.0], duration=0.05, project=FORCE, record=names)
    wanted = -800.0 * found.q[:, 0] - 40.0 * found.v[:, 0]
    column = found.labels["corrective_force"].index("track.fx")
    np.testing.assert_allclose(found["corrective_force"][:, column], wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("gains", [(-1.0, 1.0), (np.nan, 1.0), (1.0, "2")])
def test_gains_that_are_none(gains):
    with pytest.raises(am.InputError, match="must be a finite number from 0 on"):
        am.CorrectiveForce(*gains)
