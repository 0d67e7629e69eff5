"""Exponential charts over scalars: configurations about q as q ⊕ θ, and how fast θ moves.

    dθ/dt = dexp⁻¹(-θ) v  =  v + ½ [θ, v] + c₂ [θ, [θ, v]] + c₄ [θ, [θ, [θ, [θ, v]]]]

[Munthe-Kaas 1999].  Joints without a quaternion have dθ/dt = v.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.passes import Algorithm, Outward
from armillary.scalar import Scalar, cos, sin, sqrt, where
from armillary.spatial import Motion, Vector

# x/2 coth(x/2) = 1 + Σ b_k x^(2k)  (Bernoulli numbers)
_SERIES = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000)
_LARGE = 0.25  # rad²: beyond it the closed form is exact enough


def _move(b, p, j):
    """q ⊕ v: the step comes in as v."""
    j.moved = tuple(b.joint.integrate(j.q, j.v))


def _slope(b, p, j):
    """dθ/dt of the velocity v at θ, which comes in as a."""
    j.slope = j.v if b.joint.nq == b.joint.nv else inverse_dexp(j.a, j.v)


def inverse_dexp(theta: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """Of turns (3 numbers) or screws (6); cut to two terms by the characteristic equation of the
    bracket, x⁵ + 2 ω² x³ + ω⁴ x = 0."""
    t, m = _motion(theta), _motion(v)
    first = t.cross(m)
    second = t.cross(first)
    fourth = t.cross(t.cross(second))
    c2, c4 = _coefficients(t.angular.dot(t.angular))
    total = m + first * 0.5 + second * c2 + fourth * c4
    return total.leaves()[: len(v)]


def _motion(x: Sequence[Scalar]) -> Motion:
    slide = Vector(*x[3:]) if len(x) == 6 else Vector()
    return Motion(Vector(*x[:3]), slide)


def _coefficients(w2: Scalar) -> tuple[Scalar, Scalar]:
    """c₂, c₄ over ω²: the series for small turns, else closed [Bullo and Murray 1995]."""
    p: Scalar = 1.0
    q: Scalar = 0.0
    c2: Scalar = 0.0
    c4: Scalar = 0.0
    for b in _SERIES:  # x^(2k) = p x² + q x⁴
        c2, c4 = c2 + b * p, c4 + b * q
        p, q = -(w2 * w2 * q), p - 2.0 * w2 * q
    large = w2 > _LARGE
    safe = where(large, w2, 1.0)
    w = sqrt(safe)
    s, c = sin(w), cos(w)
    closed2 = 2.0 / safe + (w + 3.0 * s) / (4.0 * w * (c - 1.0))
    closed4 = 1.0 / (safe * safe) + (w + s) / (4.0 * w * safe * (c - 1.0))
    return where(large, closed2, c2), where(large, closed4, c4)


move = Algorithm("chart_move", (Outward(_move),), lambda g: {}, ("q", "v"), {"moved": "place"})
slope = Algorithm("chart_slope", (Outward(_slope),), lambda g: {}, ("v", "a"), {"slope": "dof"})
