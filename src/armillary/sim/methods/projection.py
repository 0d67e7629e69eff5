"""Back onto the constraints after a step, with the velocities of the centres of mass kept."""

from __future__ import annotations

from math import isfinite

import numpy as np

from armillary.constraints.moving import RowMotion
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.methods.centre_of_mass import Center


class Projection:
    """q and v moved onto the constraints, nearest by kinetic energy; no change for trees."""

    def __init__(self, mechanism: Mechanism, center: Center):
        self.mechanism, self._center = mechanism, center
        self.needed = bool(mechanism.model.constraints)

    def __call__(self, q: Array, v: Array, moving: RowMotion | None = None) -> tuple[Array, Array]:
        """moving: the motion of rows that is prescribed at this instant."""
        if not self.needed:
            return q, v
        if q.ndim == 2:
            return self._batch(q, v, moving)
        if not isfinite(q.sum() + v.sum()):
            return self.mechanism.project(q, v, moving)  # refuses it
        projector = self.mechanism.constraint_solver.projector
        closed = projector.positions(q[None], moving)[0]
        v = self._center.carry(q, v, closed)
        return closed, projector.velocities(closed[None], v[None], moving)[0]

    def _batch(self, q: Array, v: Array, moving: RowMotion | None) -> tuple[Array, Array]:
        """Rows that are not finite stay as they are."""
        good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
        q, v = q.copy(), v.copy()
        if good.any():
            own = None if moving is None else moving.of(good)
            closed, kept = self.mechanism.project(q[good], v[good], own)
            if self._center:
                carried = self._center.carry(q[good], v[good], closed)
                closed, kept = self.mechanism.project(closed, carried, own)
            q[good], v[good] = closed, kept
        return q, v
