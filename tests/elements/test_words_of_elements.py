"""What is said of force elements: laws that fail, summaries, forces from the command line."""

import math

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import CompileError, InputError, NotFiniteError

BALL = {"mass": 0.5, "inertia": (0.1, 0.1, 0.1)}


def cart(law, **more):
    b = am.Builder("rail", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", **BALL)
    b.force("magnet", ("world", "cart"), law, **more)
    return b.build()


@pytest.mark.parametrize("question", ["forward_dynamics", "element_forces", "inverse_dynamics"])
@pytest.mark.parametrize(
    "law",
    [
        lambda r, R, w, u: [1.0, 0, 0] if r[0] > 0 else [0, 0, 0],
        lambda r, R, w, u: [math.sin(r[0]), 0, 0],
    ],
)
def test_a_law_that_cannot_be_compiled_is_named(law, question):
    m = cart(law)
    given = [[0.3], [0.1], [0.0]][: 2 if question == "element_forces" else 3]
    with pytest.raises(CompileError, match=r"^force 'magnet': .* armillary\.scalar"):
        getattr(m, question)(*given)


def test_a_potential_that_cannot_be_compiled_is_named():
    m = cart(lambda r, R, w, u: [-r[0], -r[1], -r[2]], potential=lambda r, R: _half_square(r))
    with pytest.raises(CompileError, match=r"^force 'magnet': "):
        m.energy([0.3], [0.1])


def _half_square(r):
    total = 0.5 * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    return total if total > 0 else 0.0 * total


@pytest.mark.parametrize(
    "law",
    [lambda r, R, w, u: [math.nan, 0, 0], lambda r, R, w, u: [1.0 / (r[0] - r[0]), 0, 0]],
)
def test_a_law_without_numbers(law):
    m = cart(law)
    with pytest.raises(NotFiniteError, match=r"force 'magnet': .*\(its law gave no number\)"):
        m.forward_dynamics([0.3], [0.1], [0.0])
    run = am.simulate(m, duration=0.01, step=1e-3)
    assert "its law gave no number" in run.message and "coincide" not in run.message


def lift():
    b = am.Builder("lift", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", at=(1.0, 0, 0), **BALL)
    b.body("slide", joint="prismatic", axis="y", at=(0, 2.0, 0), **BALL)
    b.spring("jack", "world", "cart", stiffness=0.0, damping=1.0)
    b.fixed_wrench("gust", "cart", force=(0.1, 0, 0))
    b.cable("rope", ["world", "slide"], stiffness=5.0, rest=3.0)
    return b.build()


def test_a_cable_is_called_one():
    text = str(lift())
    assert "rope  (cable: 'world' - 'slide')" in text and "jack  (spring: " in text


def test_project_is_named():
    with pytest.raises(InputError, match=r"^project: expected two rates"):
        am.simulate(am.example("four-bar"), duration=0.01, project=(1.0,))


def command(model, tmp_path, *words, code=0):
    out = tmp_path / "run.nc"
    words = ("simulate", model, "--for", 0.2, "--step", 2e-3, "--out", out, "--overwrite", *words)
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return am.load_run(out) if code == 0 else " ".join(result.output.split())


def test_forces_of_elements_from_the_command_line(tmp_path):
    m, model = lift(), tmp_path / "lift.yaml"
    m.save(model)
    inputs = {"jack": -3.0, "gust": [0, 0, 0, 0.7, 0, 0], "slide": 0.2}
    expected = am.simulate(m, duration=0.2, step=2e-3, inputs=inputs)
    run = command(model, tmp_path, "--tau", "jack=-3,gust.fx=0.7,slide=0.2")
    np.testing.assert_allclose(run.q, expected.q, atol=1e-12)
    assert abs(expected.q[-1, 0]) > 0.05 and abs(expected.q[-1, 1]) > 1e-3
    table = tmp_path / "forces.csv"
    table.write_text("time,tau.slide,gust.fx,jack\n0,0.2,0.7,-3\n1,0.2,0.7,-3\n")
    np.testing.assert_allclose(command(model, tmp_path, "--input", table).q, run.q, atol=1e-12)
    said = command(model, tmp_path, "--tau", "jack=1,jack=2", code=1)
    assert "'jack' is given twice" in said
    assert "no coordinate named 'rope'" in command(model, tmp_path, "--tau", "rope=1", code=1)
