"""LLVM text of straight-line kernels: the loop over the rows of a batch is around the code.

Inputs and outputs are the user's arrays, one state per row.  With W lanes, squares of W rows and
W columns are transposed in registers; the last square of a row overlaps the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from armillary.compiler.code import Code
from armillary.compiler.context import Context
from armillary.compiler.emit import BlockWriter
from armillary.compiler.target import Lanes


class RowWriter(BlockWriter):
    """Writes `void name(ptr ctx, i64 first, i64 last)`: rows first..last-1, W at a time.

    sizes: numbers per row of every input and output, by field of the context."""

    def __init__(self, lanes: Lanes, symbol: str, sizes: Mapping[int, int]):
        super().__init__(lanes, symbol)
        self.step = lanes.width
        self.sizes = sizes
        self._columns: dict[tuple[int, int], str] = {}
        self._results: dict[int, dict[int, str]] = {}
        self._bases: dict[int, str] = {}

    # -- inputs ----------------------------------------------------------------------------------

    def _load(self, address: tuple) -> str:
        if address[0] != "input":
            return super()._load(address)
        _, slot, k = address
        if (slot, k) not in self._columns:
            self._read_square(slot, k)
        return self._columns[slot, k]

    def _read_square(self, slot: int, k: int) -> None:
        w, t, e, b = self.lanes.width, self.lanes.type, self.lanes.element, self.lanes.bytes
        if w == 1:
            pointer = self._row(slot, 0, k)
            text = f"load {t}, ptr {pointer}, align {b}, !alias.scope !2"
            self._columns[slot, k] = self._line(text)
            return
        size = self.sizes[slot]
        if size < w:
            column = "poison"
            for lane in range(w):
                pointer = self._row(slot, lane, k)
                x = self._line(f"load {e}, ptr {pointer}, align {b}, !alias.scope !2")
                column = self._line(f"insertelement {t} {column}, {e} {x}, i32 {lane}")
            self._columns[slot, k] = column
            return
        start = min(k - k % w, size - w)
        rows = []
        for lane in range(w):
            pointer = self._row(slot, lane, start)
            rows.append(self._line(f"load {t}, ptr {pointer}, align {b}, !alias.scope !2"))
        for n, column in enumerate(transposed(self._line, self.lanes, rows)):
            self._columns.setdefault((slot, start + n), column)

    def _row(self, slot: int, lane: int, k: int) -> str:
        """Pointer to number k of the row of a lane."""
        number = slot - Context.INPUTS if slot < Context.OUTPUTS else slot - Context.OUTPUTS
        e = self.lanes.element
        if slot not in self._bases:
            if slot < Context.OUTPUTS:
                base = self._pointer(Context.INPUT_ROWS + number)
                stride = self._field(Context.INPUT_STRIDES + number)
            else:
                base, stride = self._pointer(Context.OUTPUT_ROWS + number), str(self.sizes[slot])
            start = self._line(f"mul i64 %i, {stride}")
            self._bases[slot] = self._line(f"getelementptr {e}, ptr {base}, i64 {start}")
        base = self._bases[slot]
        if lane and slot < Context.OUTPUTS:
            key = -1 - slot * 64 - lane
            if key not in self._bases:
                stride = self._field(Context.INPUT_STRIDES + number)
                offset = self._line(f"mul i64 {stride}, {lane}")
                self._bases[key] = self._line(f"getelementptr {e}, ptr {base}, i64 {offset}")
            base = self._bases[key]
        elif lane:
            k += lane * self.sizes[slot]
        return base if k == 0 else self._line(f"getelementptr {e}, ptr {base}, i64 {k}")

    # -- outputs ---------------------------------------------------------------------------------

    def _store(self, address: tuple, value: str) -> None:
        _, slot, k = address
        if self.lanes.width == 1:
            self._put(self.lanes.type, value, self._row(slot, 0, k))
            return
        results = self._results.setdefault(slot, {})
        results[k] = value
        self._write_squares(slot, k)

    def _write_squares(self, slot: int, k: int) -> None:
        """Store every square of columns that became complete with column k."""
        w, size, results = self.lanes.width, self.sizes[slot], self._results[slot]
        if size < w:
            for lane in range(w):
                text = f"extractelement {self.lanes.type} {results[k]}, i32 {lane}"
                self._put(self.lanes.element, self._line(text), self._row(slot, lane, k))
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

    def _put(self, kind: str, value: str, pointer: str) -> None:
        self.body.append(
            f"store {kind} {value}, ptr {pointer}, align {self.lanes.bytes}, !noalias !2"
        )


def transposed(line: Callable[[str], str], lanes: Lanes, vectors: list[str]) -> list[str]:
    """W vectors as the rows of a square matrix, transposed by exchanging blocks of 1, 2, 4, ..."""
    w, t = lanes.width, lanes.type
    vectors = list(vectors)
    s = 1
    while s < w:
        low = [k if not k & s else w + k - s for k in range(w)]
        high = [k + s if not k & s else w + k for k in range(w)]
        for i in range(w):
            if i & s:
                continue
            a, b = vectors[i], vectors[i + s]
            vectors[i], vectors[i + s] = (
                line(f"shufflevector {t} {a}, {t} {b}, <{w} x i32> {_mask(mask)}")
                for mask in (low, high)
            )
        s *= 2
    return vectors


def _mask(indices: list[int]) -> str:
    return "<" + ", ".join(f"i32 {k}" for k in indices) + ">"


def row_batch(lanes: Lanes, symbol: str) -> str:
    """`batch(ctx)`: all rows; the last block of W rows overlaps the one before."""
    c = Code("batch")
    rows, w = c.field(Context.ROWS), lanes.width
    whole = c.let(f"and i64 {rows}, {-w}")
    c.do(f"call void @{symbol}(ptr %ctx, i64 0, i64 {whole})")
    with c.when(c.let(f"icmp ne i64 {whole}, {rows}")):
        c.do(f"call void @{symbol}(ptr %ctx, i64 {c.sub(rows, w)}, i64 {rows})")
    return c.text()
