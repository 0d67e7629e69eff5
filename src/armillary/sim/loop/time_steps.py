"""Many steps of time in one native call: kernels of a mechanism inside runtime/time_loop.py.

Explicit and linearly implicit Runge-Kutta tables, semi-implicit Euler and the variational rule,
trees and constrained mechanisms, one state or B side by side; controllers that can be traced run
inside.  A step that cannot be taken is left to the caller: a state that is not finite, a position
that does not close, a failed residual check.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import centre, chart
from armillary.codegen.abi import Context, bits
from armillary.codegen.interrupts import HeldInterrupt
from armillary.constraints.drift import AnyPenalty
from armillary.evaluate.compile_function import NotNative, compile_algorithm
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel, address_of
from armillary.runtime.time_context import KernelCall, Policy, Steps, Table
from armillary.runtime.time_loop import called_back, run_steps
from armillary.sim.loop.control_kernels import Controlling
from armillary.sim.loop.dynamics_kernels import baumgarte_program, dynamics_program
from armillary.sim.loop.implicit_kernels import ImplicitKernels
from armillary.sim.loop.step_data import (
    Answer,
    Controller,
    Given,
    Kept,
    Method,
    States,
    Work,
    Wrenches,
)
from armillary.sim.loop.step_memory import exponential_memory, state_arrays, zeros
from armillary.sim.loop.variational_kernels import VariationalKernels

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism


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
        kept: Kept = Kept(),  # noqa: B008 - it is frozen
        wrenches: Wrenches | None = None,
    ):
        """given: which of "external" and "prescribed" (wrenches, moving rows) the dynamics read.
        wrenches: called back at every stage, where they depend on the state."""
        self.mechanism, self.method, self.rows, self.nz = mechanism, method, rows, nz
        self._batched = rows >= mechanism.options.simd(True).width
        self._keep: list[object] = []  # everything the native side points to
        self._c = np.zeros(Steps.SIZE, np.int64)
        self.fault: BaseException | None = None
        self._calls_back = controller.answer is not None or wrenches is not None
        self._interrupt = HeldInterrupt()
        self._numbers()
        self._buffers()
        self._parameters, self._driven = parameters, "prescribed" in given
        others = ("parameters",) * (parameters is not None)
        self._kept = kept
        drawn = kept.drawn_back if mechanism.constraint_rows else None
        if drawn is not None and self._driven:
            raise NotNative("rows that move and are drawn back")
        pulled = drawn is not None and not isinstance(drawn, AnyPenalty)
        given = (*given, "prescribed") if pulled else given
        self._reads = ("q", "v", "tau", *given, *others)
        self.kernels: dict[str, Kernel] = {}  # by role, see time_context.py
        self._contexts: dict[str, np.ndarray] = {}
        dynamics = dynamics_program(mechanism, self._reads, kept)
        self.tables = dynamics.tables  # of the bodies that wrenches act on
        self._call("dynamics", dynamics.kernel(self._batched, "double"))
        self._other_bodies("dynamics", self._reads)
        self._manifold()
        if kept.project:
            self._constraints()
        elif pulled:
            self._draw_back()
        if method.kind == "implicit":
            self._implicit()
        if method.kind == "variational":
            self._variational()
        if method.kind == "exponential":
            self._exponential()
        self._blocks(controller, wrenches)

    # -- what is called --------------------------------------------------------------------------

    def _blocks(self, controller: Controller, wrenches: Wrenches | None) -> None:
        """Controllers and actuators, and wrenches that depend on the state."""
        mechanism, nz = self.mechanism, self.nz
        known = (controller.key, controller.commanded, controller.behind)
        controlling = Controlling(mechanism.evaluator, self._batched, nz, *known)
        control, added = controller.control, controller.added
        if added is not None:
            kernel = added.program.kernel(self._batched, "double")
            if control is not None:
                kernel = controlling.beside(control, kernel, added.start, added.inputs)
            self._call("control", kernel, still=(3,))
        elif control is not None:
            self._call("control", controlling.control(control), still=(3,))
        if controller.answer is not None:
            self._call_back(controller.answer)
        if wrenches is not None:
            self._call_for_wrenches(wrenches)
        if controller.sample is not None:
            self._call("sample", controlling.sample(*controller.sample), still=(3, 4))

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
            self._c[Steps.FIELDS[name]] = self._own(zeros(self.rows, size))

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
        others = ("parameters",) * (self._parameters is not None)
        given = ("prescribed",) * self._driven + others
        for name, level in (("position", "residual"), ("velocity", "rate")):
            if not owner.constraint_solver.projector.rows(level).any():
                continue
            kernels = owner.constraint_solver.projector.kernels(level, given=given)
            if kernels is None:
                raise NotNative(f"no traced kernel for the {name}")
            self._call(name, kernels.kernel(self._batched, "double"))
            self._other_bodies(name, ("q", *("v",) * (level == "rate"), *given))

    def _draw_back(self) -> None:
        """Accelerations of open rows, as an input of the dynamics."""
        made, count = baumgarte_program(self.mechanism, self._kept)
        self._call("pull", made.kernel(self._batched, "double"))
        slot = self._reads.index("prescribed")
        self._c[Steps.PULL], self._c[Steps.PULL_INPUT] = self._own(zeros(self.rows, count)), slot
        self._contexts["dynamics"][Context.INPUT_STRIDES + slot] = count

    def _variational(self) -> None:
        made = VariationalKernels(self.mechanism, self.tables, self._reads, self._batched)
        for role, (reads, kernel) in made.kernels.items():
            still = tuple(k for k, name in enumerate(reads) if name == "step")
            self._call(role, kernel, still)
            for k in still:
                place = address_of()(self._c) + self._c.itemsize * Steps.STEP_SIZE
                self._contexts[role][Context.INPUT_ROWS + k] = place
            if "parameters" in reads:
                self._other_bodies(role, reads)
        self._c[Steps.CONSTRAINED] = made.rows
        self._c[Steps.MOVING_BASE] = int(self.mechanism.evaluator.moving_base)
        for name, numbers in made.memory(self.rows).items():
            self._c[Steps.FIELDS[name]] = self._own(numbers)
            self._arrays[name] = numbers

    def _implicit(self) -> None:
        made = ImplicitKernels(self.mechanism, self.tables, self._reads, self._batched)
        for role, (reads, kernel) in made.kernels.items():
            self._call(role, kernel)
            if "parameters" in reads:
                self._other_bodies(role, reads)
        self._c[Steps.GAMMA] = bits(self.method.gamma)
        self._c[Steps.UNKNOWNS] = 2 * self.mechanism.nv + self.nz
        for name, numbers in made.memory(self.rows, self.nz, self.method.gammas).items():
            self._c[Steps.FIELDS[name]] = self._own(numbers)
            self._arrays[name] = numbers
        self._c[Steps.BALL_COUNT] = len(made.balls)

    def _exponential(self) -> None:
        self._c[Steps.UNKNOWNS] = 2 * self.mechanism.nv
        for name, numbers in exponential_memory(self.mechanism, self.rows, self.nz).items():
            self._c[Steps.FIELDS[name]] = self._own(numbers)
            self._arrays[name] = numbers

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
        b, nz = self._arrays, self.nz
        time, force_out, rates_out = b["TIME"], b["FORCE"], b["RATES_Z"]
        first, stride = address_of()(rates_out), rates_out.strides[0]

        def at_stage(begins: bool, states: list[Array], rates_at: int) -> None:
            force, rates = answer(begins, time.item(), states[0], states[1], states[2])
            force_out[...] = force
            if nz:
                rates_out[(rates_at - first) // stride][:, :nz] = rates

        self._python_kernel("control", at_stage, force_out)

    def _call_for_wrenches(self, wrenches: Wrenches) -> None:
        """A function over arrays that gives the wrenches on the bodies."""
        time, size = self._arrays["TIME"], 6 * len(self.tables.bodies)
        out, slot = zeros(self.rows, size), self._reads.index("external")

        def at_stage(begins: bool, states: list[Array], rates_at: int) -> None:
            out[...] = wrenches(time.item(), states[0], states[1], self.tables)

        self._python_kernel("wrenches", at_stage, out)
        field = Steps.FIELDS["WRENCH"]
        self._c[field.of(Table.NUMBERS)], self._c[field.of(Table.INPUT)] = self._own(out), slot
        for role in {"dynamics", "momenta", "derivatives"} & set(self._contexts):
            self._apart(role, slot, out)

    def _python_kernel(
        self, role: str, at_stage: Callable[[bool, list[Array], int], None], out: Array
    ) -> None:
        """A function in the place of a kernel, asked with: is this the start of a step, copies of
        q, v, z, and where rates of z go.  Where it raises, `out` spoils the step."""
        b, context = self._arrays, np.zeros(Context.SIZE, np.int64)
        by_address = {address_of()(x): x for x in b.values() if x.size}
        start, inputs = address_of()(b["Q"]), slice(Context.INPUT_ROWS, Context.INPUT_ROWS + 3)

        def called() -> None:
            if self.fault is None and self._interrupt.came is None:
                try:
                    q, v, z = context[inputs].tolist()
                    states = [by_address[q].copy(), by_address[v].copy()]
                    states.append(by_address[z].copy() if self.nz and z in by_address else b["Z"])
                    at_stage(q == start, states, int(context[Context.OUTPUT_ROWS + 1]))
                except BaseException as fault:  # Ctrl-C too: nothing may go through native code
                    self.fault = fault
            if self.fault is not None or self._interrupt.came is not None:
                out[...] = np.nan  # this step is not taken

        keep, address = called_back(called)
        self._keep.append(keep)
        self._put_kernel(role, address, self._own(context))

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
        self._arrays = state_arrays(self.mechanism.model, self.rows, self.nz, len(self.method.b))
        for name, array in self._arrays.items():
            self._c[Steps.FIELDS[name]] = address_of()(array)
        for prefix, same in (("MOVING_", ""), ("STAGE_", "STAGE_")):
            for name, own in (("Y", "Q"), ("S", "V")):
                self._c[Steps.FIELDS[prefix + name]] = address_of()(self._arrays[same + own])
        self._state = {name: self._arrays[name] for name in "QVZ"}

    # -- the loop --------------------------------------------------------------------------------

    def run(self, state: States, work: Work) -> int:
        """`begin`, the steps, `end`."""
        place, call = self.begin(state, work), run_steps(self.method.kind)
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
        self.fault = None
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
            for role in {"momenta", "derivatives"} & set(self._contexts):
                if name == "WRENCH":
                    self._apart(role, slot, table)
        for name, correction, slot, numbers in (
            ("PLACE", "position", 1, given.place),
            ("PLACE", "opening", 1, given.place),
            ("SPEED", "velocity", 2, given.velocity),
        ):
            if numbers is not None and correction in self._contexts:
                table = np.ascontiguousarray(numbers, float)
                kept.append(table)
                c[Steps.FIELDS[name]] = address_of()(table)
                c[Steps.MOTION_STEP] = table.shape[-2] * table.shape[-1]
                self._apart(correction, slot, table)
        return kept

    def _apart(self, kernel: str, slot: int, table: Array) -> None:
        """Numbers from one state to the next, in an input of a kernel."""
        own = table.shape[-2] == self.rows
        self._contexts[kernel][Context.INPUT_STRIDES + slot] = table.shape[-1] if own else 0
