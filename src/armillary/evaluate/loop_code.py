"""Tier 1: loops over passes and bodies around the code of each kind of body, for any mechanism; and
the same loops around straight-line code of a mechanism whose equations are solved in them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.forces.loops import takes_part, with_elements
from armillary.algorithms.passes import Algorithm, BodyColumns, Solve
from armillary.codegen.abi import Arrays, Context, Ints, Kind
from armillary.codegen.cache import remembered
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.element_code import ElementTables, code_addresses, element_code
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.kernel import TYPES, CodeKind, Linked
from armillary.evaluate.path_sums import sums_of
from armillary.evaluate.request import Request, block_names
from armillary.evaluate.straight_code import straight_code
from armillary.model.lowering.tree import KernelBody, Tables
from armillary.runtime.tiles import tiles_of

if TYPE_CHECKING:
    from armillary.evaluate.body_code import TracedBody

_STATE_SIZE = 64  # more than any value that climbs along a path
_ZEROED = ("matrix", "wide", "regressor")  # results whose loops leave zeros out


# -- machine code ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class BodyKind:
    """Bodies of one kind share their code.  body: one of them; None: the world.
    root: it hangs on the world.  first: it is the first one that gives to its parent."""

    key: Hashable
    root: bool = False
    first: bool = False
    body: KernelBody | None = field(default=None, compare=False)


@dataclass(frozen=True)
class BodyCode:
    """Code of one kind of body.  record: numbers per state and body in the work space."""

    library: Library
    record: int


@cache
def _body_code(request: Request, kind: BodyKind, lanes: Lanes) -> BodyCode:
    body = kind.body

    @cache
    def traced() -> TracedBody:
        from armillary.evaluate import body_code as tracer

        if body is None:
            return tracer.TracedBody(tracer.trace_ground(request), tracer.layout_of(request).size)
        return tracer.trace_body(request, body, kind.root, kind.first)

    def text() -> str:
        from armillary.codegen.emit import BlockWriter
        from armillary.graph.expr import cone
        from armillary.graph.schedule import Order, worth_ordering

        inward, blocks = _inward_stages(request), traced().blocks
        # LLVM keeps the order of a whole text, or of nothing in it
        wait = any(worth_ordering(cone(s.node for s in b.stores)) for b in blocks)
        order: Order = "height" if wait else "any"
        texts = []
        for block in blocks:
            backward = block.stage in inward and "_" not in block.name
            texts.append(BlockWriter(lanes, block.name, backward, order).write(block))
        return with_declarations("\n\n".join(texts), lanes)

    what = (body and type(body.joint), kind.key, kind.root, kind.first)
    name = identity("body", request, what)
    names, record = remembered(
        name,
        "blocks and record",
        lambda: ([block.name for block in traced().blocks], traced().record),
    )
    return BodyCode(Library(text, names, identity=of_lanes(name, lanes), quick=lanes.quick), record)


def _inward_stages(request: Request) -> set[int]:
    offset = 1 if request.has_world_step() else 0
    kinds = [kind for kind, _ in block_names(request.algorithm)][offset:]
    return {stage for stage, kind in enumerate(kinds) if kind == Kind.INWARD}


@cache
def _driver(lanes: Lanes) -> Library:
    """The loops over passes, bodies and rows around the code of the bodies."""

    def text() -> str:
        from armillary.runtime.tree_loop import loop_text

        return with_declarations(loop_text(lanes), lanes)

    return Library(
        text, ["batch"], 2, identity=of_lanes(identity("driver"), lanes), quick=lanes.quick
    )


@cache
def _sizes(request: Request) -> tuple[int, int]:
    """Numbers per state of the world's record (the fields that go from body to body), and of what
    the children of a body add up for it: see path_sums.py."""

    def find() -> tuple[int, int]:
        from armillary.evaluate.body_code import layout_of

        layout = layout_of(request)
        return layout.size, layout.sum_size

    size, sums = remembered(identity("records", request), "sizes", find)
    return size, sums


# -- tables ----------------------------------------------------------------------------------------


class LoopCode:
    """One algorithm on the bodies of one mechanism."""

    kind: CodeKind = "loop"
    operations: int | None = None

    def __init__(self, request: Request, tables: Tables):
        if tables.elements and takes_part(request.algorithm):
            coordinates = any(element.coordinates for element in tables.elements)
            request = replace(request, algorithm=with_elements(request.algorithm, coordinates))
        else:
            tables = replace(tables, elements=())
        self.request, self.tables = request, tables

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        request, t = self.request, self.tables
        record, sum_size = _sizes(request)
        sums = sums_of(t.parents)
        kinds: dict[BodyKind, int] = {}
        variant = []
        for k, (body, parent) in enumerate(zip(t.bodies, t.parents, strict=True)):
            first = sum_size > 0 and sums.first[k]
            kind = BodyKind(body.key(), parent < 0, first, body)
            variant.append(kinds.setdefault(kind, len(kinds)))
        codes = [_body_code(request, kind, lanes) for kind in kinds]
        world = _body_code(request, BodyKind(None), lanes) if request.has_world_step() else None
        ints, zeros = self._integers(variant, codes, record)
        ints[:-1, Ints.SUM] = zeros + sum_size * np.array(sums.own, dtype=np.int64)
        ints[:-1, Ints.PARENT_SUM] = zeros + sum_size * np.array(sums.parent, dtype=np.int64)
        elements = ElementTables(t)
        acting = [element_code(request, kind, lanes) for kind in elements.kinds]
        libraries = [_driver(lanes), *(code.library for code in codes), *acting]
        libraries += [] if world is None else [world.library]
        linked = Linked(
            libraries,
            work=zeros + sum_size * sums.count,
            zeros=(zeros, sum_size),
            state=_STATE_SIZE,
            scratch=arrays.numbers(),
            extra=_room(request, t),
        )
        numbers = [x for body in t.bodies for x in body.parameters()]
        ints = np.concatenate([ints, elements.rows(ints, len(numbers))])
        numbers += elements.constants()
        linked.point(Context.INTS, ints)
        linked.point(Context.CONSTS, np.array(numbers or [0.0], dtype=TYPES[lanes.element]))
        for field_of, count, runs in (
            (Context.RUNS, Context.RUN_COUNT, _runs(variant)),
            (Context.ELEMENT_RUNS, Context.ELEMENT_RUN_COUNT, elements.runs(len(t.bodies) + 1)),
        ):
            linked.point(field_of, np.array(runs, dtype=np.int64).reshape(-1, 3))
            linked.context[count] = len(runs)
        _describe(linked, request, t, *_code_table(request, codes, world, acting))
        for k, kind_of in enumerate(request.algorithm.writes.values()):
            linked.context[Context.ZERO_OUTPUTS + k] = kind_of in _ZEROED
        return linked

    def _integers(
        self, variant: Sequence[int], codes: Sequence[BodyCode], work: int
    ) -> tuple[np.ndarray, int]:
        """Offsets of every body, and of the world in the last row; where the records end.

        work: size of the world's record, which comes first."""
        t, n = self.tables, len(self.tables.bodies)
        table = np.zeros((n + 1, Ints.SIZE), dtype=np.int64)
        consts = 0
        for k, body in enumerate(t.bodies):
            parent = t.parents[k]
            row = table[k]
            row[Ints.WORK] = work
            row[Ints.PARENT_WORK] = table[parent, Ints.WORK] if parent >= 0 else 0
            row[Ints.Q], row[Ints.V] = t.q_offsets[k], t.v_offsets[k]
            row[Ints.CONSTS], row[Ints.NUMBER] = consts, k
            row[Ints.PARENT], row[Ints.VARIANT] = parent, variant[k]
            row[Ints.DOFS] = body.joint.nv
            work += codes[variant[k]].record
            consts += len(body.parameters())
        return table, work


