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


def chain(kind, tier=None, loop=False, rotor=0.0):
    """An arm, the joint with three axes, and a body that hangs on it."""
    b = am.Builder("chain")
    b.body("arm", axis="y", **BODY)
    rotors = (am.Rotor(rotor),) * 3 if rotor else ()
    b.body("wrist", "arm", kind, (0.4, 0, 0), rotors=rotors, **BODY, **KINDS[kind])
    b.body("tip", "wrist", "revolute", (0, 0.3, 0.1), axis="x", **BODY)
    if loop:
        b.distance("rod", am.Frame("end", "tip", am.Pose((0, 0.2, 0))),
                   am.Frame("ground", "world", am.Pose((1, 0, 0))), 0.7)  # fmt: skip
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


def test_closed_mechanisms_refuse_it():
    m = chain("gimbal", loop=True)
    _, v, tau = state(0.0)
    place = m.assemble(state(0.0)[0], hold=["wrist"]).q
    v = m.project(place, v)[1] * 0.0
    for ask in (m.forward_dynamics, m.solve):
        with pytest.raises(SingularError, match=r"wrist"):
            ask(place, v, tau)
    good = m.assemble(state(0.3)[0], hold=["wrist"]).q
    rows = np.array([place, good])
    found = m.forward_dynamics(rows, np.zeros((2, 5)), np.tile(tau, (2, 1)))
    assert np.isnan(found[0]).all()
    alone = m.solve(good, np.zeros(5), tau).acceleration
    assert found[1] == pytest.approx(alone, rel=1e-10)
