"""The first state of a run: closed, and with velocities that the constraints allow."""

from __future__ import annotations

import numpy as np

from armillary.errors import InputError
from armillary.functions.constrained.content import idle_note
from armillary.functions.inputs import Array
from armillary.sim.system import System

_OPEN = 1e-2  # of the machine's size: more is no rounding but another position
_ROUNDING = 1e-9


def consistent_start(
    system: System, t0: float, q: Array, v: Array, project: bool
) -> tuple[Array, Array, list[str]]:
    """q and v on the constraints, and what had to be changed.

    Driven coordinates begin where their motion does.  project: small openings are closed and
    velocities that are not allowed are taken out, both with a remark; else they are refused."""
    mechanism = system.mechanism
    notes: list[str] = []
    if not mechanism.model.constraints:
        return q, v, notes
    system.enter(t0, t0)
    moving = system.moving(t0)
    if system.drives:
        q, v = _onto_drives(system, t0, q, v, notes)
    rows = mechanism.constraint_rows
    if not rows:  # springs and dampers alone
        return q, v, notes
    if idle := idle_note(mechanism._engine):
        notes.append(idle)
    opening = np.abs(np.atleast_2d(mechanism.constraint_residual(q, moving)))
    rate = np.abs(np.atleast_2d(mechanism.constraint_rate(q, v, moving)))
    size = mechanism._engine.length
    rounding = max(_ROUNDING, mechanism.geometry_tolerance)
    row, column = np.unravel_index(int(opening.argmax()), opening.shape)
    worst = f"{opening[row, column]:.3g} (row '{rows[column]}')"
    if opening.max() > _OPEN * max(size, 1e-12) or (
        not project and opening.max() > rounding * size
    ):
        raise InputError(f"q0: the mechanism is open by {worst}. {_cure(system, t0)}")
    row, column = np.unravel_index(int(rate.argmax()), rate.shape)
    speed = 1.0 + np.abs(v).max(initial=0.0)
    inconsistent = rate.max() > rounding * speed * max(size, 1.0)
    fault = f"{rate[row, column]:.3g} along '{rows[column]}'"
    if inconsistent and not project:
        raise InputError(
            f"v0: the constraints do not allow it; it has {fault}. Use "
            f"q0, v0 = mechanism.project(q0, v0), or project=True."
        )
    if opening.max() > rounding * size:
        notes.append(f"q0 was open by {worst}; it was closed")
    closed, allowed = allowed_state(system, t0, q, v)
    if inconsistent:
        change = np.abs(allowed - v).max()
        notes.append(
            f"v0 was not consistent, {fault}; the nearest velocity by kinetic energy is used "
            f"(largest change {change:.3g})"
        )
    return (closed, allowed, notes) if project else (q, v, notes)


def allowed_state(system: System, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """q and v on the constraints where v is far off them (a start, an impact): the nearest by the
    kinetic energy of the run's own bodies, v' + Y M (v - v') for any v' that is allowed."""
    q, near = system.project(t, q, v)
    if system.parameters is None or not system.projection.needed:
        return q, near
    M = system.mechanism.mass_matrix(q, parameters=system.bodies())
    Y = system.mobility(q, near, np.zeros_like(near))
    return q, near + (Y @ (M @ (v - near)[..., None]))[..., 0]


def _onto_drives(
    system: System, t0: float, q: Array, v: Array, notes: list[str]
) -> tuple[Array, Array]:
    """Driven coordinates set to x and x'; the others keep theirs."""
    assert system.drives is not None
    values, q, v = system.drives.at(t0), q.copy(), v.copy()
    for number, i, k, label in system.drives.coordinates():
        x, rate = values[0, ..., number], values[1, ..., number]
        for name, entries, place, wanted in (("q0", q, i, x), ("v0", v, k, rate)):
            gap = np.max(np.abs(wanted - entries[..., place]), initial=0.0)
            if gap > _ROUNDING * (1.0 + np.max(np.abs(wanted))):
                shown = f"{float(np.ravel(wanted)[0]):.6g}"
                notes.append(f"{name}: '{label}' begins with its drive, at {shown} (was {gap:.3g} "
                             f"off)")  # fmt: skip
            entries[..., place] = wanted
    return q, v


def _cure(system: System, t0: float) -> str:
    driven = [label for *_, label in system.drives.coordinates()] if system.drives else []
    if not driven:
        return "Close it first: q0 = mechanism.assemble(q0).q."
    return (
        f"The drives begin at t0 = {t0:g} s; close it there: put {driven} to their places in q0, "
        f"then q0 = mechanism.assemble(q0, hold={driven}).q."
    )
