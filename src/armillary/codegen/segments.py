"""LLVM text of the templates of rolled code (graph/rolling.py): loops over rows of integers, which
tell where the numbers of each segment stand."""

from __future__ import annotations

from armillary.codegen.abi import Arrays, Context
from armillary.codegen.emit import BlockWriter
from armillary.codegen.llvm import splat
from armillary.codegen.target import Lanes
from armillary.graph.expr import Address
from armillary.graph.rolling import FAR, NUMBER, OWN, ROOM, Template

_SHARED = {NUMBER: Context.CONSTS, "global": Context.GLOBALS}  # the same for all states


class SegmentWriter(BlockWriter):
    """Writes `void name(ptr ctx, i64 first, i64 last)`: the template for these rows."""

    int_bits = 32  # rows of many segments come from far: they are kept small

    def __init__(self, lanes: Lanes, template: Template, arrays: Arrays):
        super().__init__(lanes, template.block.name, order="row", arrays=arrays)
        self.row_size = template.columns

    def _load(self, address: Address) -> str:
        where, column = address
        offset = self._int(column)
        if where in _SHARED:
            pointer = self._at(_SHARED[where], offset, 0, 1)
            value = self._line(
                f"load {self.lanes.element}, ptr {pointer}, align {self.lanes.bytes}, "
                "!alias.scope !2"
            )
            return splat(value, self.lanes, self._line)
        if where == FAR:
            pointer = self._at(Context.WORK, offset, 0, self.lanes.width)
            return self._line(f"load {self.lanes.type}, ptr {pointer}, align {self.lanes.bytes}")
        field = self.arrays.input(where, Context.INPUTS)
        return self._read(self.lanes, self._at(field, offset, 0, self.lanes.width))

    def _store(self, address: Address, value: str) -> None:
        where, k = address
        if where == OWN:
            pointer = self._at(Context.WORK, self._int(ROOM), k, self.lanes.width)
        else:
            field = self.arrays.output(where, Context.OUTPUTS)
            pointer = self._at(field, self._int(k), 0, self.lanes.width)
        self._put(self.lanes.type, value, pointer)
