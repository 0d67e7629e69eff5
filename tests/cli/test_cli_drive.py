"""`armillary drive`."""

import json

from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.cli.driving import _road
from armillary.cli.options import Ordered


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
    text = ran("drive", "bicycle", "slalom", code=1).output
    assert "falls over" in text and "straight_braking" in text
    assert "--trailers: it is not for 'car'" in ran("drive", "car", "--trailers", 2, code=1).output
    text = ran("drive", "differential-drive", "bump-crossing", code=1).output
    assert "Take a tyre model" in text
    assert "--tyre is one of rolling" in ran("drive", "car", "--tyre", "slick", code=1).output
    assert "'slalom'" in ran("drive", "car", "slalm", code=1).output
    text = ran("drive", "car", "slalom", "--radius", 5, code=1).output
    assert "slalom has no --radius" in text and "--speed" in text


def test_every_vehicle_drives(tmp_path):
    """Rovers and robots by their words, and a file of one's own."""
    words = ("constant-radius", "--speed", 1, "--radius", 4, "--for", 1, "--json")
    for vehicle in ("rover", "differential-drive"):
        assert json.loads(ran("drive", vehicle, *words).stdout)["complete"]
    file = tmp_path / "mine.yaml"
    am.vehicles.differential_drive(track=0.6, radius=0.1, caster=0.3).save(file)
    found = json.loads(ran("drive", file, *words, "--driven", "left-wheel,right-wheel").stdout)
    assert found["complete"] and found["greatest"]["yaw rate"]["value"] >= 0.0
    text = ran("drive", file, "straight-braking", "--speed", 1, "--torque", 1, "--for", 0.8).output
    assert "2 wheels (rolling without slip)" in text and "speed at the end" in text
    assert "--mu: the file says it itself" in ran("drive", file, "--mu", 0.5, code=1).output


def test_roads_are_ordered():
    split = am.roads.Split(0.8, 0.1)
    assert _road(Ordered(mu=0.8, mu_right=0.1), "straight-braking") == am.roads.Plane(mu=split)
    assert _road(Ordered(mu=0.8), "slalom") == am.roads.Plane(mu=0.8)
    assert _road(Ordered(), "slalom") is None
    bump = am.roads.Bump(start=5.0, length=0.5, height=0.04, mu=1.0)
    assert _road(Ordered(), "bump-crossing") == bump
