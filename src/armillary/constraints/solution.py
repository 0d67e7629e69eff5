"""Everything about a constrained state: accelerations, every force, balances, determinacy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.self_stress import Determinacy
from armillary.errors import Message, unknown_name
from armillary.evaluate.deferred import Later
from armillary.evaluate.inputs import Array
from armillary.evaluate.results import Power, Solution, aligned, wrench_heads
from armillary.joints.rolling import ROWS
from armillary.model.model import Model
from armillary.shown import shown


@shown
@dataclass(frozen=True)
class ConstraintForces:
    """Forces in loops, rods, surfaces, contacts and wheels: wrenches (n; f) on the second body, in
    the second frame at its origin; and generalised forces of couplings and prescribed motions."""

    model: Model
    names: tuple[str, ...]  # constraints between frames
    kinds: tuple[str, ...]
    bodies: tuple[str, ...]  # the body each force acts on
    wrench: Array  # (..., constraints, 6)
    axis_names: tuple[str, ...]
    axis_units: tuple[str, ...]
    axis: Array  # (..., axis constraints)
    where: str = "in the constraint's second frame"

    def __getitem__(self, name: str) -> Array:
        if name in self.names:
            return self.wrench[..., self.names.index(name), :]
        if name in self.axis_names:
            return np.asarray(self.axis[..., self.axis_names.index(name)])
        raise unknown_name("constraint", name, (*self.names, *self.axis_names))

    def __iter__(self) -> Iterator[str]:
        return iter((*self.names, *self.axis_names))

    def __len__(self) -> int:
        return len(self.names) + len(self.axis_names)

    def __str__(self) -> str:
        if self.wrench.ndim != 2:
            return f"forces of {len(self)} constraints, {len(self.wrench)} states"
        lines = [
            f"force of each constraint on the named body, {self.where}",
            f"{'constraint':<22}{'on body':<16}{wrench_heads()}",
        ]
        parts = zip(self.names, self.bodies, self.wrench, strict=True)
        lines += [f"{name:<22}{body:<16}" + aligned(w) for name, body, w in parts]
        for name, unit, x in zip(self.axis_names, self.axis_units, self.axis, strict=True):
            lines.append(f"{name:<22}{'along its axis':<16}{x + 0.0:>13.6g} {unit}")
        return "\n".join(lines)


@shown
@dataclass(frozen=True)
class WheelForces:
    """Forces of the ground on wheels at their contacts, N: along the ground's normal, along the
    track (longitudinal) and across it (lateral); 0 along rows that a wheel does not have."""

    names: tuple[str, ...]
    force: Array  # (..., wheels, 3): normal, longitudinal, lateral

    rows = ROWS

    def __getitem__(self, name: str) -> dict[str, Array]:
        if name not in self.names:
            raise unknown_name("wheel", name, self.names)
        own = self.force[..., self.names.index(name), :]
        return {row: own[..., k] for k, row in enumerate(ROWS)}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        if self.force.ndim != 2:
            return f"forces of {len(self)} wheels, {len(self.force)} states"
        lines = [
            "force of the ground on each wheel, in the ground's axes",
            f"{'wheel':<22}" + "".join(f"{f'{row} [N]':>17}" for row in ROWS),
        ]
        for name, force in zip(self.names, self.force, strict=True):
            lines.append(f"{name:<22}" + "".join(f"{x + 0.0:>17.6g}" for x in force))
        return "\n".join(lines)


@shown
@dataclass(frozen=True, kw_only=True)
class ConstrainedSolution(Solution):
    """A `Solution` with the forces of the constraints and what is known about them.

    Of a batch, arrays have a leading axis and `states` holds one `Determinacy` per state.  Forces
    are there at once; ranks, determinacy, balances and notes are found when they are asked for."""

    constraint_forces: ConstraintForces
    multipliers: Array  # (..., rows)
    row_labels: tuple[str, ...]
    convention: str
    suspect: NDArray[np.bool_]  # (...): rows may be nearly dependent; `condition` tells
    residual: Later[Array] = Later()  # (..., rows): how far rows are open, rad or m
    rate: Later[Array] = Later()  # (..., rows): velocity along rows, per second
    conflict: Later[Array] = Later()  # (..., rows): acceleration that rows ask for and do not get
    rank: Later[Array] = Later()
    states: Later[tuple[Determinacy, ...]] = Later()
    balance: Later[Power] = Later()
    notes: Later[tuple[tuple[str, ...], ...]] = Later()  # of every state
    condition: Later[Array] = Later()  # (...): of the scaled rows, over their rank

    @property
    def wheel_forces(self) -> WheelForces:
        """Forces of the ground on all wheels, by the names of their rows."""
        force = np.zeros((*self.multipliers.shape[:-1], len(self.model.wheels), len(ROWS)))
        for k, wheel in enumerate(self.model.wheels):
            for row in wheel.rows:
                label = self.row_labels.index(f"{wheel.name}.{row}")
                force[..., k, ROWS.index(row)] = self.multipliers[..., label]
        return WheelForces(tuple(wheel.name for wheel in self.model.wheels), force)

    @property
    def determinacy(self) -> Determinacy:
        """Of the first (or only) state."""
        return self.states[0]

    @property
    def messages(self) -> tuple[str, ...]:
        """What a reader should know: contradictory rows, open loops, inconsistent velocities,
        closures that are nearly singular."""
        if self.acceleration.ndim == 1:
            return self.notes[0]
        pairs = ((k, text) for k, texts in enumerate(self.notes) for text in texts)
        return tuple(Message(text, before=f"state {k}: ") for k, text in pairs)

    def __str__(self) -> str:
        text = super().__str__()
        if self.acceleration.ndim != 1:
            return text
        lines = [text, "", str(self.constraint_forces), "", str(self.determinacy)]
        if self.determinacy.static_indeterminacy:
            lines.append(f"values of the others by convention: {self.convention}")
        return "\n".join([*lines, str(self.balance), *("warning: " + m for m in self.messages)])
