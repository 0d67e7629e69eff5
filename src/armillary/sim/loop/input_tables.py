"""What is given over time, computed in advance for every stage of the next steps of a run.

Joint forces, wrenches on frames and prescribed motion as tables of the native loop.  Functions of
the user are asked in the order of time; where one raises, the tables end, and the step in Python
that comes next tells.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armillary.constraints.moving import RowMotion
from armillary.errors import ArmillaryError
from armillary.evaluate.inputs import Array
from armillary.model.lowering.tree import Tables
from armillary.sim.loop.time_steps import Given, Method, Span
from armillary.sim.methods.system import System

_TAU, _MOTION = "joint forces", "prescribed motion"  # beside the names of frames
_ROUNDING = 1e-12  # of the largest number: less is no jump


@dataclass
class _Seen:
    """What was found so far: one entry per stage, of `ends` per step.  Forces "tau" and wrenches by
    frame (r, n), motion (3, r, n): place, velocity, acceleration; r = 1 for all runs, or one row
    per run."""

    tau: list[Array] = field(default_factory=list)
    wrench: dict[str, list[Array]] = field(default_factory=dict)
    motion: list[Array] = field(default_factory=list)
    ends: dict[str, list[Array]] = field(default_factory=dict)

    def append(self, step: _Seen) -> None:
        self.tau += step.tau
        self.motion += step.motion
        for mine, its in ((self.wrench, step.wrench), (self.ends, step.ends)):
            for name, values in its.items():
                mine.setdefault(name, []).extend(values)

    def of(self, name: str) -> list[Array]:
        """What `ends` has under this name, at the stages."""
        return self.tau if name == _TAU else self.motion if name == _MOTION else self.wrench[name]


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
        system = self.system
        return ("external",) * bool(system.setup.external) + ("prescribed",) * bool(
            system.setup.prescribed
        )

    @property
    def numbers(self) -> int:
        """Of the tables, per step, at most."""
        system, stages = self.system, len(self.method.b)
        width = 0 if system.setup.inputs.steady else system.nv
        if not system.setup.external.steady:
            width += 6 * len(system.mechanism.model.bodies)
        if system.setup.prescribed:
            width += 3 * system.mechanism.constraint_solver.equations.constraints.count
        return self.rows * stages * width

    def __call__(self, span: Span, tables: Tables) -> tuple[int, Given, list[int]]:
        """For how many of these steps, what is given in them, and in which it jumps at the start:
        the forces before are not those of the first stage.  tables: of the bodies that wrenches act
        on."""
        t, h, steps = span.t, span.h, span.steps
        if self._still is None:
            forces = self._steady_forces(t)
            try:
                self._still = Given(forces, self._steady_wrenches(t, tables))
            except ValueError:  # not one for every run
                return 0, Given(forces), []
        if self._moving_nothing:
            return steps, self._still, self._schedule_jumps(span)
        seen, done = _Seen(), 0
        while done < steps:
            try:
                seen.append(self._step(t + done * h, h))
            except Exception:
                break
            done += 1
        jumps = self._schedule_jumps(span) + (self._jumps(span, seen) if self.forces else [])
        return *self._tables(t, h, done, seen, tables), jumps

    def _jumps(self, span: Span, seen: _Seen) -> list[int]:
        """Steps whose first stage does not go on where the step before has ended."""
        last, before = self._end
        before = before if abs(last - span.t) < 0.5 * span.h else {}
        found: set[int] = set()
        for name, ends in seen.ends.items():
            starts = seen.of(name)[:: len(self.method.b)]
            both = _stacked([*starts, before.get(name, starts[0]), *ends[:-1]])
            gaps = np.abs(both[: len(ends)] - both[len(ends) :]).reshape(len(ends), -1)
            found |= set(np.flatnonzero(gaps.max(axis=1) > _ROUNDING * np.abs(both).max()).tolist())
        count = max(map(len, seen.ends.values()), default=0)
        self._end = span.t + count * span.h, {name: x[-1] for name, x in seen.ends.items()}
        return sorted(found)

    def _schedule_jumps(self, span: Span) -> list[int]:
        """Steps that begin with a row of a schedule that is asked at the stages."""
        schedules = self.system.setup.schedules if self.called and self.forces else []
        number = np.concatenate([np.zeros(0), *((s.times - span.t) / span.h for s in schedules)])
        steps = np.round(number[(number > -0.5) & (number < span.steps)])
        return sorted(set(steps.astype(int).tolist()))

    @property
    def _moving_nothing(self) -> bool:
        system = self.system
        forces = self.called or system.setup.inputs.steady
        return forces and system.setup.external.steady and not system.setup.prescribed

    def _steady_forces(self, t: float) -> Array:
        system = self.system
        steady = system.setup.inputs.steady and not self.called
        forces = system.setup.inputs(t) if steady else 0.0
        return np.array(np.broadcast_to(forces, (self.rows, system.nv)))

    def _steady_wrenches(self, t: float, tables: Tables) -> Array | None:
        external = self.system.setup.external
        if not external or not external.steady:
            return None
        return self._carried(
            {name: [self._wrench(x)] for name, x in external.at(t).items()}, tables
        )[0]

    # -- one step --------------------------------------------------------------------------------

    def _step(self, begin: float, h: float) -> _Seen:
        """Asks everything at the stages of one step, each instant once."""
        system, seen = self.system, _Seen()
        system.setup.enter(begin, begin + h)
        instants = {c: begin + c * h for c in (*self.method.c, 1.0)}
        if not (self.forces or system.setup.prescribed) and 1.0 not in self.method.c:
            del instants[1.0]
        if not (self.called or system.setup.inputs.steady):
            forces = {c: np.atleast_2d(system.setup.inputs(t)) for c, t in instants.items()}
            self._put(seen, seen.tau, _TAU, forces)
        if not system.setup.external.steady:
            wrenches = {c: system.setup.external.at(t) for c, t in instants.items()}
            for name in wrenches[self.method.c[0]]:
                own = {c: self._wrench(wrenches[c][name]) for c in instants}
                self._put(seen, seen.wrench.setdefault(name, []), name, own)
        if system.setup.prescribed:
            found = {c: _with_rows(system.setup.prescribed.at(t)) for c, t in instants.items()}
            self._put(seen, seen.motion, _MOTION, found)
        return seen

    def _put(self, seen: _Seen, stages: list[Array], name: str, found: dict[float, Array]) -> None:
        stages += [found[c] for c in self.method.c]
        if 1.0 in found:
            seen.ends[name] = [found[1.0]]

    def _wrench(self, value: Any) -> Array:
        """(1, 6), or one per run."""
        found = np.array(value, float)
        if found.shape not in ((6,), (self.rows, 6)):
            raise ValueError(f"a wrench of shape {found.shape}")
        return np.atleast_2d(found)

    # -- tables ----------------------------------------------------------------------------------

    def _tables(
        self, t: float, h: float, steps: int, seen: _Seen, tables: Tables
    ) -> tuple[int, Given]:
        """Steps that can be taken, and what is given in them."""
        assert self._still is not None
        n, shape = self.system.nv, (steps, len(self.method.b))
        tau, wrench = self._still.tau, self._still.wrench
        if seen.tau:
            found = _stacked(seen.tau).reshape(*shape, -1, n)
            tau = np.broadcast_to(found, (*shape, self.rows, n))
        if seen.wrench:
            carried = self._carried(seen.wrench, tables)
            wrench = carried.reshape(*shape, *carried.shape[1:])
        if not seen.motion:
            return steps, Given(tau, wrench)
        drive, end = self._of_rows(seen.motion).acceleration, self._of_rows(seen.ends[_MOTION])
        given = Given(tau, wrench, drive.reshape(*shape, *drive.shape[1:]), end.place, end.velocity)
        return self._consistent(t, h, end), given

    def _of_rows(self, motion: list[Array]) -> RowMotion:
        """Of all constraint rows, (instants, r, rows)."""
        prescribed: Any = self.system.setup.prescribed
        return prescribed.row_motion(self.system.mechanism, np.moveaxis(_stacked(motion), 1, 0))

    def _consistent(self, t: float, h: float, end: RowMotion) -> int:
        """Steps until driven rows contradict each other."""
        prescribed: Any = self.system.setup.prescribed
        for k in range(len(end.place)):
            moving = RowMotion(*(x[k] for x in end.parts))
            try:
                prescribed.check(self.system.mechanism, t + (k + 1) * h, moving)
            except ArmillaryError:
                return k
        return len(end.place)

    def _carried(self, wrenches: dict[str, list[Array]], tables: Tables) -> Array:
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
