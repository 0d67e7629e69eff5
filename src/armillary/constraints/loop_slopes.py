"""Slopes of the equations of closed mechanisms of any size, accelerations and multipliers held: the
tree by the derivatives of its inverse dynamics, once per state; the constraints by native loops,
for each direction (runtime/slope_rows_loop.py)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.motion_slopes import MotionPair, motion_slopes
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.derivatives import inverse_dynamics_derivatives
from armillary.codegen.abi import Arrays, Context, Slot
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.constraints.row_code import SlopeCode
from armillary.constraints.row_records import Records, hold
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import CodeKind, Linked
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.request import Request
from armillary.model.lowering.constraint_table import FrameConstraint
from armillary.model.lowering.tree import Tables
from armillary.runtime.slope_rows_loop import WRENCH, Sloping

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.program import Program

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
