"""Events in native runs: many steps at a time, looked through afterwards.

Steps in which nothing happens are kept as they are; the one in which something does is made again
in Python, where the instant is located (locating.py).  What counts is the state at the ends of
steps, as there: both ways find the same events.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from armillary.constraints.pressing import smallest_forces
from armillary.evaluate.inputs import Array, Keywords
from armillary.sim.loop.alarms import Alarm
from armillary.sim.loop.contact_friction import Pull, directions, force_rounding, lever
from armillary.sim.loop.events import Bound, Event, Parts, Switch, Watched
from armillary.sim.loop.held_scan import restraints, unchanged_steps
from armillary.sim.loop.limits import LimitEvent, first_crossing
from armillary.sim.loop.locating import Locator
from armillary.sim.loop.native_groups import NativeGroups
from armillary.sim.loop.states import State, StepBatch, given_at
from armillary.sim.loop.stick_slip import StickEvent
from armillary.sim.methods.system import System

_FEW, _MANY = 32, 1024  # steps at a time: after an event, and where none comes for long


def can_scan(watched: list[Watched], native: NativeGroups) -> bool:
    """Limits, functions of the state and contacts that may pull, in loops whose steps can be made
    again: functions are asked twice then, but no block that takes samples."""
    pulls = any(isinstance(event, Pull) for event in watched)
    loaded = any(group.mechanism.model.load_dependent_joints for group in native.groups)
    if pulls and (loaded or not native.complete or len(native.groups) > 1):
        return False
    kinds = (Bound, Event, Pull, LimitEvent, StickEvent, Alarm)
    plain = all(isinstance(event, kinds) for event in watched)
    return plain and not native.samples_in_python and native.substeps == 1


@dataclass
class EventScan:
    """Takes the steps of a native loop up to the next event."""

    locator: Locator
    native: NativeGroups
    over: frozenset[int] = frozenset()  # runs of a batch in which nothing happens any more
    _steps: int = field(default=_FEW, init=False)
    _fault: BaseException | None = field(default=None, init=False)  # while functions were asked

    def advance(
        self,
        state: State,
        taken: int,
        steps: int,
        h: float,
        every: int,
        time: Callable[[int], float],
    ) -> tuple[StepBatch, bool]:
        """Steps without events; and whether one happens in the step after them.

        time: of the end of a step, by its number."""
        samples = self.native.system.modes.samples
        before, held = state.parts, samples.numbers(state.v)
        batch = self.native.advance(state, taken, min(steps, self._steps), h, 1)
        times = [time(taken + k) for k in range(batch.done + 1)]
        self._fault = None
        try:
            quiet = self._quiet(times, before, batch)
        except BaseException:  # Ctrl-C between functions: the state is that of the last record
            self._go_back(state, 0, before, held, batch, times[0])
            raise
        happens = quiet < batch.done
        self._steps = _FEW if happens else min(2 * self._steps, _MANY)
        if happens:
            self._go_back(state, quiet, before, held, batch, times[quiet])
        fault = self._fault or batch.fault
        if happens and fault is batch.fault and isinstance(fault, Exception):
            fault = None  # of a step after the event, which is made again
        return batch.first(quiet, every, fault), happens

    def _go_back(
        self, state: State, quiet: int, before: Parts, held: Array, batch: StepBatch, t: float
    ) -> None:
        """To the end of the last step in which nothing happened."""
        if quiet:
            before = (batch.q[quiet - 1], batch.v[quiet - 1], batch.z[quiet - 1])
            held = batch.held[quiet - 1]
        state.q, state.v, state.z = before
        self.native.system.modes.samples.hold(held, t)

    def _quiet(self, times: list[float], before: Parts, batch: StepBatch) -> int:
        """How many steps nothing happens in."""
        q, v = batch.q[: batch.done], batch.v[: batch.done]
        bounds = [event for event in self.locator.watched if isinstance(event, Bound)]
        pulls = [event for event in self.locator.watched if isinstance(event, Pull)]
        others = [event for event in self.locator.watched if isinstance(event, Event)]
        system = self.native.system
        resting = {0 if run is None else run: held for run, held in system.modes.resting.items()}
        alike = self.native.groups
        count = unchanged_steps(system, self.locator.watched, alike, times, before, batch)
        for bound in bounds:
            passed = bound.passed(np.moveaxis(q, -1, 0), np.moveaxis(v, -1, 0))
            passed = passed.reshape(len(q), -1)  # (steps, runs)
            passed[:, sorted(self.over)] = False
            passed[:, [row for row, held in resting.items() if bound.k in held]] = False
            if passed.any():
                count = min(count, int(np.argmax(passed.any(axis=1))))
        rows: list[int | None] = [None]
        if q.ndim == 3:
            rows = [row for row in range(q.shape[1]) if row not in self.over]
        for row in rows:
            own = (slice(None),) if row is None else (slice(None), row)
            first = before if row is None else (before[0][row], before[1][row], before[2][row])
            for event in others:
                count = self._crossing(event, row, times, first, q[own], v[own], count)
        for limit in (x for x in self.locator.watched if isinstance(x, (LimitEvent, Alarm))):
            count = self._within(limit, times, before, batch, count)
        return _without_pull(pulls, times[1:], batch, count) if pulls else count

    def _within(
        self,
        limit: LimitEvent | Alarm,
        times: list[float],
        before: Parts,
        batch: StepBatch,
        count: int,
    ) -> int:
        """How many of the first `count` steps end within a limit, or without an alarm."""

        if not count:
            return 0
        system, start = self.native.system, self.locator.start_value
        rows: list[int | None] = [None] if batch.v.ndim == 2 else list(range(batch.v.shape[1]))
        starts = []
        for row in rows:
            parts = before if row is None else (before[0][row], before[1][row], before[2][row])
            if row in self.over:
                starts.append(np.inf)
                continue
            starts.append(start(limit, system.view(row), times[0], parts))
        return first_crossing(np.array(starts), limit.values(system, times[1:], batch, count))

    def _crossing(
        self,
        event: Event,
        row: int | None,
        times: list[float],
        first: Parts,
        q: Array,
        v: Array,
        count: int,
    ) -> int:
        """The first of `count` steps in which this event happens, or its function fails."""
        view = self.native.system.view(row)
        if isinstance(event, Switch) and event.to is view.mechanisms.chosen(view.mechanism):
            return count
        k = 0
        try:
            g = self.locator.start_value(event, view, times[0], first)
            for k in range(count):
                before, g = g, event.value(times[k + 1], q[k].copy(), v[k].copy())
                if event.crossed(before, g, v[k]):
                    if isinstance(self._fault, Exception):
                        self._fault = None  # of a later step
                    return k
        except BaseException as fault:  # Ctrl-C too: what was looked through is kept
            self._fault = fault
            return k
        return count


def _without_pull(pulls: list[Pull], times: list[float], batch: StepBatch, count: int) -> int:
    """How many of the first `count` steps end without a contact that has turned round.

    times: of the ends of the steps."""
    contacts = pulls[0].contacts
    system, mechanism = contacts.system, contacts.system.mechanism
    if not count:
        return 0
    runs: list[int | None] = [None] if batch.v.ndim == 2 else list(range(batch.v.shape[1]))
    a, tau = (x[:count] for x in batch.forces(system, times))
    tau = tau + restraints(system, times, batch)[:count]
    forces = _forces(system, times[:count], batch, a, tau)
    tau = tau.reshape(count, len(runs), -1)
    rounding, rows = force_rounding(system.view(), forces, tau), directions(mechanism)
    for pull in pulls:
        signs = [contacts.modes(run).sign.get(pull.key, 1) for run in runs]
        own = forces[..., rows.index(pull.key)]
        turned = (signs * own + lever(mechanism, pull.key) * rounding < 0.0).any(axis=1)
        count = min(count, int(np.argmax(turned))) if turned.any() else count
    return count


def _forces(system: System, times: list[float], batch: StepBatch, a: Array, tau: Array) -> Array:
    """λ (T, runs, rows)."""
    mechanism, setup, count = system.mechanism, system.setup, len(times)
    given = given_at(system, times, batch)
    q, v, a, tau = (x[:count].reshape(-1, x.shape[-1]) for x in (batch.q, batch.v, a, tau))
    external = {name: x.reshape(-1, 6) for name, x in given.get("external", {}).items()}
    options: Keywords = {}
    if setup.prescribed:
        options["prescribed"] = setup.prescribed.unflat(
            mechanism, given["prescribed"].reshape(len(q), -1)
        )
    if setup.parameters is not None:
        runs, bodies = len(q) // count, setup.parameters
        bodies = np.broadcast_to(bodies, (runs, bodies.shape[-1]))
        options["parameters"] = np.tile(bodies, (count, 1))
    solver = mechanism.constraint_solver.equations
    equations = solver.system(q, v, tau, external or None, **options)
    forces = smallest_forces(solver, equations, a)
    return forces.reshape(count, len(q) // count, -1)
