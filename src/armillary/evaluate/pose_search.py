"""The search for places where a frame stands as wanted: many starts, natively in one loop.

A step is one algorithm (algorithms/inverse_kinematics.py), compiled for a task; the loop around it
is native, too (runtime/search_loop.py).  Where a step is too long for straight-line code, or there
is no compiler, the same steps and the same policy run over columns of numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.interpreter import Run
from armillary.algorithms.inverse_kinematics import MEASURES, Task, search_step
from armillary.codegen.abi import Context, bits
from armillary.evaluate.compile_function import NotNative, compile_algorithm
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array
from armillary.evaluate.interpreted_code import interpreted_kernel
from armillary.evaluate.kernel import Kernel, address_of
from armillary.evaluate.request import Request
from armillary.evaluate.starts import periodic
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import Tables
from armillary.runtime.search_loop import GOAL, LESS, MORE, Search, Trial, run_search
from armillary.runtime.threads import threads

READS = ("q", "goal")
_BLOCKS = 16  # of lanes that are searched for together
_ROWS = 4096  # of one native call: an interrupt waits for no more


@dataclass(frozen=True)
class Policy:
    """When a place is good, and when a start is given up.

    tolerance: rad and m.  iterations: steps from one start.  patience: steps in which the measure
    is to fall to `fall` of it, else another start is tried.  damping: k of a step at the start, and
    where the last start is given up."""

    tolerance: float = 1e-10
    iterations: int = 100
    patience: int = 6
    fall: float = 0.25
    damping: tuple[float, float] = (0.03, 1e8)


class Found(NamedTuple):
    """One row per goal: the place, `MEASURES` (squares) there, steps and further starts."""

    q: Array
    measures: Array
    counts: NDArray[np.int64]


class PoseSearch:
    """One task on one mechanism, compiled when it is first asked for."""

    def __init__(
        self,
        evaluator: Evaluator,
        task: Task,
        constraints: ConstraintTable | None = None,
        limits: Sequence[tuple[int, str, float, float]] = (),
    ):
        """limits: (entry of q, label, lower, upper) that places keep to."""
        self.evaluator, self.task, self.limits = evaluator, task, tuple(limits)
        self.algorithm = search_step(task)
        self.tables: Tables = replace(
            evaluator.tables(), extra=(("goal", GOAL + 1),), constraints=constraints
        )
        self.free = np.zeros(self.tables.nq, np.int64)  # entries of q that may move
        for body, q, v in zip(
            self.tables.bodies, self.tables.q_offsets, self.tables.v_offsets, strict=True
        ):
            moving = [v + k in task.free for k in range(body.joint.nv)]
            if body.joint.nq == body.joint.nv:
                self.free[q : q + body.joint.nq] = moving
            elif any(moving):
                self.free[q : q + body.joint.nq] = 1
        self._turning = periodic(evaluator.model) & (self.free > 0)
        self._low, self._high = np.full(self.tables.nq, -inf), np.full(self.tables.nq, inf)
        for i, _, low, high in self.limits:
            self._low[i], self._high[i] = low, high
        self._kernels: dict[bool, Kernel] = {}
        self._rooms: dict[tuple[bool, Policy, int], list[_Room]] = {}

    def inside(self, q: Array) -> Array:
        """Places moved to within the limits."""
        return np.minimum(np.maximum(q, self._low), self._high)

    def nearest_turns(self, q: Array, q0: Array) -> Array:
        """Whole turns taken off angles, towards q0, where limits allow."""
        away = q - q0
        if len(away) == 1 and all(-pi <= x <= pi for x in away[0].tolist()):
            return q
        nearer = q - np.rint(away / (2.0 * pi)) * (2.0 * pi)
        keep = self._turning & (nearer >= self._low) & (nearer <= self._high)
        return np.where(keep, nearer, q)

    def local(self, q: Array, goal: Array) -> tuple[Array, Array, Array]:
        """At one place, by the interpreter: what is missing per row, J (rows, joints that may
        move) of the frame, rad and m, and of the constraints."""
        task = self.task
        given = {"q": q.tolist(), "goal": [*goal.tolist(), 0.0]}
        lines = Run(self.algorithm, self.tables, self.evaluator.base(), given).results["lines"]
        size = [1.0 if row < 3 else task.length for row in task.rows]
        size += [1.0] * (len(lines) - len(size))  # only the directions count
        e = np.array([float(x) * s for (_, x), s in zip(lines, size, strict=True)])
        J = np.array([[float(row.get(dof, 0)) for dof in task.free] for row, _ in lines])
        J *= np.array(size)[:, None]
        count = len(task.rows)
        return e[:count], J[:count], J[count:]

    def run(self, goals: Array, q0: Array, starts: Array, policy: Policy) -> Found:
        """goals (B, 12); q0 (B, nq) or (1, nq); starts (K, nq): further ones."""
        rows, nq = len(goals), self.tables.nq
        found = Found(
            np.empty((rows, nq)), np.empty((rows, len(MEASURES))), np.empty((rows, 2), np.int64)
        )
        job = _Job(goals, q0, starts, policy, found)
        wide = self.evaluator.options.simd(True).width if rows > 1 else 2
        try:
            kernel = self._kernels.get(rows >= wide) or self.kernel(rows >= wide)
        except NotNative:
            _search_columns(self._interpreted, self.evaluator.base_numbers, self.free, job)
            return found
        shared = threads(self.evaluator.options.threads) if rows > wide else None
        size = _ROWS if shared is None else min(_ROWS, -(-rows // (4 * shared.members)))
        parts = [(first, min(first + size, rows)) for first in range(0, rows, max(size, 1))]
        if shared is not None:
            shared.each(lambda part: self._native(kernel, job, *part), parts)
        else:
            for first, last in parts:
                self._native(kernel, job, first, last)
        return found

    def kernel(self, batched: bool) -> Kernel:
        """One step of one row, or of some side by side."""
        if batched not in self._kernels:
            options = self.evaluator.options
            self._kernels[batched] = compile_algorithm(
                self.algorithm, READS, self.tables, options.simd(batched), options.budget
            )
        return self._kernels[batched]

    @cached_property
    def _interpreted(self) -> Kernel:
        request = Request(self.algorithm, READS, self.evaluator.moving_base)
        return interpreted_kernel(request, self.tables, self.evaluator.options.simd(False))

    def _native(self, kernel: Kernel, job: _Job, first: int, last: int) -> None:
        nq, width = self.tables.nq, kernel.lanes.width
        rows = last - first
        slots = 1 if width == 1 else min(-(-rows // width), _BLOCKS) * width
        room = self._room(kernel, job.policy, slots)
        c, address = room.search, address_of()
        stride = nq if len(job.q0) > 1 else 0
        q, measures, counts = job.found
        c[Search.ROWS : Search.ACTIVE + 1] = rows, 0, slots
        c[Search.LAST_START] = job.last_start
        c[Search.Q0], c[Search.Q0_STRIDE] = address(job.q0) + 8 * stride * first, stride
        c[Search.TABLE] = address(job.starts)
        c[Search.GOALS] = address(job.goals) + 8 * GOAL * first
        c[Search.OUT_Q] = address(q) + 8 * nq * first
        c[Search.OUT_MEASURES] = address(measures) + 8 * len(MEASURES) * first
        c[Search.OUT_COUNTS] = address(counts) + 16 * first
        run_search()(address(c))
        self._rooms.setdefault(room.key, []).append(room)  # for the next call

    def _room(self, kernel: Kernel, policy: Policy, slots: int) -> _Room:
        """Memory for a search of so many rows at a time: that of an earlier one, or new."""
        key = (kernel.lanes.width > 1, policy, slots)
        with contextlib.suppress(KeyError, IndexError):
            return self._rooms[key].pop()
        nq, address = self.tables.nq, address_of()
        context, held = kernel.context(slots, self.evaluator.base_numbers)
        context[Context.INPUT_STRIDES : Context.INPUT_STRIDES + 2] = nq, GOAL + 1
        sizes = (Trial.SIZE, nq, nq, GOAL + 1, len(MEASURES))
        memory = np.zeros(slots * sum(sizes))
        c = self._policy_context(kernel, policy)
        c[Search.CONTEXT], place = address(context), address(memory)
        for field, size in zip(range(Search.SLOTS, Search.MEASURED + 1), sizes, strict=True):
            c[field] = place
            place += 8 * size * slots
        return _Room(key, c, (context, held, memory))

    def _policy_context(self, kernel: Kernel, policy: Policy) -> NDArray[np.int64]:
        """The context of the loop, without what differs from call to call."""
        c = np.zeros(Search.SIZE, np.int64)
        c[Search.CODE], c[Search.LANES] = kernel.address, kernel.lanes.width
        c[Search.NQ], c[Search.FREE] = self.tables.nq, self.free.ctypes.data
        c[Search.ITERATIONS], c[Search.PATIENCE] = policy.iterations, policy.patience
        c[Search.FALL] = bits(policy.fall)
        c[Search.DAMPING], c[Search.MOST_DAMPING] = map(bits, policy.damping)
        c[Search.SMALL : Search.SMALL + len(MEASURES) - 1] = bits(policy.tolerance**2)
        return c


class _Room(NamedTuple):
    """What a native search works in; one search at a time."""

    key: tuple[bool, Policy, int]
    search: NDArray[np.int64]
    kept: tuple[object, ...]  # what it points to


@dataclass(frozen=True)
class _Job:
    goals: Array
    q0: Array
    starts: Array
    policy: Policy
    found: Found

    @property
    def last_start(self) -> int:
        """After those of the table the best place is looked at once more."""
        return len(self.starts) + 1 if len(self.starts) else 0


def _search_columns(kernel: Kernel, numbers: Array, free: NDArray[np.int64], job: _Job) -> None:
    """The policy of runtime/search_loop.py, over the rows that are left."""
    found = job.found
    q0 = np.broadcast_to(job.q0, found.q.shape)
    found.q[:], found.measures[:], found.counts[:] = q0, inf, 0
    left = np.arange(len(job.goals))
    for start in range(job.last_start + 1):
        last = start == job.last_start
        q = np.array(q0[left] if start == 0 else found.q[left])
        if start and not last:
            q = np.where(free, job.starts[start - 1], q0[left])
        found.counts[left, 1] = start
        good = _from_one_start(kernel, numbers, job, left, q, last)
        left = left[~good]
        if not len(left):
            break


def _from_one_start(
    kernel: Kernel, numbers: Array, job: _Job, rows: NDArray[np.int64], q: Array, last: bool
) -> NDArray[np.bool_]:
    """Steps from one start of every row; which ones are good at the end."""
    policy, found = job.policy, job.found
    good, going = np.zeros(len(rows), bool), np.arange(len(rows))
    before, back = np.full(len(rows), inf), np.zeros(len(rows), bool)
    goals = np.concatenate([job.goals[rows], np.full((len(rows), 1), policy.damping[0])], axis=1)
    for steps in range(policy.iterations + 1):
        here = np.ascontiguousarray(q[going])
        moved, measures = np.empty_like(here), np.empty((len(here), len(MEASURES)))
        given = [here, np.ascontiguousarray(goals[going])]
        kernel.call(given, [here.shape[1], GOAL + 1], [moved, measures], len(here), numbers)
        merit = measures[:, 0]
        small = (measures[:, 1:] <= policy.tolerance**2).all(axis=1)
        over = small | np.isnan(merit) | (steps == policy.iterations)
        if last:
            over |= goals[going, GOAL] > policy.damping[1]
        elif steps % policy.patience == 0:
            over |= ~(merit < before[going] * policy.fall)
            before[going] = merit
        row = rows[going]
        nearer = merit < found.measures[row, 0]
        kept = small | (nearer & (over | last))
        found.q[row[kept]], found.measures[row[kept]] = here[kept], measures[kept]
        good[going[small]] = True
        if last:
            away = ~nearer & ~back[going]
            moved[away] = found.q[row[away]]
            goals[going, GOAL] *= np.where(nearer, LESS, np.where(away, MORE, 1.0))
            back[going] = away
        q[going] = moved
        found.counts[row[~over], 0] += 1
        going = going[~over]
        if not len(going):
            break
    return good
