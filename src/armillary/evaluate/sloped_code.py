"""Derivatives of large mechanisms with force elements.

The loops over bodies take the wrenches of the elements as given, fast in the frames of their
bodies.  How these change with q and v is added, natively (runtime/slopes_loop.py), with the motion
of the bodies per degree of freedom (end_motions.py) and the laws of all elements
(element_slopes.py).  Of forward dynamics the forces that are missing become accelerations by M^-1,
which is a result of the loops, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import prod

import numpy as np

from armillary.algorithms.forces.end_motions import end_motions
from armillary.algorithms.forces.loops import distinct
from armillary.algorithms.passes import Algorithm, AncestorPairs, Solve
from armillary.codegen.abi import Arrays, Context
from armillary.codegen.jit import Library
from armillary.codegen.target import Lanes
from armillary.evaluate.element_code import ElementKind, ElementTables
from armillary.evaluate.element_slopes import SlopedKind, moving, of_one_state, of_states
from armillary.evaluate.kernel import TYPES, CodeKind, Kernel, Linked, address_of
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.motion_structure import motion_structure, pattern_of, varying
from armillary.evaluate.pair_tables import PairTables, pair_tables
from armillary.evaluate.request import Request, arrays_of
from armillary.model.lowering.elements import KernelElement
from armillary.model.lowering.tree import PER_BODY, Tables
from armillary.runtime.slopes_code import Shape
from armillary.runtime.slopes_loop import library
from armillary.runtime.slopes_tables import (
    CHUNK,
    EXTERNAL,
    GIVEN,
    RESULTS,
    TAU,
    Chunk,
    Slopes,
)

_AT_ONCE = 20_000  # numbers of states that are worked on together


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
        slopes = _SlopedCalls(self.request, self.tables, lanes)
        linked = Linked(slopes.libraries, prepare=slopes.prepare)
        linked.context = np.concatenate([linked.context, slopes.described()])
        return linked


@dataclass
class _Group:
    """Elements of one kind.  address: of their code; context: of its calls, without arrays."""

    sloped: SlopedKind
    elements: list[KernelElement]
    address: int
    context: np.ndarray


class _SlopedCalls:
    """The kernels of a mechanism's derivatives, and the tables and the memory of their calls."""

    def __init__(self, request: Request, tables: Tables, lanes: Lanes):
        """request: what is asked; its inputs are those of the calls."""
        self._dtype, self._lanes = np.dtype(TYPES[lanes.element]), lanes
        self._request, self._tables = request, tables
        self._solved = any(isinstance(p, Solve) for p in request.algorithm.passes)
        self._motions = self._kernel(Request(end_motions, self._known(end_motions.reads)))
        found = ("external", "tau") if self._solved else ("external",)
        reads = self._known(request.algorithm.reads, found)
        self._plain = self._kernel(replace(request, reads=reads))
        self._motion = motion_structure(request, tables)
        self._found = ElementTables(tables)
        self.libraries = list[Library]()
        self._groups = self._grouped()
        self._shape = Shape(lanes, self._motion.leaves, self._motion.axes)
        self.libraries[:0] = [library(self._shape), *self._motions.libraries]
        self.libraries += self._plain.libraries
        self._keep = list[np.ndarray]()

    def _known(self, reads: tuple[str, ...], found: tuple[str, ...] = ()) -> tuple[str, ...]:
        """What is read of the inputs of a call, and of what is found in it."""
        given = (*self._request.reads, *found)
        return tuple(name for name in (*reads, *PER_BODY) if name in given)

    def _kernel(self, request: Request) -> Kernel:
        """Of the bodies alone."""
        tables = replace(self._tables, elements=())
        return Kernel(*arrays_of(request, tables), self._lanes, LoopCode(request, tables))

    # -- elements ----------------------------------------------------------------------------------

    def _grouped(self) -> list[_Group]:
        found: dict[tuple[ElementKind, tuple[int, ...]], list[KernelElement]] = {}
        for kind, first, last in self._found.spans():
            for element in self._found.order[first:last]:
                bodies = [] if kind.numbers else distinct(element)
                downward = sorted(range(len(bodies)), key=lambda k: -bodies[k])
                found.setdefault((kind, tuple(downward)), []).append(element)
        given, groups = "parameters" in self._request.reads, []
        for (kind, order), elements in found.items():
            numbers = pattern_of(np.array([element.parameters() for element in elements]))
            sloped = SlopedKind(kind, order, given, numbers, self._motion)
            if sloped.results:
                groups.append(self._group(sloped, elements))
        return groups

    def _group(self, sloped: SlopedKind, elements: list[KernelElement]) -> _Group:
        """With code for several elements of one state, or for one element in several."""
        context, lanes = np.zeros(Context.SIZE, np.int64), self._lanes
        if lanes.width > 1:
            code = of_states(sloped, lanes)
            self.libraries.append(code)
            return _Group(sloped, elements, code.addresses["straight"], context)
        from armillary.codegen.target import lanes as widest

        wide = widest(True, lanes.element)
        kernel = of_one_state(sloped, wide if len(elements) >= wide.width else lanes)
        self.libraries += kernel.libraries
        context, _ = kernel.context(1, np.zeros(1))
        sizes = kernel.input_sizes
        context[Context.INPUT_STRIDES : Context.INPUT_STRIDES + len(sizes)] = sizes
        return _Group(sloped, elements, kernel.address, context)

    @property
    def _chunk(self) -> int:
        """Elements that are worked on together."""
        return CHUNK if self._lanes.width == 1 else 1

    def _chunks(self, number: int, g: _Group, made: PairTables) -> list[list[int]]:
        kind, columns = g.sloped.kind, list(varying(g.sloped.numbers))
        bodies = np.array([self._ends(element, g) for element in g.elements], np.int64)
        whole = np.array([element.parameters() for element in g.elements], self._dtype)
        numbers = np.ascontiguousarray(whole[:, columns])
        starts = [self._found.start(element) for element in g.elements]
        given = np.array(starts, np.int64) + PER_BODY["parameters"] * len(self._tables.bodies)
        slots = np.array([self._slots(element, g, made) for element in g.elements], np.int64)
        parts = bodies, numbers, given, slots
        held = [self._held(x) for x in parts]
        count = -(-len(g.elements) // self._chunk)
        edges = [len(g.elements) * k // count for k in range(count + 1)]
        found = []
        for first, last in pairwise(edges):
            row = [0] * Chunk.SIZE
            row[Chunk.CODE], row[Chunk.CONTEXT] = g.address, number
            row[Chunk.NUMBER_COUNT] = len(columns)
            row[Chunk.COUNT], row[Chunk.ENDS] = last - first, bodies.shape[1]
            row[Chunk.COORDINATES] = int(bool(kind.numbers))
            places = (start + x.strides[0] * first for start, x in zip(held, parts, strict=True))
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

    def _pairs(self) -> dict[tuple[int, int], None]:
        """Two bodies at the ends of elements, the one with the higher number first; each twice."""
        found: dict[tuple[int, int], None] = {}
        for g in self._groups:
            for element in g.elements if not g.sloped.kind.numbers else ():
                bodies = sorted(distinct(element), reverse=True)
                found |= {(a, b): None for k, a in enumerate(bodies) for b in bodies[k:]}
        return found

    # -- tables ------------------------------------------------------------------------------------

    @cached_property
    def _blocks(self) -> PairTables:
        t = self._tables
        joints = [body.joint.nv for body in t.bodies]
        return pair_tables(self._pairs(), t.parents, t.v_offsets, joints)

    def described(self) -> np.ndarray:
        """What stands behind the context of every call, but for its memory."""
        tables, made, c = self._tables, self._blocks, np.zeros(Slopes.SIZE, np.int64)
        chunks = [row for n, g in enumerate(self._groups) for row in self._chunks(n, g, made)]
        folds = [
            [k, made.slots[a, a], made.slots[b, b]] for (a, b), k in made.slots.items() if a > b
        ]
        c[Slopes.NV], c[Slopes.BODIES], c[Slopes.SOLVED] = (
            tables.nv,
            len(tables.bodies),
            self._solved,
        )
        c[Slopes.MOTIONS_CODE], c[Slopes.PLAIN_CODE] = self._motions.address, self._plain.address
        inputs, outputs = self._request.reads, list(self._request.algorithm.writes)
        found = {"external": EXTERNAL} | ({"tau": TAU} if self._solved else {})
        for field, numbers in (
            (Slopes.GIVEN_FROM, [inputs.index(x) if x in inputs else -1 for x in GIVEN]),
            (Slopes.RESULTS_FROM, [outputs.index(x) for x in RESULTS]),
            (Slopes.MOTIONS_FROM, [inputs.index(x) for x in self._motions.input_names]),
            (Slopes.PLAIN_FROM,
             [found[x] if x in found else inputs.index(x) for x in self._plain.input_names]),
        ):  # fmt: skip
            c[field : field + len(numbers)] = numbers
        c[Slopes.CHUNK_COUNT], c[Slopes.TURN_COUNT] = len(chunks), len(made.turns)
        c[Slopes.FOLD_COUNT], c[Slopes.CLEARED] = len(folds), len(made.slots)
        for field, rows in (
            (Slopes.CHUNKS, chunks), (Slopes.FOLDS, folds), (Slopes.TURNS, made.turns),
            (Slopes.SHARES, made.shares), (Slopes.MOVES, made.moves),
        ):  # fmt: skip
            c[field] = self._held(np.array(rows or [[0]], np.int64))
        frames = [body.own.leaves() for body in tables.bodies]
        c[Slopes.FRAMES] = self._held(np.array(frames, self._dtype))
        return c

    def _held(self, array: np.ndarray) -> int:
        self._keep.append(array)
        return address_of()(array)

    # -- calls -------------------------------------------------------------------------------------

    @cached_property
    def _steps(self) -> list[int]:
        """Numbers of a state in each of the arrays that are found, in their order."""
        nv, bodies = self._tables.nv, len(self._tables.bodies)
        motions = [prod(shape) for shape in self._motions.output_shapes.values()]
        return [*motions, 6 * bodies, nv, nv**2, nv**2]

    @cached_property
    def _most(self) -> int:
        """States that are worked on together: whole vectors of them, one where there are none."""
        width = self._lanes.width
        if width == 1:
            return 1
        return max(1, _AT_ONCE // (width * max(sum(self._steps), 1))) * width

    @cached_property
    def _room(self) -> dict[int, int]:
        """Numbers of the memory that all states share one after the other, by field."""
        shape, nv, bodies = self._shape, self._tables.nv, len(self._tables.bodies)
        groups = [g.sloped for g in self._groups]
        gathered, numbers, given = (
            max((x.inputs.get(name, 0) for x in groups), default=0)
            for name in ("bodies", "numbers", "given")
        )
        return {
            Slopes.PACKED: bodies * len(shape.leaves),
            Slopes.GATHERED: self._chunk * gathered,
            Slopes.NUMBERS: numbers,
            Slopes.GIVENS: self._chunk * given,
            Slopes.FOUND: self._chunk * max((x.results for x in groups), default=0),
            Slopes.WRENCHES: bodies * shape.size,
            Slopes.FORCES: nv,
            Slopes.AXES: nv * shape.size,
            Slopes.RATES: nv * shape.size,
            Slopes.BLOCKS: self._blocks.room * shape.pair,
            Slopes.BOTH: shape.pair,
            Slopes.BUFFER: (bodies + 1) * shape.shared,
            Slopes.ROW: nv,
        }

    def prepare(self, c: np.ndarray, rows: int, globals_: np.ndarray) -> object:
        """The memory of one call, for its context; it has to live as long as that."""
        address, size = address_of(), self._dtype.itemsize
        count = max(min(rows, self._most), self._lanes.width)
        motions, plain = (k.context(count, globals_) for k in (self._motions, self._plain))
        contexts = np.array([g.context for g in self._groups], np.int64).reshape(-1, Context.SIZE)
        side_by_side = (self._lanes.width * n for n in self._room.values())
        wanted = [*side_by_side, *(count * step for step in self._steps)]
        work = np.empty(sum(wanted) + 16, self._dtype)
        starts = (address(work) + size * np.cumsum([0, *wanted])).tolist()

        def put(field: int, value: int) -> None:
            c[Context.SIZE + field] = value

        for field, start in zip(self._room, starts, strict=False):
            put(field, start)
        first = starts[len(self._room) : -1]
        for k, (start, step) in enumerate(zip(first, self._steps, strict=True)):
            put(Slopes.FOUND_FIRST + k, start)
            put(Slopes.FOUND_STEPS + k, step)
        put(Slopes.MOST, count)  # other calls may use the memory for more rows
        put(Slopes.MOTIONS_CONTEXT, address(motions[0]))
        put(Slopes.PLAIN_CONTEXT, address(plain[0]))
        put(Slopes.CONTEXTS, address(contexts))
        outputs = len(self._motions.output_shapes)
        motions[0][Context.OUTPUT_ROWS : Context.OUTPUT_ROWS + outputs] = first[:outputs]
        one = self._lanes.width == 1
        inputs = Context.INPUT_ROWS if one else Context.INPUTS
        for k, field in enumerate((Slopes.GATHERED, Slopes.NUMBERS, Slopes.GIVENS)):
            contexts[:, inputs + k] = c[Context.SIZE + field]
        contexts[:, Context.OUTPUT_ROWS if one else Context.OUTPUTS] = c[
            Context.SIZE + Slopes.FOUND
        ]
        return work, motions, plain, contexts, globals_
