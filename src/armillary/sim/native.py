"""Fixed steps in native code: many steps per call (functions/stepping.py), where a run allows it.

A run goes natively when its method is explicit, its forces are constants, tables that bend on the
grid, or parts that can be traced, and nothing has to be watched on the way.  A step that the
native loop does not take is left to the engine, which goes on in Python and comes back.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.functions.inputs import Array
from armillary.functions.stepping import Control, Method, NotNative, Stepping
from armillary.sim.integrators import ExplicitRungeKutta, SemiImplicitEuler, Stepper

if TYPE_CHECKING:
    from armillary.sim.engine import State
    from armillary.sim.system import System

_NUMBERS = 4_000_000  # of the record of one call
_BLOCK = 256  # rows of a batch that run through all steps together
_STEPS = 20_000  # of one call: the time between two signs of progress


def native_loop(
    system: System, stepper: Stepper, state: State, project: bool, stops: list[float], step: float
) -> NativeLoop | None:
    """The native way of this run, or None."""
    method = _method(stepper)
    on_grid = all(_whole((stop - state.t) / step) for stop in stops)
    if method is None or system.external or system.resting or not on_grid:
        return None
    if system.mechanism.model.constraints and not project:
        return None
    try:
        return NativeLoop(system, method, state)
    except NotNative:
        return None  # a part that cannot be traced, or no kernel: steps are made in Python


def _method(stepper: Stepper) -> Method | None:
    if isinstance(stepper, SemiImplicitEuler):
        return Method(semi_implicit=True)
    if isinstance(stepper, ExplicitRungeKutta) and not stepper.table.error:
        return Method(stepper.table.a, stepper.table.b, stepper.table.c)
    return None


def _whole(x: float) -> bool:
    return abs(x - round(x)) < 1e-9 * max(1.0, abs(x))


@dataclass(frozen=True)
class Stretch:
    """Steps that were taken, and the states after those that are to be recorded."""

    done: int
    numbers: list[int]  # of the recorded steps
    q: Array
    v: Array
    z: Array


class NativeLoop:
    """The native loop of a run."""

    def __init__(self, system: System, method: Method, state: State):
        self.system, self.method = system, method
        self.rows = 1 if state.q.ndim == 1 else len(state.q)
        self._parts = self._split()
        n = system.mechanism.nq + 2 * system.nv + system.nz + 1
        self._chunk = max(1, min(_STEPS, _NUMBERS // (self.rows * n)))

    def _split(self) -> list[tuple[slice, Stepping]]:
        """Rows of the batch in blocks that stay in the cache, each with a loop of its own."""
        control = self._control()
        count = max(1, self.rows // _BLOCK)
        edges = [self.rows * k // count for k in range(count + 1)]
        loops: dict[int, Stepping] = {}
        parts = []
        shared = self.system.mechanism.options.threads == 1 and self.system.parameters is None
        for first, last in pairwise(edges):
            p = self.system.parameters
            own = p[first:last] if p is not None and p.ndim == 2 else p
            size = last - first
            stepping = loops.get(size) if shared else None
            if stepping is None:
                stepping = Stepping(self.system.mechanism, self.method, size, control,
                                    self.system.nz, own)  # fmt: skip
                loops[size] = stepping
            parts.append((slice(first, last), stepping))
        return parts

    def _control(self) -> Control | None:
        """The chain of parts as one function over scalars."""
        stages, n = self.system.stages, self.system.nv
        if not stages:
            return None
        for stage in stages:
            part = stage.part
            if stage.plain or stage.period is not None or getattr(part, "array_level", False):
                raise NotNative("a part that runs in Python")

        def control(t: Any, q: list, v: list, z: list, tau: list) -> tuple[list, list]:
            u: list = [0.0] * n
            rates: list = []
            for stage in stages:
                own = z[stage.z]
                rates += list(stage.part.rate(t, q, v, own, u)) if stage.count else []
                u = list(stage.part.force(t, q, v, own, u))
            return [x + y for x, y in zip(u, tau, strict=True)], rates

        return control

    def advance(self, state: State, taken: int, steps: int, h: float, every: int) -> Stretch:
        """Up to `steps` steps of h, after `taken` ones; moves the state (not its time)."""
        steps = min(steps, self._chunk * every, _STEPS)
        single = state.q.ndim == 1
        start = tuple(
            np.array(x, float).reshape(self.rows, -1) for x in (state.q, state.v, state.z)
        )
        done, now, out = self._run(start, steps, h, state.t, taken, every)
        if len(self._parts) > 1 and 0 < done < steps:  # a part was stopped: all go as far as it
            done, now, out = self._run(start, done, h, state.t, taken, every)
        numbers = np.arange((taken // every + 1) * every, taken + done + 1, every)
        entries = numbers // every - taken // every
        found = [out[name][entries] if name in out else np.empty((len(entries), self.rows, 0))
                 for name in ("q", "v", "z")]  # fmt: skip
        if single:
            found, now = [x[:, 0] for x in found], [x[0] for x in now]
        if done:
            state.q, state.v, state.z = now
        return Stretch(done, numbers.tolist(), *found)

    def _run(
        self, start: tuple[Array, ...], steps: int, h: float, t: float, taken: int, every: int
    ) -> tuple[int, list[Array], dict[str, Array]]:
        """Steps that all parts have taken, where they are now, and the record."""
        now = [x.copy() for x in start]
        entries = (taken + steps) // every - taken // every + 1
        out = {
            name: np.empty((entries, self.rows, x.shape[1]))
            for name, x in zip(("q", "v", "z"), start, strict=True)
            if x.shape[1]
        }
        tau = self._forces(t, steps, h)

        def part(pair: tuple[slice, Stepping]) -> int:
            rows, stepping = pair
            own: Any = tuple(np.ascontiguousarray(x[rows]) for x in now)
            forces = tau[rows] if tau.ndim == 2 else tau[:, :, rows]
            done = stepping.run(own, forces, steps, h, t, every, taken, out, rows.start)
            for x, moved in zip(now, own, strict=True):
                x[rows] = moved
            return done

        threads = min(self.system.mechanism.options.threads, len(self._parts))
        if threads == 1:
            return min([part(pair) for pair in self._parts]), now, out
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            return min(pool.map(part, self._parts)), now, out

    def _forces(self, t: float, steps: int, h: float) -> Array:
        """Given joint forces: (rows, nv), or of every stage (steps, stages, rows, nv)."""
        inputs, n = self.system.inputs, self.system.nv
        if inputs.steady:
            return np.array(np.broadcast_to(inputs(t), (self.rows, n)))
        table = np.empty((steps, len(self.method.b), self.rows, n))
        for k in range(steps):
            begin = t + k * h
            self.system.enter(begin, begin + h)
            for i, c in enumerate(self.method.c):
                table[k, i] = inputs(begin + c * h)
        return table
