"""What a simulation leaves behind."""

from __future__ import annotations

import os
from typing import Any

from armillary.doors import RunDoors
from armillary.errors import InputError
from armillary.sim.record.performance import Performance
from armillary.sim.record.run_data import RunData
from armillary.sim.record.storage import save_run
from armillary.sim.record.summary import describe


class Run(RunDoors, RunData):
    """Recorded quantities over time, SI units.

    run.time (T,) in s.  run.q, run["q"] and so on: (T, n), of a batch of B runs (T, B, n); a
    quantity without labels (energy) is (T,) or (T, B).  run.labels["q"] names the n columns,
    run.units["q"] gives one unit per column (of a quantity without labels: one).
    complete: False if the run ended before its time; message says why.  note: said of a file that
    has no checksum.
    state: the last state {"t", "q", "v", "z"}, from which a run goes on.
    experiment: the call that made it, as a file that can be run again.
    error_estimate: of every quantity, where simulate(..., estimate_error=True) made one."""

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write to a file: .nc (netCDF-4), .csv or .parquet."""
        save_run(self, path, overwrite)

    def performance(self) -> Performance:
        """How many steps were made in native code and in Python, why, and how long they took.
        Compiling, recording and events are not counted."""
        if self.timing is None:
            raise InputError(
                "performance: this run has no steps (a replay), or comes from a file, which does "
                "not tell how they were made. Simulate it again."
            )
        return self.timing

    @property
    def experiment(self) -> Any:
        """The call that made it: `.run()` repeats it, `.save("again.yaml")` writes it."""
        return self.to_experiment()

    @property
    def experiment_text(self) -> str:
        """The call that made it as an experiment file, without the model."""
        return self.to_experiment_text() if self.given else self.stored_experiment

    def __str__(self) -> str:
        return describe(self)
