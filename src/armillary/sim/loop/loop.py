"""The loop: steps, projections, events, samples and records, until the time is over.

Grid instants t_k = t0 + k step are recorded.  Steps end at the jumps of schedules and at the
samples of parts, too.  Adaptive methods choose their own steps; the grid is read off their dense
output.
"""

from __future__ import annotations

import time as clock
from bisect import bisect_right
from collections.abc import Callable, Iterable
from math import inf, isfinite
from typing import Protocol

import numpy as np

from armillary.errors import NotFiniteError
from armillary.evaluate.inputs import Array
from armillary.sim.loop.event_scan import EventScan
from armillary.sim.loop.events import Watched
from armillary.sim.loop.grid import Grid
from armillary.sim.loop.groups import pressed
from armillary.sim.loop.locating import Locator
from armillary.sim.loop.locked_joints import Locking
from armillary.sim.loop.native_choice import NativeChoice
from armillary.sim.loop.native_groups import NativeGroups
from armillary.sim.loop.states import State, StepBatch
from armillary.sim.methods.integrators import ExplicitRungeKutta, SemiImplicitEuler, Stepper
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System
from armillary.sim.methods.variational import Variational
from armillary.sim.record.performance import ASKED, NATIVE, Performance

Progress = Callable[[float, float], None]  # time reached, end of the run
_SHORT = "the first or the last step is shorter than the others"
_EVENT = "events in a step, and the steps after one"
_LEFT = "steps that native code does not take: a singular position, no convergence, no number"
_BUSY = 0.2  # s between two signs of progress
_LONGEST_PAUSE = 32
_SMALLEST = 1e-13  # adaptive steps, of the time
_ROUNDING = 1e-14  # of a number


class Stopped(Exception):  # noqa: N818 - no error: an event may have ended the run
    """The run is over before its time: `args[0]` says why.  `complete`: it was meant to be."""

    def __init__(self, text: str, complete: bool = False):
        super().__init__(text)
        self.complete = complete


class Records(Protocol):
    """What takes the states of a run; forces: with accelerations and joint forces."""

    forces: bool

    def __call__(self, state: State) -> None: ...

    def many(self, times: list[float], batch: StepBatch) -> None: ...


