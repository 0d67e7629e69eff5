"""Native code of all rows, for mechanisms of any size: loops of the tree, code of each kind of
constraint (row_code.py), and the tables over which runtime/row_loop.py runs.  The same quantities
as algorithms/closed/row_terms.py has; nothing is compiled for the mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from armillary.algorithms.closed.row_terms import row_motion
from armillary.codegen.abi import Arrays, Context
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.constraints.row_code import WRENCH, AllRowsCode
from armillary.constraints.row_records import Records, hold
from armillary.constraints.rows import Rows
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.kernel import CodeKind, Linked
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.request import Request
from armillary.model.lowering.constraint_table import LinearConstraint
from armillary.model.lowering.tree import Tables
from armillary.runtime.closing_tables import Closing

ENTRIES = "entries"  # a result instead of J: its entries at `Rows.pairs`
_ADDED = ("J", "G", ENTRIES, "pushes", "wrench_W")  # results that begin as 0


class LoopRows:
    """Some of the results of `row_terms` or of `loop_springs`, or the entries of J alone."""

    kind: CodeKind = "loop"
    operations: int | None = None

    def __init__(self, request: Request, tables: Tables):
        """tables: with the constraints."""
        self.request, self.tables = request, tables

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        request, tables = self.request, self.tables
        tree = replace(request, algorithm=row_motion)
        linked = LoopCode(tree, tables).linked(lanes, arrays)
        linked.libraries[0] = _driver(lanes)
        made = _Tables(tables, request)
        c = np.zeros(Closing.SIZE, np.int64)
        made.point(linked, c, lanes)
        integers = {Closing.LINKS: made.links, Closing.COPIES: made.copies}
        hold(linked, c, integers, {Closing.SIGNS: made.signs})
        c[Closing.LINK_COUNT], c[Closing.COPY_COUNT] = len(made.links), len(made.copies)
        linked.point(Context.CLOSING, c)
        linked.extra = made.memory
        for k, name in enumerate(request.algorithm.writes):
            linked.context[Context.ZERO_OUTPUTS + k] = name in _ADDED
        return linked


@cache
def _driver(lanes: Lanes) -> Library:
    def text() -> str:
        from armillary.runtime.row_loop import row_loop_text

        return with_declarations(row_loop_text(lanes), lanes)

    return Library(
        text, ["batch"], 2, identity=of_lanes(identity("row loop"), lanes), quick=lanes.quick
    )


class _Tables(Records):
    """What is added and copied to the results."""

    def __init__(self, tables: Tables, request: Request):
        super().__init__(tables, request.reads)
        rows = Rows(self.constraints, tables)
        self._results = {name: k for k, name in enumerate(request.algorithm.writes)}
        self.links: list[Sequence[int]] = []
        self.signs: list[float] = []
        self.copies: list[tuple[int, int, int, int]] = []
        records: dict[int, tuple[int, AllRowsCode]] = {}
        for members in rows.kinds:
            frames = [self.constraints.frames[k] for k in members]
            code = AllRowsCode(frames[0], request.moving_base)
            own = [[float(x) for x in frame.own.leaves()] for frame in frames]
            found = self.members(code, members, own)
            records |= {k: (place, code) for k, place in zip(members, found, strict=True)}
        for number, (place, code) in records.items():
            self._copy_frame(number, place, code)
        first = 0  # of the entries of the link
        for number, dof, sign in zip(*(x.tolist() for x in rows.links), strict=True):
            self._link(number, dof, sign, first, *records[number])
            first += records[number][1].rows
        for axis in self.constraints.axes:
            self._linear(axis)

    def _copy(self, place: int, name: str, goes: int, count: int) -> None:
        if name in self._results and count:
            self.copies.append((place, self._results[name], goes, count))

    def _copy_frame(self, number: int, place: int, code: AllRowsCode) -> None:
        """Results of a constraint between frames that stand in its record."""
        m, count = self.constraints.count, code.rows
        row = self.constraints.slices[self.constraints.frames[number].name].start
        for k in range(3):
            self._copy(place + k * count, "right", k * m + row, count)
        for source, name, size, goes in (
            ("force", "wrench_W", WRENCH * count, WRENCH * row),
            ("origin", "origin", 3, 3 * number),
            ("frame", "frame", 9, 9 * number),
            ("known", "given_W", WRENCH, WRENCH * number),
            ("stored", "stored", 1, number),
        ):
            self._copy(place + code.places[source], name, goes, size)

    def _link(
        self, number: int, dof: int, sign: float, first: int, place: int, code: AllRowsCode
    ) -> None:
        """What wrenches of a constraint do on one axis.  first: of its entries of J."""
        n, count = self.tables.nv, code.rows
        row = self.constraints.slices[self.constraints.frames[number].name].start
        known, resisted = code.flags
        for name, source, many, goes, step in (
            ("J", "wrench", count, row * n + dof, n),
            ("G", "force", count, row * n + dof, n),
            (ENTRIES, "wrench", count, first, 1),
            ("pushes", "known", int(known), dof, 1),
            ("pushes", "resisted", int(resisted), n + dof, 1),
        ):
            if name in self._results and many:
                axis, point = self.axes + 6 * dof, self.origin(self.carriers[dof])
                ends = (axis, point, place + code.places[source], place + code.places["origin"])
                self.links.append((*ends, many, self._results[name], goes, step))
                self.signs.append(sign)

    def _linear(self, axis: LinearConstraint) -> None:
        """The row of a coupling or of a prescribed motion."""
        row, m, n = self.constraints.slices[axis.name].start, self.constraints.count, self.tables.nv
        entries: dict[int, float] = {}
        for v, _, x in axis.terms:
            entries[v] = entries.get(v, 0.0) + x
        for name in ("J", "G"):
            for v, x in entries.items() if name in self._results else ():
                self._copy(self.form(x), name, row * n + v, 1)
        for k, level in enumerate(("gamma", "rate", "residual")):
            if "right" in self._results:
                self._copy(self.value(axis, level), "right", k * m + row, 1)
