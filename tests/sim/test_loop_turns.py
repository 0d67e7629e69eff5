"""A spring in the joint that closes a loop counts turns, as one in a joint of the tree does.

A crank on a spring that winds up over several turns: with the crank's pivot in the tree its
coordinate counts them; with the chain cut there, the loop's joint must give the same motion.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

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


@pytest.mark.parametrize("turns", [-2, 1])
def test_it_begins_in_the_turn_nearest_to_its_rest(turns):
    """A rest of whole turns more is met by as many turns more at the start, and nothing changes."""
    law = LAWS["spring"]
    plain, shifted = (in_loop(replace(law, rest=law.rest + 2 * np.pi * k)) for k in (0, turns))
    q, zero = plain.assemble().q, np.zeros(3)
    for further in (0.0, 2 * np.pi):
        q[2] += further
        energies = [m.energy(q, zero)[1] for m in (plain, shifted)]
        assert energies[1] == pytest.approx(energies[0], rel=1e-9)
        found = [m.solve(q, zero, zero).acceleration for m in (plain, shifted)]
        np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


# -- axes that are not parallel: the run counts ---------------------------------------------------

SKEW = (0.6, 0.0, 0.8)
SEAT = (0.3, 0.05, 0.1)
ARM = {"mass": 0.8, "com": (0.15, 0.02, 0.0), "inertia": (2e-3, 6e-3, 7e-3)}
BOX = {"mass": 0.5, "com": (0.02, -0.01, 0.03), "inertia": (3e-3, 4e-3, 5e-3, 2e-4, 1e-4, -3e-4)}


def _cubic(x, v):
    return 0.03 * x + 2e-4 * x * x * x


def _quartic(x):
    return 0.015 * x * x + 5e-5 * x * x * x * x


WEAK = {
    "spring": am.Passive(spring=0.05, rest=0.4),
    "law": am.Passive(law=am.Law(_cubic, _quartic)),
}


def box_on_arm(law, loop):
    """A box that turns about a skew axis on an arm: by a joint of the tree, or on a free joint that
    a loop ties to the arm."""
    b = am.Builder("loop" if loop else "tree")
    b.body("arm", axis="z", **ARM)
    if loop:
        b.body("box", "world", "free", **BOX)
        seat = am.Frame("seat", "arm", am.Pose(SEAT))
        b.loop("pin", seat, "box", "revolute", axis=SKEW, passive=law)
    else:
        b.body("box", "arm", "revolute", at=SEAT, axis=SKEW, passive=law, **BOX)
    return b.build()


def starts(tree, x=0.3, speed=40.0):
    """The same state of both."""
    q, v = np.array([0.2, x]), np.array([1.0, speed])
    R, place = tree.pose(q, "box")
    turn = Rotation.from_matrix(R).as_quat(scalar_first=True)
    return (q, v), (np.r_[0.2, turn, place], np.r_[1.0, tree.velocity(q, v, "box")])


@pytest.mark.parametrize("law", WEAK)
@pytest.mark.parametrize("way", ["native", "python", "batch"])
def test_a_skew_loop_winds_up_its_spring(law, way, monkeypatch):
    """Angle, motion and energy are those of the machine that is cut elsewhere."""
    tree, closed = (box_on_arm(WEAK[law], x) for x in (False, True))
    first, other = starts(tree)
    if way == "python":
        monkeypatch.setattr(loop.Loop, "_native", lambda *_: None)
    if way == "batch":
        other = tuple(np.tile(x, (9, 1)) for x in other)
    options = {"duration": 0.3, "step": 2e-3, "every": 10}
    wanted = am.simulate(tree, *first, **options, record=("q", "v", "energy"))
    record = ("q", "v", "a", "tau", "energy", "states", "reactions")
    run = am.simulate(closed, *other, **options, record=record)
    assert run.complete and np.ptp(wanted.q[:, 1]) > 2 * np.pi
    found = {name: run[name][:, 4] if way == "batch" else run[name] for name in record}
    np.testing.assert_allclose(found["q"][:, 0], wanted.q[:, 0], rtol=0, atol=1e-7)
    np.testing.assert_allclose(found["states"][:, 0], wanted.q[:, 1], rtol=0, atol=1e-6)
    np.testing.assert_allclose(found["energy"], wanted.energy, rtol=0, atol=1e-7)
    assert np.abs(found["tau"]).max() < 1e-12  # no actuator is there
    if law == "spring":
        np.testing.assert_allclose(found["energy"], found["energy"][0], rtol=1e-7)


@pytest.mark.parametrize("law", WEAK)
@pytest.mark.parametrize("way", ["native", "python", "batch"])
def test_forces_in_the_loop_are_those_of_the_counted_turn(law, way, monkeypatch):
    """All wrenches are those of the machine that is cut elsewhere: the loop's on the box with the
    moment of its spring, the arm's bearing, and none in the free joint."""
    tree, closed = (box_on_arm(WEAK[law], x) for x in (False, True))
    first, other = starts(tree)
    if way == "python":
        monkeypatch.setattr(loop.Loop, "_native", lambda *_: None)
    if way == "batch":
        other = tuple(np.tile(x, (9, 1)) for x in other)
    options = {"duration": 0.3, "step": 1e-3, "every": 20}
    wanted = am.simulate(tree, *first, **options, record=("q", "a", "reactions"))
    assert np.ptp(wanted.q[:, 1]) > 2 * np.pi
    record = ("reactions", "constraint_forces", "a")
    run = am.simulate(closed, *other, **options, record=record)
    found = {name: run[name][:, 4] if way == "batch" else run[name] for name in record}
    scale = np.abs(wanted.reactions).max()
    spring = np.abs(found["constraint_forces"][:, :3] @ np.array(SKEW))
    assert spring.max() > 0.2  # the counted one: the nearest turn has at most spring * pi = 0.16
    arm, box = np.split(found["reactions"].reshape(-1, 12), 2, axis=1)
    its_arm, its_box = np.split(wanted.reactions.reshape(-1, 12), 2, axis=1)
    for a, b in (
        (found["constraint_forces"][:, :6], its_box),
        (arm, its_arm),
        (box, 0.0),
        (found["a"][:, 0], wanted.a[:, 0]),
    ):
        np.testing.assert_allclose(a, b + np.zeros_like(a), rtol=0, atol=1e-5 * scale)


