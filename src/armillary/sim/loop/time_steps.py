"""Many steps of time in one native call: kernels of a mechanism inside runtime/time_loop.py.

Explicit Runge-Kutta tables and semi-implicit Euler, trees and constrained mechanisms, one state or
B side by side; controllers that can be traced run inside.  A step that cannot be taken is left to
the caller: a state that is not finite, a position that does not close, a failed residual check.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import centre, chart, forward_dynamics
from armillary.codegen.abi import Context
from armillary.codegen.struct import bits
from armillary.evaluate.compile_function import NotNative, compile_algorithm
from armillary.evaluate.inputs import Array
from armillary.evaluate.interrupts import HeldInterrupt
from armillary.evaluate.kernel import Kernel, address_of
from armillary.runtime.time_context import KernelCall, Policy, Steps, Table
from armillary.runtime.time_loop import called_back, run_steps
from armillary.sim.loop.control_kernels import Control, Controlling, Sample

if TYPE_CHECKING:
    from armillary.evaluate.program import Program
    from armillary.mechanism.mechanism import Mechanism

# (stage, t, q, v, z) -> forces and dz/dt, over arrays (rows, ...): called back at every stage
Answer = Callable[[int, float, Array, Array, Array], tuple[Array, Array]]


@dataclass(frozen=True)
class Method:
    """An explicit Runge-Kutta table (rows of A below the diagonal, b, c), or semi-implicit Euler:
    v first, then q with the new v."""

    a: tuple[tuple[float, ...], ...] = ((0.0,),)
    b: tuple[float, ...] = (1.0,)
    c: tuple[float, ...] = (0.0,)
    semi_implicit: bool = False


@dataclass(frozen=True)
class Given:
    """What is given over time.  Arrays (r, n) hold for all time, (steps, stages, r, n) for every
    stage; r: one row per state, or one for all of them (not of tau).

    tau: joint forces (nv).  wrench: on the bodies of `Stepping.tables` (6 per body).  drive:
    accelerations of the constraint rows; place and velocity: theirs after every step,
    (steps, r, rows of the constraints)."""

    tau: Array
    wrench: Array | None = None
    drive: Array | None = None
    place: Array | None = None
    velocity: Array | None = None

    def of(self, rows: slice, count: int) -> Given:
        """What belongs to some of `count` states."""

        def own(x: Array | None) -> Any:
            return x if x is None or x.shape[-2] != count else x[..., rows, :]

        return Given(*(own(getattr(self, field.name)) for field in fields(self)))


@dataclass(frozen=True)
class Span:
    """Steps of h from t on.  `taken` ones were made before, and every n-th of all is recorded."""

    steps: int
    h: float
    t: float
    taken: int = 0
    every: int = 1

    def entry(self, done: int) -> int:
        """Of the record, after so many of these steps; entry 0 belongs to the start."""
        return (self.taken + done) // self.every - self.taken // self.every

    def after(self, done: int, steps: int) -> Span:
        """`steps` steps after the first `done` ones."""
        return replace(self, steps=steps, t=self.t + done * self.h, taken=self.taken + done)


States = tuple[Array, ...]  # q, v, z: (rows, ·) each


@dataclass(frozen=True)
class Work:
    """Steps to take.

    out: arrays named q, v, z, a, tau, one entry per recorded step; a and tau of the first stage of
    the step that follows: not those of the last state, but those of the start, in entry 0.  They
    may hold more rows than the loop runs: its own begin at row `first`.  due (steps + 1, 1 + n):
    after step k, 1 where any of the n sampled blocks is due, and which."""

    given: Given
    span: Span
    out: dict[str, Array]
    first: int = 0
    due: Array | None = None


@dataclass(frozen=True)
class Controller:
    """Controllers and actuators of a run: traced functions, or one over arrays that is called back
    at every stage; what it raises stops the loop and stands in `Stepping.fault`.

    sample: what sampled blocks do, and how many of them there are.  key: equal for equal traced
    functions, whose code is then used again."""

    control: Control | None = None
    sample: tuple[Sample, int] | None = None
    key: Hashable = None
    answer: Answer | None = None


def _zeros(*shape: int) -> Array:
    """Zeros that begin with a cache line."""
    block = np.zeros(prod(shape) + 8)
    return block[-(address_of()(block) // 8) % 8 :][: prod(shape)].reshape(shape)


class Stepping:
    """The native loop of one mechanism with one method, for `rows` states at once.

    Raises `NotNative` where that cannot be: the caller steps in Python then."""

    def __init__(
        self,
        mechanism: Mechanism,
        method: Method,
        rows: int,
        controller: Controller,
        nz: int = 0,
        parameters: Array | None = None,
        given: tuple[str, ...] = (),
    ):
        """given: which of "external" and "prescribed" (wrenches, moving rows) the dynamics read."""
        self.mechanism, self.method, self.rows, self.nz = mechanism, method, rows, nz
        self._batched = rows >= mechanism.options.simd(True).width
        self._keep: list[object] = []  # everything the native side points to
        self._c = np.zeros(Steps.SIZE, np.int64)
        self.fault: BaseException | None = None
        self._calls_back, self._interrupt = controller.answer is not None, HeldInterrupt()
        self._stage = 0  # the one that is next
        self._numbers()
        self._buffers()
        self._parameters, self._driven = parameters, "prescribed" in given
        others = ("parameters",) * (parameters is not None)
        self._reads = ("q", "v", "tau", *given, *others)
        self.kernels: dict[str, Kernel] = {}  # by role, see time_context.py
        self._contexts: dict[str, np.ndarray] = {}
        dynamics = self._dynamics()
        self.tables = dynamics.tables  # of the bodies that wrenches act on
        self._call("dynamics", dynamics.kernel(self._batched, "double"))
        self._other_bodies("dynamics", self._reads)
        self._manifold()
        self._constraints()
        controlling = Controlling(mechanism.evaluator, self._batched, nz, controller.key)
        if controller.control is not None:
            self._call("control", controlling.control(controller.control), still=(3,))
        if controller.answer is not None:
            self._call_back(controller.answer)
        if controller.sample is not None:
            self._call("sample", controlling.sample(*controller.sample), still=(3, 4))

    # -- what is called --------------------------------------------------------------------------

    def _dynamics(self) -> Program:
        owner = self.mechanism.evaluator
        if owner.model.load_dependent_joints:
            raise NotNative("friction that depends on loads")
        reads = self._reads
        if not owner.model.constraints:
            if self._parameters is None:
                owner.refuse_massless()
            return owner.kernels_of(forward_dynamics.forward_dynamics, reads, True, True)
        made = self.mechanism.constraint_solver.forward.kernels(reads, True)
        if made is None:
            raise NotNative("no traced kernel for the constraints")
        return made

    def _other_bodies(self, name: str, reads: tuple[str, ...]) -> None:
        """Inertias of the bodies, one row for all states or one per state, to a kernel that reads
        them last."""
        if self._parameters is None:
            return
        numbers = np.ascontiguousarray(np.atleast_2d(self._parameters), float)
        context, last = self._contexts[name], len(reads) - 1
        context[Context.INPUT_ROWS + last] = self._own(numbers)
        context[Context.INPUT_STRIDES + last] = numbers.shape[1] if len(numbers) > 1 else 0

    def _manifold(self) -> None:
        owner = self.mechanism.evaluator
        if self.mechanism.additive:
            return
        self._call("integrate", self._straight(chart.move))
        self._call("advance", self._straight(chart.step))
        self._call("rate", self._straight(chart.slope))
        if not any(centre.is_free(joint) for joint in owner.model.joints):
            return
        self._call("to_center", self._straight(centre.to_center))
        self._call("from_center", self._straight(centre.from_center))
        others = ("parameters",) * (self._parameters is not None)
        for name, algorithm in (("carried", centre.carried), ("center_rate", centre.rate)):
            reads = (*algorithm.reads, *others)
            kernels = owner.kernels_of(algorithm, reads, True, True)
            self._call(name, kernels.kernel(self._batched, "double"))
            self._other_bodies(name, reads)
        self._apart_from_state()

    def _apart_from_state(self) -> None:
        """Memory of y and s where they are not q and v."""
        names = ("MOVING_Y", "STAGE_Y", "MOVING_S", "STAGE_S", "ACCELERATION", "OFFSET", "SLIP")
        for name in names:
            size = self.mechanism.nq if name[-1] == "Y" else self.mechanism.nv
            self._c[Steps.FIELDS[name]] = self._own(_zeros(self.rows, size))

    def _straight(self, algorithm: Algorithm) -> Kernel:
        """Of the tree alone: made once for a mechanism."""
        evaluator = self.mechanism.evaluator
        simd = evaluator.options.simd(self._batched)
        return evaluator.memo.once(
            (algorithm.name, self._batched),
            lambda: compile_algorithm(algorithm, algorithm.reads, evaluator.tables(), simd),
        )

    def _constraints(self) -> None:
        owner = self.mechanism
        if not owner.model.constraints:
            return
        for name, level in (("position", "residual"), ("velocity", "rate")):
            if not owner.constraint_solver.projector.rows(level).any():
                continue
            kernels = owner.constraint_solver.projector.kernels(level, moving=self._driven)
            if kernels is None:
                raise NotNative(f"no traced kernel for the {name}")
            self._call(name, kernels.kernel(self._batched, "double"))

    def _call(self, role: str, kernel: Kernel, still: tuple[int, ...] = ()) -> None:
        """Prepare a kernel: its context, with the row lengths of its inputs."""
        context, work = kernel.context(self.rows, self.mechanism.evaluator.base_numbers)
        for k, size in enumerate(kernel.input_sizes):
            context[Context.INPUT_STRIDES + k] = 0 if k in still else size
        self._keep += [context, work]
        self.kernels[role], self._contexts[role] = kernel, context
        self._put_kernel(role, kernel.address, address_of()(context))

    def _put_kernel(self, role: str, code: int, context: int) -> None:
        slot = Steps.kernel(role)
        self._c[slot.of(KernelCall.CODE)], self._c[slot.of(KernelCall.CONTEXT)] = code, context

    def _call_back(self, answer: Answer) -> None:
        """A function over arrays as the controller."""
        b, stages, nz = self._arrays, len(self.method.b), self.nz
        start, later = ([b[prefix + name] for name in ("Q", "V", "Z")] for prefix in ("", "STAGE_"))
        time, force_out, rates_out = b["TIME"], b["FORCE"], b["RATES_Z"]

        def at_stage() -> None:
            i, self._stage = self._stage, (self._stage + 1) % stages
            if self.fault is None and self._interrupt.came is None:
                try:
                    q, v, z = later if i else start
                    force, rates = answer(i, time.item(), q.copy(), v.copy(), z.copy())
                    force_out[...] = force
                    if nz:
                        rates_out[i][:, :nz] = rates
                except BaseException as fault:  # Ctrl-C too: nothing may go through native code
                    self.fault = fault
            if self.fault is not None or self._interrupt.came is not None:
                force_out[...] = np.nan  # this step is not taken

        keep, address = called_back(at_stage)
        self._keep.append(keep)
        self._put_kernel("control", address, self._own(np.zeros(Context.SIZE, np.int64)))

    # -- memory ----------------------------------------------------------------------------------

    def _numbers(self) -> None:
        c, m, model = self._c, self.method, self.mechanism.model
        stages = len(m.b)
        table = np.zeros((stages, stages))
        for i, row in enumerate(m.a):
            table[i, : len(row)] = row
        c[Steps.ROWS], c[Steps.NZ] = self.rows, self.nz
        c[Steps.NQ], c[Steps.NV] = model.nq, model.nv
        c[Steps.STAGES], c[Steps.SEMI_IMPLICIT] = stages, int(m.semi_implicit)
        for slot, numbers in ((Steps.A, table), (Steps.B, m.b), (Steps.C, m.c)):
            c[slot] = self._own(np.ascontiguousarray(numbers, float))
        policy = Policy()
        c[Steps.CORRECTIONS], c[Steps.SMALL] = policy.corrections, bits(policy.small)
        c[Steps.LOST], c[Steps.SLOW] = bits(policy.lost), bits(policy.slow)

    def _own(self, array: np.ndarray) -> int:
        self._keep.append(array)
        return address_of()(array)

    def _buffers(self) -> None:
        """Arrays of the loop, by the names of their fields."""
        model, rows, stages = self.mechanism.model, self.rows, len(self.method.b)
        widths = {"Q": model.nq, "V": model.nv, "Z": self.nz}
        self._arrays: dict[str, Array] = {"TIME": np.zeros(1)}
        for prefix in ("", "STAGE_", "NEW_"):  # q, v and z one behind the other
            block, first = _zeros(rows * sum(widths.values()) + 1), 0
            for name, width in widths.items():
                part = block[first : first + rows * width]
                self._arrays[prefix + name] = part.reshape(rows, width)
                first += rows * width
        for name, width in (("RATES_Q", model.nv), ("RATES_V", model.nv), ("RATES_Z", self.nz)):
            self._arrays[name] = _zeros(stages, rows, max(width, 1))
        for name in ("THETA", "ZERO", "FORCE"):
            self._arrays[name] = _zeros(rows, max(model.nv, 1))
        for name, array in self._arrays.items():
            self._c[Steps.FIELDS[name]] = address_of()(array)
        for prefix, same in (("MOVING_", ""), ("STAGE_", "STAGE_")):
            for name, own in (("Y", "Q"), ("S", "V")):
                self._c[Steps.FIELDS[prefix + name]] = address_of()(self._arrays[same + own])
        self._state = {name: self._arrays[name] for name in widths}

    # -- the loop --------------------------------------------------------------------------------

    def run(self, state: States, work: Work) -> int:
        """`begin`, the steps, `end`."""
        place, call = self.begin(state, work), run_steps()
        if not self._calls_back:
            call(place)
            return self.end(state)
        with self._interrupt:
            call(place)
        self.fault = self.fault or self._interrupt.delivered()
        return self.end(state)

    def begin(self, state: States, work: Work) -> int:
        """Get ready for steps from this state; gives the argument of the native `steps`."""
        c, span, due = self._c, work.span, work.due
        for array, start_of in zip(self._state.values(), state, strict=True):
            array[...] = start_of
        self._given = self._hand_over(work.given)
        c[Steps.STEPS], c[Steps.DONE] = span.steps, 0
        self.fault, self._stage = None, 0
        c[Steps.EVERY], c[Steps.RECORDED] = span.every, span.taken
        c[Steps.STEP_SIZE], c[Steps.START] = bits(span.h), bits(span.t)
        if due is not None:
            c[Steps.DUE], c[Steps.DUE_WIDTH] = address_of()(due), due.shape[1]
        for name in ("q", "v", "z", "a", "tau"):
            place = 0
            if name in work.out:
                record = work.out[name]
                c[Steps.OUT_ROWS] = record.shape[1]
                place = address_of()(record) + record.strides[1] * work.first
            c[Steps.FIELDS[f"OUT_{name.upper()}"]] = place
        return address_of()(c)

    def end(self, state: States) -> int:
        """Move the state on; how many steps were taken."""
        for array, end_of in zip(self._state.values(), state, strict=True):
            end_of[...] = array
        return int(self._c[Steps.DONE])

    def _hand_over(self, given: Given) -> list[Array]:
        """Addresses of what is given, and how far apart its rows, stages and steps are."""
        c, kept = self._c, []
        for name, numbers in (("TAU", given.tau), ("WRENCH", given.wrench), ("DRIVE", given.drive)):
            if numbers is None:
                continue
            table = np.ascontiguousarray(numbers, float)
            kept.append(table)
            row = table.shape[-2] * table.shape[-1]
            field = Steps.FIELDS[name]
            c[field.of(Table.NUMBERS)] = address_of()(table)
            c[field.of(Table.STAGE)] = row if table.ndim == 4 else 0
            c[field.of(Table.STEP)] = row * len(self.method.b) if table.ndim == 4 else 0
            if name != "TAU":
                slot = self._reads.index({"WRENCH": "external", "DRIVE": "prescribed"}[name])
                c[field.of(Table.INPUT)] = slot
                self._apart("dynamics", slot, table)
        for name, correction, numbers in (
            ("PLACE", "position", given.place),
            ("SPEED", "velocity", given.velocity),
        ):
            if numbers is not None and correction in self._contexts:
                table = np.ascontiguousarray(numbers, float)
                kept.append(table)
                c[Steps.FIELDS[name]] = address_of()(table)
                c[Steps.MOTION_STEP] = table.shape[-2] * table.shape[-1]
                self._apart(correction, 1 if name == "PLACE" else 2, table)
        return kept

    def _apart(self, kernel: str, slot: int, table: Array) -> None:
        """Numbers from one state to the next, in an input of a kernel."""
        own = table.shape[-2] == self.rows
        self._contexts[kernel][Context.INPUT_STRIDES + slot] = table.shape[-1] if own else 0
