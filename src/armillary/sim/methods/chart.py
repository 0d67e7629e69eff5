"""Exponential charts: the motion of one step in plain vectors.

Within a step that starts at y0 every configuration is y = y0 ⊕ θ with θ (nv) small, and

    dθ/dt = dexp⁻¹(-θ) ω        of turns                [Munthe-Kaas 1999; Iserles et al. 2000]

so a method for vectors keeps its order on quaternion joints, and y stays on its manifold.  All
other entries have dθ/dt = s; at free joints y and s are those of a centre of mass (centre.py).
Arrays are single states (n,) or batches (B, n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from armillary.algorithms.tree.chart import inverse_dexp, stepped
from armillary.evaluate.inputs import Array
from armillary.joints.base import Joint
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.methods.exponential import expm
from armillary.sim.motion.user_functions import array_of, columns

# (joint, its y, its θ) -> y moved, as scalars
Move = Callable[[Joint, Sequence[Scalar], Sequence[Scalar]], Iterable[Scalar]]


class Chart:
    """Moves and slopes of one mechanism."""

    def __init__(self, mechanism: Mechanism):
        model = mechanism.model
        pairs = list(zip(model.joints, model.slots, strict=True))
        self._groups = [(joint, slot) for joint, slot in pairs if joint.nq != joint.nv]
        self._turns = [slice(s.v.start, s.v.start + 3) for _, s in self._groups]
        self.additive = not self._groups
        plain = [(joint, slot) for joint, slot in pairs if joint.nq == joint.nv]
        self._plain_q = np.array([k for _, s in plain for k in range(s.q.start, s.q.stop)], int)
        self._plain_v = np.array([k for _, s in plain for k in range(s.v.start, s.v.stop)], int)

    def move(self, q: Array, step: Array) -> Array:
        """q moved along its own axes: `Mechanism.integrate`."""
        return self._moved(lambda joint, x, d: joint.integrate(x, d), q, step)

    def step(self, y: Array, theta: Array) -> Array:
        """y ⊕ θ, the move of a step of time."""
        return self._moved(stepped, y, theta)

    def _moved(self, how: Move, q: Array, theta: Array) -> Array:
        if self.additive:
            return q + theta
        result = np.empty_like(q)
        result[..., self._plain_q] = q[..., self._plain_q] + theta[..., self._plain_v]
        for joint, slot in self._groups:
            result[..., slot.q] = array_of(
                how(joint, columns(q[..., slot.q]), columns(theta[..., slot.v]))
            )
        return result

    def slope(self, theta: Array, s: Array) -> Array:
        """dθ/dt of the velocity s."""
        if self.additive:
            return s
        result = s.copy()
        for turn in self._turns:
            if theta.ndim == 2 or theta[turn].any():
                result[..., turn] = array_of(
                    inverse_dexp(columns(theta[..., turn]), columns(s[..., turn]))
                )
        return result

    def half_brackets(self, s: Array) -> Array | None:
        """½ [θ, s] as a matrix on θ, (..., nv, nv): the slope's derivative at θ = 0."""
        return None if self.additive else -0.5 * self.brackets(s)

    def brackets(self, s: Array) -> Array:
        """[s, ·] of every joint, (..., nv, nv)."""
        return self._blocks(s, _cross_matrix, 0.0)

    def inverse_dexp_matrix(self, theta: Array) -> Array:
        """dexp⁻¹(-θ), (nv, nv), of a single state."""
        return self._blocks(
            theta,
            lambda t: np.array([inverse_dexp(t.tolist(), e) for e in np.eye(3).tolist()]).T,
            1.0,
        )

    def adjoint(self, theta: Array) -> Array:
        """Ad(exp(-θ)), (nv, nv): velocities at the start of a move, seen from its end."""
        return self._blocks(theta, lambda t: expm(-_cross_matrix(t)), 1.0)

    def _blocks(self, x: Array, block: Callable[[Array], Array], elsewhere: float) -> Array:
        """A matrix with a block for every turn."""
        result = np.zeros((*x.shape, x.shape[-1])) + elsewhere * np.eye(x.shape[-1])
        for turn in self._turns:
            result[..., turn, turn] = block(x[..., turn])
        return result


def _cross_matrix(x: Array) -> Array:
    """x × as a matrix (..., 3, 3)."""
    result = np.zeros((*x.shape, 3))
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        result[..., j, i] = x[..., k]
        result[..., i, j] = -x[..., k]
    return result
