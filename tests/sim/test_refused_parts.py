"""Parts and events that make no sense are refused where they are built, in words that help."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, InputError
from armillary.sim.control.chain import Chain
from armillary.sim.loop.events import Event, JointLimits

ARM, BARS = am.example("double-pendulum"), am.example("four-bar")
MOTOR = am.Motor(resistance=1.0, torque_constant=0.1)
NAN, INF = float("nan"), float("inf")


def spring(**other):
    given = {"stiffness": 10.0, "inertia": 0.1} | other
    return am.FlexibleTransmission(ARM, "elbow", **given)


def place(**other):
    return am.OperationalSpace(ARM, "tip", [0.2, 0, 0], 10.0, 2.0, **other)


def zero(t, q, v):
    return np.zeros(2)


PERIODS = [
    lambda p: am.DAC(8, period=p),
    lambda p: am.PID(ARM, [0, 0], 1.0, period=p),
    lambda p: am.ComputedTorque(ARM, [0, 0], 1.0, 1.0, period=p),
    lambda p: am.GravityCompensation(ARM, period=p),
    lambda p: place(period=p),
    lambda p: am.FeedForward(lambda t: [0.0, 0.0], p),
    lambda p: am.Function(zero, p),
    lambda p: am.simulate(ARM, controller=zero, period=p),
]


@pytest.mark.parametrize("build", PERIODS)
@pytest.mark.parametrize("period", [-1, 0.0, NAN, INF, "1", True])
def test_periods(build, period):
    with pytest.raises(InputError, match="period: expected a positive time in seconds"):
        build(period)


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda: am.DAC(True), "bits"),
        (lambda: am.DAC(8, NAN, 1.0), "low"),
        (lambda: am.DAC(8, 0.0, INF), "high"),
        (lambda: am.DAC(8, gain=NAN), "gain"),
        (lambda: am.PID(ARM, [0, 0], NAN), "kp"),
        (lambda: am.PID(ARM, [0, 0], {"elbow": NAN}), "kp"),
        (lambda: am.PID(ARM, [0, 0], "strong"), "kp"),
        (lambda: am.PID(ARM, [0, 0], 1.0, limit=-3.0), "limit of 'shoulder'"),
        (lambda: am.PID(ARM, [0, NAN], 1.0), "target"),
        (lambda: am.PID(ARM, {"elbow": INF}, 1.0), "target"),
        (lambda: am.ComputedTorque(ARM, [0, NAN], 1.0, 1.0), "target"),
        (lambda: am.ComputedTorque(ARM, [0, 0], 1.0, INF), "kd"),
        (lambda: place(damping=-1.0), "damping"),
        (lambda: place(posture=[0.0]), "posture"),
        (lambda: place(posture_kp=-1.0), "posture_kp"),
        (lambda: am.OperationalSpace(ARM, "tip", [0, 0, NAN], 1.0, 1.0), "target"),
        (lambda: am.OperationalSpace(ARM, "tip", [0, 0, 0], NAN, 1.0), "kp"),
        (lambda: am.FeedForward(3.0), "FeedForward: expected a function"),
        (lambda: am.Function(3.0), "Function: expected a function"),
        (lambda: am.Ideal(ARM, -1.0), "limit of 'shoulder'"),
        (lambda: am.Ideal(ARM, [1.0, 2.0, 3.0]), "limit"),
        (lambda: am.DCMotor(ARM, MOTOR, smoothing=-1.0), "smoothing"),
        (lambda: am.DCMotor(ARM, MOTOR, dac=8), "dac"),
        (lambda: am.DCMotor(ARM, {"elbow": 3.0}), "motor of 'elbow'"),
        (lambda: am.DCMotor(ARM, am.Motor(1.0, 0.1, inductance=-1.0)), "inductance"),
        (lambda: am.DCMotor(ARM, am.Motor(1.0, 0.1, voltage_limit=-1.0)), "voltage limit"),
        (lambda: am.DCMotor(ARM, am.Motor(1.0, NAN)), "finite"),
        (lambda: spring(stiffness=-1.0), "stiffness of 'elbow'"),
        (lambda: spring(inertia=0.0), "inertia of 'elbow'"),
        (lambda: spring(damping=NAN), "damping"),
        (lambda: spring(motors=MOTOR), "motors"),
        (lambda: Event(3.0), "expected a function"),
        (lambda: Event(zero, direction=2), "direction"),
        (lambda: am.Switch(zero), "mechanism that goes on"),
        (lambda: JointLimits(1.5), "restitution"),
        (lambda: JointLimits(0.5, rest=-1.0), "rest"),
    ],
)
def test_numbers(build, text):
    with pytest.raises(ArmillaryError, match=text):
        build()


@pytest.mark.parametrize(
    "part",
    [
        am.PID(BARS, {"crank": 0.3}, 1.0),
        am.ComputedTorque(BARS, BARS.initial, 1.0, 1.0, actuators=["crank"]),
        am.GravityCompensation(BARS, ["crank"]),
        Chain(am.PID(BARS, {"crank": 0.3}, 1.0), am.PID(BARS, {"rocker": 0.3}, 1.0)),
    ],
)
def test_controllers_of_another_mechanism(part):
    name = "PID" if isinstance(part, Chain) else type(part).__name__
    text = f"{name}: it was built for 'four-bar' with 3 degrees of freedom .*the run is of 'double"
    with pytest.raises(InputError, match=text):
        am.simulate(ARM, controller=part)


def test_actuators_of_another_mechanism():
    for part in (am.Ideal(BARS), am.DCMotor(BARS, MOTOR)):
        with pytest.raises(InputError, match="Build it with the mechanism that is simulated"):
            am.simulate(ARM, actuators=part)


def test_a_copy_with_other_masses_is_no_other_mechanism():
    heavy = ARM.replace(bodies={"lower": {"mass": 2.0}})
    assert am.simulate(ARM, controller=am.PID(heavy, [0, 0], 1.0), duration=0.01).complete
