"""Back onto the constraints after a step, with the velocities of the centres of mass kept."""

from __future__ import annotations

import warnings
from math import isfinite

import numpy as np

from armillary.constraints.moving import RowMotion
from armillary.errors import ProjectionWarning
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.methods.centre_of_mass import Center


class Projection:
    """q and v moved onto the constraints, nearest by kinetic energy; no change for trees."""

    def __init__(self, mechanism: Mechanism, center: Center):
        self.mechanism, self._center = mechanism, center
        self.needed = bool(mechanism.model.constraints)

    def __call__(
        self,
        q: Array,
        v: Array,
        moving: RowMotion | None = None,
        parameters: Array | None = None,
    ) -> tuple[Array, Array]:
        """moving: the motion of rows that is prescribed at this instant.  parameters: inertias
        where they are not those of the model."""
        if not self.needed:
            return q, v
        if q.ndim == 2:
            return self._batch(q, v, moving, parameters)
        if not isfinite(q.sum() + v.sum()):
            return self.mechanism.project(q, v, moving)  # refuses it
        projector = self.mechanism.constraint_solver.projector
        closed = projector.positions(q[None], moving, parameters=parameters)[0]
        v = self._center.carry(q, v, closed, parameters)
        return closed, projector.velocities(closed[None], v[None], moving, parameters)[0]

    def _batch(
        self, q: Array, v: Array, moving: RowMotion | None, parameters: Array | None
    ) -> tuple[Array, Array]:
        """Rows that are not finite stay as they are."""
        good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
        q, v = q.copy(), v.copy()
        if good.any():
            own = None if moving is None else moving.of(good)
            bodies = parameters
            if bodies is not None and bodies.ndim == 2 and len(bodies) > 1:
                bodies = bodies[good]
            closed, kept = self._nearest(q[good], v[good], own, bodies)
            if self._center:
                carried = self._center.carry(q[good], v[good], closed, bodies)
                closed, kept = self._nearest(closed, carried, own, bodies)
            q[good], v[good] = closed, kept
        return q, v

    def _nearest(
        self, q: Array, v: Array, moving: RowMotion | None, parameters: Array | None
    ) -> tuple[Array, Array]:
        if parameters is None:
            return self.mechanism.project(q, v, moving)
        notes: list[str] = []
        project = self.mechanism.constraint_solver.projector.project
        found = project(q, v, moving, notes, parameters)
        for note in notes:
            warnings.warn(f"project: {note}", ProjectionWarning, stacklevel=2)
        return found
