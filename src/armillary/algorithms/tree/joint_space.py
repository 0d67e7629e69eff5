"""Accelerations for given joint forces from the joint-space inertia:  M(q) a = tau - h(q, v).

Composite bodies give M (mass_matrix.py), Newton-Euler gives h, and elimination from the tips to the
root fills nothing in [Swartz1982, 16-26].  O(n³) on a chain, but shorter than articulated bodies
(forward_dynamics.py) for up to about ten joints.  Checked against them.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, GlobalStep, Inward, Outward
from armillary.algorithms.sparse import SparseLDL, symmetric
from armillary.algorithms.tree.kinematics import place
from armillary.algorithms.tree.locking import LOCKED, lock_status, with_status
from armillary.algorithms.tree.mass_matrix import compose, mass_matrix
from armillary.spatial import Force, Inertia, RigidMotion
from armillary.spatial.small import LDL


def outward(b, p, j):
    """Motion without joint accelerations, and the forces it needs."""
    place(b, p, j)
    b.m = (b.X @ p.m).moved(b.S @ j.v, b.joint.bias(j.q, j.v))
    b.I_C = b.inertia
    b.f = b.m.force(b.inertia, b.euler) - j.external


def inward(b, p, j):
    """What remains of the joint forces for accelerations; composite bodies."""
    resistance = b.resistance(j.q, j.v)
    along = b.S.T @ b.f
    j.left = [t - r - f for t, r, f in zip(j.tau, resistance, along, strict=True)]
    p.f += b.X.T @ b.f
    if b.joint.may_lock:
        U = [b.I_C @ s for s in b.S]
        D = [[s.dot(u) for u in U] for s in b.S]
        for k, rotor in enumerate(b.armature):
            D[k][k] = D[k][k] + rotor
        sizes = [D[k][k] for k in range(len(D))]
        j.left = with_status(j.left, lock_status(sizes, LDL(D).inverse_D, LOCKED))
    compose(b, p, j)


def solve(run):
    """M a = tau - h, the tips first."""
    factor = SparseLDL(symmetric(run.matrices["M"]), range(run.tables.nv - 1, -1, -1))
    a, _ = factor.solve([x for j in run.joints for x in j.left])
    for j, first in zip(run.joints, run.tables.v_offsets, strict=True):
        j.a = a[first : first + len(j.tau)]


def world(g):
    return {
        "m": RigidMotion.from_motions(g.velocity, g.felt_acceleration()),
        "f": Force.zero(),
        "I_C": Inertia.zero(),
    }


joint_space_dynamics = Algorithm(
    "joint_space_dynamics",
    (Outward(outward), Inward(inward), mass_matrix.passes[-1], GlobalStep(solve)),
    world,
    ("q", "v", "tau", "external"),
    {"a": "dof"},
)
