"""`armillary simulate` when something goes wrong on the way."""

import os
import pty
import resource
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.sim.record.journal import journal_path
from armillary.sim.record.stored_run import load_run

COMMAND = [sys.executable, "-m", "armillary.cli", "simulate"]


def said_here(*words):
    """Exit code and stderr of a run in this process."""
    done = CliRunner().invoke(app, ["simulate", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code, done.stderr


def told(*words, **options):
    """Exit code and stderr of a run in a process of its own."""
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True,
                          timeout=120, check=False, **options)  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stderr


def no_more_than(size):
    """No file of the process grows beyond so many bytes: writing fails as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_full_disk_loses_nothing_that_was_written(tmp_path):
    path = tmp_path / "run.nc"
    words = ("double-pendulum", "--q", "1.2,0.6", "--record", "q,v", "--out", path)
    code, said = told(*words, "--for", 1000, preexec_fn=no_more_than(1_500_000))
    assert code == 1 and "run.nc.part: cannot be written" in said
    assert "Make room, then go on with --resume" in said
    left = load_run(path)
    assert not left.complete and len(left) > 10_000 and f"{len(left)} instants" in said
    end = round(left.time[-1] + 0.5, 3)
    assert told(*words, "--for", end, "--resume") == (0, "")
    found = load_run(path)
    assert (
        found.complete and found.time[-1] == pytest.approx(end) and not journal_path(path).exists()
    )
    whole = am.simulate(am.example("double-pendulum"), [1.2, 0.6], duration=2.0)
    np.testing.assert_allclose(found.q[:2001], whole.q, atol=1e-12)
    np.testing.assert_allclose(np.diff(found.time), 1e-3, rtol=1e-6)


def test_a_start_that_does_not_fit(tmp_path):
    path = tmp_path / "run.nc"
    words = ("four-bar", "--v", "1,0,0", "--for", 0.05, "--out", path)
    code, said = said_here(*words)
    assert code == 1 and "Give --v crank=1 to hold the named joints" in said
    assert "--project-start to begin with the nearest" in said and not path.exists()
    code, said = said_here(*words, "--project-start")
    assert code == 0 and "note: t = 0 s: v0 was not consistent" in said
    bars, found = am.example("four-bar"), load_run(path)
    assert np.abs(bars.constraint_jacobian(found.q[0]) @ found.v[0]).max() < 1e-9
    path = tmp_path / "named.nc"
    assert said_here("four-bar", "--v", "crank=1", "--for", 0.05, "--out", path) == (0, "")
    found = load_run(path)
    assert found.v[0, 0] == 1.0
    assert np.abs(bars.constraint_jacobian(found.q[0]) @ found.v[0]).max() < 1e-9
    path = tmp_path / "open.nc"
    code, said = said_here("four-bar", "--q", "0.9,0,0", "--for", 0.05, "--out", path)
    assert code == 1 and "the mechanism is open by" in said and "Close it with --assemble" in said
    assert not path.exists()


def test_a_schedule_that_ends_early_stops_nothing_that_began(tmp_path):
    table, path = tmp_path / "forces.csv", tmp_path / "run.nc"
    table.write_text("time,shoulder\n0,0\n0.05,1\n")
    words = ("double-pendulum", "--input", table, "--out", path)
    assert said_here(*words, "--for", 0.05)[0] == 0
    code, said = said_here(*words, "--for", 0.1, "--resume")
    assert code == 1 and "the schedule covers 0 to 0.05 s" in said and "--stay" in said
    assert load_run(path).complete and len(load_run(path)) == 51


def test_a_terminal_sees_how_far_a_long_run_is(tmp_path):
    ours, theirs = pty.openpty()
    words = [*COMMAND, "double-pendulum", "--for", "400", "--out", str(tmp_path / "run.nc")]
    child = subprocess.Popen(words, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
    except OSError:  # the end of a terminal
        pass
    finally:
        os.close(ours)
    assert child.wait(120) == 0
    assert b"of 400 s" in seen
