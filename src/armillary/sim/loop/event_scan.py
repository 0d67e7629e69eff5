"""Events in native runs: many steps at a time, looked through afterwards.

Steps in which nothing happens are kept as they are; the one in which something does is made again
in Python, where the instant is located (locating.py).  What counts is the state at the ends of
steps, as there: both ways find the same events.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.loop.contact_friction import Pull
from armillary.sim.loop.contact_scan import quiet_steps
from armillary.sim.loop.events import Bound, Event, Parts, Switch, Watched
from armillary.sim.loop.locating import Locator
from armillary.sim.loop.native import NativeLoop
from armillary.sim.loop.states import State, StepBatch

_FEW, _MANY = 32, 1024  # steps at a time: after an event, and where none comes for long


def can_scan(watched: list[Watched], native: NativeLoop) -> bool:
    """Limits, functions of the state and contacts that may pull, in loops that ask nobody: steps
    can be made again."""
    plain = all(isinstance(event, (Bound, Event, Pull)) for event in watched)
    if native.mechanism.model.load_dependent_joints and any(isinstance(e, Pull) for e in watched):
        return False
    return plain and not native.asks_python and native.substeps == 1


@dataclass
class EventScan:
    """Takes the steps of a native loop up to the next event."""

    locator: Locator
    native: NativeLoop
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
        return batch.first(quiet, every, self._fault), happens

    def _go_back(
        self, state: State, quiet: int, before: Parts, held: Array, batch: StepBatch, t: float
    ) -> None:
        """To the end of the last step in which nothing happened."""
        if quiet:
            before = (batch.q[quiet - 1], batch.v[quiet - 1], batch.z[quiet - 1])
            held = batch.held[quiet - 1]
        state.q, state.v, state.z = before
        self.native.system.modes.samples.hold(held, t)

    def _quiet(self, times: list[float], before: Any, batch: StepBatch) -> int:
        """How many steps nothing happens in."""
        q, v = batch.q[: batch.done], batch.v[: batch.done]
        bounds = [event for event in self.locator.watched if isinstance(event, Bound)]
        pulls = [event for event in self.locator.watched if isinstance(event, Pull)]
        others = [event for event in self.locator.watched if isinstance(event, Event)]
        count = len(q)
        for bound in bounds:
            passed = bound.passed(np.moveaxis(q, -1, 0), np.moveaxis(v, -1, 0))
            if passed.any():
                count = min(count, int(np.argmax(passed.reshape(len(q), -1).any(axis=1))))
        rows: list[int | None] = [None] if q.ndim == 2 else list(range(q.shape[1]))
        for row in rows:
            own = (slice(None),) if row is None else (slice(None), row)
            first = before if row is None else tuple(x[row] for x in before)
            for event in others:
                count = self._crossing(event, row, times, first, q[own], v[own], count)
        return quiet_steps(pulls, times[1:], batch, count) if pulls else count

    def _crossing(
        self,
        event: Event,
        row: int | None,
        times: list[float],
        first: Any,
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
