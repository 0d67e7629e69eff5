"""Native code of sparse elimination: loops of the tree, rows of the constraints, and the tables
over which runtime/elimination.py runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.constrained import MASSLESS, Plan
from armillary.algorithms.closed.elimination_terms import elimination_terms
from armillary.algorithms.closed.residual import LEAST_SQUARES
from armillary.algorithms.passes import Algorithm
from armillary.codegen.abi import Arrays, Context, Slot, bits
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes, native
from armillary.constraints.large import LargeSystem, armature_of, large_system
from armillary.constraints.plan import closing_weights
from armillary.constraints.row_code import RowCode
from armillary.constraints.row_records import Records, hold
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import CodeKind, Linked
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.request import CompileOptions, Request
from armillary.model.lowering.tree import Tables
from armillary.runtime.closing_tables import Closing

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.program import Program

# of the terms of an equation, and of all accelerations: refined until no more is left.  Ten times
# as much, next to a singularity of a delta robot, was 6e-9 of its accelerations
_REFINED = 1e-15
RESULTS = {"gamma": "a", "rate": "x", "residual": "x"}
SOLUTION = "a"  # input of the pass behind the elimination


def elimination(
    equations: Equations,
    level: str,
    reads: tuple[str, ...],
    tables: Tables,
    options: CompileOptions,
    wanted: NDArray[np.bool_] | None = None,
    row_weights: Array | None = None,
) -> Program | None:
    """The program of a level; None where there is no machine code.  row_weights (m): see
    `EliminationCode`."""
    from armillary.evaluate.program import Program

    if not native():
        return None
    # of inertias that are given per state nothing is known
    system = large_system(equations, wanted, articulated="parameters" not in reads)
    tables = _with_articulated(tables, system)
    weights = () if row_weights is None else row_weights[system.kept].tolist()
    code = EliminationCode(system, level, reads, tables, weights)
    owner = equations.evaluator
    named = Algorithm(
        name=f"elimination_{level}",
        passes=(),
        world=lambda g: {},
        reads=reads,
        writes={RESULTS[level]: "dof"},
    )
    options = replace(options, tier=1)
    return Program(Request(named, reads, owner.moving_base), tables, options, general=code)


def _with_articulated(tables: Tables, system: LargeSystem) -> Tables:
    """Bodies that take no part in the elimination are marked."""
    bodies = [
        replace(body, articulated=body.joint.nv > 0 and bool(system.number_of[v] < 0))
        for body, v in zip(tables.bodies, tables.v_offsets, strict=True)
    ]
    return replace(tables, bodies=tuple(bodies))


class EliminationCode:
    """Forward dynamics (level "gamma") or a correction ("rate", "residual") by elimination."""

    kind: CodeKind = "loop"
    operations: int | None = None

    def __init__(
        self,
        system: LargeSystem,
        level: str,
        reads: tuple[str, ...],
        tables: Tables,
        open_rows: Sequence[float] = (),
    ):
        """tables: with the constraints.  open_rows (kept rows): a state is unconverged where x
        leaves a row open by more than 1 / this."""
        self.system, self.level, self.reads, self.tables = system, level, reads, tables
        self.open_rows = open_rows

    @property
    def articulated(self) -> bool:
        """Are there bodies that take no part in the elimination?"""
        return self.system.n < self.tables.nv

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        moving, articulated = self.system.equations.evaluator.moving_base, self.articulated
        reads = (*self.reads, *(SOLUTION,) * articulated)
        request = Request(elimination_terms(self.level, articulated), reads, moving)
        linked = LoopCode(request, self.tables).linked(lanes, arrays)
        return self.finished(linked, lanes, SystemTables(self, moving))

    def finished(self, linked: Linked, lanes: Lanes, made: SystemTables) -> Linked:
        """The loops of the tree, with those of the system around them."""
        linked.libraries[0] = self.driver(lanes)
        linked.point(Context.CLOSING, made.closing(linked, lanes))
        linked.extra = made.memory
        return linked

    def driver(self, lanes: Lanes) -> Library:
        """The loops over tables."""
        return _driver(lanes)


@cache
def _driver(lanes: Lanes) -> Library:
    def text() -> str:
        from armillary.runtime.elimination import elimination_text

        return with_declarations(elimination_text(lanes), lanes)

    return Library(
        text, ["batch"], 2, identity=of_lanes(identity("elimination"), lanes), quick=lanes.quick
    )


class SystemTables(Records):
    """Where everything stands in the memory of a state, and the tables over it."""

    def __init__(self, code: EliminationCode, moving_base: bool):
        super().__init__(code.tables, code.reads)
        self.code, self.system, self.equations = code, code.system, code.system.equations
        self.columns, self.bias = self.room(6 * code.tables.nv), self.room(code.tables.nv)
        self._values = np.zeros(len(self.system.kept), np.int64)  # places of the rows' values
        self.wrenches: dict[tuple[int, int], int] = {}  # (row, +1 or -1) -> place
        self._known: dict[tuple[int, int], int] = {}  # (constraint, +1 or -1) -> place
        self._closing = self._closing_weights()
        # places of what closing rows are open, weighed: squares, and numbers of linear rows
        self._squares: list[int] = []
        self._openings: list[int] = []
        self._trace(moving_base)
        self._linear()

    # -- rows --------------------------------------------------------------------------------------

    def _closing_weights(self) -> Array:
        """(m), or none: of rows that are looked at whether they are closed."""
        asked = self.code.level == "gamma"
        return np.array(closing_weights(self.equations)) if asked else np.zeros(0)

    def _wanted(self) -> set[int]:
        """Rows whose wrenches are wanted."""
        return set(self.system.kept.tolist())

    def _trace(self, moving_base: bool) -> None:
        kept, taken = {int(row): k for k, row in enumerate(self.system.kept)}, self._wanted()
        for members in self.equations.rows.kinds:
            one = self.constraints.frames[members[0]]
            spans = [self.constraints.slices[self.constraints.frames[k].name] for k in members]
            wanted = [r for r in range(one.count) if any(s.start + r in taken for s in spans)]
            closing = [
                r for r in range(one.count) if any(self._closing[s][r : r + 1].any() for s in spans)
            ]
            code = RowCode(one, moving_base, tuple(wanted), self.code.level, tuple(closing))
            if not wanted and not code.known and not closing:
                continue
            weights = [[float(x) ** 2 for x in self._closing[s][closing]] for s in spans]
            records = self.members(code, members, weights)
            for number, span, record in zip(members, spans, records, strict=True):
                self._squares += [record + code.openings + k for k in range(len(closing))]
                for n, row in enumerate(wanted):
                    if span.start + row not in taken:
                        continue
                    if span.start + row in kept:
                        self._values[kept[span.start + row]] = record + n
                    for body in code.bodies:
                        side = (span.start + row, 2 * body - 1)
                        self.wrenches[side] = record + code.wrench(n, body)
                for body in code.bodies if code.known else ():
                    self._known[number, 2 * body - 1] = record + code.wrench(code.rows, body)

    def _linear(self) -> None:
        """Values of couplings and prescribed motions."""
        number = {int(row): k for k, row in enumerate(self.system.kept)}
        for axis in self.constraints.axes:
            row = self.constraints.slices[axis.name].start
            if len(self._closing) and self._closing[row] and axis.offset is not None:
                w = float(self._closing[row])
                terms = [(q, x * w) for _, q, x in axis.terms]
                self._openings.append(self.form(-axis.offset * w, terms, "q"))
            if row in number:
                self._values[number[row]] = self.value(axis, self.code.level)

    # -- tables ------------------------------------------------------------------------------------

    def _powers(self) -> list[tuple[int, int, int, int]]:
        """Axis, wrench, point of the wrench, point of the axis, of every entry that is a power."""
        rows, (i, j) = self.equations.rows, (self.system.dofs[k] for k in self.system.mass_pairs)
        carriers = self.carriers
        found = [
            (
                self.axes + 6 * b,
                self.columns + 6 * a,
                self.origin(carriers[a]),
                self.origin(carriers[b]),
            )
            for a, b in zip(i.tolist(), j.tolist(), strict=True)
        ]
        table, chosen = rows.pairs, self.system.pairs
        parts = (table.rows, table.columns, table.signs, table.constraints)
        for row, dof, sign, number in zip(*(x[chosen].tolist() for x in parts), strict=True):
            found.append(self._push(self.wrenches[row, int(sign)], number, dof, int(sign)))
        return found

    def _push(self, wrench: int, number: int, dof: int, sign: int) -> tuple[int, int, int, int]:
        """The power of a wrench of a constraint along an axis."""
        frame = self.constraints.frames[number]
        body = frame.second if sign > 0 else frame.first
        carrier = self.carriers[dof]
        return self.axes + 6 * dof, wrench, self.origin(body), self.origin(carrier)

    def _pushes(self) -> list[tuple[int, ...]]:
        links = zip(*(x.tolist() for x in self.equations.rows.links), strict=True)
        return [
            (
                *self._push(self._known[number, int(sign)], number, dof, int(sign)),
                int(self.system.ranks[self.system.number_of[dof]]),
            )
            for number, dof, sign in links
            if (number, int(sign)) in self._known
        ]

    def closing(self, linked: Linked, lanes: Lanes) -> NDArray[np.int64]:
        """All tables; their arrays are kept by what is linked."""
        c, t, s = np.zeros(Closing.SIZE, np.int64), Closing, self.system
        self._lay_out(c)
        self.point(linked, c, lanes)
        for field, name in ((t.V, "v"), (t.TAU, "tau"), (t.PRESCRIBED, "prescribed")):
            c[field] = self.code.reads.index(name) if name in self.code.reads else -1
        powers, pushes = self._powers(), self._pushes()
        integers = {t.POWERS: powers, t.PUSHES: pushes, t.OPENINGS: self._squares + self._openings}
        doubles: dict[Slot, object] = {
            t.CONSTANTS: s.constants,
            t.ARMATURE: self._diagonal(),
            t.SCALE: s.scale,
            t.MU: s.mu,
            t.OPEN: self.code.open_rows,
        }
        hold(linked, c, integers | self._of_factor(), doubles)
        c[t.POWER_COUNT], c[t.PUSH_COUNT] = len(powers), len(pushes)
        c[t.CHECK_OPEN] = bool(len(self.code.open_rows))
        c[t.SQUARE_COUNT], c[t.OPENING_COUNT] = len(self._squares), len(self._openings)
        for field, x in self._limits().items():
            c[field] = bits(x)
        return c

    def _diagonal(self) -> Array:
        """What is added to the diagonal of M, by degree of freedom."""
        return armature_of(self.code.tables)[self.system.dofs]

    def _lay_out(self, c: NDArray[np.int64]) -> None:
        """Sizes, and places in the memory."""
        s, t = self.system, Closing
        c[t.DOFS], c[t.ROWS], c[t.UNKNOWNS] = s.n, len(s.kept), s.size
        c[t.COLUMNS], c[t.BIAS] = self.columns, self.bias
        c[t.ENTRY_COUNT], c[t.FIRST_ROW] = len(s.entries), len(s.mass_pairs[0])
        c[t.FACTOR_COUNT] = len(s.factor.ranks)
        c[t.K] = self.room(len(s.entries))
        for field in (t.WORK, t.LOWER):
            c[field] = self.room(len(s.factor.ranks))
        for field in (t.RIGHT, t.X, t.RESIDUAL, t.STEP, t.FIRST, t.NORM):
            c[field] = self.room(s.size)
        nv = self.code.tables.nv
        c[t.ALL_DOFS], c[t.SOLUTION] = nv, self.room(nv)
        c[t.SOLUTION_INPUT] = len(self.code.reads) if self.code.articulated else -1

    def _of_factor(self) -> dict[Slot, object]:
        """Integers of the entries of K and of its factor."""
        s, t, n = self.system, Closing, self.system.n
        targets = np.stack([s.ranks[n:], self._values, s.kept], axis=1)
        return {
            t.ENTRIES: s.ranks[s.entries],
            t.LEVERS: s.entries[len(s.mass_pairs[0]) :] - [n, 0],
            t.RANKS: s.ranks[:n],
            t.DOF_OF: s.dofs,
            t.TARGETS: targets,
            t.STARTS: s.factor.starts,
            t.RANK_OF: s.factor.ranks,
            t.GOES: s.factor.goes,
            t.UPDATES: s.factor.updates,
            t.DAMPERS: s.factor.starts[s.ranks[n:]],
        }

    def _limits(self) -> dict[Slot, float]:
        t = Closing
        return {
            t.SIGN: 1.0 if self.code.level == "gamma" else -1.0,
            t.LENGTH: self.equations.length,
            t.TOLERANCE: Plan.tolerance**2,
            t.ROUNDING: _REFINED**2,
            t.LEAST_SQUARES: LEAST_SQUARES**2,
            t.MASSLESS: MASSLESS,
        }
