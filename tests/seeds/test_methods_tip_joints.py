"""Every joint between a chain and the member it holds, in motion  [VanDerMerwe1995, 6.9-6.20].

A single chain that holds a member is a tree: the member hangs on the chain by the same joint, and
forward dynamics, which knows nothing of constraints, says how both move.  Several chains are
compared with `solve` of the mechanism with loops.
"""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError
from armillary.textbook import (
    cooperating,
    corrective_force,
    grasp,
    pseudo_joints,
    reduced_cooperation,
    reference_member,
    rolling,
    tip_constraint,
)

JOINTS = {
    "fixed": {},
    "revolute": {"axis": (0.3, -0.5, 0.8)},
    "prismatic": {"axis": "x"},
    "helical": {"axis": "-y", "pitch": 0.13},
    "cylindrical": {"axis": (0.1, 0.9, -0.4)},
    "universal": {"axes": ((0.6, 0.8, 0.0), (-0.8, 0.6, 0.0))},
    "planar": {"axis": (0.2, 0.3, 0.5)},
    "spherical": {},
    "free": {},
}
ALL = ("rx", "ry", "rz", "dx", "dy", "dz")
GIMBALS = [("ry", "rz"), ("rx", "rz"), ("ry", "rz", "dx"), ("rx", "rz", "dy"), ("rz", "dx"),
           ALL[:3], (*ALL[:3], "dz"), ALL]  # fmt: skip
CASES = [*JOINTS.items(), *(("gimbal", {"free": free}) for free in GIMBALS)]
MEMBER = {
    "mass": 3.0,
    "com": (0.1, 0.05, -0.02),
    "inertia": (0.2, 0.3, 0.25, 0.01, 0.02, -0.03),
}
FOOT, SEED = am.Pose.from_rpy((0.2, -0.1, 0.15), (0.3, -0.7, 0.4)), 2


def chain(seed: int, member: bool) -> am.Builder:
    """Three links and a frame `tip` on the last; the member loose beside them."""
    rng = np.random.default_rng(seed)
    builder = am.Builder("held", (0.5, -9.0, 2.0))
    if member:
        builder.body("member", joint="free", **MEMBER)
    parent, at = "world", (0.0, 0.0, 0.0)
    for n, kind in enumerate(("revolute", "prismatic", "revolute")):
        builder.body(f"link{n}", parent, kind, at, axis=tuple(rng.normal(size=3)),
                     mass=rng.uniform(0.5, 2), com=tuple(rng.normal(size=3) * 0.1),
                     inertia=(0.06, 0.07, 0.08, 0.01, 0.0, 0.01))  # fmt: skip
        parent, at = f"link{n}", tuple(rng.uniform(-0.4, 0.5, 3))
    builder.frame("tip", parent, FOOT)
    return builder


@cache
def loose() -> am.Mechanism:
    return chain(SEED, member=True).build()


def hold(first: str, second: str, kind: str, options: dict) -> am.Loop:
    builder = chain(SEED, member=True)
    builder.loop("hold", first, second, kind, **options)
    return builder.build().model.loops[0]


def hanging(kind: str, options: dict, angles: float):
    """(tree with the member on the chain's joint, its state, the state of the loose machine)."""
    rng = np.random.default_rng(SEED)
    builder = chain(SEED, member=False)
    builder.body("member", "link2", kind, FOOT, **options, **MEMBER)
    tree = builder.build()
    places = rng.uniform(-1, 1, tree.nv)
    places[3:] *= angles
    q, v = tree.integrate(tree.neutral(), places), rng.normal(size=tree.nv) * 2
    q_loose = np.zeros(loose().nq)
    R, p = tree.pose(q, "member")
    w = np.sqrt(max(0.0, 1 + np.trace(R))) / 2
    turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)
    q_loose[:7], q_loose[7:] = [w, *turn, *p], q[:3]
    v_loose = np.concatenate([tree.velocity(q, v, "member"), v[:3]])
    return tree, q, v, q_loose, v_loose


def compare(kind, options, angles, given):
    tree, q, v, q_loose, v_loose = hanging(kind, options, angles)
    tau = np.random.default_rng(9).normal(size=3) * 5
    push = {"member": [0.5, -1.0, 2.0, 3.0, -2.0, 1.0], "tip": [1.0, 2.0, -1.0, 2.0, 0.3, -3.0]}
    tip_free = {"member": push["member"], "link2": _at_link(push["tip"])}
    expected = tree.forward_dynamics(q, v, [*tau, *[0.0] * (tree.nv - 3)], external=tip_free)
    body = tree.acceleration(q, v, expected, "member")
    x = reference_member(loose(), "member", {"tip": given}, q_loose, v_loose,
                         [*[0.0] * 6, *tau], external=push)  # fmt: skip
    scale = max(np.abs(expected).max(), np.abs(body).max(), 1.0)
    np.testing.assert_allclose(x.qdd["tip"], expected[:3], rtol=0, atol=1e-11 * scale)
    np.testing.assert_allclose(x.a_r, body, rtol=0, atol=1e-11 * scale)


def _at_link(wrench):
    """A wrench in the tip's frame, in the frame of its link at its origin."""
    R, p = np.array(FOOT.rotation), np.array(FOOT.position)
    n, f = R @ wrench[:3], R @ wrench[3:]
    return np.concatenate([n + np.cross(p, f), f])


@pytest.mark.parametrize("kind, options", CASES, ids=[f"{k}-{o}" for k, o in CASES])
def test_a_member_on_one_chain_is_a_tree(kind, options):
    """Loops, at any angle of their joint."""
    compare(kind, options, 0.6, hold("tip", "member", kind, options))