@pytest.mark.parametrize(
    "method, error",
    [
        ("dopri5", 1e-6),
        ("variational", 1e-2),
        pytest.param("implicit", 1e-2, marks=pytest.mark.long),
    ],
)
def test_other_methods_count_them(method, error):
    tree, closed = (box_on_arm(WEAK["spring"], x) for x in (False, True))
    first, other = starts(tree)
    exact = am.simulate(tree, *first, 0.24, 2e-3).q
    run = am.simulate(closed, *other, 0.24, 2e-3, method, record=("q", "states"))
    assert np.ptp(exact[:, 1]) > 2 * np.pi
    assert np.abs(run.q[:, 0] - exact[:, 0]).max() < error
    assert np.abs(run.states[:, 0] - exact[:, 1]).max() < 10 * error


def test_a_run_that_goes_on_keeps_its_turns(tmp_path):
    closed = box_on_arm(WEAK["spring"], True)
    other, name = starts(box_on_arm(WEAK["spring"], False))[1], tmp_path / "run.nc"
    options = {"step": 2e-3, "record": ("q", "states", "energy")}
    whole = am.simulate(closed, *other, 0.4, **options)
    am.simulate(closed, *other, 0.2, **options, out=name)
    again = am.simulate(closed, *other, 0.4, **options, out=name, resume=True)
    np.testing.assert_allclose(again.states[-1], whole.states[-1], atol=1e-9)
    np.testing.assert_allclose(again.energy[-1], whole.energy[-1], atol=1e-9)


def test_which_turn_is_assumed_is_told():
    """A run says where it begins to count, a single state that it cannot know."""
    closed = box_on_arm(WEAK["spring"], True)
    q, v = starts(box_on_arm(WEAK["spring"], False))[1]
    (event,) = am.simulate(closed, q, v, 0.01).events
    assert "'pin.angle' begins in the turn nearest to the rest" in event[1]
    (text,) = closed.solve(q, v, np.zeros(7)).messages
    assert "'pin'" in text and "half a turn of the rest" in text
    other = am.Switch(lambda t, q, v: t - 1.0, to=closed.replace(gravity=(0, 0, -1)))
    texts = [text for _, text in am.simulate(closed, q, v, 0.01, events=[other]).events]
    assert any("half a turn of the rest" in text for text in texts)


def test_responses_of_studies_know_the_turns():
    """Energy and force at the end of runs that have wound the spring up by turns are those of the
    machine that is cut elsewhere; and the cross-check of accelerations agrees."""
    tree, closed = (box_on_arm(WEAK["spring"], x) for x in (False, True))
    first, other = starts(tree)
    given = {"q0": other[0], "v0": other[1], "duration": 0.3, "step": 2e-3}
    masses = [1.0, 1.5]
    wanted = {"energy": "end energy", "check": "check"}
    study = am.study(am.Experiment(closed, given), {"bodies.arm.mass": masses}, wanted)
    for k, mass in enumerate(masses):
        m = tree.replace(bodies={"arm": {"mass": mass}})
        run = am.simulate(m, *first, duration=0.3, step=2e-3, record=("q", "energy"))
        assert np.ptp(run.q[:, 1]) > 2 * np.pi
        assert study["energy"][k] == pytest.approx(run.energy[-1], abs=1e-7)
        assert study["check"][k] < 1e-9
