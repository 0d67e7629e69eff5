"""`check` measures differences by the forces in play: rounding of what cancels is no fault, and a
fault is one."""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.forces_in_play import forces_in_play
from armillary.model.constraint_parts import Wheel


def drive(gravity=(0.0, 0.0, -9.81), wheels: bool = True) -> am.Mechanism:
    """A differential drive: its weight is across its motion and its two wheels are alike, so that
    every velocity and gravity force of the tree is nothing but rounding."""
    b = am.Builder("drive", gravity)
    b.body("base", joint="planar", axis="z", mass=10.0, com=(0, 0, 0.1), inertia=(0.2, 0.3, 0.4))
    for side, y in (("left", 0.2), ("right", -0.2)):
        b.body(side, "base", "revolute", (0, y, 0.1), axis="y", mass=1.0,
               inertia=(0.005, 0.01, 0.005))  # fmt: skip
        if wheels:
            rows = ("longitudinal", "lateral") if side == "left" else ("longitudinal",)
            b.wheel(Wheel(f"{side}-rolls", side, 0.1, rows=rows))
    return b.build()


def scara() -> am.Mechanism:
    b = am.Builder("scara")
    b.body("upper", axis="z", mass=3.0, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02))
    b.body("lower", "upper", "revolute", (0.4, 0, 0), axis="z", mass=2.0, com=(0.15, 0, 0),
           inertia=(0.01, 0.01, 0.01))  # fmt: skip
    return b.build()


SOUND = {
    "drive": drive,
    "drive without weight": lambda: drive((0, 0, 0)),
    "tree of the drive": lambda: drive(wheels=False),
    "scara": scara,
    "cart": lambda: am.example("two-wheeled-cart"),
    "four-bar": lambda: am.example("four-bar"),
}


@pytest.mark.parametrize("name", SOUND)
def test_rounding_is_no_fault(name):
    """At rest, coasting and driven: every pair agrees, whatever cancels."""
    m = SOUND[name]()
    q, v = np.array(m.initial), np.random.default_rng(4).normal(size=m.nv)
    if m.constraints:
        q, v = m.project(q, v)
    tau = np.random.default_rng(5).normal(size=m.nv)
    for state in ((q, 0 * v, 0 * tau), (q, v, 0 * tau), (q, 0 * v, tau), (q, v, tau)):
        found = m.check(*state)
        assert found.worst < 1e-10, found


@pytest.mark.parametrize("wrong", [1e-3, 1e-6])
@pytest.mark.parametrize("name", ["scara", "drive"])
def test_a_fault_is_seen(name, wrong, monkeypatch):
    """A Coriolis matrix that is off by a part of the forces that the velocity makes."""
    m = SOUND[name]().tree
    exact = m.coriolis_matrix
    q, v = np.array(m.initial), np.array([0.3, 1.0, 2.0, -1.0, 0.5])[: m.nv]
    size = 3.0  # N m or N: of the centrifugal forces at these speeds
    off = wrong * size / np.sum(v * v) * np.tile(v, (m.nv, 1))
    monkeypatch.setitem(vars(m), "coriolis_matrix", lambda q, v: exact(q, v) + off)
    assert m.check(q, v, np.ones(m.nv)).worst > 0.01 * wrong


def test_forces_in_play_in_closed_form():
    """Two wheels at ±b of a base that turns at w: m w² b at each, though their sum is zero; and
    the weight, which acts across the motion.  All sizes are added, no direction counts."""
    w, g, b, high = 2.0, 9.81, 0.2, 0.1
    for gravity in (0.0, g):
        m = drive((0, 0, -gravity), wheels=False)
        q, v = np.zeros(m.nv), np.array([w, 0, 0, 0, 0])
        assert m.v_labels[0].endswith("angle")
        play = forces_in_play(m, q, v, 0 * v)
        force = 12 * gravity + w**2 * (2 * b + 10 * high)
        np.testing.assert_allclose(play[1:3], force, rtol=1e-12)
        wheel, base = np.linalg.norm([0.005, 0.01, 0.005]), np.linalg.norm([0.2, 0.3, 0.4])
        own = w**2 * (base + 10 * high**2 + 2 * wheel + 2 * b**2) + 10 * high * gravity
        moment = own + 2 * np.hypot(b, high) * (w**2 * b + gravity)
        np.testing.assert_allclose(play[0], moment, rtol=1e-12)


def falling(kind, gravity):
    b = am.Builder("falling", (0, 0, -gravity))
    b.body("box", joint=kind, mass=2.0, com=(0.1, -0.2, 0.3), inertia=(0.3, 0.2, 0.25))
    b.body("lid", "box", axis="x", at=(0.1, 0.2, 0.3), mass=1.0, com=(0.1, 0, 0.1),
           inertia=(0.1, 0.1, 0.1))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("speed", [0.0, 1e-9, 1.0])
@pytest.mark.parametrize(("kind", "gravity"), [("free", 9.81), ("free", 0.0), ("spherical", 0.0)])
def test_nothing_against_nothing_agrees(kind, gravity, speed):
    """In free fall inertia takes all of the weight, and no joint force is left but rounding: one
    way says 1e-17, another 1e-32.  The same where slow bodies coast."""
    m = falling(kind, gravity)
    q = m.random_state(1)[0]
    v = speed * m.random_state(2)[1]
    found = m.check(q, v, np.zeros(m.nv))
    assert found.agreed and found.worst < 1e-10, found
    a = m.forward_dynamics(q, v, np.zeros(m.nv))
    tau = m.inverse_dynamics(q, v, a, certified=True)
    assert np.abs(tau).max() < 1e-12


def test_a_disc_that_lies_flat():
    """Its weight goes through the axes of its turns: 1e-16 N m by energies, 1e-33 by forces."""
    m = am.example("rolling-disc")
    c, s = np.cos(0.25), np.sin(0.25)
    q = np.array([c, 1e-17, -4e-17, s, 0.06, -0.12, 0.25])
    assert m.check(q, np.zeros(m.nv), np.zeros(m.nv)).agreed


def test_a_fault_of_a_light_joint_is_seen_beside_a_heavy_one(monkeypatch):
    """Laws are measured entry by entry: 1 % of a finger's Coriolis force is 1e-8 of the crane's."""
    b = am.Builder("crane", (0, 0, 0))
    b.body("boom", axis="z", mass=1e4, com=(10, 0, 0), inertia=(1e3, 1e5, 1e5))
    b.body("finger", "boom", axis="z", at=(20, 0, 0), mass=0.01, com=(0.05, 0, 0),
           inertia=(1e-5, 1e-5, 1e-5))  # fmt: skip
    m = b.build()
    exact = m.coriolis_matrix
    monkeypatch.setitem(vars(m), "coriolis_matrix",
                        lambda q, v: exact(q, v) * np.array([[1.0], [1.01]]))  # fmt: skip
    assert any("Coriolis matrix" in x for x in m.check([0.3, 0.8], [1.0, 0.5], [0.0, 0.0]).odd)