STRAIGHT = [
    ("fixed", {}, ()), ("cylindrical", {"axis": "z"}, ("rz", "dz")),
    ("planar", {"axis": "y"}, ("ry", "dx", "dz")),
    ("universal", {"axes": ("x", "y")}, ("rx", "ry")),
    ("universal", {"axes": ("x", "z")}, ("rx", "rz")),
    *(("gimbal", {"free": free}, free) for free in GIMBALS[2:7]),
]  # fmt: skip


@pytest.mark.parametrize("kind, options, free", STRAIGHT, ids=[f"{k}-{f}" for k, _, f in STRAIGHT])
def test_directions_by_name(kind, options, free):
    """The names of the constrained directions are the joint that stands at zero."""
    compare(kind, options, 0.0, tuple(d for d in ALL if d not in free))


def test_a_loop_told_the_other_way_round():
    """First and second frame change places: the inverse joint, here of a symmetric one."""
    options = JOINTS["cylindrical"]
    compare("cylindrical", options, 0.6, hold("member", "tip", "cylindrical", options))


# -- several chains, against the general solver --------------------------------------------------


def test_universal_joints_at_the_platform():
    """The platform of HSLM on universal joints at angles that are not zero, in motion."""
    hslm = am.example("hslm")
    legs = [(loop.first, loop.second) for loop in hslm.model.loops]
    q = np.array(hslm.initial)
    turns = am.Builder("turns")
    turns.body("cross", joint="universal", axes=("z", "x"), mass=1.0, inertia=(1, 1, 1))
    builder = am.Builder("hslm-universal", hslm.gravity)
    for body in hslm.model.bodies:
        builder.body(body.name, body.parent, body.joint, body.at, mass=body.mass.mass,
                     com=body.mass.com, inertia=body.mass.tensor)  # fmt: skip
    angles = [(0.2, -0.3), (-0.4, 0.1), (0.3, 0.25)]
    for k, ((tip, grip), bend) in enumerate(zip(legs, angles, strict=True)):
        back = turns.build().pose(bend, "cross")[0]
        turned = np.array(grip.pose.rotation) @ back
        end = am.Frame(f"end{k}", grip.body, am.Pose(grip.pose.position, tuple(map(tuple, turned))))
        builder.frame(f"hand{k}", tip.body, tip.pose)
        builder.loop(f"joint{k}", f"hand{k}", end, "universal", axes=("z", "x"))
    tied = builder.build()
    rng = np.random.default_rng(3)
    J = tied.constraint_jacobian(q)
    _, s, Vt = np.linalg.svd(J)
    v = Vt[np.sum(s > 1e-9) :].T @ rng.normal(size=tied.nv - np.sum(s > 1e-9))
    tau = rng.normal(size=tied.nv)
    tips = {loop.first.name: loop for loop in tied.model.loops}
    x = reference_member(tied.tree, legs[0][1].body, tips, q, v, tau)
    y = tied.solve(q, v, tau)
    scale = np.abs(y.acceleration).max()
    np.testing.assert_allclose(x.acceleration, y.acceleration, rtol=0, atol=1e-10 * scale)
    still = reference_member(tied.tree, legs[0][1].body, tips, q, 0 * v, tau)
    assert np.abs(still.acceleration - x.acceleration).max() > 1e-3 * scale  # it moves


# -- what is refused -----------------------------------------------------------------------------


def test_closed_mechanisms_are_refused():
    """The methods tie a tree; what ties it already would be left out without a word."""
    bars = am.example("four-bar")
    n, q, v, tau = bars.nv, np.array(bars.initial), np.zeros(bars.nv), np.zeros(bars.nv)
    calls = [
        lambda: tip_constraint(bars, bars.bodies[-1], q, v, tau, ("dx",)),
        lambda: reference_member(bars, bars.bodies[-1], {bars.bodies[0]: ("dx",)}, q, v, tau),
        lambda: cooperating(grasp(bars, bars.bodies[-1], bars.bodies[:1], q, v, tau)),
        lambda: reduced_cooperation(grasp(bars, bars.bodies[-1], bars.bodies[:1], q, v, tau)),
        lambda: pseudo_joints(
            grasp(bars, bars.bodies[-1], bars.bodies[:1], q, v, tau), bars.v_labels[:1]
        ),
        lambda: rolling(bars, {bars.bodies[-1]: bars.bodies[0]}, q, v, tau),
    ]
    for call in calls:
        with pytest.raises(ModelError, match=rf"{bars.model.loops[0].name}.*machine\.tree"):
            call()
    pull = corrective_force(bars, bars.bodies[-1], q, v, ("dx",), np.zeros(3), 1.0, 1.0)
    assert np.isfinite(pull).all() and n == len(q)  # kinematics alone: nothing is left out


def test_loops_that_the_method_does_not_know():
    q = np.array([1.0, *[0.0] * 9])
    arguments = (q, np.zeros(9), np.zeros(9))
    rubbing = chain(SEED, member=True)
    rubbing.loop("hold", "tip", "member", "revolute", axis="z", passive=am.Passive(viscous=1.0))
    cases = [
        (rubbing.build().model.loops[0], "friction and springs of loop 'hold'"),
        (hold("link0", "member", "spherical", {}), "the body of 'tip', and 'member'"),
    ]
    for loop, message in cases:
        with pytest.raises(ModelError, match=message):
            reference_member(loose(), "member", {"tip": loop}, *arguments)
