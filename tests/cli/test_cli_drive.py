"""`armillary drive`."""

import json

from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app


def ran(*arguments, code=0):
    run = CliRunner().invoke(app, [str(x) for x in arguments])
    assert run.exit_code == code, run.output
    return run


def test_a_drive_on_the_command_line_is_that_of_python(tmp_path):
    out, picture = tmp_path / "run.nc", tmp_path / "drive.png"
    words = ("drive", "car", "step-steer", "--speed", 15, "--angle", 0.01, "--for", 1)
    found = json.loads(ran(*words, "-o", out, "--picture", picture, "--json").stdout)
    turn = am.vehicles.step_steer(15.0, 0.01, duration=1.0)
    same = am.vehicles.drive(am.vehicles.car(), turn, step=2e-3)
    assert found["complete"] and found["roll_over_warning"] is None
    for name, number, unit in same.rows():
        assert found["greatest"][name] == {"value": number, "unit": unit}
    assert (am.load_run(out).q == same.run.q).all() and picture.stat().st_size > 10_000
    assert "exists" in ran(*words, "-o", out, code=1).output
    assert "load transfer" in ran(*words).output


def test_what_there_is_not_is_told():
    assert "'car'" in ran("drive", "tram", code=1).output
    assert "'slalom'" in ran("drive", "car", "slalm", code=1).output
    text = ran("drive", "car", "slalom", "--radius", 5, code=1).output
    assert "slalom has no --radius" in text and "--speed" in text
