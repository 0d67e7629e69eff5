"""What changes in a run beside its state: the mechanism in force, joints at rest, runs that ended.

Switches put another mechanism with the same tree in its place.  Of a batch, every run has its own
one; runs with the same are computed together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.control.block import Scalars
from armillary.sim.control.chain import Chain
from armillary.sim.methods.centre_of_mass import Center
from armillary.sim.methods.chart import Chart
from armillary.sim.methods.projection import Projection
from armillary.sim.motion.user_functions import columns, rows

RunRows = int | NDArray[np.intp] | None  # None: all; one run of a batch; some of them
_LIFTED = 1e-6  # rad/s or m/s


@dataclass(frozen=True)
class Geometry:
    """A mechanism with its chart, its coordinates of the centre of mass and its projection."""

    mechanism: Mechanism
    chart: Chart
    center: Center
    projection: Projection


class Mechanisms:
    """The mechanism in force, of every run."""

    def __init__(self, mechanism: Mechanism):
        self.given = self.all = mechanism
        self.own: dict[int, Mechanism] = {}  # of runs of a batch that have switched
        self.others: list[Mechanism] = []  # that may replace the first one
        self._geometry: dict[int, Geometry] = {}
        self._base: dict[int, Mechanism] = {}  # of variants for modes of contacts, by id

    def add_variant(self, variant: Mechanism, base: Mechanism) -> bool:
        """The base as it is in some modes of its contacts; was it new?"""
        if id(variant) in self._base:
            return False
        self._base[id(variant)] = base
        self.others.append(variant)  # kept: its id stays its own
        return True

    def chosen(self, mechanism: Mechanism) -> Mechanism:
        """What a run was given or has switched to, whatever its contacts do."""
        return self._base.get(id(mechanism), mechanism)

    def of_row(self, row: int | None) -> Mechanism:
        """The mechanism of a run of a batch, or of the only one."""
        return self.all if row is None else self.own.get(row, self.all)

    def of_rows(self, rows: RunRows) -> Mechanism:
        return self.of_row(int(rows[0]) if isinstance(rows, np.ndarray) else rows)

    def switch(self, rows: RunRows, mechanism: Mechanism) -> None:
        """From now on this one: same tree, other constraints."""
        if rows is None:
            self.all = mechanism
        else:
            assert not isinstance(rows, np.ndarray)
            self.own[rows] = mechanism

    def geometry(self, mechanism: Mechanism) -> Geometry:
        """Made once."""
        if id(mechanism) not in self._geometry:
            chart, center = Chart(mechanism), Center(mechanism)
            projection = Projection(mechanism, center)
            self._geometry[id(mechanism)] = Geometry(mechanism, chart, center, projection)
        return self._geometry[id(mechanism)]

    def groups(self, count: int) -> list[NDArray[np.intp]]:
        """Rows of a batch, those with the same mechanism together."""
        number = np.array([id(self.of_row(row)) for row in range(count)])
        return [np.flatnonzero(number == one) for one in dict.fromkeys(number.tolist())]


class SampleAndHold:
    """What sampled blocks hold between two samples, and when they are due again."""

    def __init__(self, chain: Chain):
        self.stages = chain.sampled
        self.held: list[Scalars | None] = [None] * len(self.stages)
        self.due = [-np.inf] * len(self.stages)

    def of(self, run_rows: RunRows) -> list[Scalars | None]:
        """Of some runs of a batch."""
        if run_rows is None:
            return self.held
        return [
            None if own is None else [x if np.ndim(x) == 0 else x[run_rows] for x in own]
            for own in self.held
        ]

    def numbers(self, v: Array) -> Array:
        """(..., n nv) for n sampled blocks; v (..., nv) tells how many runs there are."""
        found = [rows(own, v) for own in self.held if own is not None]
        return np.concatenate(found, axis=-1) if found else v[..., :0]

    def hold(self, numbers: Array, t: float | None = None) -> None:
        """From now on the blocks hold these; t: of their last sample."""
        n = numbers.shape[-1] // max(len(self.stages), 1)
        for k, stage in enumerate(self.stages):
            self.held[k] = columns(numbers[..., k * n : (k + 1) * n])
            if t is not None:
                self.due[k] = stage.next_sample(t)

    def next(self) -> float:
        """The instant of the next sample."""
        return min(self.due, default=np.inf)


class Modes:
    """Facts of a run that events, limits and samples change; by the row of a batch, or None."""

    def __init__(self, chain: Chain):
        self.samples = SampleAndHold(chain)
        # entries of v held at a limit, with their side
        self.resting: dict[int | None, dict[int, float]] = {}
        self.ended: dict[int, float] = {}  # runs of a batch that are over, and when they ended
        self.refused: tuple[int, ...] = ()  # runs of a batch whose start was refused
        self.acted: dict[tuple[int | None, int], float] = {}  # values of events, by run and id
        self.failed: dict[int, str] = {}  # those of them that an alarm ended, and why
        self.blamed: dict[int | None, str] = {}  # who gave NaN in this step

    def rest_at(self, row: int | None, k: int, side: float) -> None:
        """Entry k of v stays at its limit until something lifts it off."""
        self.resting.setdefault(row, {})[k] = side

    def lift_off(self, v: Array) -> None:
        """Entries that have left their limit are free again."""
        for row, held in list(self.resting.items()):
            own = v if row is None or v.ndim == 1 else v[row]
            kept = {k: side for k, side in held.items() if side * own[k] <= _LIFTED}
            if kept:
                self.resting[row] = kept
            else:
                del self.resting[row]
