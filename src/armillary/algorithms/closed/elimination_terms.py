"""What the tree gives to a large constrained system, body by body and axis by axis.

    motion (bodies, 24)   X_BW, velocity, and acceleration without joint accelerations, of each body
    S, F (nv, 6)          each axis, and the force that accelerates all it carries along it, at the
                          origin of its body, along the world's axes:  M_ij = S_j · F_i
    h (nv)                joint forces without joint accelerations

Entries of M and of J are made of them by loops over pairs (runtime/elimination.py).  With
articulated branches, F is of articulated instead of composite bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from armillary.algorithms.closed import branches
from armillary.algorithms.closed.constrained import inward, outward, world
from armillary.algorithms.passes import Algorithm, Inward, Outward
from armillary.algorithms.tree.kinematics import along_world
from armillary.algorithms.tree.mass_matrix import compose
from armillary.scalar import Scalar
from armillary.spatial import Force, Motion, RigidMotion, Transform


class BodyMotion:
    """Pose, velocity and acceleration of a body, as constraints ask for them."""

    size = 24

    def __init__(self, Y: Transform, v: Motion, m: RigidMotion):
        self.Y, self.v, self.m = Y, v, m

    def leaves(self) -> tuple[Scalar, ...]:
        acceleration = self.m.alpha.leaves() + self.m.a.leaves()
        return self.Y.leaves() + self.v.leaves() + acceleration

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> BodyMotion:
        v, rate = Motion.from_leaves(leaves[12:18]), Motion.from_leaves(leaves[18:])
        return cls(
            Transform.from_leaves(leaves[:12]),
            v,
            RigidMotion(v.angular, rate.angular, rate.linear),
        )


def _still(b):
    zero = Motion.zero()
    return RigidMotion(b.v.angular, zero.angular, zero.linear)


@cache
def elimination_terms(level: str, articulated: bool = False) -> Algorithm:
    """level: of the rows that are to be kept, see `kept_rows`.  `x` is left to the elimination.

    articulated: some bodies are (branches.py), and take no part in the elimination.  Its solution
    is the input `a` of the last pass, which adds theirs."""
    moving = level == "gamma"

    def outward_shown(b, p, j):
        outward(b, p, j)
        b.Y = b.X @ p.Y
        b.motion = BodyMotion(b.Y, b.v, b.m if moving else _still(b))
        j.S = [along_world(b, s) for s in b.S]
        if articulated:
            branches.alone(b, b.f if moving else Force.zero())

    def inward_shown(b, p, j):
        (inward if moving else compose)(b, p, j)
        j.F = [along_world(b, b.I_C @ s) for s in b.S]

    def inward_articulated(b, p, j):
        j.F = [along_world(b, b.I_A @ s) for s in b.S]
        branches.carry(b, p, j, moving)

    def outward_solved(b, p, j):
        branches.follow(b, p, j)
        j.x = j.a

    steps = (Outward(outward_shown), Inward(inward_articulated), Outward(outward_solved))
    X_0 = Transform.identity()
    reads = {"gamma": ("q", "v", "tau", "external"), "rate": ("q", "v"), "residual": ("q",)}
    writes = {"x": "dof", "motion": "body", "S": "columns", "F": "columns"}
    return Algorithm(
        f"elimination_terms_{level}" + "_articulated" * articulated,
        steps if articulated else (Outward(outward_shown), Inward(inward_shown)),
        lambda g: world(g) | (branches.world(g) if articulated else {}) | {"Y": X_0},
        (*reads[level], "prescribed", *("a",) * articulated),
        writes | ({"h": "dof"} if moving else {}),
        {"motion": BodyMotion, "S": Motion, "F": Force},
    )
