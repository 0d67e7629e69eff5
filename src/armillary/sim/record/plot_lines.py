"""Lines on one axis of a figure: batches, peaks, and names that can be read.

Colours are told apart by the colour-blind [Okabe and Ito; viridis where there are many]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from armillary.shown import drawn
from armillary.sim.record.run_data import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
Style = Literal["-", "--", ":", "-."]
STYLES: tuple[Style, ...] = ("-", "--", ":", "-.")
MOST_RUNS = 50  # of a batch, drawn on top of each other
IN_LEGEND, AT_ENDS = 10, 28  # lines named in a legend; at their ends; beyond by a colour bar
_POINTS = 4000  # spans drawn per line; longer runs show least and greatest of each span
_FLAT = 1e-9  # of its size: less change is a level line
_LETTER = 8.5  # points, of names at ends
_GREY = "0.35"


@dataclass(frozen=True)
class Line:
    """Numbers of one column of one run over x; of a batch one column per run: (T, B)."""

    label: str  # of the column
    run: int
    time: Array  # (T,)
    x: Array  # (T,) or (T, B)
    y: Array  # (T,) or (T, B)

    @property
    def runs(self) -> int:
        return int(self.y.shape[1]) if self.y.ndim == 2 else 1

    def peak(self) -> tuple[float, float, float, int] | None:
        """x, y and time where |y| is greatest, and in which run; None: no number is finite."""
        sizes = np.where(np.isfinite(self.y), np.abs(self.y), -1.0)
        if not sizes.size or sizes.max() < 0.0:
            return None
        row, *run = np.unravel_index(int(sizes.argmax()), sizes.shape)
        k = int(run[0]) if run else 0
        x, y = _column(self.x, k), _column(self.y, k)
        return float(x[row]), float(y[row]), float(self.time[row]), k


def wrapped(line: Line, period: float) -> Line:
    """x modulo a period: every turn is drawn over the first.  Where x passes the end of a turn the
    line goes on to the edge, ends there, and begins at the other edge, with y between its
    neighbours; x and y are (T,) each."""
    turns = np.floor(line.x / period)
    steps = np.diff(turns)
    cuts = np.flatnonzero(np.isfinite(steps) & (steps != 0.0))
    edge = np.maximum(turns[cuts], turns[cuts + 1]) * period  # of one turn; of several the last
    share = (edge - line.x[cuts]) / (line.x[cuts + 1] - line.x[cuts])
    up = steps[cuts] > 0.0
    rows = np.repeat(cuts + 1, 3)

    def between(values: Array) -> Array:
        return values[cuts] + share * (values[cuts + 1] - values[cuts])

    ends = np.stack(
        [np.where(up, period, 0.0), np.full(len(cuts), np.nan), np.where(up, 0.0, period)], axis=1
    )
    x = np.insert(line.x - turns * period, rows, ends.ravel())
    y, time = (np.insert(a, rows, np.repeat(between(a), 3)) for a in (line.y, line.time))
    return replace(line, time=time, x=x, y=y)


def _column(values: Array, k: int) -> Array:
    return values[:, k] if values.ndim == 2 else values


def draw_lines(
    axis: Axes, lines: Sequence[Line], run_labels: Sequence[str], peaks: bool, over_time: bool
) -> None:
    """All lines, and their names: in a legend, at their ends, or by a bar of colours."""
    labels = list(dict.fromkeys(line.label for line in lines))
    names = _names(lines, run_labels, peaks, len(labels))
    many = len(names) > AT_ENDS
    for line in lines:
        color, style = _look(line, labels, len(run_labels), many)
        _draw(axis, line, color, style, over_time)
        found = line.peak() if peaks and not many else None
        if found is not None:
            axis.plot(*found[:2], "o", color=color, markersize=4.5, markeredgecolor="white")
    axis.grid(True, linewidth=0.3)
    axis.margins(x=0.01)
    _level(axis, lines)
    if many:
        _color_bar(axis, labels, len(run_labels), run_labels)
        if peaks:
            _greatest(axis, lines)
    elif len(names) > IN_LEGEND and over_time:
        _at_ends(axis, lines, names, labels, len(run_labels))
    elif len(names) > 1 or peaks or len(run_labels) > 1 or lines[0].label:
        _legend(axis, lines, names, labels, len(run_labels))


def _names(
    lines: Sequence[Line], runs: Sequence[str], peaks: bool, labels: int
) -> dict[tuple[str, int], str]:
    """What every line is called: its column, its run where there are several, its peak."""
    found = {}
    for line in lines:
        words = [line.label] if line.label and (labels > 1 or len(runs) < 2) else []
        words += [runs[line.run]] if len(runs) > 1 else []
        text = ", ".join(words)
        top = line.peak() if peaks else None
        if top is not None:
            member = f", run {top[3]}" if line.runs > 1 else ""
            text = f"{text}: " * bool(text) + f"peak {top[1]:.4g} at {top[2]:.4g} s{member}"
        found[(line.label, line.run)] = drawn(text)
    return found


def _look(line: Line, labels: Sequence[str], runs: int, many: bool) -> tuple[str, Style]:
    """Columns differ in colour, runs in style; runs of a single column in colour."""
    k = labels.index(line.label)
    if many:
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        return to_hex(colormaps["viridis"](k / max(len(labels) - 1, 1))), STYLES[line.run % 4]
    if len(labels) == 1:
        k = line.run
        return COLORS[k % len(COLORS)], STYLES[k // len(COLORS) % 4]
    turn = 0 if runs > 1 else k // len(COLORS)
    return COLORS[k % len(COLORS)], STYLES[(line.run + turn) % 4]


def _draw(axis: Axes, line: Line, color: str, style: Style, over_time: bool) -> None:
    if line.runs > MOST_RUNS and over_time:  # least, median and greatest of all
        low, middle, high = np.nanquantile(line.y, [0.0, 0.5, 1.0], axis=1)
        axis.fill_between(line.time, low, high, color=color, alpha=0.2, linewidth=0.0)
        axis.plot(line.time, middle, color=color, linestyle=style, linewidth=1.3)
        return
    draw_paths(axis, line.x, line.y, color, style)


def draw_paths(
    axis: Axes, x: Array, y: Array, color: str, style: Style, label: str | None = None
) -> None:
    """One path, of a batch several thin ones."""
    runs = y.shape[1] if y.ndim == 2 else 1
    width, alpha = (1.3, 1.0) if runs == 1 else (0.6, 0.5)
    for k in range(runs):
        axis.plot(
            *thinned(_column(x, k), _column(y, k)),
            color=color,
            linestyle=style,
            linewidth=width,
            alpha=alpha,
            label=label if k == 0 else None,
        )


def thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """At most two points per span, its least and its greatest: peaks stay, memory does not grow."""
    width = len(x) // _POINTS
    if width < 4:
        return x, y
    count = len(x) // width * width
    spans = y[:count].reshape(-1, width)
    # NaN is neither least nor greatest
    least = np.where(np.isnan(spans), np.inf, spans).argmin(axis=1)
    most = np.where(np.isnan(spans), -np.inf, spans).argmax(axis=1)
    starts = np.arange(0, count, width)
    kept = np.unique(np.concatenate([[0], starts + least, starts + most, [len(x) - 1]]))
    return x[kept], y[kept]


def _level(axis: Axes, lines: Sequence[Line]) -> None:
    """A constant is a level line: its rounding does not fill the axis."""
    ends = [
        (float(y.min()), float(y.max())) for y in (x.y[np.isfinite(x.y)] for x in lines) if y.size
    ]
    if not ends:
        return
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    size = max(abs(low), abs(high))
    if high - low <= _FLAT * size:
        axis.set_ylim(low - 0.1 * size, high + 0.1 * size)


def _legend(
    axis: Axes,
    lines: Sequence[Line],
    names: dict[tuple[str, int], str],
    labels: Sequence[str],
    runs: int,
) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for line in lines:
        color, style = _look(line, labels, runs, False)
        handles.append(Line2D([], [], color=color, linestyle=style, linewidth=1.3))
    texts = [names[(line.label, line.run)] for line in lines]
    axis.legend(
        handles,
        texts,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        fontsize="small",
        frameon=False,
    )


def _at_ends(
    axis: Axes,
    lines: Sequence[Line],
    names: dict[tuple[str, int], str],
    labels: Sequence[str],
    runs: int,
) -> None:
    """Names beside the right ends of the lines, moved apart so that none covers another."""
    low, high = axis.get_ylim()
    axis.set_ylim(low, high)
    ends = []
    for line in lines:
        finite = line.y[np.isfinite(line.y)]
        ends.append((float(finite[-1]) - low) / (high - low) if finite.size else 0.0)
    height = axis.get_figure(root=True).get_figheight() * 72.0 * _share(axis)  # type: ignore[union-attr]
    order = np.argsort(ends, kind="stable")
    places = _apart(np.array(ends)[order], _LETTER * 1.15 / height)
    for place, k in zip(places, order, strict=True):
        line = lines[k]
        axis.annotate(
            names[(line.label, line.run)],
            xy=(1.0, ends[k]),
            xytext=(1.03, float(place)),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=_LETTER,
            color=_look(line, labels, runs, False)[0],
            arrowprops={
                "arrowstyle": "-",
                "linewidth": 0.4,
                "color": "0.6",
                "relpos": (0.0, 0.5),
                "shrinkA": 0.0,
                "shrinkB": 0.0,
            },
        )


def _share(axis: Axes) -> float:
    """Part of the figure's height that an axis has, roughly: the layout is made later."""
    spec = axis.get_subplotspec()
    return 0.8 / spec.get_gridspec().nrows if spec is not None else 0.8


