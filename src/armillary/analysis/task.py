"""The motion of a frame as a task: which of its rows count, and what drives it.

Rows: rx, ry, rz turns and dx, dy, dz displacements along the world's axes, at the frame's origin.
Drives: the columns of V (nv, k) are velocities of the whole mechanism, one per drive at 1 rad/s or
1 m/s; in a tree V is the identity.  Jacobian of the task: A = J V.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armillary.analysis.allowed import Allowed
from armillary.analysis.classification import TASK_ROWS, asked_frame
from armillary.analysis.point import closed_state
from armillary.constraints.actuation import actuator_indices
from armillary.errors import InputError, ModelError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State, names_of
from armillary.mechanism.mechanism import Mechanism

GROUPS = {"all": TASK_ROWS, "angular": TASK_ROWS[:3], "linear": TASK_ROWS[3:]}
_STILL = 1e-9  # of the machine's size: a row that moves less never moves


@dataclass(frozen=True)
class Task:
    """A frame, the rows of its motion that count, and the drives, at one configuration."""

    mechanism: Mechanism
    q: Array
    frame: str
    rows: tuple[str, ...]
    V: Array
    drives: tuple[str, ...]
    drive_units: tuple[str, ...]

    @property
    def places(self) -> list[int]:
        return [TASK_ROWS.index(row) for row in self.rows]

    @property
    def J(self) -> Array:
        """(rows, nv)."""
        return Allowed(self.mechanism).jacobian(self.q, self.frame, self.places)

    @property
    def A(self) -> Array:
        """(rows, drives)."""
        return np.asarray(self.J @ self.V)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple("rad" if row[0] == "r" else "m" for row in self.rows)

    @property
    def lengths(self) -> Array:
        """(rows,): 1 for turns, 1 over the machine's size for displacements."""
        size = Allowed(self.mechanism).length
        return np.array([1.0 if unit == "rad" else 1.0 / size for unit in self.units])


def task(
    mechanism: Mechanism,
    question: str,
    q: State | None,
    frame: str | None,
    rows: str | Sequence[str],
    actuators: Sequence[str] | None,
) -> Task:
    """Checked: rows by names or a group ("all", "linear", "angular"), less those that never move.

    actuators: of a closed mechanism, as many joints as it has freedoms; without, its free motions
    of unit length (1 rad, or the machine's size)."""
    at = closed_state(mechanism, question, q=mechanism.initial if q is None else q)["q"]
    name = asked_frame(mechanism.model, frame)
    allowed = Allowed(mechanism)
    V, drives, units = _drives(mechanism, at, actuators)
    found = Task(mechanism, at, name, _rows(rows), V, drives, units)
    moving = _moving(found, allowed)
    if not moving:
        raise ModelError(
            f"{question}: the frame '{name}' of '{mechanism.name}' cannot move along "
            f"{', '.join(found.rows)}. Name another frame, or other rows."
        )
    return Task(mechanism, at, name, moving, V, drives, units)


def _rows(rows: str | Sequence[str]) -> tuple[str, ...]:
    named = names_of("rows", rows)
    chosen = GROUPS.get(rows, named) if isinstance(rows, str) else named
    for row in chosen:
        if row not in TASK_ROWS:
            raise unknown_name("row", row, (*GROUPS, *TASK_ROWS))
    if not chosen or len(set(chosen)) != len(chosen):
        raise InputError(f"rows: expected different ones of {', '.join(TASK_ROWS)}; found {rows}.")
    return tuple(chosen)


def _moving(asked: Task, allowed: Allowed) -> tuple[str, ...]:
    """Rows that move here or nearby."""
    N = allowed.motions(asked.q)
    places = [asked.q, *(allowed.near(asked.q, N, seed) for seed in range(3))]
    sizes = [
        np.abs(
            asked.lengths[:, None]
            * allowed.jacobian(x, asked.frame, asked.places)
            @ allowed.motions(x)
        ).max(axis=1, initial=0.0)
        for x in places
    ]
    return tuple(
        row for row, size in zip(asked.rows, np.max(sizes, axis=0), strict=True) if size > _STILL
    )


def _drives(
    mechanism: Mechanism, q: Array, actuators: Sequence[str] | None
) -> tuple[Array, tuple[str, ...], tuple[str, ...]]:
    N, labels = Allowed(mechanism).motions(q), mechanism.v_labels
    if actuators is None:
        if not mechanism.constraints:
            return np.eye(mechanism.nv), labels, mechanism.v_units
        names = tuple(f"free motion {k + 1}" for k in range(N.shape[1]))
        return N, names, ("1",) * len(names)
    chosen = actuator_indices(mechanism.constraint_solver.equations, actuators)
    if not mechanism.constraints:
        V = np.eye(mechanism.nv)[:, chosen]
    elif len(chosen) == N.shape[1] and np.linalg.cond(N[chosen]) < 1e12:
        V = N @ np.linalg.inv(N[chosen])
    else:
        raise InputError(
            f"actuators: expected {N.shape[1]} joints of '{mechanism.name}' whose rates are "
            f"independent here, found {', '.join(labels[k] for k in chosen)}."
        )
    return V, tuple(labels[k] for k in chosen), tuple(mechanism.v_units[k] for k in chosen)
