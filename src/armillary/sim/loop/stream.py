"""A simulation whose states go to somebody who looks at them as they come, and are not kept: what
studies make of many runs needs no more memory than a batch of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from armillary.errors import ModelError
from armillary.evaluate.inputs import Array, Keywords
from armillary.sim.loop.alarms import undone
from armillary.sim.loop.arguments import check_types, projection_or_rates
from armillary.sim.loop.events import Watched, check_start
from armillary.sim.loop.grid import Grid
from armillary.sim.loop.loop import Loop, Records, Stopped
from armillary.sim.loop.simulate import (
    check_covered,
    check_times,
    defaults,
    placed,
    start_of,
    system_of,
    watched_in,
)
from armillary.sim.methods.choice import stepper
from armillary.sim.methods.integrators import Stepper
from armillary.sim.methods.system import System
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.record.performance import Performance
from armillary.sim.record.quantities import listed

PACE = 256  # steps of one call: nothing depends on how fast the machine is


@dataclass
class Streamed:
    """How runs came to their end.  notes: what happened, with the time; "run 3: ..." of a batch.
    ended: when runs of a batch were over before their time (s), by number, and why in `reasons`."""

    message: str = ""
    complete: bool = True
    notes: list[tuple[float, str]] = field(default_factory=list)
    ended: dict[int, float] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    performance: Performance | None = None

    def reason(self, row: int) -> str:
        """Why a run of a batch did not come to its end; empty where it did."""
        return self.reasons.get(row, "")


class Parts(NamedTuple):
    """A run before it begins: the arguments of `simulate`, all of them, and what they make."""

    given: Keywords
    system: System
    stepping: Stepper
    watched: list[Watched]
    project: bool


def parts_of(arguments: Mapping[str, object]) -> Parts:
    """What `simulate` would run with these arguments."""
    given: Keywords = {**defaults(), **arguments}
    check_types(given)
    mechanism, given["q0"] = placed(
        given["mechanism"].with_tolerance(given["geometry_tolerance"]), given["q0"]
    )
    step, t0 = given["step"], given["t0"]
    check_times(given["duration"], step, given["tolerance"], t0, given["every"])
    moved = PrescribedMotions(mechanism, given["prescribed"], step)
    with_parameters = given["parameters"] is not None
    project, rates = projection_or_rates(
        given["project"], given["method"], listed(given["record"]), with_parameters
    )
    outside = (
        given["inputs"], given["external"], given["period"], given["parameters"], moved,
        given["voltages"], rates,
    )  # fmt: skip
    parts = (given["controller"], given["actuators"])
    system = system_of(moved.mechanism, *parts, outside, given["beside"], given["events"])
    stepping = stepper(given["method"], system.view())
    sticking = stepping if given["stick"] else None
    watched, _ = watched_in(system, given["events"], moved, (t0, step), sticking)
    return Parts(given, system, stepping, watched, project)


def stream(
    arguments: Mapping[str, object], records_of: Callable[[System, list[Watched]], Records]
) -> Streamed:
    """Simulate as `simulate` does with these arguments; its states go to the records.

    Runs of a batch that break down are told in `reasons`; the others go on."""
    (given, system, stepping, watched, project), found = parts_of(arguments), Streamed()
    duration, step, t0 = given["duration"], given["step"], given["t0"]

    def note(t: float, text: str) -> None:
        found.notes.append((float(t), str(text)))

    projected = project or system.setup.baumgarte is not None
    state = start_of(system, given["q0"], given["v0"], t0, projected, given["project_start"], note)
    check_covered(system, state.t, t0 + duration)
    check_start(watched, state.q)
    loop = Loop(
        system, stepping, watched, records_of(system, watched), note,
        project=project, tolerance=given["tolerance"], pace=PACE,
    )  # fmt: skip
    grid = Grid.of(t0, t0, t0 + duration, step, int(given["every"]))
    breaks = [float(b) for part in system.setup.timed for b in part.breaks()]
    try:
        loop.run(state, grid, breaks)
    except Stopped as stop:
        found.message, found.complete = f"stopped: {stop}", stop.complete
        if loop.final is not None:
            loop.record(loop.final)
    except ModelError as error:
        if state.t == t0:
            raise
        found.message, found.complete = f"stopped at t = {state.t:.6g} s: {error}", False
    if not found.message or system.modes.failed:
        found.reasons = undone(system, state)
        if state.q.ndim == 1 and found.reasons:
            found.message, found.complete = found.reasons[0], False
    found.performance = loop.performance
    _tell_ends(found, system, loop, state.q)
    return found


def _tell_ends(found: Streamed, system: System, loop: Loop, q: Array) -> None:
    """Which runs of a batch are over, and why."""
    found.ended = dict(system.modes.ended)
    own: dict[int, str] = {}
    for t, text in found.notes:
        head, colon, said = text.partition(": ")
        if colon and head.startswith("run ") and head[4:].isdigit():
            own.setdefault(int(head[4:]), f"{said} (t = {t:.6g} s)")
    broken = {*loop.lost, *system.modes.refused}
    for row in sorted(broken):
        found.reasons[row] = own.get(row, "it broke down: no numbers any more")
    if loop.locking.locked:
        locked = [row for row, said in own.items() if said.startswith("the constraints took")]
        found.reasons |= {row: own[row] for row in locked or ()} or {0: loop.locking.locked}
    if q.ndim == 1 and not found.complete:
        found.reasons[0] = found.message
    elif q.ndim == 2 and not found.complete:
        for row in range(len(q)):
            found.reasons.setdefault(row, found.message)
    if q.ndim == 2:
        for lost in np.flatnonzero(~np.isfinite(q).all(axis=1)).tolist():
            found.reasons.setdefault(lost, "it broke down: no numbers any more")
