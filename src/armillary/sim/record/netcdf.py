"""netCDF-4 files (HDF5) of runs, for xarray and everything else that reads netCDF.

Dimensions: time, run (of a batch), one of labels per quantity (v, a and tau share theirs), with
the labels as coordinate.  Units: attribute `units` where all columns have the same, and always the
coordinate <name>_unit along the labels.  Events: event_time, event_text.  Group `state`: the last
state, from which a run goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from armillary.sim.record.checksum import SIZE, seal, sealed
from armillary.sim.record.disk import Unfailing
from armillary.sim.record.layout import Array, Layout, Reader, Rows, Tail, as_state
from armillary.sim.record.mechanism_text import LONGEST
from armillary.sim.record.trial import survives_netcdf

if TYPE_CHECKING:
    import h5netcdf

FORMAT = 1
TEXTS = ("model", "experiment")  # of a layout, long ones
SHARED = {"a": "v", "tau": "v"}
_TIGHTEST = 1100  # of deflate: bytes out of one
_LARGEST_TEXTS = 1 << 20  # bytes of which a list of texts may come


def write(out: BinaryIO, layout: Layout, tail: Tail, count: int, blocks: Iterable[Rows]) -> None:
    """HDF5 does not survive a failing write: it never sees one, and the fault comes afterwards."""
    sink = Unfailing(out)
    try:
        _write(sink, layout, tail, count, blocks)
    finally:
        if sink.fault is not None:
            raise sink.fault
    seal(out)


def check(file: BinaryIO, path: Path) -> bool:
    """Is there a checksum?  It is compared; else another process tries the file first."""
    if sealed(file, path, file.seek(0, os.SEEK_END) - SIZE):
        return True
    survives_netcdf(path)
    return False


def _write(sink: Unfailing, layout: Layout, tail: Tail, count: int, blocks: Iterable[Rows]) -> None:
    import h5netcdf

    with h5netcdf.File(sink, "w") as file:
        _attributes(file, layout, tail)
        # a dimension of length 0 would be an unlimited one: that is what it is while empty
        file.dimensions["time"] = count or None
        time = file.create_variable("time", ("time",), "f8")
        time.attrs["units"], time.attrs["long_name"] = "s", "time"
        if layout.batch is not None:
            file.dimensions["run"] = layout.batch
            file.create_variable("run", ("run",), "i8")[...] = np.arange(layout.batch)
        for name in layout.names:
            _quantity(file, layout, name)
        _events(file, tail)
        _state(file, tail)
        row = 0
        for block in blocks:
            span = slice(row, row + len(block["time"]))
            for name, values in block.items():
                file.variables[name][span] = values
            if sink.fault is not None:
                return
            row = span.stop


def _attributes(file: h5netcdf.File, layout: Layout, tail: Tail) -> None:
    file.attrs["armillary_run"] = FORMAT
    file.attrs["title"] = f"simulation of {layout.mechanism}"
    for name in ("mechanism", "method", "step", "every"):
        file.attrs[name] = getattr(layout, name)
    if layout.probe:
        file.attrs["probe"] = np.array(layout.probe)
    if layout.physics:
        file.attrs["physics"] = json.dumps(layout.physics)
    for name in TEXTS:
        if content := getattr(layout, name):
            text = np.frombuffer(content.encode(), np.uint8)
            file.dimensions[f"{name}_byte"] = len(text)
            file.create_variable(name, (f"{name}_byte",), "u1", compression="gzip")[...] = text
    file.attrs["message"] = _whole(tail.message[:8000])
    file.attrs["complete"] = int(tail.complete)
    if tail.errors:
        file.attrs["errors"] = json.dumps(tail.errors)
    file.attrs["quantities"] = " ".join(layout.names)


def _quantity(file: h5netcdf.File, layout: Layout, name: str) -> None:
    labels, units = layout.labels[name], layout.units[name]
    dims = ("time",) if layout.batch is None else ("time", "run")
    if not labels:
        file.create_variable(name, dims, "f8").attrs["units"] = units[0]
        return
    axis = _axis(layout, name)
    if axis not in file.dimensions:
        file.dimensions[axis] = len(labels)
        _texts(file, axis, axis, labels)
    _texts(file, f"{name}_unit", axis, units)
    variable = file.create_variable(name, (*dims, axis), "f8")
    variable.attrs["coordinates"] = f"{name}_unit"
    if len(set(units)) == 1:
        variable.attrs["units"] = units[0]


def _axis(layout: Layout, name: str) -> str:
    """The dimension of a quantity's labels."""
    owner = SHARED.get(name, name)
    same = layout.labels.get(owner, layout.labels[name]) == layout.labels[name]
    return f"{owner if same else name}_label"


