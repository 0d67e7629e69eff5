"""What is given over time, computed in advance for every stage of the next steps of a run.

Joint forces, voltages, inputs of force elements, wrenches on frames and prescribed motion as tables
of the native loop.
Functions of the user are asked in the order of time; where one raises, the tables end, and the step
in Python that comes next tells.  Schedules are read for all stages at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from armillary.constraints.moving import RowMotion
from armillary.errors import ArmillaryError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.lowering.tree import Tables
from armillary.sim.control.element_inputs import ElementInputs
from armillary.sim.control.tracing import inputs_of_elements
from armillary.sim.loop.step_data import Given, Method, Span
from armillary.sim.methods.system import System
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.motion.schedules import Forces

_TAU, _COMMAND, _ELEMENTS = "joint forces", "voltages", "inputs of elements"  # in this order
_MOTION = "prescribed motion"
_ROUNDING = 1e-12  # of the largest number: less is no jump
Seen = dict[str, Array]  # (steps, stages, ...); at the ends of steps (steps, ...)
Source = Callable[[float], Array]
Table = Callable[[Array, float, tuple[float, ...]], Array]


class InputTables:
    """The given quantities of a run of `rows` states.  mechanism: the one in force there.  forces:
    tell where they jump.  called: the blocks are asked for their forces at every stage, and the
    inputs come with them."""

    def __init__(
        self, system: System, mechanism: Mechanism, method: Method, rows: int, forces: bool
    ):
        self.system, self.method, self.rows, self.forces = system, method, rows, forces
        self.mechanism = mechanism
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
        setup, mechanism = self.system.setup, self.mechanism
        width = 0 if self._steady else mechanism.nv * (1 + bool(setup.voltages))
        width += 0 if self._elements is None else self._elements.width
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
        jumps = self._schedule_jumps(span)
        if not (self._sources() or self._tabled()):
            return span.steps, self._still, jumps
        done, seen, ends = self._asked(span)
        if done and self._samples:
            done = self._until_sampled(span, done, seen)
        if not done:
            return 0, self._still, []
        if self.forces:
            jumps += self._jumps(span, done, seen, ends)
        return *self._tables(span, done, seen, ends, tables), jumps

    def _asked(self, span: Span) -> tuple[int, Seen, Seen]:
        """For how many steps everything is known, at the stages and where needed at the ends."""
        sources, c = self._sources(), (*self.method.c, 1.0)
        begins = np.asarray(span.t + np.arange(span.steps) * span.h, float)
        moved = self._prescribed.at_stages(begins, span.h, c) if _MOTION in sources else None
        if moved is not None:
            del sources[_MOTION]
            self.system.setup.enter(float(begins[-1]), float(begins[-1]) + span.h)
        asked: list[dict[str, dict[float, Array]]] = []
        while sources and len(asked) < span.steps:
            try:
                asked.append(self._step(sources, span.t + len(asked) * span.h, span.h))
            except Exception:
                break
        done = len(asked) if sources else span.steps
        seen: Seen = {}
        ends: Seen = {}
        for name in sources if done else ():
            seen[name] = _stacked([[found[name][c] for c in self.method.c] for found in asked])
            if 1.0 in asked[0][name]:
                ends[name] = _stacked([found[name][1.0] for found in asked])
        if moved is not None:
            seen[_MOTION], ends[_MOTION] = moved[:done, :-1], moved[:done, -1]
        for name, table in self._tabled().items():
            both = table(begins[:done], span.h, c)
            if both.shape[-2] not in (1, self.rows):
                return 0, {}, {}
            seen[name], ends[name] = both[:, :-1], both[:, -1]
        return done, seen, ends

    def _until_sampled(self, span: Span, done: int, seen: Seen) -> int:
        """Steps whose samples see voltages that are known; those after the last step are added, for
        what is sampled there."""
        t = span.t + done * span.h
        try:
            self.system.setup.enter(t, t + span.h)
            after = _row_of(self._forces()[_COMMAND], t)
        except Exception:
            done, after = done - 1, seen[_COMMAND][done - 1, 0]
        for name in self._forces():
            last = after if name == _COMMAND else seen[name][-1, 0]
            shape = (done, seen[name].shape[1], max(seen[name].shape[2], len(last)), len(last[0]))
            known = np.broadcast_to(seen[name][:done], shape)
            seen[name] = np.concatenate([known, np.broadcast_to(last, (1, *shape[1:]))])
        return done

    def _sources(self) -> dict[str, Source]:
        """What has to be asked at every instant: forces and wrenches by frame (r, n), motion (3, r,
        n): position, velocity, acceleration; r = 1 for all runs, or one row per run."""
        setup = self.system.setup
        found: dict[str, Source] = {}
        for name, given in self._forces().items():
            if not given.tabled:
                found[name] = partial(_row_of, given)
        if setup.external.of_time and not setup.external.tabled:
            found |= {name: partial(self._wrench, name) for name in setup.external.frames}
        if setup.prescribed:
            found[_MOTION] = lambda t: _with_rows(self._prescribed.at(t))
        return found

    def _tabled(self) -> dict[str, Table]:
        """What schedules give: (begins, h, c) -> (steps, stages, r, n)."""
        external = self.system.setup.external
        found: dict[str, Table] = {
            name: x.at_stages for name, x in self._forces().items() if x.tabled
        }
        if external.tabled and not external.steady:
            found |= {name: partial(external.at_stages, name) for name in external.frames}
        return found

    def _forces(self) -> dict[str, Forces | ElementInputs]:
        """Joint forces, voltages and inputs of elements; none where all are constant, or asked for
        with the blocks."""
        setup, elements = self.system.setup, self._elements
        if self.called or self._steady:
            return {}
        found: dict[str, Forces | ElementInputs] = {_TAU: setup.inputs}
        found |= {_COMMAND: setup.voltages} if setup.voltages else {}
        return found | ({_ELEMENTS: elements} if elements is not None else {})

    @property
    def _elements(self) -> ElementInputs | None:
        """Of force elements, where some are handed over."""
        found = inputs_of_elements(self.system.chain)
        return None if found is None or found.steady else found

    @property
    def _steady(self) -> bool:
        volts = self.system.setup.voltages
        own = self.system.setup.inputs.steady and self._elements is None
        return own and (volts is None or volts.steady)

    @property
    def _samples(self) -> bool:
        """Do sampled blocks look at voltages in a table?"""
        fed = self.system.setup.voltages is not None and not self._steady and not self.called
        return fed and bool(self.system.chain.sampled)

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
        """Joint forces, and voltages behind them (rows, nv or 2 nv)."""
        setup, shape = self.system.setup, (self.rows, self.system.nv)
        known = self._steady and not self.called
        forces = [setup.inputs, *([setup.voltages] if setup.voltages else [])]
        own = [np.broadcast_to(given(t) if known else 0.0, shape) for given in forces]
        return np.concatenate(own, axis=1)

    def _steady_wrenches(self, t: float, tables: Tables) -> Array | None:
        external = self.system.setup.external
        if not external or not external.steady:
            return None
        return self._carried({name: self._wrench(name, t) for name in external.frames}, tables)[0]

    def _step(
        self, sources: dict[str, Source], begin: float, h: float
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

    def _jumps(self, span: Span, count: int, seen: Seen, ends: Seen) -> list[int]:
        """Steps whose first stage does not go on where the step before has ended."""
        last, before = self._end
        before = before if abs(last - span.t) < 0.5 * span.h else {}
        found: set[int] = set()
        for name, own in ends.items():
            starts = seen[name][:count, 0]
            goes_on = [before.get(name, starts[0]), *own[: count - 1]]
            both = np.concatenate([starts, _stacked(goes_on)])
            gaps = np.abs(both[:count] - both[count:]).reshape(count, -1).max(axis=1)
            found |= set(np.flatnonzero(gaps > _ROUNDING * np.abs(both).max()).tolist())
        end = {name: x[count - 1] for name, x in ends.items()}
        self._end = span.t + count * span.h, end
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
        shape = (steps, len(self.method.b))
        tau, wrench = self._still.tau, self._still.wrench
        forces = [seen[name] for name in (_TAU, _COMMAND, _ELEMENTS) if name in seen]
        if forces:
            own = (*forces[0].shape[:2], self.rows)
            tau = np.concatenate([np.broadcast_to(x, (*own, x.shape[-1])) for x in forces], axis=-1)
        beside = (_TAU, _COMMAND, _ELEMENTS, _MOTION)
        if wrenches := {name: x[:steps] for name, x in seen.items() if name not in beside}:
            carried = self._carried(wrenches, tables)
            wrench = carried.reshape(*shape, *carried.shape[1:])
        if _MOTION not in seen:
            return steps, Given(tau, wrench)
        motion, last = seen[_MOTION][:steps], ends[_MOTION][:steps]
        drive = self._of_rows(motion.reshape(-1, *motion.shape[2:])).acceleration
        end = self._of_rows(last)
        given = Given(tau, wrench, drive.reshape(*shape, *drive.shape[1:]), end.place, end.velocity)
        return self._consistent(span, end), given

    def _of_rows(self, motion: Array) -> RowMotion:
        """Of all constraint rows, (instants, r, rows)."""
        return self._prescribed.row_motion(self.mechanism, np.moveaxis(motion, 1, 0))

    def _consistent(self, span: Span, end: RowMotion) -> int:
        """Steps until prescribed rows contradict each other."""
        if not self._prescribed.may_contradict(self.system.mechanism):
            return len(end.place)
        for k in range(len(end.place)):
            moving = RowMotion(*(x[k] for x in end.parts))
            try:
                self._prescribed.check(self.mechanism, span.t + (k + 1) * span.h, moving)
            except ArmillaryError:
                return k
        return len(end.place)

    def _carried(self, wrenches: Seen, tables: Tables) -> Array:
        """Wrenches on frames as wrenches on bodies: (instants, 1 or rows, 6 * bodies)."""
        found = {name: x.reshape(-1, *x.shape[-2:]) for name, x in wrenches.items()}
        count = len(next(iter(found.values())))
        rows = max(x.shape[1] for x in found.values())
        flat = {
            name: (np.broadcast_to(x, (count, rows, 6)).reshape(-1, 6), False)
            for name, x in found.items()
        }
        carried = self.mechanism.evaluator.external_rows(flat, count * rows, tables)
        return carried.reshape(count, rows, -1)


def _with_rows(motion: Array) -> Array:
    """(3, r, n)."""
    return motion.reshape(3, -1, motion.shape[-1])


def _row_of(given: Forces | ElementInputs, t: float) -> Array:
    """(1, n), or one per run."""
    return np.atleast_2d(given(t))


def _stacked(values: list[Array] | list[list[Array]]) -> Array:
    """(len(values), ..., r, n) of arrays (..., 1, n) or (..., r, n), or of lists of them."""
    own = [_stacked(x) if isinstance(x, list) else x for x in values]
    rows = max(x.shape[-2] for x in own)
    if all(x.shape[-2] == rows for x in own):
        return np.array(own)
    return np.array([np.broadcast_to(x, (*x.shape[:-2], rows, x.shape[-1])) for x in own])