def _code_table(
    request: Request, codes: Sequence[BodyCode], world: BodyCode | None, acting: Sequence[Library]
) -> tuple[list[int], list[list[int]]]:
    """The program (kind of pass, first block), and the code of every block by kind of body."""
    program: list[int] = []
    rows: list[list[int]] = []
    for kind, names in block_names(request.algorithm):
        program += [kind, _solve_code(request) if kind == Kind.SOLVE else len(rows)]
        for name in names:
            if kind == Kind.WORLD and world is not None:
                rows.append([world.library.addresses[name]] * max(len(codes), 1))
            else:
                rows.append([code.library.addresses.get(name, 0) for code in codes])
        if kind == Kind.ELEMENTS:
            rows.append(code_addresses(acting))
    width = max(map(len, rows), default=0)
    return program, [row + [0] * (width - len(row)) for row in rows]


def _runs(variant: Sequence[int]) -> list[tuple[int, int, int]]:
    """Runs of neighbouring bodies of one kind: (first, last + 1, kind)."""
    runs: list[tuple[int, int, int]] = []
    for k, kind in enumerate(variant):
        if runs and runs[-1][2] == kind:
            runs[-1] = (runs[-1][0], k + 1, kind)
        else:
            runs.append((k, k + 1, kind))
    return runs


