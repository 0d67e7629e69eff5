"""Figures of runs: one panel per quantity and unit over time, so that every axis has its unit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import FormatError, InputError, how_to_install, unknown_name
from armillary.sim.record.run_data import Array, RunData

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_RUNS = 50  # of a batch, drawn on top of each other
_MOST_EVENTS = 50
_POINTS = 4000  # spans drawn per line; longer runs show least and greatest of each span
_LEGEND = 12  # lines that are named


@dataclass(frozen=True)
class Panel:
    """Columns of one quantity with the same unit."""

    name: str
    unit: str
    columns: tuple[int, ...]  # of the last axis; empty: the quantity has no such axis
    labels: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.name.replace('_', ' ')} [{self.unit or '?'}]"


def plot_run(
    run: RunData,
    *names: str,
    show: bool = False,
    path: str | os.PathLike[str] | None = None,
    columns: Iterable[str] | None = None,
) -> Figure:
    """A matplotlib Figure: names of quantities (default: all), columns by label (default: all).

    path: where to write the picture (.png, .pdf, .svg).  show: open a window and wait."""
    try:
        from matplotlib import figure as figures
    except ImportError:
        raise InputError(f"plots need matplotlib. {how_to_install()}") from None
    chosen = list(panels(run, names, columns))
    size = (9.0, 1.0 + 2.3 * len(chosen))
    if show:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=size, layout="constrained")
    else:
        figure = figures.Figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(chosen), 1, sharex=True, squeeze=False)[:, 0]
    for axis, panel in zip(axes, chosen, strict=True):
        _draw(axis, run, panel)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(_title(run))
    if path is not None:
        _save(figure, path)
    if show:
        pyplot.show()
    return figure


def panels(
    run: RunData, names: Sequence[str], columns: Iterable[str] | None = None
) -> Iterator[Panel]:
    """Quantities split by unit: metres and radians do not share an axis."""
    if not len(run):
        raise InputError("plot: the run holds no instant; there is nothing to draw.")
    wanted = None if columns is None else set(columns)
    found = False
    for name in names or run.names:
        if name not in run:
            raise unknown_name("recorded quantity", name, run.names)
        labels, units = run.labels[name], run.units[name]
        if not labels:
            if wanted is None or name in wanted:
                found = True
                yield Panel(name, units[0], (), (name,))
            continue
        for unit in dict.fromkeys(units):
            places = tuple(
                k
                for k, label in enumerate(labels)
                if units[k] == unit and (wanted is None or label in wanted)
            )
            if places:
                found = True
                yield Panel(name, unit, places, tuple(labels[k] for k in places))
    if not found:
        known = (label for name in names or run.names for label in run.labels[name])
        raise unknown_name("column", ", ".join(sorted(wanted or ())), known)


def _draw(axis: Axes, run: RunData, panel: Panel) -> None:
    values = run[panel.name]
    lines = [values[..., k] for k in panel.columns] or [values]
    for number, (line, label) in enumerate(zip(lines, panel.labels, strict=True)):
        color = f"C{number % 10}"
        style = ("-", "--", ":", "-.")[number // 10 % 4]
        bundle = line.reshape(len(line), -1)[:, :_MOST_RUNS]
        alone = bundle.shape[1] == 1
        for k in range(bundle.shape[1]):
            axis.plot(
                *thinned(run.time, bundle[:, k]),
                color=color,
                linestyle=style,
                linewidth=1.2 if alone else 0.6,
                alpha=1.0 if alone else 0.5,
                label=label if k == 0 and number < _LEGEND else None,
            )
    for t, _ in run.events[:_MOST_EVENTS]:
        axis.axvline(t, color="0.6", linewidth=0.6, linestyle=":")
    axis.set_ylabel(panel.title)
    axis.grid(True, linewidth=0.3)
    if panel.columns:
        more = len(panel.labels) - _LEGEND
        title = f"and {more} more" if more > 0 else None
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", title=title)


def thinned(time: Array, values: Array) -> tuple[Array, Array]:
    """At most two points per span, its least and its greatest: peaks stay, memory does not grow."""
    width = len(time) // _POINTS
    if width < 4:
        return time, values
    count = len(time) // width * width
    spans = values[:count].reshape(-1, width)
    # NaN is neither least nor greatest
    least = np.where(np.isnan(spans), np.inf, spans).argmin(axis=1)
    most = np.where(np.isnan(spans), -np.inf, spans).argmax(axis=1)
    starts = np.arange(0, count, width)
    kept = np.unique(np.concatenate([[0], starts + least, starts + most, [len(time) - 1]]))
    return time[kept], values[kept]


def _title(run: RunData) -> str:
    words = [run.mechanism_name or "run"]
    if run.method:
        words.append(run.method)
    if run.batch is not None:
        shown = min(run.batch, _MOST_RUNS)
        words.append(f"{run.batch} runs" + (f", {shown} shown" if shown < run.batch else ""))
    if not run.complete:
        words.append("incomplete")
    return " – ".join(words)


def _save(figure: Figure, path: str | os.PathLike[str]) -> None:
    try:
        figure.savefig(path, dpi=150)
    except ValueError as fault:  # an ending that matplotlib does not know
        raise FormatError(f"{fault}", os.fspath(path)) from None
    except OSError as fault:
        text = f"cannot be written: {fault.strerror or fault}."
        raise FormatError(text, os.fspath(path)) from None