def _apart(wishes: Array, gap: float) -> Array:
    """Places near the wishes (ascending) and at least `gap` apart, about the middle of all."""
    found = wishes.copy()
    for k in range(1, len(found)):
        found[k] = max(found[k], found[k - 1] + gap)
    over = max(found[-1] - max(1.0, float(wishes[-1])), 0.0)
    found -= over
    for k in range(len(found) - 2, -1, -1):
        found[k] = min(found[k], found[k + 1] - gap)
    return found


def _color_bar(axis: Axes, labels: Sequence[str], runs: int, run_labels: Sequence[str]) -> None:
    """Many columns: colours from the first to the last, some of them named."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shown = np.unique(np.linspace(0, len(labels) - 1, 8).round().astype(int))
    mappable = ScalarMappable(Normalize(0, max(len(labels) - 1, 1)), "viridis")
    bar = axis.figure.colorbar(mappable, ax=axis, ticks=shown, pad=0.02, aspect=30)
    bar.ax.set_yticklabels([drawn(labels[k]) for k in shown], fontsize="small")
    bar.set_label(f"{len(labels)} columns", fontsize="small")
    if runs > 1:
        words = ", ".join(f"{STYLES[k % 4]} {name}" for k, name in enumerate(run_labels))
        axis.set_title(drawn(words), fontsize="small", loc="right")


def _greatest(axis: Axes, lines: Sequence[Line]) -> None:
    """The one peak of a panel with many lines."""
    tops = [(top, line) for line in lines if (top := line.peak()) is not None]
    if not tops:
        return
    (x, y, t, _), line = max(tops, key=lambda pair: abs(pair[0][1]))
    axis.plot(x, y, "o", color=_GREY, markersize=4.5, markeredgecolor="white")
    low, high = axis.get_xlim()
    right = x > (low + high) / 2.0
    axis.annotate(
        drawn(f"{line.label}: peak {y:.4g} at {t:.4g} s"),
        xy=(x, y),
        xytext=(-8 if right else 8, 0),
        textcoords="offset points",
        va="center",
        ha="right" if right else "left",
        fontsize="small",
        color=_GREY,
    )
