"""`armillary new`, `compare`, `view`, `doctor`, and the chapters of `--help`."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli import doctor, program
from armillary.cli.app import app


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


def test_every_command_has_a_chapter():
    text = run("--help").stdout
    assert "Others:" not in text and "\nModels:" in text
    listed = [name for names in program.CHAPTERS.values() for name in names.split()]
    known = [c.name or c.callback.__name__.replace("_", "-") for c in app.registered_commands]
    assert sorted(listed) == sorted(known)
    assert text.index("  show ") < text.index("  classify ")


@pytest.mark.parametrize("kind, freedoms", [("arm", 2), ("linkage", 1), ("rover", 2)])
def test_a_new_file_runs_as_it_is(kind, freedoms, tmp_path):
    """Sound, of the mobility its comments promise."""
    path = tmp_path / "my first.yaml"
    assert "to change as you like" in run("new", path, "--kind", kind).stdout
    m = am.load(path)
    assert m.name == "my-first" and not m.report.of("warning")
    assert m.mobility().finite == freedoms
    run("validate", path)
    moving = am.simulate(m, duration=0.2, record=("q", "energy"))
    assert moving.complete
    assert "error" in run("new", path, code=1).stderr  # nothing is lost
    assert run("new", path, "--overwrite").exit_code == 0
    assert "No" in run("new", tmp_path / "x.yaml", "--kind", "boat", code=1).stderr.title()
    assert "ending .yaml" in run("new", tmp_path / "x.urdf", code=1).stderr


def test_compare_mechanisms(tmp_path):
    arm = am.example("two-link")
    arm.replace(gravity=(0, 0, -1.62)).save(tmp_path / "moon.yaml")
    assert "the same dynamics" in run("compare", "two-link", "two-link").stdout
    text = run("compare", "two-link", tmp_path / "moon.yaml", code=1).stdout
    assert "gravity" in text and "different dynamics" in text
    found = json.loads(run("compare", "two-link", tmp_path / "moon.yaml", "--json", code=1).stdout)
    assert not found["same"] and set(found["causes"]) == {"gravity"}


def test_compare_runs(tmp_path):
    """A pendulum and the same one begun 1e-3 later; instants that differ are interpolated."""
    m = am.example("double-pendulum")
    files = [tmp_path / name for name in ("one.nc", "two.nc", "fine.nc")]
    am.simulate(m, [0.5, 0.2], duration=0.5, record=("q", "energy")).save(files[0])
    am.simulate(m, [0.5, 0.201], duration=0.5, record=("q", "energy")).save(files[1])
    am.simulate(m, [0.5, 0.2], duration=0.5, step=5e-4, record=("q",)).save(files[2])
    assert "the same" in run("compare", files[0], files[0]).stdout
    found = json.loads(run("compare", files[0], files[1], "--json", code=1).stdout)
    gaps = {row["column"]: row for row in found["columns"]}
    q = [am.load_run(file).q for file in files[:2]]
    wanted = np.abs(q[0] - q[1])[:, 1]
    assert gaps["q.elbow"]["largest"] == wanted.max()
    assert gaps["q.elbow"]["time"] == pytest.approx(1e-3 * wanted.argmax())
    text = run("compare", files[0], files[2], "--tolerance", "1e-3").stdout
    assert "interpolated" in text and "in one of them only: energy" in text
    assert "a run and a mechanism" in run("compare", files[0], "two-link", code=1).stderr


def test_view_writes_a_page(tmp_path):
    page = tmp_path / "bars.html"
    text = run("view", "four-bar", "--q", "crank=1.2", "-o", page, "--no-browser").stdout
    assert "open it in a browser" in text and "<script" in page.read_text()
    am.simulate(am.example("four-bar"), duration=0.05).save(tmp_path / "run.nc")
    run("view", tmp_path / "run.nc", "-o", page, "--no-browser")
    assert "time" in page.read_text()


def test_doctor(monkeypatch):
    text = run("doctor").stdout
    assert "the core works" in text and "FAILS" not in text
    assert json.loads(run("doctor", "--json").stdout)["checks"]["dynamics"]["works"]

    def broken():
        raise OSError("no space left")

    monkeypatch.setitem(doctor.CHECKS, "recordings", broken)
    assert "OSError: no space left" in run("doctor", code=1).stdout
    wrong = am.example("six-r").replace(gravity=(0, 0, -1.0))
    monkeypatch.setattr(doctor, "_AGREE", -1.0)
    assert wrong.nv == 6 and "FAILS" in run("doctor", code=1).stdout
