"""Tier 1: the law of a kind of force element, traced once, as the block of a loop over elements.

A kind is the law with its structure, and which ends share a body or are on the world.  An element
has a row in the table of integers, as a body has: where its constants are, and the records of up to
four bodies at its ends.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.forces.elements import reading
from armillary.algorithms.forces.loops import (
    DRIVEN,
    JOINT_PLACE,
    JOINT_RATE,
    MOST_COORDINATES,
    MOTION,
    PLACE,
    PUSH,
    PlacedCoordinate,
    PlacedEnd,
    distinct,
)
from armillary.algorithms.passes import ElementStep
from armillary.codegen.abi import Ints
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.request import Request, input_slot, output_slot
from armillary.model.lowering.elements import KernelElement
from armillary.model.lowering.tree import PER_BODY, Tables
from armillary.scalar import Scalar
from armillary.spatial import Motion, Transform

if TYPE_CHECKING:
    from armillary.graph.expr import Graph, Leaf, Node
    from armillary.graph.function import Block

# where the records of the bodies at the ends stand, and the column of integers that tells
_RECORDS = ("own", "parent", "sum", "parent_sum")
_COLUMNS = (Ints.WORK, Ints.PARENT_WORK, Ints.SUM, Ints.PARENT_SUM)
_SYMBOL = "elements"


@dataclass(frozen=True)
class ElementKind:
    """Elements of one kind share their code.  ends: which record each has, -1: the world; numbers:
    of coordinates within their joints.  element: one of them."""

    key: Hashable
    ends: tuple[int, ...]
    numbers: tuple[int, ...]
    element: KernelElement = field(compare=False)


def kind_of(element: KernelElement) -> ElementKind:
    bodies = [-1, *distinct(element)]
    ends = tuple(bodies.index(body) - 1 for body in element.reach)
    numbers = tuple(number for _, number in element.coordinates)
    return ElementKind(element.law.key(), ends, numbers, element)


@cache
def element_code(request: Request, kind: ElementKind, lanes: Lanes) -> Library:
    """Code of one kind of element, for elements first..last-1."""

    def text() -> str:
        from armillary.codegen.emit import BlockWriter

        return with_declarations(BlockWriter(lanes, _SYMBOL).write(_traced(request, kind)), lanes)

    name = identity("element", request, kind.key, kind.ends, kind.numbers)
    return Library(text, [_SYMBOL], identity=of_lanes(name, lanes), quick=lanes.quick)


def code_addresses(codes: Sequence[Library]) -> list[int]:
    return [code.addresses[_SYMBOL] for code in codes]


def _traced(request: Request, kind: ElementKind) -> Block:
    from armillary.evaluate.body_code import layout_of
    from armillary.graph.expr import Graph
    from armillary.graph.function import Block, Store

    graph, layout = Graph(), layout_of(request)
    stage, step = next(
        (k, p) for k, p in enumerate(request.algorithm.passes) if isinstance(p, ElementStep)
    )

    def loads(record: int, name: str) -> list[Node]:
        where = _RECORDS[record]
        version = () if where == "own" else (stage,)
        first, count = layout.offsets[name], _size(layout.templates[name])
        return [graph.load(where, first + k, *version) for k in range(count)]

    element = _symbolic(graph, request, kind.element)
    ends = ends_at(element, kind, loads)
    block = Block(_SYMBOL, stage)
    if step.does in ("read", "show"):
        read = step.does == "read"
        found = reading(element, ends) if read else element.law.outputs(ends)
        slot = output_slot(request.algorithm, "readings" if read else "outputs")
        for k, x in enumerate(found):
            block.stores.append(Store(("dof", slot, k, len(found)), graph.lift(x)))
        return block
    totals: dict[tuple[int, str], Sequence[Leaf]] = {}
    if step.does == "change":
        held = ends_at(element, kind, loads)
        totals |= _changed(graph, request, kind, element, (held, ends), block)
    elif step.does == "store":
        totals[0, "V"] = [element.potential(ends)]
    else:
        element.act(ends)
        totals |= pushed_by(kind, ends)
    for (record, name), more in totals.items():
        for old, extra in zip(loads(record, name), more, strict=True):
            if type(extra) is int and extra == 0:
                continue
            where, k = old.data[:2]
            block.stores.append(Store((where, k), graph.lift(old + extra)))
    return block


def _changed(
    graph: Graph,
    request: Request,
    kind: ElementKind,
    element: KernelElement,
    both: tuple[Sequence[PlacedEnd | PlacedCoordinate], Sequence[PlacedEnd | PlacedCoordinate]],
    block: Block,
) -> dict[tuple[int, str], Sequence[Leaf]]:
    """What an element adds at given states beyond those that its law holds, by record and field;
    results that are asked for go into the block.  both: its ends, twice."""
    from armillary.graph.function import Store

    held, ends = both
    slot, count = input_slot(request, "states"), len(element.law.state_names())
    states = [graph.load("q", slot, k) for k in range(count)]
    now = replace(element, law=element.law.changed(states, _added(graph, request, element)))
    element.act(held)
    now.act(ends)
    old, new = pushed_by(kind, held), pushed_by(kind, ends)
    results: dict[str, Callable[[], Sequence[Leaf]]] = {
        "rates": lambda: now.rates(ends),
        "readings": lambda: reading(now, _unloaded(ends)),
        "outputs": lambda: now.law.outputs(ends),
        "energy": lambda: [now.potential(ends) - element.potential(held)],
    }
    for name in request.algorithm.writes:
        found = results[name]() if name in results else ()
        place = output_slot(request.algorithm, name)
        for k, x in enumerate(found):
            where = ("q", place, k) if name == "rates" else ("dof", place, k, len(found))
            block.stores.append(Store(where, graph.lift(x)))
    return {key: [x - y for x, y in zip(new[key], old[key], strict=True)] for key in new}


def _added(graph: Graph, request: Request, element: KernelElement) -> list[Leaf]:
    """What is given beside the states: from the row of the element, as many as its law takes."""
    width = next(p.inputs for p in request.algorithm.passes if isinstance(p, ElementStep))
    if not width:
        return []
    slot = input_slot(request, "inputs")
    return [graph.load("dof", slot, k, width) for k in range(element.law.input_count())]


def _unloaded(ends: Sequence[PlacedEnd | PlacedCoordinate]) -> list[PlacedEnd | PlacedCoordinate]:
    """The same ends, on which nothing acts yet."""
    return [
        PlacedEnd(end.X_KW, end.v_K, end.X_FK)
        if isinstance(end, PlacedEnd)
        else PlacedCoordinate(end.place, end.rate)
        for end in ends
    ]


def ends_at(
    element: KernelElement, kind: ElementKind, loads: Callable[[int, str], Sequence[Scalar]]
) -> list[PlacedEnd | PlacedCoordinate]:
    """As the records of their bodies tell; what is on the world, or locked, stays."""
    found: list[PlacedEnd | PlacedCoordinate] = []
    if kind.numbers:
        for record, number, held in zip(kind.ends, kind.numbers, element.held, strict=True):
            there = PlacedCoordinate(held, 0)
            if record >= 0:
                fields = (loads(record, name)[number] for name in (JOINT_PLACE, JOINT_RATE))
                there = PlacedCoordinate(*fields)
            found.append(there)
        return found
    for record, X_FK in zip(kind.ends, element.places, strict=True):
        X, v = Transform.identity(), Motion.zero()
        if record >= 0:
            X = type(X).from_leaves(loads(record, PLACE))
            v = type(v).from_leaves(loads(record, MOTION))
        found.append(PlacedEnd(X, v, X_FK))
    return found


def pushed_by(
    kind: ElementKind, ends: Sequence[PlacedEnd | PlacedCoordinate]
) -> dict[tuple[int, str], Sequence[Scalar]]:
    """By record and field: what the ends add there."""
    found: dict[tuple[int, str], list[Scalar]] = {}
    numbers = kind.numbers or (0,) * len(ends)
    for record, number, end in zip(kind.ends, numbers, ends, strict=True):
        if record < 0:
            continue
        if isinstance(end, PlacedEnd):
            total, more = found.setdefault((record, PUSH), [0] * 6), list(end.wrench.leaves())
        else:
            total = found.setdefault((record, DRIVEN), [0] * MOST_COORDINATES)
            more = [end.force if k == number else 0 for k in range(MOST_COORDINATES)]
        total[:] = [x + y for x, y in zip(total, more, strict=True)]
    return dict(found)


def _size(template: object) -> int:
    return len(template.leaves()) if hasattr(template, "leaves") else 1


def _symbolic(graph: Graph, request: Request, element: KernelElement) -> KernelElement:
    """The element with its constants, or what is given instead, as loads."""
    symbols = [graph.load("const", k) for k in range(len(element.parameters()))]
    element = element.with_parameters(symbols)
    if "parameters" not in request.reads:
        return element
    slot = input_slot(request, "parameters")
    return element.given([graph.load("body", slot, k, 1) for k in range(element.count)])


# -- tables ----------------------------------------------------------------------------------------


class ElementTables:
    """What the loop over the elements of a mechanism reads."""

    def __init__(self, tables: Tables):
        self.elements = tables.elements
        self._bodies = len(tables.bodies)
        found: dict[ElementKind, list[KernelElement]] = {}
        for element in tables.elements:
            found.setdefault(kind_of(element), []).append(element)
        self.kinds = list(found)
        self.order = [element for group in found.values() for element in group]
        numbers = np.cumsum([0, *(element.count for element in tables.elements)])
        self._starts = {id(e): int(n) for e, n in zip(tables.elements, numbers, strict=False)}
        self._numbers = {id(element): k for k, element in enumerate(tables.elements)}
        self.sizes = [len(group) for group in found.values()]  # of the kinds
        states = np.cumsum([0, *(len(element.law.state_names()) for element in tables.elements)])
        self._states = {id(e): int(n) for e, n in zip(tables.elements, states, strict=False)}

    def spans(self) -> list[tuple[ElementKind, int, int]]:
        """Kinds, and where their elements stand in the order: (kind, first, last + 1)."""
        return [(self.kinds[k], first, last) for first, last, k in self.runs(0)]

    def start(self, element: KernelElement) -> int:
        """Where its numbers begin among those of all elements."""
        return self._starts[id(element)]

    def runs(self, first: int) -> list[tuple[int, int, int]]:
        """Runs of elements of one kind: (first, last + 1, kind); their rows begin at `first`."""
        ends = first + np.cumsum([0, *self.sizes])
        return [(int(ends[k]), int(ends[k + 1]), k) for k in range(len(self.sizes))]

    def rows(self, bodies: np.ndarray, consts: int) -> np.ndarray:
        """Integers of all elements.  bodies: those of the bodies; consts: constants before."""
        table = np.zeros((len(self.order), Ints.SIZE), np.int64)
        for row, element in zip(table, self.order, strict=True):
            row[Ints.CONSTS] = consts
            consts += len(element.parameters())
            row[Ints.NUMBER] = PER_BODY["parameters"] * self._bodies + self.start(element)
            row[Ints.V] = self._numbers[id(element)]
            row[Ints.Q] = self._states[id(element)]
            for column, body in zip(_COLUMNS, distinct(element), strict=False):
                row[column] = bodies[body, Ints.WORK]
        return table

    def constants(self) -> list[float]:
        return [x for element in self.order for x in element.parameters()]
