"""Fixed steps in native code: many steps per call (functions/stepping.py), where a run allows it.

A run goes natively when its method is explicit, its forces are constants, tables that bend on the
grid, or parts that can be traced, and nothing has to be watched on the way.  A step that the
native loop does not take is left to the engine, which goes on in Python and comes back.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import ArmillaryError
from armillary.functions.inputs import Array
from armillary.functions.stepping import Control, Method, Stepping
from armillary.sim.integrators import ExplicitRungeKutta, SemiImplicitEuler, Stepper

if TYPE_CHECKING:
    from collections.abc import Callable

    from armillary.sim.engine import State
    from armillary.sim.system import System

_NUMBERS = 1_000_000  # of the record of one call
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
    except (NotImplementedError, TypeError, AttributeError, ValueError, ArmillaryError):
        return None  # a part that cannot be traced, or no kernel: steps are made in Python


def _method(stepper: Stepper) -> Method | None:
    if isinstance(stepper, SemiImplicitEuler):
        return Method(semi_implicit=True)
    if isinstance(stepper, ExplicitRungeKutta) and not stepper.table.error:
        return Method(stepper.table.a, stepper.table.b, stepper.table.c)
    return None


def _whole(x: float) -> bool:
    return abs(x - round(x)) < 1e-9 * max(1.0, abs(x))


class NativeLoop:
    """The native loop of a run."""

    def __init__(self, system: System, method: Method, state: State):
        self.system, self.method = system, method
        self.rows = 1 if state.q.ndim == 1 else len(state.q)
        self._parts = self._split(state)
        n = system.mechanism.nq + 2 * system.nv + system.nz + 1
        self._chunk = max(1, min(_STEPS, _NUMBERS // (self.rows * n)))

    def _split(self, state: State) -> list[tuple[slice, Stepping]]:
        """Rows of the batch for every thread, with a loop of its own."""
        threads = self.system.mechanism.options.threads
        count = max(1, min(threads, self.rows // 16))
        edges = [self.rows * k // count for k in range(count + 1)]
        parts = []
        for first, last in pairwise(edges):
            p = self.system.parameters
            own = p[first:last] if p is not None and p.ndim == 2 else p
            stepping = Stepping(self.system.mechanism, self.method, last - first, self._control(),
                                self.system.nz, own)  # fmt: skip
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
                raise NotImplementedError("a part that runs in Python")

        def control(t: Any, q: list, v: list, z: list, tau: list) -> tuple[list, list]:
            u: list = [0.0] * n
            rates: list = []
            for stage in stages:
                own = z[stage.z]
                rates += list(stage.part.rate(t, q, v, own, u)) if stage.count else []
                u = list(stage.part.force(t, q, v, own, u))
            return [x + y for x, y in zip(u, tau, strict=True)], rates

        return control

    def advance(
        self, state: State, steps: int, h: float, take: Callable[[int, Array, Array, Array], None]
    ) -> int:
        """Up to `steps` steps of h; take(n, q, v, z) gets the states after each of n steps.

        Moves the state (not its time) and returns the number of steps taken."""
        steps = min(steps, self._chunk)
        single = state.q.ndim == 1
        now = tuple(np.array(np.atleast_2d(x), float) for x in (state.q, state.v))
        z = np.array(state.z, float).reshape(self.rows, -1)
        done, out = self._run((*now, z), steps, h, state.t)
        if done:
            q, v = out["q"][1 : done + 1], out["v"][1 : done + 1]
            own = out["z"][1 : done + 1] if "z" in out else np.empty((done, self.rows, 0))
            if single:
                q, v, own = q[:, 0], v[:, 0], own[:, 0]
            take(done, q, v, own)
            state.q, state.v, state.z = q[-1].copy(), v[-1].copy(), own[-1].copy()
        return done

    def _run(
        self, state: tuple[Array, ...], steps: int, h: float, t: float
    ) -> tuple[int, dict[str, Array]]:
        """Steps that all parts have taken, and the states after each."""
        widths = {"q": state[0].shape[1], "v": state[1].shape[1], "z": state[2].shape[1]}
        tau = self._forces(t, steps, h)

        def part(rows: slice, stepping: Stepping) -> tuple[int, dict[str, Array]]:
            own: Any = tuple(np.ascontiguousarray(x[rows]) for x in state)
            count = rows.stop - rows.start
            out = {name: np.empty((steps + 1, count, n)) for name, n in widths.items() if n}
            forces = tau[rows] if tau.ndim == 2 else tau[:, :, rows]
            return stepping.run(own, forces, steps, h, t, out=out), out

        if len(self._parts) == 1:
            return part(*self._parts[0])
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(self._parts)) as pool:
            results = list(pool.map(lambda pair: part(*pair), self._parts))
        joined = {
            name: np.concatenate([out[name] for _, out in results], axis=1)
            for name in results[0][1]
        }
        return min(done for done, _ in results), joined

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
