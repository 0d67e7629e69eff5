"""Which mechanism a run is about: switches put another one with the same tree in its place.

Of a batch, every run has its own one; runs with the same are computed together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.projection import Projection
from armillary.sim.methods.chart import Chart
from armillary.sim.record.centre_of_mass import Center

if TYPE_CHECKING:
    from armillary.constraints.moving import RowMotion
    from armillary.sim.motion.driven import PrescribedMotions

Rows = Any  # None: all; a number: one run of a batch; an array of numbers: some of them


class Switching:
    """The mechanism in force, with what belongs to it."""

    stages: list[Any]
    nz: int
    parameters: Array | None
    external: Any
    inputs: Any
    pull: tuple[float, float] | None
    prescribed: PrescribedMotions | None
    contacts: Any

    def __init__(self) -> None:
        self.row: Rows = None  # what is looked at
        self.own: dict[int, Mechanism] = {}  # of runs of a batch that have switched
        self._parts: dict[int, tuple[Mechanism, Chart, Center, Projection]] = {}

    def use(self, mechanism: Mechanism) -> None:
        """Go on with this mechanism: same tree, other constraints.  In a batch: the row that is
        looked at."""
        if self.row is None:
            self._all = mechanism
        else:
            self.own[self.row] = mechanism
        self._put(mechanism)

    def _put(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        if id(mechanism) not in self._parts:
            chart = Chart(mechanism)
            center = Center(mechanism)
            projection = Projection(mechanism, chart, center)
            self._parts[id(mechanism)] = (mechanism, chart, center, projection)
        _, self.chart, self.center, self.projection = self._parts[id(mechanism)]
        self.nv, self.size = mechanism.nv, 2 * mechanism.nv + self.nz
        self._dynamics = mechanism.forward_dynamics
        plain = self.parameters is None and not self.external and self.pull is None
        self._simple = not (self.stages or self.prescribed) and plain and self.inputs.steady

    def of_row(self, row: int | None) -> Mechanism:
        """The mechanism of a run of a batch, or of the only one."""
        return self._all if row is None else self.own.get(row, self._all)

    def chosen(self, mechanism: Mechanism | None = None) -> Mechanism:
        """What a run was given or has switched to, whatever its contacts do (default: of the one
        in force)."""
        mechanism = self.mechanism if mechanism is None else mechanism
        return mechanism if self.contacts is None else self.contacts.base(mechanism)

    def groups(self, count: int) -> list[NDArray[np.intp]]:
        """Rows of a batch, those with the same mechanism together."""
        number = np.array([id(self.of_row(row)) for row in range(count)])
        return [np.flatnonzero(number == one) for one in dict.fromkeys(number.tolist())]

    @contextmanager
    def only(self, row: Rows) -> Iterator[None]:
        """Look at one row of a batch as a single state, or at some rows with one mechanism as if
        they were all."""
        before, kept = self.row, self.mechanism
        self.row = row
        self._take(self.of_row(row if np.ndim(row) == 0 else int(row[0])))
        try:
            yield
        finally:
            self.row = before
            self._take(self.of_row(before) if np.ndim(before) == 0 else kept)

    def _take(self, mechanism: Mechanism) -> None:
        if mechanism is not self.mechanism:
            self._put(mechanism)

    # -- constraints -----------------------------------------------------------------------------

    @property
    def projects(self) -> bool:
        """Are there constraints, in any run?"""
        return self.projection.needed or any(m.model.constraints for m in self.own.values())

    def moving(self, t: float) -> RowMotion | None:
        """Prescribed motion of the constraint rows at t, of what is looked at."""
        if self.prescribed is None:
            return None
        values = self.prescribed.at(t)
        if self.row is not None and values.ndim == 3:
            values = values[:, self.row]
        return self.prescribed.row_motion(self.mechanism, values)

    def project(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """q and v moved onto the constraints as they are at t."""
        if not self.own or q.ndim == 1:
            return self._projected(t, q, v)
        q, v = q.copy(), v.copy()
        for rows in self.groups(len(q)):
            with self.only(rows):
                q[rows], v[rows] = self._projected(t, q[rows], v[rows])
        return q, v

    def _projected(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        moving = self.moving(t)
        if self.prescribed is not None and moving is not None:
            self.prescribed.check(self.mechanism, t, moving)
        return self.projection(q, v, moving)
