"""Whatever a run records is a response and a recording of a study, of the same number."""

import json

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop.experiment_text import made_here
from armillary.sim.motion.trajectories import Pieces
from armillary.sim.record.quantities import QUANTITIES
from armillary.studies.study import work_for
from armillary.studies.work import do_chunk
from studies.cars import press_experiment

TREE = {"wheel_forces", "tyres", "element_forces"}  # what these mechanisms do not have


def shaken():
    """A weight on a plate that is moved up and down: f = m (g + x'')."""
    b = am.Builder("shaken", gravity=(0, 0, -9.81))
    b.body("plate", joint="prismatic", axis="z", mass=0.0)
    b.body("weight", "plate", "prismatic", axis="x", mass=2.0)
    up = Pieces([0.0, 0.05, 0.1], [[[0.0], [0.0], [2.0]], [[0.005], [0.2], [-2.0]]])
    return am.Experiment(b.build(), {"duration": 0.09, "step": 1e-3, "prescribed": {"plate": up}})


def test_the_force_of_a_prescribed_motion():
    """Up with 4 m/s², then with -4 m/s²: m (g + 4) and m (g - 4), in a batch and in a worker."""
    names = {"f": "max prescribed_force.plate", "g": "min prescribed_force"}
    masses = np.array([1.0, 2.0, 3.5])
    factors, experiment = {"bodies.weight.mass": list(masses)}, shaken()
    study = am.study(experiment, factors, names)
    assert study.grouped == {} and not any(study.failed) and study.units["f"] == "N"
    assert study["f"] == pytest.approx(masses * 13.81, rel=1e-9)
    assert study["g"] == pytest.approx(masses * 5.81, rel=1e-9)
    text = json.dumps(work_for(experiment, factors, names).definition())
    chunk = do_chunk(text, 0, made_here("")["armillary"])
    assert np.array_equal(chunk.responses, study.table[:, 1:])


def driven_press():
    """Its crank turns as it is told, something pushes the rod, a spring acts."""
    press = press_experiment(0.01)
    turn = am.Schedule([0.0, 1.0], [0.4, 5.4])
    return press.replace(
        inputs=None, prescribed={"crank": turn}, v0=None, external={"rod": [0, 1.0, 0, 5.0, 0, 9.0]}
    )


def drawn_press():
    return press_experiment(0.01).replace(project=(20.0, 20.0))


def stuck_press():
    """Dry friction holds the crank, whatever pulls at the ram."""
    press = press_experiment(0.02)
    m = press.mechanism.replace({"crank": {"passive": am.Passive(coulomb=500.0)}})
    return press.replace(m, v0=None, inputs={"ram": 50.0}, events=[am.StickSlip()])


FRAMES = ("pose:ram", "velocity:rod:world", "acceleration:rod", "condition:ram",
          "reactions:world_aligned", "constraint_forces:world")  # fmt: skip
PRESSES = {
    "driven": (driven_press, {"bodies.ram.mass": [40.0, 80.0]}, {"corrective_force", "check"}),
    "drawn back": (
        drawn_press,
        {"v0.crank": [2.0, 4.0]},
        {"prescribed_force", "check", "external"},
    ),
}


@pytest.mark.parametrize("name", PRESSES)
def test_recordings_of_all_that_a_run_records(name):
    make, factors, without = PRESSES[name]
    names = [*(x for x in QUANTITIES if x not in TREE | without), "element_forces", *FRAMES]
    experiment = make()
    for absent in without - {"check"}:
        with pytest.raises(am.InputError, match=absent):
            am.study(experiment, factors, recordings=[absent])
    study = am.study(experiment, factors, recordings=names)
    assert not any(study.failed)
    run, one = study.run(1, record=names), study.recording(1)
    for quantity in names:
        values = run[quantity].reshape(len(run), -1)
        scale = np.abs(values).max()
        for k, label in enumerate(run.labels[quantity] or ("",)):
            found = one[f"{quantity}.{label}" if label else quantity]
            small = 1e-11 * scale if quantity not in ("drift", "constraint_power") else 1e-9
            assert np.allclose(found, values[:, k], rtol=1e-9, atol=small), (quantity, label)


def test_what_holds_a_joint_is_among_the_forces():
    """A crank that sticks: power flows nowhere, and the pin carries what the run says it does."""
    responses = {"pin": "max constraint_forces.pin.force", "speed": "max |v.ram|"}
    study = am.study(stuck_press(), {"bodies.ram.mass": [40.0, 80.0]}, responses)
    assert study["speed"].max() < 1e-12
    for k in (0, 1):
        run = study.run(k, record=("constraint_forces",))
        force = np.linalg.norm(
            [run.column(f"pin.f{x}", "constraint_forces") for x in "xyz"], axis=0
        )
        assert study["pin"][k] == pytest.approx(force.max(), rel=1e-9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max reactions", "'reactions' has 18 columns. Name one of them, as in 'reactions.crank"),
        ("max wheel_forces", "'wheel_forces' is about wheels, and 'press' has none"),
        ("max prescribed_force", "'prescribed_force' is about prescribed motions, and 'press'"),
        ("max prescribed_forse.crank", "Did you mean 'prescribed_force'"),
        ("max corrective_force.pin.fx", "no corrective force where constraints are kept"),
        ("max external.rod.fx", "'external' is about wrenches on frames, and none act in this run"),
        ("max voltage.crank", "this run has no 'voltage'"),
        ("max states.crank", "this run has no 'states'"),
        ("max check:0.5.worst", "Name 'check.worst'"),
        ("max pose:nowhere.z", "no frame named 'nowhere'"),
    ],
)
def test_what_is_not_there_is_said_before_anything_runs(text, said):
    with pytest.raises(am.ArmillaryError, match="response 'x': ") as fault:
        am.study(press_experiment(0.01), {"bodies.ram.mass": [40.0]}, {"x": text})
    assert said in str(fault.value)


def test_limits_on_what_is_not_there():
    pendulum = am.example("double-pendulum")
    for name, said in (
        ("wheel_forces", "about wheels"), ("reactions", "has 12 columns"),
        ("prescribed_force", "about prescribed motions"),
    ):  # fmt: skip
        with pytest.raises(am.InputError, match=said):
            am.simulate(pendulum, duration=0.01, events=am.Limit(name, above=1e9))
