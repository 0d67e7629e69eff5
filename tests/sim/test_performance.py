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
    "the method has no native loop": {"method": "exponential"},
    "the method chooses its steps": {"method": "dopri5"},
    "samples do not lie on the grid of steps": {
        "controller": lambda t, q, v: 0 * v,
        "period": 7e-4,
    },
    "friction that sticks is looked at in every step": {"events": am.StickSlip()},
}


@pytest.mark.parametrize("why", WHY)
def test_runs_in_python_say_why(why):
    arm = ARM.replace(bodies={ARM.bodies[0]: {"passive": am.Passive(coulomb=1e-3)}})
    found = am.simulate(arm, *START, **WHY[why]).performance()
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
    with pytest.raises(am.InputError, match="was not made here"):
        am.load_run(tmp_path / "run.nc").performance()


def test_the_command():
    words = ["simulate", "double-pendulum", "--for", "0.1", "--performance"]
    assert NATIVE in CliRunner().invoke(app, words).stdout
    told = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert told["performance"]["steps"] == {NATIVE: 100}
