"""Pictures of an identification."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from armillary.formats.files import save_picture
from armillary.shown import drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from armillary.studies.identification.result import Identification

_BINS = 40


def plot_identification(
    found: Identification, path: str | os.PathLike[str] | None = None
) -> Figure:
    """One line per row: forces over time, residuals over time, their histogram beside the normal
    curve of the noise."""
    from matplotlib.figure import Figure

    e, rows = found.equations, len(found.equations.labels)
    figure = Figure(figsize=(11.0, 1.0 + 1.8 * rows), layout="constrained")
    grid = figure.subplots(rows, 3, squeeze=False, sharex="col", width_ratios=(5, 5, 2))
    shown = _instants(e.time)
    for k, label in enumerate(e.labels):
        forces, left, bell = grid[k]
        predicted = e.y[:, k] - np.where(e.counted[:, k], found.residuals[:, k], 0.0)
        forces.plot(shown, _broken(e.y[:, k], e.time), lw=1.0, color="0.6", label="measured")
        forces.plot(shown, _broken(predicted, e.time), lw=0.9, color="C0", label="model")
        left.plot(shown, _broken(found.residuals[:, k], e.time), lw=0.6, color="C3")
        for sign in (-2.0, 2.0):
            left.axhline(sign * found.noise[k], color="0.4", lw=0.7, ls="--")
        unit = e.units[k]
        forces.set_ylabel(drawn(f"{label}\n{unit}"))
        left.set_ylabel(unit)
        _histogram(bell, found.residuals[:, k], float(found.noise[k]))
    handles, names = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper left", ncols=2, fontsize="small")
    for axis, title in zip(grid[0], ("forces", "measured - model", "and its noise"), strict=True):
        axis.set_title(title, fontsize="medium")
    for axis in grid[-1, :2]:
        axis.set_xlabel("time, s")
    grid[-1, 2].set_xlabel("standard deviations")
    if path is not None:
        save_picture(figure, path, dpi=110)
    return figure


def _instants(time: np.ndarray) -> np.ndarray:
    """Logs one after the other: a gap where time steps back."""
    return np.insert(time, np.flatnonzero(np.diff(time) <= 0.0) + 1, np.nan)


def _broken(x: np.ndarray, time: np.ndarray) -> np.ndarray:
    return np.insert(x, np.flatnonzero(np.diff(time) <= 0.0) + 1, np.nan)


def _histogram(axis: Axes, residuals: np.ndarray, noise: float) -> None:
    z = residuals[np.isfinite(residuals)] / noise
    edges = np.linspace(-4.0, 4.0, _BINS + 1)
    axis.hist(np.clip(z, -4.0, 4.0), edges.tolist(), density=True, color="C3", alpha=0.5)
    axis.plot(edges, np.exp(-0.5 * edges**2) / np.sqrt(2.0 * np.pi), color="0.2", lw=0.8)
    axis.set_yticks([])
