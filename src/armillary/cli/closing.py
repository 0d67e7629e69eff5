"""Constraints on the command line: closing a state first, what is amiss, and `assemble`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armillary import Mechanism, __version__
from armillary.cli import models, screen
from armillary.cli.options import Source, Words
from armillary.cli.remedies import spelled
from armillary.cli.states import Array, States, from_options
from armillary.constraints.pressing import pressed, pulling
from armillary.errors import Message, ModelError, Remedy

if TYPE_CHECKING:
    from armillary.constraints.assembly import Assembly

_AMISS = 1e-6  # rad, m and, per second, of the greatest velocity: what `solve` reports as well
_MOST = 4  # rows named in one message


def follow(mechanism: Mechanism, states: States) -> States:
    """Velocities and accelerations that were given by name are held; the others follow from the
    constraints with the least kinetic energy.  States that are open stay as they are."""
    named = {k: x for k, x in states.named.items() if k in ("v", "a")}
    if not mechanism.constraints or not named:
        return states
    values, notes = dict(states.values), list(states.notes)
    q = np.atleast_2d(values["q"])
    closed = np.abs(mechanism.constraint_residual(q)).max(axis=1, initial=0.0) <= _AMISS
    for kind, given in named.items():
        x = np.atleast_2d(np.array(values[kind], float))
        for k in np.flatnonzero(closed):
            own = {
                name: float(np.atleast_1d(y)[k if np.ndim(y) else 0]) for name, y in given.items()
            }
            if kind == "v":
                x[k] = mechanism.project(q[k], own)[1]
            else:
                x[k] = mechanism.project_acceleration(q[k], np.atleast_2d(values["v"])[k], own)
        values[kind] = x.reshape(np.shape(values[kind]))
        others = [label for label in mechanism.v_labels if label not in given]
        if closed.any() and others:
            few = ", ".join(others[:8]) + (", ..." if others[8:] else "")
            notes.append(f"{kind} of {few} follows from the constraints")
    return replace(states, values=values, notes=tuple(notes))


def close(
    mechanism: Mechanism, values: dict[str, Array], hold: Sequence[str] = ()
) -> tuple[dict[str, Array], list[str]]:
    """States with q closed and v consistent, what was changed, and what there is to say of q;
    ModelError where it cannot be.

    values: q, perhaps v, (n,) or (B, n).  hold: joints that keep their q and v."""
    if not mechanism.constraints:
        return values, []
    shape = values["q"].shape
    found = [closed_configuration(mechanism, x, hold) for x in np.atleast_2d(values["q"])]
    q = np.array([assembly.q for assembly in found])
    result, notes = dict(values, q=q.reshape(shape)), []
    if "v" in values and np.any(values["v"]):
        pairs = zip(q, np.atleast_2d(values["v"]), strict=True)
        v = np.array([mechanism.project(*pair, hold=hold)[1] for pair in pairs])
        result["v"] = v.reshape(values["v"].shape)
    for kind, done, unit in (("q", "closed", "rad or m"), ("v", "made consistent", "rad/s or m/s")):
        moved = float(np.abs(result[kind] - values[kind]).max()) if kind in values else 0.0
        if moved > 1e-9:
            notes.append(f"{kind} was {done}, its entries changed by at most {moved:.3g} {unit}")
    for k, assembly in enumerate(found):
        state = f"state {k + 1}: " if len(shape) > 1 else ""
        notes += [state + text for text in assembly.messages]
    return result, notes


def closed_configuration(mechanism: Mechanism, q: Array, hold: Sequence[str] = ()) -> Assembly:
    assembly = mechanism.assemble(q, hold)
    if not (assembly.closed or _opening(assembly) <= mechanism.geometry_tolerance):
        held = "hold fewer joints, " if hold else ""
        raise ModelError(
            f"'{mechanism.name}' cannot be closed near this q: {_open_rows(assembly)}. Give "
            f"another --q, {held}correct the lengths, or state their accuracy by "
            f"--geometry-tolerance."
        )
    return assembly


def _opening(assembly: Assembly) -> float:
    """Largest residual as a part of the machine's size."""
    size = np.array([1.0 if unit == "rad" else assembly.length for unit in assembly.units])
    return float(np.abs(assembly.residual / size).max(initial=0.0))


