"""Free joints by the centre of mass of what they carry.

A free joint carries its body and all that hangs on it, up to the next free joint.  Without forces
the centre c of that mass moves along a straight line, whatever turns about it, so steps of time are
made with (orientation; c) and (ω; w), w = dc/dt, along the axes of the joint frame (R turns from
body to joint frame, p is the place of the body):

    c = p + R r,        w = R (v + ρ),        dw/dt = R f / m

r, ρ: place and velocity of the centre seen from the body's origin, f: rate of the momentum, body
axes.  Linear momentum is linear in these variables: every Runge-Kutta method keeps it, and no
method can tell a uniform drift.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, Inward, Outward
from armillary.algorithms.tree.energy import sum_moment
from armillary.algorithms.tree.kinematics import place
from armillary.joints import Joint
from armillary.scalar import where
from armillary.spatial import Force, Motion, Vector
from armillary.spatial.rotation import from_quaternion


def is_free(joint: Joint) -> bool:
    return joint.kind == "free"


def _seen_from_origin(b, p, j):
    """Mass, first moment and momentum of a body whose free joint does not slide."""
    place(b, p, j)
    v_J = b.S @ j.v
    b.v = Motion(v_J.angular, Vector()) if is_free(b.joint) else b.X @ p.v + v_J
    b.m, b.h = b.inertia.mass, b.inertia.moment
    b.P = _momentum(b.inertia, b.v)


def _gather(b, p, j):
    """R r and R ρ of free joints, in their linear entries."""
    j.offset = j.slip = (0,) * b.joint.nv
    if is_free(b.joint):
        j.offset, j.slip = ((0, 0, 0, *_of_center(b, j, x)) for x in (b.h, b.P))
        return
    sum_moment(b, p, j)
    p.P += (b.X.T @ Force(Vector(), b.P)).linear


def _of_center(b, j, x):
    """x / m along the joint frame; nothing where nothing has mass."""
    heavy = b.m > 0.0
    share = where(heavy, 1.0 / where(heavy, b.m, 1.0), 0.0)
    return b.joint.transform(j.q).E.T @ (x * share)


def _momentum(inertia, v):
    return v.linear * inertia.mass - inertia.moment.cross(v.angular)


carried = Algorithm(
    "carried_center",
    (Outward(_seen_from_origin), Inward(_gather)),
    lambda g: {"v": Motion.zero(), "m": 0, "h": Vector(), "P": Vector()},
    ("q", "v"),
    {"offset": "dof", "slip": "dof"},
)


def _accelerate(b, p, j):
    """Rate of the momentum of every body, as seen from the joint frame of its free joint."""
    place(b, p, j)
    v_J, a_J = b.S @ j.v, b.S @ j.a
    if is_free(b.joint):
        b.v, b.a = v_J, a_J
    else:
        b.v = b.X @ p.v + v_J
        b.a = b.X @ p.a + a_J + b.joint.bias(j.q, j.v) + b.v.cross(v_J)
    b.m = b.inertia.mass
    b.F = _momentum(b.inertia, b.a) + b.v.angular.cross(_momentum(b.inertia, b.v))


def _push(b, p, j):
    j.rate = tuple(j.a)
    if is_free(b.joint):
        j.rate = (*j.a[:3], *_of_center(b, j, b.F))
        return
    p.m += b.m
    p.F += (b.X.T @ Force(Vector(), b.F)).linear


# dv/dt with dw/dt in the place of the linear entries of free joints
rate = Algorithm(
    "rate_of_center",
    (Outward(_accelerate), Inward(_push)),
    lambda g: {"v": Motion.zero(), "a": Motion.zero(), "m": 0, "F": Vector()},
    ("q", "v", "a"),
    {"rate": "dof"},
)


def _to_center(b, p, j):
    """(q, v) to (orientation; c) and (ω; w); R r and R ρ come in as dq and dv."""
    j.center, j.speed = tuple(j.q), tuple(j.v)
    if is_free(b.joint):
        R = from_quaternion(j.q[:4]).T
        j.center = (*j.q[:4], *(Vector(*j.q[4:]) + Vector(*j.dq[3:])))
        j.speed = (*j.v[:3], *(R @ Vector(*j.v[3:]) + Vector(*j.dv[3:])))


def _from_center(b, p, j):
    """The way back."""
    j.center, j.speed = tuple(j.q), tuple(j.v)
    if is_free(b.joint):
        E = from_quaternion(j.q[:4])
        j.center = (*j.q[:4], *(Vector(*j.q[4:]) - Vector(*j.dq[3:])))
        j.speed = (*j.v[:3], *(E @ (Vector(*j.v[3:]) - Vector(*j.dv[3:]))))


_READS = ("q", "v", "dq", "dv")
_WRITES = {"center": "place", "speed": "dof"}
to_center = Algorithm("to_center", (Outward(_to_center),), lambda g: {}, _READS, _WRITES)
from_center = Algorithm("from_center", (Outward(_from_center),), lambda g: {}, _READS, _WRITES)
