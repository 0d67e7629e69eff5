"""Static rest of many places of a mechanism at once, where springs and rubber decide over some of
its motion.

With the constraints r(q) = 0, their Jacobian J, the static forces g of springs and weight, and the
forces Q of loads that are given, rest is

    G = g - Q - Jᵀ λ = 0,    r = 0

in the coordinates that are free.  A small change of the held ones or of the loads is followed by
dq = P c + N y, N the null space of J:

    Nᵀ K N y = Nᵀ (dQ - K (dq_held + P c)),    K = dG/dq with λ as it is.

K is taken by central differences of G, many states in one call; rest itself is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism

Loads = Callable[[Array], Array]  # q (S, nq) of B places, in S / B blocks -> Q (S, nv)

_NEWTON = 60  # steps
_STILL = 1e-11  # m or rad: the last step
_LARGEST = 0.05  # m or rad: no step is longer
_DIFFERENCE = 1e-6  # m or rad
_RANK = 1e-10
_SOFT = 1e-12  # of the largest stiffness: less holds nothing
_SLOW = 0.2  # a step that is not shorter by this is followed by a new stiffness


@dataclass
class Elastic:
    """A mechanism of which the coordinates `free` (entries of v) find their own rest.

    title: in errors."""

    mechanism: Mechanism
    free: list[int]
    title: str

    def rest(self, q: Array, loads: Loads | None = None) -> Array:
        """q (B, nq) at rest, from a guess that has the held coordinates where they shall be."""
        m, before = self.mechanism, np.inf
        K: Array | None = None
        for _ in range(_NEWTON):
            r, g, J = self._state(q, loads)
            P, N = _spaces(J[:, :, self.free])
            lam = _multipliers(P, g[:, self.free])
            if K is None:
                K = self._stiffness(q, lam, loads)
            back = -(P @ r[:, :, None])
            out = g[:, self.free, None] + K[:, :, self.free] @ back
            step = np.zeros((len(q), m.nv))
            step[:, self.free] = (back - N @ self._solve(K, N, out))[:, :, 0]
            sizes = np.abs(step).max(axis=1, keepdims=True)
            q = m.integrate(q, step * np.minimum(1.0, _LARGEST / np.maximum(sizes, _LARGEST)))
            size = float(sizes.max())
            if size < _STILL:
                return q
            if size > _SLOW * before:
                K = None
            before = size
        raise InputError(
            f"{self.title}: its springs find no rest (the last step was {size:.3g} m or rad). Ask "
            f"for smaller loads or less travel, or give stiffer rubber."
        )

    def tangents(self, q: Array, held: Array, loads: Loads | None, change: Array) -> Array:
        """Changes of q at rest, as velocities (B, nv, k): of the held coordinates as given (nv, k),
        and of the loads' generalised forces (B, nv, k)."""
        _, g, J = self._state(q, loads)
        P, N = _spaces(J[:, :, self.free])
        K = self._stiffness(q, _multipliers(P, g[:, self.free]), loads)
        fixed = [k for k in range(self.mechanism.nv) if k not in self.free]
        moved = np.broadcast_to(held, (len(q), *held.shape)).copy()
        moved[:, self.free] = -P @ (J[:, :, fixed] @ held[fixed])
        out = K @ moved - change[:, self.free]
        moved[:, self.free] -= N @ self._solve(K, N, out)
        return np.asarray(moved)

    def _state(self, q: Array, loads: Loads | None) -> tuple[Array, Array, Array]:
        m = self.mechanism
        return m.constraint_residual(q), self._forces(q, loads), m.constraint_jacobian(q)

    def _forces(self, q: Array, loads: Loads | None) -> Array:
        """g - Q, (S, nv)."""
        static = np.asarray(self.mechanism.bias_forces(q, np.zeros((len(q), self.mechanism.nv))))
        return static if loads is None else static - loads(q)

    def _stiffness(self, q: Array, lam: Array, loads: Loads | None) -> Array:
        """K (B, free, nv) = dG/dq by central differences."""
        m, count = self.mechanism, len(q)
        steps = np.concatenate([_DIFFERENCE * np.eye(m.nv), -_DIFFERENCE * np.eye(m.nv)])
        many = np.tile(q, (len(steps), 1))  # blocks of B places
        moved = m.integrate(many, np.repeat(steps, count, axis=0))
        G = self._forces(moved, loads)[:, self.free]
        J = np.asarray(m.constraint_jacobian(moved))[:, :, self.free]
        G -= np.einsum("srf,sr->sf", J, np.tile(lam, (len(steps), 1)))
        up, down = G.reshape(2, m.nv, count, len(self.free))
        return np.asarray(np.moveaxis(up - down, 0, 2) / (2.0 * _DIFFERENCE))

    def _solve(self, K: Array, N: Array, out: Array) -> Array:
        """y of  Nᵀ K N y = Nᵀ out."""
        reduced = np.swapaxes(N, 1, 2) @ K[:, :, self.free] @ N
        sizes = np.linalg.svd(reduced, compute_uv=False)
        if sizes.size and (sizes[:, -1] <= _SOFT * sizes[:, 0]).any():
            raise InputError(
                f"{self.title}: nothing holds some of its motion: no link, no spring, no rubber. "
                f"Give the guide, or the rubber, a stiffness in every direction."
            )
        return np.asarray(np.linalg.solve(reduced, np.swapaxes(N, 1, 2) @ out))


def _spaces(J: Array) -> tuple[Array, Array]:
    """Pseudo inverse (B, n, rows) and null space (B, n, k) of Jacobians of one rank."""
    U, s, Vt = np.linalg.svd(J, full_matrices=True)
    rank = int(np.count_nonzero(s[0] > _RANK * s[0].max(initial=0.0)))
    V = np.swapaxes(Vt, 1, 2)
    P = (V[:, :, :rank] / s[:, None, :rank]) @ np.swapaxes(U[:, :, :rank], 1, 2)
    return P, V[:, :, rank:]


def _multipliers(P: Array, g: Array) -> Array:
    """λ (B, rows) of Jᵀ λ = g, by least squares."""
    return np.einsum("bnr,bn->br", P, g)
