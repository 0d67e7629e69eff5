"""The first state of a run: closed, and with velocities that the constraints allow."""

from __future__ import annotations

import numpy as np

from armillary.errors import InputError
from armillary.functions.inputs import Array
from armillary.sim.system import System

_OPEN = 1e-2  # of the machine's size: more is no rounding but another position
_ROUNDING = 1e-9


def consistent_start(
    system: System, q: Array, v: Array, project: bool
) -> tuple[Array, Array, list[str]]:
    """q and v on the constraints, and what had to be changed.

    project: small openings are closed and velocities that are not allowed are taken out, both
    with a remark; else they are refused."""
    mechanism = system.mechanism
    notes: list[str] = []
    if not mechanism.model.constraints:
        return q, v, notes
    rows = mechanism.constraint_rows
    opening = np.abs(np.atleast_2d(mechanism.constraint_residual(q)))
    rate = np.abs(np.atleast_2d(mechanism.constraint_rate(q, v)))
    size = mechanism._engine.length
    row, column = np.unravel_index(int(opening.argmax()), opening.shape)
    worst = f"{opening[row, column]:.3g} (row '{rows[column]}')"
    if opening.max() > _OPEN * max(size, 1e-12) or (
        not project and opening.max() > _ROUNDING * size
    ):
        raise InputError(
            f"q0: the mechanism is open by {worst}. Close it first: q0 = mechanism.assemble(q0).q."
        )
    row, column = np.unravel_index(int(rate.argmax()), rate.shape)
    speed = 1.0 + np.abs(v).max(initial=0.0)
    inconsistent = rate.max() > _ROUNDING * speed * max(size, 1.0)
    fault = f"{rate[row, column]:.3g} along '{rows[column]}'"
    if inconsistent and not project:
        raise InputError(
            f"v0: the constraints do not allow it; it has {fault}. Use "
            f"q0, v0 = mechanism.project(q0, v0), or project=True."
        )
    if opening.max() > _ROUNDING * size:
        notes.append(f"q0 was open by {worst}; it was closed")
    closed, allowed = system.projection(q, v)
    if inconsistent:
        change = np.abs(allowed - v).max()
        notes.append(
            f"v0 was not consistent, {fault}; the nearest velocity by kinetic energy is used "
            f"(largest change {change:.3g})"
        )
    return (closed, allowed, notes) if project else (q, v, notes)
