"""The response `check`: small where the run is right, for trees and closed mechanisms, with forces
from outside, given motion and drawn-back loops; and as large as the fault where it is wrong."""

from dataclasses import replace

import numpy as np
import pytest

import armillary as am
from armillary.studies import checked, columns
from studies.cars import PRESS, press_experiment

CHECK = {"check": "check"}
PUSH = (0.1, 0.2, -0.3, 5.0, 3.0, -20.0)


def arm():
    return am.Experiment(
        am.example("double-pendulum"),
        {"q0": [0.7, -0.4], "v0": [1.0, 2.0], "duration": 0.02, "external": {"lower": PUSH}},
    )


def pushed_press(**more):
    return press_experiment(0.02).replace(external={"ram": PUSH, "rod": PUSH}, **more)


def sprung():
    """A loop whose hinge has a spring and friction: forces of the constraint that do work; three of
    its five rows are redundant."""
    b = am.Builder("sprung")
    b.body("crank", joint="revolute", axis="y", mass=1.0, com=(0, 0, 0.1), inertia=(0.02,) * 3)
    b.body("rod", "crank", "revolute", (0, 0, 0.2), axis="y", mass=0.7, com=(0.2, 0, 0.05),
           inertia=(0.01, 0.02, 0.015))  # fmt: skip
    b.body("arm", joint="revolute", axis="y", at=(0.5, 0, 0), mass=1.2, com=(0, 0, 0.2),
           inertia=(0.03,) * 3)  # fmt: skip
    spec = am.JointSpec(
        "hinge", "revolute", ((0.0, 1.0, 0.0),),
        passive=(am.Passive(viscous=0.3, spring=4.0, rest=0.2),),
    )  # fmt: skip
    tip = am.Frame("tip", "rod", am.Pose((0.5, 0, 0)))
    top = am.Frame("top", "arm", am.Pose((0, 0, 0.3)))
    b.loop("hinge", tip, top, spec)
    b.initial = {"crank": 0.2, "rod": 0.0, "arm": 0.2}
    m = b.build()
    return am.Experiment(m, {"q0": {"crank": 0.3}, "v0": {"crank": 3.0}, "duration": 0.02})