def _describe(
    linked: Linked, request: Request, t: Tables, program: list[int], table: list[list[int]]
) -> None:
    """What the driver has to know of passes and degrees of freedom."""
    c = linked.context
    wide = any(isinstance(p, BodyColumns) for p in request.algorithm.passes)
    c[Context.NV], c[Context.WIDTH] = t.nv, 10 * len(t.bodies) if wide else t.nv
    linked.point(Context.TABLE, np.array(table, dtype=np.int64))
    c[Context.VARIANTS] = max(len(table[0]) if table else 0, 1)
    linked.point(Context.PROGRAM, np.array(program, dtype=np.int64))
    c[Context.PROGRAM_LENGTH], c[Context.BODIES] = len(program) // 2, len(t.bodies)
    tiles, ranges = tiles_of(_dof_parents(t))
    linked.point(Context.TILES, np.array(tiles, np.int64))
    linked.point(Context.RANGES, np.array(ranges, np.int64))
    c[Context.TILE_COUNT] = len(tiles)


def _dof_parents(t: Tables) -> list[int]:
    """The degree of freedom that carries each one: the one before it on the way to the root."""
    parents = [-1] * t.nv
    last: list[int] = []
    for body, parent, v in zip(t.bodies, t.parents, t.v_offsets, strict=True):
        before = last[parent] if parent >= 0 else -1
        for k in range(body.joint.nv):
            parents[v + k] = before
            before = v + k
        last.append(before)
    return parents


# -- equations -------------------------------------------------------------------------------------


def _solve_code(request: Request) -> int:
    """Numbers of the outputs of the Solve pass: see runtime/tree_solve.py."""
    step = next(p for p in request.algorithm.passes if isinstance(p, Solve))
    names = list(request.algorithm.writes)
    first = names.index(step.right[0])
    return names.index(step.matrix) | len(step.right) << 8 | first << 16


def _room(request: Request, t: Tables) -> int:
    """Numbers per state that a Solve works on."""
    return t.nv**2 if any(isinstance(p, Solve) for p in request.algorithm.passes) else 0


class SolvingCode:
    """Straight-line code of the whole mechanism up to a Solve, which runs in loops."""

    kind: CodeKind = "solve"

    def __init__(self, request: Request, before: Algorithm, tables: Tables):
        """before: all passes but the Solve."""
        self.request, self.tables = request, tables
        self._before = straight_code(replace(request, algorithm=before), tables)

    @property
    def operations(self) -> int:
        return self._before.operations

    def fits(self, budget: int) -> bool:
        return self._before.fits(budget)

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        before, request = self._before.within(lanes, arrays), self.request
        linked = Linked(
            [_driver(lanes), before],
            state=_STATE_SIZE,
            scratch=arrays.numbers(),
            extra=_room(request, self.tables),
        )
        self._before.point(linked, lanes)
        program = [int(Kind.STRAIGHT), 0, int(Kind.SOLVE), _solve_code(request)]
        _describe(linked, request, self.tables, program, [[before.addresses["straight"]]])
        return linked
