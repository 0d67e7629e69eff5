"""LLVM text of straight-line kernels: the loop over the rows of a batch is around the code.

Inputs and outputs are the user's arrays, one state per row.  With W lanes, squares of W rows and
W columns are transposed in registers; the last square of a row overlaps the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from armillary.compiler.blocks import Block
from armillary.compiler.code import Code
from armillary.compiler.context import Context
from armillary.compiler.emit import BlockWriter
from armillary.compiler.expand import Expansion, input_of
from armillary.compiler.expr import Node, cone
from armillary.compiler.schedule import straight_order
from armillary.compiler.target import Lanes

_TURNS = 4  # angles per vector when there is one state
_FEWEST_TURNS = 3  # with fewer of them a vector does not pay


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
        self._turns: dict[tuple[int, int, str], str] = {}

    def _order(self, roots: Sequence[Node]) -> list[Node]:
        self.order = straight_order(cone(roots), self.lanes.width == 1)
        return super()._order(roots)

    # -- inputs ----------------------------------------------------------------------------------

    def _load(self, address: tuple) -> str:
        if address[0] == "turn":
            _, slot, k, function = address
            if (slot, k, function) not in self._turns:
                self._turn(slot, k)
            return self._turns[slot, k, function]
        if address[0] != "input":
            return super()._load(address)
        _, slot, k = address
        if (slot, k) not in self._columns:
            self._read_square(slot, k)
        return self._columns[slot, k]

    def _read_square(self, slot: int, k: int) -> None:
        w, t, b = self.lanes.width, self.lanes.type, self.lanes.bytes
        if w == 1:
            pointer = self._row(slot, 0, k)
            text = f"load {t}, ptr {pointer}, align {b}, !alias.scope !2"
            self._columns[slot, k] = self._line(text)
            return
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

    def _turned(self, block: Block) -> Collection[tuple[int, int]]:
        """Of one state: angles that are inputs, where they are enough for a vector."""
        if self.lanes.width > 1:
            return ()
        nodes = cone(s.node for s in block.stores)
        angles = {input_of(n.args[0]) for n in nodes if n.op in ("sin", "cos")} - {None}
        found = {a for a in angles if a is not None and self.sizes[a[0]] >= _TURNS}
        return found if len(found) >= _FEWEST_TURNS else ()

    def _turn(self, slot: int, k: int) -> None:
        """Sines and cosines of neighbouring inputs, as one vector."""
        wide = Lanes(_TURNS, self.lanes.element, self.lanes.fma)
        start = min(k - k % _TURNS, self.sizes[slot] - _TURNS)
        place = self._row(slot, 0, start)
        x = self._line(f"load {wide.type}, ptr {place}, align {wide.bytes}, !alias.scope !2")
        expansion = Expansion(wide.fma, wide.element)
        angle = expansion.graph.load("angles")
        sine_cosine = expansion.sine_cosine(angle)
        self.lanes, self._values, narrow = wide, {angle.index: x}, (self.lanes, self._values)
        for node in cone(sine_cosine)[1:]:
            self._values[node.index] = self._node(node)
        vectors = [self._values[node.index] for node in sine_cosine]
        self.lanes, self._values = narrow
        for function, vector in zip(("sin", "cos"), vectors, strict=True):
            for lane in range(_TURNS):
                one = self._line(f"extractelement {wide.type} {vector}, i32 {lane}")
                self._turns.setdefault((slot, start + lane, function), one)

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
                    mask = _mask([start + k for k in range(piece)])
                    t = self.lanes.type
                    text = f"shufflevector {t} {row}, {t} poison, <{piece} x i32> {mask}"
                self._put(kind, self._line(text), self._row(slot, lane, start))

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
