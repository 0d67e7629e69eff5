"""Links without mass that a loop determines, loops of general joints, and telescopes that assembly
turns inside out.  Oracles: Newton's law of a mass on a spring, and plane geometry."""

import math

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError


def strut(stiffness=200.0, rest=0.5, loop=True):
    """A mass of 2 kg on a slide along x, held by a massless telescope with a spring."""
    b = am.Builder("strut", gravity=(0.0, 0.0, 0.0))
    b.body("mass", joint="prismatic", axis="x", mass=2.0, inertia=(0.1, 0.1, 0.1))
    b.body("tube", "world", "revolute", (0.0, 0.0, 0.3), axis="y", mass=0.0)
    b.body("piston", "tube", "prismatic", axis="x", mass=0.0,
           passive=am.Passive(spring=stiffness, rest=rest))  # fmt: skip
    if loop:
        b.loop("pin", "piston", "mass", "revolute", axis="y")
    b.initial.update({"mass": 0.4, "tube": math.atan2(0.3, 0.4), "piston": 0.5})
    return b.build()


def test_links_that_a_loop_determines():
    """m a = -k (l - l0) x / l, and no warning that there is no such motion."""
    m = strut(rest=0.3)
    assert not m.report.of("warning")
    assert any("'pin'" in note.text for note in m.report.of("assumed"))
    a = m.forward_dynamics(m.initial, np.zeros(3), np.zeros(3))
    assert a[0] == pytest.approx(-200.0 * (0.5 - 0.3) * (0.4 / 0.5) / 2.0, rel=1e-12)


def test_links_that_nothing_determines():
    m = strut(loop=False)
    assert any("undefined" in note.text for note in m.report.of("warning"))
    with pytest.raises(ModelError, match="undefined"):
        m.forward_dynamics(m.initial, np.zeros(3), np.zeros(3))


def test_a_general_loop_keeps_its_name(tmp_path):
    """Its force is found under the name that a person gave; saved and read it is the same."""
    b = am.Builder("held", gravity=(0.0, 0.0, 0.0))
    b.body("mass", joint="prismatic", axis="x", mass=2.0, inertia=(0.1, 0.1, 0.1))
    turn, slide = (0, 1, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0)
    spring = (am.Passive(), am.Passive(spring=200.0, rest=0.3), am.Passive())
    ground = am.Frame("pivot", "world", am.Pose((0.0, 0.0, 0.3)))
    b.loop("strut", ground, "mass", "general", axes=[turn, slide, turn], passive=spring)
    angle = math.atan2(0.3, 0.4)
    b.initial.update({"mass": 0.4, "strut": (angle, 0.5, -angle)})
    m = b.build()
    assert m.constraints == ("strut",) and not m.report.of("warning")
    assert {row.split(".")[0] for row in m.constraint_rows} == {"strut"}
    found = m.solve(m.initial, np.zeros(4), np.zeros(4))
    np.testing.assert_allclose(found.acceleration[0], -200.0 * 0.2 * 0.8 / 2.0, rtol=1e-12)
    force = found.constraint_forces["strut"]  # on the mass, which does not turn
    assert force[3] == pytest.approx(-200.0 * 0.2 * 0.8, rel=1e-12)
    m.save(tmp_path / "held.yaml")
    again = am.load(tmp_path / "held.yaml")
    assert again.constraints == ("strut",)
    np.testing.assert_allclose(
        again.forward_dynamics(again.initial, np.zeros(4), np.zeros(4)), found.acceleration
    )


def test_a_telescope_inside_out_is_told():
    """Both branches close: length l at an angle, and -l half a turn away."""
    m = strut()
    angle = math.atan2(0.3, 0.4)
    assert m.assemble([0.4, angle + 0.1, 0.4]).messages == ()
    found = m.assemble([0.4, angle + math.pi - 0.1, 0.0], hold=["mass"])
    assert found.closed and found.q[2] == pytest.approx(-0.5)
    (text,) = found.messages
    assert "'piston'" in text and "inside out" in text and "'tube'" in text
