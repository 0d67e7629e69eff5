"""How the bodies of the tree move, and what of it changes along a variation (dq, dv), accelerations
held: dual numbers from body to body, values and slopes in fields of their own.

    motion (bodies, 48)  of each body, as in elimination_terms.py, and its slopes
    S (nv, 12)           each axis along the world's axes, and its slopes
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armillary.algorithms.closed.elimination_terms import BodyMotion
from armillary.algorithms.passes import Algorithm, Outward, Record
from armillary.algorithms.tree.kinematics import along_world, place
from armillary.scalar import Dual, Scalar
from armillary.spatial import Motion, RigidMotion, Transform

_FIELDS = ("Y", "v", "m")  # that go from body to body


class Pair:
    """A spatial quantity of dual numbers: its values, then their slopes."""

    def __init__(self, dual: Any):
        self._numbers = [Dual.lift(x) for x in dual.leaves()]

    def leaves(self) -> tuple[Scalar, ...]:
        return (*(x.value for x in self._numbers), *(x.slope for x in self._numbers))


class MotionPair(Pair):
    size = 2 * BodyMotion.size


class AxisPair(Pair):
    size = 2 * Motion.size


def duals(kind: Any, values: Sequence[Scalar], slopes: Sequence[Scalar]) -> Any:
    """Of dual numbers."""
    return kind.from_leaves([Dual(x, dx) for x, dx in zip(values, slopes, strict=True)])


def _outward(b, p, j):
    rate = b.joint.rate(j.q, j.dq)
    q = tuple(Dual(x, dx) for x, dx in zip(j.q, rate, strict=True))
    v = tuple(Dual(x, dx) for x, dx in zip(j.v, j.dv, strict=True))
    before, own = Record(), Record(joint=b.joint, placement=b.placement)
    for name in _FIELDS:
        value, slope = getattr(p, name), getattr(p, f"d{name}")
        setattr(before, name, duals(type(value), value.leaves(), slope.leaves()))
    place(own, before, Record(q=q))
    v_J = own.S @ v
    own.Y = own.X @ before.Y
    own.v = own.X @ before.v + v_J
    own.m = (own.X @ before.m).moved(v_J, own.S @ j.a + b.joint.bias(q, v))
    b.motion = MotionPair(BodyMotion(own.Y, own.v, own.m))
    j.S = [AxisPair(along_world(own, s)) for s in own.S]
    for name in _FIELDS:
        found = getattr(own, name)
        numbers = [Dual.lift(x) for x in found.leaves()]
        kind = type(getattr(p, name))
        setattr(b, name, kind.from_leaves([x.value for x in numbers]))
        setattr(b, f"d{name}", kind.from_leaves([x.slope for x in numbers]))


def _world(g):
    m = RigidMotion.from_motions(g.velocity, g.felt_acceleration())
    start = {"Y": Transform.identity(), "v": g.velocity, "m": m}
    still = {f"d{name}": type(x).from_leaves([0] * len(x.leaves())) for name, x in start.items()}
    return start | still


motion_slopes = Algorithm(
    "motion_slopes",
    (Outward(_outward),),
    _world,
    ("q", "v", "a", "dq", "dv"),
    {"motion": "body", "S": "columns"},
    {"motion": MotionPair, "S": AxisPair},
)
