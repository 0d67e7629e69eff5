"""Fixed steps in native code: many steps per call (evaluate/time_loop.py), where a run allows it.

A run goes natively when its method is explicit, what is given over time (forces, wrenches,
prescribed motion: ahead.py) bends on the grid, and nothing has to be watched on the way.
Controllers and actuators run inside where they can be traced; else the loop calls them back at
every stage, or comes back to Python for each sample.  A step that the native loop does not take is
left to the loop, which goes on in Python and comes back.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from armillary.codegen.target import native
from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.inputs import Array
from armillary.runtime.threads import threads
from armillary.runtime.time_loop import run_steps
from armillary.sim.control.tracing import TracedChain
from armillary.sim.loop.control_kernels import Control, Sample
from armillary.sim.loop.input_tables import InputTables
from armillary.sim.loop.states import State, StepBatch
from armillary.sim.loop.time_steps import Method, Stepping
from armillary.sim.methods.integrators import ExplicitRungeKutta, SemiImplicitEuler, Stepper
from armillary.sim.methods.system import System

_NUMBERS = 4_000_000  # of the record of one call
_BLOCK = 256  # rows of a batch that run through all steps together
_LEAST = 32  # rows that are worth a thread
_STEPS = 20_000  # of one call: the time between two signs of progress
_WORK = 400_000  # steps of one joint by which the pace is found
_BUSY = 0.2  # s of one call, when the pace is known
_BURST = 8  # steps of the first call that calls them back; then as many as take a fifth of it


def native_loop(
    system: System, stepper: Stepper, state: State, project: bool, stops: list[float], step: float
) -> NativeLoop | None:
    """The native way of this run, or None."""
    if not native():
        return None
    method, parts = _method(stepper), _substeps(system, state.t, step)
    if method is None or parts is None or not system.setup.external.of_time:
        return None
    if not all(_whole((stop - state.t) / (step / parts)) for stop in stops):
        return None
    if system.mechanism.model.constraints and not project:
        return None
    try:
        return NativeLoop(system, method, state, parts)
    except NotNative:
        return None  # a part that cannot be traced, or no kernel: steps are made in Python


def _substeps(system: System, t: float, step: float) -> int | None:
    """Equal parts of a step at whose ends all samples lie; None: samples lie elsewhere."""
    samples = system.modes.samples
    periods = [float(stage.period or 0.0) for stage in samples.stages]
    h = min([step, *periods])
    lengths = [step, *periods, *(due - t for due in samples.due)]
    return round(step / h) if all(_whole(x / h) for x in lengths) else None


def _method(stepper: Stepper) -> Method | None:
    if isinstance(stepper, SemiImplicitEuler):
        return Method(semi_implicit=True)
    if isinstance(stepper, ExplicitRungeKutta) and not stepper.table.error:
        return Method(stepper.table.a, stepper.table.b, stepper.table.c)
    return None


def _whole(x: float) -> bool:
    return abs(x - round(x)) < 1e-9 * max(1.0, abs(x))


def constant_command(system: System) -> list[float]:
    """Constant voltages that come to the first controller, else zeros."""
    volts = system.setup.voltages
    if volts is None:
        return [0.0] * system.nv
    if not volts.steady or volts.constant.ndim == 2:
        raise NotNative("voltages that differ over time or from run to run")
    return [float(x) for x in volts.constant]


class NativeLoop:
    """The native loop of a run.  Inside it z and what sampled parts hold are one row (z, held)."""

    def __init__(self, system: System, method: Method, state: State, parts: int = 1):
        self.system, self.method, self.substeps = system, method, parts
        self.mechanism = system.mechanism  # switches lead to others
        self.single = state.q.ndim == 1
        self.rows = 1 if self.single else len(state.q)
        self.stages = system.chain.sampled
        self.nz = system.nz + len(self.stages) * system.nv
        n = system.mechanism.nq + 2 * system.nv + self.nz + 1
        self._chunk = max(1, min(_STEPS, _NUMBERS // (self.rows * n)))
        self._tables = InputTables(system, method, self.rows)
        self._longest = max(parts, min(_STEPS, _NUMBERS // max(self._tables.numbers, 1)))
        self._h = 0.0  # of the steps of this call
        self._fault: BaseException | None = None
        self._unasked = False  # a part raised when it was asked
        self._burst = _BURST
        self._worth = max(_BURST, _WORK // (self.rows * system.nv * len(method.b)))  # steps at once
        self._scheduled = bool(system.setup.schedules)
        self._threads = threads(system.mechanism.options.threads)
        self._members = 1 if self._threads is None else self._threads.members
        self._make()

    def _make(self) -> None:
        """Controller and samples traced; or samples in Python; or both in Python."""
        self._asks = self._calls = False  # samples are taken in Python; so are the forces
        try:
            traced = self._traced()
            sample = self._traced_sample(traced)
            try:
                self._blocks = self._split(traced, sample)
            except NotNative:
                if sample is None:
                    raise
                sample, self._blocks = None, self._split(traced, None)
            self._asks = bool(self.stages) and sample is None
        except NotNative:
            if not self.system.chain.stages:
                raise
            self._asks, self._calls = bool(self.stages), True
            self._tables.called = True
            own = Stepping(
                self.system.mechanism,
                self.method,
                self.rows,
                None,
                self.nz,
                self.system.setup.parameters,
                None,
                self._answer,
                self._tables.names,
            )
            self._blocks = [(slice(0, self.rows), own)]

    def _traced(self) -> TracedChain | None:
        """The chain over nodes; NotNative where a block that works between samples takes arrays
        only."""
        if not self.system.chain.stages:
            return None
        traced = TracedChain(self.system.chain, constant_command(self.system))
        traced.check(between_samples=True)
        return traced

    def _traced_sample(self, traced: TracedChain | None) -> tuple[Sample, int] | None:
        """And the number of sampled blocks; None where one takes arrays only."""
        if traced is None or not self.stages:
            return None
        try:
            traced.check(between_samples=False)
        except NotNative:
            return None
        return traced.sample, len(self.stages)

    @property
    def asks_python(self) -> bool:
        """Some part is asked on the way."""
        return self._asks or self._calls

    def _answer(self, stage: int, t: float, q: Array, v: Array, z: Array) -> tuple[Array, Array]:
        """Forces of the parts and the rates of their states, over arrays."""
        if stage == 0 and self._scheduled:
            self.system.setup.enter(t, t + self._h)
        if self.single:
            q, v, z = q[0], v[0], z[0]
        z = z[..., : self.system.nz]
        tau, rates = self.system.view().forces(t, q, v, z)
        if not self.stages:
            return tau, rates
        still = np.zeros((*v.shape[:-1], self.nz - self.system.nz))
        return tau, np.concatenate([rates, still], axis=-1)

    def _split(
        self, traced: TracedChain | None, sample: tuple[Sample, int] | None
    ) -> list[tuple[slice, Stepping]]:
        """Rows of the batch in blocks that stay in the cache, each with a loop of its own."""
        control: Control | None = None if traced is None else traced.control
        key = None if traced is None else traced.key
        count = max(1, self.rows // _BLOCK, min(self._members, self.rows // _LEAST))
        edges = [self.rows * k // count for k in range(count + 1)]
        loops: dict[tuple[int, int], Stepping] = {}
        blocks = []
        shared = self.system.setup.parameters is None
        for k, (first, last) in enumerate(pairwise(edges)):
            p = self.system.setup.parameters
            own = p[first:last] if p is not None and p.ndim == 2 else p
            size, place = last - first, k % self._at_once()
            stepping = loops.get((size, place)) if shared else None
            if stepping is None:
                stepping = Stepping(
                    self.system.mechanism,
                    self.method,
                    size,
                    control,
                    self.nz,
                    own,
                    sample,
                    None,
                    self._tables.names,
                    key,
                )
                loops[size, place] = stepping
            blocks.append((slice(first, last), stepping))
        return blocks

    def advance(self, state: State, taken: int, steps: int, h: float, every: int) -> StepBatch:
        """Up to `steps` steps of h, after `taken` ones; moves the state (not its time)."""
        m = self.substeps
        steps = min(steps, self._chunk * every, self._longest // m, self._worth)
        h, taken, steps, every = h / m, taken * m, steps * m, every * m
        held = self.system.modes.samples.numbers(state.v)
        z = np.concatenate([state.z, held], axis=-1) if self.stages else state.z
        now = [np.array(x, float).reshape(self.rows, -1) for x in (state.q, state.v, z)]
        entries = (taken + steps) // every - taken // every + 1
        out = {
            name: np.empty((entries, self.rows, x.shape[1]))
            for name, x in zip(("q", "v", "z"), now, strict=True)
            if x.shape[1]
        }
        begun = clock.monotonic()
        done, now, fault = self._all(now, steps, h, state.t, taken, every, out)
        if done:
            self._worth = max(1, int(_BUSY * done / m / max(clock.monotonic() - begun, 1e-6)))
        numbers = np.arange((taken // every + 1) * every, taken + done + 1, every)
        if self._unasked and len(numbers) and numbers[-1] == taken + done:
            numbers = numbers[:-1]  # this instant waits for its sample
        entry = numbers // every - taken // every
        found = [
            out[name][entry] if name in out else np.empty((len(entry), self.rows, 0))
            for name in ("q", "v", "z")
        ]
        if self.single:
            found, now = [x[:, 0] for x in found], [x[0] for x in now]
        q, v, z = found
        nz = self.system.nz
        if done:
            state.q, state.v, state.z = now[0], now[1], now[2][..., :nz]
            self._hold(now[2][..., nz:], state.t + done * h)
        return StepBatch(
            done // m, done % m, (numbers // m).tolist(), q, v, z[..., :nz], z[..., nz:], h, fault
        )

    def _hold(self, numbers: Array, t: float) -> None:
        if not self._asks:
            self.system.modes.samples.hold(numbers, t)

    def _all(
        self,
        now: list[Array],
        steps: int,
        h: float,
        t: float,
        taken: int,
        every: int,
        out: dict[str, Array],
    ) -> tuple[int, list[Array], BaseException | None]:
        """All steps, or those that a while allows where Python is asked on the way."""
        if not (self._asks or self._calls):
            done, now = self._run(now, steps, h, t, taken, every, out)
            return done, now, None
        done, begun = 0, clock.monotonic()
        while done < steps and (done % self.substeps or clock.monotonic() - begun < _BUSY):
            if done and self._calls:
                share = _BUSY / 5.0 / max(clock.monotonic() - begun, 1e-6)
                self._burst = max(_BURST, int(share * done))
            until = (
                round((self.system.modes.samples.next() - t) / h) - done if self._asks else steps
            )
            asked = min(steps - done, until, self._burst if self._calls else steps)
            first = (taken + done) // every - taken // every
            part = {name: x[first:] for name, x in out.items()}
            went, now = self._run(now, asked, h, t + done * h, taken + done, every, part)
            done += went
            if went < asked:
                return done, now, self._fault
            if asked == until and self._asks:
                try:
                    now[2] = self._ask(t + done * h, *now)
                except BaseException as fault:  # Ctrl-C too: what was computed is handed over
                    self._unasked = True
                    return done, now, fault
                if (taken + done) % every == 0 and "z" in out:
                    out["z"][(taken + done) // every - taken // every] = now[2]
        return done, now, None

    def _ask(self, t: float, q: Array, v: Array, z: Array) -> Array:
        """Parts that are due look at the state; gives (z, held)."""
        q, v, own = (x[0] if self.single else x for x in (q, v, z[:, : self.system.nz]))
        own = self.system.sample(t, q, v, own)
        return np.concatenate([own, self.system.modes.samples.numbers(v)], axis=-1).reshape(
            self.rows, -1
        )

    def _run(
        self,
        start: list[Array],
        steps: int,
        h: float,
        t: float,
        taken: int,
        every: int,
        out: dict[str, Array],
    ) -> tuple[int, list[Array]]:
        """Steps that all blocks have taken, and where they are now."""
        self._h, self._fault, due = h, None, self._due(t, h, steps)
        steps, given = self._tables(t, steps, h, self._blocks[0][1].tables)
        if not steps:
            return 0, start

        def take(pairs: list[tuple[slice, Stepping]], count: int) -> int:
            """Some blocks take steps; how far the slowest came."""
            parts: list[Any] = [
                tuple(np.ascontiguousarray(x[rows]) for x in now) for rows, _ in pairs
            ]
            found = self._together(
                pairs,
                parts,
                [
                    (given.of(rows, self.rows), count, h, t, every, taken, out, rows.start, due)
                    for rows, _ in pairs
                ],
            )
            for (rows, _), part in zip(pairs, parts, strict=True):
                for x, moved in zip(now, part, strict=True):
                    x[rows] = moved
            return min(found)

        now = [x.copy() for x in start]
        done = self._each(take, steps)
        if len(self._blocks) > 1 and done < steps:  # one was stopped: all go as far as it
            now = [x.copy() for x in start]
            done = self._each(take, done) if done else 0
        return done, now

    def _together(
        self, pairs: list[tuple[slice, Stepping]], parts: list[Any], what: list[tuple[Any, ...]]
    ) -> list[int]:
        """Steps that every block has taken from its part of the state; several go on threads."""
        loops = [stepping for _, stepping in pairs]
        if self._threads is None or len(pairs) == 1:
            found = [loop.run(x, *w) for loop, x, w in zip(loops, parts, what, strict=True)]
        else:
            places = [loop.begin(x, *w) for loop, x, w in zip(loops, parts, what, strict=True)]
            self._threads.each(run_steps(), places)
            found = [loop.end(x) for loop, x in zip(loops, parts, strict=True)]
        self._fault = loops[-1].fault
        return found

    def _each(self, take: Callable[[list[tuple[slice, Stepping]], int], int], steps: int) -> int:
        """Some blocks at a time, so that Ctrl-C is heard in between; how far the slowest came."""
        blocks, count = self._blocks, self._at_once()
        return min(take(blocks[k : k + count], steps) for k in range(0, len(blocks), count))

    def _at_once(self) -> int:
        """Blocks that run at the same time, or wait for it."""
        return 2 * self._members if self._members > 1 else 1

    def _due(self, t: float, h: float, steps: int) -> Array | None:
        """Which sampled parts are due after step k (steps + 1, 1 + n); the first column: any."""
        if not self.stages or self._asks:
            return None
        table, k = np.zeros((steps + 1, 1 + len(self.stages))), np.arange(steps + 1)
        due = self.system.modes.samples.due
        for column, stage in enumerate(self.stages, 1):
            first = round((due[column - 1] - t) / h)
            period = round(float(stage.period or h) / h)
            table[:, column] = (k >= first) & ((k - first) % period == 0)
        table[:, 0] = table[:, 1:].any(axis=1)
        return table
