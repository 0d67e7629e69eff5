"""Forces that are out of balance at rest, and the stiffness against small changes.

Of a tree     f = tau - g(q)                              K = dg/dq
of a closed   f = Vᵀ M a,  a = forward_dynamics(q, 0, tau)   K = -Vᵀ M da/dy  where f = 0

along the independent changes of variations.py: V = N where nothing rolls.  Every row is measured by
its own forces: a bushing of 1e11 N/m says nothing of the pendulum beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armillary.analysis.point import Point, carried_weights, geared_scales, scales
from armillary.analysis.rounding import rounding, weight_rounding
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
    motions; motions V (nv, l); in_play (l): the size of the forces that meet in each, here or after
    a change of 1; in_play_of_changes (k): of those that meet here along each change."""

    force: Array
    stiffness: Array
    changes: Array
    rolled: Array
    labels: tuple[str, ...]
    motions: Array
    in_play: Array
    in_play_of_changes: Array

    @property
    def square(self) -> Array:
        """(l, l) stiffness against the motions that are free."""
        return np.asarray(self.stiffness @ self.rolled)

    @cached_property
    def scale(self) -> Array:
        """(l,) changes that make forces and stiffness about 1 in every row: 1 / √in_play."""
        return np.asarray(1.0 / np.sqrt(np.where(self.in_play > 0.0, self.in_play, 1.0)))

    def share(self, force: Array) -> float:
        """Forces out of balance, each as a part of those that meet there."""
        return float(np.linalg.norm(force * self.scale**2))

    @property
    def left(self) -> float:
        return self.share(self.force)

    @cached_property
    def scaled(self) -> Array:
        """(l, l) stiffness with forces and changes by `scale`."""
        return np.asarray(self.scale[:, None] * self.square * self.scale)


class Statics:
    """A mechanism under constant joint forces and wrenches."""

    def __init__(self, mechanism: Mechanism, tau: Array, external: External):
        self.mechanism, self.tau, self.external = mechanism, tau, external
        self.rest = np.zeros(mechanism.nv)
        self.size = geared_scales(mechanism)

    def balance(self, q: Array) -> Balance:
        own = self._closed(q) if self.mechanism.constraints else self._tree(q)
        _, stiffness, changes, rolled, _, V = own
        gravity = self.mechanism.gravity_forces(q)
        springs = self.mechanism.static_torques(q, self.external) - gravity
        carried = carried_weights(self.mechanism) / scales(self.mechanism)
        forces = np.abs([gravity, springs, self.tau, carried]).max(axis=0)
        in_play = np.maximum(np.abs(V).T @ forces, np.abs(np.diag(stiffness @ rolled)))
        return Balance(*own, in_play, np.abs(changes).T @ forces)

    def _tree(self, q: Array) -> tuple[Array, Array, Array, Array, tuple[str, ...], Array]:
        m, s = self.mechanism, self.size
        needed = m.inverse_dynamics(q, self.rest, self.rest, self.external)
        K = m.inverse_dynamics.derivatives(q, self.rest, self.rest, self.external).dq
        V, one = np.diag(s), np.eye(m.nv)
        return s * (self.tau - needed), s[:, None] * K * s, V, one, m.v_labels, V

    def _closed(self, q: Array) -> tuple[Array, Array, Array, Array, tuple[str, ...], Array]:
        m = self.mechanism
        a = m.forward_dynamics(q, self.rest, self.tau, self.external)
        free = variations(m, Point(q, self.rest, self.tau, a, self.external), None)
        M = m.mass_matrix(q)
        y, w = self.size[list(free.positions)], self.size[list(free.velocities)]
        V = free.V * w
        rolled = V[list(free.positions)] / y[:, None]
        labels = tuple(m.v_labels[k] for k in free.velocities)
        return V.T @ M @ a, -V.T @ M @ (free.a_y * y), free.N * y, rolled, labels, V

    def imbalance(self, q: Array, near: Balance) -> float:
        """How much force is out of balance at q, as a part of what meets at a balance near by."""
        m = self.mechanism
        if not m.constraints:
            needed = m.inverse_dynamics(q, self.rest, self.rest, self.external)
            return near.share(self.size * (self.tau - needed))
        a = m.forward_dynamics(q, self.rest, self.tau, self.external)
        return near.share(near.motions.T @ (m.mass_matrix(q) @ a))

    def rounding(self, q: Array, balance: Balance, step: Array) -> Array:
        """(l, l) of the stiffness of the free motions; step (nv): how far q is known."""
        m = self.mechanism

        def again(there: Point) -> Array:
            found = self.balance(there.q)
            return found.square if found.labels == balance.labels else np.empty(0)

        found = rounding(m, Point(q, self.rest, self.tau, self.rest), balance.square, again, step)
        V = np.abs(balance.motions)
        return np.asarray(found + V.T @ weight_rounding(m) @ V)

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
