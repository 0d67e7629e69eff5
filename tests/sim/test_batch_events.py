"""Events in batches: every run meets its own, and ends on its own."""

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop.events import Event, JointLimits

G = 9.81


def tower():
    """A weight that falls along z; the floor is its lower limit."""
    b = am.Builder("tower")
    b.body("stone", joint="prismatic", axis="z", mass=2.0, inertia=(0.1, 0.1, 0.1),
           limits=am.Limits(lower=0.0, upper=50.0))  # fmt: skip
    return b.build()


TOWER = tower()
HEIGHTS = np.array([[1.0], [0.2], [3.0], [0.5]])
LANDING = np.sqrt(2 * HEIGHTS[:, 0] / G)
GROUND = Event(lambda t, q, v: q[0], "ground", terminal=True)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_every_run_ends_at_its_own_instant(method):
    """Falling stones: t = sqrt(2 h / g), and there they stay in the record."""
    run = am.simulate(TOWER, HEIGHTS, duration=0.6, step=1e-2, method=method, events=GROUND)
    ended = run.state["ended"]
    np.testing.assert_allclose(ended[:2], LANDING[:2], atol=1e-12)
    assert np.isnan(ended[2]) and run.time[-1] == pytest.approx(0.6)
    times = {int(text.split()[1][:-1]): t for t, text in run.events if "ended by 'ground'" in text}
    assert sorted(times) == [0, 1, 3]
    for row in (0, 1, 3):
        assert times[row] == pytest.approx(LANDING[row], abs=1e-12)
        after = run.time > LANDING[row]
        np.testing.assert_allclose(run.q[after, row, 0], 0.0, atol=1e-12)
        np.testing.assert_allclose(run.v[after, row, 0], -G * LANDING[row], atol=1e-11)
        before = ~after
        fall = HEIGHTS[row] - 0.5 * G * run.time[before] ** 2
        np.testing.assert_allclose(run.q[before, row, 0], fall, atol=1e-11)
    np.testing.assert_allclose(run.q[:, 2, 0], 3.0 - 0.5 * G * run.time**2, atol=1e-11)


def test_the_run_is_over_when_all_have_ended():
    run = am.simulate(TOWER, HEIGHTS, duration=2.0, step=1e-2, events=GROUND)
    assert run.complete and "all 4 runs ended" in run.message
    assert run.time[-1] == pytest.approx(LANDING.max(), abs=1e-12)
    np.testing.assert_allclose(run.state["ended"], LANDING, atol=1e-12)
    np.testing.assert_allclose(run.q[-1], 0.0, atol=1e-12)


def test_rows_are_the_single_runs():
    """Of a pendulum that ends at the bottom, or is kicked there."""
    arm = am.example("double-pendulum")
    starts = np.array([[0.5, 0.1], [1.0, -0.2], [1.4, 0.3]])

    def kick(t, q, v):
        return q, 0.5 * v

    for event in (
        Event(lambda t, q, v: q[0], "bottom", terminal=True),
        Event(lambda t, q, v: q[0], "bottom", action=kick),
        lambda t, q, v: q[1],
    ):
        many = am.simulate(arm, starts, duration=0.5, step=2e-3, events=event)
        for row, start in enumerate(starts):
            one = am.simulate(arm, start, duration=0.5, step=2e-3, events=event)
            own = [t for t, text in many.events if text.startswith(f"run {row}:")]
            np.testing.assert_allclose(own, [t for t, _ in one.events], atol=1e-9)
            np.testing.assert_allclose(many.q[-1, row], one.q[-1], atol=1e-9)


# -- recordings that go on -----------------------------------------------------------------------


def test_runs_that_ended_stay_so_in_a_recording_that_goes_on(tmp_path):
    whole = am.simulate(TOWER, HEIGHTS, duration=0.7, step=1e-2, events=GROUND)
    out = tmp_path / "fall.nc"
    for duration in (0.4, 0.7):
        parts = am.simulate(TOWER, HEIGHTS, duration=duration, step=1e-2, events=GROUND, out=out,
                            resume=duration > 0.4)  # fmt: skip
    np.testing.assert_allclose(parts.q, whole.q, atol=1e-13)
    np.testing.assert_allclose(parts.state["ended"], whole.state["ended"], atol=1e-13)
    assert [text for _, text in parts.events] == [text for _, text in whole.events]


@pytest.mark.parametrize("q0", [[1.0], [[1.0], [0.3]]], ids=["one", "batch"])
def test_joints_at_rest_stay_so_in_a_recording_that_goes_on(tmp_path, q0):
    """A stone on the floor, lifted by a force later: no second impact, no fall through."""
    lift = am.Schedule([0.0, 0.8, 0.8, 1.0], [0.0, 0.0, 30.0, 30.0])
    options = {"step": 1e-2, "inputs": {"stone": lift}, "events": JointLimits(0.0)}
    whole = am.simulate(TOWER, q0, duration=1.0, **options)
    out = tmp_path / "rest.nc"
    for duration in (0.6, 1.0):
        parts = am.simulate(TOWER, q0, duration=duration, out=out, resume=duration > 0.6, **options)
        if duration == 0.6:
            assert np.abs(parts.state["resting"]).sum() == np.size(q0)
    np.testing.assert_allclose(parts.q, whole.q, atol=1e-13)
    assert parts.events == whole.events
    rise = 0.5 * (15.0 - G) * 0.2**2  # 30 N on 2 kg for 0.2 s
    np.testing.assert_allclose(parts.q[-1], np.full(np.shape(q0), rise), atol=1e-9)
