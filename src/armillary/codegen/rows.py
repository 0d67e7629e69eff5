"""LLVM text of straight-line kernels: the loop over the rows of a batch is around the code.

Inputs and outputs are the user's arrays, one state per row.  With W lanes, squares of W rows and
W columns are transposed in registers; the last square of a row overlaps the one before it.

Many results per row: each different column is kept once, and a loop unpacks the rows from them.  In
line, stores and exchanges would be half of a code that the nearest cache does not hold any more.
Results that outgrow the inputs wait for memory: their lines are fetched while others are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armillary.codegen.abi import Arrays, Context, Slot
from armillary.codegen.code import Code
from armillary.codegen.emit import BlockWriter
from armillary.codegen.target import Lanes
from armillary.codegen.transpose import mask, transposed, unpacking
from armillary.graph.expr import Node, cone
from armillary.graph.function import Block
from armillary.graph.schedule import REGISTERS, straight_order

_LINE = 64  # bytes of a cache line
_MANY = 400  # numbers in a row of results: they are unpacked in a loop


class RowWriter(BlockWriter):
    """Writes `void name(ptr ctx, i64 first, i64 last)`: rows first..last-1, W at a time.
    One state: see one_state.py."""

    registers = REGISTERS

    def __init__(self, lanes: Lanes, symbol: str, arrays: Arrays):
        super().__init__(lanes, symbol, arrays=arrays)
        self.step = lanes.width
        self._columns: dict[tuple[str, int], str] = {}
        self._results: dict[str, dict[int, str]] = {}
        self._kept: dict[str, dict[str, int]] = {}  # columns of many results, by value
        self._places: dict[str, dict[int, int]] = {}  # which of them each number is
        self._starts: dict[tuple[str, int], str] = {}  # of rows, by array and lane

    def _order(self, roots: Sequence[Node]) -> list[Node]:
        self.order = straight_order(cone(roots), single=False)
        return super()._order(roots)

    # -- inputs ----------------------------------------------------------------------------------

    def _load_input(self, name: str, k: int) -> str:
        if (name, k) not in self._columns:
            self._read_square(name, k)
        return self._columns[name, k]

    def _read_square(self, name: str, k: int) -> None:
        w, size = self.lanes.width, self.arrays.inputs[name]
        if size < w:
            rows = [self._short_row(name, lane) for lane in range(w)]
            for n, column in enumerate(transposed(self._line, self.lanes, rows)[:size]):
                self._columns[name, n] = column
            return
        start = min(k - k % w, size - w)
        rows = [self._read(self.lanes, self._input_row(name, lane, start)) for lane in range(w)]
        for n, column in enumerate(transposed(self._line, self.lanes, rows)):
            self._columns.setdefault((name, start + n), column)

    def _short_row(self, name: str, lane: int) -> str:
        """A row of fewer than W numbers, and anything behind them; only its own memory is read."""
        w, size = self.lanes.width, self.arrays.inputs[name]
        mask = ", ".join(f"i1 {int(k < size)}" for k in range(w))
        return self._line(
            f"call {self.lanes.type} @llvm.masked.load.{self.lanes.suffix}.p0(ptr "
            f"{self._input_row(name, lane, 0)}, i32 {self.lanes.bytes}, <{w} x i1> <{mask}>, "
            f"{self.lanes.type} poison), !alias.scope !2"
        )

    def _input_row(self, name: str, lane: int, k: int) -> str:
        """Pointer to number k of the row of a lane; the context tells how far apart rows are."""
        fields = (Context.INPUT_ROWS, Context.INPUT_STRIDES)
        rows, strides = (self.arrays.input(name, field) for field in fields)
        start = self._start(name, rows, lambda: self._field(strides))
        if lane:
            if (name, lane) not in self._starts:
                offset = self._line(f"mul i64 {self._field(strides)}, {lane}")
                self._starts[name, lane] = self._element(start, offset)
            start = self._starts[name, lane]
        return start if k == 0 else self._element(start, k)

    def _output_row(self, name: str, lane: int, k: int) -> str:
        """The same of an output, whose rows follow one another."""
        size = self.arrays.outputs[name]
        rows = self.arrays.output(name, Context.OUTPUT_ROWS)
        start, k = self._start(f"out {name}", rows, lambda: str(size)), k + lane * size
        return start if k == 0 else self._element(start, k)

    def _start(self, key: str, rows: Slot, stride: Callable[[], str]) -> str:
        """Pointer to the first of the W rows."""
        if (key, 0) not in self._starts:
            base = self._field(rows)
            self._starts[key, 0] = self._element(base, self._line(f"mul i64 %i, {stride()}"))
        return self._starts[key, 0]

    def _element(self, base: str, k: str | int) -> str:
        return self._line(f"getelementptr {self.lanes.element}, ptr {base}, i64 {k}")

    # -- outputs ---------------------------------------------------------------------------------

    def _store_output(self, name: str, k: int, value: str) -> None:
        if self.arrays.outputs[name] >= _MANY:
            self._keep_column(name, k, value)
        else:
            self._results.setdefault(name, {})[k] = value
            self._write_squares(name, k)

    def _write_squares(self, name: str, k: int) -> None:
        """Store every square of columns that became complete with column k."""
        w, size, results = self.lanes.width, self.arrays.outputs[name], self._results[name]
        if size < w:
            if len(results) == size:
                self._write_short_rows(name)
            return
        starts = {min(k - k % w, size - w)}
        if k >= size - w:
            starts.add(size - w)
        for start in starts:
            columns = [results.get(start + n) for n in range(w)]
            if any(column is None for column in columns):
                continue
            rows = transposed(self._line, self.lanes, [c for c in columns if c is not None])
            for lane, row in enumerate(rows):
                self._put(self.lanes.type, row, self._output_row(name, lane, start))

    def _write_short_rows(self, name: str) -> None:
        """Rows of fewer than W numbers: two overlapping pieces each, a power of two long."""
        w, size, results = self.lanes.width, self.arrays.outputs[name], self._results[name]
        columns = [results[k] for k in range(size)] + ["poison"] * (w - size)
        piece = 1 << (size.bit_length() - 1)
        kind = self.lanes.element if piece == 1 else f"<{piece} x {self.lanes.element}>"
        for lane, row in enumerate(transposed(self._line, self.lanes, columns)):
            for start in sorted({0, size - piece}):
                text = f"extractelement {self.lanes.type} {row}, i32 {start}"
                if piece > 1:
                    picked = mask([start + k for k in range(piece)])
                    t = self.lanes.type
                    text = f"shufflevector {t} {row}, {t} poison, <{piece} x i32> {picked}"
                self._put(kind, self._line(text), self._output_row(name, lane, start))

    def write(self, block: Block) -> str:
        parts = [super().write(block)]
        for name, places in self._places.items():
            order = [places[k] for k in range(self.arrays.outputs[name])]
            parts.append(unpacking(self.lanes, f"unpack{self._number(name)}", order))
        return "\n\n".join(parts)

    def _number(self, name: str) -> int:
        return self.arrays.output(name, Context.OUTPUTS)

    def _keep_column(self, name: str, k: int, value: str) -> None:
        """Note where the column of number k stands; store it where it is not there yet."""
        kept = self._kept.setdefault(name, {})
        if value not in kept:
            kept[value] = len(kept)
            columns = f"%columns{self._number(name)}"
            place = f"getelementptr {self.lanes.type}, ptr {columns}, i64 {kept[value]}"
            self._put(self.lanes.type, value, self._line(place))
        self._places.setdefault(name, {})[k] = kept[value]

    def _function(self) -> str:
        self.body = _spread(self._fetches(), self.body)
        for name, kept in self._kept.items():
            columns, number = f"%columns{self._number(name)}", self._number(name)
            room = f"alloca [{len(kept)} x {self.lanes.type}], align {_LINE}"
            self.head.insert(0, f"{columns} = {room}")
            row = self._output_row(name, 0, 0)
            self.body.append(f"call void @unpack{number}(ptr {columns}, ptr {row})")
        return super()._function()

    def _fetches(self) -> list[list[str]]:
        """Lines of the results that are needed next, where more is written than is read: those
        of the next W rows; where a loop unpacks them, half of these W rows' (the processor foresees
        the rest)."""
        w, e = self.lanes.width, self.lanes.element
        if sum(self.arrays.outputs.values()) <= sum(self.arrays.inputs.values()):
            return []
        fetches = []
        for name, size in self.arrays.outputs.items():
            base = self._field(self.arrays.output(name, Context.OUTPUT_ROWS))
            first, last = (0, w * size // 2) if name in self._kept else (w * size, 2 * w * size)
            for start in range(first, last, _LINE // self.lanes.bytes):
                row, place, pointer = (self._name() for _ in range(3))
                lines = [
                    f"{row} = mul i64 %i, {size}",
                    f"{place} = add i64 {row}, {start}",
                    f"{pointer} = getelementptr {e}, ptr {base}, i64 {place}",
                    f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 2, i32 1)",
                ]
                fetches.append(lines)
        return fetches


def _spread(few: list[list[str]], many: list[str]) -> list[str]:
    """The groups of the first list evenly among the lines of the second."""
    lines = list(many)
    for k in reversed(range(len(few))):
        place = k * len(many) // len(few)
        lines[place:place] = few[k]
    return lines


def row_batch(lanes: Lanes, symbol: str) -> str:
    """`batch(ctx)`: all rows; the last block of W rows overlaps the one before."""
    c = Code("batch")
    rows, w = c.field(Context.ROWS), lanes.width
    whole = c.let(f"and i64 {rows}, {-w}")
    c.do(f"call void @{symbol}(ptr %ctx, i64 0, i64 {whole})")
    with c.when(c.let(f"icmp ne i64 {whole}, {rows}")):
        c.do(f"call void @{symbol}(ptr %ctx, i64 {c.sub(rows, w)}, i64 {rows})")
    return c.text()
