"""Accelerations for given joint forces by articulated bodies, in three passes.  O(n).

First the forces of the motion without joint accelerations (Newton-Euler); the rest is a linear
answer to the remaining forces.  The articulated inertia of a body is what it feels like with
everything beyond it hanging on joints that give way  [Yesiloglu2007, 3.1-3.21; errata 2-10, 2-11].
Checked by forward(inverse) = identity and M a + h = tau.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, Inward, Outward
from armillary.algorithms.tree.joint_space import joint_space_dynamics
from armillary.algorithms.tree.kinematics import place
from armillary.algorithms.tree.locking import LOCKED, lock_status, with_status
from armillary.spatial import Force, ForceDyad, Motion, RigidMotion
from armillary.spatial.small import LDL


def outward(b, p, j):
    """Motion without joint accelerations, and the forces it needs."""
    place(b, p, j)
    b.m = (b.X @ p.m).moved(b.S @ j.v, b.joint.bias(j.q, j.v))
    b.I_A = ForceDyad.from_inertia(b.inertia)
    b.p_A = b.m.force(b.inertia, b.euler) - j.external


def articulate(b):
    """U = I S, D = S^T I S + rotors, and U D^-1: how the joint gives way."""
    b.U = [b.I_A @ s for s in b.S]
    D = [[s.dot(u) for u in b.U] for s in b.S]
    for k, rotor in enumerate(b.armature):
        D[k][k] = D[k][k] + rotor
    b.D = LDL(D)
    rows = [b.D.solve(row) for row in zip(*(u.leaves() for u in b.U), strict=True)]
    b.UD = [Force.from_leaves(column) for column in zip(*rows, strict=True)]
    b.I_a = b.I_A - ForceDyad.outer(b.U, b.UD)


def inward(b, p, j):
    """Articulated inertias and forces from the tips to the root."""
    articulate(b)
    resistance = b.resistance(j.q, j.v)
    along = b.S.T @ b.p_A
    left = [t - r - f for t, r, f in zip(j.tau, resistance, along, strict=True)]
    if b.joint.may_lock:
        left = with_status(left, articulated_status(b))
    give_way(b, p, left)


def articulated_status(b):
    """0; NaN where axes of the joint coincide (locking.py)."""
    sizes = [s.dot(u) + rotor for s, u, rotor in zip(b.S, b.U, b.armature, strict=True)]
    return lock_status(sizes, b.D.inverse_D, LOCKED)


def give_way(b, p, u):
    """What the parent feels of a body whose joint gives way to the force u that is left over."""
    b.u = u
    p_a = b.p_A
    for column, x in zip(b.UD, b.u, strict=True):
        p_a = p_a + column * x
    p.I_A += b.X.T @ b.I_a @ b.X
    p.p_A += b.X.T @ p_a


def accelerate(b, p, j):
    """Joint accelerations from the root to the tips; b.da is what they add to the body's."""
    carried = b.X @ p.da
    j.a = b.D.solve([u - carried.dot(U) for u, U in zip(b.u, b.U, strict=True)])
    b.da = carried + b.S @ j.a


def world(g):
    return {
        "m": RigidMotion.from_motions(g.velocity, g.felt_acceleration()),
        "da": Motion.zero(),
        "I_A": ForceDyad.zero(),
        "p_A": Force.zero(),
    }


forward_dynamics = Algorithm(
    "forward_dynamics",
    (Outward(outward), Inward(inward), Outward(accelerate)),
    world,
    ("q", "v", "tau", "external"),
    {"a": "dof"},
    alternative=joint_space_dynamics,
)
