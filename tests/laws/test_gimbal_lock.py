"""At a quarter turn the axes of a gimbal coincide: how an acceleration is divided among them is
undefined, and no number is given for it.  Rounding once gave one (hundreds of rad/s²)."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import SingularError
from armillary.evaluate.request import CompileOptions

BODY = {"mass": 1.0, "com": (0.1, 0.2, 0.3), "inertia": (0.1, 0.2, 0.25)}
AXES = [(1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0)]
KINDS = {"gimbal": {"free": ("rx", "ry", "rz")}, "general": {"axes": AXES}}


def chain(kind, tier=None, loop=False, rotor=0.0, branch=False):
    """An arm, the joint with three axes, and a body that hangs on it.  branch: a body more that
    no loop touches."""
    b = am.Builder("chain")
    b.body("arm", axis="y", **BODY)
    rotors = (am.Rotor(rotor),) * 3 if rotor else ()
    b.body("wrist", "arm", kind, (0.4, 0, 0), rotors=rotors, **BODY, **KINDS[kind])
    b.body("tip", "wrist", "revolute", (0, 0.3, 0.1), axis="x", **BODY)
    if loop:
        b.distance("rod", am.Frame("end", "tip", am.Pose((0, 0.2, 0))),
                   am.Frame("ground", "world", am.Pose((1, 0, 0))), 0.7)  # fmt: skip
    if branch:
        b.body("bob", "wrist", "revolute", (0.2, 0, 0), axis="z", **BODY)
    return am.Mechanism(b.build().model, CompileOptions(tier=tier))


def state(off):
    rng = np.random.default_rng(2)
    q = np.array([0.4, 0.3, np.pi / 2 - off, 0.2, 0.1])
    return q, *rng.normal(size=(2, 5))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tier", [1, 2])
def test_trees_refuse_it_by_name(kind, tier):
    m = chain(kind, tier)
    with pytest.raises(SingularError, match=r"joint 'wrist' is locked.*axes coincide"):
        m.forward_dynamics(*state(0.0))
    rows = [np.array(x) for x in zip(state(0.0), state(0.3), state(1e-9), strict=True)]
    found = m.forward_dynamics(*rows)
    assert np.isnan(found[[0, 2]]).all()  # each its own affair
    # the oracle beside it: inverse dynamics
    for off in (0.3, 1e-3):
        q, v, tau = state(off)
        back = m.inverse_dynamics(q, v, m.forward_dynamics(q, v, tau))
        assert back == pytest.approx(tau, rel=1e-7, abs=1e-7 * np.abs(tau).max() / off)


@pytest.mark.parametrize("tier", [1, 2])
def test_rotors_along_the_axes_make_it_regular(tier):
    m = chain("gimbal", tier, rotor=0.02)
    q, v, tau = state(0.0)
    back = m.inverse_dynamics(q, v, m.forward_dynamics(q, v, tau))
    assert back == pytest.approx(tau, rel=1e-9)


@pytest.mark.parametrize("branch", [False, True], ids=["chain", "with a branch"])
def test_closed_mechanisms_refuse_it(branch):
    m = chain("gimbal", loop=True, branch=branch)

    def placed(off):
        return m.assemble([*state(off)[0], *[0.3] * branch], hold=["wrist"]).q

    n, place, good = m.nv, placed(0.0), placed(0.3)
    v, tau = np.zeros(n), np.random.default_rng(2).normal(size=n)
    for ask in (m.forward_dynamics, m.solve):
        with pytest.raises(SingularError, match=r"wrist"):
            ask(place, v, tau)
    rows = np.array([place, good])
    found = m.forward_dynamics(rows, np.zeros((2, n)), np.tile(tau, (2, 1)))
    assert np.isnan(found[0]).all()
    alone = m.solve(good, np.zeros(n), tau).acceleration
    assert found[1] == pytest.approx(alone, rel=1e-10)


@pytest.mark.parametrize("tier", [1, 2])
def test_an_axis_that_is_there_twice(tier):
    """Beside a branch that no loop touches, too: 1e50 rad/s² were once given for it."""
    twice = (0, 1, 0, 0, 0, 0.2)
    b = am.Builder("twice")
    b.body("bob", joint="free", **BODY)
    b.body("arm", joint="general", axes=[twice, twice], **BODY)
    turn, slide = (0, -1, 0, 0, 0, -0.2), (0, 0, 0, 0, 0, 1)
    b.body("hand", "arm", "general", (0.5, 0, 0), axes=[turn, slide], **BODY)
    b.body("tip", "hand", "revolute", (0.5, 0, 0), axis="y", **BODY)
    b.distance("rod", am.Frame("end", "tip", am.Pose((0.3, 0, 0.2))),
               am.Frame("ground", "world", am.Pose((1, 0.3, 0))), 0.8)  # fmt: skip
    m = am.Mechanism(b.build().model, CompileOptions(tier=tier))
    q, v, tau = m.assemble(m.initial).q, np.zeros(m.nv), np.ones(m.nv)
    for ask in (m.forward_dynamics, m.solve):
        with pytest.raises(SingularError, match=r"arm\.axis"):
            ask(q, v, tau)
    assert np.isnan(m.forward_dynamics(q[None], v[None], tau[None])).all()
