"""A spring in the joint that closes a loop counts turns, as one in a joint of the tree does.

A crank on a spring that winds up over several turns: with the crank's pivot in the tree its
coordinate counts them; with the chain cut there, the loop's joint must give the same motion.
"""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import loop

CRANK = {"mass": 0.4, "inertia": (1e-4, 1e-2, 1e-2)}
COUPLER = {"mass": 0.3, "inertia": (5e-4, 5e-3, 5e-3)}
ROCKER = {"mass": 0.3, "inertia": (4e-4, 4e-3, 4e-3)}
LENGTHS = 0.2, 0.5, 0.4, 0.6  # crank, coupler, rocker, ground
LAWS = {
    "spring": am.Passive(spring=0.05, rest=0.4),
    "law": am.Passive(law=lambda x, v: 0.02 * x + 0.0002 * x * x * x + 0.001 * v),
}


def start(angle):
    """Absolute angles of crank, coupler and rocker, turned from x to -z (about y)."""
    a, b, c, d = LENGTHS
    tip = np.array([a * np.cos(angle), -a * np.sin(angle)])
    way = np.array([d, 0.0]) - tip
    reach = np.linalg.norm(way)
    heading = np.arctan2(-way[1], way[0])
    inner = np.arccos((b * b + reach * reach - c * c) / (2 * b * reach))
    coupler = heading - inner
    end = tip + b * np.array([np.cos(coupler), -np.sin(coupler)])
    back = end - np.array([d, 0.0])
    return angle, coupler, np.arctan2(-back[1], back[0])


def in_tree(law):
    """crank - coupler - rocker, closed at the rocker's foot."""
    a, b, c, d = LENGTHS
    q = start(0.3)
    m = am.Builder("tree")
    m.body("crank", axis="y", com=(a / 2, 0, 0), passive=law, **CRANK)
    m.body("coupler", "crank", at=(a, 0, 0), axis="y", com=(b / 2, 0, 0), **COUPLER)
    m.body("rocker", "coupler", at=(b, 0, 0), axis="y", com=(-c / 2, 0, 0), **ROCKER)
    foot = am.Frame("foot", "rocker", am.Pose((-c, 0, 0)))
    m.loop("foot", am.Frame("ground", "world", am.Pose((d, 0, 0))), foot, "revolute", axis="y")
    m.initial = {"crank": q[0], "coupler": q[1] - q[0], "rocker": q[2] - q[1]}
    return m.build()


def in_loop(law, other_way=False, sliding=False):
    """rocker - coupler - crank, closed at the crank's pivot, where the spring is."""
    a, b, c, d = LENGTHS
    q = start(0.3)
    m = am.Builder("loop")
    m.body("rocker", at=(d, 0, 0), axis="y", com=(c / 2, 0, 0), **ROCKER)
    m.body("coupler", "rocker", at=(c, 0, 0), axis=(0, -1, 0), com=(-b / 2, 0, 0), **COUPLER)
    m.body("crank", "coupler", at=(-b, 0, 0), axis="y", com=(-a / 2, 0, 0), **CRANK)
    ends = [am.Frame("ground", "world"), am.Frame("pivot", "crank", am.Pose((-a, 0, 0)))]
    kind = "cylindrical" if sliding else "revolute"
    laws = (law, am.Passive()) if sliding else law
    if other_way:  # the joint of the ground in the crank turns the other way
        m.loop("pivot", *reversed(ends), kind, axis=(0, -1, 0), passive=laws)
    else:
        m.loop("pivot", *ends, kind, axis="y", passive=laws)
    m.initial = {"rocker": q[2], "coupler": q[2] - q[1], "crank": q[0] - q[1]}
    return m.build()


@cache
def wound(law):
    """Angle and velocity of the crank and the energy of a run with the crank in the tree."""
    return run(in_tree(LAWS[law]), "native")


def run(m, way, speed=12.0, **options):
    q = m.assemble().q
    N = m.project(q, np.ones(3))[1]
    angle = {"tree": lambda v: v[..., 0], "loop": lambda v: v[..., 0] - v[..., 1] + v[..., 2]}
    crank = angle[m.name]
    v = N * (speed / crank(N))
    if way == "batch":
        q, v = (np.tile(x, (9, 1)) for x in (q, v))
    with pytest.MonkeyPatch.context() as patch:
        if way == "python":
            patch.setattr(loop.Loop, "_native", lambda *_: None)
        found = am.simulate(m, q, v, 1.2, 2e-3, every=25, record=("q", "v", "energy"), **options)
    assert found.complete
    q, v, energy = (x[:, 4] if way == "batch" else x for x in (found.q, found.v, found.energy))
    return crank(q), crank(v), energy


@pytest.mark.parametrize("shape", [{}, {"other_way": True}, {"sliding": True}], ids=str)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("way", ["native", "python", "batch"])
def test_a_crank_that_winds_up_a_spring(law, way, shape):
    angle, speed, energy = wound(law)
    assert np.ptp(angle) > 2 * np.pi  # past half a turn by far
    found = run(in_loop(LAWS[law], **shape), way)
    np.testing.assert_allclose(found[0], angle, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found[1], speed, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found[2], energy, rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", ["variational", "implicit"])
def test_other_methods_count_too(method):
    law = LAWS["spring"]
    wanted, found = (run(m, "native", method=method)[0] for m in (in_tree(law), in_loop(law)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-2)


def test_a_state_is_in_the_turn_that_its_coordinates_say():
    """2π more in the crank's joint is one turn more of the spring; the pose is the same."""
    law = LAWS["spring"]
    tree, loop = in_tree(law), in_loop(law)
    for turns in (-2, 0, 1):
        q_tree, q_loop = tree.assemble().q, loop.assemble().q
        q_tree[0] += 2 * np.pi * turns
        q_loop[2] += 2 * np.pi * turns
        energies = [m.energy(q, np.zeros(3))[1] for m, q in ((tree, q_tree), (loop, q_loop))]
        assert energies[1] == pytest.approx(energies[0], rel=1e-9)
        forces = [m.solve(q, np.zeros(3), np.zeros(3)).acceleration
                  for m, q in ((tree, q_tree), (loop, q_loop))]  # fmt: skip
        crank = forces[1][0] - forces[1][1] + forces[1][2]
        assert crank == pytest.approx(forces[0][0], rel=1e-8)


def test_turns_that_cannot_be_counted_are_told():
    """A box on a free joint, tied to the world by a pin with a spring."""
    b = am.Builder("box")
    b.body("box", "world", "free", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.loop("pin", am.Frame("ground", "world"), "box", "revolute", axis="y",
           passive=am.Passive(spring=1.0))  # fmt: skip
    m = b.build()
    (event,) = am.simulate(m, duration=0.01).events
    assert "'pin'" in event[1] and "half a turn of the rest" in event[1]
    assert any("'pin'" in x for x in m.solve(m.neutral(), np.zeros(6), np.zeros(6)).messages)
