"""The first state of a run: closed, and with velocities that the constraints allow."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from armillary.constraints.admissible import listed
from armillary.constraints.holding import Named
from armillary.constraints.notes import idle_note
from armillary.constraints.questions import residual_and_rate
from armillary.errors import InadmissibleError, InputError, ModelError, Remedy
from armillary.evaluate.inputs import Array
from armillary.sim.control.loop_turns import LoopTurns
from armillary.sim.methods.run_view import RunView

_OPEN = 1e-2  # of the machine's size: more is no rounding but another position
_ROUNDING = 1e-9
_ALLOWED = 1e-6  # of the velocities: what rows may be missed by, at least
_SLOW = 1e-6  # 1/s: slower is rest
_LARGEST = 1e150  # squares beyond overflow: nobody knows whether the constraints allow it


@dataclass(frozen=True)
class Wanted:
    """What was asked for the first velocity."""

    named: Named | None = None  # entries that are held, the others follow
    given: bool = True  # False: nothing was said, and what the constraints ask for is right
    nearest: bool = False  # a velocity that is not allowed is replaced by the nearest one


@dataclass
class Start:
    """The first state, what had to be changed, and runs of a batch that cannot begin: why."""

    q: Array
    v: Array
    notes: list[str] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)


def consistent_start(
    view: RunView, t0: float, q: Array, v: Array, project: bool, wanted: Wanted
) -> Start:
    """The first state on the constraints.

    Driven coordinates begin where their motion does.  Velocities given by name are held, and the
    others follow with the least kinetic energy.  A full velocity that is not allowed is refused
    unless the nearest is wanted; runs of a batch are refused one by one.  project: small openings
    are closed, with a remark; else they are refused, too."""
    mechanism = view.mechanism
    start = Start(q, v)
    if not mechanism.model.constraints:
        if wanted.named is not None:
            start.v = _followed(view, t0, q, v, wanted.named)
        return start
    start.notes += _turns_told(view)
    view.setup.enter(t0, t0)
    moving = view.moving(t0)
    if view.setup.prescribed:
        start.q, start.v = _onto_drives(view, t0, q, v, wanted, start.notes)
    if not mechanism.constraint_rows:  # springs and dampers alone
        if wanted.named is not None:
            start.v = _followed(view, t0, start.q, start.v, wanted.named)
        return start
    if idle := idle_note(mechanism.constraint_solver.equations):
        start.notes.append(idle)
    given = start.v if wanted.named is None else np.zeros_like(start.v)
    residual, rate = residual_and_rate(mechanism, start.q, given, moving)
    opening, worst = _opening(view, t0, residual, project)
    if wanted.named is not None:
        return _by_names(view, t0, start, wanted.named, opening, worst)
    return _as_given(view, t0, start, project, wanted, opening, worst, rate)


def _turns_told(view: RunView) -> list[str]:
    """Of springs in loops: in which turn they begin, or that turns are not counted."""
    uncounted = view.mechanism.constraint_solver.equations.constraints.uncounted
    counted = [block for block in view.setup.chain.blocks if isinstance(block, LoopTurns)]
    if not counted:
        return list(uncounted)
    return [
        f"'{name}' begins in the turn nearest to the rest of its spring; turns are counted from "
        f"there"
        for block in counted
        for name in block.states
    ]


def _opening(view: RunView, t0: float, residual: Array, project: bool) -> tuple[float, str]:
    """How far q0 is open at most, as a part of the machine's size, and where, in words."""
    rows, size = (
        view.mechanism.constraint_rows,
        view.mechanism.constraint_solver.equations.length,
    )
    gaps = np.atleast_2d(residual)
    opening = np.abs(gaps)
    row, column = np.unravel_index(int(opening.argmax()), opening.shape)
    worst = f"{opening[row, column]:.3g} (row '{rows[column]}')"
    part = float(opening.max()) / max(size, 1e-12)
    rounding = _rounding(view)
    if part > _OPEN or (not project and part > rounding):
        raise _open(view, t0, int(column), float(gaps[row, column]), worst)
    return part, worst


