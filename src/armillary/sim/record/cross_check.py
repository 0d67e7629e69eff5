"""Recorded cross-checks: the same instant by every formulation that knows the mechanism.

    record=("q", "check")        at every recorded instant
    record=("q", "check:0.5")    at the first recorded one of every half second

Columns: the greatest relative difference of any answer or law (`worst`), how many formulations and
laws stand against the others (`contradicting`), and how far each formulation is from the others.
Instants that are not checked are NaN.  The first contradiction is told among the run's events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError, InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.record.recorded_states import States

WORST, CONTRADICTING = "worst", "contradicting"
_SAME = 1e-9  # of the distance of instants: times that are meant to be equal


def check_columns(m: Mechanism) -> tuple[tuple[str, str], ...]:
    names = (WORST, CONTRADICTING, *_formulations(m))
    return tuple((name, "1") for name in names)


def _formulations(m: Mechanism) -> list[str]:
    """Those that `Mechanism.check` asks."""
    from armillary.textbook.formulations.registry import formulations

    other = "forward dynamics" if m.constraints else "constrained dynamics"
    return [row.name for row in formulations(mechanism=m) if row.quantity != other]


def checked(every: float | None) -> Callable[[States], Array]:
    """How a block of states gives the columns; every: seconds between checks, None: no limit."""

    def values(s: States) -> Array:
        turns = s.turn_wrenches is not None
        refuse_check(["check"], s.mechanism, turns or s.moving is not None, s.parameters)
        names = [label for label, _ in check_columns(s.mechanism)]
        found = np.full((len(s.q), len(names)), np.nan)
        for k in np.flatnonzero(_chosen(s, every)):
            found[k] = _row(s, int(k), names)
        return found

    return values


def refuse_check(
    names: Iterable[str], m: Mechanism, moved: bool, parameters: Array | None, who: str = "record"
) -> None:
    """A check of a run that has more than the model: rows that are moved or that count turns, or
    parameters of its own.  names: quantities that are looked at."""
    if not any(name.partition(":")[0] == "check" for name in names):
        return
    if moved:
        raise InputError(
            f"{who}: 'check' knows the forces of '{m.name}' itself, neither motion of its rows "
            f"that a run prescribes nor springs in loops that count turns. Leave it out."
        )
    if parameters is not None:
        raise InputError(
            f"{who}: 'check' knows the model's own numbers, and this run has others. Studies have "
            f"the response `check`."
        )


def _chosen(s: States, every: float | None) -> NDArray[np.bool_]:
    """The first recorded instant of every span of time."""
    if every is None or s.time is None or not len(s.time):
        return np.ones(len(s.q), bool)
    instants = np.unique(s.time)
    gap = float(np.min(np.diff(instants))) if len(instants) > 1 else 0.0
    spans = np.floor((s.time + _SAME * gap) / every)
    before = np.floor((s.time - gap + _SAME * gap) / every)
    return np.asarray((spans != before) | (gap == 0.0), bool)


def _row(s: States, k: int, names: list[str]) -> Array:
    external = {frame: wrench[k] for frame, wrench in s.external.items()} or None
    found = np.full(len(names), np.nan)
    try:
        check = s.mechanism.check(s.q[k], s.v[k], s.tau[k], external)
    except ArmillaryError as fault:
        found[0] = np.inf
        s.remarks.append((k, f"check: no answer, {fault}"))
        return found
    found[0], found[1] = check.worst, len(check.odd)
    for part in check.agreements:
        for name, difference in part.differences().items():
            found[names.index(name)] = difference
    if check.odd:
        s.remarks.append((k, f"check: against the others stand {', '.join(check.odd)}"))
    return found


def period(text: str) -> float:
    """Seconds between checks, of check:SECONDS."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = np.nan
    if not (np.isfinite(seconds) and seconds > 0.0):
        raise InputError(f"record: 'check:{text}' expects seconds above 0, as in 'check:0.5'.")
    return seconds
