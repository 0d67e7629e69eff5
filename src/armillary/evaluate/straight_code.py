"""Tier 2: straight-line code of one mechanism.

It is traced only where no earlier process has done it: what a kernel needs besides its machine code
(the number of operations) is remembered under the identity of what would be traced, and the object
is found under the same identity.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, cast

from armillary.algorithms.passes import Algorithm, AncestorPairs, Solve
from armillary.codegen.abi import Arrays, Context
from armillary.codegen.cache import remembered
from armillary.codegen.jit import Library, shared
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import TYPES, CodeKind, Linked
from armillary.evaluate.request import Request
from armillary.model.lowering.tree import Tables

if TYPE_CHECKING:
    from armillary.evaluate.structure import Derivation, Structure, Tabled
    from armillary.graph.function import FunctionGraph

# operations at the least, as seen on chains with axes along and across each other (slides, which
# turn nothing, have fewer, and do not count)
_PER_PAIR = 15  # of a body with one that carries it
_PER_SOLVED_PAIR = 40  # the same, with the equations of motion solved
_PER_ELEMENT_PAIR = 6  # of a body that moves an end of a force element with one that feels it
_PER_ELEMENT = 4  # of a force element whose like is there already
_PER_SLOPED_ELEMENT = 9  # the same, with its derivatives
# operations of a trace at the most, those included that no result needs: for each of the budget, as
# seen on carts with springs, and of short code beyond that
_MADE, _MADE_BESIDE = 5, 5000
_OPTIMIZE = 0  # see codegen/jit.py: a graph is simplified before it is text


class StraightCode:
    """A graph, made when it is first needed, and its machine code.

    given_up: was its trace so long that it was not brought to its end?"""

    kind: CodeKind = "straight"
    given_up = False

    def __init__(self, trace: Callable[[float], FunctionGraph], name: str | None):
        """trace: with so many operations at the most (`Graph`).  name: the identity of what is
        traced, or None."""
        self._trace, self.identity = trace, name

    def _traced(self, most: float) -> FunctionGraph:
        from armillary.graph.expr import growing

        with growing():
            return self._trace(most)

    @cached_property
    def graph(self) -> FunctionGraph:
        return self._traced(inf)

    def fits(self, budget: int) -> bool:
        """Has it at most so many operations?  A trace that gets much longer is given up, and that
        is remembered, too."""
        if "operations" in vars(self):
            return self.operations <= budget

        def count() -> int | None:
            from armillary.graph.expr import TooLong

            try:
                self.graph = self._traced(_MADE * budget + _MADE_BESIDE)
            except TooLong:
                return None
            return self.graph.operations()

        found = remembered(self.identity, f"operations for {budget}", count)
        if found is None:
            self.given_up = True
            return False
        self.operations = found
        return found <= budget

    @cached_property
    def operations(self) -> int:
        """Arithmetic operations; where they are not remembered, they are counted in a trace."""

        def count() -> int:
            return self.graph.operations()

        return int(remembered(self.identity, "operations", count))

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        def text() -> str:
            from armillary.codegen.one_state import straight_text

            return with_declarations(straight_text(lanes, self.graph.block(), arrays), lanes)

        linked = Linked([self._library(text, "batch", lanes, of_lanes(self.identity, lanes))])
        self.point(linked, lanes)
        return linked

    def within(self, lanes: Lanes, arrays: Arrays) -> Library:
        """Machine code that works on W states side by side, as a pass of a loop kernel."""

        def text() -> str:
            from armillary.codegen.emit import BlockWriter

            writer = BlockWriter(lanes, "straight", order="row", arrays=arrays)
            return with_declarations(writer.write(self.graph.block()), lanes)

        return self._library(text, "straight", lanes, of_lanes(self.identity, lanes, "within"))

    def _library(
        self, text: Callable[[], str], symbol: str, lanes: Lanes, name: str | None
    ) -> Library:
        return shared(text, symbol, _OPTIMIZE, name, lanes.quick)

    def point(self, linked: Linked, lanes: Lanes) -> None:
        """What runs this code finds the numbers that stand behind it."""


class StructureCode(StraightCode):
    """Straight-line code of all mechanisms of one structure, with the numbers of one of them."""

    def __init__(self, trace: Callable[[float], Tabled], structure: Structure):
        """trace: over loads of numbers (structure.py)."""
        super().__init__(self._graph_of, structure.identity)
        self._structure, self._make = structure, trace
        self._made: Tabled | None = None

    def _graph_of(self, most: float) -> FunctionGraph:
        self._made = self._make(most)
        return self._made.graph

    @cached_property
    def table(self) -> Array:
        """The numbers behind the code."""

        def derivation() -> Derivation:
            if self._made is None:
                self.graph = self._traced(inf)
            return cast("Tabled", self._made).derivation

        return self._structure.table(remembered(self.identity, "table", derivation))

    def point(self, linked: Linked, lanes: Lanes) -> None:
        linked.point(Context.NUMBERS, self.table.astype(TYPES[lanes.element]))


def straight_code(
    request: Request, tables: Tables, frame_body: int | None = None, folded: bool = False
) -> StraightCode:
    """Code of an algorithm on one mechanism.  folded: all its numbers stand in the code."""
    from armillary.evaluate.structure import structure_of

    structure = None if folded else structure_of(request, tables, frame_body)
    if structure is not None:
        return StructureCode(partial(structure.tabled, request, tables, frame_body), structure)

    def trace(most: float) -> FunctionGraph:
        from armillary.evaluate.specialise import shortest, traced

        return shortest(request, lambda asked: traced(asked, tables, frame_body, most))

    return StraightCode(trace, identity("straight", request, tables, frame_body))


# -- how long it gets at the least ----------------------------------------------------------------
#
# Found without tracing: that takes seconds where the code would be some ten times longer than it
# may be, and what is surely too long is not traced.


def least_operations(algorithm: Algorithm, tables: Tables) -> int:
    """A bound: of pairs of bodies in algorithms that write derivatives by q and v, and of force
    elements (those alone are shorter that push with a constant force along fixed axes)."""
    acting = len(tables.elements) if "external" in algorithm.reads else 0
    writes = {name for p in algorithm.passes if isinstance(p, AncestorPairs) for name in p.writes}
    if not {"dq", "dv"} <= writes:
        return _PER_ELEMENT * acting
    paths = _paths(tables)
    solved = any(isinstance(p, Solve) for p in algorithm.passes)
    found = (_PER_SOLVED_PAIR if solved else _PER_PAIR) * sum(map(len, paths))
    found += _PER_SLOPED_ELEMENT * acting
    for element in tables.elements:
        ways: list[set[int]] = [{*paths[k]} if k >= 0 else set() for k in element.bodies]
        if ways:
            moving = ways[0].union(*ways[1:]) - ways[0].intersection(*ways[1:])
            found += _PER_ELEMENT_PAIR * len(moving) * sum(map(len, ways))
    return found


def _paths(tables: Tables) -> list[tuple[int, ...]]:
    """Of every body: those that carry it, and itself, as far as they can turn."""
    found: list[tuple[int, ...]] = []
    for k, (body, parent) in enumerate(zip(tables.bodies, tables.parents, strict=True)):
        own = () if body.joint.kind == "prismatic" else (k,)
        found.append((*(found[parent] if parent >= 0 else ()), *own))
    return found
