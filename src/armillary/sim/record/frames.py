"""Runs in the hands of other libraries: xarray and pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.sim.record import tables
from armillary.sim.record.run_data import RunData
from armillary.sim.record.storage import layout_of

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset


def run_to_xarray(run: RunData) -> Dataset:
    """A Dataset: one variable per quantity over time, run (of a batch) and its labels, with the
    units of its columns in its attributes."""
    import xarray

    variables, coordinates = {}, {"time": ("time", run.time, {"units": "s"})}
    for name in run:
        dims = ["time"] + ([] if run.batch is None else ["run"])
        if run.labels[name]:
            dims.append(f"{name}_label")
            coordinates[dims[-1]] = (dims[-1], np.array(run.labels[name], object), {})
        units = run.units[name]
        told = {"units": units[0] if len(set(units)) == 1 else list(units)}
        variables[name] = (dims, run[name], told)
    about = {
        "mechanism": run.mechanism_name,
        "method": run.method,
        "step": run.step,
        "complete": int(run.complete),
        "message": run.message,
    }
    return xarray.Dataset(variables, coordinates, about)


def run_to_pandas(run: RunData) -> DataFrame:
    """A DataFrame: columns q.crank, v.crank, energy ... over time; of a batch over (time, run).
    `frame.attrs["units"]` has the unit of every column."""
    import pandas

    layout = layout_of(run)
    heads, rows = tables.heads(layout), tables.lines(layout, run.rows(slice(None)))
    frame = pandas.DataFrame(rows, columns=heads)
    index = heads[: 1 if run.batch is None else 2]
    if run.batch is not None:
        frame["run"] = frame["run"].astype(int)
    frame = frame.set_index(index)
    frame.attrs["units"] = dict(zip(heads, tables.units(layout), strict=True))
    return frame
