"""Rows that move as prescribed: where they are, how fast, and how that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.constraints.rows import Terms
from armillary.evaluate.inputs import Array

Index = int | NDArray[np.integer | np.bool_] | np.bool_  # one state of a batch, or some


@dataclass(frozen=True)
class RowMotion:
    """Motion that is given for the rows of all constraints, in their order (0: as modelled):

        residual(q) = x,    J v = x',    J a - gamma = x''

    place x, velocity x', acceleration x'': (m,) or (B, m), rad or m and seconds."""

    place: Array
    velocity: Array
    acceleration: Array

    def shifted(self, terms: Terms) -> Terms:
        """The same rows with residual and rate counted from the prescribed motion."""
        return replace(terms, residual=terms.residual - self.place, rate=terms.rate - self.velocity)

    def of(self, rows: Index) -> RowMotion:
        """The motion of some states of a batch."""
        return RowMotion(*(x[rows] if x.ndim == 2 else x for x in self.parts))

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        return self.place, self.velocity, self.acceleration


Prescribed = Mapping[str, ArrayLike] | RowMotion | None


def spread(x: Array, count: int) -> Array:
    """One row per state."""
    return np.ascontiguousarray(np.broadcast_to(x, (count, x.shape[-1])))


def of_states(prescribed: Prescribed, rows: Index, count: int) -> Prescribed:
    """What belongs to the chosen states of a batch of `count`."""
    if prescribed is None or isinstance(prescribed, RowMotion):
        return prescribed.of(rows) if prescribed is not None else None
    return {name: rows_of(np.asarray(x, float), rows, count) for name, x in prescribed.items()}


def rows_of(x: Array, rows: Index, count: int) -> Array:
    """The chosen rows of a batch, or the one row that serves all."""
    return x[rows] if x.ndim == 2 and len(x) == count else x
