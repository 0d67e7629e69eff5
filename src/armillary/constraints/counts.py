"""Degrees of freedom, coordinates, rows: the few numbers that introduce a mechanism.

Freedoms are those that lead on (`Mobility.finite`) where the mechanism starts, or where its rough
start closes.  One that starts in a singular configuration is said to do so: it has more velocities
there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armillary.constraints.constraint_solver import ConstraintSolver
from armillary.constraints.mobility import leading_on
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
    rank: int | None = 0  # in general position; None: not counted
    opening: float = 0.0  # at the start, as a part of the machine's size; 0 if it is closed
    velocities: int | None = None  # that are allowed at a singular start; None: it is regular

    @property
    def freedoms(self) -> int | None:
        """Motions that the constraints allow; None: not counted."""
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
        if self.velocities is not None:
            allowed = counted(self.velocities, "velocity", "velocities")
            parts.append(f"singular at its start ({allowed} allowed)")
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


def _rank(closed: ConstraintSolver) -> tuple[int | None, float, int | None]:
    """Rank of the rows where the mechanism closes, how far its start is open (0: closed), and the
    velocities that are allowed there if that is a singular place."""
    equations, closer = closed.equations, closed.closer
    tolerance = max(OPEN, equations.geometry_tolerance)
    q, found = np.array(equations.tree.initial, float), 0.0
    terms = equations.terms(q[None])
    opening = closer.opening(terms.residual[0])
    if opening > tolerance:
        found = opening
        q, _ = closer.marquardt(q, steps=_STEPS)
        terms = equations.terms(q[None])
        if closer.opening(terms.residual[0]) > tolerance:
            return None, found, None
    factor = equations.factor(terms)
    freedoms = leading_on(equations, closed.projector, q, factor)
    velocities = equations.tables.nv - factor.rank
    singular = velocities if velocities != freedoms else None
    return equations.tables.nv - freedoms, found, singular
