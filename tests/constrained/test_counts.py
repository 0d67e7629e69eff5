"""What `repr`, `print`, `show` and `validate` say of freedoms, coordinates and rows."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.mechanism import mechanism

# name: degrees of freedom by Grübler's count and the known redundancy of the type
KNOWN = {
    "four-bar": "1 degree of freedom, 3 coordinates, 5 constraint rows, overconstrained by 3",
    "bricard": "1 degree of freedom, 5 coordinates, 5 constraint rows, overconstrained by 1",
    "stewart": "6 degrees of freedom, 24 coordinates, 18 constraint rows",
    "two-wheeled-cart": "3 degrees of freedom, 8 coordinates, 6 constraint rows, "
    "overconstrained by 1",
    "double-pendulum": "2 degrees of freedom",
}


@pytest.mark.parametrize("name", KNOWN)
def test_everybody_says_the_same(name):
    m = am.example(name)
    assert f"bodies, {KNOWN[name]}>" in repr(m)
    assert f"bodies, {KNOWN[name]}, " in str(m).splitlines()[0]
    for command in ("show", "validate"):
        said = CliRunner().invoke(app, [command, name])
        assert said.exit_code == 0 and f"bodies, {KNOWN[name]}, " in said.stdout
        found = json.loads(CliRunner().invoke(app, [command, name, "--json"]).stdout)["counts"]
        assert found["degrees_of_freedom"] == m.counts.freedoms
        assert (found["coordinates"], found["constraint_rows"]) == (m.nv, len(m.constraint_rows))
        assert found["overconstrained_by"] == m.counts.spare


@pytest.mark.parametrize("name", ["four-bar", "delta", "rolling-disc", "differential", "hslm"])
def test_freedoms_are_the_velocities_that_are_left(name):
    """By the dimension of what random velocities are projected to."""
    m = am.example(name)
    wishes = np.random.default_rng(1).normal(size=(2 * m.nv, m.nv))
    left = np.array([m.project(m.initial, v)[1] for v in wishes])
    assert m.counts.freedoms == np.linalg.matrix_rank(left, 1e-8 * np.linalg.norm(left, 2))


def bars(pin: float) -> am.Mechanism:
    b = am.Builder("bars")
    b.body("crank", axis="y", mass=0.4, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
    b.body("rocker", "world", "revolute", (pin, 0, 0), axis="y", mass=0.6, com=(0.2, 0, 0),
           inertia=(0.01, 0.01, 0.01))  # fmt: skip
    b.frame("end", "crank", (0.2, 0, 0))
    b.frame("top", "rocker", (0.4, 0, 0))
    b.distance("rod", "end", "top", 0.5)
    b.initial = {"crank": -1.0, "rocker": -1.5}
    return b.build()


def test_a_rough_start_is_closed_for_the_count():
    assert str(bars(0.5).counts) == (
        "1 degree of freedom, 2 coordinates, 1 constraint row, open at its start"
    )


def test_what_cannot_be_counted_is_not():
    """Bars that do not reach each other, a start that is no number, a large mechanism."""
    apart = bars(9.0)
    assert repr(apart).endswith("2 coordinates, 1 constraint row, open at its start>")
    assert apart.counts.freedoms is None and apart.counts.spare is None
    large = am.example("four-bar-ladder", n=30)
    assert repr(large).endswith(f"{large.nv} coordinates, {len(large.constraint_rows)} "
                                f"constraint rows>")  # fmt: skip
    with pytest.raises(am.InputError, match="open at this q"):
        apart.mobility()


def test_it_is_counted_once(monkeypatch):
    def refused(*_):
        raise AssertionError("counted again")

    m = bars(0.5)
    first = repr(m)
    monkeypatch.setattr(mechanism, "counts", refused)
    assert repr(m) == first
    with pytest.raises(AssertionError):
        repr(bars(0.5))
