"""Derivatives of inverse and forward dynamics on the tangent space, by passes.  O(n * depth).

How joint forces change when axis j moves everything beyond it: with the axis S_j carried by the
body before it, dS = v × S and ddS = a × S + v × dS are its first and second rates, and

  below j   dtau_i/dq_j = (2 B_i^T S_i) · dS_j + (I_i S_i) · ddS_j
  above i   dtau_j/dq_i = S_j · (2 B_i dS_i + I_i ddS_i + S_i ×* f_i)
            dtau_i/dv_j = (2 B_i^T S_i) · S_j + (I_i S_i) · (dS_j + rate of S_j)
            dtau_j/dv_i = S_j · (2 B_i S_i + I_i (dS_i + rate of S_i))

with I, B (see coriolis.py) and f of all that hangs on the body  [after Singh, Russell and
Wensing 2022].  A joint made of a sequence of axes is a chain of one-axis joints with massless
bodies between, so "the body before" an axis includes the earlier axes of its own joint.
Forward dynamics: da = -M^-1 dtau at the accelerations found.
Checked against complex steps and Pinocchio; joints with S(q) in particular.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, AncestorPairs, Inward, Outward, Solve
from armillary.algorithms.tree import forward_dynamics, joint_space
from armillary.algorithms.tree.coriolis import VelocityMap
from armillary.algorithms.tree.kinematics import move, place
from armillary.spatial import Force, Inertia


def prepare(b, p, j):
    """Rates of the axes, as they are carried by what lies before them."""
    v, a = b.X @ p.v, b.X @ p.a
    n = len(b.S)
    b.dS, b.ddS, b.rate = [None] * n, [None] * n, [None] * n
    order = b.joint.order
    for k in range(n) if order is None else order:
        S = b.S[k]
        b.dS[k] = v.cross(S)
        b.ddS[k] = a.cross(S) + v.cross(b.dS[k])
        b.rate[k] = b.v.cross(S) if order is None else b.dS[k]
        if order is not None:  # the next axis is carried by this one too
            a = a + S * j.a[k] + b.dS[k] * j.v[k]
            v = v + S * j.v[k]
    b.I_C = b.inertia
    b.B_C = VelocityMap.of_body(b.inertia, b.v)
    b.f = b.inertia @ b.a + b.v.cross_force(b.inertia @ b.v) - j.external
    b.slopes = b.resistance_slopes(j.q, j.v)


def compose(b, p, j):
    p.I_C += b.X.T @ b.I_C @ b.X
    p.B_C += b.B_C.to_parent(b.X)
    p.f += b.X.T @ b.f


def start(b, k):
    """Forces that climb: answers to q_k and v_k, and the two that meet other axes' rates."""
    answer_q = (b.B_C @ b.dS[k]) * 2 + b.I_C @ b.ddS[k]
    answer_v = (b.B_C @ b.S[k]) * 2 + b.I_C @ (b.dS[k] + b.rate[k])
    return (
        answer_q + b.S[k].cross_force(b.f),
        answer_v,
        b.B_C.transposed(b.S[k]) * 2,
        b.I_C @ b.S[k],
    )


def climb(b, value):
    return tuple(b.X.T @ F for F in value)


def itself(b, k, value):
    """Own columns: the turning of the force counts only for axes that lie before axis k."""
    F_q, F_v, _, IS = value
    turning = b.S[k].cross_force(b.f)
    order = list(b.joint.order) if b.joint.order is not None else []
    before = order[: order.index(k)] if order else []
    plain = F_q - turning
    dq = [s.dot(F_q if r in before else plain) for r, s in enumerate(b.S)]
    dv = [s.dot(F_v) for s in b.S]
    M = [s.dot(IS) for s in b.S]
    dq[k] = dq[k] + b.slopes[k][0]
    dv[k] = dv[k] + b.slopes[k][1]
    M[k] = M[k] + b.armature[k]
    return dq, dv, M


def meet(a, value):
    F_q, F_v, BS, IS = value
    dq = (
        a.S.T @ F_q,
        tuple(ds.dot(BS) + dds.dot(IS) for ds, dds in zip(a.dS, a.ddS, strict=True)),
    )
    carried = [ds + rate for ds, rate in zip(a.dS, a.rate, strict=True)]
    dv = (a.S.T @ F_v, tuple(s.dot(BS) + c.dot(IS) for s, c in zip(a.S, carried, strict=True)))
    M = a.S.T @ IS
    return dq, dv, (M, M)


_pairs = AncestorPairs(start, climb, meet, itself, (Force,) * 4, ("dq", "dv", "M"))
_matrices = {"dq": "matrix", "dv": "matrix", "M": "matrix"}


def _motion(g):
    return {"v": g.velocity, "a": g.felt_acceleration()}


def _composites():
    return {"I_C": Inertia.zero(), "B_C": VelocityMap.zero(), "f": Force.zero()}


def _inverse_outward(b, p, j):
    place(b, p, j)
    move(b, p, j)
    prepare(b, p, j)


inverse_dynamics_derivatives = Algorithm(
    "inverse_dynamics_derivatives",
    (Outward(_inverse_outward), Inward(compose), _pairs),
    lambda g: _motion(g) | _composites(),
    ("q", "v", "a", "external"),
    _matrices,
)


def _moving(b, p, j):
    """Velocities and accelerations, now that the joint accelerations are known."""
    move(b, p, j)
    prepare(b, p, j)


_slopes = (Outward(_moving), Inward(compose), _pairs, Solve("M", ("dq", "dv"), "M"))
_by_joint_space = Algorithm(
    "derivatives of joint_space_dynamics",
    (*joint_space.joint_space_dynamics.passes, *_slopes),  # one factor serves both
    lambda g: joint_space.world(g) | _motion(g) | _composites(),
    ("q", "v", "tau", "external"),
    _matrices,
)

forward_dynamics_derivatives = Algorithm(
    "forward_dynamics_derivatives",
    (
        Outward(forward_dynamics.outward),
        Inward(forward_dynamics.inward),
        Outward(forward_dynamics.accelerate),
        *_slopes,
    ),
    lambda g: forward_dynamics.world(g) | _motion(g) | _composites(),
    ("q", "v", "tau", "external"),
    _matrices,
    alternative=_by_joint_space,
)
