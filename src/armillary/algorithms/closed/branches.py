"""Branches of a closed mechanism that no constraint touches, as articulated bodies.

They give way to what carries them, in its articulated inertia and force (tree/forward_dynamics.py),
and take no part in the equations of the constraints; once these are solved, they follow.  Which
bodies these are is told by `articulated`; the others are composed as in the mass matrix.
"""

from __future__ import annotations

from armillary.algorithms.tree.forward_dynamics import accelerate, articulate, give_way
from armillary.algorithms.tree.locking import axes_status, lock_status, with_status
from armillary.spatial import Force, ForceDyad, Motion

LEAST_AXIS = 1e-4  # of its inertia: what the other axes of a joint leave to one of them


def alone(b, f):
    """What a body feels by itself; f: force of its motion without joint accelerations."""
    b.I_A, b.p_A = ForceDyad.from_inertia(b.inertia), f


def carry(b, p, j, moving):
    """Inertias, forces and, in j.h, joint forces without joint accelerations; from the tips to the
    root.  moving: False where no forces act."""
    j.h = b.S.T @ b.p_A
    if moving:
        j.h = [f + r for f, r in zip(j.h, b.resistance(j.q, j.v), strict=True)]
    if b.articulated:
        articulate(b)
        status = _health(b)
        give_way(b, p, [t - h + status for t, h in zip(j.tau, j.h, strict=True)])
    else:
        if moving and b.joint.may_lock:
            j.h = with_status(j.h, axes_status(b.S))
        p.I_A += b.X.T @ b.I_A @ b.X
        p.p_A += b.X.T @ b.p_A


def _health(b):
    """0; NaN where an axis has come so near to the others of its joint (a gimbal, turned by a
    quarter) that rounding of what is left of its inertia would count."""
    sizes = [s.dot(U) + rotor for s, U, rotor in zip(b.S, b.U, b.armature, strict=True)]
    return lock_status(sizes, b.D.inverse_D, LEAST_AXIS)


def follow(b, p, j):
    """j.a of articulated bodies, from those of the others.  For themselves they find a number to be
    added there: 0, or NaN where there is no solution."""
    solution = j.a
    if not b.articulated:
        b.da = b.X @ p.da + b.S @ j.a
        return
    accelerate(b, p, j)
    j.a = [x + status for x, status in zip(j.a, solution, strict=True)]


def world(g):
    return {"da": Motion.zero(), "I_A": ForceDyad.zero(), "p_A": Force.zero()}
