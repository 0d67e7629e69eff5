"""Accelerations of states, or corrections of their velocities, by the null space in native code: a
kernel gives the equations of a state, and the loops of runtime/null_space_loop.py solve them with
the rank that is found there.

It stands behind compiled solvers (`Program.followed_by`): in single calls, in batches and in steps
of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.codegen.abi import Context
from armillary.codegen.jit import Library, native_call
from armillary.codegen.target import native
from armillary.constraints.null_space_kernel import Space, small_enough
from armillary.constraints.plan import closing_weights
from armillary.constraints.rows import FORCE
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel, Linked, address_of
from armillary.evaluate.request import MANY_STATES
from armillary.runtime import null_space_loop
from armillary.runtime.null_space_code import NullSpace

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.constraints.ladder import States
    from armillary.constraints.nullspace import Scaling
    from armillary.evaluate.program import Program


class NullSpaceOfStates:
    """What stands behind compiled solvers: its kernel is made once."""

    def __init__(self, equations: Equations, code: Program):
        """code: of the whole equations (algorithms/closed/state_equations.py).  Where it reads no
        joint forces, the smallest change of v that keeps the rows is asked for."""
        self._equations, self._code, self._nv = equations, code, equations.tables.nv
        self._kernel: StateKernel | None = None

    def kernel(self, batched: bool, element: str) -> Kernel:
        """Scalar, in doubles, whatever is asked for."""
        if self._kernel is None:
            e = self._equations
            weights, limits = np.array(closing_weights(e)), e.rank_limits
            source = self._code.kernel(False, "double")
            corrects = "tau" not in self._code.request.reads
            self._kernel = StateKernel(source, e.scaling, weights, limits, corrects)
        return self._kernel

    def __call__(self, states: States, closed: bool = False) -> Array:
        """(B, n); NaN where there is no answer.  closed: and at open positions, and where rows
        contradict each other."""
        evaluator, found = self._equations.evaluator, np.empty((len(states), self._nv))
        inputs = states.inputs(self._equations, self._code.tables)
        arrays = [np.ascontiguousarray(inputs[name], float) for name in self._code.request.reads]
        strides = [x.shape[-1] if len(x) == len(states) else 0 for x in arrays]
        globals_ = evaluator.closed_base_numbers if closed else evaluator.base_numbers
        self.kernel(False, "double").call(arrays, strides, [found], len(states), globals_)
        return found


def null_space_of_states(
    equations: Equations, reads: tuple[str, ...], passive: bool
) -> NullSpaceOfStates | None:
    """For states that are given by `reads`, made once; None where there is no such code."""

    def make() -> NullSpaceOfStates | None:
        fits = native() and small_enough(equations.constraints.count, equations.tables.nv)
        code = equations.whole_code(reads, passive, MANY_STATES + 1) if fits else None
        return None if code is None else NullSpaceOfStates(equations, code.program)

    return equations.memo.once(("null space of states", reads, passive), make)


class StateKernel(Kernel):
    """a of states (q, v, tau, ...), whose equations a scalar kernel gives."""

    def __init__(
        self,
        equations: Kernel,
        scaling: Scaling,
        open_weights: Array,
        tolerances: tuple[float, float],
        corrects: bool,
    ):
        """equations: as algorithms/closed/state_equations.py has them.  open_weights (m): 1 over
        the opening up to which a row counts as closed.  tolerances: of the rank of closed rows;
        and what an opening of 1, over the size of the machine, makes of it.  corrects: a change of
        v is asked for."""
        self.equations, self.code, self.lanes = equations, equations.code, equations.lanes
        self.input_sizes = list(equations.input_sizes)
        self._m, self._n = equations.output_shapes["J"]
        self.output_shapes = {"x" if corrects else "a": (self._n,)}
        self._corrects = corrects
        self._scaling, self._weights, self._tolerances = scaling, open_weights, tolerances
        self._linked = Linked([null_space_loop.library()])
        self.address = null_space_loop.library().addresses["state"]
        self._batch = native_call(self.address)

    @property
    def straight(self) -> bool:
        return False

    @property
    def libraries(self) -> list[Library]:
        return [*self._linked.libraries, *self.equations.libraries]

    def context(self, rows: int, globals_: np.ndarray) -> tuple[np.ndarray, object]:
        """As `Kernel.context`."""
        m, n, s, address = self._m, self._n, self._scaling, address_of()
        space, state = Space(m, n), self.equations.context(1, globals_)
        shapes = self.equations.output_shapes
        found = {name: np.zeros(shape) for name, shape in shapes.items()}
        for i, x in enumerate(found.values()):
            state[0][Context.OUTPUT_ROWS + i] = address(x)
        space.give({
            "M": found["M"], "FORCE": found["pushes"][FORCE], "J": found["J"],
            "TARGET": found["right"], "OPEN_WEIGHTS": self._weights,
            "TOLERANCES": np.array([self._tolerances[0], self._tolerances[1] / s.length]),
        })  # fmt: skip
        outputs = [np.zeros(2), np.zeros((n, n)), np.zeros((m, n)), np.zeros(m), np.zeros(m)]
        weights = {0: found["J"], 1: s.rows.copy(), 2: s.columns / s.length, 3: np.zeros(1)}
        space.place(dict(enumerate(outputs)), weights)
        space.numbers |= {"STATE_CODE": self.equations.address, "STATE_CONTEXT": address(state[0])}
        space.numbers["CORRECTS"] = int(self._corrects)
        c = np.zeros(Context.SIZE + NullSpace.SIZE, np.int64)
        c[Context.ROWS], c[Context.INPUT_COUNT] = rows, len(self.input_sizes)
        c[Context.OUTPUT_COUNT], c[Context.OUTPUT_SIZES] = 1, n
        c[Context.GLOBALS] = address(globals_)
        for i, size in enumerate(self.input_sizes):
            c[Context.INPUT_SIZES + i] = c[Context.INPUT_STRIDES + i] = size
        space.fill(c)
        return c, (space, state, found, globals_)
