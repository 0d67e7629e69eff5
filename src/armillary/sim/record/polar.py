"""Loads of bearings: the force of a joint in the plane across its axis, and its size over an angle.

On the body: as the shaft sees it, in the body's frame.  On the parent's side: as the housing sees
it; the joint's angle turns one into the other, F_P = F_B exp(i q) with F = f1 + i f2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.model.model import Model
from armillary.model.parts import JointSpec
from armillary.shown import drawn
from armillary.sim.record.panels import ROUNDING, size_of
from armillary.sim.record.plot_lines import COLORS, MOST_RUNS, STYLES, draw_paths
from armillary.sim.record.run_data import Array, RunData

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

_TURNING = ("revolute", "helical", "cylindrical")
_QUANTITIES = ("reactions", "constraint_forces")
_SIZE = 3.6  # inches, of one picture


@dataclass(frozen=True)
class Bearing:
    """A joint with an axis, in the tree or closing a loop."""

    quantity: str
    name: str
    axis: Array  # (3,) in the frame of the wrench
    angle: str = ""  # its coordinate; none of a loop

    def plane(self) -> tuple[Array, Array, str, str]:
        """Two directions (3,) across the axis, counter-clockwise about it, and their names."""
        u = self.axis / np.linalg.norm(self.axis)
        first = int(np.argmin(np.abs(u)))  # the coordinate axis most across it
        if np.count_nonzero(np.abs(u) > ROUNDING) == 1:
            k = int(np.argmax(np.abs(u)))
            first, second = ((k + 1) % 3, (k + 2) % 3)[:: int(np.sign(u[k]))]
            one, two = np.eye(3)[first], np.eye(3)[second]
            return one, two, f"f{'xyz'[first]} [N]", f"f{'xyz'[second]} [N]"
        one = np.eye(3)[first] - u[first] * u
        one /= np.linalg.norm(one)
        return (
            one,
            np.cross(u, one),
            f"f across the axis, nearest to {'xyz'[first]} [N]",
            "f across both [N]",
        )

    def load(self, run: RunData) -> Array:
        """f1 + i f2 (T,), of a batch (T, B)."""
        labels = run.labels[self.quantity]
        columns = [labels.index(f"{self.name}.f{letter}") for letter in "xyz"]
        force = run[self.quantity][..., columns]
        force = force[:, :MOST_RUNS] if force.ndim == 3 else force
        one, two, *_ = self.plane()
        return np.asarray(force @ one + 1j * (force @ two))


def draw_bearings(
    figure: Figure,
    runs: Mapping[str, RunData],
    spans: Mapping[str, slice],
    names: Sequence[str],
    x: str | None,
    columns: Iterable[str] | None,
) -> list[str]:
    """Two pictures per bearing; remarks on what is not drawn."""
    first = next(iter(runs.values()))
    chosen = list(_bearings(first, names, columns))
    scale = max((size_of(np.abs(b.load(run))) for b in chosen for run in runs.values()), default=0)
    loaded = [
        b
        for b in chosen
        if any(size_of(np.abs(b.load(run))) > ROUNDING * scale for run in runs.values())
    ]
    notes = [f"{b.name}: no load, up to rounding" for b in chosen if b not in loaded]
    figure.set_size_inches(2.4 * _SIZE, 0.8 + _SIZE * max(len(loaded), 0.3))
    grid = figure.add_gridspec(max(len(loaded), 1), 2)
    for row, bearing in enumerate(loaded):
        left = figure.add_subplot(grid[row, 0])
        _locus(left, bearing, runs, spans)
        if x or bearing.angle:
            right = figure.add_subplot(grid[row, 1], projection="polar")
            _sizes(right, bearing, runs, spans, x or bearing.angle)  # type: ignore[arg-type]
        else:
            notes.append(f"{bearing.name}: a loop has no angle of its own; x= gives one")
    notes.append("forces by the parent on the body, of loops on the second body")
    return notes


def _bearings(
    run: RunData, names: Sequence[str], columns: Iterable[str] | None
) -> Iterator[Bearing]:
    recorded = [name for name in _QUANTITIES if name in run]
    parts = [name.partition(".") for name in names or recorded]
    if not parts or any(head not in recorded for head, *_ in parts):
        raise InputError(
            "plot: polar pictures show the loads of joints. Record them: "
            "simulate(..., record=('q', 'reactions', 'constraint_forces')), and name one of these."
        )
    wanted = [*(columns or ()), *(part for *_, part in parts if part)]
    heads = {head for head, *_ in parts}
    every = [b for b in _every(run.mechanism.model) if b.quantity in heads]
    for word in wanted:
        if word not in [b.name for b in every]:
            raise unknown_name("joint that turns about an axis", word, [b.name for b in every])
    if not every:
        raise InputError("plot: no joint of this mechanism turns about an axis: nothing to draw.")
    return (b for b in every if not wanted or b.name in wanted)


def _every(model: Model) -> Iterator[Bearing]:
    """All joints of a mechanism that turn about an axis."""
    for body, slot in zip(model.bodies, model.slots, strict=True):
        if body.joint.kind in _TURNING:
            yield Bearing(
                "reactions", body.joint.name, _axis(body.joint), model.q_labels[slot.q][0]
            )
    for loop in model.loops:
        if loop.joint.kind in _TURNING:
            yield Bearing("constraint_forces", loop.name, _axis(loop.joint))


def _axis(joint: JointSpec) -> Array:
    return np.array(joint.axes[0])


def _locus(
    axis: Axes, bearing: Bearing, runs: Mapping[str, RunData], spans: Mapping[str, slice]
) -> None:
    """Where the tip of the force goes, on the shaft and in the housing."""
    for k, (label, run) in enumerate(runs.items()):
        load = bearing.load(run)[spans[label]]
        sides = {"in the body's frame": load}
        if bearing.angle and bearing.angle in run.labels.get("q", ()):
            angle = run.column(bearing.angle, "q")[spans[label]]
            angle = angle[:, :MOST_RUNS] if angle.ndim == 2 else angle
            sides["in the parent's frame"] = load * np.exp(1j * angle)
        for n, (side, force) in enumerate(sides.items()):
            text = side if len(runs) == 1 else f"{label}, {side}"
            color, style = COLORS[n % len(COLORS)], STYLES[k % 4]
            draw_paths(axis, force.real, force.imag, color, style, drawn(text))
    axis.plot(0.0, 0.0, "+", color="0.3", markersize=9)
    axis.set_aspect("equal", adjustable="datalim")
    axis.grid(True, linewidth=0.3)
    *_, one, two = bearing.plane()
    axis.set_xlabel(one)
    axis.set_ylabel(two)
    axis.set_title(drawn(f"{bearing.name}: force in the joint's plane"), fontsize="medium")
    axis.legend(fontsize="small", frameon=False, loc="best")


def _sizes(
    axis: PolarAxes,
    bearing: Bearing,
    runs: Mapping[str, RunData],
    spans: Mapping[str, slice],
    x: str,
) -> None:
    """Size of the load over an angle, with its greatest."""
    for k, (label, run) in enumerate(runs.items()):
        name, column = run.place(x)
        if run.units[name][column or 0] != "rad":
            raise InputError(
                f"plot: polar: x is an angle in rad; '{x}' is in {run.units[name][column or 0]}."
            )
        size, angle = np.abs(bearing.load(run)[spans[label]]), run.column(x)[spans[label]]
        angle = angle[:, :MOST_RUNS] if angle.ndim == 2 else angle
        color = COLORS[k % len(COLORS)]
        draw_paths(axis, angle, size, color, STYLES[k // len(COLORS) % 4])
        top = np.unravel_index(int(np.where(np.isfinite(size), size, -1.0).argmax()), size.shape)
        at = angle[top] if angle.shape == size.shape else angle[top[0]]
        axis.plot(at, size[top], "o", color=color, markersize=4.5, markeredgecolor="white")
        time = run.time[spans[label]][top[0]]
        text = f"{label}: " * (len(runs) > 1) + f"peak {size[top]:.4g} N at {time:.4g} s"
        axis.annotate(
            drawn(text),
            (0.5, -0.13 - 0.06 * k),
            xycoords="axes fraction",
            ha="center",
            color=color,
            fontsize="small",
            annotation_clip=False,
        )
    axis.set_title(drawn(f"{bearing.name}: |force| [N] over {x}"), fontsize="medium")
    axis.tick_params(labelsize="small")
    axis.grid(True, linewidth=0.3)