TREES = {
    "bodies.lower.mass": [0.5, 2.0],
    "joints.elbow.viscous": [0.1, 0.3],
    "gravity.x": [1.0, 2.0],
}
LOADS = {name: {"paths": [x["path"]], "values": x["uniform"]} for name, x in PRESS.items()}
CASES = {
    "a tree with a wrench": (arm, TREES),
    "a press": (lambda: press_experiment(0.02), LOADS),
    "wrenches on a press": (pushed_press, LOADS),
    "drawn back": (lambda: pushed_press(project=(20.0, 20.0)), {"bodies.ram.mass": [40.0, 80.0]}),
    "a sprung loop": (
        sprung,
        {"bodies.rod.mass": [0.5, 1.0], "bodies.arm.inertia.yy": [0.02, 0.1]},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_right_runs_pass_and_wrong_ones_show(name, monkeypatch):
    make, factors = CASES[name]
    experiment = make()
    study = am.study(experiment, factors, CHECK)
    assert not any(study.failed) and 0.0 <= study["check"].max() < 1e-11
    usual = columns.states_in

    def wrong(*given):
        found = usual(*given)
        return [(own, replace(states, given_a=states.a * (1.0 + 1e-4))) for own, states in found]

    monkeypatch.setattr(columns, "states_in", wrong)
    seen = am.study(experiment, factors, CHECK)["check"]
    assert (seen > 1e-6).all() and (seen < 1e-3).all()


def test_a_fault_beside_the_constraints_and_one_along_them():
    """At one state: an acceleration that opens the loop, and one that the drives do not explain."""
    experiment = press_experiment(0.02)
    m = experiment.mechanism
    q, v = m.project(m.initial, [2.0, 0.0, 0.0])
    a = m.forward_dynamics(q, v, np.zeros(3))
    free = m.forward_dynamics(q, v, [5.0, 0.0, 0.0]) - a  # obeys the loop
    beside = np.array([0.0, 0.0, 1.0])
    for x, low, high in ((a, 0.0, 1e-12), (a + free, 1e-3, 10.0), (a + beside, 1e-4, 10.0)):
        states = checked.States(m, q[None], v[None], np.zeros((1, 3)), np.asarray(x)[None])
        (found,) = checked._of_closed(states)
        assert low <= found <= high


def test_a_variant_that_breaks_down_does_not_stop_the_others():
    experiment = press_experiment(0.05)
    study = am.study(experiment, {"inputs.crank": [10.0, 1e12, 20.0]}, CHECK)
    assert study.failed[1] and np.isnan(study["check"][1])
    assert not study.failed[0] and study["check"][[0, 2]].max() < 1e-11


def test_recorded_checks_are_made_with_a_mechanism_of_its_own():
    """A column `check` knows the numbers of the model alone: such variants run one by one."""
    short = arm().replace(duration=0.002)
    study = am.study(short, {"bodies.lower.mass": [2.0]}, {"x": "max check.worst"})
    assert not any(study.failed) and study["x"].max() < 1e-9
    own = am.Experiment(am.example("double-pendulum"), {"duration": 0.01, "record": ["check"]})
    with pytest.raises(am.InputError, match="model's own"):
        own.replace(parameters=own.mechanism.parameters).run()


def test_checks_of_moved_rows_are_refused_before_anything_runs():
    """They were refused when the run was over, and a study gave rows of NaN."""
    asked = []

    def push(t):
        asked.append(t)
        return 1.0

    held = am.Experiment(
        am.example("four-bar"),
        {"prescribed": {"crank": 1.0}, "inputs": {"rocker": push}, "record": ["check"]},
    )
    with pytest.raises(am.InputError, match="motion of its rows"):
        held.run()
    with pytest.raises(am.InputError, match=r"'check.worst': .*motion of its rows"):
        am.study(held, {"bodies.coupler.mass": [0.7]}, {"x": "max check.worst"})
    assert not [t for t in asked if t > 0.0]


def test_velocities_of_bodies_follow_their_places():
    """|v| of the lower arm's hinge is |ω| times the upper arm's own length."""
    start = {"q0": [0, 0], "v0": [1.5, 0.0], "duration": 0.01}
    study = am.study(
        am.Experiment(am.example("double-pendulum"), start),
        {"bodies.lower.at.z": [-0.3, -0.75]}, {"x": "start body_velocity.lower.vx"},
    )  # fmt: skip
    assert study.grouped == {}
    assert np.allclose(np.abs(study["x"]), [0.45, 1.125], rtol=1e-12)


def test_frames_follow_places_that_differ_in_one_batch():
    """Two joints whose frames are turned against their parents: against mechanisms of their own."""
    b = am.Builder("bent")
    turned = am.Pose.from_rpy((0.1, 0.2, 0.3), (0.4, 0.5, -0.7))
    b.body("a", joint="revolute", axis=(0.3, 0.9, 0.1), at=turned, mass=1.0, inertia=(1, 1, 1))
    b.body("c", "a", "revolute", am.Pose.from_rpy((0.3, -0.2, 0.5), (1.0, -0.4, 0.2)), axis="x",
           mass=1.0, inertia=(1, 1, 1))  # fmt: skip
    b.frame("tip", "c", at=(0.1, 0.2, 0.4))
    experiment = am.Experiment(b.build(), {"v0": [2.0, -3.0], "duration": 0.02})
    names = ["pose:tip", "velocity:tip", "acceleration:tip:world_aligned"]
    factors = {"bodies.a.at.x": [0.1, -0.4], "bodies.c.at.z": [0.5, 0.9], "bodies.c.at.y": [0, 1]}
    study = am.study(experiment, factors, recordings=names)
    assert study.grouped == {}
    for variant in (2, 5):
        run, one = study.run(variant, record=names), study.recording(variant)
        for name in names:
            own = np.stack([one[f"{name}.{label}"] for label in run.labels[name]], axis=1)
            np.testing.assert_allclose(own, run[name], atol=1e-11 * np.abs(run[name]).max())


@pytest.mark.parametrize("weight", [1.0, 1e-4])
def test_forces_that_balance_at_rest_agree(weight):
    """A weight on its spring, and a linkage whose crank is held: accelerations of nothing, measured
    by the weights that meet.  A force as large as a part of the weight is seen all the same."""
    b = am.Builder("hanging")
    b.body("load", joint="prismatic", axis="z", mass=0.3, passive=am.Passive(spring=7.0))
    hanging = am.Experiment(b.build(), {"duration": 0.02})
    bars = am.example("four-bar")
    held = am.Experiment(bars, {"prescribed": {"crank": 1.0}, "duration": 0.02})
    rest = [-0.3 * weight * 9.81 / 7.0]
    cases = (
        (hanging.replace(q0=rest), {"bodies.load.mass": [0.3 * weight]}),
        (held, {"bodies.coupler.mass": [0.7 * weight, 0.8 * weight]}),
    )
    for experiment, factors in cases:
        assert am.study(experiment, factors, CHECK)["check"].max() < 1e-13
    m, unit = hanging.mechanism, np.ones((1, 1))
    numbers = m.parameters * np.where(np.arange(len(m.parameters)) < 10, weight, 1.0)
    for fault in (1e-4, 1e-10):  # as large as this part of the weight
        pushed = fault * 0.3 * weight * 9.81 * unit
        states = checked.States(
            m, np.array([rest]), 0.0 * unit, pushed, 0.0 * unit, parameters=numbers[None]
        )
        seen = float(checked._of_tree(states)[0])
        assert seen > fault