def _rounding(view: RunView) -> float:
    """What counts as closed and consistent, as a part of the machine's size and speed."""
    return max(_ROUNDING, view.mechanism.geometry_tolerance)


def _by_names(
    view: RunView, t0: float, start: Start, named: Named, opening: float, worst: str
) -> Start:
    """Velocities given by name, and the others as the constraints and the least energy ask."""
    if opening > _rounding(view):
        start.notes.append(f"q0 was open by {worst}; it was closed")
    start.q = allowed_state(view, t0, start.q, start.v)[0]
    many = start.q.ndim == 2
    for k in range(len(start.q)) if many else (None,):
        own = ... if k is None else k
        try:
            start.v[own] = _followed(view, t0, start.q[own], start.v[own], named, k)
        except ModelError as fault:
            if k is None:
                raise InputError(f"v0: {fault}") from None
            start.refused[k] = f"v0: {fault}"
    if many and len(start.refused) == len(start.q):
        raise InputError(start.refused[0])
    return start


def _followed(
    view: RunView, t0: float, q: Array, v: Array, named: Named, row: int | None = None
) -> Array:
    """v with the named entries as given; row: of a batch."""
    moving = view.moving(t0)
    bodies = view.setup.parameters
    if row is not None:
        moving = None if moving is None else moving.of(row)
        bodies = bodies[row] if bodies is not None and bodies.ndim == 2 else bodies
        named = named.row(row)
    places = np.atleast_2d(q)
    found = view.mechanism.constraint_solver.projector.velocities_with(
        places,
        np.zeros((len(places), v.shape[-1])),
        named.held,
        named,
        moving,
        None if bodies is None else np.broadcast_to(bodies, (len(places), bodies.shape[-1])),
    )
    return found.reshape(v.shape)


def _as_given(
    view: RunView,
    t0: float,
    start: Start,
    project: bool,
    wanted: Wanted,
    opening: float,
    worst: str,
    rates: Array,
) -> Start:
    """A full velocity, with its rates along the rows: allowed, refused, or the nearest instead."""
    mechanism, v = view.mechanism, start.v
    rows, size = mechanism.constraint_rows, mechanism.constraint_solver.equations.length
    rounding = _rounding(view)
    rate = np.abs(np.atleast_2d(rates))
    row, column = np.unravel_index(int(rate.argmax()), rate.shape)
    speed = 1.0 + np.abs(v).max(initial=0.0)
    inconsistent = rate.max() > rounding * speed * max(size, 1.0)
    fault = f"{rate[row, column]:.3g} along '{rows[column]}'"
    if inconsistent and not project:
        raise InputError(
            f"v0: the constraints do not allow it; it has {fault}.", Remedy("project v0")
        )
    if v.ndim == 1 and np.abs(v).max(initial=0.0) > _LARGEST:  # its energy overflows
        mechanism.evaluator.refuse_not_finite({"q": start.q, "v": v}, np.full(1, np.nan))
    closed, allowed = allowed_state(view, t0, start.q, v)
    driven = any(text.startswith("v0") for text in start.notes)
    if wanted.given and not wanted.nearest and not driven:
        _refuse(view, start, rate, allowed, opening)
    drawn = view.setup.baumgarte is not None and not view.setup.prescribed
    if opening > rounding:
        start.notes.append(
            f"q0 was open by {worst}; it {'is drawn back' if drawn else 'was closed'}"
        )
    if inconsistent and wanted.given and not start.refused:
        change = np.abs(allowed - v).max()
        start.notes.append(
            f"v0 was not consistent, {fault}; the nearest velocity by kinetic energy is used "
            f"(largest change {change:.3g})"
        )
    if project:
        kept = np.array([k not in start.refused for k in range(len(rate))])
        start.q = start.q if drawn else closed
        start.v = np.where(kept[:, None], allowed, v).reshape(v.shape)
    return start


