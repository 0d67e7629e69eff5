"""The shortest way from point to point within limits, one for all joints or one for each."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.sim.motion.profiles import PROFILES, trapezoid

ARM = am.example("six-r")
RNG = np.random.default_rng(4)
Q0, Q1 = RNG.normal(size=(2, ARM.nq))
FAR = np.abs(Q1 - Q0)


def within(motion, velocity, acceleration):
    """Largest share of the limits that is used, sampled."""
    t = np.linspace(motion.start, motion.end, 4001)
    s = motion(t)
    return float((np.abs(s.v) / velocity).max()), float((np.abs(s.a) / acceleration).max())


@pytest.mark.parametrize(("velocity", "acceleration"), [(1.5, 2.0), (0.4, 6.0), (9.0, 2.0)])
def test_no_motion_is_over_sooner(velocity, acceleration):
    """Bang, coast, bang: d / v + v / a, or 2 sqrt(d / a) where the speed is not reached."""
    motion = am.trajectories.point_to_point(
        ARM, Q0, Q1, profile="trapezoid", velocity=velocity, acceleration=acceleration
    )
    d = FAR.max()
    coasts = velocity**2 < d * acceleration
    best = d / velocity + velocity / acceleration if coasts else 2 * np.sqrt(d / acceleration)
    assert motion.duration == pytest.approx(best, rel=1e-12)
    speed, push = within(motion, velocity, acceleration)
    assert push == pytest.approx(1.0, rel=1e-9) and speed <= 1.0 + 1e-9


@pytest.mark.parametrize("profile", sorted(PROFILES))
@pytest.mark.parametrize("form", ["array", "names"])
def test_limits_of_each_joint(profile, form):
    """Both are kept by all joints, and one of them is used up; no shape may be made faster."""
    velocity = RNG.uniform(0.5, 3.0, ARM.nv)
    acceleration = RNG.uniform(0.5, 3.0, ARM.nv)
    given = [velocity, acceleration]
    if form == "names":
        given = [dict(zip(ARM.v_labels, x, strict=True)) for x in given]
    motion = am.trajectories.point_to_point(
        ARM, Q0, Q1, profile=profile, velocity=given[0], acceleration=given[1]
    )
    assert max(within(motion, velocity, acceleration)) == pytest.approx(1.0, rel=1e-5)


def test_a_ramp_that_is_given_stays():
    d = FAR.max()
    motion = am.trajectories.point_to_point(
        ARM, Q0, Q1, profile=trapezoid(0.25), velocity=50.0, acceleration=2.0
    )
    assert motion.duration == pytest.approx(np.sqrt(16 / 3 * d / 2.0), rel=1e-12)


def test_some_joints_alone():
    """A joint without a limit does not count."""
    label = ARM.v_labels[2]
    motion = am.trajectories.point_to_point(ARM, Q0, Q1, profile="cubic", velocity={label: 0.7})
    assert motion.duration == pytest.approx(1.5 * FAR[2] / 0.7, rel=1e-12)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"velocity": [1.0, 2.0]}, "velocity: expected a finite number or 6 of them"),
        ({"velocity": -1.0}, "expected a positive limit, found -1"),
        ({"acceleration": "x"}, "acceleration: expected a finite number"),
        ({}, "a velocity or an acceleration is needed"),
        ({"q1": Q0, "velocity": 1.0}, "q0 and q1 are the same"),
    ],
)
def test_limits_that_are_refused(given, text):
    with pytest.raises(InputError, match=text):
        am.trajectories.point_to_point(ARM, **{"q0": Q0, "q1": Q1, **given})
