"""Figures of runs: one panel per quantity and unit, over time or any column, each axis with its
unit; several runs together; loads of bearings in the plane of their joint."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from armillary.errors import InputError
from armillary.formats.files import save_picture
from armillary.shown import drawn
from armillary.sim.record.panels import Panel, Sizes, panels, size_of
from armillary.sim.record.plot_lines import (
    AT_ENDS,
    IN_LEGEND,
    MOST_RUNS,
    Line,
    draw_lines,
    wrapped,
)
from armillary.sim.record.polar import draw_bearings
from armillary.sim.record.run_data import Array, RunData

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_EVENTS = 50
_MOST_NAMED = 12  # columns that a remark names
_WIDTH, _HEIGHT = 9.0, 2.3  # inches, of a panel
_DPI = 144.0  # of pictures in notebooks; shown at half the size

Runs = RunData | Sequence[RunData] | Mapping[str, RunData]


class RunFigure(Figure):
    """A figure that a notebook shows by itself, as the last value of a cell."""

    def _repr_png_(self) -> tuple[bytes, dict[str, float]]:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=_DPI)
        width, height = self.get_size_inches() * _DPI / 2.0
        return buffer.getvalue(), {"width": round(width), "height": round(height)}


@dataclass
class Chart:
    """A panel with its lines, of all runs."""

    panel: Panel
    lines: list[Line] = field(default_factory=list)


def plot_run(
    run: Runs,
    *names: str,
    x: str | None = None,
    modulo: float | None = None,
    columns: Iterable[str] | str | None = None,
    magnitude: bool = False,
    peaks: bool = False,
    polar: bool = False,
    beside: Runs | None = None,
    window: tuple[float, float] | None = None,
    rounding: bool = False,
    path: str | os.PathLike[str] | None = None,
    show: bool = False,
) -> RunFigure:
    """A matplotlib Figure of one run or several, `am.plot([a, b])`, `am.plot({"stiff": a, ...})`.

    names: quantities, or columns of them: "reactions", "reactions.crank", "v.crank" (default: all).
    x: the column on the horizontal axis, "crank" or "v.crank" (default: time).
    modulo: x modulo this, rad or m: 2 pi draws every turn of a crank over the first.
    columns: labels of columns, or what they belong to: "crank" of "crank.fx" (default: all).
    magnitude: lengths of forces, moments and velocities instead of their components.
    peaks: mark where |y| is greatest, with value and time.
    polar: loads of bearings: the force in the joint's plane, and its size over the joint's angle or
    x (rad).  beside: further runs.  window: (first, last) instant, s.
    rounding: draw what is zero up to rounding, too; otherwise a line of text says so.
    path: where to write the picture (.png, .pdf, .svg).  show: open a window and wait."""
    runs, x = _named(run, beside), None if x == "time" else x
    spans = {label: _span(one, window) for label, one in runs.items()}
    wanted = [columns] if isinstance(columns, str) else columns
    if not isinstance(wanted, Iterable | None):
        raise InputError(f"plot: columns are labels, found {columns!r:.60}.")
    figure = _figure(show)
    if polar:
        notes = draw_bearings(figure, runs, spans, names, x, wanted)
    else:
        charts, notes = _charts(runs, spans, names, x, wanted, magnitude, rounding)
        if modulo is not None:
            charts = [_wrapped(chart, x, modulo) for chart in charts]
        _draw(figure, charts, runs, spans, x, peaks)
    figure.suptitle(drawn(_title(runs, over_time=x is None and not polar)))
    if notes:
        text = drawn("\n".join(notes))
        figure.supxlabel(text, fontsize="small", x=0.02, ha="left", color="0.35")
    if path is not None:
        _save(figure, path)
    if show:
        from matplotlib import pyplot

        pyplot.show()
    return figure


plot = plot_run  # am.plot(runs, ...)


def _figure(show: bool) -> RunFigure:
    if not show:
        return RunFigure(layout="constrained")
    from matplotlib import pyplot

    figure = pyplot.figure(FigureClass=RunFigure, layout="constrained")
    assert isinstance(figure, RunFigure)
    return figure


def _named(*groups: Runs | None) -> dict[str, RunData]:
    """Runs by what a legend calls them: names of the user, else what tells them apart."""
    found: list[tuple[str, RunData]] = []
    for group in groups:
        if not isinstance(group, RunData | Iterable | None):
            raise InputError(f"plot: expected a run or runs, found {group!r:.60}.")
        if isinstance(group, Mapping):
            found += [(str(name), run) for name, run in group.items()]
        elif group is not None:
            found += [("", run) for run in ([group] if isinstance(group, RunData) else group)]
    runs = [run for _, run in found]
    if not runs or not all(isinstance(run, RunData) for run in runs):
        raise InputError("plot: expected a run, a list of runs or runs by name: am.plot([a, b]).")
    words = (
        [run.mechanism_name for run in runs],
        [run.method for run in runs],
        [f"step {run.step:g} s" for run in runs],
        [f"run {k + 1}" for k in range(len(runs))],
    )
    own = next(x for x in words if len(set(x)) == len(runs) and all(x))
    labels = [name or word for (name, _), word in zip(found, own, strict=True)]
    if len(set(labels)) < len(labels):
        raise InputError(f"plot: two runs have one name: {', '.join(labels)}.")
    return dict(zip(labels, runs, strict=True))


def _span(run: RunData, window: tuple[float, float] | None) -> slice:
    """Rows of a run in a window of time."""
    if window is None:
        return slice(None)
    try:
        first, last = (float(t) for t in window)
    except (TypeError, ValueError):
        raise InputError(f"plot: window is (first, last) in s, found {window!r}.") from None
    low, high = np.searchsorted(run.time, first), np.searchsorted(run.time, last, "right")
    if high <= low:
        around = f"{run.time[0]:g} to {run.time[-1]:g} s" if len(run) else "no instant"
        raise InputError(
            f"plot: no instant lies in the window {first:g} to {last:g} s; the run has {around}."
        )
    return slice(int(low), int(high))


def _charts(
    runs: Mapping[str, RunData],
    spans: Mapping[str, slice],
    names: Sequence[str],
    x: str | None,
    columns: Iterable[str] | None,
    magnitude: bool,
    rounding: bool,
) -> tuple[list[Chart], list[str]]:
    """Panels with their lines, and remarks on those that are nothing but rounding."""
    found: dict[tuple[str, str], Chart] = {}
    nothing: dict[Panel, dict[str, float]] = {}
    sizes, wanted = Sizes(list(runs.values())), None if columns is None else [*columns]
    for number, (label, run) in enumerate(runs.items()):
        for panel in panels(run, names, wanted, magnitude):
            lines = {key: panel.line(run, key)[spans[label]] for key in panel.labels}
            for key, y in lines.items():
                if not rounding and sizes.is_nothing(panel, [y]):
                    nothing.setdefault(panel, {})[key] = size_of(y)
                    continue
                chart = found.setdefault((panel.name, panel.title), Chart(panel))
                time, at = run.time[spans[label]], _abscissa(run, x)[spans[label]]
                if x is not None and y.ndim == 2:
                    y = y[:, :MOST_RUNS]
                text = "" if not run.labels[panel.name] else key
                chart.lines.append(Line(text, number, time, at, y))
    return list(found.values()), [_remark(panel, zeros) for panel, zeros in nothing.items()]


def _wrapped(chart: Chart, x: str | None, modulo: float) -> Chart:
    """The same over x modulo a period."""
    if x is None or not (np.isfinite(modulo) and modulo > 0.0):
        raise InputError(
            f"modulo: expected a positive number beside a column, x='crank', modulo=2*pi; found "
            f"modulo={modulo!r}, x={x!r}."
        )
    if any(line.x.ndim > 1 or line.y.ndim > 1 for line in chart.lines):
        raise InputError("modulo: expected single runs, found a batch. Draw one of its runs.")
    return Chart(chart.panel, [wrapped(line, modulo) for line in chart.lines])


def _remark(panel: Panel, zeros: Mapping[str, float]) -> str:
    size = max(zeros.values())
    text = f"zero up to rounding (at most {size:.1g})" if size else "zero"
    if len(zeros) == len(panel.labels):
        return f"{panel.title}: {text}"
    few = ", ".join(list(zeros)[:_MOST_NAMED])
    more = f" and {len(zeros) - _MOST_NAMED} more" if len(zeros) > _MOST_NAMED else ""
    return f"{panel.title}, {few}{more}: {text}"


def _abscissa(run: RunData, x: str | None) -> Array:
    return run.time if x is None else run.column(x)


def _draw(
    figure: RunFigure,
    charts: Sequence[Chart],
    runs: Mapping[str, RunData],
    spans: Mapping[str, slice],
    x: str | None,
    peaks: bool,
) -> None:
    if not charts:  # the remarks say it all
        figure.set_size_inches(_WIDTH, 1.2)
        return
    lines = [len(chart.lines) for chart in charts]
    heights = [_HEIGHT * (1.0 + max(min(n, AT_ENDS) - IN_LEGEND, 0) / 16.0) for n in lines]
    figure.set_size_inches(_WIDTH, 1.0 + sum(heights))
    axes = figure.subplots(len(charts), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, chart in zip(axes, charts, strict=True):
        draw_lines(axis, chart.lines, list(runs), peaks, over_time=x is None)
        axis.set_ylabel(drawn(_ylabel(chart)))
        if x is None:
            _events(axis, runs, spans)
    title = "time [s]" if x is None else axis_title(next(iter(runs.values())), x)
    axes[-1].set_xlabel(drawn(title))


def _ylabel(chart: Chart) -> str:
    """Two lines where one would be longer than the panel."""
    title = chart.panel.title
    labels = {line.label for line in chart.lines}
    if len(labels) == 1 and "" not in labels and not chart.panel.magnitude:
        title = title.replace(" [", f".{labels.pop()} [", 1)
    return title.replace(", ", ",\n", 1) if len(title) > 24 else title


def axis_title(run: RunData, label: str) -> str:
    """Of a column, with its unit."""
    name, column = run.place(label)
    unit = run.units[name][column or 0]
    text = (
        label
        if name == "q" or column is None or label.startswith(f"{name}.")
        else f"{name}.{label}"
    )
    return f"{text} [{unit or '?'}]"


def _events(axis: Axes, runs: Mapping[str, RunData], spans: Mapping[str, slice]) -> None:
    for label, run in runs.items():
        time = run.time[spans[label]]
        for t, _ in run.events[:_MOST_EVENTS]:
            if time[0] <= t <= time[-1]:
                axis.axvline(t, color="0.6", linewidth=0.6, linestyle=":")


def _title(runs: Mapping[str, RunData], over_time: bool) -> str:
    words = []
    names = dict.fromkeys(run.mechanism_name or "run" for run in runs.values())
    words.append(", ".join(names))
    methods = dict.fromkeys(run.method for run in runs.values() if run.method)
    words += [", ".join(methods)] if methods else []
    for label, run in runs.items():
        of = f" ({label})" if len(runs) > 1 else ""
        if run.batch is not None:
            how = "median and range" if over_time else f"the first {MOST_RUNS}"
            shown = f", {how}" if run.batch > MOST_RUNS else ""
            words.append(f"{run.batch} runs{shown}{of}")
        if not run.complete:
            words.append(f"incomplete{of}")
    return " – ".join(words)


def _save(figure: Figure, path: str | os.PathLike[str]) -> None:
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"plot: path is the name of a file, found {path!r:.60}.")
    save_picture(figure, path, dpi=150)
