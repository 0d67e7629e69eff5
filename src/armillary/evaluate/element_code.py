"""Tier 1: the law of a kind of force element, traced once, as the block of a loop over elements.

A kind is the law with its structure, and which ends share a body or are on the world.  An element
has a row in the table of integers, as a body has: where its constants are, and the records of up to
four bodies at its ends.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.forces.elements import READINGS, reading
from armillary.algorithms.forces.loops import MOTION, PLACE, PUSH, PlacedEnd, distinct
from armillary.algorithms.passes import ElementStep
from armillary.codegen.abi import Ints
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.request import Request, input_slot, output_slot
from armillary.model.lowering.elements import KernelElement
from armillary.model.lowering.tree import PER_BODY, Tables
from armillary.spatial import Force, Motion, Transform

if TYPE_CHECKING:
    from armillary.graph.cut import Block
    from armillary.graph.expr import Graph, Leaf

# where the records of the bodies at the ends stand, and the column of integers that tells
_RECORDS = ("own", "parent", "sum", "parent_sum")
_COLUMNS = (Ints.WORK, Ints.PARENT_WORK, Ints.SUM, Ints.PARENT_SUM)
_SYMBOL = "elements"


@dataclass(frozen=True)
class ElementKind:
    """Elements of one kind share their code.  ends: which record each has, -1: the world.
    element: one of them."""

    key: Hashable
    ends: tuple[int, ...]
    element: KernelElement = field(compare=False)


def kind_of(element: KernelElement) -> ElementKind:
    bodies = [-1, *distinct(element)]
    return ElementKind(
        element.law.key(), tuple(bodies.index(body) - 1 for body in element.bodies), element
    )


@cache
def element_code(request: Request, kind: ElementKind, lanes: Lanes) -> Library:
    """Code of one kind of element, for elements first..last-1."""

    def text() -> str:
        from armillary.codegen.emit import BlockWriter

        return with_declarations(BlockWriter(lanes, _SYMBOL).write(_traced(request, kind)), lanes)

    name = identity("element", request, kind.key, kind.ends)
    return Library(text, [_SYMBOL], identity=of_lanes(name, lanes))


def code_addresses(codes: Sequence[Library]) -> list[int]:
    return [code.addresses[_SYMBOL] for code in codes]


def _traced(request: Request, kind: ElementKind) -> Block:
    from armillary.evaluate.body_code import layout_of, rebuild
    from armillary.graph.cut import Block, Store
    from armillary.graph.expr import Graph

    graph, layout = Graph(), layout_of(request)
    stage, step = next(
        (k, p) for k, p in enumerate(request.algorithm.passes) if isinstance(p, ElementStep)
    )

    def loads(record: int, name: str) -> list[Leaf]:
        where = _RECORDS[record]
        version = () if where == "own" else (stage,)
        first, count = layout.offsets[name], _size(layout.templates[name])
        return [graph.load(where, first + k, *version) for k in range(count)]

    element = _symbolic(graph, request, kind.element)
    ends = []
    for record, X_FK in zip(kind.ends, element.places, strict=True):
        X, v = Transform.identity(), Motion.zero()
        if record >= 0:
            X = rebuild(X, loads(record, PLACE))
            v = rebuild(v, loads(record, MOTION))
        ends.append(PlacedEnd(X, v, X_FK))
    block = Block(_SYMBOL, stage)
    if step.does == "read":
        slot = output_slot(request.algorithm, "readings")
        for k, x in enumerate(reading(element, ends)):
            block.stores.append(Store(("dof", slot, k, READINGS), graph.lift(x)))
        return block
    totals: dict[tuple[int, str], Sequence[Leaf]] = {}
    if step.does == "store":
        totals[0, "V"] = [element.law.potential(ends)]
    else:
        element.law.act(ends)
        for record in sorted({record for record in kind.ends if record >= 0}):
            wrench = Force.zero()
            for end in (end for n, end in zip(kind.ends, ends, strict=True) if n == record):
                wrench = wrench + end.wrench
            totals[record, PUSH] = wrench.leaves()
    for (record, name), more in totals.items():
        for old, extra in zip(loads(record, name), more, strict=True):
            where, k = old.data[:2]
            block.stores.append(Store((where, k), graph.lift(old + extra)))
    return block


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
        self._sizes = [len(group) for group in found.values()]

    def runs(self, first: int) -> list[tuple[int, int, int]]:
        """Runs of elements of one kind: (first, last + 1, kind); their rows begin at `first`."""
        ends = first + np.cumsum([0, *self._sizes])
        return [(int(ends[k]), int(ends[k + 1]), k) for k in range(len(self._sizes))]

    def rows(self, bodies: np.ndarray, consts: int) -> np.ndarray:
        """Integers of all elements.  bodies: those of the bodies; consts: constants before."""
        table = np.zeros((len(self.order), Ints.SIZE), np.int64)
        for row, element in zip(table, self.order, strict=True):
            row[Ints.CONSTS] = consts
            consts += len(element.parameters())
            row[Ints.NUMBER] = PER_BODY["parameters"] * self._bodies + self._starts[id(element)]
            row[Ints.V] = self._numbers[id(element)]
            for column, body in zip(_COLUMNS, distinct(element), strict=False):
                row[column] = bodies[body, Ints.WORK]
        return table

    def constants(self) -> list[float]:
        return [x for element in self.order for x in element.parameters()]
