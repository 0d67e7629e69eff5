"""A quarter car over a bump, and a press: experiments that the tests of studies share."""

import numpy as np

import armillary as am


def bump_experiment(duration=0.3, method="rk4", step=1e-3) -> am.Experiment:
    b = am.Builder("quarter car")
    b.body("wheel", joint="prismatic", axis="z", mass=40.0)
    b.body("car", joint="prismatic", axis="z", at=(0, 0, 0.5), mass=300.0)
    b.spring("strut", "wheel", "car", stiffness=2e4, damping=1500.0, preload=-300 * 9.81)
    car = b.build()
    road = am.Bump(0.08, 1.0, 0.5)
    tyre = am.RoadSpring(car, "wheel", road, speed=8.0, stiffness=2e5, preload=340 * 9.81)
    return am.Experiment(
        car, {"duration": duration, "method": method, "step": step, "actuators": [tyre]}
    )


CAR = {
    "spring": {"path": "elements.strut.stiffness", "uniform": [1e4, 4e4]},
    "damper": {"path": "elements.strut.damping", "uniform": [800.0, 3000.0]},
    "body": {"path": "bodies.car.mass", "normal": {"mean": 300.0, "deviation": 30.0, "low": 200}},
    "wheel": {"path": "bodies.wheel.mass", "triangular": [30.0, 50.0, 40.0]},
    "tyre": {"path": "actuators.stiffness", "uniform": [1.5e5, 2.5e5]},
    "speed": {"path": "actuators.speed", "uniform": [3.0, 20.0]},
}
COMFORT = {"peak": "max road_force.wheel", "comfort": "rms a.car"}


def press_experiment(duration=0.2) -> am.Experiment:
    """A crank drives a ram against a counterbalance spring; the crank is pushed by a torque."""
    b = am.Builder("press")
    r, rod, at = 0.1, 0.35, 0.6
    b.body(
        "crank", joint="revolute", axis="y", mass=20.0, com=(0, 0, 0.03),
        inertia=(0.3, 0.4, 0.2), passive=am.Passive(viscous=0.5),
    )  # fmt: skip
    b.body(
        "rod", "crank", "revolute", (0, 0, r), axis="y", mass=8.0, com=(0.01, 0, -0.15),
        inertia=(0.12, 0.12, 0.01), passive=am.Passive(viscous=0.2),
    )  # fmt: skip
    b.body(
        "ram", joint="prismatic", axis="z", mass=60.0, inertia=(1.0, 1.2, 0.8),
        passive=am.Passive(viscous=40.0),
    )  # fmt: skip
    foot = am.Frame("foot", "rod", am.Pose((0, 0, -rod)))
    b.loop("pin", foot, "ram", "revolute", axis="y")
    b.frame("head", "world", at=(0, 0, at))
    b.spring("balance", "head", "ram", stiffness=3000.0, damping=50.0, rest=0.3)
    b.initial = {"crank": 0.4, "rod": -0.5, "ram": r - rod}
    press = b.build()
    q0 = press.assemble(hold=["crank"]).q
    return am.Experiment(
        press, {"q0": q0, "v0": {"crank": 4.0}, "duration": duration, "inputs": {"crank": 60.0}}
    )


PRESS = {
    "ram": {"path": "bodies.ram.mass", "uniform": [40.0, 90.0]},
    "balance": {"path": "elements.balance.stiffness", "uniform": [1000.0, 6000.0]},
    "oil": {"path": "joints.ram.viscous", "uniform": [10.0, 80.0]},
    "torque": {"path": "inputs.crank", "uniform": [20.0, 100.0]},
    "gravity": {"path": "gravity.z", "uniform": [-9.83, -9.78]},
    "speed": {"path": "v0.crank", "uniform": [2.0, 6.0]},
}
BEARINGS = {
    "crank": "max reactions.crank.force",
    "pin": "max constraint_forces.pin.force",
    "when": "time_of_max constraint_forces.pin.force",
    "energy": "end energy",
}


def integral(t, x):
    """By the trapezoidal rule."""
    return float(np.sum(0.5 * np.diff(t) * (x[1:] + x[:-1])))