def _open_rows(assembly: Assembly) -> str:
    units = dict(zip(assembly.labels, assembly.units, strict=True))
    opening = assembly.open_rows.items()
    rows = [f"'{name}' stays open by {x:.3g} {units[name]}" for name, x in opening]
    return ", ".join(rows[:_MOST]) + (f" and {len(rows) - _MOST} more" if rows[_MOST:] else "")


def messages(
    mechanism: Mechanism, q: Array, v: Array, tau: Array, external: dict[str, Array], passive: bool
) -> Iterator[str]:
    """Contradictory rows, open loops, inconsistent velocities, what pulls; of a batch the worst of
    each."""
    if not mechanism.constraints:
        return
    if q.ndim == 1:
        yield from mechanism.solve(q, v, tau, external, passive).messages  # type: ignore[attr-defined]
        return
    labels, speed = mechanism.constraint_rows, max(float(np.abs(v).max(initial=0.0)), 1.0)
    residual, rate = mechanism.constraint_residual(q), mechanism.constraint_rate(q, v)
    for values, limit, text in (
        (residual, _AMISS, Message("is open by {:.3g};", Remedy("assemble"))),
        (rate, _AMISS * speed, Message("is violated by the velocity, {:.3g};", Remedy("project"))),
    ):
        states = np.flatnonzero(np.abs(values).max(axis=1, initial=0.0) > limit)
        if len(states):
            k, row = np.unravel_index(np.argmax(np.abs(values)), values.shape)
            most = f"{len(states)} of {len(values)} states, most in state {k + 1}: "
            yield f"{most}'{labels[row]}' {spelled(text).format(values[k, row])}"
    equations = mechanism.constraint_solver.equations
    if parts := pressed(equations):
        forces = mechanism.solve(q, v, tau, external, passive).multipliers  # type: ignore[attr-defined]
        found = pulling(equations, tau, forces)
        for part, own in zip(parts, found.T, strict=True):
            if own.any():
                yield f"{own.sum()} of {len(own)} states: {part.pulls(-part.force(forces).min())}"


# -- assemble ------------------------------------------------------------------------------------


def assemble(source: Source, q: Words, hold: Words, json: bool) -> bool:
    """Print a closed configuration; False where there is none near the guess."""
    mechanism = models.find(source)
    guess = from_options(mechanism, {"q": q}, None).values["q"]
    assembly = mechanism.assemble(guess, hold or ())
    units = models.units(mechanism, "q")
    if json:
        content: dict[str, object] = {
            "armillary": __version__,
            "command": "assemble",
            "mechanism": mechanism.name,
            "closed": assembly.closed,
            "labels": mechanism.q_labels,
            "units": units,
            "guess": guess,
            "q": assembly.q,
            "iterations": assembly.iterations,
            "messages": assembly.messages,
            "rows": {
                "labels": assembly.labels,
                "units": assembly.units,
                "residual": assembly.residual,
            },
        }
        screen.print_json(content)
        return assembly.closed
    if not assembly.closed:
        screen.complain(
            f"'{mechanism.name}' is not closed after {assembly.iterations} steps: "
            f"{_open_rows(assembly)}. Give another --q, hold fewer joints, correct the lengths, or "
            f"state their accuracy by --geometry-tolerance."
        )
        return False
    for text in assembly.messages:
        screen.note(text)
    screen.say(f"'{mechanism.name}': {assembly}, rad or m\n")
    numbers = [screen.numbers(x, 12) for x in (guess, assembly.q)]
    rows = zip(mechanism.q_labels, *numbers, units, strict=True)
    screen.table(["coordinate", ">guess", ">closed q", "unit"], rows)
    return True
