"""A linear model with names: dx/dt = A x + B u, y = C x + D u."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from armillary.analysis.point import Point
from armillary.analysis.variations import Variations
from armillary.evaluate.inputs import Array
from armillary.shown import shown

if TYPE_CHECKING:
    from scipy.signal import StateSpace

_MOST = 12  # columns that are printed


@shown
@dataclass(frozen=True)
class LinearModel:
    """Small motion about a state: dx/dt = A x + B u, y = C x + D u.

    x: changes of the independent coordinates, then of the independent velocities ("v.elbow") and
    of own states of force elements, against the motion that goes through the state; u: changes of
    forces; y: of the outputs.
    about: "rest"; "steady motion", where A stays the same on the way; or "passing state", where A
    holds for this instant alone and its eigenvalues say nothing about stability."""

    mechanism_name: str
    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    state_units: tuple[str, ...]
    inputs: tuple[str, ...]
    input_units: tuple[str, ...]
    outputs: tuple[str, ...]
    output_units: tuple[str, ...]
    about: str
    point: Point
    variations: Variations
    notes: tuple[str, ...] = ()

    @property
    def independent(self) -> tuple[str, ...]:
        """The coordinates that x is made of; the others follow from the constraints."""
        return self.states[: len(self.variations.positions)]

    @cached_property
    def eigenvalues(self) -> Array:
        """Of A, 1/s, as numpy finds them; `mechanism.modes` tells zero from rounding."""
        return np.asarray(np.linalg.eigvals(self.A))

    def coordinates(self, x: Array) -> tuple[Array, Array]:
        """Changes of all coordinates and velocities (nv) of a state x, dependent ones too."""
        d = self.variations
        k, last = len(d.positions), len(d.positions) + len(d.velocities)
        y, w = x[..., :k], x[..., k:last]
        return y @ d.N.T, y @ d.C.T + w @ d.V.T

    def to_scipy(self) -> StateSpace:
        """As `scipy.signal.StateSpace` (continuous time); names do not go with it."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    def __str__(self) -> str:
        lines = [
            f"linear model of '{self.mechanism_name}' about a {self.about}"
            if self.about != "rest"
            else f"linear model of '{self.mechanism_name}' about rest",
            f"x: {_units(self.states, self.state_units)}",
            f"u: {_units(self.inputs, self.input_units)}",
            f"y: {_units(self.outputs, self.output_units)}",
        ]
        for name, matrix, rows, columns in (
            ("A", self.A, self.states, self.states),
            ("B", self.B, self.states, self.inputs),
            ("C", self.C, self.outputs, self.states),
            ("D", self.D, self.outputs, self.inputs),
        ):
            lines += _matrix(name, matrix, rows, columns)
        return "\n".join([*lines, *(f"note: {text}" for text in self.notes)])


def _units(names: tuple[str, ...], units: tuple[str, ...]) -> str:
    shown = [f"{name} [{unit}]" for name, unit in zip(names, units, strict=True)]
    more = f", ... ({len(shown)} in all)" if len(shown) > _MOST else ""
    return ", ".join(shown[:_MOST]) + more


def _matrix(name: str, matrix: Array, rows: tuple[str, ...], columns: tuple[str, ...]) -> list[str]:
    """With the names of rows and columns; a large one by its shape alone."""
    shape = " x ".join(map(str, matrix.shape))
    if max(matrix.shape, default=0) > _MOST:
        return [f"{name}  ({shape})"]
    if not matrix.any():
        return [f"{name}  ({shape}): zero"]
    wide = max(12, *(len(column) + 2 for column in columns))
    first = max(len(row) for row in rows) + 2
    lines = [f"{name:<{first}}" + "".join(f"{column:>{wide}}" for column in columns)]
    shown = np.where(np.abs(matrix) < 1e-14 * np.abs(matrix).max(), 0.0, matrix)  # rounding
    for row, values in zip(rows, shown, strict=True):
        lines.append(f"{row:<{first}}" + "".join(f"{x + 0.0:>{wide}.6g}" for x in values))
    return lines
