"""Forces that are out of balance at rest, and the stiffness against small changes.

Of a tree     f = tau - g(q)                              K = dg/dq
of a closed   f = Vᵀ M a,  a = forward_dynamics(q, 0, tau)   K = -Vᵀ M da/dy  where f = 0

along the independent changes of variations.py: V = N where nothing rolls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.analysis.point import Point, geared_scales
from armillary.analysis.variations import variations
from armillary.evaluate.evaluator import External
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class Balance:
    """Of one q, in units in which 1 rad and the machine's size are 1, of gears at their slowest
    coordinate: everything is an energy.

    force (l,); stiffness (l, k); changes (nv, k): of q by each independent one; rolled (k, l): the
    independent changes of a rolling motion (identity without rolling); labels (l) of the free
    motions; in_play: the size of the forces that meet, here or after a change of 1."""

    force: Array
    stiffness: Array
    changes: Array
    rolled: Array
    labels: tuple[str, ...]
    in_play: float

    @property
    def square(self) -> Array:
        """(l, l) stiffness against the motions that are free."""
        return np.asarray(self.stiffness @ self.rolled)


class Statics:
    """A mechanism under constant joint forces and wrenches."""

    def __init__(self, mechanism: Mechanism, tau: Array, external: External):
        self.mechanism, self.tau, self.external = mechanism, tau, external
        self.rest = np.zeros(mechanism.nv)
        self.size = geared_scales(mechanism)

    def balance(self, q: Array) -> Balance:
        own = self._closed(q) if self.mechanism.constraints else self._tree(q)
        gravity = self.mechanism.gravity_forces(q)
        springs = self.mechanism.static_torques(q, self.external) - gravity
        parts: list[Array] = [x * self.size for x in (gravity, springs, self.tau)]
        in_play = max(float(np.abs(x).max(initial=0.0)) for x in [*parts, own[1]])
        return Balance(*own, in_play)

    def _tree(self, q: Array) -> tuple[Array, Array, Array, Array, tuple[str, ...]]:
        m, s = self.mechanism, self.size
        needed = m.inverse_dynamics(q, self.rest, self.rest, self.external)
        K = m.inverse_dynamics.derivatives(q, self.rest, self.rest, self.external).dq
        return s * (self.tau - needed), s[:, None] * K * s, np.diag(s), np.eye(m.nv), m.v_labels

    def _closed(self, q: Array) -> tuple[Array, Array, Array, Array, tuple[str, ...]]:
        m = self.mechanism
        a = m.forward_dynamics(q, self.rest, self.tau, self.external)
        free = variations(m, Point(q, self.rest, self.tau, a, self.external), None)
        M = m.mass_matrix(q)
        y, w = self.size[list(free.positions)], self.size[list(free.velocities)]
        V = free.V * w
        rolled = V[list(free.positions)] / y[:, None]
        labels = tuple(m.v_labels[k] for k in free.velocities)
        return V.T @ M @ a, -V.T @ M @ (free.a_y * y), free.N * y, rolled, labels

    def imbalance(self, q: Array) -> float:
        """How much force is out of balance: of a tree |f|, of a closed one √(aᵀ M a)."""
        m = self.mechanism
        if not m.constraints:
            needed = m.inverse_dynamics(q, self.rest, self.rest, self.external)
            return float(np.linalg.norm(self.size * (self.tau - needed)))
        a = m.forward_dynamics(q, self.rest, self.tau, self.external)
        return float(np.sqrt(np.maximum(a @ m.mass_matrix(q) @ a, 0.0)))

    def moved(self, q: Array, change: Array) -> Array:
        """q after a change (nv), closed again."""
        q = self.mechanism.integrate(q, change)
        return self.mechanism.project(q)[0] if self.mechanism.constraint_rows else q

    @property
    def conservative(self) -> bool:
        """Is the energy known that the forces descend?"""
        model = self.mechanism.model
        pairs = zip(model.joints, model.slots, strict=True)
        turned = any(self.tau[slot.v].any() for joint, slot in pairs if joint.nq != joint.nv)
        return not turned and not self.external and not self.mechanism.energy_lacks

    def energy(self, q: Array) -> float:
        """Potential energy less the work of the joint forces, J."""
        model, work = self.mechanism.model, 0.0
        for joint, slot in zip(model.joints, model.slots, strict=True):
            if joint.nq == joint.nv:
                work += float(self.tau[slot.v] @ q[slot.q])
        return float(self.mechanism.energy(q, self.rest)[1]) - work
