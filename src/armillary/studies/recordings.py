"""Whole recordings of the variants of a study: chosen columns over time, variant by variant.

    recordings=["q.car", "road_force"]
    recordings={"of": ["q", "reactions.crank.force"], "every": 10}
    recordings={"of": ["q"], "at": [0.1, 0.5, 1.0]}

Numbers are taken from the same steps as the responses, and written with the chunk of the variant.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.sim.loop.experiment import Experiment
from armillary.sim.record.layout import Json
from armillary.studies.columns import Column, Taken

if TYPE_CHECKING:
    from xarray import Dataset

Given = str | Sequence[str] | Json
_KEYS = ("of", "every", "at")
_NEAR = 1e-6  # of a step: times that are meant to be equal
_ROWS = 65536  # instants of one part of a file, about


@dataclass(frozen=True)
class Recordings:
    """names: quantities ("q") and columns ("reactions.crank.force", "|a.car|"); every: one of so
    many recorded instants; at: from each of these times (s) on the first recorded instant."""

    names: tuple[str, ...]
    every: int = 1
    at: tuple[float, ...] = ()

    def as_plain(self) -> Json:
        found: Json = {"of": list(self.names)}
        found |= {"every": self.every} if self.every != 1 else {}
        return found | ({"at": list(self.at)} if self.at else {})

    def instants(self, experiment: Experiment) -> int:
        """Of one variant, about; times that vary count as the experiment has them."""
        if self.at:
            return len(self.at)
        apart = experiment["step"] * experiment["every"] * self.every
        return int(experiment["duration"] / apart) + 2


def recordings_of(given: Given, experiment: Experiment) -> Recordings:
    """From what a person writes; `experiment`: whose runs are recorded."""
    plain: Json = given if isinstance(given, Mapping) else {"of": given}
    for key in plain:
        if key not in _KEYS:
            raise unknown_name("recordings: key", str(key), _KEYS)
    names = plain.get("of")
    if isinstance(names, str):
        names = [x.strip() for x in names.split(",")]
    if not isinstance(names, (list, tuple)) or not names:
        raise InputError(f"recordings: expected names such as ['q', 'a.car'], found {names!r:.60}.")
    if wrong := next((x for x in names if not isinstance(x, str) or not x), None):
        raise InputError(f"recordings: expected names such as ['q', 'a.car'], found {wrong!r}.")
    every, at = plain.get("every", 1), plain.get("at", ())
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise InputError(f"recordings: every: expected a whole number from 1 on, found {every!r}.")
    times = _times(at, experiment) if len(np.atleast_1d(at)) else ()
    if times and every != 1:
        raise InputError("recordings: give `every` or `at`, not both.")
    return Recordings(tuple(dict.fromkeys(names)), every, times)


def _times(at: object, experiment: Experiment) -> tuple[float, ...]:
    try:
        times = np.atleast_1d(np.asarray(at, float))
    except (TypeError, ValueError):
        times = np.array([np.nan])
    begin = float(experiment["t0"])
    end = begin + float(experiment["duration"])
    if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
        raise InputError(f"recordings: at: expected rising times (s), found {at!r:.60}.")
    if times[0] < begin or times[-1] > end + _NEAR * experiment["step"]:
        raise InputError(
            f"recordings: at: the run lasts from {begin:g} to {end:g} s, and {times[0]:g} to "
            f"{times[-1]:g} s are wanted."
        )
    return tuple(times.tolist())


# -- while variants run ----------------------------------------------------------------------------


class Collector:
    """Takes the instants of runs side by side as they come, and keeps those that are wanted."""

    def __init__(self, wanted: Recordings, columns: Sequence[Column], experiment: Experiment):
        self._wanted, self._columns = wanted, columns
        self._begin, self._step = float(experiment["t0"]), float(experiment["step"])
        self._apart = self._step * experiment["every"] * wanted.every
        self._next = 0  # of the times that are wanted
        self._t: list[float] = []
        self._parts: list[Array] = []

    def take(self, taken: Taken, known: Mapping[str, Array]) -> None:
        """known: columns (T, B) that were found already, by name."""
        rows = [k for k, t in enumerate(taken.t.tolist()) if self._take(t)]
        if not rows:
            return
        self._t += taken.t[rows].tolist()
        found = []
        for column in self._columns:
            x = known[column.text] if column.text in known else taken.column(column)
            found.append(x[rows])
        self._parts.append(np.stack(found, axis=-1))

    def _take(self, t: float) -> bool:
        near = _NEAR * self._step
        if self._wanted.at:
            first = self._next
            while self._next < len(self._wanted.at) and self._wanted.at[self._next] <= t + near:
                self._next += 1
            return self._next > first
        if self._wanted.every == 1:
            return True
        passed = t - self._begin
        return abs(passed - round(passed / self._apart) * self._apart) <= near

    def recorded(self, runs: int) -> list[Recording]:
        """One by one."""
        t = np.array(self._t)
        none = np.zeros((0, runs, len(self._columns)))
        values = np.ascontiguousarray(np.concatenate([none, *self._parts]).swapaxes(0, 1))
        return [(t, own) for own in values]


Recording = tuple[Array, Array]  # instants (T,), columns (T, n)


@dataclass
class Kept:
    """Recordings of the variants of a chunk, one after the other: counts (variants,) of their
    instants, time (rows,), values (rows, columns).  A variant that failed has none."""

    counts: NDArray[np.intp]
    time: Array
    values: Array

    @classmethod
    def of(cls, found: Sequence[Recording | None], width: int) -> Kept:
        none = np.zeros((0, width))
        own = [x if x is not None else (np.zeros(0), none) for x in found]
        time = np.concatenate([np.zeros(0), *(t for t, _ in own)])
        values = np.concatenate([none, *(x for _, x in own)])
        return cls(np.array([len(t) for t, _ in own], int), time, values)

    def variant(self, k: int) -> Recording:
        first = int(self.counts[:k].sum())
        rows = slice(first, first + int(self.counts[k]))
        return self.time[rows], self.values[rows]

    def __iter__(self) -> Iterator[Recording]:
        return (self.variant(k) for k in range(len(self.counts)))


# -- as files --------------------------------------------------------------------------------------


def kept_bytes(kept: Kept, first: int, heads: Sequence[str], units: Sequence[str]) -> bytes:
    """A Parquet file: variant, time, and the columns, one line per instant of a variant."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [
        pa.field("variant", pa.int64()),
        pa.field("time", pa.float64(), metadata={"unit": "s"}),
    ]
    fields += [
        pa.field(name, pa.float64(), metadata={"unit": unit})
        for name, unit in zip(heads, units, strict=True)
    ]
    variant = np.repeat(np.arange(first, first + len(kept.counts)), kept.counts)
    columns = [pa.array(variant), pa.array(kept.time)]
    columns += [pa.array(np.ascontiguousarray(x)) for x in kept.values.T]
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields))
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=_ROWS, use_dictionary=["variant"])
    return out.getvalue()


