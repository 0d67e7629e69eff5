"""Curves of an axle as a table with names and units, and as a picture."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.formats.files import save_picture
from armillary.model.arguments import check_arguments
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.sim.record.plotting import RunFigure

_SHOWN = (
    "camber",
    "toe",
    "steer",
    "half-track change",
    "motion ratio",
    "wheel rate",
    "caster",
    "center x change",
    "center y change",
)
_ROWS = 13  # of a printed table
_NOISE = 1e-12  # rad or m


@dataclass(frozen=True)
class Column:
    """Numbers with their unit; sae: what they are multiplied with in SAE axes (z down, y right)."""

    values: Array
    unit: str
    sae: float = 1.0


@shown
@dataclass(frozen=True)
class Curves:
    """Columns by name over one of them; `curves["left camber"]` is an array.

    axes: "ISO 8855" (x forward, y left, z up) or "SAE" (y right, z down)."""

    title: str
    over: str
    columns: dict[str, Column]
    axes: str = "ISO 8855"

    def __getitem__(self, name: str) -> Array:
        return self.column(name).values

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self[self.over])

    @check_arguments
    def column(self, name: str) -> Column:
        if name not in self.columns:
            raise unknown_name("column", name, self.columns)
        return self.columns[name]

    def unit(self, name: str) -> str:
        return self.column(name).unit

    def sae(self) -> Curves:
        """The same in SAE axes: x forward, y right, z down."""
        if self.axes == "SAE":
            return self
        turned = {
            name: replace(column, values=column.values * column.sae)
            for name, column in self.columns.items()
        }
        return replace(self, columns=turned, axes="SAE")

    @check_arguments
    def at(self, value: float) -> dict[str, float]:
        """All columns at a value of the swept one, between its points by straight lines."""
        x = self[self.over]
        if not min(x) <= value <= max(x):
            raise InputError(f"{self.over}: {value:g} is outside {min(x):g} to {max(x):g}.")
        order = np.argsort(x)
        return {
            name: float(np.interp(value, x[order], column.values[order]))
            for name, column in self.columns.items()
        }

    @check_arguments
    def anti(
        self, *, wheelbase: float, height: float, share: float = 1.0, drive: bool = False
    ) -> dict[str, Array]:
        """How much of the pitch under brakes (or drive torque) the links take, as a part of 1, of
        each side.

        wheelbase and height of the centre of mass, m; share: of this axle in the force.  Positive:
        the links push the wheel down in bump's sense against dive of a front axle; a rear axle's
        (anti-lift under brakes, anti-squat under drive) is the negative of it.  Brakes act on the
        hub, so the contact point counts; drive torque through shafts comes from the chassis, so the
        wheel's centre does."""
        for name, value in (("wheelbase", wheelbase), ("height", height)):
            if not value > 0.0:
                raise InputError(f"{name}: more than 0 (m), found {value!r}.")
        slope = "center slope" if drive else "contact slope"
        factor = share * wheelbase / height
        return {side: factor * self[f"{side} {slope}"] for side in ("left", "right")}

    def to_dict(self) -> dict[str, list[float]]:
        """Names with their units to plain numbers."""
        return {
            f"{name} [{column.unit}]" if column.unit else name: column.values.tolist()
            for name, column in self.columns.items()
        }

    def __str__(self) -> str:
        names = [self.over, *self._told("left"), "roll centre z"]
        names = [name for name in names if name in self.columns]
        heads = [name.removeprefix("left ") for name in names]
        units = [f"[{self.unit(name) or '-'}]" for name in names]
        wide = [max(len(head), len(unit), 10) + 2 for head, unit in zip(heads, units, strict=True)]
        count = len(self)
        picked = np.unique(np.linspace(0, count - 1, min(count, _ROWS)).round().astype(int))
        lines = [f"{self.title}: over {self.over}, left wheel, {self.axes} axes"]
        lines.append("".join(f"{head:>{w}}" for head, w in zip(heads, wide, strict=True)))
        lines.append("".join(f"{unit:>{w}}" for unit, w in zip(units, wide, strict=True)))
        for k in picked:
            numbers = [_rounded(self[name][k]) for name in names]
            lines.append("".join(f"{x:>{w}.5g}" for x, w in zip(numbers, wide, strict=True)))
        return "\n".join(lines)

    def _told(self, side: str) -> list[str]:
        return [
            f"{side} {name}"
            for name in _SHOWN
            if f"{side} {name}" in self.columns and not np.isnan(self[f"{side} {name}"]).all()
        ]

    @check_arguments
    def plot(
        self, *names: str, path: str | os.PathLike[str] | None = None, beside: Curves | None = None
    ) -> RunFigure:
        """A panel per quantity over the swept one; both sides where they differ.

        names: columns without their side ("camber"), default: the usual ones.  beside: other curves
        in the same panels.  path: where to write the picture."""
        wanted = names or tuple(x.removeprefix("left ") for x in self._told("left"))
        if not names and "roll centre z" in self.columns:
            wanted = (*wanted, "roll centre z")
        from armillary.sim.record.plotting import RunFigure

        figure = RunFigure(figsize=(9.0, 2.4 * ((len(wanted) + 1) // 2)), layout="constrained")
        grid = figure.subplots((len(wanted) + 1) // 2, 2, squeeze=False)
        for axes, name in zip(grid.flat, wanted, strict=False):
            for curves in (self, *([beside] if beside else [])):
                for label in curves.labels_of(name):
                    axes.plot(
                        curves[curves.over], curves[label], label=curves.legend_of(label, beside)
                    )
            unit = self.unit(self.labels_of(name)[0])
            axes.set_ylabel(f"{name} [{unit}]" if unit else name)
            axes.set_xlabel(f"{self.over} [{self.unit(self.over)}]")
            axes.grid(alpha=0.3)
            if len(axes.lines) > 1:
                axes.legend(fontsize="small")
        for axes in grid.flat[len(wanted) :]:
            axes.remove()
        figure.suptitle(f"{self.title}, {self.axes} axes")
        if path is not None:
            save_picture(figure, path)
        return figure

    @check_arguments
    def labels_of(self, name: str) -> list[str]:
        """Columns of a quantity: one where both sides are alike."""
        if name in self.columns:
            return [name]
        both = [f"{side} {name}" for side in ("left", "right")]
        if both[0] not in self.columns:
            raise unknown_name("column", name, {x.removeprefix("left ") for x in self.columns})
        same = np.allclose(self[both[0]], self[both[1]], rtol=1e-6, atol=1e-9)
        return both[:1] if same else both

    def legend_of(self, label: str, beside: Sequence[object] | object | None) -> str:
        """Name of a line, with its axle where there are several."""
        return f"{self.title}: {label}" if beside else label


def _rounded(x: float) -> float:
    """Zero where nothing but rounding is left."""
    return 0.0 if abs(x) < _NOISE else float(x)
