"""Exciting trajectories: limits, rest at both ends, condition numbers, use in runs."""

import numpy as np
import pytest

import armillary as am
from armillary.sim.motion.fourier import Fourier

LIMITS = {"shoulder": (-1.0, 2.0, 3.0, 8.0), "elbow": am.Limits(-2.0, 0.5, velocity=2.5)}


def pendulum() -> am.Mechanism:
    return am.example("double-pendulum")


def proposed(**options):
    return am.exciting_trajectory(
        pendulum(), LIMITS, **({"period": 6.0, "evaluations": 120} | options)
    )


def test_rates_of_the_series_are_its_derivatives():
    """Against complex steps of the scalar function, and of the array function at the ends."""
    rng = np.random.default_rng(0)
    motion = Fourier(rng.normal(size=2), *rng.normal(size=(2, 3, 2)), 4.0, periods=2, start=0.5)
    h = 1e-6
    for t in (0.7, 3.3, 8.1):
        q, v, a = motion(t)
        np.testing.assert_allclose((motion(t + h).q - motion(t - h).q) / (2 * h), v, atol=1e-7)
        np.testing.assert_allclose((motion(t + h).v - motion(t - h).v) / (2 * h), a, atol=1e-6)
        for own, other in zip(motion.scalars(t), (q, v, a), strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(motion(t + 4.0).q if t < 4.5 else q, q, atol=1e-12)
    for t in (0.0, 9.0):  # before and after it stands
        assert not motion(t).v.any() and not motion.scalars(t)[1][0]
        np.testing.assert_allclose(motion(t).q, motion(0.5).q, atol=1e-12)
    np.testing.assert_allclose(motion.column(1)(1.0).q, motion(1.0).q[1:])


@pytest.mark.parametrize("seed", [0, 3])
def test_limits_are_kept_and_filled(seed):
    motion = proposed(seed=seed)
    q, v, a = motion(np.linspace(0.0, 6.0, 6001))
    assert (q[:, 0] >= -1.0).all() and (q[:, 0] <= 2.0).all() and np.abs(v[:, 0]).max() <= 3.0
    assert (q[:, 1] >= -2.0).all() and (q[:, 1] <= 0.5).all() and np.abs(v[:, 1]).max() <= 2.5
    assert np.abs(a[:, 0]).max() <= 8.0
    used = max(np.ptp(q[:, 0]) / 3.0, np.abs(v[:, 0]).max() / 3.0, np.abs(a[:, 0]).max() / 8.0)
    assert used > 0.95
    for t in (0.0, 6.0):
        sample = motion(t)
        assert np.abs(sample.v).max() < 1e-12 and np.abs(sample.a).max() < 1e-10


def test_the_condition_is_that_of_the_identification():
    """The number it promises is that which identify finds at these instants, with equal weights;
    and it is better than that of random motions."""
    motion = proposed()
    assert motion.condition < motion.at_first
    t = np.linspace(0.0, 6.0, 81)[:-1]
    q, v, a = motion(t)
    tau = pendulum().inverse_dynamics(q, v, a)
    data = {"time": t, "q": q, "v": v, "a": a, "tau": tau}
    equal = {"shoulder": 1e-4, "elbow": 1e-4}
    found = am.identify(pendulum(), data, noise=equal, still=-1)
    assert found.condition == pytest.approx(motion.condition, rel=1e-6)
    assert proposed().condition == motion.condition  # the same seed


def test_it_begins_where_it_is_told():
    motion = proposed(begin={"shoulder": 0.3})
    assert motion(0.0).q[0] == pytest.approx(0.3, abs=1e-12)
    q = motion(np.linspace(0.0, 6.0, 2001)).q
    assert q[:, 0].min() >= -1.0 and q[:, 0].max() <= 2.0


def test_replay_simulation_and_identification_take_it():
    arm, motion = pendulum(), proposed()
    run = am.replay(arm, motion, step=0.01)
    found = am.identify(arm, run)
    np.testing.assert_allclose(found.base_estimates, found.base_of_model, rtol=1e-6, atol=1e-8)
    follow = am.ComputedTorque(arm, motion, kp=100.0, kd=20.0)
    tracked = am.simulate(arm, motion(0.0).q, duration=6.0, step=1e-3, controller=follow)
    assert tracked.performance().native > 0.99
    # sign(v) turns within steps: friction leaves a little behind
    assert np.abs(tracked.q - motion(tracked.time).q).max() < 1e-3
    assert "harmonics of 0.1667 Hz" in str(motion) and "shoulder" in str(motion)


def test_closed_mechanisms_are_led():
    bars = am.example("four-bar")
    motion = am.exciting_trajectory(
        bars, {"crank": (0.0, 2.0, 4.0)}, joints=["crank"], period=4.0, evaluations=12, friction=()
    )
    run = am.replay(bars, motion.motions, step=0.02, record="q,drift")
    assert np.abs(run.drift).max() < 1e-8
    assert run.q[:, 0].min() >= 0.0 and run.q[:, 0].max() <= 2.0
    with pytest.raises(am.InputError, match=r"has no motors.*joints=\['crank'\]"):
        am.exciting_trajectory(bars)


def test_refusals():
    with pytest.raises(am.InputError, match="shoulder, elbow: no limits of position"):
        am.exciting_trajectory(pendulum())
    with pytest.raises(am.InputError, match="lower < upper"):
        am.exciting_trajectory(pendulum(), {"shoulder": (1.0, -1.0), "elbow": (0.0, 1.0)})
    with pytest.raises(am.InputError, match="at least 3 harmonics"):
        proposed(harmonics=2)
    with pytest.raises(am.ModelError, match="joint"):
        am.exciting_trajectory(pendulum(), {"wrist": (0.0, 1.0)})
