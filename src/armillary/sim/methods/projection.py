"""Back onto the constraints after a step: native calls where there are kernels for them."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from armillary.constraints.moving import RowMotion
from armillary.evaluate import native_call as fast
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.methods.centre_of_mass import Center
from armillary.sim.methods.chart import Chart

_STEPS = 4
_SMALL = 1e-8  # Newton's method is quadratic: after a step of this size the rest is rounding


class Projection:
    """q and v moved onto the constraints, nearest by kinetic energy; no change for trees."""

    def __init__(self, mechanism: Mechanism, chart: Chart, center: Center):
        self.mechanism, self.chart, self._center = mechanism, chart, center
        self.needed = bool(mechanism.model.constraints)
        self._calls: dict[bool, tuple[Any, Any]] = {}
        self._closes = True  # some row can be closed by a step of q

    def _native_calls(self, moving: bool) -> tuple[Any, Any]:
        """The kernels of `Mechanism.project` as lean calls: about 1 µs instead of 200."""
        if moving not in self._calls:
            projector = self.mechanism.constraint_solver.projector
            self._columns = projector.equations.scaling.columns
            self._closes = bool(projector.rows("residual").any())
            position, velocity = (
                fast.lean(
                    projector.kernels(level, moving=moving), self.mechanism.evaluator.base_numbers
                )
                if fast.available()
                else None
                for level in ("residual", "rate")
            )
            self._calls[moving] = position, velocity
        return self._calls[moving]

    def __call__(self, q: Array, v: Array, moving: RowMotion | None = None) -> tuple[Array, Array]:
        """moving: the motion of rows that is prescribed at this instant."""
        if not self.needed:
            return q, v
        if q.ndim == 2:
            return self._batch(q, v, moving)
        position, velocity = self._native_calls(moving is not None)
        if velocity is not None:
            place, rate = ((), ()) if moving is None else ((moving.place,), (moving.velocity,))
            closed = self._newton(position, q, place) if self._closes else q
            if closed is not None:
                v = self._center.carry(q, v, closed)
                step = velocity(closed, v, *rate)
                if step is not None and isfinite(step.sum()):
                    return closed, v + step
                q = closed
        return self._slowly(q, v, moving)

    def _slowly(self, q: Array, v: Array, moving: RowMotion | None) -> tuple[Array, Array]:
        closed, kept = self.mechanism.project(q, v, moving)
        if not self._center:
            return closed, kept
        return self.mechanism.project(closed, self._center.carry(q, v, closed), moving)

    def _newton(self, position: Any, q: Array, place: tuple[Array, ...]) -> Array | None:
        if position is None:
            return None
        for _ in range(_STEPS):
            step = position(q, *place)
            if step is None:
                return None
            q = self.chart.move(q, step)
            size = float(np.abs(step / self._columns).max())
            if size < _SMALL:
                return q
            if not isfinite(size):
                return None
        return None

    def _batch(self, q: Array, v: Array, moving: RowMotion | None) -> tuple[Array, Array]:
        """Rows that are no numbers stay as they are."""
        good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
        if good.all():
            return self._slowly(q, v, moving)
        q, v = q.copy(), v.copy()
        if good.any():
            own = None if moving is None else moving.of(good)
            q[good], v[good] = self._slowly(q[good], v[good], own)
        return q, v
