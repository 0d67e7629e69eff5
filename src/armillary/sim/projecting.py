"""Back onto the constraints after a step: native calls where there are kernels for them."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.functions import fast
from armillary.functions.inputs import Array
from armillary.functions.mechanism import Mechanism
from armillary.sim.chart import Chart

if TYPE_CHECKING:
    from armillary.functions.kernels import Kernels

_STEPS = 4
_SMALL = 1e-8  # Newton's method is quadratic: after a step of this size the rest is rounding


class Projection:
    """q and v moved onto the constraints, nearest by kinetic energy; no change for trees."""

    def __init__(self, mechanism: Mechanism, chart: Chart):
        self.mechanism, self.chart = mechanism, chart
        self.needed = bool(mechanism.model.constraints)
        self._position: Any = None
        self._velocity: Any = None
        self._holonomic = True
        if self.needed and fast.available():
            self._make_native()

    def _make_native(self) -> None:
        """The kernels of `Mechanism.project` as lean calls: about 1 µs instead of 200."""
        projector = self.mechanism._projector
        self._columns = projector.engine.scaling.columns
        self._holonomic = any(projector.engine.ties.holonomic)
        self._position, self._velocity = map(
            self._native, (projector._position, projector._velocity)
        )

    def _native(self, kernels: Kernels | None) -> Any:
        if kernels is None:
            return None
        call = fast.FastCall(_doubtful, {})
        call.switch_on(kernels.kernel(False, "double"), self.mechanism._globals())
        return call.callable

    def __call__(self, q: Array, v: Array) -> tuple[Array, Array]:
        if not self.needed:
            return q, v
        if q.ndim == 2:
            return self._batch(q, v)
        if self._velocity is not None:
            closed = self._newton(q) if self._holonomic else q
            step = None if closed is None else self._velocity(closed, v)
            if closed is not None and step is not None and isfinite(step.sum()):
                return closed, v + step
        return self.mechanism.project(q, v)

    def _newton(self, q: Array) -> Array | None:
        if self._position is None:
            return None
        for _ in range(_STEPS):
            step = self._position(q)
            if step is None:
                return None
            q = self.chart.move(q, step)
            size = float(np.abs(step / self._columns).max())
            if size < _SMALL:
                return q
            if not isfinite(size):
                return None
        return None

    def _batch(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Rows that are no numbers stay as they are."""
        good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
        if good.all():
            return self.mechanism.project(q, v)
        q, v = q.copy(), v.copy()
        if good.any():
            q[good], v[good] = self.mechanism.project(q[good], v[good])
        return q, v


def _doubtful(*_: Array) -> None:
    """The kernel gave no number: the robust way decides."""
    return
