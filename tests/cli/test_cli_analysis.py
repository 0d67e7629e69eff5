"""`armillary classify`, `dexterity`, `strength`, ...: the words of Python, JSON, refusals."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


def run_json(*words):
    return json.loads(run(*words, "--json").stdout, parse_constant=pytest.fail)


def test_classify():
    bars = am.example("four-bar")
    words = ("classify", "four-bar", "--actuator", "crank")
    expected = bars.classify(actuators=["crank"])
    assert run(*words).stdout.strip() == str(expected)
    found = run_json(*words)
    assert found["actuation"] == "fully actuated" and found["structure"] == "closed chain"
    np.testing.assert_array_equal(found["S"], expected.interconnection.S)
    assert "interconnection matrix" in run(*words, "--matrix").stdout
    assert run_json("classify", "two-link", "--rows", "linear")["reachable"] == 2


def test_dexterity_and_task_dynamics():
    arm = am.example("two-link")
    words = ("--q", "0.3,0.9", "--rows", "dx,dy")
    assert run("dexterity", "two-link", *words).stdout.strip() == str(
        arm.dexterity([0.3, 0.9], rows=("dx", "dy"))
    )
    found = run_json("dexterity", "two-link", "--q", "0.3,0", "--rows", "linear")
    assert found["singular"] == "boundary" and found["condition"] is None
    found = run_json("task-dynamics", "two-link", *words, "--v", "1,2")
    expected = arm.task_dynamics([0.3, 0.9], [1, 2], rows=("dx", "dy"))
    np.testing.assert_array_equal(found["inertia"], expected.inertia)


def test_strength():
    effort = ("--effort", "joint1=60,joint2=20")
    found = run_json("strength", "two-link", "--q", "0.3,0.9", *effort)
    expected = am.example("two-link").payload([0.3, 0.9], effort={"joint1": 60, "joint2": 20})
    assert found["payload"] == expected.mass and found["limits"]["+fz"] is None
    assert "payload of 'two-link'" in run("strength", "two-link", *effort).stdout
    assert "expected joint=number" in run("strength", "two-link", "--effort", "x", code=1).stderr
    assert "no effort limits" in run("strength", "two-link", code=1).stderr


def test_force_sources():
    found = run_json("force-sources", "four-bar", "--v", "crank=2", "--actuator", "crank")
    total = sum(np.array(part) for part in found["parts"].values())
    np.testing.assert_allclose(total, found["tau"], atol=1e-12)
    assert found["remainder"] < 1e-12 and found["tau"][1] == pytest.approx(0.0, abs=1e-12)


def test_linkage_and_workspace(tmp_path):
    found = run_json("linkage", "slider-crank", "--hold", "crank", "--frame", "rod")
    assert found["complete"] and len(found["assembly_modes"]) == 2
    picture = tmp_path / "curve.png"
    assert "2 dead points" in run("linkage", "slider-crank", "-o", picture).stdout
    assert picture.stat().st_size > 5000
    assert "exists" in run("linkage", "slider-crank", "-o", picture, code=1).stderr
    words = ("workspace", "two-link", "--plane", "xy", "--samples", 2000)
    assert run_json(*words)["extremes"]["largest reach"] == pytest.approx(1.4)
    run(*words, "-o", tmp_path / "reach.svg")
    assert "expected .png" in run(*words, "-o", tmp_path / "reach.txt", code=1).stderr


def test_operations():
    found = run_json("operations", "two-link")
    rows = {row["name"]: row for row in found["formulations"]}
    expected = am.example("two-link").operation_counts()["Newton-Euler"].own
    assert rows["Newton-Euler"]["own"]["multiplications"] == expected.multiplications
    assert "printed in the documents" in run("operations", "two-link").stdout
