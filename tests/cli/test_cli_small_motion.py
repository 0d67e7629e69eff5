"""`armillary equilibrium`, `modes` and `linearize`: the numbers of Python, and refusals."""

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


def test_equilibrium(tmp_path):
    m = am.example("double-pendulum")
    words = ("equilibrium", "double-pendulum", "--q", "0.3,0.2", "--restarts", 5, "--seed", 3)
    expected = m.equilibrium([0.3, 0.2], restarts=5, seed=3)
    assert run(*words).stdout.strip() == str(expected)
    found = run_json(*words)
    np.testing.assert_array_equal(
        [one["q"] for one in found["solutions"]], [one.q for one in expected.solutions]
    )
    held = run_json("equilibrium", "four-bar", "--hold", "crank")["solutions"][0]
    assert held["holding"]["crank"] == pytest.approx(
        am.example("four-bar").equilibrium(hold="crank").holding["crank"]
    )
    b = am.Builder("falling")
    b.body("box", joint="free", mass=2.0, inertia=(1, 1, 1))
    b.build().save(tmp_path / "falling.yaml")
    refused = run("equilibrium", tmp_path / "falling.yaml", code=1)
    assert "--hold box" in refused.stderr


def test_modes():
    words = ("modes", "bicycle", "--v", "rear-frame.vx=5")
    assert "6 zero eigenvalues" in run(*words).stdout
    found = run_json(*words)
    roots = [complex(*mode["eigenvalue"]) for mode in found["modes"]]
    assert any(abs(root - (-0.77534188219585 + 4.46486771378823j)) < 1e-9 for root in roots)
    assert "--keep" in run("modes", "six-r", code=1).stderr
    assert run_json("modes", "six-r", "--keep")["about"] == "rest"


def test_an_inverted_pendulum_with_a_light_damped_clip_is_unstable(tmp_path):
    b = am.Builder("standing")
    b.body("rod", axis="y", mass=0.3, com=(0, 0, 1.0))
    b.body("clip", "rod", "prismatic", (0, 0, 0.5), axis="x", mass=1e-4,
           passive=am.Passive(viscous=100.0))  # fmt: skip
    b.build().save(path := tmp_path / "standing.yaml")
    found = run_json("modes", path)
    assert (found["stable"], found["zero_eigenvalues"]) == (False, 0)
    rate = max(mode["eigenvalue"][0] for mode in found["modes"])
    assert rate == pytest.approx(np.sqrt(9.81), rel=1e-3)
    assert "unstable, 1 growing" in run("modes", path).stdout
    assert run_json("equilibrium", path)["solutions"][0]["stability"] == "unstable"


def test_linearize():
    m = am.example("four-bar")
    found = run_json("linearize", "four-bar", "--keep", "--input", "crank", "--output", "v.rocker",
                     "--output", "rocker.position", "--independent", "crank")  # fmt: skip
    expected = m.linearize(tau="hold", inputs="crank", outputs=["v.rocker", "rocker.position"],
                           independent=["crank"])  # fmt: skip
    for name in "ABCD":
        np.testing.assert_array_equal(found[name], getattr(expected, name))
    assert found["outputs"] == list(expected.outputs)
    assert "about rest" in run("linearize", "four-bar", "--keep").stdout
    assert "no output named" in run("linearize", "four-bar", "--output", "legs", code=1).stderr


def test_linearize_with_an_actuator_strut(tmp_path):
    b = am.Builder("lift")
    b.body("boom", axis="y", mass=5.0, com=(0.5, 0, 0), inertia=(0.1, 0.4, 0.4))
    b.frame("eye", "boom", at=(0.8, 0, 0))
    b.spring("jack", am.Frame("foot", "world", am.Pose((0.3, 0, -0.6))), "eye", damping=400.0)
    m = b.build()
    path = tmp_path / "lift.yaml"
    m.save(path)
    found = run_json("linearize", path, "--input", "jack", "--input", "boom")
    np.testing.assert_array_equal(found["B"], m.linearize(inputs=["jack", "boom"]).B)
    assert found["inputs"] == ["jack", "boom"] and found["input_units"] == ["N", "N m"]
