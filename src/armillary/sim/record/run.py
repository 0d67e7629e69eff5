"""What a simulation leaves behind."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from armillary.sim.record.plotting import plot_run
from armillary.sim.record.run_data import RunData
from armillary.sim.record.storage import save_run
from armillary.sim.record.summary import describe

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Run(RunData):
    """Recorded quantities over time, SI units.

    run.time (T,) in s.  run.q, run["q"] and so on: (T, n), of a batch of B runs (T, B, n); a
    quantity without labels (energy) is (T,) or (T, B).  run.labels["q"] names the n columns,
    run.units["q"] gives one unit per column (of a quantity without labels: one).
    complete: False if the run ended before its time; message says why.  note: said of a file that
    has no checksum.
    state: the last state {"t", "q", "v", "z"}, from which a run goes on."""

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write to a file: .nc (netCDF-4), .csv or .parquet."""
        save_run(self, path, overwrite)

    def plot(
        self,
        *names: str,
        show: bool = False,
        path: str | os.PathLike[str] | None = None,
        columns: Iterable[str] | None = None,
    ) -> Figure:
        """A matplotlib figure of the named quantities (default: all); see `plotting.plot_run`."""
        return plot_run(self, names, show=show, path=path, columns=columns)

    def __str__(self) -> str:
        return describe(self)
