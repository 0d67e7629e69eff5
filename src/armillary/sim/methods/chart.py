"""Exponential charts: the motion of one step in plain vectors.

Within a step that starts at y0 every configuration is y = y0 ⊕ θ with θ (nv) small, and

    dθ/dt = dexp⁻¹(-θ) ω        of rotations            [Munthe-Kaas 1999; Iserles et al. 2000]

so a method for vectors keeps its order on quaternion joints, and y stays on its manifold.  All
other entries have dθ/dt = s; at free joints y and s are those of a centre of mass (centre.py).
Arrays are single states (n,) or batches (B, n).
"""

from __future__ import annotations

import numpy as np

from armillary.algorithms.tree.chart import inverse_dexp, stepped
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.user_functions import array_of, columns


class Chart:
    """Moves and slopes of one mechanism."""

    def __init__(self, mechanism: Mechanism):
        model = mechanism.model
        pairs = list(zip(model.joints, model.slots, strict=True))
        self._groups = [(joint, slot) for joint, slot in pairs if joint.nq != joint.nv]
        self._rotations = [slice(s.v.start, s.v.start + 3) for _, s in self._groups]
        self.additive = not self._groups
        plain = [(joint, slot) for joint, slot in pairs if joint.nq == joint.nv]
        self._plain_q = np.array([k for _, s in plain for k in range(s.q.start, s.q.stop)], int)
        self._plain_v = np.array([k for _, s in plain for k in range(s.v.start, s.v.stop)], int)

    def step(self, y: Array, theta: Array) -> Array:
        """y ⊕ θ."""
        if self.additive:
            return y + theta
        result = np.empty_like(y)
        result[..., self._plain_q] = y[..., self._plain_q] + theta[..., self._plain_v]
        for joint, slot in self._groups:
            moved = stepped(joint, columns(y[..., slot.q]), columns(theta[..., slot.v]))
            result[..., slot.q] = array_of(moved)
        return result

    def slope(self, theta: Array, s: Array) -> Array:
        """dθ/dt of the velocity s."""
        if self.additive:
            return s
        result = s.copy()
        for own in self._rotations:
            if theta.ndim == 2 or theta[own].any():
                result[..., own] = array_of(
                    inverse_dexp(columns(theta[..., own]), columns(s[..., own]))
                )
        return result

    def half_brackets(self, s: Array) -> Array | None:
        """½ [θ, s] as a matrix on θ, (..., nv, nv): the slope's derivative at θ = 0."""
        if self.additive:
            return None
        result = np.zeros((*s.shape, s.shape[-1]))
        for own in self._rotations:
            result[..., own, own] = -0.5 * _cross_matrix(s[..., own])
        return result


def _cross_matrix(x: Array) -> Array:
    """x × as a matrix (..., 3, 3)."""
    result = np.zeros((*x.shape, 3))
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        result[..., j, i] = x[..., k]
        result[..., i, j] = -x[..., k]
    return result
