"""Tier 2 in loops: straight-line code of a mechanism of many equal parts, rolled up."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from armillary.codegen.abi import Arrays, Context
from armillary.codegen.cache import remembered
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.kernel import TYPES, CodeKind, Linked

if TYPE_CHECKING:
    from armillary.evaluate.straight_code import StraightCode
    from armillary.graph.function import FunctionGraph
    from armillary.graph.rolling import Rolled


class _Note(TypedDict):
    """What a later process needs besides machine code."""

    operations: int
    names: list[str]
    rows: list[list[list[int]]]  # of every template
    calls: list[list[int]]
    numbers: list[float]
    room: int
    zeros: list[str]


class RolledCode:
    """The loops of straight-line code.  operations: of every template once."""

    kind: CodeKind = "rolled"

    def __init__(self, straight: StraightCode):
        self._straight = straight

    @property
    def graph(self) -> FunctionGraph:
        """All of it, not rolled up."""
        return self._straight.graph

    @cached_property
    def _rolled(self) -> Rolled:
        from armillary.graph.partial_sums import with_partial_sums
        from armillary.graph.rolling import roll

        return roll(with_partial_sums(self._straight.graph))

    @cached_property
    def _note(self) -> _Note:
        def make() -> _Note:
            r = self._rolled
            return {
                "operations": r.operations,
                "names": [template.block.name for template in r.templates],
                "rows": [template.rows for template in r.templates],
                "calls": [list(call) for call in r.calls],
                "numbers": r.numbers,
                "room": r.room,
                "zeros": r.zeros,
            }

        return remembered(self._straight.identity, "rolled", make)

    @property
    def operations(self) -> int:
        return self._note["operations"]

    def fits(self, budget: int) -> bool:
        return self.operations <= budget

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        note = self._note

        def text() -> str:
            from armillary.codegen.segments import SegmentWriter

            texts = [SegmentWriter(lanes, t, arrays).write(t.block) for t in self._rolled.templates]
            return with_declarations("\n\n".join(texts), lanes)

        name = of_lanes(self._straight.identity, lanes, "rolled")
        library = Library(text, note["names"], 0, identity=name, quick=lanes.quick)
        linked = Linked(
            [_driver(lanes), library], work=max(note["room"], 1), scratch=arrays.numbers()
        )
        tables = [linked.held(np.array(rows, np.int32)) for rows in note["rows"]]
        codes = [library.addresses[name] for name in note["names"]]
        calls = [[codes[kind], tables[kind], first, last] for kind, first, last in note["calls"]]
        linked.point(Context.RUNS, np.array(calls, np.int64).reshape(-1, 4))
        linked.context[Context.RUN_COUNT] = len(calls)
        for name in note["zeros"]:
            linked.context[arrays.output(name, Context.ZERO_OUTPUTS)] = 1
        numbers = np.array(note["numbers"] or [0.0], TYPES[lanes.element])
        linked.point(Context.CONSTS, numbers)
        return linked


@cache
def _driver(lanes: Lanes) -> Library:
    def text() -> str:
        from armillary.runtime.rolled_loop import rolled_text

        return with_declarations(rolled_text(lanes), lanes)

    return Library(
        text, ["batch"], 2, identity=of_lanes(identity("rolled"), lanes), quick=lanes.quick
    )
