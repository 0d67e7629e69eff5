"""What is taken from runs side by side while they run: responses, the last state, recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.loop.events import Watched as Event
from armillary.sim.loop.experiment import Experiment
from armillary.sim.loop.run_recorder import RunRecorder
from armillary.sim.methods.system import System
from armillary.studies.checked import disagreement
from armillary.studies.columns import Column, Columns, Taken, column_in, columns_in
from armillary.studies.recordings import Collector, Recording, Recordings
from armillary.studies.responses import CHECK, Response


class Watched:
    """Responses and recordings of `runs` variants.  ends: where runs come to, by response; columns:
    those that are known already, by name; it grows."""

    def __init__(
        self,
        experiment: Experiment,
        responses: Sequence[Response],
        runs: int,
        ends: Mapping[str, Array],
        recordings: Recordings | None,
        columns: dict[str, list[Column]],
    ):
        self._experiment, self._runs, self._columns = experiment, runs, columns
        self._all, self._recordings = responses, recordings
        self._reduced = [r for r in responses if r.statistic != CHECK]
        self.reducers = {r.name: r.reducer(runs, ends.get(r.name)) for r in self._reduced}
        self._collector: Collector | None = None
        self._last: Taken | None = None

    def watcher(self, system: System, events: list[Event]) -> RunRecorder:
        """For the loop over time."""
        names = [r.column for r in self._reduced]
        recorded = self._recordings.names if self._recordings is not None else ()
        for name in names:
            if name not in self._columns:
                self._columns[name] = [column_in(system, name, self._runs)]
        for name in recorded:
            if name not in self._columns:
                self._columns[name] = columns_in(system, name, self._runs)
        if self._recordings is not None:
            kept = [column for name in recorded for column in self._columns[name]]
            self._collector = Collector(self._recordings, kept, self._experiment)
        columns = [column for name in (*names, *recorded) for column in self._columns[name]]
        checked = len(self._reduced) < len(self._all)
        return Columns(system, columns, checked, self._take).watcher(events)

    def _take(self, taken: Taken) -> None:
        known: dict[str, Array] = {}
        for r in self._reduced:
            if r.column not in known:
                known[r.column] = taken.column(self._columns[r.column][0])
            x = known[r.column]
            self.reducers[r.name].take(taken.t, np.abs(x) if r.size else x)
        if self._collector is not None:
            self._collector.take(taken, known)
        self._last = taken

    def responses(self) -> Array:
        """(runs, responses)."""
        found = np.full((self._runs, len(self._all)), np.nan)
        for k, response in enumerate(self._all):
            if response.statistic != CHECK:
                found[:, k] = self.reducers[response.name].result()
            elif self._last is not None:
                found[:, k] = disagreement(self._last)
        return found

    def recorded(self) -> list[Recording | None]:
        if self._collector is None:
            return [None] * self._runs
        return list(self._collector.recorded(self._runs))
