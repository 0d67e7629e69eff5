"""`armillary simulate --prescribe`: prescribed motion from the command line."""

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app


def command(*words, code=0):
    words = ("simulate", "two-link", "--for", 0.2, "--step", 2e-3, *words)
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def wave(t):
    return 0.3 * np.sin(4 * t), 1.2 * np.cos(4 * t), -4.8 * np.sin(4 * t)


def test_a_place_and_a_table(tmp_path):
    """The table of a sine against the sine itself; the other joint is held."""
    table, out = tmp_path / "motion.csv", tmp_path / "run.nc"
    times = np.linspace(0.0, 0.25, 51)
    rows = "\n".join(f"{t},{9.0},{x}" for t, x in zip(times, wave(times)[0], strict=True))
    table.write_text(f"time,other,joint1\n{rows}\n")
    command("--prescribe", f"joint1={table}", "--prescribe", "joint2=0.5", "--out", out,
            "--record", "q,v,prescribed_force")  # fmt: skip
    run = am.load_run(out)
    np.testing.assert_allclose(run.column("q.joint1"), wave(run.time)[0], atol=1e-7)
    np.testing.assert_allclose(run.column("q.joint2"), 0.5, atol=1e-14)
    arm = am.example("two-link")
    for k in (0, 40, 100):
        _, _, a = wave(run.time[k])
        needed = arm.inverse_dynamics(run.q[k], run.v[k], [a, 0.0])
        np.testing.assert_allclose(run.prescribed_force[k], needed, rtol=2e-3, atol=2e-3)


def test_a_run_goes_on(tmp_path):
    table, out = tmp_path / "motion.csv", tmp_path / "run.nc"
    times = np.linspace(0.0, 0.4, 41)
    table.write_text("time,x\n" + "\n".join(f"{t},{wave(t)[0]}" for t in times))
    motion = ("--prescribe", f"joint1={table}", "--out", out)
    command(*motion)
    command(*motion, "--for", 0.4, "--resume")
    longer = am.load_run(out)
    whole = am.simulate(
        am.example("two-link"), duration=0.4, step=2e-3,
        prescribed={"joint1": am.Schedule(times, wave(times)[0], kind="spline")},
    )  # fmt: skip
    np.testing.assert_allclose(longer.q, whole.q, atol=1e-9)


def test_a_road_at_a_speed(tmp_path):
    road, out = tmp_path / "road.csv", tmp_path / "run.nc"
    s = np.linspace(0.0, 4.0, 41)
    road.write_text("distance,height\n" + "\n".join(f"{x},{0.1 * np.sin(x) ** 4}" for x in s))
    command("--prescribe", f"joint1={road}@5", "--out", out)
    run = am.load_run(out)
    np.testing.assert_allclose(run.q[:, 0], 0.1 * np.sin(5 * run.time) ** 4, atol=1e-5)


def test_faults_have_words(tmp_path):
    road = tmp_path / "road.csv"
    road.write_text("distance,left,right\n0,0,0\n1,1,1\n")
    assert "is given twice" in command("--prescribe", "joint1=1", "--prescribe", "joint1=2", code=1)
    assert "expected name=position" in command("--prescribe", "joint1", code=1)
    assert "Did you mean 'joint1'" in command("--prescribe", "joint11=1", code=1)
    assert "there is no such file" in command("--prescribe", "joint1=none.csv", code=1)
    assert "has no column 'joint1'" in command("--prescribe", f"joint1={road}@2", code=1)
    road.write_text("distance,left\n0,0\n1,1\n")
    assert "give a speed" in command("--prescribe", f"joint1={road}", code=1)
    road.write_text("time,joint1\n0,0\n0.1,1\n")
    assert "prescribed motion of 'joint1': the schedule covers 0 to 0.1 s" in command(
        "--prescribe", f"joint1={road}", code=1
    )
    assert command("--prescribe", f"joint1={road}", "--stay")


@pytest.mark.parametrize("word", ["nan", "inf"])
def test_places_are_finite(word):
    assert "not a finite number" in command("--prescribe", f"joint1={word}", code=1)


def test_a_closed_chain_is_closed_where_its_drive_begins(tmp_path):
    """Without --assemble the error names it; with it the loop is closed about the driven crank."""
    words = ("four-bar", "--prescribe", "crank=0.3", "--for", "0.01")
    result = CliRunner().invoke(app, ["simulate", *words])
    said = " ".join(result.output.split())
    assert result.exit_code == 1 and "the mechanism is open" in said
    assert "Close it with --assemble, which holds driven joints" in said
    assert "mechanism.assemble" not in said
    out = tmp_path / "run.nc"
    done = CliRunner().invoke(app, ["simulate", *words, "--assemble", "--out", str(out)])
    assert done.exit_code == 0, done.output
    run = am.load_run(out)
    np.testing.assert_allclose(run.q[:, 0], 0.3, atol=1e-14)
    assert np.abs(am.example("four-bar").constraint_residual(run.q[-1])).max() < 1e-12
    words = ("four-bar", "--v", "1,0,0", "--no-project", "--for", "0.01")
    said = " ".join(CliRunner().invoke(app, ["simulate", *words]).output.split())
    assert "Leave --no-project out" in said and "mechanism.project" not in said
