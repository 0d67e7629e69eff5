"""Loops that are over-determined and open by the rounding of their file move as the exact ones do,
and a failing assembly says so soon.  The oracle is the mechanism in all digits."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import InputError, ModelError
from armillary.formats.digits import accuracy

TURN = (0.41, -0.73, 1.17)


def turned_four_bar(gap=0.0):
    """A planar four-bar in no special position of space: three of the five rows of its last pin
    follow from its axes being parallel, but only in exact numbers.  gap: across its plane, m."""
    b = am.Builder("turned")
    rod = {"joint": "revolute", "axis": (0.36, 0.48, 0.8)}
    axis = np.array([0.36, 0.48, 0.8])
    across = np.array([0.8, -0.6, 0.0])
    other = np.cross(axis, across)

    def at(x, y, z=0.0):
        return tuple(float(k) for k in x * across + y * other + z * axis)

    def bar(length):
        return {"mass": 1.0, "com": at(length / 2, 0), "inertia": (0.02, 0.02, 0.02)}

    b.body("crank", "world", at=at(0.1, 0.2), rpy=TURN, **rod, **bar(0.3))
    b.body("coupler", "crank", at=at(0.3, 0, 0.1012345), **rod, **bar(0.9))
    b.body("base", "world", joint="fixed", at=at(0.1, 0.2), rpy=TURN)
    b.body("rocker", "base", at=at(0.8, 0.1, 0.0534567), **rod, **bar(0.6))
    b.frame("one", "coupler", at(0.9, 0.0, 0.0698765 + gap))
    b.frame("two", "rocker", at(0.6, 0.0, 0.1176543))
    b.loop("pin", "one", "two", "revolute", axis=(0.36, 0.48, 0.8))
    return b.build()


def written(m, path, places):
    """The mechanism as a file with so many places."""
    m.save(path, overwrite=True)
    text = path.read_text()
    number = re.compile(r"(?<![\w.])-?\d+\.\d{7,}(?:e[-+]?\d+)?(?![\w.])")
    path.write_text(number.sub(lambda x: f"{float(x[0]):.{places}f}", text))
    return path


def rough(exact, folder):
    """A file whose lengths contradict each other by 1e-5 m."""
    turned_four_bar(1e-5).replace(initial=exact.initial).save(folder / "rough.yaml")
    return folder / "rough.yaml"


@pytest.fixture(scope="module")
def exact():
    m = turned_four_bar()
    return m.replace(initial=m.assemble([0.4, -0.3, 1.2]).q)


@pytest.mark.parametrize("places", [7, 8, 10])
def test_rounded_files_move_as_the_exact_mechanism(exact, places, tmp_path):
    m = am.load(written(exact, tmp_path / "rounded.yaml", places))
    opening = np.abs(m.constraint_residual(exact.initial)).max()
    assert 1e-3 * 10.0**-places < opening < 20.0 * 10.0**-places
    assert 10.0**-places < m.geometry_tolerance < 1e3 * 10.0**-places
    assert m.mobility().instantaneous == m.mobility().finite == 1
    _, v = m.project(exact.initial, [1.0, 0.0, 0.0])
    near = 1e3 * 10.0**-places
    np.testing.assert_allclose(v, exact.project(exact.initial, [1.0, 0, 0])[1], atol=near)
    found = m.assemble(exact.initial)
    assert found.closed and np.abs(found.q - exact.initial).max() < near
    run, right = (am.simulate(x, duration=0.3, step=1e-2) for x in (m, exact))
    assert run.complete and not run.events
    np.testing.assert_allclose(run.q, right.q, atol=near)
    assert np.abs(right.q[-1] - right.q[0]).max() > 0.1


def test_a_tolerance_is_taken_everywhere(exact, tmp_path):
    """Numbers in full are taken at their word, unless one says how exact they are."""
    path = rough(exact, tmp_path)
    m = am.load(path)
    assert m.geometry_tolerance == 0.0
    with pytest.raises(ModelError, match="geometry_tolerance="):
        m.compile(tier=1).project(exact.initial, [1.0, 0.0, 0.0])
    v = exact.project(exact.initial, [1.0, 0.0, 0.0])[1]
    right = am.simulate(exact, duration=0.2, step=1e-2)
    told = {"geometry_tolerance": 1e-3}
    for found in (m.project(exact.initial, v, **told),
                  am.load(path, **told).project(exact.initial, v)):  # fmt: skip
        np.testing.assert_allclose(found[1], v, atol=1e-3)
    assert m.assemble(exact.initial, **told).closed
    for run in (am.simulate(m, duration=0.2, step=1e-2, **told),
                am.simulate(am.load(path, **told), duration=0.2, step=1e-2)):  # fmt: skip
        assert run.complete
        np.testing.assert_allclose(run.q, right.q, atol=1e-3)
    with pytest.raises(InputError, match="geometry_tolerance"):
        m.assemble(exact.initial, geometry_tolerance=0.5)


def test_the_command_line_takes_it(exact, tmp_path):
    path = str(rough(exact, tmp_path))
    command = CliRunner()
    assert command.invoke(app, ["assemble", path]).exit_code == 1
    tolerance = ["--geometry-tolerance", "1e-3"]
    assert command.invoke(app, ["assemble", path, *tolerance]).exit_code == 0
    short = ["simulate", path, "--for", "0.02"]
    assert command.invoke(app, [*short, *tolerance]).exit_code == 0


@pytest.mark.parametrize("text, expected", [
    ("a: 0.12345678, b: 1.00000001, c: -0.87654321", 1e-8),
    ("a: 0.25, b: 1.5", 0.0),  # round numbers
    ("a: 0.12345678901234567, b: 1.2345678901234", 0.0),
    ("a: 1.234567e-1, b: 0.123457", 1e-6),
    ("version 1.2.3 of 10.20.30.400000 in file.123456", 0.0),
])  # fmt: skip
def test_digits(text, expected):
    assert accuracy(text) == pytest.approx(expected)


def test_an_assembly_that_fails_says_so_soon():
    """Two thousand attempts took minutes.  The gap of a triangle is told to all digits."""
    m = am.example("delta")
    far = {loop.name: loop for loop in m.model.loops}
    name, loop = next(iter(far.items()))
    x, y, z = loop.first.pose.position
    b = am.Builder("torn")
    for body in m.model.bodies:
        b.add(body)
    for other in m.model.loops:
        first = other.first
        if other.name == name:
            first = am.Frame("torn", first.body, am.Pose((x + 0.5, y + 4.0, z - 3.0)))
        b.loop(other.name, first, other.second, other.joint)
    found = b.build().assemble(m.initial)
    assert not found.closed and found.iterations < 800 and name in str(found)
