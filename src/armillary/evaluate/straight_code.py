"""Tier 2: straight-line code of one mechanism.

It is traced only where no earlier process has done it: what a kernel needs besides its machine code
(the number of operations) is remembered under the identity of what would be traced, and the object
is found under the same identity.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from armillary.codegen.abi import Arrays
from armillary.codegen.cache import remembered
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.kernel import CodeKind, Linked
from armillary.evaluate.request import Request
from armillary.model.lowering.tree import Tables

if TYPE_CHECKING:
    from armillary.graph.function import FunctionGraph

_OPTIMIZE = 0  # see codegen/jit.py: a graph is simplified before it is text


class StraightCode:
    """A graph, made when it is first needed, and its machine code."""

    kind: CodeKind = "straight"

    def __init__(self, trace: Callable[[], FunctionGraph], name: str | None):
        """name: the identity of what is traced, or None."""
        self._trace, self._identity = trace, name

    @cached_property
    def graph(self) -> FunctionGraph:
        from armillary.graph.expr import growing

        with growing():
            return self._trace()

    @cached_property
    def operations(self) -> int:
        """Arithmetic operations; where they are not remembered, they are counted in a trace."""

        def count() -> int:
            return self.graph.operations()

        return int(remembered(self._identity, "operations", count))

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        def text() -> str:
            from armillary.codegen.one_state import straight_text

            return with_declarations(straight_text(lanes, self.graph.block(), arrays), lanes)

        return Linked(
            [Library(text, ["batch"], _OPTIMIZE, identity=of_lanes(self._identity, lanes))]
        )

    def within(self, lanes: Lanes, arrays: Arrays) -> Library:
        """Machine code that works on W states side by side, as a pass of a loop kernel."""

        def text() -> str:
            from armillary.codegen.emit import BlockWriter

            writer = BlockWriter(lanes, "straight", order="row", arrays=arrays)
            return with_declarations(writer.write(self.graph.block()), lanes)

        return Library(
            text, ["straight"], _OPTIMIZE, identity=of_lanes(self._identity, lanes, "within")
        )


def straight_code(request: Request, tables: Tables, frame_body: int | None = None) -> StraightCode:
    """Code of an algorithm on one mechanism."""

    def trace() -> FunctionGraph:
        from armillary.evaluate.specialise import shortest

        return shortest(request, tables, frame_body)

    return StraightCode(trace, identity("straight", request, tables, frame_body))
