"""Where the bodies are, how they move, and how both change with every degree of freedom: what the
ends of force elements see.

With the axis S_j of a degree of freedom and the velocity of what carries it, dS_j = v × S_j (as in
tree/derivatives.py), a body beyond it moves by S_j dq_j, and its velocity, as the body sees it,
changes by dS_j dq_j + S_j dv_j.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, Outward, Record
from armillary.spatial import Matrix, Motion, Product, Transform, Vector


def _step(b: Record, p: Record, j: Record) -> None:
    X = Product(b.joint.transform(j.q), b.placement)
    S, order = b.joint.motion_space(j.q), b.joint.order
    Y, v = X @ p.Y, X @ p.v
    b.Y, b.v = Y, v + S @ j.v
    b.E, b.r, b.turning, b.moving = Y.E, Y.r, b.v.angular, b.v.linear
    rates = [Motion.zero()] * len(S)
    for k in range(len(S)) if order is None else order:
        rates[k] = v.cross(S[k])
        if order is not None:  # the next axis is carried by this one too
            v = v + S[k] * j.v[k]
    to_world = Y.inverse()
    j.S = [to_world @ axis for axis in S]
    j.dS = [to_world @ rate for rate in rates]


# relative to the world frame, whatever that does: X_KW = (E, r) and velocity (turning; moving) of
# every body in its kernel frame (vectors by themselves stay there); S and dS in the world frame, at
# its origin
end_motions = Algorithm(
    "end_motions",
    (Outward(_step),),
    lambda g: {"Y": Transform.identity(), "v": Motion.zero()},
    ("q", "v"),
    dict.fromkeys(("E", "r", "turning", "moving"), "body") | {"S": "columns", "dS": "columns"},
    {"E": Matrix, "r": Vector, "turning": Vector, "moving": Vector, "S": Motion, "dS": Motion},
)
