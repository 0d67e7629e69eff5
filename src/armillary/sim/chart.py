"""Exponential charts: the motion of one step in plain vectors.

Within a step that starts at q0 every configuration is q = q0 ⊕ θ with θ (nv) small, and

    dθ/dt = dexp⁻¹(-θ) v                              [Munthe-Kaas 1999; Iserles et al. 2000]

so a method for vectors keeps its order on quaternion joints, and q stays on its manifold.  Joints
without a quaternion have dθ/dt = v.  Arrays are single states (n,) or batches (B, n).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.functions.inputs import Array
from armillary.functions.mechanism import Mechanism
from armillary.sim.exponential import expm

# coefficients of  x/2 coth(x/2) = 1 + Σ b_k x^(2k)  (Bernoulli numbers)
_SERIES = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
    1 / 74724249600, -3617 / 10670622842880000,
)  # fmt: skip


class Chart:
    """Moves and slopes of one mechanism."""

    def __init__(self, mechanism: Mechanism):
        model = mechanism.model
        pairs = list(zip(model.joints, model.slots, strict=True))
        self._groups = [(joint, slot) for joint, slot in pairs if joint.nq != joint.nv]
        self.additive = not self._groups
        plain = [(joint, slot) for joint, slot in pairs if joint.nq == joint.nv]
        self._plain_q = np.array([k for _, s in plain for k in range(s.q.start, s.q.stop)], int)
        self._plain_v = np.array([k for _, s in plain for k in range(s.v.start, s.v.stop)], int)

    def move(self, q: Array, theta: Array) -> Array:
        """q ⊕ θ."""
        if self.additive:
            return q + theta
        result = np.empty_like(q)
        result[..., self._plain_q] = q[..., self._plain_q] + theta[..., self._plain_v]
        for joint, slot in self._groups:
            result[..., slot.q] = _rows(
                joint.integrate(_columns(q[..., slot.q]), _columns(theta[..., slot.v]))
            )
        return result

    def slope(self, theta: Array, v: Array) -> Array:
        """dθ/dt of the velocity v."""
        if self.additive:
            return v
        result = v.copy()
        for _, slot in self._groups:
            turn = theta[..., slot.v]
            if turn.ndim == 2 or turn.any():
                result[..., slot.v] = inverse_dexp(turn, v[..., slot.v])
        return result

    def half_brackets(self, v: Array) -> Array | None:
        """½ [θ, v] as a matrix on θ, (..., nv, nv): the slope's derivative at θ = 0."""
        if self.additive:
            return None
        n = v.shape[-1]
        result = np.zeros((*v.shape, n))
        for _, slot in self._groups:
            result[..., slot.v, slot.v] = -0.5 * bracket_matrix(v[..., slot.v])
        return result

    def inverse_dexp_matrix(self, theta: Array) -> Array:
        """dexp⁻¹(-θ), (nv, nv), of a single state."""
        result = np.eye(len(theta))
        for _, slot in self._groups:
            block = theta[slot.v]
            columns = [inverse_dexp(block, e) for e in np.eye(len(block))]
            result[slot.v, slot.v] = np.array(columns).T
        return result

    def adjoint(self, theta: Array) -> Array:
        """Ad(exp(-θ)), (nv, nv): velocities at the start of a move, seen from its end."""
        result = np.eye(len(theta))
        for _, slot in self._groups:
            result[slot.v, slot.v] = expm(-bracket_matrix(theta[slot.v]))
        return result

    def brackets(self, v: Array) -> Array:
        """[v, ·] of every joint, (nv, nv), of a single state."""
        result = np.zeros((len(v), len(v)))
        for _, slot in self._groups:
            result[slot.v, slot.v] = bracket_matrix(v[slot.v])
        return result


