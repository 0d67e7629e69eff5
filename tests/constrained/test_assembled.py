"""What an assembled configuration breaks is told: limits of joints, another branch."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.constraints.assembled import beyond_limits

CRANK, ROD, LOW, HIGH = 0.2, 0.6, 0.0, 0.9


def press(initial=(0.0, 0.0, 0.0)):
    """The ram is at 1 m - 0.2 m cos φ - 0.6 m cos β below, and above the crank if upside down."""
    b = am.Builder("press")
    b.body("crank", axis="y", mass=1.0, inertia=(0.01, 0.01, 0.01))
    b.body("rod", "crank", axis="y", at=(0, 0, CRANK), mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.frame("pin", "rod", (0, 0, -ROD))
    b.body("ram", joint="prismatic", axis="z", at=(0, 0, -1), mass=5.0, limits=am.Limits(LOW, HIGH))
    b.loop("joint", "ram", "pin", "revolute", axis="y")
    b.initial = dict(zip(("crank", "rod", "ram"), initial, strict=True))
    return b.build()


def ram(crank, sign):
    """Height of the ram over its lowest place, by Pythagoras."""
    across = CRANK * np.sin(crank)
    return 1.0 + CRANK * np.cos(crank) + sign * np.sqrt(ROD**2 - across**2)


def test_limits_and_branch_are_told():
    """The upper branch is beyond the limit; each is told beside the other one."""
    m = press()
    low, high = [0.4, -0.5, 0.6], [0.4, 2.6, 1.7]
    assert m.assemble(low, hold=["crank"]).messages == ()
    found = m.assemble(high, hold=["crank"])
    assert found.q[2] == pytest.approx(ram(0.4, 1.0), abs=1e-9)
    limit, branch = found.messages
    assert limit == f"'ram' is beyond its limits: {found.q[2]:.6g} m, upper limit {HIGH:g} m"
    assert "another branch than where the model starts: 'rod', 'ram' stand" in branch
    assert str(found).splitlines()[1:] == [limit, branch]
    again = press(found.q).assemble()
    assert len(again.messages) == 1  # no other branch: it starts there
    back = press(found.q).assemble(low, hold=["crank"])
    assert back.q[2] == pytest.approx(ram(0.4, -1.0), abs=1e-9)
    assert "branch than where the model starts" in back.messages[0]


def test_no_branch_is_told_round_a_whole_circuit():
    """The other branch of a four-bar at the same crank is the mirror image about its diagonal."""
    bars = am.example("four-bar")
    for q in bars.linkage(step=0.2).q:
        assert bars.assemble(q).messages == ()
    modes = bars.assembly_modes(hold=["crank"]).q
    told = ["branch" in " ".join(bars.assemble(q, hold=["crank"]).messages) for q in modes]
    assert len(modes) == 2 and sorted(told) == [False, True]


@pytest.mark.parametrize("words", [
    ("assemble",), ("validate",), ("solve", "--assemble"), ("mobility", "--assemble"),
    ("simulate", "--assemble", "--for", "0.002"), ("draw", "--out"),
])  # fmt: skip
def test_the_command_line_tells_it(words, tmp_path):
    path = tmp_path / "press.yaml"
    press([0.4, 2.6, 1.7]).save(path, overwrite=True)
    more = [str(tmp_path / "press.svg")] if words[0] == "draw" else []
    more += ["--out", str(tmp_path / "run.nc")] if words[0] == "simulate" else []
    result = CliRunner().invoke(app, [words[0], str(path), *words[1:], *more])
    text = " ".join(result.output.split())
    assert "'ram' is beyond its limits: 1.7" in text and "m, upper limit 0.9 m" in text, text
    if words[0] == "validate":
        assert result.exit_code == 0 and "valid: 1 warning" in text
        found = json.loads(CliRunner().invoke(app, ["validate", str(path), "--json"]).stdout)
        assert found["warnings"] == len(found["start"]) == 1


def test_the_start_of_a_tree_beyond_its_limits():
    b = am.Builder("stopped")
    b.body("bar", axis="y", mass=1.0, inertia=(1, 1, 1), limits=am.Limits(-1.0, 1.0))
    b.initial = {"bar": 1.5}
    (text,) = beyond_limits(b.build().model, np.array([[1.5]]))
    assert text == "'bar' is beyond its limits: 1.5 rad, upper limit 1 rad"
    assert beyond_limits(b.build().model, np.array([[1.0 + 1e-12]])) == ()
