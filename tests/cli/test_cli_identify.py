"""`armillary identify` and `armillary excite`: the numbers of Python, files, refusals."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app

LIMITS = ("--limit", "shoulder=-1:1.5:3", "--limit", "elbow=-2:1")


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


def test_excite_then_identify(tmp_path):
    """A motion is proposed and written with its forces, and gives back the numbers of the model."""
    motion, new, picture = (tmp_path / name for name in ("motion.csv", "new.yaml", "forces.png"))
    words = ("excite", "double-pendulum", *LIMITS, "--period", 5, "--evaluations", 30)
    shown = run(*words, "--out", motion)
    assert "condition number" in shown.stdout and "written to" in shown.stderr
    one = am.load_run(motion)
    assert one.time[-1] == 5.0 and one.q[:, 0].max() <= 1.5 and set(one.names) >= {"q", "tau"}
    told = json.loads(run(*words, "--json").stdout)
    assert told["joints"] == ["shoulder", "elbow"] and len(told["sines"]) == 5

    answer = run("identify", "double-pendulum", motion, "-o", new, "--plot", picture)
    arm = am.example("double-pendulum")
    assert answer.stdout.strip() == str(am.identify(arm, motion))
    assert picture.stat().st_size > 10_000
    again = am.load(new)
    q, v, a = one.q, one.v, one.a
    moving = (np.abs(v) > 1e-9).all(axis=1)
    np.testing.assert_allclose(again.inverse_dynamics(q, v, a)[moving], one.tau[moving], atol=1e-5)
    data = json.loads(run("identify", "double-pendulum", motion, "--json").stdout)
    assert data["condition"] > 1.0 and data["combinations"][0].keys() >= {"name", "found", "error"}
    refused = run("identify", "double-pendulum", motion, "-o", new, code=1)
    assert "--overwrite" in refused.stderr


def test_closed_mechanisms(tmp_path):
    t = np.arange(0.0, 4.0, 0.01)
    bars = am.example("four-bar")
    x = 1.2 + 0.8 * np.sin(2.0 * t) + 0.3 * np.sin(5.0 * t)
    am.replay(bars, (t, {"crank": x})).save(tmp_path / "bars.nc")
    words = ("--friction", "none", "--actuator", "crank", "--independent", "crank", "--json")
    told = json.loads(run("identify", "four-bar", tmp_path / "bars.nc", *words).stdout)
    assert list(told["noise"]) == ["crank"]
    for row in told["combinations"]:
        assert abs(row["found"] - row["model"]) < 1e-5, row


def test_refusals_speak_the_words_of_the_command_line(tmp_path):
    assert "--limit shoulder=-1.5:1.5" in run("excite", "double-pendulum", code=1).stderr
    assert "--joint crank" in run("excite", "four-bar", code=1).stderr
    bad = run("excite", "double-pendulum", "--limit", "shoulder", code=1).stderr
    assert "JOINT=LOWER:UPPER" in bad
    table = tmp_path / "short.csv"
    table.write_text("time,q.shoulder,q.elbow\n" + "".join(f"{k},0,0\n" for k in range(20)))
    missing = run("identify", "double-pendulum", table, code=1).stderr
    assert "there are no joint forces" in missing
    assert "no such file" in run("identify", "double-pendulum", tmp_path / "no.csv", code=1).stderr


@pytest.mark.parametrize("words", [("--friction", "none"), ("--friction", "viscous,offset")])
def test_friction_by_name(tmp_path, words):
    t = np.arange(0.0, 5.0, 0.01)
    q = np.column_stack([np.sin(2.0 * t), np.cos(3.1 * t)])
    am.replay(am.example("double-pendulum"), (t, q)).save(tmp_path / "log.nc")
    found = json.loads(
        run("identify", "double-pendulum", tmp_path / "log.nc", *words, "--json").stdout
    )
    assert ("elbow.viscous" in found["parameters"]) == ("none" not in words)
    assert "elbow.coulomb" not in found["parameters"]
