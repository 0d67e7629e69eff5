"""`armillary simulate`, `plot` and `info`."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.sim.loop.simulate import simulate
from armillary.sim.record.journal import journal_path
from armillary.sim.record.stored_run import load_run


def run(*words, code=0):
    """Result of a command with the expected exit code; a traceback is never right."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


def run_json(*words, code=0):
    return json.loads(run(*words, "--json", code=code).stdout, parse_constant=pytest.fail)


def short(*words, code=0):
    return run("simulate", "two-link", "--for", 0.05, *words, code=code)


# -- simulate ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["nc", "csv", "parquet"])
def test_the_file_is_what_python_computes(tmp_path, ending):
    path = tmp_path / f"run.{ending}"
    said = short("--step", 1e-3, "--method", "rk4", "--record", "q,v,energy", "--out", path)
    assert f"51 instants, until t = 0.05 s, written to {path}" in said.stdout
    found = load_run(path)
    arm = am.example("two-link")
    expected = simulate(arm, duration=0.05, step=1e-3, method="rk4", record=("q", "v", "energy"))
    assert found.names == ("q", "v", "energy")
    for name in ("time", "q", "v", "energy"):
        np.testing.assert_array_equal(found[name], expected[name])


def test_start_forces_and_wrenches(tmp_path):
    path = tmp_path / "run.nc"
    wrench = "link2=0,0,0,1,2,3"
    short("--q", "0.1,0.2", "--v", "joint2=0.3", "--tau", "joint1=2", "--external", wrench,
          "--record", "q,tau,a", "--every", 10, "--out", path)  # fmt: skip
    found = load_run(path)
    assert found.time.tolist() == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04, 0.05])
    np.testing.assert_array_equal(found.q[0], [0.1, 0.2])
    np.testing.assert_array_equal(found.tau, [[2.0, 0.0]] * 6)
    arm = am.example("two-link")
    a = arm.forward_dynamics([0.1, 0.2], [0.0, 0.3], [2.0, 0.0], {"link2": [0, 0, 0, 1, 2, 3]})
    np.testing.assert_allclose(found.a[0], a, rtol=1e-12)


@pytest.mark.parametrize("prefix", ["", "tau."])
def test_a_schedule(tmp_path, prefix):
    table, path = tmp_path / "forces.csv", tmp_path / "run.nc"
    table.write_text(f"time,{prefix}joint2\n0,0\n0.1,10\n")
    short("--input", table, "--record", "tau", "--out", path)
    found = load_run(path)
    np.testing.assert_allclose(found.column("joint2"), 100.0 * found.time, atol=1e-12)
    np.testing.assert_array_equal(found.column("joint1"), 0.0)


def test_a_schedule_that_is_too_short_or_wrong(tmp_path):
    table, path = tmp_path / "forces.csv", tmp_path / "run.nc"
    table.write_text("time,joint2\n0,0\n0.01,10\n")
    refused = short("--input", table, "--out", path, code=1)
    assert "covers 0 to 0.01 s" in refused.stderr
    assert "--stay" in refused.stderr
    short("--input", table, "--stay", "--record", "tau", "--out", path)
    assert load_run(path).tau[-1, 1] == 10.0
    assert "not both" in short("--input", table, "--tau", "joint1=1", code=1).stderr
    missing = short("--input", tmp_path / "none.csv", code=1)
    assert "none.csv: there is no such file" in missing.stderr


def test_on_the_screen():
    said = short("--record", "q,energy").stdout
    assert "run of 'two-link': 51 instants, t = 0 to 0.05 s, method rk4" in said
    assert "position at t = 0.05 s" in said
    told = run_json("simulate", "two-link", "--for", 0.05)
    assert told["complete"] is True
    assert told["instants"] == 51
    assert told["quantities"]["q"]["units"] == ["rad", "rad"]
    assert told["time"]["last"] == pytest.approx(0.05)


