"""Two runs of the same quantities: how far they are apart, and when."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.analysis.columns import columns
from armillary.errors import InputError
from armillary.shown import shown
from armillary.sim.record.run_data import RunData


@dataclass(frozen=True)
class ColumnDifference:
    """The largest difference of one column, when it occurs, and the largest value beside it."""

    column: str
    unit: str
    largest: float
    time: float
    size: float


@shown
@dataclass(frozen=True)
class RunDifference:
    """columns: in both runs, in their order.  only: columns of one run alone.  interpolated: the
    second run was read between its instants."""

    columns: tuple[ColumnDifference, ...]
    only: tuple[str, ...]
    interpolated: bool

    def largest(self) -> float:
        """Of all columns, each as a part of its largest value."""
        return max((c.largest / c.size if c.size else 0.0 for c in self.columns), default=0.0)

    def __str__(self) -> str:
        heads = ["column", "largest difference", "at t / s", "largest value", "unit"]
        rows = [[c.column, c.largest, c.time, c.size, c.unit] for c in self.columns]
        lines = columns(heads, rows)
        if self.interpolated:
            lines += ["", "their instants differ: the second is interpolated along straight lines"]
        if self.only:
            lines += ["", f"in one of them only: {', '.join(self.only)}"]
        return "\n".join(lines)


def run_difference(one: RunData, two: RunData) -> RunDifference:
    """Largest differences of the columns that both runs have, over the time that both cover."""
    if one.batch is not None or two.batch is not None:
        raise InputError("compare: runs of batches are not compared. Take one: run.member(k).")
    t = one.time[(one.time >= two.time[0]) & (one.time <= two.time[-1])]
    if not len(t):
        raise InputError(
            f"compare: the runs have no time in common: {one.time[0]:g} to {one.time[-1]:g} s and "
            f"{two.time[0]:g} to {two.time[-1]:g} s."
        )
    kept = np.isin(one.time, t)
    same = len(t) == len(two.time) and bool(np.array_equal(t, two.time))
    first, second = _columns(one), _columns(two)
    found = []
    for name, (values, unit) in first.items():
        if name not in second:
            continue
        mine = values[kept]
        other = second[name][0] if same else np.interp(t, two.time, second[name][0])
        gap = np.abs(mine - other)
        k = int(np.argmax(np.nan_to_num(gap, nan=np.inf)))
        size = float(max(np.abs(mine).max(), np.abs(other).max()))
        found.append(ColumnDifference(name, unit, float(gap[k]), float(t[k]), size))
    return RunDifference(tuple(found), tuple(sorted(first.keys() ^ second.keys())), not same)


def _columns(run: RunData) -> dict[str, tuple[np.ndarray, str]]:
    """{q.crank: (values over time, unit)}."""
    found = {}
    for name in run:
        values = np.asarray(run[name], float).reshape(len(run.time), -1)
        labels = run.labels[name] or ("",)
        for k, (label, unit) in enumerate(zip(labels, run.units[name], strict=True)):
            found[f"{name}.{label}" if label else name] = (values[:, k], unit)
    return found
