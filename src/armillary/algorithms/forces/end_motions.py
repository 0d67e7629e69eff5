"""Where the bodies are, how they move, and how both change with every degree of freedom: what the
ends of force elements see.

With the axis S_j of a degree of freedom and the velocity of what carries it, dS_j = v × S_j (as in
tree/derivatives.py), a body beyond it moves by S_j dq_j, and its velocity, as the body sees it,
changes by dS_j dq_j + S_j dv_j.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, Outward, Record
from armillary.spatial import Motion, Product, Transform


def _step(b: Record, p: Record, j: Record) -> None:
    X = Product(b.joint.transform(j.q), b.placement)
    S, order = b.joint.motion_space(j.q), b.joint.order
    Y, v = X @ p.Y, X @ p.v
    b.Y = Y
    b.v = v + S @ j.v
    rates = [Motion.zero()] * len(S)
    for k in range(len(S)) if order is None else order:
        rates[k] = v.cross(S[k])
        if order is not None:  # the next axis is carried by this one too
            v = v + S[k] * j.v[k]
    to_world = Y.inverse()
    j.S = [to_world @ axis for axis in S]
    j.dS = [to_world @ rate for rate in rates]


# relative to the world frame, whatever that does; S and dS in the world frame, at its origin
end_motions = Algorithm(
    "end_motions",
    (Outward(_step),),
    lambda g: {"Y": Transform.identity(), "v": Motion.zero()},
    ("q", "v"),
    {"Y": "body", "v": "body", "S": "columns", "dS": "columns"},
    {"Y": Transform, "v": Motion, "S": Motion, "dS": Motion},
)
