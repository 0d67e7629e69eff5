"""Operational-space control inside the native loop."""

import numpy as np
import pytest

import armillary as am
from sim.native_runs import both

ARM = am.example("six-r")
HAND = ARM.frames[-1]
START = np.array([0.3, -0.9, 0.5, 0.7, -0.8, 0.2])
R_0, P_0 = ARM.pose(START, HAND)
MANY = START + 0.03 * np.random.default_rng(0).normal(size=(9, 6))
PLANE = am.example("double-pendulum")


def thrown(t):
    """Away from the start, at a constant acceleration; arithmetic over any kind of time."""
    way, still = np.array([0.05, -0.02, 0.03]), np.zeros(3)
    return (
        R_0,
        P_0 + way * (t * t),
        np.concatenate([still, 2 * way * t]),
        np.concatenate([still, 2 * way]),
    )


def clock(t):
    """A target that only floats can be asked for."""
    return R_0, P_0 + 0.01 * float(t), np.zeros(6), np.zeros(6)


def line(**options):
    goal = ARM.pose(START + 0.06, HAND)
    return am.line_trajectory(ARM, HAND, goal[1], 0.08, q0=START, places=20, **options)


TARGETS = {
    "place": (P_0 + 0.02, {}),
    "two rows": (P_0 + 0.02, {"rows": ("x", "z"), "posture": START + 0.2}),
    "straight": (line(), {"posture": START - 0.1, "posture_kp": 4.0}),
    "turning": (line(rotation=ARM.pose(START + 0.06, HAND)[0], profile="trapezoid"), {}),
    "function": (thrown, {"rows": "pose"}),
}


def controller(kind, period=None):
    target, options = TARGETS[kind]
    return am.OperationalSpace(ARM, HAND, target, 100.0, 20.0, period=period, **options)


@pytest.mark.parametrize("period", [None, 2e-3, 5e-4])
@pytest.mark.parametrize("kind", TARGETS)
def test_targets(kind, period):
    run, taken = both(ARM, START + 0.01, duration=0.06, controller=controller(kind, period),
                      record=("q", "v", "tau"))  # fmt: skip
    assert taken == 60 and run.complete


@pytest.mark.parametrize("kind", ["straight", "function"])
def test_batches(kind):
    for method in ("rk4", "semi-implicit"):
        both(ARM, MANY, duration=0.02, controller=controller(kind), method=method)


def test_the_frame_obeys_its_law():
    """e = (e_0 + (e_0' + w e_0) t) exp(-w t), critically damped, in every row of the position."""
    part = controller("place")
    run, taken = both(ARM, START, duration=0.4, step=2e-3, controller=part)
    assert taken == 200
    x = 10.0 * run.time[:, None]
    error = P_0 + 0.02 - ARM.pose(run.q, HAND)[1]
    np.testing.assert_allclose(error - 0.02 * (1 + x) * np.exp(-x), 0.0, atol=1e-8)


def test_joints_with_quaternions_and_a_moving_base():
    b = am.Builder("flyer")
    b.body("hull", joint="free", mass=5.0, com=(0.1, 0, 0), inertia=(0.3, 0.4, 0.5))
    b.body("arm", "hull", "spherical", (0.3, 0, 0), mass=1.0, com=(0.2, 0, 0),
           inertia=(0.01, 0.1, 0.1))  # fmt: skip
    b.frame("tip", "arm", (0.4, 0.0, 0.1), rpy=(0.3, -0.2, 0.1))
    flyer = b.build()
    goal = flyer.pose(flyer.initial, "tip")[1] + 0.05
    part = am.OperationalSpace(flyer, "tip", goal, 50.0, 12.0, rows="pose", posture=flyer.initial)
    both(flyer, duration=0.03, controller=part)
    lift = ARM.replace(base_velocity=(0.1, 0, 0.2, 0, 0, 0), base_acceleration=(0, 0, 0, 0, 0, 2.0))
    part = am.OperationalSpace(lift, HAND, P_0 + 0.02, 100.0, 20.0)
    both(lift, START, duration=0.03, controller=part)


@pytest.mark.parametrize("period", [None, 2e-3])
@pytest.mark.parametrize("q0", [[0.5, -0.4], [[0.5, -0.4], [0.5, -0.5]]], ids=["one", "batch"])
def test_near_singular_places_are_left_to_python(period, q0):
    """The elbow stretches and bends the other way; close to straight the gain is damped."""
    part = am.OperationalSpace(PLANE, "tip", [0.0, 0.0, -0.45], 4.0, 4.0, rows=("x", "z"),
                               damping=2e-3, period=period)  # fmt: skip
    run, taken = both(PLANE, q0, [0.0, 3.0], 0.3, controller=part, record=("q", "v", "tau"))
    assert 100 < taken < 290 and run.q[..., 1].min() < -0.1 < 0.1 < run.q[..., 1].max()


def test_what_cannot_be_traced_is_called_back():
    """Rows that a plane arm never moves along, and targets that only floats can be asked for."""
    always = am.OperationalSpace(PLANE, "tip", [0.1, 0.0, -0.4], 4.0, 4.0)
    both(PLANE, [0.4, -0.8], duration=0.02, controller=always, inside=False)
    floats = am.OperationalSpace(ARM, HAND, clock, 100.0, 20.0)
    both(ARM, START, duration=0.02, controller=floats, inside=False)
    for m, part in ((PLANE, always), (ARM, floats)):
        with pytest.raises(AssertionError, match="inside"):
            both(m, duration=0.01, controller=part)


def test_long_code_is_not_compiled():
    """Where the budget of operations is small the controller is called back."""
    arm = ARM.compile(budget=100)
    part = am.OperationalSpace(arm, HAND, P_0, 100.0, 20.0)
    both(arm, START, duration=0.01, controller=part, inside=False)
    with pytest.raises(AssertionError, match="inside"):
        both(arm, START, duration=0.01, controller=part)
