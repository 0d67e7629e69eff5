"""Experiments as files: what a run was made with, stored with it, and made again to the bit."""

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app

RUNNER = CliRunner()
SWING = """
experiment: 1
model: double-pendulum
q0: {shoulder: 1.2, elbow: 0.6}
duration: 0.2
controller:
  pid: {target: {elbow: 0.2}, kp: 10, kd: 1, period: 0.01}
record: [q, v, energy]
"""


def pendulum_runs():
    """Runs with many kinds of parts, each by keyword."""
    p = am.example("double-pendulum")
    table = am.Schedule([0.0, 0.05, 0.05, 0.1], [0.0, 0.2, 0.0, 0.1])
    goal = am.trajectories.point_to_point(p, [1.2, 0.6], [0.3, -0.2], 0.1)
    motor = am.Motor(resistance=1.1, torque_constant=0.07, gear=30.0, inductance=1e-3)
    yield "table", p, {"inputs": {"elbow": table}}
    yield "pid", p, {"controller": am.PID(p, goal, kp=[40.0, 30.0], ki=3.0, kd=[4.0, 1.0])}
    yield "model", p, {"controller": am.ComputedTorque(p, goal, kp=100.0, kd=20.0)}
    drive = am.DCMotor(p, {"elbow": motor}, command="force", dac=am.DAC(12, period=1e-3))
    hold = am.PID(p, {"elbow": 0.1}, kp=2.0)
    yield "motor", p, {"controller": hold, "actuators": drive}
    yield "events", p, {"events": [am.Limit("q.elbow", below=0.4, terminal=False)]}
    yield "wrench", p, {"external": {"tip": [0, 0, 0, 1.0, 0, 0.1]}, "method": "semi-implicit"}
    yield "prescribed", p, {"prescribed": {"shoulder": 1.2}, "v0": None}
    yield "several", p, {"q0": [[1.2, 0.6], [0.3, 0.1]]}
    bars = am.example("four-bar")
    penalty = am.Penalty(stiffness=2e4, damping=40.0)
    yield "penalty", bars, {"inputs": {"crank": 0.3}, "project": penalty, "q0": None}
    yield "rates", bars, {"project": (20.0, 20.0), "method": "euler", "q0": None}


@pytest.mark.parametrize(
    ("mechanism", "given"),
    [pytest.param(m, g, id=name) for name, m, g in pendulum_runs()],
)
def test_a_run_is_made_again_from_its_file_to_the_bit(tmp_path, mechanism, given):
    usual = {"q0": [1.2, 0.6], "duration": 0.1, "step": 1e-3, "record": ("q", "v")}
    run = am.simulate(mechanism, **{**usual, **given})
    run.save(tmp_path / "run.nc")
    experiment = am.load_run(tmp_path / "run.nc").experiment
    assert experiment.missing == ()
    again = experiment.run()
    assert np.array_equal(again.q, run.q) and np.array_equal(again.v, run.v)
    experiment.save(tmp_path / "again.yaml")  # with its model
    third = am.load_experiment(tmp_path / "again.yaml").run()
    assert np.array_equal(third.q, run.q)


@pytest.mark.parametrize("ending", ["nc", "csv", "parquet"])
def test_every_format_keeps_the_experiment(tmp_path, ending):
    p = am.example("double-pendulum")
    path = tmp_path / f"run.{ending}"
    run = am.simulate(p, [0.1, 0.2], duration=0.05, out=path)
    assert np.array_equal(am.load_run(path).experiment.run().q, run.q)
    assert am.load_run(path).experiment.made["processor"]


def test_what_no_file_can_hold_is_named(tmp_path):
    p = am.example("double-pendulum")

    def law(t, q, v):
        return -0.5 * v

    run = am.simulate(p, duration=0.02, controller=law, inputs={"elbow": lambda t: 0.1 * t})
    assert np.array_equal(run.experiment.run().q, run.q)  # here it is whole
    run.save(tmp_path / "run.nc")
    stored = am.load_run(tmp_path / "run.nc").experiment
    assert any("controller: a function of the user" in x and "law" in x for x in stored.missing)
    assert any("inputs['elbow']" in x for x in stored.missing)
    with pytest.raises(am.InputError, match=r"not whole.*law"):
        stored.run()


