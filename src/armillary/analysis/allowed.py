"""Velocities that the constraints allow, as fields over the configurations.

X_k(q) = P(q) N_k, P the projector on the null space of all rows; brackets of such fields,

    [X, Y] = (∂Y/∂q) X - (∂X/∂q) Y     in coordinates q

leave the null space exactly where the rows cannot be written in positions (Frobenius).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.analysis.point import scales
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism

_STEP = 1e-4  # rad, or parts of the machine's size
_NONE = 1e-5  # of a bracket along a row, in the same units: rounding and the step's square
_RANK = 1e-9  # of the largest singular value, in units of the machine's size


class Allowed:
    """The allowed velocities of a mechanism at any closed configuration."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism, self.size = mechanism, scales(mechanism)

    def motions(self, q: Array) -> Array:
        """(nv, freedoms): a basis, orthonormal where 1 rad and the machine's size count as 1."""
        if not self.mechanism.constraints:
            return np.diag(self.size)
        equations = self.mechanism.constraint_solver.equations
        return np.asarray(equations.factor(equations.terms(q[None])).free, float)

    def near(self, q: Array, N: Array, seed: int) -> Array:
        """A configuration not far from q that can be reached, at random."""
        rng = np.random.default_rng(seed)
        return self.moved(q, N @ rng.uniform(-0.7, 0.7, N.shape[1]) / 8, steps=8)

    def moved(self, q: Array, step: Array, steps: int = 1) -> Array:
        """q after `steps` equal steps, each closed again."""
        for _ in range(steps):
            q = self.mechanism.integrate(q, step)
            q = self.mechanism.project(q)[0] if self.mechanism.constraints else q
        return q

    def jacobian(self, q: Array, frame: str, rows: Sequence[int]) -> Array:
        """(rows, nv): of the frame along the world's axes."""
        J = self.mechanism.jacobian(q, frame, coordinates="world_aligned")
        return np.asarray(J[list(rows)], float)

    def rank(self, q: Array, N: Array, frame: str, rows: Sequence[int]) -> int:
        """How many of the rows of the frame's motion the allowed velocities move independently."""
        lengths = np.array([1.0, 1.0, 1.0, *[1.0 / self.length] * 3])[list(rows)]
        A = lengths[:, None] * (self.jacobian(q, frame, rows) @ N)
        values = np.linalg.svd(A, compute_uv=False) if A.size else np.zeros(1)
        return int(np.sum(values > _RANK * max(1.0, values.max(initial=0.0))))

    @property
    def length(self) -> float:
        """The machine's size, m."""
        return float(self.mechanism.constraint_solver.equations.scaling.length)

    def brackets(self, q: Array, N: Array) -> int | None:
        """How many directions the brackets of allowed velocities add to them; None where there
        are more allowed velocities at q than around it, so that they are no fields."""
        m, count = self.mechanism, N.shape[1]
        G = np.column_stack([self._rate(q, x) for x in np.diag(self.size)])
        slopes = np.zeros((count, count, len(q)))  # [k, l]: of X_k along X_l, in q
        for along, X in enumerate(N.T):
            ahead, behind = (self.moved(q, sign * _STEP * X) for sign in (1, -1))
            if any(self.motions(x).shape != N.shape for x in (ahead, behind)):
                return None
            for k in range(count):
                change = self._field(ahead, N[:, k]) - self._field(behind, N[:, k])
                slopes[k, along] = change / (2 * _STEP)
        terms = m.constraint_solver.equations.terms(q[None])
        rows = m.constraint_solver.equations.scaling.rows / self.length
        found = []
        for k in range(count):
            for along in range(k):
                bracket = slopes[k, along] - slopes[along, k]
                v = self.size * np.linalg.lstsq(G, bracket, rcond=None)[0]
                found.append(rows * (terms.J[0] @ v))
        return _count(np.array(found)) if found else 0

    def _field(self, q: Array, direction: Array) -> Array:
        """Rate of q along the allowed part of a direction (in scaled units), at q."""
        N = self.motions(q) / self.size[:, None]
        own = N @ (N.T @ (direction / self.size))
        return self._rate(q, self.size * own)

    def _rate(self, q: Array, v: Array) -> Array:
        """dq/dt (nq) of a velocity; quaternions have rates of their own."""
        ahead, behind = (self.mechanism.integrate(q, sign * _STEP * v) for sign in (1, -1))
        return np.asarray(ahead - behind) / (2 * _STEP)


def _count(rows: Array) -> int:
    return int(np.sum(np.linalg.svd(rows, compute_uv=False) > _NONE))
