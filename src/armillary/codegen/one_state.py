"""LLVM text of straight-line kernels for one state.

Nearly everything waits for sines and cosines: those of neighbouring inputs are worked out together,
as vectors, before anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from armillary.codegen.abi import Context
from armillary.codegen.code import Code
from armillary.codegen.emit import BlockWriter
from armillary.codegen.rows import RowWriter, row_batch
from armillary.codegen.struct import Slot
from armillary.codegen.target import Lanes
from armillary.graph.cut import Block
from armillary.graph.expand import Expansion, input_of
from armillary.graph.expr import Node, cone
from armillary.graph.schedule import REGISTERS, straight_order

_TURNS = 4  # angles per vector
_FEWEST_TURNS = 3  # with fewer of them a vector does not pay


def straight_text(lanes: Lanes, block: Block, sizes: Mapping[int, int]) -> str:
    """`batch(ctx)`: the block for all rows, one or W at a time."""
    name = "straight"
    if lanes.width > 1:
        return f"{RowWriter(lanes, name, sizes).write(block)}\n\n{row_batch(lanes, name)}"
    return f"{StateWriter(lanes, name, sizes).write(block)}\n\n{_state_batch(lanes, name)}"


class StateWriter(BlockWriter):
    """Writes `void name(ptr ctx)`: the first row of the arrays in the context.

    sizes: numbers per row of every input and output, by field of the context."""

    registers = REGISTERS

    def __init__(self, lanes: Lanes, symbol: str, sizes: Mapping[int, int]):
        super().__init__(lanes, symbol)
        self.sizes = sizes
        self._wide = Lanes(_TURNS, lanes.element, lanes.fma)
        self._known: dict[tuple, str] = {}  # numbers that are read or made once, by address

    def _function(self) -> str:
        head = f'define void @{self.symbol}(ptr noalias %ctx) "stackrealign" {{'
        return "\n".join([head, "entry:", *self.head, *self.body, "ret void", "}"])

    def _expansion(self, block: Block) -> Expansion:
        turned = self._turned(block)
        return Expansion(self.lanes.fma, self.lanes.element, turned, nothing=True)

    def _turned(self, block: Block) -> Collection[tuple[int, int]]:
        """Angles that are inputs, where they are enough for a vector."""
        nodes = cone(s.node for s in block.stores)
        angles = {input_of(n.args[0]) for n in nodes if n.op in ("sin", "cos")} - {None}
        found = {a for a in angles if a is not None and self.sizes[a[0]] >= _TURNS}
        return found if len(found) >= _FEWEST_TURNS else ()

    def _order(self, roots: Sequence[Node]) -> list[Node]:
        nodes = cone(roots)
        self.order = straight_order(nodes, single=True)
        order = super()._order(roots)
        for kind in ("turn", "nothing"):  # the second fills gaps of the first
            for node in nodes:
                if node.op == "load" and node.data[0] == kind:
                    self._load(node.data)
        return order

    # -- memory ----------------------------------------------------------------------------------

    def _load(self, address: tuple) -> str:
        where, *which = address
        if where not in ("turn", "nothing", "input"):
            return super()._load(address)
        if address not in self._known:
            if where == "turn":
                self._turn(*which[:2])
            elif where == "nothing":
                self._known[address] = self._nothing(*which)
            else:
                self._known[address] = self._read(self.lanes, *which)
        return self._known[address]

    def _read(self, lanes: Lanes, slot: int, k: int) -> str:
        """Number k of an input, or several from there on."""
        place = self._place(Context.INPUT_ROWS.at(slot - Context.INPUTS), k)
        return self._line(f"load {lanes.type}, ptr {place}, align {lanes.bytes}, !alias.scope !2")

    def _place(self, field: Slot, k: int) -> str:
        base = self._field(field)
        return self._line(f"getelementptr {self.lanes.element}, ptr {base}, i64 {k}")

    def _store(self, address: tuple, value: str) -> None:
        _, slot, k = address
        place = self._place(Context.OUTPUT_ROWS.at(slot - Context.OUTPUTS), k)
        t, b = self.lanes.type, self.lanes.bytes
        self.body.append(f"store {t} {value}, ptr {place}, align {b}, !noalias !2")

    # -- vectors of inputs -----------------------------------------------------------------------

    def _start(self, slot: int, k: int) -> int:
        """Where the vector with number k begins, the last one overlapping; negative: nowhere."""
        return min(k - k % _TURNS, self.sizes[slot] - _TURNS)

    def _turn(self, slot: int, k: int) -> None:
        """Sines and cosines of neighbouring inputs."""
        wide, start = self._wide, self._start(slot, k)
        x = self._read(wide, slot, start)
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
                self._known.setdefault(("turn", slot, start + lane, function), one)

    def _nothing(self, inputs: Collection[tuple[int, int]]) -> str:
        """Sum of 0 * input: 0, or not a number where an input is not finite."""
        groups: dict[tuple[Lanes, int, int], None] = {}
        for slot, k in inputs:
            start = self._start(slot, k)
            whole = start >= 0 and all((slot, start + n) in inputs for n in range(_TURNS))
            groups[(self._wide, slot, start) if whole else (self.lanes, slot, k)] = None
        totals = {lanes: lanes.constant(0.0) for lanes in (self._wide, self.lanes)}
        for lanes, slot, k in groups:
            x, t, zero = self._read(lanes, slot, k), lanes.type, lanes.constant(0.0)
            before = totals[lanes]
            if lanes.fma:
                text = f"call {t} @llvm.fma.{lanes.suffix}({t} {x}, {t} {zero}, {t} {before})"
            else:
                text = f"fadd {t} {before}, {self._line(f'fmul {t} {x}, {zero}')}"
            totals[lanes] = self._line(text)
        total, t = totals[self.lanes], self._wide.type
        for lane in range(_TURNS):
            part = self._line(f"extractelement {t} {totals[self._wide]}, i32 {lane}")
            total = self._line(f"fadd {self.lanes.type} {total}, {part}")
        return total


def _state_batch(lanes: Lanes, symbol: str) -> str:
    """`batch(ctx)`: all rows, one after the other."""
    c = Code("batch")
    rows = c.field(Context.ROWS)
    with c.when(c.let(f"icmp sgt i64 {rows}, 0")):
        c.do(f"call void @{symbol}(ptr %ctx)")
    with c.when(c.let(f"icmp sgt i64 {rows}, 1")):
        with c.loop(rows, 1):
            _move_on(c, lanes, "1")
            c.do(f"call void @{symbol}(ptr %ctx)")
        _move_on(c, lanes, c.sub("1", rows))
    return c.text()


def _move_on(c: Code, lanes: Lanes, rows: str) -> None:
    """The arrays in the context start so many rows later."""
    for count, arrays, strides in (
        (Context.INPUT_COUNT, Context.INPUT_ROWS, Context.INPUT_STRIDES),
        (Context.OUTPUT_COUNT, Context.OUTPUT_ROWS, Context.OUTPUT_SIZES),
    ):
        with c.loop(c.field(count)) as k:
            place, numbers = c.entry(arrays, k), c.mul(c.field(c.entry(strides, k)), rows)
            c.set_field(place, c.pointer(c.field(place), numbers, lanes.element))
