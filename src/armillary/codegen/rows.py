"""LLVM text of straight-line kernels: the loop over the rows of a batch is around the code.

Inputs and outputs are the user's arrays, one state per row.  With W lanes, squares of W rows and
W columns are transposed in registers; the last square of a row overlaps the one before it.

Many results per row: each different column is kept once, and a loop unpacks the rows from them.  In
line, stores and exchanges would be half of a code that the nearest cache does not hold any more.
Results that outgrow the inputs wait for memory: their lines are fetched while others are computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armillary.codegen.abi import Context
from armillary.codegen.code import Code
from armillary.codegen.emit import BlockWriter
from armillary.codegen.squares import mask, transposed, unpacking
from armillary.codegen.target import Lanes
from armillary.graph.cut import Block
from armillary.graph.expr import Node, cone
from armillary.graph.schedule import REGISTERS, straight_order

_LINE = 64  # bytes of a cache line
_MANY = 400  # numbers in a row of results: they are unpacked in a loop


class RowWriter(BlockWriter):
    """Writes `void name(ptr ctx, i64 first, i64 last)`: rows first..last-1, W at a time.
    One state: see onestate.py.

    sizes: numbers per row of every input and output, by field of the context."""

    registers = REGISTERS

    def __init__(self, lanes: Lanes, symbol: str, sizes: Mapping[int, int]):
        super().__init__(lanes, symbol)
        self.step = lanes.width
        self.sizes = sizes
        self._columns: dict[tuple[int, int], str] = {}
        self._results: dict[int, dict[int, str]] = {}
        self._kept: dict[int, dict[str, int]] = {}  # columns of many results, by value
        self._places: dict[int, dict[int, int]] = {}  # which of them each number is
        self._bases: dict[int, str] = {}

    def _order(self, roots: Sequence[Node]) -> list[Node]:
        self.order = straight_order(cone(roots), single=False)
        return super()._order(roots)

    # -- inputs ----------------------------------------------------------------------------------

    def _load(self, address: tuple) -> str:
        if address[0] != "input":
            return super()._load(address)
        _, slot, k = address
        if (slot, k) not in self._columns:
            self._read_square(slot, k)
        return self._columns[slot, k]

    def _read_square(self, slot: int, k: int) -> None:
        w, t, b = self.lanes.width, self.lanes.type, self.lanes.bytes
        size = self.sizes[slot]
        if size < w:
            rows = [self._short_row(slot, lane) for lane in range(w)]
            for n, column in enumerate(transposed(self._line, self.lanes, rows)[:size]):
                self._columns[slot, n] = column
            return
        start = min(k - k % w, size - w)
        rows = []
        for lane in range(w):
            pointer = self._row(slot, lane, start)
            rows.append(self._line(f"load {t}, ptr {pointer}, align {b}, !alias.scope !2"))
        for n, column in enumerate(transposed(self._line, self.lanes, rows)):
            self._columns.setdefault((slot, start + n), column)

    def _short_row(self, slot: int, lane: int) -> str:
        """A row of fewer than W numbers, and anything behind them; only its own memory is read."""
        w, size = self.lanes.width, self.sizes[slot]
        mask = ", ".join(f"i1 {int(k < size)}" for k in range(w))
        return self._line(
            f"call {self.lanes.type} @llvm.masked.load.{self.lanes.suffix}.p0(ptr "
            f"{self._row(slot, lane, 0)}, i32 {self.lanes.bytes}, <{w} x i1> <{mask}>, "
            f"{self.lanes.type} poison), !alias.scope !2"
        )

    def _row(self, slot: int, lane: int, k: int) -> str:
        """Pointer to number k of the row of a lane."""
        number = slot - Context.INPUTS if slot < Context.OUTPUTS else slot - Context.OUTPUTS
        e = self.lanes.element
        if slot not in self._bases:
            inputs = slot < Context.OUTPUTS
            rows = Context.INPUT_ROWS if inputs else Context.OUTPUT_ROWS
            base = self._field(rows.at(number))
            stride = str(self.sizes[slot])
            if inputs:
                stride = self._field(Context.INPUT_STRIDES.at(number))
            start = self._line(f"mul i64 %i, {stride}")
            self._bases[slot] = self._line(f"getelementptr {e}, ptr {base}, i64 {start}")
        base = self._bases[slot]
        if lane and slot < Context.OUTPUTS:
            key = -1 - slot * 64 - lane
            if key not in self._bases:
                stride = self._field(Context.INPUT_STRIDES.at(number))
                offset = self._line(f"mul i64 {stride}, {lane}")
                self._bases[key] = self._line(f"getelementptr {e}, ptr {base}, i64 {offset}")
            base = self._bases[key]
        elif lane:
            k += lane * self.sizes[slot]
        return base if k == 0 else self._line(f"getelementptr {e}, ptr {base}, i64 {k}")

    # -- outputs ---------------------------------------------------------------------------------

    def _store(self, address: tuple, value: str) -> None:
        _, slot, k = address
        if self.sizes[slot] >= _MANY:
            self._keep_column(slot, k, value)
        else:
            self._results.setdefault(slot, {})[k] = value
            self._write_squares(slot, k)

    def _write_squares(self, slot: int, k: int) -> None:
        """Store every square of columns that became complete with column k."""
        w, size, results = self.lanes.width, self.sizes[slot], self._results[slot]
        if size < w:
            if len(results) == size:
                self._write_short_rows(slot)
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
                self._put(self.lanes.type, row, self._row(slot, lane, start))

    def _write_short_rows(self, slot: int) -> None:
        """Rows of fewer than W numbers: two overlapping pieces each, a power of two long."""
        w, size, results = self.lanes.width, self.sizes[slot], self._results[slot]
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
                self._put(kind, self._line(text), self._row(slot, lane, start))

    def write(self, block: Block) -> str:
        parts = [super().write(block)]
        for slot, places in self._places.items():
            order = [places[k] for k in range(self.sizes[slot])]
            parts.append(unpacking(self.lanes, f"unpack{slot}", order))
        return "\n\n".join(parts)

    def _keep_column(self, slot: int, k: int, value: str) -> None:
        """Note where the column of number k stands; store it where it is not there yet."""
        kept = self._kept.setdefault(slot, {})
        if value not in kept:
            kept[value] = len(kept)
            place = f"getelementptr {self.lanes.type}, ptr %columns{slot}, i64 {kept[value]}"
            self._put(self.lanes.type, value, self._line(place))
        self._places.setdefault(slot, {})[k] = kept[value]

    def _function(self) -> str:
        self.body = _spread(self._fetches(), self.body)
        for slot, kept in self._kept.items():
            room = f"alloca [{len(kept)} x {self.lanes.type}], align {_LINE}"
            self.head.insert(0, f"%columns{slot} = {room}")
            row = self._row(slot, 0, 0)
            self.body.append(f"call void @unpack{slot}(ptr %columns{slot}, ptr {row})")
        return super()._function()

    def _fetches(self) -> list[list[str]]:
        """Lines of the results that are needed next, where more is written than is read: those
        of the next W rows; where a loop unpacks them, half of these W rows' (the processor foresees
        the rest)."""
        read = sum(size for slot, size in self.sizes.items() if slot < Context.OUTPUTS)
        results = {slot: n for slot, n in self.sizes.items() if slot >= Context.OUTPUTS}
        w, e = self.lanes.width, self.lanes.element
        if sum(results.values()) <= read:
            return []
        fetches = []
        for slot, size in results.items():
            base = self._field(Context.OUTPUT_ROWS.at(slot - Context.OUTPUTS))
            first, last = (0, w * size // 2) if slot in self._kept else (w * size, 2 * w * size)
            for start in range(first, last, _LINE // self.lanes.bytes):
                row, place, pointer = (self._name() for _ in range(3))
                fetches.append([
                    f"{row} = mul i64 %i, {size}",
                    f"{place} = add i64 {row}, {start}",
                    f"{pointer} = getelementptr {e}, ptr {base}, i64 {place}",
                    f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 2, i32 1)",
                ])  # fmt: skip
        return fetches

    def _put(self, kind: str, value: str, pointer: str) -> None:
        self.body.append(
            f"store {kind} {value}, ptr {pointer}, align {self.lanes.bytes}, !noalias !2"
        )


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
