"""Links without mass that a loop determines, loops of general joints, and telescopes that assembly
turns inside out.  Oracles: Newton's law of a mass on a spring, and plane geometry."""

import math

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError, SingularError


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


def massless_coupler():
    """A four-bar whose coupler has no mass: a rod between crank and rocker."""
    b = am.Builder("bars")
    b.body("crank", axis="y", mass=0.4, com=(0.1, 0, 0), inertia=(1e-4, 1e-3, 1e-3))
    b.body("coupler", "crank", "revolute", (0.2, 0, 0), axis="y", mass=0.0)
    b.body(
        "rocker", at=(0.6, 0, 0), axis="y", mass=0.6, com=(0.2, 0, 0), inertia=(4e-4, 8e-3, 8e-3)
    )
    end, tip = (am.Frame(x, x, am.Pose((r, 0, 0))) for x, r in (("coupler", 0.5), ("rocker", 0.4)))
    b.loop("pin", end, tip, "revolute", axis="y")
    b.initial = {"crank": -1.0, "coupler": 0.5, "rocker": -1.5}
    return b.build()


def test_formulations_without_an_inverse_of_inertia_stand_back():
    """Lagrange with the lever of the rod: (I1 + I3 n²) a = Q1 + n Q3 at rest, n = v3 / v1; and the
    formulations that divide by the inertia of the tree are no contradiction: they refuse it."""
    m = massless_coupler()
    q, v = m.project(m.assemble(hold=["crank"]).q, np.array([1.0, 0.0, 0.0]))
    n, rest, tau = v[2] / v[0], np.zeros(3), np.array([0.3, 0.0, 0.1])
    M, g = m.mass_matrix(q), m.gravity_forces(q)
    a = (tau[0] - g[0] + n * (tau[2] - g[2])) / (M[0, 0] + n * n * M[2, 2])
    assert m.solve(q, rest, tau).acceleration[0] == pytest.approx(a, rel=1e-9)
    for machine, at in ((m, q), (strut(rest=0.3), strut().initial)):
        check = machine.check(at, rest, tau)
        assert check.agreed, str(check)
        whys = {name: why for x in check.agreements for name, why in x.refused.items()}
        for name in ("null-space reduction", "least constraint", "tip forces", "pseudo joints"):
            assert "nothing with inertia" in whys[name], whys[name]


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


@pytest.mark.parametrize("closed", [False, True])
def test_negative_moments_are_named(closed):
    """M is -0.02 + 1 * 0.1² kg m² against the first joint: less than nothing, and not nothing."""
    b = am.Builder("wrong")
    b.body("arm", axis="y", mass=1.0, com=(0.1, 0, 0), inertia=(0.01, -0.02, 0.01))
    b.body("other", joint="prismatic", axis="x", mass=0.1, inertia=(0.1, 0.1, 0.1))
    if closed:
        b.distance("rod", am.Frame("a", "arm", am.Pose((0, 0, 0.1))),
                   am.Frame("b", "other", am.Pose((1, 0, 0.1))), 1.0)  # fmt: skip
    m = b.build()
    with pytest.raises(SingularError, match="negative") as told:
        m.forward_dynamics(m.initial, np.zeros(m.nv), np.zeros(m.nv))
    text = str(told.value)
    assert "nothing" not in text
    assert ("a free motion of arm" if closed else "of 'arm' -0.02 kg m²") in text
