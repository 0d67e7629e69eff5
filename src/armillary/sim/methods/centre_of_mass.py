"""Free joints stepped by the centre of mass of what they carry (algorithms/tree/centre.py).

Time steps see y and s instead of q and v: at free joints (orientation; c) and (ω; w), the
centre's position and velocity along the axes of the joint frame; elsewhere y = q and s = v.  Arrays
are single states (n,) or batches (B, n).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from armillary.algorithms.tree import centre
from armillary.evaluate.compiled_function import function_of
from armillary.evaluate.inputs import Array, BoundQuestion
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.user_functions import array_of, columns
from armillary.spatial import Vector
from armillary.spatial.rotation import from_quaternion


class Center:
    """The maps between (q, v) and (y, s), and ds/dt.  p: inertias of the bodies, if not the
    model's."""

    def __init__(self, mechanism: Mechanism):
        self._mechanism = mechanism
        model = mechanism.model
        # of every free joint: its quaternion and its position in q, its linear entries in v
        self._slots = [
            (
                slice(s.q.start, s.q.start + 4),
                slice(s.q.start + 4, s.q.stop),
                slice(s.v.start + 3, s.v.stop),
            )
            for joint, s in zip(model.joints, model.slots, strict=True)
            if centre.is_free(joint)
        ]
        self.linear = np.array([k for *_, v in self._slots for k in range(v.start, v.stop)], int)

    @cached_property
    def _carried(self) -> BoundQuestion:
        return function_of(self._mechanism.evaluator, centre.carried)

    @cached_property
    def _rate(self) -> BoundQuestion:
        return function_of(self._mechanism.evaluator, centre.rate)

    def __bool__(self) -> bool:
        """Are there free joints?"""
        return bool(self._slots)

    def enter(self, q: Array, v: Array, p: Array | None = None) -> tuple[Array, Array]:
        """y and s."""
        if not self._slots:
            return q, v
        offset, slip = self._of_carried(q, v, p)
        y, s = q.copy(), v.copy()
        for rotation, position, linear in self._slots:
            y[..., position] += offset[..., linear]
            s[..., linear] = rotated(q[..., rotation], v[..., linear]) + slip[..., linear]
        return y, s

    def leave(self, y: Array, s: Array, p: Array | None = None) -> tuple[Array, Array]:
        """q and v."""
        if not self._slots:
            return y, s
        offset, slip = self._of_carried(y, s, p)
        q, v = y.copy(), s.copy()
        for rotation, position, linear in self._slots:
            q[..., position] -= offset[..., linear]
            v[..., linear] = rotated(y[..., rotation], (s - slip)[..., linear], back=True)
        return q, v

    def carry(self, q: Array, v: Array, other: Array, p: Array | None = None) -> Array:
        """v at another position, with the centres' velocities of q: a correction that rotates a
        body does not rotate its momentum."""
        return self.leave(other, self.enter(q, v, p)[1], p)[1] if self._slots else v

    def rate(self, q: Array, v: Array, a: Array, p: Array | None = None) -> Array:
        """ds/dt of the accelerations a."""
        if not self._slots:
            return a
        if not all(np.isfinite(x).all() for x in (q, v, a)) and q.ndim == 1:
            return np.full_like(a, np.nan)
        return self._rate(q, v, a, parameters=p)

    def matrix(self, q: Array, p: Array | None = None) -> Array:
        """T (..., nv, nv) with s = T v."""
        n = self._mechanism.nv
        one = np.eye(n)
        if not self._slots:
            return np.broadcast_to(one, (*q.shape[:-1], n, n))
        if q.ndim == 2:
            own = [None] * len(q) if p is None else np.broadcast_to(p, (len(q), p.shape[-1]))
            return np.stack([self.matrix(x, y) for x, y in zip(q, own, strict=True)])
        return self.enter(np.tile(q, (n, 1)), one, p)[1].T

    def lowered(self, F: Array, M: Array, q: Array) -> Array:
        """Forces (..., nv) along v as forces along s: T⁻ᵀ F of one state, M its mass matrix.

        Only where no free joint carries another: the rows of w in T are then R M_w / m."""
        F = F.copy()
        for rotation, _, linear in self._slots:
            mass, force = M[linear.start, linear.start], F[..., linear].copy()
            F -= force @ M[linear] / mass
            F[..., linear] = rotated(q[rotation], force)
        return F

    def _of_carried(self, q: Array, v: Array, p: Array | None) -> tuple[Array, Array]:
        """R r and R ρ."""
        if q.ndim == 1 and not (np.isfinite(q).all() and np.isfinite(v).all()):
            return np.full_like(v, np.nan), np.full_like(v, np.nan)
        return self._carried(q, v, parameters=p)


def rotated(quaternion: Array, x: Array, back: bool = False) -> Array:
    """R x of vectors (..., 3); back: Rᵀ x."""
    E = from_quaternion(columns(quaternion))
    return array_of(((E if back else E.T) @ Vector(*columns(x))).leaves())