def _texts(file: h5netcdf.File, name: str, dimension: str, texts: Iterable[str]) -> None:
    import h5py

    variable = file.create_variable(name, (dimension,), h5py.string_dtype())
    variable[...] = np.array([_whole(x) for x in texts], dtype=object)


def _whole(text: str) -> str:
    """HDF5 ends a text at its first NUL."""
    return text.replace("\x00", "\\x00")


def _events(file: h5netcdf.File, tail: Tail) -> None:
    if not tail.events:
        return
    file.dimensions["event"] = len(tail.events)
    times = file.create_variable("event_time", ("event",), "f8")
    times[...] = [time for time, _ in tail.events]
    times.attrs["units"] = "s"
    _texts(file, "event_text", "event", (text for _, text in tail.events))


def _state(file: h5netcdf.File, tail: Tail) -> None:
    group = file.create_group("state")
    for name, values in tail.state.items():
        array = np.asarray(values, float)
        if array.size == 0:
            continue
        dims = tuple(f"{name}_{k}" for k in range(array.ndim))
        group.dimensions.update(zip(dims, array.shape, strict=True))
        group.create_variable(name, dims, "f8")[...] = array


# -- reading ---------------------------------------------------------------------------------------


def read(path: Path) -> tuple[Layout, Tail, Reader]:
    import h5netcdf

    with h5netcdf.File(path, "r") as file:
        if "armillary_run" not in file.attrs:
            raise ValueError("this netCDF file holds no run")
        names = str(file.attrs["quantities"]).split()
        labels, units = {}, {}
        for name in names:
            variable = file.variables[name]
            axis = variable.dimensions[-1]
            labelled = axis not in ("time", "run")
            labels[name] = _read_texts(file, axis) if labelled else ()
            one = (str(variable.attrs.get("units", "")),)
            units[name] = _read_texts(file, f"{name}_unit") if labelled else one
        batch = file.dimensions["run"].size if "run" in file.dimensions else None
        probe = tuple(np.ravel(file.attrs.get("probe", ())).tolist())
        mechanism, method, message = (_plain(file, x) for x in ("mechanism", "method", "message"))
        physics = json.loads(str(file.attrs.get("physics", "{}")))
        texts = [_read_text(file, name) if name not in names else "" for name in TEXTS]
        steps = float(file.attrs["step"]), int(file.attrs.get("every", 0))
        about = (method, *steps, probe, physics, *texts)
        layout = Layout(mechanism, labels, units, batch, *about)
        events = []
        if "event" in file.dimensions:
            times = np.asarray(file.variables["event_time"][...]).tolist()
            events = list(zip(times, _read_texts(file, "event_text"), strict=True))
        stored = file.groups["state"].variables
        state = as_state({name: np.asarray(x[...]) for name, x in stored.items()})
        complete = bool(file.attrs["complete"])
        errors = json.loads(str(file.attrs.get("errors", "{}")))
    return layout, Tail(message, complete, events, state, errors), _reader(path)


def _plain(file: h5netcdf.File, name: str) -> str:
    """An attribute that is text, and can be written again."""
    return str(file.attrs[name]).encode().decode()


def _read_text(file: h5netcdf.File, name: str) -> str:
    if name not in file.variables:
        return ""
    _check_size(name, file.variables[name].shape, 8 * LONGEST)
    return bytes(file.variables[name][...]).decode()


def _reader(path: Path) -> Reader:
    def one(name: str, span: slice) -> Array:
        import h5netcdf

        with h5netcdf.File(path, "r") as file:
            variable = file.variables[name]
            _check_size(name, variable.shape, path.stat().st_size)
            return np.asarray(variable[span], float)

    return one


def _check_size(name: str, shape: tuple[int, ...], size: int) -> None:
    """No file holds more numbers than its bytes, packed as tightly as can be."""
    if 8 * prod(shape) > _TIGHTEST * size:
        raise ValueError(f"'{name}' has the shape {shape}, and the file has {size} bytes only")


def _read_texts(file: h5netcdf.File, name: str) -> tuple[str, ...]:
    _check_size(name, file.variables[name].shape, _LARGEST_TEXTS)
    found = file.variables[name][...]
    return tuple(x.decode() if isinstance(x, bytes) else str(x) for x in found)
