"""Degrees of freedom, coordinates, rows: the few numbers that introduce a mechanism.

The rank is that of the rows where the mechanism starts, or where its rough start closes, so one
that starts in a singular configuration has more freedoms here than on its way; `Mobility` tells
both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armillary.constraints.constraint_solver import ConstraintSolver
from armillary.constraints.notes import OPEN
from armillary.errors import ArmillaryError
from armillary.model.describe import constraint_words, counted
from armillary.model.model import Model
from armillary.shown import shown

_LARGEST = 100  # coordinates and rows together: what an introduction may cost ends there
_STEPS = 40  # to the closed configuration near a rough start


@shown
@dataclass(frozen=True)
class Counts:
    """Of a mechanism where it starts."""

    coordinates: int  # of the tree
    rows: int
    rank: int | None = 0  # None: not counted
    opening: float = 0.0  # at the start, as a part of the machine's size; 0 if it is closed

    @property
    def freedoms(self) -> int | None:
        """Velocities that the constraints allow; None: not counted."""
        return None if self.rank is None else self.coordinates - self.rank

    @property
    def spare(self) -> int | None:
        """Rows that follow from others; None: not counted."""
        return None if self.rank is None else self.rows - self.rank

    def __str__(self) -> str:
        if not self.rows:
            return f"{counted(self.coordinates, 'degree', 'degrees')} of freedom"
        parts = [
            counted(self.coordinates, "coordinate", "coordinates"),
            counted(self.rows, "constraint row", "constraint rows"),
        ]
        if self.freedoms is not None:
            parts.insert(0, f"{counted(self.freedoms, 'degree', 'degrees')} of freedom")
        if self.spare:
            parts.append(f"overconstrained by {self.spare}")
        if self.opening:
            parts.append("open at its start")
        return ", ".join(parts)


def counts(model: Model, solver: Callable[[], ConstraintSolver]) -> Counts:
    """The counts of a mechanism; without a rank where it does not close or is large.

    solver: of its constraints, made only where there are some to count."""
    if not model.constraints:
        return Counts(model.nv, 0)
    rows = sum(constraint_words(model, part)[2] for part in model.constraints)
    if model.nv + rows > _LARGEST:
        return Counts(model.nv, rows, None)
    try:
        return Counts(model.nv, rows, *_rank(solver()))
    except (ArmillaryError, ArithmeticError, ValueError):  # an introduction complains of nothing
        return Counts(model.nv, rows, None)


def _rank(closed: ConstraintSolver) -> tuple[int | None, float]:
    """Rank of the rows where the mechanism closes, and how far its start is open (0: closed)."""
    equations, closer = closed.equations, closed.closer
    tolerance = max(OPEN, equations.geometry_tolerance)
    q = np.array(equations.tree.initial, float)
    terms = equations.terms(q[None])
    opening = closer.opening(terms.residual[0])
    if opening <= tolerance:
        return equations.factor(terms).rank, 0.0
    q, _ = closer.marquardt(q, steps=_STEPS)
    terms = equations.terms(q[None])
    is_closed = closer.opening(terms.residual[0]) <= tolerance
    return (equations.factor(terms).rank if is_closed else None), opening
