"""`armillary ask`: every row of the table by its name, with the numbers of the Python calls."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.evaluate.functions import FUNCTIONS, HANGING


def run(*words, code=0):
    result = CliRunner().invoke(app, ["ask", *map(str, words)])
    assert result.exit_code == code, result.output
    return result


def test_every_row_is_listed_with_its_line():
    shown = run("two-link").stdout
    assert all(f"{name} " in shown and row.title in shown for name, row in FUNCTIONS.items())


ASKED = [n for n, row in FUNCTIONS.items() if n not in HANGING and not row.elements]


def test_forces_between_bodies(tmp_path):
    """Of a mechanism that has some, by `ask` and by `solve`."""
    b = am.Builder("hung")
    b.body("bob", joint="prismatic", axis="z", at=(0, 0, -1), mass=2.0)
    b.spring("hook", "world", "bob", stiffness=50.0, rest=0.7)
    b.build().save(tmp_path / "hung.yaml")
    found = json.loads(
        run(tmp_path / "hung.yaml", "element_forces", "--json", "--q=0", "--v=0").stdout
    )
    assert found["results"]["along"]["values"][0][:2] == pytest.approx([15.0, 1.0])
    assert found["results"]["along"]["labels"] == [["hook"], ["force", "position", "rate"]]
    words = ["solve", str(tmp_path / "hung.yaml"), "--q=0", "--v=0"]
    assert "15 N, 1 m, 0 m/s" in CliRunner().invoke(app, words).stdout
    solved = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert solved["element_forces"]["wrench"][0][5] == pytest.approx(15.0)
    fault = run("double-pendulum", "element_forces", "--q=0,0", "--v=0,0", code=1)
    assert "has no force elements" in fault.output


@pytest.mark.parametrize("name", ASKED)
def test_every_row_answers_as_in_python(name):
    m, row = am.example("double-pendulum"), FUNCTIONS[name]
    state = dict(zip(("q", "v", "a"), m.random_state(4), strict=True))
    state["tau"] = np.array([0.3, -0.2])
    words = [f"--{n}={','.join(map(repr, state[n].tolist()))}" for n in row.inputs]
    words += ["--frame", "tip"] if row.frame else []
    found = json.loads(run("double-pendulum", name, *words, "--json").stdout)["results"]
    wanted = getattr(m, name)(*(state[n] for n in row.inputs), *(["tip"] if row.frame else []))
    if hasattr(wanted, row.results[0].name):
        wanted = [getattr(wanted, r.name) for r in row.results]
    wanted = wanted if isinstance(wanted, (tuple, list)) else [wanted]
    for result, values in zip(row.results, wanted, strict=True):
        np.testing.assert_array_equal(found[result.name]["values"], values)
        assert found[result.name]["meaning"] == result.meaning
    assert (
        row.about("tip" if row.frame else None, "local")
        in run("double-pendulum", name, *words).stdout
    )


def test_a_file_of_states(tmp_path):
    m = am.example("double-pendulum")
    states, out = tmp_path / "states.csv", tmp_path / "out.csv"
    states.write_text("time,q.shoulder,q.elbow\n0,0.1,0.2\n1,0.3,-0.4\n")
    run("double-pendulum", "jacobian", "--frame", "tip", "--coordinates", "world", "--csv", states,
        "--out", out)  # fmt: skip
    rows = list(csv.DictReader(out.open()))
    J = m.jacobian([[0.1, 0.2], [0.3, -0.4]], "tip", "world")
    assert [row["time"] for row in rows] == ["0", "1"]
    for row, wanted in zip(rows, J, strict=True):
        assert float(row["J.angular.y.elbow"]) == wanted[1, 1]
        assert float(row["J.linear.z.elbow"]) == wanted[5, 1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pos"], "Did you mean 'pose'"),
        (["pose"], "--frame: 'pose' needs the name of a frame: world, upper"),
        (["pose", "--frame", "tipp"], "Did you mean 'tip'?"),
        (["energy", "--frame", "tip"], "--frame: 'energy' does not take it; it takes --q, --v"),
        (["velocity", "--frame", "tip", "--coordinates", "here"], "'world_aligned'"),
        (["inverse_dynamics", "--actuator", "elbow"], "is for closed mechanisms"),
        (["energy", "--q", "1"], "--q: expected 2 numbers"),
    ],
)
def test_what_is_refused(words, message):
    result = run("double-pendulum", *words, code=1)
    assert message in result.stderr and not result.stdout
