"""Fixed steps in native code: many steps per call (runtime/time_loop.py), of runs that go on alike.

Controllers and actuators run inside where they can be traced; else the loop calls them back at
every stage, or comes back to Python for each sample.  A step that the native loop does not take is
left to the loop, which goes on in Python and comes back.
"""

from __future__ import annotations

import time as clock
from dataclasses import replace
from itertools import pairwise

import numpy as np

from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.inputs import Array
from armillary.model.lowering.tree import Tables
from armillary.runtime.threads import threads
from armillary.runtime.time_loop import run_steps
from armillary.sim.control.tracing import TracedChain, elements_in_loops
from armillary.sim.loop.groups import Group
from armillary.sim.loop.input_tables import InputTables
from armillary.sim.loop.states import LiveRows, State, StepBatch
from armillary.sim.loop.step_data import Added, Controller, Kept, Method, Span, Work
from armillary.sim.loop.time_steps import Stepping
from armillary.sim.methods.system import System

_NUMBERS = 4_000_000  # of the record of one call
_BLOCK = 256  # rows of a batch that run through all steps together
_LEAST = 32  # rows that are worth a thread
_STEPS = 20_000  # of one call: the time between two signs of progress
_WORK = 400_000  # steps of one joint by which the pace is found
_BUSY = 0.2  # s of one call, when the pace is known
_BURST = 8  # steps of the first call that calls them back; then as many as take a fifth of it


_NEVER = 2.0**53  # steps: no run has so many

Rows = list[tuple[slice, Stepping]]  # rows of a batch, and the loop that runs them


