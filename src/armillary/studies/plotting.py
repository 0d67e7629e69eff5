"""Pictures of a study: a response against a factor, over two of them, or how it is spread."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.formats.files import save_picture
from armillary.shown import drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from armillary.studies.results import Study

_CELLS = 24  # of a map of scattered variants, at most


def plot_study(
    study: Study,
    *names: str,
    limits: Sequence[float] | float | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Figure:
    """plot("peak"): a histogram; plot("peak", "speed"): a response against a factor;
    plot("peak", "speed", "spring"): a map over two factors.

    limits: lines where the response may not pass, with the share of variants beyond them."""
    from matplotlib.figure import Figure

    if not 1 <= len(names) <= 3:
        raise InputError("plot: name a response, then none, one or two factors.")
    columns = [study[name] for name in names]
    lines = [float(x) for x in np.atleast_1d([] if limits is None else limits)]
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    if len(names) == 1:
        _histogram(axes, study, names[0], columns[0], lines)
    elif len(names) == 2:
        _scatter(axes, study, names, columns, lines)
    else:
        _map(figure, axes, study, names, columns)
    bad = sum(bool(x) for x in study.failed)
    if bad:
        axes.set_title(f"{bad} of {len(study)} variants failed", fontsize=9, loc="right")
    if path is not None:
        save_picture(figure, path, dpi=150)
    return figure


def label(study: Study, name: str) -> str:
    unit = study.units[name]
    return drawn(f"{name} [{unit}]" if unit else name)


def _histogram(axes: Any, study: Study, name: str, x: Array, lines: list[float]) -> None:
    known = x[np.isfinite(x)]
    axes.hist(known, bins=min(60, max(8, int(np.sqrt(len(known))))), color="#4477aa")
    axes.set_xlabel(label(study, name))
    axes.set_ylabel("variants")
    for limit in lines:
        above = float(np.mean(known > limit)) if len(known) else 0.0
        axes.axvline(limit, color="#cc3311", linewidth=1.2)
        axes.annotate(
            f"{100 * above:.3g} % above",
            (limit, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(4, -10),
            textcoords="offset points",
            color="#cc3311",
            fontsize=9,
        )


def _scatter(
    axes: Any, study: Study, names: Sequence[str], columns: list[Array], lines: list[float]
) -> None:
    y, x = columns
    few = len(np.unique(x)) <= 64
    axes.plot(x, y, ".", markersize=3 if len(x) > 200 else 6, color="#4477aa", alpha=0.5)
    if few:
        places = np.unique(x)
        means = [
            np.nanmean(y[x == place]) if np.isfinite(y[x == place]).any() else np.nan
            for place in places
        ]
        axes.plot(places, means, "-", color="#222222", linewidth=1.2, label="mean")
        axes.legend(fontsize=9)
    for limit in lines:
        axes.axhline(limit, color="#cc3311", linewidth=1.2)
    axes.set_xlabel(label(study, names[1]))
    axes.set_ylabel(label(study, names[0]))


def _map(figure: Any, axes: Any, study: Study, names: Sequence[str], columns: list[Array]) -> None:
    """Means over cells: those of a grid, or equal ones over the range of the variants."""
    z, x, y = columns
    edges, places = [], []
    for values in (x, y):
        levels = np.unique(values)
        if len(levels) <= 2 * _CELLS:
            own, k = _between(levels), np.searchsorted(levels, values)
        else:
            cells = int(np.clip(np.sqrt(len(z)) / 2, 4, _CELLS))
            own = np.linspace(values.min(), values.max(), cells + 1)
            k = np.clip(np.searchsorted(own, values, side="right") - 1, 0, cells - 1)
        edges.append(own)
        places.append(k)
    total = np.zeros((len(edges[1]) - 1, len(edges[0]) - 1))
    count = np.zeros_like(total)
    known = np.isfinite(z)
    np.add.at(total, (places[1][known], places[0][known]), z[known])
    np.add.at(count, (places[1][known], places[0][known]), 1.0)
    mean = np.where(count > 0, total / np.maximum(count, 1.0), np.nan)
    mesh = axes.pcolormesh(edges[0], edges[1], mean, cmap="viridis")
    figure.colorbar(mesh, ax=axes, label=label(study, names[0]))
    axes.set_xlabel(label(study, names[1]))
    axes.set_ylabel(label(study, names[2]))


def _between(levels: Array) -> Array:
    """Edges of cells around levels."""
    if len(levels) == 1:
        return np.array([levels[0] - 0.5, levels[0] + 0.5])
    middle = 0.5 * (levels[1:] + levels[:-1])
    ends = (levels[0] - (middle[0] - levels[0]), levels[-1] + (levels[-1] - middle[-1]))
    return np.array([ends[0], *middle, ends[1]])