class Loop:
    """One run (or a batch of runs) of one system with one method."""

    def __init__(
        self,
        system: System,
        stepper: Stepper,
        watched: list[Watched],
        record: Records,
        note: Callable[[float, str], None],
        *,
        project: bool = True,
        tolerance: float = 1e-8,
        progress: Progress | None = None,
        pace: int | None = None,
    ):
        """pace: steps of one call of native code, where results must not depend on the clock."""
        self.system, self.stepper, self.tolerance = system, stepper, tolerance
        self.project = project
        self.record, self._note, self._progress = record, note, progress
        if hasattr(stepper, "tell"):
            stepper.tell = note
        self._said = clock.monotonic()
        self._watched = watched
        self._by_stages = isinstance(stepper, (ExplicitRungeKutta, SemiImplicitEuler))
        self._locator = Locator(system, watched, self.step, note, self._stop) if watched else None
        self._lost: set[int] = set()  # rows of a batch that are not finite any more
        self.locking = Locking(note)
        self._free: Array | None = None
        self.performance, self._why = Performance(), _SHORT
        self._scan: EventScan | None = None
        self._choice = NativeChoice(system, stepper, self._locator, project, record.forces, pace)

    # -- one step --------------------------------------------------------------------------------

    def step(
        self, view: RunView, t: float, h: float, q: Array, v: Array, z: Array
    ) -> tuple[Array, Array, Array]:
        """The state after h, on the constraints."""
        if self._by_stages or not view.modes.resting:
            return self._plain_step(view, t, h, q, v, z)
        after = (q.copy(), v.copy(), z.copy())
        places = isinstance(self.stepper, Variational)
        for rows, own, start in pressed(view, self._watched, places, t, (q, v, z)):
            for whole, part in zip(after, self._plain_step(own, t, h, *start), strict=True):
                whole[rows] = part
        self._free = self._free if q.ndim == 1 else None
        return after

    def _plain_step(
        self, view: RunView, t: float, h: float, q: Array, v: Array, z: Array
    ) -> tuple[Array, Array, Array]:
        y, x = view.enter_chart(q, v, z)
        try:
            return self._unpacked(view, t + h, y, self.stepper.step(view, t, h, y, x))
        except NotFiniteError:  # the run tells where it broke
            if q.ndim == 2:
                raise
            return np.full_like(q, np.nan), np.full_like(v, np.nan), np.full_like(z, np.nan)

    def _unpacked(self, view: RunView, t: float, y: Array, x: Array) -> tuple[Array, Array, Array]:
        """q, v, z of x at t, on the constraints."""
        q, v, z = view.leave_chart(y, x)
        self._free = v  # before the projection
        if self.project and view.projects and (x.ndim == 2 or isfinite(x.sum())):
            q, v = view.project(t, q, v)
        return q, v, z

    def _watch_locking(self, t: float, q: Array, v: Array) -> None:
        """After a step to (q, v) at t: was motion taken away?"""
        if self._free is not None and v is not self._free:
            of_row, ended = self.system.mechanisms.of_row, self.system.modes.ended
            self.locking(of_row, t, q, self._free, v, ended)

    # -- fixed steps -----------------------------------------------------------------------------

    def run(self, state: State, grid: Grid, breaks: Iterable[float]) -> None:
        """From state.t to the end of the grid; the state is moved along."""
        start, step = state.t, grid.step
        self.locking.begin(state.q)
        stops = sorted({b for b in breaks if start < b < grid.end})
        state.z = self.system.sample(state.t, state.q, state.v, state.z)
        self.system.setup.enter(state.t, state.t + step)
        if self._locator is not None:
            state.v = self._locator.begin(self.stepper, state.t, state.parts)
        self.record(state)
        if isinstance(self.stepper, ExplicitRungeKutta) and self.stepper.table.error:
            self._adaptive(self.stepper, state, grid, stops)
            return
        k, native = grid.first, None
        begin = resume = grid.first + grid.short  # native steps are whole ones
        pause = 1  # steps in Python before the native loop is tried again
        while k <= grid.last:
            if k >= begin:
                native = self._native(state, stops, step)
            if native is not None and k >= resume:
                before, k = k, self._many(native, state, grid, k)
                if k > grid.last:
                    return
                pause = 1 if k > before + 1 else min(2 * pause, _LONGEST_PAUSE)
                resume = k + pause
            target, why = grid.time(k), self._why
            while state.t < target:
                begun = clock.perf_counter()
                self._to(state, self._next_stop(state.t, target, stops, step))
                self.performance.add(why, 1, clock.perf_counter() - begun)
            if grid.wanted(k):
                self.record(state)
            self._tell(state.t, grid.end)
            k += 1

    def _native(self, state: State, stops: list[float], step: float) -> NativeGroups | None:
        """The native loops of what is in force now, where they can do all that has to be watched;
        else `_why` tells."""
        native, self._scan, why = self._choice.now(state, self._over(), stops, step)
        self._why = why or self._why
        return native

    def _over(self) -> frozenset[int]:
        """Runs of a batch that do not move any more."""
        return frozenset(self._lost) | frozenset(self.system.modes.ended)

    def _many(self, native: NativeGroups, state: State, grid: Grid, k: int) -> int:
        """Steps in native code until one is not taken; the number of the next one."""
        last, happens = grid.last_whole, False
        while k <= last and not happens:
            options = (state, k - 1, last - k + 1, grid.step, grid.every)
            begun = clock.perf_counter()
            if self._scan is None:
                batch = native.advance(*options)
            else:
                batch, happens = self._scan.advance(*options, grid.time)
            how = ASKED if native.asks_python else NATIVE
            self.performance.add(how, batch.done, clock.perf_counter() - begun)
            k += batch.done
            self._why = _EVENT if happens else _LEFT if k <= last else _SHORT
            state.t = grid.time(k - 1) + batch.rest * grid.step / native.substeps
            if batch.numbers:
                self.record.many([grid.time(n) for n in batch.numbers], batch)
            if batch.fault is not None:
                raise batch.fault
            if batch.rest or not batch.done:
                break
            if k - 1 == grid.last and grid.last % grid.every:
                self.record(state)
            self._tell(state.t, grid.end)
        return k

    def _next_stop(self, t: float, target: float, stops: list[float], step: float) -> float:
        """The target, or a jump or sample before it."""
        slack = 1e-9 * step
        nearest = self.system.modes.samples.next()
        k = bisect_right(stops, t + slack)
        if k < len(stops):
            nearest = min(nearest, stops[k])
        return target if nearest > target - slack else nearest

    def _to(self, state: State, t1: float) -> None:
        """One step, with what happens in it."""
        t, blamed = state.t, self.system.modes.blamed
        self.system.setup.enter(t, t1)
        try:
            q, v, z = self.step(self.system.view(), t, t1 - t, *state.parts)
        except ValueError as fault:  # of a method that did not get numbers
            if not blamed:
                raise
            text = next(iter(blamed.values()))
            raise Stopped(f"not a number at t = {t1:.6g} s: {text}") from fault
        self._watch_locking(t1, q, v)
        self._arrive(state, t1, q, v, z)

    def _arrive(self, state: State, t1: float, q: Array, v: Array, z: Array) -> None:
        modes, t = self.system.modes, state.t
        self._stay(state, q, v, z)
        if not isfinite(q.sum() + v.sum() + z.sum()):
            self._not_finite(state, t1, q, v)
        if self._locator is not None:
            q, v, z = self._locator.through(t, t1, state.parts, (q, v, z))
        state.t, state.q, state.v, state.z = t1, q, v, z
        modes.blamed.clear()
        if modes.resting:
            modes.lift_off(v)
        if modes.samples.next() <= t1 + 1e-9 * (t1 - t):
            state.z = self.system.sample(t1, q, v, z)
            self.system.setup.enter(t, t1)  # what is recorded at t1 belongs to the step

    def _stay(self, state: State, q: Array, v: Array, z: Array) -> None:
        """Runs of a batch that are over do not move."""
        if over := list(self.system.modes.ended):
            q[over], v[over], z[over] = state.q[over], state.v[over], state.z[over]

    # -- adaptive steps --------------------------------------------------------------------------

    def _adaptive(
        self, method: ExplicitRungeKutta, state: State, grid: Grid, stops: list[float]
    ) -> None:
        h, k, end = grid.step, grid.first, grid.end
        longest = inf if self._locator is None else grid.step  # an event may come and go
        while state.t < end:
            t, stop = state.t, self._next_stop(state.t, end, stops, grid.step)
            h = min(h, stop - t, longest)
            if stop - t - h < 0.05 * h:  # no slivers
                h = stop - t
            self.system.setup.enter(t, stop)
            view, begun = self.system.view(), clock.perf_counter()
            y0, x0 = view.enter_chart(*state.parts)
            x1 = method.step(view, t, h, y0, x0)
            self.performance.add("the method chooses its steps", 1, clock.perf_counter() - begun)
            size = self._error_size(method.error(h), x0, x1)
            if not size <= 1.0:
                h *= max(0.2, 0.9 * size**-0.2) if isfinite(size) else 0.2
                if h < _SMALLEST * max(1.0, abs(t)):
                    bad, lost = self._unpacked(view, t + h, y0, x1), len(self._lost)
                    self._not_finite(state, t + h, bad[0], bad[1])
                    if len(self._lost) > lost:  # the others of the batch go on
                        h = grid.step
                        continue
                    raise Stopped(
                        f"the step became too short at t = {t:.6g} s (tolerance "
                        f"{self.tolerance:g}); the motion may be singular there"
                    )
                continue
            k = self._accepted(method, view, state, (h, stop, y0, x0, x1), grid, k)
            h *= min(5.0, 0.9 * max(size, 1e-10) ** -0.2)
            self._tell(state.t, end)

    def _accepted(
        self,
        method: ExplicitRungeKutta,
        view: RunView,
        state: State,
        step: tuple[float, float, Array, Array, Array],
        grid: Grid,
        k: int,
    ) -> int:
        """Arrive, and read the grid instants in between off the dense output."""
        h, stop, y0, x0, x1 = step
        t = state.t
        t1 = stop if abs(t + h - stop) <= 1e-12 * max(1.0, abs(stop)) else t + h
        before = State(t, state.q, state.v, state.z)
        after = self._unpacked(view, t1, y0, x1)
        locator = self._locator
        happened = locator is not None and locator.first(t, t1, before.parts, after)
        if happened:  # shorten the step so that it ends at the event
            t1 = t + happened
            x1 = method.step(view, t, happened, y0, x0)
            h, after = happened, self._unpacked(view, t1, y0, x1)
        self._watch_locking(t1, *after[:2])
        while k <= grid.last and grid.time(k) < t1 - 1e-12 * max(1.0, abs(t1)):
            if grid.wanted(k):
                sigma = (grid.time(k) - t) / h
                dense = method.dense(sigma, h, x0)
                q, v, z = self._unpacked(view, grid.time(k), y0, dense)
                self._stay(state, q, v, z)
                self.record(State(grid.time(k), q, v, z))
            k += 1
        self._arrive(state, t1, *after)
        if k <= grid.last and abs(grid.time(k) - t1) <= 1e-12 * max(1.0, abs(t1)):
            if grid.wanted(k):
                self.record(State(grid.time(k), state.q, state.v, state.z))
            k += 1
        return k

    def _error_size(self, error: Array, x0: Array, x1: Array) -> float:
        """Largest mean square of the error against the tolerance, over the runs of a batch."""
        size = np.maximum(np.abs(x0), np.abs(x1))
        scale = self.tolerance * (1.0 + size)
        # how fast a free body drifts says nothing about its error
        n, linear = self.system.nv, self.system.view().center.linear
        for drifts in (linear, n + linear):
            scale[..., drifts] = self.tolerance + _ROUNDING * size[..., drifts]
        ratio = (error / scale) ** 2
        if idle := {*self._lost, *self.system.modes.ended}:
            ratio = np.delete(ratio, list(idle), axis=0)
        return float(np.sqrt(ratio.mean(axis=-1).max(initial=0.0)))

    # -- the end ---------------------------------------------------------------------------------

    def _not_finite(self, state: State, t1: float, q: Array, v: Array) -> None:
        """Stop, or in a batch: go on with the other runs."""
        if q.ndim == 1:
            if np.isfinite(q).all() and np.isfinite(v).all():
                return
            raise Stopped(f"not a number at t = {t1:.6g} s: {self._culprit(None, state.v, v)}")
        bad = ~np.isfinite(np.concatenate([q, v], axis=1)).all(axis=1)
        for row in np.flatnonzero(bad):
            if int(row) not in self._lost:
                self._lost.add(int(row))
                text = self._culprit(int(row), state.v[row], v[row])
                self._note(t1, f"run {row}: not a number, {text}")
        if bad.all():
            raise Stopped(f"not a number in all {len(q)} runs at t = {t1:.6g} s")

    def _culprit(self, row: int | None, before: Array, v: Array) -> str:
        """Who gave NaN; else the joint that blew up: one that is not finite, of several the
        fastest."""
        if row in self.system.modes.blamed:
            return self.system.modes.blamed[row]
        labels = self.system.mechanism.v_labels
        bad = ~np.isfinite(v)
        among = bad if bad.any() else np.ones(len(v), bool)
        k = int(np.argmax(np.where(among, np.abs(before), -1.0)))
        return (
            f"joint '{labels[k]}' had the velocity {before[k]:.3g} {self._unit(k)} just before. "
            f"Use a shorter step, or 'implicit' for stiff springs and dampers"
        )

    def _unit(self, k: int) -> str:
        return f"{self.system.mechanism.v_units[k]}/s"

    @property
    def final(self) -> State | None:
        """The state at which an event ended the run."""
        found = self._locator.final if self._locator is not None else None
        return State(found[0], *found[1]) if found is not None else None

    @property
    def lost(self) -> list[int]:
        """Runs of a batch that are not finite at the end."""
        return sorted(self._lost)

    def _stop(self, text: str, complete: bool = True) -> None:
        raise Stopped(text, complete)

    def _tell(self, t: float, end: float) -> None:
        if self._progress is not None:
            now = clock.monotonic()
            if now - self._said > _BUSY or t >= end:
                self._said = now
                self._progress(t, end)
