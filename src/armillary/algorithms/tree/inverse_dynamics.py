"""Joint forces for a wanted motion:  tau = M(q) a + h(q, v), by Newton-Euler in two passes.

Outward: velocities and accelerations [VanDerMerwe1995, 4.27-4.29]; inward: forces [4.30-4.32].
Gravity is an upward acceleration of the base.  O(n).
Checked by tests/laws/test_power.py and against Pinocchio.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, Inward, Outward
from armillary.algorithms.tree.kinematics import move
from armillary.spatial import Force, Motion, Product, RigidMotion


def outward(b, p, j):
    """Motion, and the net force of it: what the body needs to move as it does."""
    b.X = Product(b.joint.transform(j.q), b.placement)  # X_BP
    b.S = b.joint.motion_space(j.q)
    b.m = (b.X @ p.m).moved(b.S @ j.v, b.S @ j.a + b.joint.bias(j.q, j.v))
    b.f = b.m.force(b.inertia, b.euler) - j.external


def inward(b, p, j):
    """Forces from the tips to the root; the drive supplies what lies along the joint's axes.

    Friction acts along the axes, beside the drive, so it does not change the wrench it may depend
    on."""
    resistance = b.resistance(j.q, j.v, b.f)
    along = b.S.T @ b.f
    j.tau = tuple(
        f + r + m * a for f, r, m, a in zip(along, resistance, b.armature, j.a, strict=True)
    )
    p.f += b.X.T @ b.f


def world(g):
    start = RigidMotion.from_motions(g.velocity, g.felt_acceleration())
    return {"m": start, "f": Force.zero()}


_two = (Outward(outward), Inward(inward))

inverse_dynamics = Algorithm(
    "inverse_dynamics", _two, world, ("q", "v", "a", "external"), {"tau": "dof"}
)
bias_forces = Algorithm("bias_forces", _two, world, ("q", "v", "external"), {"tau": "dof"})


def world_at_rest(g):
    """Gravity alone, whatever the base does."""
    rest = Motion.zero()
    start = RigidMotion.from_motions(rest, Motion(rest.angular, -g.gravity))
    return {"m": start, "f": Force.zero()}


static_forces = Algorithm("static_forces", _two, world_at_rest, ("q", "external"), {"tau": "dof"})


def inward_wrench(b, p, j):
    """As `inward`, without the drive: the wrench in every joint, linear in the accelerations."""
    b.wrench = b.f
    p.f += b.X.T @ b.f


joint_wrenches = Algorithm(
    "joint_wrenches",
    (Outward(outward), Inward(inward_wrench)),
    world,
    ("q", "v", "a", "external"),
    {"wrench": "body"},
    {"wrench": Force},
)


def inward_reactions(b, p, j):
    """As `inward_wrench`, with the part of the wrench along the joint's axes.

    f = psi tau + T tau_c: driving and constraint part  [VanDerMerwe1995, 2.16]."""
    inward_wrench(b, p, j)
    psi, _ = b.joint.dual_bases(j.q)
    b.driving = psi @ (b.S.T @ b.f)


reactions = Algorithm(
    "reactions",
    (Outward(outward), Inward(inward_reactions)),
    world,
    ("q", "v", "a", "external"),
    {"wrench": "body", "driving": "body"},
    {"wrench": Force, "driving": Force},
)


def outward_shown(b, p, j):
    """As `outward`, with velocity and acceleration as spatial vectors for people to see."""
    outward(b, p, j)
    move(b, p, j)
    b.net = b.f  # before the children's forces are added


def world_shown(g):
    return world(g) | {"v": g.velocity, "a": g.felt_acceleration()}


def inward_shown(b, p, j):
    """As `inward`, keeping the wrench in every joint and its part along the joint's axes.

    f = psi tau + T tau_c: driving and constraint part  [VanDerMerwe1995, 2.16]."""
    inward(b, p, j)
    psi, _ = b.joint.dual_bases(j.q)
    b.wrench = b.f
    b.driving = psi @ (b.S.T @ b.f)


body_forces = Algorithm(
    "body_forces",
    (Outward(outward_shown), Inward(inward_shown)),
    world_shown,
    ("q", "v", "a", "external"),
    {"tau": "dof", "v": "body", "a": "body", "net": "body", "wrench": "body", "driving": "body"},
    {"v": Motion, "a": Motion, "net": Force, "wrench": Force, "driving": Force},
)
