"""`armillary simulate --draw-back`: the numbers of Python, experiment files, refusals."""

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app

KINDS = {
    "rates=40,30": (40.0, 30.0),
    "corrective-force=200,4": am.CorrectiveForce(kp=200.0, kv=4.0),
    "penalty=2e4,40": am.Penalty(stiffness=2e4, damping=40.0),
    "penalty=2e4": am.Penalty(stiffness=2e4),
    "stabilized-penalty=20,100": am.StabilizedPenalty(weight=20.0, rate=100.0),
    "stabilized-penalty=20,100,0.7": am.StabilizedPenalty(weight=20.0, rate=100.0, ratio=0.7),
}


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("text, project", KINDS.items())
def test_the_numbers_of_python(text, project, tmp_path):
    m = am.example("four-bar")
    out = tmp_path / "run.nc"
    words = ("simulate", "four-bar", "--for", 0.1, "--tau", "crank=0.3", "--record", "q,drift")
    run(*words, "--draw-back", text, "--out", out)
    expected = am.simulate(m, duration=0.1, inputs={"crank": 0.3}, project=project,
                           record=("q", "drift"))  # fmt: skip
    found = am.load_run(out)
    np.testing.assert_array_equal(found.q, expected.q)
    kept = am.simulate(m, duration=0.1, inputs={"crank": 0.3}, record=("q", "drift"))
    assert np.abs(found.drift - kept.drift).max() > 1e-13  # it is not projection
    # the file of the run and the experiment file carry it
    assert found.experiment["project"] == project
    found.experiment.save(tmp_path / "again.yaml")
    again = am.load_experiment(tmp_path / "again.yaml")
    assert again["project"] == project
    np.testing.assert_array_equal(again.run().q, expected.q)
    # and a run that goes on keeps to it
    longer = [x if x != 0.1 else 0.2 for x in words]
    told = run(*longer, "--draw-back", "rates=1,1", "--out", out, "--resume", code=1)
    assert "cannot go on" in told.stderr
    run(*longer, "--draw-back", text, "--out", out, "--resume")
    assert am.load_run(out).time[-1] == pytest.approx(0.2)


def test_a_file_by_hand(tmp_path):
    path = tmp_path / "drawn.yaml"
    path.write_text(
        "experiment: 1\nmodel: four-bar\nduration: 0.1\n"
        "project: {corrective_force: {kp: 200, kv: 4}}\n"
    )
    assert am.load_experiment(path)["project"] == am.CorrectiveForce(kp=200.0, kv=4.0)
    assert am.load_experiment(path).run().complete


@pytest.mark.parametrize(
    "words, said",
    [
        (("--draw-back", "springs=1,2"), "no kind of --draw-back named 'springs'"),
        (("--draw-back", "rates=40"), "--draw-back: expected rates=ALPHA,BETA, found 'rates=40'"),
        (("--draw-back", "penalty"), "expected penalty=STIFFNESS[,DAMPING]"),
        (("--draw-back", "penalty=a,b"), "found 'penalty=a,b'"),
        (("--draw-back", "penalty=-1"), "stiffness must be a finite number from 0 on"),
        (("--draw-back", "rates=1,1", "--no-project"), "--no-project: give one of them"),
        (("--draw-back", "rates=1,1", "--method", "implicit"), "Leave --draw-back out"),
        (("--record", "corrective_force"), "--draw-back rates=40,40 (1/s)"),
    ],
)
def test_refusals(words, said):
    told = run("simulate", "four-bar", "--for", 0.01, *words, code=1).stderr
    assert said in " ".join(told.split())