def recording_in(data: bytes, variant: int, heads: Sequence[str]) -> Recording:
    """Of one variant, from such a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(data), filters=[("variant", "==", variant)])
    columns = [table[name].to_numpy() for name in heads]
    return table["time"].to_numpy(), np.stack(columns, axis=1)


# -- as a person reads them ------------------------------------------------------------------------


@dataclass(frozen=True)
class Labelled:
    """Recordings by variant with the names and units of their columns."""

    heads: tuple[str, ...]
    units: tuple[str, ...]
    about: Json = field(default_factory=dict)

    def one(self, recording: Recording) -> Dataset:
        import xarray

        time, values = recording
        columns = {
            name: ("time", values[:, k], {"units": self.units[k]})
            for k, name in enumerate(self.heads)
        }
        return xarray.Dataset(columns, {"time": ("time", time, {"units": "s"})}, dict(self.about))

    def several(self, variants: Sequence[int], found: Sequence[Recording]) -> Dataset:
        """Over variant and time; where variants have other instants over variant and instant, with
        NaN behind the last one of each, and `time` (variant, instant)."""
        import xarray

        most = max((len(t) for t, _ in found), default=0)
        times = np.full((len(found), most), np.nan)
        values = np.full((len(found), most, len(self.heads)), np.nan)
        for k, (t, own) in enumerate(found):
            times[k, : len(t)], values[k, : len(t)] = t, own
        whole = [t for t, _ in found if len(t)]
        alike = all(np.array_equal(t, whole[0]) for t in whole)
        dims = ("variant", "time") if alike else ("variant", "instant")
        columns = {
            name: (dims, values[..., k], {"units": self.units[k]})
            for k, name in enumerate(self.heads)
        }
        time: Any = ("time", whole[0] if whole else np.zeros(0)) if alike else (dims, times)
        places = {"variant": np.asarray(variants), "time": (*time, {"units": "s"})}
        return xarray.Dataset(columns, places, dict(self.about))