class NativeLoop:
    """The native loop of a run.  Inside it z and what sampled blocks hold are one row (z, held)."""

    def __init__(
        self,
        system: System,
        method: Method,
        state: State,
        parts: int,
        forces: bool,
        kept: Kept,
        group: Group,
        pace: int | None = None,
    ):
        self.system, self.method, self.substeps = system, method, parts
        self.mechanism, self._kept = group.moving(system), kept
        self.single = state.q.ndim == 1
        self.runs = 1 if self.single else len(state.q)
        self._live = live = None if group.rows is None else LiveRows(group.rows)
        self.rows = self.runs if live is None else len(live.rows)
        self.stages = system.chain.sampled
        self.nz = system.nz + len(self.stages) * system.nv
        self._widths = {"q": self.mechanism.nq, "v": system.nv, "z": self.nz}
        self._widths |= dict.fromkeys(("a", "tau"), system.nv if forces else 0)
        self._chunk = max(1, min(_STEPS, _NUMBERS // (self.runs * sum(self._widths.values()))))
        self._tables = InputTables(system, self.mechanism, method, self.runs, forces)
        self._longest = max(parts, min(_STEPS, _NUMBERS // max(self._tables.numbers, 1)))
        self._jumps: list[int] = []  # steps of this call that begin with a jump
        self._h = 0.0  # of the steps of this call
        self._fault: BaseException | None = None
        self._unasked = False  # a block raised when it was asked
        self._burst = _BURST
        self._pace = pace
        usual = max(_BURST, _WORK // (self.rows * system.nv * len(method.b)))
        self._worth = pace or usual  # steps at once
        self._scheduled = bool(system.setup.schedules)
        self._pushes = not system.setup.external.of_time  # wrenches are asked for at every stage
        self._carried: dict[str, Array] = {}  # by frame: a wrench on it as wrenches on bodies
        self._threads = threads(system.mechanism.options.threads)
        self._members = 1 if self._threads is None else self._threads.members
        self._make()
        if live is not None and self.asks_python:
            raise NotNative("runs of a batch that part, beside blocks that are asked in Python")

    def _make(self) -> None:
        """Controller and samples traced; or samples in Python; or both in Python."""
        self._asks = self._calls = False  # samples are taken in Python; so are the forces
        try:
            traced = self._traced()
            try:
                self._blocks = self._split(traced)
            except NotNative:
                if traced.sample is None:
                    raise
                traced = replace(traced, sample=None)
                self._blocks = self._split(traced)
            self._asks = bool(self.stages) and traced.sample is None
        except NotNative:
            if not self.system.chain.stages:
                raise
            self._asks, self._calls = bool(self.stages), True
            self._tables.called = True
            self._blocks = self._split(Controller(answer=self._answer))

    def _traced(self) -> Controller:
        """The chain over nodes, with its samples unless a sampled block takes arrays only;
        NotNative where a block that works between samples does."""
        if not self.system.chain.stages:
            return Controller()
        traced = TracedChain(self.system.chain, [0.0] * self.system.nv)
        traced.check(between_samples=True)
        with_samples = bool(self.stages)
        try:
            traced.check(between_samples=False)
        except NotNative:
            with_samples = False
        sample = (traced.sample, len(self.stages)) if with_samples else None
        commanded = self.system.setup.voltages is not None
        known = (traced.key, commanded, self.system.nv * commanded + traced.fed)
        added = self._added()
        if added is None:
            return Controller(traced.control, sample, *known)
        alone = len(self.system.chain.stages) == 1 and not added.inputs
        control = None if alone else traced.beside
        return Controller(control, sample, *known, added=added)

    def _added(self) -> Added | None:
        """Force elements of the chain that have a program of their own, in loops."""
        found = elements_in_loops(self.system.chain)
        if found is None:
            return None
        elements, start = found
        return Added(elements.loops(), start, elements.loop_inputs)

    @property
    def asks_python(self) -> bool:
        """Some block is asked in Python."""
        return self._asks or self._calls or self._pushes

    @property
    def samples_in_python(self) -> bool:
        """Some block takes samples in Python."""
        return self._asks

    def _wrenches(self, t: float, q: Array, v: Array, tables: Tables) -> Array:
        """Wrenches of the user's function on the bodies (rows, 6 bodies)."""
        evaluator, view = self.mechanism.evaluator, self.system.view()
        found = view.wrenches(t, *(x[0] if self.single else x for x in (q, v))) or {}
        total = np.zeros((self.rows, 6 * len(tables.bodies)))
        for name, wrench in found.items():
            if name not in self._carried:
                units = {name: (np.eye(6), False)}
                self._carried[name] = evaluator.external_rows(units, 6, tables)
            # not BLAS: its rounding depends on the number of rows
            total += (np.atleast_2d(wrench)[..., None] * self._carried[name]).sum(axis=1)
        return total

    def _answer(self, begins: bool, t: float, q: Array, v: Array, z: Array) -> tuple[Array, Array]:
        """Forces of the blocks and the rates of their states, over arrays."""
        if self._scheduled and (begins or self.method.variational):
            start = t if begins else t - 0.5 * self._h
            self.system.setup.enter(start, start + self._h)
        if self.single:
            q, v, z = q[0], v[0], z[0]
        tau, rates = self.system.view().forces(t, q, v, z[..., : self.system.nz])
        still = np.zeros((*v.shape[:-1], self.nz - self.system.nz))
        return tau, np.concatenate([rates, still], axis=-1)

    def _split(self, controller: Controller) -> Rows:
        """Rows of the batch in blocks that stay in the cache, each with a loop of its own."""
        count = max(1, self.rows // _BLOCK, min(self._members, self.rows // _LEAST))
        count = 1 if controller.answer is not None or self._pushes else count
        edges = [self.rows * k // count for k in range(count + 1)]
        loops: dict[tuple[int, ...], Stepping] = {}
        blocks, p = [], self.system.setup.parameters
        if p is not None and p.ndim == 2 and self._live is not None:
            p = p[self._live.rows]
        for k, (first, last) in enumerate(pairwise(edges)):
            own = p[first:last] if p is not None and p.ndim == 2 else p
            key = (last - first, k % self._at_once(), k if p is not None else 0)
            if key not in loops:
                loops[key] = Stepping(
                    mechanism=self.mechanism,
                    method=self.method,
                    rows=key[0],
                    controller=controller,
                    nz=self.nz,
                    parameters=own,
                    given=self._tables.names,
                    kept=self._kept,
                    wrenches=self._wrenches if self._pushes else None,
                )
            blocks.append((slice(first, last), loops[key]))
        return blocks

    def most(self, every: int) -> int:
        """Steps of one call."""
        return min(self._chunk * every, self._longest // self.substeps, self._worth)

    def advance(self, state: State, taken: int, steps: int, h: float, every: int) -> StepBatch:
        """Up to `steps` steps of h, after `taken` ones; moves the state (not its time)."""
        m, nz, samples = self.substeps, self.system.nz, self.system.modes.samples
        steps = min(steps, self.most(every))
        span = Span(steps * m, h / m, state.t, taken * m, every * m)
        z = np.concatenate([state.z, samples.numbers(state.v)], axis=-1)
        now = [np.array(x, float).reshape(self.runs, -1) for x in (state.q, state.v, z)]
        still = dict(zip("qvz", now, strict=True))
        if self._live is not None:
            now = [x[self._live.rows] for x in now]
        entries = span.entry(span.steps) + 1
        out = {name: np.empty((entries, self.rows, n)) for name, n in self._widths.items()}
        self._jumps, begun = [], clock.monotonic()
        done, now, fault = self._all(now, span, {name: x for name, x in out.items() if x.size})
        if done and self._pace is None:
            self._worth = max(1, int(_BUSY * done / m / max(clock.monotonic() - begun, 1e-6)))
        end = span.taken + done
        numbers = np.arange((span.taken // span.every + 1) * span.every, end + 1, span.every)
        if self._unasked and len(numbers) and numbers[-1] == end:
            numbers = numbers[:-1]  # this instant waits for its sample
        kept = slice(1, 1 + len(numbers))  # entry 0 belongs to the start
        found = {name: x[kept] for name, x in out.items()}
        if self._live is not None:
            live, none = self._live, np.zeros((self.runs, self.system.nv))
            still |= dict.fromkeys(("a", "tau"), none[:, : self._widths["a"]])
            found = {name: live.whole(x, still[name]) for name, x in found.items()}
            now = [live.whole(x, still[name]) for name, x in zip("qvz", now, strict=True)]
        if self.single:
            found, now = {name: x[:, 0] for name, x in found.items()}, [x[0] for x in now]
        if done:
            state.q, state.v, state.z = now[0], now[1], now[2][..., :nz]
            if not self._asks:
                samples.hold(now[2][..., nz:], state.t + done * span.h)
        z = found.pop("z")
        unknown = np.flatnonzero(np.isin(numbers, [*self._jumps, end])) if out["a"].size else ()
        return StepBatch(
            done=done // m,
            rest=done % m,
            numbers=(numbers // m).tolist(),
            z=z[..., :nz],
            held=z[..., nz:],
            step=span.h,
            unknown=list(map(int, unknown)),
            fault=fault,
            **found,
        )

    def _all(
        self, now: list[Array], span: Span, out: dict[str, Array]
    ) -> tuple[int, list[Array], BaseException | None]:
        """All steps, or those of a fifth of a second where blocks are asked in Python."""
        if not self.asks_python:
            return *self._run(now, span, out), None
        done, begun = 0, clock.monotonic()
        while done < span.steps and (done % self.substeps or clock.monotonic() - begun < _BUSY):
            if done and (self._calls or self._pushes):
                share = _BUSY / 5.0 / max(clock.monotonic() - begun, 1e-6)
                self._burst = max(_BURST, int(share * done))
            until = span.steps
            if self._asks:
                until = round((self.system.modes.samples.next() - span.t) / span.h) - done
            asked = min(
                span.steps - done, until, self._burst if self._calls or self._pushes else span.steps
            )
            part = {name: x[span.entry(done) :] for name, x in out.items()}
            went, now = self._run(now, span.after(done, asked), part)
            done += went
            if went < asked or self._fault is not None:  # Ctrl-C may come after the last answer
                return done, now, self._fault
            if asked == until and self._asks:
                try:
                    now[2] = self._ask(span.t + done * span.h, *now)
                except BaseException as fault:  # Ctrl-C too: what was computed is handed over
                    self._unasked = True
                    return done, now, fault
                if (span.taken + done) % span.every == 0 and "z" in out:
                    out["z"][span.entry(done)] = now[2]
        return done, now, None

    def _ask(self, t: float, q: Array, v: Array, z: Array) -> Array:
        """Blocks that are due look at the state; gives (z, held)."""
        q, v, own = (x[0] if self.single else x for x in (q, v, z[:, : self.system.nz]))
        own = self.system.sample(t, q, v, own)
        return np.concatenate([own, self.system.modes.samples.numbers(v)], axis=-1).reshape(
            self.rows, -1
        )

    def _run(
        self, start: list[Array], span: Span, out: dict[str, Array]
    ) -> tuple[int, list[Array]]:
        """Steps that all blocks have taken, and where they are now."""
        self._h, self._fault, due = span.h, None, self._due(span)
        steps, given, jumps = self._tables(span, self._blocks[0][1].tables)
        given = given if self._live is None else given.of(self._live.rows, self.runs)
        self._jumps += [span.taken + k for k in jumps]
        now = [x.copy() for x in start]
        if not steps:
            return 0, now

        def take(steps: int) -> int:
            """Steps of all blocks, some at a time, so that Ctrl-C is heard in between; how far the
            slowest came."""
            blocks, count = self._blocks, self._at_once()
            own = span.after(0, steps)
            works = [
                Work(given.of(rows, self.rows), own, out, rows.start, due) for rows, _ in blocks
            ]
            return min(
                self._together(blocks[k : k + count], works[k : k + count], now)
                for k in range(0, len(blocks), count)
            )

        done = take(steps)
        if len(self._blocks) > 1 and done < steps:  # one was stopped: all go as far as it
            now[:] = [x.copy() for x in start]
            done = take(done) if done else 0
        return done, now

    def _together(self, blocks: Rows, works: list[Work], now: list[Array]) -> int:
        """Move these blocks on; several go on threads.  How far the slowest came."""
        loops = [stepping for _, stepping in blocks]
        states = [tuple(np.ascontiguousarray(x[rows]) for x in now) for rows, _ in blocks]
        if self._threads is None or len(blocks) == 1:
            found = [loop.run(x, w) for loop, x, w in zip(loops, states, works, strict=True)]
        else:
            places = [loop.begin(x, w) for loop, x, w in zip(loops, states, works, strict=True)]
            self._threads.each(run_steps(self.method.kind), places)
            found = [loop.end(x) for loop, x in zip(loops, states, strict=True)]
        self._fault = loops[-1].fault
        for (rows, _), state in zip(blocks, states, strict=True):
            for x, moved in zip(now, state, strict=True):
                x[rows] = moved
        return min(found)

    def _at_once(self) -> int:
        """Blocks that run at the same time, or wait for it."""
        return 2 * self._members if self._members > 1 else 1

    def _due(self, span: Span) -> Array | None:
        """Which sampled blocks are due after step k (steps + 1, 1 + n); the first column: any."""
        if not self.stages or self._asks:
            return None
        table, k = np.zeros((span.steps + 1, 1 + len(self.stages))), np.arange(span.steps + 1)
        due = self.system.modes.samples.due
        for column, stage in enumerate(self.stages, 1):
            first = round(min((due[column - 1] - span.t) / span.h, _NEVER))
            period = round(min(float(stage.period or span.h) / span.h, _NEVER))
            table[:, column] = (k >= first) & ((k - first) % period == 0)
        table[:, 0] = table[:, 1:].any(axis=1)
        return table