def test_a_closed_mechanism_is_closed_first(tmp_path):
    path = tmp_path / "run.nc"
    said = run("simulate", "four-bar", "--q", "0.9,0,0", "--assemble", "--for", 0.02,
               "--record", "q,drift", "--out", path)  # fmt: skip
    assert "note: q was closed" in said.stderr
    assert np.abs(load_run(path).drift).max() < 1e-9


def test_faults_have_words(tmp_path):
    assert "--for: expected a number of seconds above 0" in run(
        "simulate", "two-link", "--for", -1, code=1).stderr  # fmt: skip
    assert "--step" in short("--step", "nan", code=1).stderr
    assert "Did you mean 'energy'" in short("--record", "q,enrgy", code=1).stderr
    assert "no format of runs" in short("--out", tmp_path / "run.txt", code=1).stderr
    assert "rk4, dopri5" in short("--method", "rk5", code=1).stderr
    assert "--resume: name the file" in short("--resume", code=1).stderr
    path = tmp_path / "run.nc"
    short("--out", path)
    again = short("--out", path, code=1).stderr
    assert "exists already" in again
    assert "--overwrite" in again
    short("--out", path, "--overwrite")


def test_a_run_that_blows_up_keeps_what_was_computed(tmp_path):
    path = tmp_path / "run.nc"
    words = ("--method", "euler", "--step", 0.5, "--v", "50,-80", "--out", path)
    said = run("simulate", "two-link", "--for", 500, *words, code=1)
    assert "not a number at t = " in said.stderr
    assert f"what was computed is in {path}" in said.stderr
    found = load_run(path)
    assert not found.complete
    assert np.isfinite(found.q).all()
    told = run_json("info", path)
    assert told["complete"] is False
    assert "not a number" in told["message"]


# -- resume --------------------------------------------------------------------------------------


def test_a_longer_run_goes_on(tmp_path):
    path = tmp_path / "run.nc"
    short("--record", "q,v", "--out", path)
    run("simulate", "two-link", "--for", 0.1, "--record", "q,v", "--out", path, "--resume")
    found = load_run(path)
    expected = simulate(am.example("two-link"), duration=0.1)
    np.testing.assert_allclose(found.time, expected.time, atol=1e-12)
    np.testing.assert_allclose(found.q, expected.q, rtol=1e-9, atol=1e-12)


