"""`run.performance()` tells how steps were made, and why not natively."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.sim.record.performance import ASKED, NATIVE

ARM = am.example("double-pendulum")
START = ([1.2, 0.6], [0.0, 0.0], 0.1)


def law(t, q, v):
    return -0.1 * np.sin(v)


WHY = {
    "the method chooses its steps": {"method": "dopri5"},
    "samples do not lie on the grid of steps": {
        "controller": lambda t, q, v: 0 * v,
        "period": 7e-4,
    },
}


@pytest.mark.parametrize("why", WHY)
def test_runs_in_python_say_why(why):
    arm = ARM.replace(bodies={ARM.bodies[0]: {"passive": am.Passive(coulomb=1e-3)}})
    options = {"q0": START[0], "duration": START[2]} | WHY[why]
    found = am.simulate(arm, **options).performance()
    assert list(found.steps) == [why] and found.native == 0.0
    assert found.seconds[why] > 0.0 and f"in Python: {why}" in str(found)


def test_native_runs():
    found = am.simulate(ARM, *START).performance()
    assert found.steps == {NATIVE: 100} and found.native == 1.0
    asked = am.simulate(ARM, *START, controller=law).performance()
    assert asked.steps == {ASKED: 100}
    many = am.simulate(ARM, np.tile(START[0], (9, 1)), duration=0.1).performance()
    assert many.steps == {NATIVE: 100}


def test_single_steps_in_python():
    found = am.simulate(ARM, [0.2, 0.0], duration=2.0, events=[lambda t, q, v: q[0]]).performance()
    (why,) = set(found.steps) - {NATIVE}
    assert "events" in why and 0 < found.steps[why] < 50
    assert found.native > 0.9 and sum(found.steps.values()) >= 2000


def test_a_file_does_not_tell(tmp_path):
    run = am.simulate(ARM, *START, out=tmp_path / "run.nc")
    assert run.performance().native == 1.0
    with pytest.raises(am.InputError, match="comes from a file"):
        am.load_run(tmp_path / "run.nc").performance()


def test_the_command():
    words = ["simulate", "double-pendulum", "--for", "0.1", "--performance"]
    assert NATIVE in CliRunner().invoke(app, words).stdout
    told = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert told["performance"]["steps"] == {NATIVE: 100}


LOOSE = {"passive": am.Passive(load_radial=0.1)}


def _told(*arguments, **options):
    return am.simulate(*arguments, **options).performance().steps


def test_every_reason_can_be_met():
    """Schedules between steps, blocks that are asked, loads, moving rows, a first short step."""
    rows = am.Schedule([0, 0.0333, 0.1], [0, 1, 0])
    assert "schedules jump within steps" in _told(ARM, *START, inputs={"elbow": rows})
    asked = _told(ARM, *START, controller=law, period=2e-3, events=[lambda t, q, v: q[0]])
    assert list(asked) == ["events, with blocks that take samples in Python or within steps"]
    loaded = ARM.replace(bodies={ARM.bodies[0]: LOOSE})
    assert list(_told(loaded, *START)) == ["friction that depends on loads"]
    bars = am.example("four-bar")
    driven = {"crank": lambda t: (bars.initial[0] + t, 1.0, 0.0)}
    moved = _told(bars, duration=0.02, prescribed=driven, project=(10.0, 10.0))
    assert list(moved) == ["rows that move and are drawn back"]
    short = _told(ARM, START[0], duration=0.0105)
    assert short == {NATIVE: 10, "the first or the last step is shorter than the others": 1}


def test_batches_that_change():
    """Runs that switch, and runs that are over beside a sampled controller, leave the others
    native; not where functions are asked."""
    start = np.array([[0.2, 0.0], [2.0, 0.0]])
    switch = am.Switch(lambda t, q, v: q[0], "low", to=ARM.replace(name="other"))
    ends = am.Event(lambda t, q, v: q[0], "low", terminal=True)
    held = am.PID(ARM, [0.0, 0.0], 0.1, period=1e-3)
    for options in ({"events": [switch]}, {"events": [ends], "controller": held}):
        assert am.simulate(ARM, start, duration=0.6, **options).performance().native > 0.9
    steps = _told(ARM, start, duration=0.6, events=[ends], controller=law)
    assert steps["runs of a batch that part, beside blocks that are asked in Python"] > 10
