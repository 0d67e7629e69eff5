"""The joint-space inertia M(q) by composite bodies  [Swartz1982, 16-26; errata 1-9..1-13].

Each column: the force that accelerates all that hangs on the joint, carried to every ancestor.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, AncestorPairs, Inward, Outward
from armillary.algorithms.tree.kinematics import along_world, place, pose
from armillary.spatial import Force, Inertia, Transform


def outward(b, p, j):
    place(b, p, j)
    b.I_C = b.inertia


def compose(b, p, j):
    p.I_C += b.X.T @ b.I_C @ b.X


def start(b, k):
    return (b.I_C @ b.S[k],)


def itself(b, k, value):
    entries = list(b.S.T @ value[0])
    entries[k] = entries[k] + b.armature[k]
    return (entries,)


def meet(a, value):
    entries = a.S.T @ value[0]
    return ((entries, entries),)


mass_matrix = Algorithm(
    "mass_matrix",
    (
        Outward(outward),
        Inward(compose),
        AncestorPairs(
            start=start,
            climb=lambda b, value: (b.X.T @ value[0],),
            meet=meet,
            itself=itself,
            shape=(Force,),
            writes=("M",),
        ),
    ),
    lambda g: {"I_C": Inertia.zero()},
    ("q",),
    {"M": "matrix"},
)


def _outward_posed(b, p, j):
    pose(b, p, j)
    b.I_C = b.inertia


def _inward_shown(b, p, j):
    """The force that each axis needs for all that hangs on it, along the world's axes."""
    compose(b, p, j)
    j.F = [along_world(b, b.I_C @ s) for s in b.S]


# M one column at a time: F (nv, 6), each at the origin of its body
mass_columns = Algorithm(
    "mass_columns",
    (Outward(_outward_posed), Inward(_inward_shown)),
    lambda g: {"I_C": Inertia.zero(), "Y": Transform.identity()},
    ("q",),
    {"F": "columns"},
    {"F": Force},
)