# a shell may start its background jobs with interrupts switched off
LISTENING = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("armillary.cli", run_name="__main__", alter_sys=True)
"""


def killed(path, sign):
    """A run of many hours, ended by a signal once something is on disk."""
    words = ["simulate", "four-bar", "--for", "100000", "--record", "q,v", "--out", str(path)]
    child = subprocess.Popen(
        [sys.executable, "-c", LISTENING, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 120
        journal = journal_path(path)
        while not (journal.exists() and journal.stat().st_size > 10_000):
            assert child.poll() is None, child.communicate()
            assert time.monotonic() < deadline, "nothing is written"
            time.sleep(0.05)
        os.kill(child.pid, sign)
        _, said = child.communicate(timeout=60)
    finally:
        child.kill()
    return child.returncode, said


def test_kill_9_and_resume(tmp_path):
    path = tmp_path / "run.nc"
    code, _ = killed(path, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert not path.exists()
    left = run_json("info", path)
    assert left["complete"] is False
    assert "interrupted" in left["message"]
    refused = run("simulate", "four-bar", "--record", "q,v", "--out", path, code=1).stderr
    assert "an interrupted run" in refused
    assert "--resume" in refused
    end = left["time"]["last"] + 0.05
    run("simulate", "four-bar", "--for", end, "--record", "q,v", "--out", path, "--resume")
    found = load_run(path)
    assert found.complete
    assert found.time[-1] == pytest.approx(end)
    np.testing.assert_allclose(np.diff(found.time), 1e-3, rtol=1e-6)
    bars, k = am.example("four-bar"), left["instants"] - 1
    expected = simulate(bars, found.q[k], found.v[k], duration=0.05)
    np.testing.assert_allclose(found.q[k:], expected.q, rtol=1e-9, atol=1e-10)


def test_ctrl_c_keeps_what_was_computed(tmp_path):
    path = tmp_path / "run.nc"
    code, said = killed(path, signal.SIGINT)
    assert code == 1
    assert "interrupted at t = " in said
    assert "Traceback" not in said
    found = load_run(path)
    assert not journal_path(path).exists()
    assert not found.complete
    assert len(found) > 100


# -- plot and info -------------------------------------------------------------------------------


def test_plot(tmp_path):
    path = tmp_path / "run.nc"
    short("--record", "q,v,energy", "--out", path)
    said = run("plot", path, "q", "energy", "--out", tmp_path / "picture.png")
    assert "q, energy drawn in" in said.stdout
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    run("plot", path)
    assert (tmp_path / "run.png").exists()
    assert "--overwrite" in run("plot", path, code=1).stderr
    run("plot", path, "--overwrite", "--column", "joint1")
    assert "no recorded quantity named 'tau'" in run(
        "plot", path, "tau", "--out", tmp_path / "b.png", code=1).stderr  # fmt: skip


def test_plots_of_loads(tmp_path):
    """Over a column, in a window, beside another run, and polar: as in Python."""
    one, other = tmp_path / "one.nc", tmp_path / "other.nc"
    short("--record", "q,v,reactions", "--out", one)
    short("--record", "q,v,reactions", "--q", "0.5,0.2", "--out", other)
    out = ("--overwrite", "-o", tmp_path / "p.png")
    said = run("plot", one, "reactions", "--x", "joint1", "--magnitude", "--peaks", "--window",
               "0.01,0.05", "--beside", other, *out)  # fmt: skip
    assert "reactions drawn in" in said.stdout
    run("plot", one, "reactions", "--polar", "--column", "joint1", *out)
    assert "no column named 'elbw'" in run("plot", one, "--x", "elbw", *out, code=1).stderr
    assert "--window: expected two" in run("plot", one, "--window", "1", *out, code=1).stderr


def test_info(tmp_path):
    path = tmp_path / "run.parquet"
    short("--record", "q,energy", "--out", path)
    said = run("info", path).stdout
    for word in ("two-link", "51 instants", "complete", "energy", "J", "rad"):
        assert word in said
    assert "no such file" in run("info", tmp_path / "none.nc", code=1).stderr
    (tmp_path / "table.csv").write_text("time,x\n0,1\n1,2\n")
    said = run("info", tmp_path / "table.csv").stdout
    assert "not a run recorded by armillary: 2 instants" in said
    assert "run of ''" not in said
    assert "complete" not in said
    assert run_json("info", tmp_path / "table.csv")["mechanism"] is None
    (tmp_path / "bad.nc").write_text("no run")
    assert "cannot be read as a run" in run("info", tmp_path / "bad.nc", code=1).stderr


def test_resume_with_other_forces_is_refused(tmp_path):
    """... and a start that is not given is that of the file."""
    path = tmp_path / "run.nc"
    words = ("simulate", "double-pendulum", "--record", "q,v", "--out", path, "--tau", "0,0.1")
    run(*words, "--q", "0.3,0.2", "--for", 0.05)
    said = run(*words[:-1], "0,0.2", "--for", 0.1, "--resume", code=1).stderr
    assert "inputs: not what the first call was given" in " ".join(said.split())
    said = run(*words, "--q", "0.4,0.2", "--for", 0.1, "--resume", code=1).stderr
    assert "q0: not what the first call was given" in " ".join(said.split())
    run(*words, "--for", 0.1, "--resume")
    run(*words, "--q", "0.3,0.2", "--for", 0.12, "--resume")
