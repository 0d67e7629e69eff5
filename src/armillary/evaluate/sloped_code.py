"""Derivatives of large mechanisms with force elements.

The loops over bodies take the wrenches of the elements as given, fast in the frames of their
bodies.  How these change with q and v is added afterwards, natively (runtime/slopes_loop.py), with
the motion of the bodies per degree of freedom (end_motions.py) and the laws of all elements
(element_slopes.py).  Of forward dynamics the forces that are missing become accelerations by M^-1,
which is a result of the loops, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from armillary.algorithms.forces.end_motions import end_motions
from armillary.algorithms.forces.loops import distinct
from armillary.algorithms.passes import Algorithm, AncestorPairs, Solve
from armillary.codegen.abi import Arrays, Context
from armillary.codegen.jit import native_call
from armillary.codegen.target import Lanes
from armillary.evaluate.element_code import ElementTables
from armillary.evaluate.element_slopes import (
    MOTION,
    PLACE,
    SlopedKind,
    bodies_of,
    moving,
    slopes_kernel,
)
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import TYPES, CodeKind, Kernel, Linked, Rows, address_of
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.pair_tables import PairTables, pair_tables
from armillary.evaluate.request import Request, arrays_of
from armillary.model.lowering.elements import KernelElement
from armillary.model.lowering.tree import PER_BODY, Tables
from armillary.runtime.slopes_loop import library
from armillary.runtime.slopes_tables import CHUNK, PAIR, SHARED, STATE_ARRAYS, Chunk, Slopes

_AT_ONCE = 200_000  # numbers of the motions of bodies that are worked on together


def has_slopes(algorithm: Algorithm) -> bool:
    """Does it write derivatives with respect to q and v as matrices?"""
    pairs = (p for p in algorithm.passes if isinstance(p, AncestorPairs))
    return any({"dq", "dv"} <= set(p.writes) for p in pairs)


class SlopedCode:
    """Loop code, and what force elements add to its matrices."""

    kind: CodeKind = "loop"
    operations: int | None = None

    def __init__(self, request: Request, tables: Tables):
        self.request, self.tables = request, tables

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        plain = Kernel(
            *arrays_of(self.request, self.tables), lanes, LoopCode(self.request, self.tables)
        )
        slopes = ElementSlopes(self.request, self.tables, lanes)

        def run(rows: Rows) -> None:
            plain.run(rows)
            count = -(-rows.count // slopes.rows_at_once)
            edges = [rows.count * k // count for k in range(count + 1)]
            for first, last in pairwise(edges):
                slopes.add(rows.part(first, last))

        return Linked([], run=run)  # it has no one entry


@dataclass
class _Group:
    """Elements of one kind."""

    sloped: SlopedKind
    elements: list[KernelElement]
    kernel: Kernel


class ElementSlopes:
    """How the generalised forces of all elements of a mechanism change with q and v."""

    def __init__(self, request: Request, tables: Tables, lanes: Lanes):
        """request: what is asked; its inputs are those of the calls."""
        self._dtype, self._lanes = np.dtype(TYPES[lanes.element]), lanes
        self._request, self._tables = request, tables
        known = (*end_motions.reads, *PER_BODY)
        self._asked = Request(end_motions, tuple(x for x in request.reads if x in known))
        shapes = arrays_of(self._asked, tables)
        self._motions = Kernel(*shapes, lanes, LoopCode(self._asked, tables))
        self._found = ElementTables(tables)
        self._groups = self._grouped(lanes)
        numbers = sum(int(np.prod(shape)) for shape in shapes[1].values())
        self.rows_at_once = max(2 * lanes.width, _AT_ONCE // max(numbers, 1))
        self._library = library(Lanes(1, lanes.element, lanes.fma))
        self._batch = native_call(self._library.addresses["batch"])
        self._keep = list[np.ndarray]()
        self._context = self._described()

    def _grouped(self, lanes: Lanes) -> list[_Group]:
        wide = Lanes(self._wide(lanes), lanes.element, lanes.fma)
        found: dict[SlopedKind, list[KernelElement]] = {}
        given, first = "parameters" in self._request.reads, 0
        for kind, count in zip(self._found.kinds, self._found.sizes, strict=True):
            for element in self._found.order[first : first + count]:
                bodies = distinct(element)
                order = sorted(range(len(bodies)), key=lambda k: -bodies[k])
                if kind.numbers:
                    order = []
                found.setdefault(SlopedKind(kind, tuple(order), given), []).append(element)
            first += count
        groups = []
        for sloped, elements in found.items():
            if sloped.results:
                width = wide if len(elements) >= wide.width else Lanes(1, wide.element, wide.fma)
                groups.append(_Group(sloped, elements, slopes_kernel(sloped, width)))
        return groups

    def _wide(self, lanes: Lanes) -> int:
        """Elements that are worked on together, for one state as for many."""
        from armillary.codegen.target import lanes as widest

        return widest(True, lanes.element).width

    # -- tables ------------------------------------------------------------------------------------

    def _described(self) -> np.ndarray:
        """The context of calls, but for their arrays."""
        tables = self._tables
        pairs = self._pairs()
        joints = [body.joint.nv for body in tables.bodies]
        made = pair_tables(pairs, tables.parents, tables.v_offsets, joints)
        chunks = [row for n, g in enumerate(self._groups) for row in self._chunks(n, g, made)]
        folds = [
            [k, made.slots[a, a], made.slots[b, b]] for (a, b), k in made.slots.items() if a > b
        ]
        c = np.zeros(Slopes.SIZE, np.int64)
        c[Slopes.NV] = tables.nv
        c[Slopes.SOLVED] = any(isinstance(p, Solve) for p in self._request.algorithm.passes)
        c[Slopes.CHUNK_COUNT], c[Slopes.TURN_COUNT] = len(chunks), len(made.turns)
        c[Slopes.FOLD_COUNT], c[Slopes.CLEARED] = len(folds), len(made.slots)
        for field, rows in (
            (Slopes.CHUNKS, chunks), (Slopes.FOLDS, folds), (Slopes.TURNS, made.turns),
            (Slopes.SHARES, made.shares), (Slopes.MOVES, made.moves),
        ):  # fmt: skip
            c[field] = self._held(np.array(rows or [[0]], np.int64))
        contexts = [g.kernel.context(1, np.zeros(1))[0] for g in self._groups]
        for context, g in zip(contexts, self._groups, strict=True):
            sizes = g.kernel.input_sizes
            context[Context.INPUT_STRIDES : Context.INPUT_STRIDES + len(sizes)] = sizes
        self._contexts = np.array(contexts, np.int64).reshape(-1, Context.SIZE)
        most = max((bodies_of(g.sloped.kind) for g in self._groups), default=1)
        given = max((g.sloped.kind.element.count for g in self._groups), default=1)
        results = max((g.sloped.results for g in self._groups), default=1)
        self._work = {
            Slopes.BLOCKS: made.room * PAIR,
            Slopes.BOTH: PAIR,
            Slopes.BUFFER: (len(tables.bodies) + 1) * SHARED,
            Slopes.PLACES: CHUNK * max(most * PLACE, 8),
            Slopes.MOTIONS: CHUNK * max(most * MOTION, 8),
            Slopes.GIVENS: CHUNK * given,
            Slopes.FOUND: CHUNK * results,
            Slopes.BY_Q: tables.nv**2,
            Slopes.BY_V: tables.nv**2,
        }
        return c

    def _held(self, array: np.ndarray) -> int:
        self._keep.append(array)
        return address_of()(array)

    def _pairs(self) -> dict[tuple[int, int], None]:
        """Two bodies at the ends of elements, the one with the higher number first; each twice."""
        found: dict[tuple[int, int], None] = {}
        for g in self._groups:
            for element in g.elements if not g.sloped.kind.numbers else ():
                bodies = sorted(distinct(element), reverse=True)
                found |= {(a, b): None for k, a in enumerate(bodies) for b in bodies[k:]}
        return found

    def _chunks(self, number: int, g: _Group, made: PairTables) -> list[list[int]]:
        kind, dtype = g.sloped.kind, self._dtype
        bodies = np.array([self._ends(element, g) for element in g.elements], np.int64)
        numbers = np.array([element.parameters() for element in g.elements], dtype)
        starts = [self._found.start(element) for element in g.elements]
        given = np.array(starts, np.int64) + PER_BODY["parameters"] * len(self._tables.bodies)
        slots = np.array([self._slots(element, g, made) for element in g.elements], np.int64)
        whole = [self._held(x) for x in (bodies, numbers, given, slots)]
        count = -(-len(g.elements) // CHUNK)
        edges = [len(g.elements) * k // count for k in range(count + 1)]
        found = []
        for first, last in pairwise(edges):
            steps = [x.strides[0] * first for x in (bodies, numbers, given, slots)]
            places = [start + step for start, step in zip(whole, steps, strict=True)]
            row = [0] * Chunk.SIZE
            row[Chunk.CODE], row[Chunk.CONTEXT] = g.kernel.address, number
            row[Chunk.COUNT], row[Chunk.ENDS] = last - first, bodies.shape[1]
            row[Chunk.COORDINATES] = int(bool(kind.numbers))
            row[Chunk.BODIES], row[Chunk.NUMBERS], row[Chunk.GIVEN], row[Chunk.SLOTS] = places
            row[Chunk.GIVEN_SIZE] = kind.element.count if g.sloped.given else 0
            row[Chunk.PAIRS], row[Chunk.OWN] = len(g.sloped.pairs), len(g.sloped.own)
            row[Chunk.RESULTS] = g.sloped.results
            found.append(row)
        return found

    def _ends(self, element: KernelElement, g: _Group) -> list[int] | list[list[int]]:
        """Its bodies; or the places of its coordinates in q (-1: it has none) and v."""
        kind, t = g.sloped.kind, self._tables
        if not kind.numbers:
            return distinct(element)
        found = []
        for k in moving(kind):
            body, number = element.coordinates[k]
            plain = t.bodies[body].joint.nq == t.bodies[body].joint.nv
            found.append([t.q_offsets[body] + number if plain else -1, t.v_offsets[body] + number])
        return found

    def _slots(self, element: KernelElement, g: _Group, made: PairTables) -> list[int]:
        if g.sloped.kind.numbers:
            return [0]
        bodies = distinct(element)
        pairs = [(bodies[a], bodies[b]) for a, b in g.sloped.pairs]
        pairs += [(bodies[a], bodies[a]) for a in g.sloped.own]
        return [made.slots[pair] for pair in pairs]

    # -- calls -------------------------------------------------------------------------------------

    def add(self, rows: Rows) -> None:
        """The slopes of all rows, to dq and dv."""
        address = address_of()
        given = dict(zip(self._request.reads, zip(rows.inputs, rows.strides, strict=True),
                         strict=True))  # fmt: skip
        outputs = dict(zip(self._request.algorithm.writes, rows.outputs, strict=True))
        arrays: dict[str, tuple[Array, int]] = dict(given)
        found = [
            np.empty((rows.count, *shape), self._dtype)
            for shape in self._motions.output_shapes.values()
        ]
        inputs, strides = zip(*(given[name] for name in self._asked.reads), strict=True)
        self._motions.run(Rows(inputs, strides, found, rows.count, rows.globals_))
        named = zip(self._motions.output_shapes, found, strict=True)
        for name, array in (*named, *outputs.items()):
            arrays[name] = array, array[0].size
        c, contexts = self._context.copy(), self._contexts.copy()
        c[Slopes.ROWS], c[Slopes.CONTEXTS] = rows.count, address(contexts)
        for k, name in enumerate(STATE_ARRAYS):
            if name in arrays:
                c[Slopes.ARRAYS + k] = address(arrays[name][0])
                c[Slopes.STRIDES + k] = arrays[name][1]
        work = np.empty(sum(self._work.values()) + 16, self._dtype)
        place = address(work)
        for field, size in self._work.items():
            c[field] = place
            place += size * self._dtype.itemsize
        for n, field in enumerate((Slopes.PLACES, Slopes.MOTIONS)):
            contexts[:, Context.INPUT_ROWS + n] = c[field]
        contexts[:, Context.INPUT_ROWS + 3] = c[Slopes.GIVENS]
        contexts[:, Context.OUTPUT_ROWS] = c[Slopes.FOUND]
        self._batch(address(c))