def _refuse(view: RunView, start: Start, rate: Array, allowed: Array, opening: float) -> None:
    """Runs whose velocity the constraints do not allow, beyond the accuracy of the geometry and of
    q0.  An error where all are like that."""
    equations = view.mechanism.constraint_solver.equations
    s, label = equations.scaling, equations.constraints.labels
    tolerance = max(_ALLOWED, equations.geometry_tolerance, 10.0 * opening)
    speeds = np.abs(np.atleast_2d(start.v) / s.columns).max(axis=1)
    missed = s.rows / s.length * rate  # 1/s
    bad = np.flatnonzero(missed.max(axis=1) > tolerance * np.maximum(speeds, _SLOW))
    nearest = np.atleast_2d(allowed)
    for k in bad:
        worst = int(np.argmax(missed[k]))
        text = (
            f"v0: the constraints do not allow it; it has {rate[k, worst]:.3g} along "
            f"'{label[worst]}'. The nearest that they allow is v0 = {listed(equations, nearest[k])}"
        )
        if len(bad) == len(rate):
            example = int(np.argmax(np.abs(np.atleast_2d(start.v)[k] / s.columns)))
            name, value = equations.model.v_labels[example], np.atleast_2d(start.v)[k, example]
            raise InadmissibleError(
                f"{text}.",
                nearest[k],
                None if start.v.ndim == 1 else int(k),
                Remedy("hold v0", {"joint": name, "value": value}),
            )
        start.refused[int(k)] = text


def allowed_state(view: RunView, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """q and v on the constraints where v is far off them (a start, an impact): the nearest by the
    kinetic energy of the run's own bodies, v' + Y M (v - v') for any v' that is allowed."""
    q, near = view.project(t, q, v)
    if view.setup.parameters is None or not view.projection.needed:
        return q, near
    M = view.mechanism.mass_matrix(q, parameters=view.bodies())
    Y = view.mobility(q)
    return q, near + (Y @ (M @ (v - near)[..., None]))[..., 0]


def _onto_drives(
    view: RunView, t0: float, q: Array, v: Array, wanted: Wanted, notes: list[str]
) -> tuple[Array, Array]:
    """Driven coordinates set to x and x', which is told where something else was given; the others
    keep theirs."""
    assert view.setup.prescribed is not None
    values, q, v = view.setup.prescribed.at(t0), q.copy(), v.copy()
    given = {("q", k): q[..., k].copy() for k in range(q.shape[-1])}
    if wanted.given and wanted.named is None:  # named ones that differ are refused
        given |= {("v", k): v[..., k].copy() for k in range(v.shape[-1])}
    for number, i, k, label in view.setup.prescribed.coordinates():
        x, rate = values[0, ..., number], values[1, ..., number]
        for name, entries, place, own in (("q", q, i, x), ("v", v, k, rate)):
            gap = np.max(np.abs(own - given.get((name, place), own)), initial=0.0)
            if gap > _ROUNDING * (1.0 + np.max(np.abs(own))):
                moved = f"{float(np.ravel(own)[0]):.6g} (was {gap:.3g} off)"
                notes.append(f"{name}0: '{label}' begins with its prescribed motion, at {moved}")
            entries[..., place] = own
    return q, v


def _open(view: RunView, t0: float, row: int, gap: float, worst: str) -> InputError:
    """row: the one that is open, by the gap."""
    text = f"q0: the mechanism is open by {worst}."
    mechanism, prescribed = view.mechanism, view.setup.prescribed
    begins = prescribed.place(mechanism, row, t0) if prescribed else None
    label = mechanism.constraint_rows[row]
    unit = mechanism.constraint_solver.equations.constraints.units[row]
    if begins is not None:
        return InputError(
            f"{text} '{label}' is driven and begins at {begins:.6g} {unit}, and q0 has it at "
            f"{begins + gap:.6g} {unit}. Let its motion begin there, or choose a q0 where it is "
            f"{begins:.6g} {unit}."
        )
    driven = [label for *_, label in prescribed.coordinates()] if prescribed else []
    if not driven:
        return InputError(text, Remedy("assemble q0"))
    return InputError(text, Remedy("assemble q0 at motions", {"t0": t0, "joints": driven}))
