"""Slopes of the equations of a constrained mechanism along variations, with accelerations and
multipliers held: dual numbers through their steps, by the interpreter, by straight-line code, or by
loops: the tree by the derivatives of its inverse dynamics, once per state; the constraints for each
direction (runtime/slope_rows_loop.py)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.constrained import defect_slopes
from armillary.algorithms.closed.motion_slopes import MotionPair, motion_slopes
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.derivatives import inverse_dynamics_derivatives
from armillary.codegen.abi import Arrays, Context, Slot
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes, native
from armillary.constraints.plan import small
from armillary.constraints.row_code import SlopeCode
from armillary.constraints.row_records import Records, hold
from armillary.constraints.splitting import SolvedSplit
from armillary.constraints.table import PER_SLOPED_BODY, SLOPES, options_for
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.inputs import Array, wrench_rows
from armillary.evaluate.kernel import CodeKind, Linked
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.request import Request
from armillary.model.lowering.constraint_table import FrameConstraint
from armillary.model.lowering.tree import Tables
from armillary.runtime.slope_rows_loop import WRENCH, Sloping

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program
    from armillary.model.lowering.tree import Tables


_READS = ("q", "v", "a", "multipliers", "dq", "dv")
_WRITES = {"pushes": ("dofs",), "rows": ("rows",), "rates": ("rows",)}


def loop_slopes(equations: Equations, tables: Tables, passive: bool) -> Program:
    """Slopes of what constraints do to the joints, of J a - gamma and of J v, along variations;
    made once, where there is machine code."""

    def make() -> Program:
        from armillary.evaluate.program import Program

        owner = equations.evaluator
        named = Algorithm(
            name="loop_slopes",
            passes=(),
            world=lambda g: {},
            reads=_READS,
            writes=dict.fromkeys(_WRITES, "results"),
            shapes=dict(_WRITES),
        )
        options, code = replace(owner.options, tier=1), _SlopesCode(equations, tables)
        return Program(Request(named, _READS, owner.moving_base), tables, options, general=code)

    return equations.memo.once(("loop slopes", passive), make)


class TreeSlopes:
    """How the joint forces of the tree change with q and v at B states."""

    def __init__(
        self, equations: Equations, states: dict[str, Array], external: External, passive: bool
    ):
        inputs = {name: states[name] for name in ("q", "v", "a")}
        run = equations.evaluator.run
        found = run(inverse_dynamics_derivatives, inputs, external, passive=passive)
        self._dq, self._dv = found["dq"], found["dv"]

    def along(self, dq: Array, dv: Array) -> Array:
        """(B, n, k) along the columns of dq and dv."""
        return np.asarray(self._dq @ dq + self._dv @ dv)


class _SlopesCode:
    """The loops over the bodies, with those over the constraints around them."""

    kind: CodeKind = "loop"
    operations: int | None = None

    def __init__(self, equations: Equations, tables: Tables):
        self._equations, self._tables = equations, tables

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        moving = self._equations.evaluator.moving_base
        request = Request(motion_slopes, _READS, moving)
        linked = LoopCode(request, self._tables).linked(lanes, arrays)
        made = _SlopeTables(self._equations, self._tables, moving)
        linked.libraries[0] = _driver(lanes)
        linked.point(Context.CLOSING, made.closing(linked, lanes))
        linked.extra = made.memory
        return linked


@cache
def _driver(lanes: Lanes) -> Library:
    def text() -> str:
        from armillary.runtime.slope_rows_loop import slope_rows_text

        return with_declarations(slope_rows_text(lanes), lanes)

    name = of_lanes(identity("loop slopes"), lanes)
    return Library(text, ["batch"], 2, identity=name, quick=lanes.quick)


class _SlopeTables(Records):
    """Where everything stands in the memory of a variation, and the tables over it."""

    def __init__(self, equations: Equations, tables: Tables, moving_base: bool):
        super().__init__(tables, _READS, MotionPair.size, WRENCH)
        self._sums = self.room(WRENCH * len(tables.bodies))
        self._items: list[tuple[int, int]] = []
        self._targets = [(0, 0)] * self.constraints.count
        for numbers in equations.rows.kinds:
            code = SlopeCode(self.constraints.frames[numbers[0]], moving_base)
            records = self.members(code, numbers, [()] * len(numbers))
            for number, record in zip(numbers, records, strict=True):
                self._place(self.constraints.frames[number], record, code)
        for axis in self.constraints.axes:
            terms = () if axis.velocity is None else axis.terms
            rate = self.form(0.0, [(v, x) for v, _, x in terms], "dv")
            row = self.constraints.slices[axis.name].start
            self._targets[row] = self.form(0.0), rate

    def turns(self, frame: FrameConstraint) -> int:
        """And behind it their slope, and the multipliers."""
        turns, span = frame.turns, self.constraints.slices[frame.name]
        offset, terms = (0.0, ()) if turns is None else (turns.offset, turns.terms)
        place = self.form(offset, terms, "q")
        self.form(0.0, [(self._dof(k), x) for k, x in terms], "dq")
        for row in range(span.start, span.stop):
            self.form(0.0, ((row, 1.0),), "multipliers")
        return place

    def _place(self, frame: FrameConstraint, record: int, code: SlopeCode) -> None:
        span = self.constraints.slices[frame.name]
        for n, row in enumerate(range(span.start, span.stop)):
            self._targets[row] = record + n, record + code.constraint.count + n
        for side in code.bodies:
            body = (frame.first, frame.second)[side]
            self._items.append((record + code.wrench(side), self._sums + WRENCH * body))

    def _dof(self, coordinate: int) -> int:
        """The degree of freedom of an angle."""
        t = self.tables
        body = int(np.searchsorted(t.q_offsets, coordinate, side="right")) - 1
        return int(t.v_offsets[body] + coordinate - t.q_offsets[body])

    def closing(self, linked: Linked, lanes: Lanes) -> NDArray[np.int64]:
        """All tables; their arrays are kept by what is linked."""
        c, t = np.zeros(Sloping.SIZE, np.int64), Sloping
        self.point(linked, c, lanes)
        integers: dict[Slot, object] = {
            t.ITEMS: self._items,
            t.PARENTS: self.tables.parents,
            t.CARRIERS: self.carriers,
            t.TARGETS: self._targets,
        }
        hold(linked, c, integers, {})
        c[t.SUMS], c[t.BODIES] = self._sums, len(self.tables.bodies)
        c[t.ITEM_COUNT], c[t.ROW_COUNT] = len(self._items), self.constraints.count
        return c


_ALONG = ("dq", "dv")  # inputs that differ from direction to direction, before those of the state


def _tables(equations: Equations, passive: bool) -> Tables:
    def make() -> Tables:
        constraints = equations.constraints if passive else equations.constraints.bare
        return replace(equations.evaluator.tables(True, passive), constraints=constraints)

    return equations.memo.once(("tables of slopes", passive), make)


def too_long(equations: Equations, count: int = 0) -> bool:
    """Would straight-line code of the slopes be too long?"""
    most = options_for(equations.evaluator.options, SLOPES, count).budget
    return not small(equations) or PER_SLOPED_BODY * len(equations.tables.bodies) > most


def slope_kernels(
    equations: Equations, reads: tuple[str, ...], passive: bool, count: int = 0
) -> OneOrMany | None:
    """Code of slopes along directions, made once; None where it would be too long.  count: of
    states that are asked for."""
    options = options_for(equations.evaluator.options, SLOPES, count)

    def make() -> OneOrMany | None:
        from armillary.evaluate.lean_call import OneOrMany
        from armillary.evaluate.program import Program

        owner = equations.evaluator
        if not native() or too_long(equations, count):
            return None
        request = Request(defect_slopes, reads, owner.moving_base, owner.vertical_gravity)
        kernels = Program(request, _tables(equations, passive), options)
        return OneOrMany(kernels, owner.base_numbers) if kernels.straight() else None

    return equations.memo.once(("slopes", reads, passive, options.budget), make)


class Probe:
    """Slopes of the equations along variations, accelerations and multipliers held."""

    def __init__(
        self,
        equations: Equations,
        q: Array,
        solved: SolvedSplit,
        external: External,
        passive: bool,
        count: int = 0,
    ):
        """count: of all states that are asked for, of which these are some."""
        owner = equations.evaluator
        self.equations, self.passive, self.external = equations, passive, external
        self.count = max(count, len(q))
        self.tables = _tables(equations, passive)
        self.states = {"q": q, "v": solved.v, "a": solved.a}
        if external:
            given = {name: wrench_rows(name, x) for name, x in external.items()}
            self.states["external"] = owner.external_rows(given, len(q), self.tables)
        self.states["multipliers"] = solved.multipliers

    def slopes(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """Of the equations of motion (B, n, k), of J a - gamma and of J v (B, m, k), along the
        columns of dq and dv (B, n, k)."""
        states, n, k = dq.shape
        kernels = self._kernels if k else None
        if kernels is None and k and native() and self.equations.evaluator.options.tier is None:
            return self.by_loops(dq, dv)
        if kernels is None:
            return self._interpreted(dq, dv)
        along = [np.ascontiguousarray(x.swapaxes(1, 2)).reshape(-1, n) for x in (dq, dv)]
        found = self._at_once(kernels, *along) if states == 1 else None
        if found is None:
            inputs = dict(zip(_ALONG, along, strict=True))
            inputs |= {name: np.repeat(x, k, axis=0) for name, x in self.states.items()}
            found = kernels.program(inputs, states * k, self.equations.evaluator.base_numbers)
        balance, rows, rates = (
            x[: states * k].reshape(states, k, x.shape[1]).swapaxes(1, 2)
            for x in (found[name] for name in ("balance", "rows", "rates"))
        )
        return balance, rows, rates

    def by_loops(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """As `slopes`, for a mechanism of any size."""
        (states, n, k), program = dq.shape, self._loops
        along = [np.ascontiguousarray(x.swapaxes(1, 2)).reshape(-1, n) for x in (dq, dv)]
        inputs = dict(zip(_ALONG, along, strict=True))
        for name in ("q", "v", "a", "multipliers"):
            x = self.states[name]
            inputs[name] = x if states == 1 else np.repeat(x, k, axis=0)
        found = program(inputs, states * k, self.equations.evaluator.base_numbers)
        pushes, rows, rates = (
            x.reshape(states, k, x.shape[1]).swapaxes(1, 2) for x in found.values()
        )
        return self._tree.along(dq, dv) - pushes, rows, rates

    @cached_property
    def _loops(self) -> Program:
        return loop_slopes(self.equations, self.tables, self.passive)

    @cached_property
    def _tree(self) -> TreeSlopes:
        return TreeSlopes(self.equations, self.states, self.external, self.passive)

    def _at_once(self, kernels: OneOrMany, dq: Array, dv: Array) -> dict[str, Array] | None:
        """All directions (k, n) of one state by one native call, and none (zeros) where they are
        fewer than it takes; None: it cannot take them."""
        fewest = self.equations.evaluator.options.simd(True).width
        if len(dq) < fewest:
            none = np.zeros((fewest - len(dq), dq.shape[1]))
            dq, dv = np.concatenate([dq, none]), np.concatenate([dv, none])
        return kernels.together(dq, dv, *(np.ascontiguousarray(x[0]) for x in self.states.values()))

    @cached_property
    def _kernels(self) -> OneOrMany | None:
        return slope_kernels(self.equations, (*_ALONG, *self.states), self.passive, self.count)

    def _interpreted(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """State by state, by the interpreter: all directions at once, as slopes that are arrays."""
        base, directions = self.equations.evaluator.base(), dq.shape[2:]
        found = []
        for number in range(len(dq)):
            given = {name: x[number].tolist() for name, x in self.states.items()}
            for name, x in (("dq", dq[number]), ("dv", dv[number])):
                given[name] = x[:, 0].tolist() if directions == (1,) else list(x)
            results = Run(defect_slopes, self.tables, base, given).results
            found.append(
                [[np.broadcast_to(x, directions) for x in part] for part in results.values()]
            )
        counts = (dq.shape[1], *(self.equations.constraints.count,) * 2)
        balance, rows, rates = (
            np.array([state[part] for state in found], float).reshape(len(dq), count, *directions)
            for part, count in enumerate(counts)
        )
        return balance, rows, rates
