"""Exponential charts over scalars: configurations about q as q ⊕ θ, and how fast θ moves.

    dθ/dt = dexp⁻¹(-θ) ω  =  ω + ½ θ × ω + c θ × (θ × ω)          of turns  [Munthe-Kaas 1999]

All other joints have dθ/dt = v.  Free joints are stepped by the centre of mass of what they carry
(centre.py): their place moves by plain addition.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.passes import Algorithm, GlobalStep, Outward
from armillary.joints import Joint
from armillary.scalar import Scalar, cos, sin, sqrt, where
from armillary.spatial import Vector
from armillary.spatial.rotation import normalized, quaternion_exp, quaternion_product

# (1 - x/2 cot(x/2)) / x² over x²  (Bernoulli numbers)
_SERIES = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000)
GOAL = "goal"  # an input along q: another place
_LARGE = 0.25  # rad²: beyond it the closed form is exact enough


def _move(b, p, j):
    """q ⊕ v: the step comes in as v."""
    j.moved = tuple(b.joint.integrate(j.q, j.v))


def _way(run):
    """From q to the goal: q ⊕ way is there."""
    tables, goal = run.tables, run.inputs[GOAL]
    for j, body, start in zip(run.joints, tables.bodies, tables.q_offsets, strict=True):
        j.way = tuple(body.joint.difference(j.q, goal[start : start + body.joint.nq]))


def _step(b, p, j):
    """As `_move`, with free joints along the axes of their joint frames."""
    j.moved = stepped(b.joint, j.q, j.v)


def stepped(joint: Joint, q: Sequence[Scalar], theta: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """q after the move θ of a step of time."""
    if joint.kind != "free":
        return tuple(joint.integrate(q, theta))
    orientation = normalized(quaternion_product(q[:4], quaternion_exp(Vector(*theta[:3]))))
    return (*orientation, *(x + d for x, d in zip(q[4:], theta[3:], strict=True)))


def _slope(b, p, j):
    """dθ/dt of the velocity v at θ, which comes in as a."""
    j.slope = j.v
    if b.joint.nq != b.joint.nv:
        j.slope = (*inverse_dexp(j.a[:3], j.v[:3]), *j.v[3:])


def inverse_dexp(theta: Sequence[Scalar], turn: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """dexp⁻¹(-θ) ω of turns."""
    t, w = Vector(*theta), Vector(*turn)
    first = t.cross(w)
    return (w + first * 0.5 + t.cross(first) * _coefficient(t.dot(t))).leaves()


def _coefficient(x2: Scalar) -> Scalar:
    """c over θ²: the series for small turns, else closed."""
    c: Scalar = 0.0
    for b in reversed(_SERIES):
        c = c * x2 + b
    large = x2 > _LARGE
    safe = where(large, x2, 1.0)
    x = sqrt(safe)
    closed = 1.0 / safe - cos(0.5 * x) / (2.0 * x * sin(0.5 * x))
    return where(large, closed, c)


move = Algorithm("chart_move", (Outward(_move),), lambda g: {}, ("q", "v"), {"moved": "place"})
way = Algorithm("chart_way", (GlobalStep(_way),), lambda g: {}, ("q", GOAL), {"way": "dof"})
step = Algorithm("chart_step", (Outward(_step),), lambda g: {}, ("q", "v"), {"moved": "place"})
slope = Algorithm("chart_slope", (Outward(_slope),), lambda g: {}, ("v", "a"), {"slope": "dof"})
