"""The error of a run with fixed steps, from a second run with half the step.

A method of order p has the error C h^p + ..., so that the numbers of the two runs tell

    x(h) - x(h/2) = C h^p (1 - 2^-p)      ->      error of x(h) = 2^p / (2^p - 1) |x(h) - x(h/2)|

[Richardson].  At an event the motion bends or jumps, at a moment that depends on the step: the
estimate holds up to the first one and says so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.errors import ArmillaryError, InputError
from armillary.evaluate.inputs import Array
from armillary.sim.methods.choice import METHODS
from armillary.sim.methods.tableaux import EXPLICIT, LINEARLY_IMPLICIT
from armillary.sim.record.error_estimate import ErrorEstimate
from armillary.sim.record.layout import Json
from armillary.sim.record.panels import ROUNDING, Sizes
from armillary.sim.record.run import Run

ORDERS = {
    **{name: table.order for name, table in EXPLICIT.items() if not table.error},
    **{name: table.order for name, table in LINEARLY_IMPLICIT.items()},
    "semi-implicit": 1,
    "exponential-euler": 1,
    "exponential": 2,
    "variational": 2,
}


def with_error_estimate(simulate: Callable[..., Run], given: Json) -> Run:
    """The run of these arguments, and beside it how far its numbers may be off."""
    method = given["method"]
    if method in METHODS and method not in ORDERS:
        raise InputError(
            f"estimate_error: the steps of '{method}' follow the tolerance; compare with a run of "
            f"a smaller tolerance=, or take a method with fixed steps."
        )
    if given["resume"]:
        raise InputError(
            "estimate_error: a run that goes on begins with the error of its first part, which is "
            "not known. Leave resume out."
        )
    run = simulate(**given | {"estimate_error": False})
    finer = {"step": given["step"] / 2.0, "every": 2 * int(given["every"])}
    finer |= {"out": None, "progress": None, "overwrite": False, "estimate_error": False}
    try:
        half: Run | None = simulate(**given | finer)
        reason = ""
    except ArmillaryError as fault:
        half, reason = None, f"the run with half the step failed: {fault}"
    if half is None:
        run.error_estimate = ErrorEstimate({}, {}, None, (reason,))
    else:
        run.error_estimate = compared(run, half, ORDERS[method])
    if given["out"] is not None:
        run.save(given["out"], overwrite=True)
    return run


def compared(run: Run, half: Run, order: int) -> ErrorEstimate:
    """From the numbers of both runs at the same instants."""
    count, until, notes = _comparable(run, half)
    factor = 2.0**order / (2.0**order - 1.0)
    relative, absolute, known = {}, {}, Sizes([run])
    for name in run.names if count > 1 else ():
        if name not in half:
            continue
        mine = run[name][:count]
        error = factor * np.abs(mine - half[name][:count])
        if not np.isfinite(error).any():
            continue
        absolute[name] = float(np.nanmax(error))
        sizes = np.fmax(np.abs(mine), np.abs(half[name][:count]))
        relative[name] = _relative(run, name, sizes, error, known)
    if not relative:
        notes.append("nothing to compare")
    return ErrorEstimate(relative, absolute, until, tuple(notes))


def _comparable(run: Run, half: Run) -> tuple[int, float | None, list[str]]:
    """How many instants both have before anything happens; the last of them where that is not the
    whole run, and why."""
    count, notes = min(len(run), len(half)), list[str]()
    begin = float(run.time[0]) if len(run) else 0.0
    first = min((t for t, _ in (*run.events, *half.events) if t > begin), default=np.inf)
    before = int(np.sum(run.time[:count] < first))
    if before < count:
        count = before
        notes.append(f"an event at t = {first:.6g} s makes the motion bend or jump")
    apart = np.abs(run.time[:count] - half.time[:count]) > 1e-6 * max(run.step, 1e-300)
    if apart.any():
        count = int(np.argmax(apart))
        notes.append("the runs were recorded at other instants")
    if len(half) < len(run) and not notes:
        notes.append(f"the run with half the step ended early: {half.message}")
    until = None if count == len(run) else float(run.time[count - 1]) if count else begin
    return count, until, notes


def _relative(run: Run, name: str, sizes: Array, error: Array, known: Sizes) -> float:
    """The largest error over the largest number of the same unit; none of what is zero up to the
    rounding of what it comes from (a drift beside positions)."""
    units = np.array(run.units[name])
    if not run.labels[name]:
        sizes, error = sizes[..., None], error[..., None]
    found = 0.0
    for unit in dict.fromkeys(units.tolist()):
        own = units == unit
        most = float(np.nanmax(error[..., own], initial=0.0))
        size = float(np.nanmax(sizes[..., own], initial=0.0))
        found = max(found, most / size if size > ROUNDING * known.of(unit) else 0.0)
    return found
