"""What the tree gives to the forces of a large closed mechanism whose accelerations are known.

needed (nv)         joint forces of the open tree: M a + h
motion (bodies, 24) of each body, see elimination_terms.py
load (bodies, 15)   the wrench in each joint of the open tree, along the world's axes at the
                    origin of its body; and the body's own axes
S, psi (nv, 6)      each axis, and the wrench that drives along it, in the same way
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.closed.constrained import moved, moving_world, needed
from armillary.algorithms.closed.elimination_terms import BodyMotion
from armillary.algorithms.passes import Algorithm, Inward, Outward
from armillary.algorithms.tree.kinematics import along_world
from armillary.scalar import Scalar
from armillary.spatial import Force, Matrix, Motion, Transform


class BodyLoad:
    """The wrench in the joint of a body, and the world seen from the body's own axes."""

    size = 15

    def __init__(self, wrench: Force, E: Matrix):
        self.wrench, self.E = wrench, E

    def leaves(self) -> tuple[Scalar, ...]:
        return self.wrench.leaves() + self.E.leaves()

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> BodyLoad:
        return cls(Force.from_leaves(leaves[:6]), Matrix.from_leaves(leaves[6:]))


def _outward(b, p, j):
    moved(b, p, j)
    b.Y = b.X @ p.Y
    b.motion = BodyMotion(b.Y, b.v, b.m)
    j.S = [along_world(b, s) for s in b.S]
    psi, _ = b.joint.dual_bases(j.q)
    j.psi = [along_world(b, force) for force in psi]


def _inward(b, p, j):
    needed(b, p, j)
    b.load = BodyLoad(along_world(b, b.f), b.own @ b.Y.E)


_X_0 = Transform.identity()
force_terms = Algorithm(
    "force_terms",
    (Outward(_outward), Inward(_inward)),
    lambda g: moving_world(g) | {"Y": _X_0},
    ("q", "v", "a", "external"),
    {"needed": "dof", "motion": "body", "load": "body", "S": "columns", "psi": "columns"},
    {"motion": BodyMotion, "load": BodyLoad, "S": Motion, "psi": Force},
)
