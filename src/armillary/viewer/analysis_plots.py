"""Pictures of analyses: coupler curves with the linkage, outlines of workspaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from armillary.analysis.linkage import Linkage
from armillary.analysis.workspace import Workspace
from armillary.evaluate.inputs import Array
from armillary.shown import drawn

_AXES = "xyz"


def plot_linkage(linkage: Linkage, frames: Sequence[str] | str = ()) -> Figure:
    """Paths of frames and loops (default: all extra frames, else bodies and loops) in the plane of
    the motion, and the transmission angle along the circuit where there is one loop."""
    m = linkage.mechanism
    names = [frames] if isinstance(frames, str) else list(frames)
    extra = [frame.name for frame in m.model.frames]
    names = names or extra or [*m.bodies, *(loop.name for loop in m.model.loops)]
    paths = {name: linkage.curve(name) for name in names}
    i, j = _plane(np.concatenate(list(paths.values())))
    single = len(m.model.loops) == 1
    figure = Figure(figsize=(8.5 if single else 5, 4), layout="constrained")
    axes = figure.subplots(1, 2 if single else 1, squeeze=False)[0]
    for name, path in paths.items():
        (line,) = axes[0].plot(*_closed(path, linkage.complete)[:, (i, j)].T, label=drawn(name))
        axes[0].plot(
            *path[
                0,
                (i, j),
            ],
            "o",
            color=line.get_color(),
            markersize=4,
        )
    axes[0].set(
        xlabel=f"{_AXES[i]} / m", ylabel=f"{_AXES[j]} / m", title=drawn(f"paths of '{m.name}'")
    )
    axes[0].set_aspect("equal", adjustable="datalim")
    axes[0].legend()
    axes[0].grid(alpha=0.3)
    if single:
        angle = np.rad2deg(linkage.transmission())
        axes[1].plot(np.arange(len(angle)), angle)
        axes[1].set(xlabel="position on the circuit", ylabel="transmission angle / °", ylim=(0, 92))
        axes[1].grid(alpha=0.3)
    return figure


def plot_workspace(workspace: Workspace, plane: str = "rz", cells: int | None = None) -> Figure:
    """Points of a section and its outline: xy, xz, yz, or rz (distance from the axis, height)."""
    figure = Figure(figsize=(5, 4.5), layout="constrained")
    axes = figure.subplots()
    edge, area = workspace.outline(plane, cells)
    axes.plot(*workspace.flat(plane)[:20_000].T, ",", color="#9bb8d3", alpha=0.6)
    axes.plot(*edge.T, "s", color="#b03a2e", markersize=1.6, label=f"outline, {area:.3g} m²")
    first, second = ("distance from the axis", "z") if plane == "rz" else (plane[0], plane[1])
    axes.set(
        xlabel=f"{first} / m",
        ylabel=f"{second} / m",
        title=drawn(f"workspace of '{workspace.frame}' of '{workspace.mechanism_name}'"),
    )
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(loc="upper right")
    axes.grid(alpha=0.3)
    return figure


def _plane(points: Array) -> tuple[int, int]:
    """The two axes along which the points spread most."""
    spread = np.ptp(points, axis=0)
    i, j = sorted(np.argsort(spread)[-2:].tolist())
    return i, j


def _closed(path: Array, complete: bool) -> Array:
    return np.vstack([path, path[:1]]) if complete else path