def test_a_model_with_a_law_of_the_user_is_named():
    b = am.Builder("spring")
    b.body("m", joint="prismatic", mass=1.0, passive=am.Passive(law=lambda x, v: 3.0 * x))
    run = am.simulate(b.build(), [0.1], duration=0.01)
    assert "missing:" in run.experiment.text and "model: it has functions" in run.experiment.text


def test_simulate_takes_an_experiment_and_rerun_repeats_it(tmp_path):
    file, out = tmp_path / "swing.yaml", tmp_path / "run.nc"
    file.write_text(SWING)
    result = RUNNER.invoke(app, ["simulate", str(file), "--out", str(out)])
    assert result.exit_code == 0 and "201 instants" in result.output
    result = RUNNER.invoke(app, ["rerun", str(out)])
    assert result.exit_code == 0 and "equal to the bit" in result.output
    result = RUNNER.invoke(app, ["simulate", str(file), "--for", "3"])
    assert result.exit_code == 1 and "is an experiment" in result.output


def test_a_changed_recording_is_seen_by_rerun(tmp_path):
    p = am.example("double-pendulum")
    run = am.simulate(p, duration=0.05)
    run.arrays["q"][20, 0] += 1e-6
    run.save(tmp_path / "run.nc")
    result = RUNNER.invoke(app, ["rerun", str(tmp_path / "run.nc")])
    assert result.exit_code == 1 and "difference" in result.output


BAD = [
    ("kp: 10", "kq: 10", "swing.yaml:6: controller: no argument of pid named 'kq'"),
    ("pid:", "pit:", "pit"),
    ("model: double-pendulum", "model: ../x.yaml", "not beside the experiment"),
    ("model: double-pendulum", "model: nothing.yaml", "there is no file 'nothing.yaml'"),
    ("experiment: 1", "experiment: 2", "expected version 1"),
    ("duration: 0.2", "durations: 0.2", "unknown key 'durations'. Did you mean 'duration'"),
    ("duration: 0.2", "duration: fast", "expected a number"),
    ("duration: 0.2", "duration: 0.2\nmissing: [a]", "not whole: a"),
    ("target: {elbow: 0.2}, ", "", "pid: 'target' is missing"),
]


@pytest.mark.parametrize(("old", "new", "text"), BAD)
def test_bad_files_are_told_with_their_line(tmp_path, old, new, text):
    (tmp_path / "swing.yaml").write_text(SWING.replace(old, new))
    with pytest.raises(am.ArmillaryError) as fault:
        am.load_experiment(tmp_path / "swing.yaml").run()
    assert text in str(fault.value)


def test_tables_are_read_beside_the_experiment(tmp_path):
    (tmp_path / "push.csv").write_text("time,elbow,other\n0,0,9\n0.1,0.2,9\n0.2,0.1,9\n")
    text = "experiment: 1\nmodel: double-pendulum\nduration: 0.2\n"
    text += "inputs: {elbow: {file: push.csv, column: elbow}}\n"
    (tmp_path / "e.yaml").write_text(text)
    run = am.load_experiment(tmp_path / "e.yaml").run()
    table = am.Schedule([0.0, 0.1, 0.2], [0.0, 0.2, 0.1])
    direct = am.simulate(am.example("double-pendulum"), duration=0.2, inputs={"elbow": table})
    assert np.array_equal(run.q, direct.q)
    (tmp_path / "e.yaml").write_text(text.replace("push.csv", "/etc/passwd"))
    with pytest.raises(am.FormatError, match="not beside"):
        am.load_experiment(tmp_path / "e.yaml")
