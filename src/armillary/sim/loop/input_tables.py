"""What is given over time, computed in advance for every stage of the next steps of a run.

Joint forces, wrenches on frames and prescribed motion as tables of the native loop.  Functions of
the user are asked in the order of time; where one raises, the tables end, and the step in Python
that comes next tells.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from armillary.constraints.moving import RowMotion
from armillary.errors import ArmillaryError
from armillary.evaluate.inputs import Array
from armillary.model.lowering.tree import Tables
from armillary.sim.loop.step_data import Given, Method, Span
from armillary.sim.methods.system import System
from armillary.sim.motion.driven import PrescribedMotions

_TAU, _MOTION = "joint forces", "prescribed motion"  # beside the names of frames
_ROUNDING = 1e-12  # of the largest number: less is no jump
Seen = dict[str, list[Array]]


class InputTables:
    """The given quantities of a run of `rows` states.  forces: tell where they jump.  called: the
    blocks are asked for their forces at every stage, and the inputs come with them."""

    def __init__(self, system: System, method: Method, rows: int, forces: bool):
        self.system, self.method, self.rows, self.forces = system, method, rows, forces
        self.called = False
        self._still: Given | None = None  # what does not change
        self._end: tuple[float, dict[str, Array]] = (-np.inf, {})  # of the last step: when, what

    @property
    def names(self) -> tuple[str, ...]:
        """Inputs of the dynamics beside the joint forces."""
        setup = self.system.setup
        return ("external",) * bool(setup.external) + ("prescribed",) * bool(setup.prescribed)

    @property
    def numbers(self) -> int:
        """Of the tables, per step, at most."""
        setup, mechanism = self.system.setup, self.system.mechanism
        width = 0 if setup.inputs.steady else mechanism.nv
        if setup.external.of_time and not setup.external.steady:
            width += 6 * len(mechanism.model.bodies)
        if setup.prescribed:
            width += 3 * mechanism.constraint_solver.equations.constraints.count
        return self.rows * len(self.method.b) * width

    def __call__(self, span: Span, tables: Tables) -> tuple[int, Given, list[int]]:
        """For how many of these steps, what is given in them, and in which it jumps at the start:
        the forces before are not those of the first stage.  tables: of the bodies that wrenches act
        on."""
        if self._still is None:
            forces = self._steady_forces(span.t)
            try:
                self._still = Given(forces, self._steady_wrenches(span.t, tables))
            except ValueError:  # not one for every run
                return 0, Given(forces), []
        sources, jumps = self._sources(), self._schedule_jumps(span)
        if not sources:
            return span.steps, self._still, jumps
        seen: Seen = {name: [] for name in sources}  # one entry per stage
        ends: Seen = {name: [] for name in sources}  # one entry per step
        done = 0
        while done < span.steps:
            try:
                step = self._step(sources, span.t + done * span.h, span.h)
            except Exception:
                break
            for name, found in step.items():
                seen[name] += [found[c] for c in self.method.c]
                ends[name] += [found[1.0]] if 1.0 in found else []
            done += 1
        if not done:
            return 0, self._still, []
        if self.forces:
            jumps += self._jumps(span, seen, ends)
        return *self._tables(span, done, seen, ends, tables), jumps

    def _sources(self) -> dict[str, Callable[[float], Array]]:
        """What changes over time: forces and wrenches by frame (r, n), motion (3, r, n): position,
        velocity, acceleration; r = 1 for all runs, or one row per run."""
        setup = self.system.setup
        found: dict[str, Callable[[float], Array]] = {}
        if not (self.called or setup.inputs.steady):
            found[_TAU] = lambda t: np.atleast_2d(setup.inputs(t))
        if setup.external.of_time and not setup.external.steady:
            found |= {name: partial(self._wrench, name) for name in setup.external.frames}
        if setup.prescribed:
            found[_MOTION] = lambda t: _with_rows(self._prescribed.at(t))
        return found

    @property
    def _prescribed(self) -> PrescribedMotions:
        assert self.system.setup.prescribed is not None
        return self.system.setup.prescribed

    def _wrench(self, frame: str, t: float) -> Array:
        """(1, 6), or one per run."""
        found = np.array(self.system.setup.external.wrench(frame, t), float)
        if found.shape not in ((6,), (self.rows, 6)):
            raise ValueError(f"a wrench of shape {found.shape}")
        return np.atleast_2d(found)

    def _steady_forces(self, t: float) -> Array:
        inputs = self.system.setup.inputs
        forces = inputs(t) if inputs.steady and not self.called else 0.0
        return np.array(np.broadcast_to(forces, (self.rows, self.system.nv)))

    def _steady_wrenches(self, t: float, tables: Tables) -> Array | None:
        external = self.system.setup.external
        if not external or not external.steady:
            return None
        return self._carried({name: [self._wrench(name, t)] for name in external.frames}, tables)[0]

    def _step(
        self, sources: dict[str, Callable[[float], Array]], begin: float, h: float
    ) -> dict[str, dict[float, Array]]:
        """Asks everything at the stages of one step, each instant once, and at its end where that
        is needed."""
        self.system.setup.enter(begin, begin + h)
        found = {}
        for name, source in sources.items():
            end = (1.0,) if self.forces or name == _MOTION else ()
            found[name] = {c: source(begin + c * h) for c in dict.fromkeys((*self.method.c, *end))}
        return found

    # -- jumps -----------------------------------------------------------------------------------

    def _jumps(self, span: Span, seen: Seen, ends: Seen) -> list[int]:
        """Steps whose first stage does not go on where the step before has ended."""
        last, before = self._end
        before = before if abs(last - span.t) < 0.5 * span.h else {}
        found: set[int] = set()
        for name, own in ends.items():
            starts, count = seen[name][:: len(self.method.b)], len(own)
            both = _stacked([*starts, before.get(name, starts[0]), *own[:-1]])
            gaps = np.abs(both[:count] - both[count:]).reshape(count, -1).max(axis=1)
            found |= set(np.flatnonzero(gaps > _ROUNDING * np.abs(both).max()).tolist())
            self._end = span.t + count * span.h, {name: x[-1] for name, x in ends.items()}
        return sorted(found)

    def _schedule_jumps(self, span: Span) -> list[int]:
        """Steps that begin with a row of a schedule that is asked at the stages."""
        schedules = self.system.setup.schedules if self.called and self.forces else []
        number = np.concatenate([np.zeros(0), *((s.times - span.t) / span.h for s in schedules)])
        steps = np.round(number[(number > -0.5) & (number < span.steps)])
        return sorted(set(steps.astype(int).tolist()))

    # -- tables ----------------------------------------------------------------------------------

    def _tables(
        self, span: Span, steps: int, seen: Seen, ends: Seen, tables: Tables
    ) -> tuple[int, Given]:
        """Steps that can be taken, and what is given in them."""
        assert self._still is not None
        n, shape = self.system.nv, (steps, len(self.method.b))
        tau, wrench = self._still.tau, self._still.wrench
        if _TAU in seen:
            found = _stacked(seen[_TAU]).reshape(*shape, -1, n)
            tau = np.broadcast_to(found, (*shape, self.rows, n))
        if wrenches := {name: x for name, x in seen.items() if name not in (_TAU, _MOTION)}:
            carried = self._carried(wrenches, tables)
            wrench = carried.reshape(*shape, *carried.shape[1:])
        if _MOTION not in seen:
            return steps, Given(tau, wrench)
        drive, end = self._of_rows(seen[_MOTION]).acceleration, self._of_rows(ends[_MOTION])
        given = Given(tau, wrench, drive.reshape(*shape, *drive.shape[1:]), end.place, end.velocity)
        return self._consistent(span, end), given

    def _of_rows(self, motion: list[Array]) -> RowMotion:
        """Of all constraint rows, (instants, r, rows)."""
        values = np.moveaxis(_stacked(motion), 1, 0)
        return self._prescribed.row_motion(self.system.mechanism, values)

    def _consistent(self, span: Span, end: RowMotion) -> int:
        """Steps until prescribed rows contradict each other."""
        for k in range(len(end.place)):
            moving = RowMotion(*(x[k] for x in end.parts))
            try:
                self._prescribed.check(self.system.mechanism, span.t + (k + 1) * span.h, moving)
            except ArmillaryError:
                return k
        return len(end.place)

    def _carried(self, wrenches: Seen, tables: Tables) -> Array:
        """Wrenches on frames as wrenches on bodies: (instants, 1 or rows, 6 * bodies)."""
        found = {name: _stacked(values) for name, values in wrenches.items()}
        count = len(next(iter(found.values())))
        rows = max(x.shape[1] for x in found.values())
        flat = {
            name: (np.broadcast_to(x, (count, rows, 6)).reshape(-1, 6), False)
            for name, x in found.items()
        }
        carried = self.system.mechanism.evaluator.external_rows(flat, count * rows, tables)
        return carried.reshape(count, rows, -1)


def _with_rows(motion: Array) -> Array:
    """(3, r, n)."""
    return motion.reshape(3, -1, motion.shape[-1])


def _stacked(values: list[Array]) -> Array:
    """(len(values), ..., r, n) of arrays (..., 1, n) or (..., r, n)."""
    rows = max(x.shape[-2] for x in values)
    if rows == 1:
        return np.array(values)
    return np.array([np.broadcast_to(x, (*x.shape[:-2], rows, x.shape[-1])) for x in values])