def inverse_dexp(theta: Array, v: Array) -> Any:
    """dexp⁻¹(-θ) v = v + ½ [θ, v] + c₂ [θ, [θ, v]] + c₄ [θ, [θ, [θ, [θ, v]]]].

    The series of Bernoulli numbers, cut to two terms by the characteristic equation of the
    bracket, x⁵ + 2 ω² x³ + ω⁴ x = 0: exact for turns (3) and screws (6)."""
    if theta.ndim == 1:
        return _inverse_dexp_of_floats(theta.tolist(), v.tolist())
    first = bracket(theta, v)
    second = bracket(theta, first)
    fourth = bracket(theta, bracket(theta, second))
    w2 = (theta[..., :3] ** 2).sum(axis=-1, keepdims=True)
    c2, c4 = _coefficients(w2)
    return v + 0.5 * first + c2 * second + c4 * fourth


def _inverse_dexp_of_floats(theta: list[float], v: list[float]) -> list[float]:
    """The same for one state: plain floats are quicker than arrays of three."""
    first = _bracket_of_floats(theta, v)
    second = _bracket_of_floats(theta, first)
    fourth = _bracket_of_floats(theta, _bracket_of_floats(theta, second))
    w2 = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
    if w2 > 0.25:
        c2, c4 = (float(c[0]) for c in _coefficients(np.array([w2])))
    else:
        p, q, c2, c4 = 1.0, 0.0, 0.0, 0.0
        for b in _SERIES:
            c2, c4 = c2 + b * p, c4 + b * q
            p, q = -w2 * w2 * q, p - 2.0 * w2 * q
    return [
        x + 0.5 * a + c2 * b + c4 * d for x, a, b, d in zip(v, first, second, fourth, strict=True)
    ]


def _bracket_of_floats(x: list[float], y: list[float]) -> list[float]:
    a, b, c = x[:3]
    d, e, f = y[:3]
    turn = [b * f - c * e, c * d - a * f, a * e - b * d]
    if len(x) == 3:
        return turn
    g, h, i = y[3:]
    j, k, l = x[3:]
    return [
        *turn,
        b * i - c * h + k * f - l * e,
        c * g - a * i + l * d - j * f,
        a * h - b * g + j * e - k * d,
    ]


def _coefficients(w2: Array) -> tuple[Array, Array]:
    """c₂ and c₄ over ω²: closed form [Bullo and Murray 1995], the series for small turns."""
    p, q = np.ones_like(w2), np.zeros_like(w2)
    c2, c4 = np.zeros_like(w2), np.zeros_like(w2)
    for b in _SERIES:  # x^(2k) = p x² + q x⁴
        c2, c4 = c2 + b * p, c4 + b * q
        p, q = -w2 * w2 * q, p - 2.0 * w2 * q
    large = w2 > 0.25
    if not large.any():
        return c2, c4
    w = np.sqrt(np.where(large, w2, 1.0))
    s, c = np.sin(w), np.cos(w)
    with np.errstate(divide="ignore", invalid="ignore"):
        closed2 = 2.0 / w**2 + (w + 3.0 * s) / (4.0 * w * (c - 1.0))
        closed4 = 1.0 / w**4 + (w + s) / (4.0 * w**3 * (c - 1.0))
    return np.where(large, closed2, c2), np.where(large, closed4, c4)


def bracket(x: Array, y: Array) -> Array:
    """Lie bracket of two turns (3) or two screws (ω; v)."""
    if x.shape[-1] == 3:
        return _cross(x, y)
    turn = _cross(x[..., :3], y[..., :3])
    slide = _cross(x[..., :3], y[..., 3:]) + _cross(x[..., 3:], y[..., :3])
    return np.concatenate([turn, slide], axis=-1)


def bracket_matrix(x: Array) -> Array:
    """[x, ·] as a matrix (..., n, n)."""
    n = x.shape[-1]
    return np.stack([bracket(x, np.broadcast_to(e, x.shape)) for e in np.eye(n)], axis=-1)


def _cross(a: Array, b: Array) -> Array:
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    result[..., 0] = a1 * b2 - a2 * b1
    result[..., 1] = a2 * b0 - a0 * b2
    result[..., 2] = a0 * b1 - a1 * b0
    return result


def _columns(x: Array) -> Any:
    """Floats of a single state, columns of a batch."""
    return x.tolist() if x.ndim == 1 else [x[:, k] for k in range(x.shape[1])]


def _rows(columns: Any) -> Array:
    return np.stack([np.asarray(c, float) for c in columns], axis=-1)
