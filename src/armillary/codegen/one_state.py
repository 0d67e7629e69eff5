"""LLVM text of straight-line kernels for one state.

Nearly everything waits for sines and cosines: those of neighbouring inputs are worked out together,
as vectors, before anything else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from armillary.codegen.abi import Arrays, Context, Slot
from armillary.codegen.code import Code
from armillary.codegen.emit import BlockWriter
from armillary.codegen.llvm import multiply_add
from armillary.codegen.target import Lanes
from armillary.graph.expand import Expansion
from armillary.graph.expr import Address, Node, cone
from armillary.graph.function import Block
from armillary.graph.schedule import REGISTERS, straight_order

_WIDTH = 4  # inputs per vector
_FEWEST = 3  # with fewer of them a vector does not pay


def straight_text(lanes: Lanes, block: Block, arrays: Arrays) -> str:
    """`batch(ctx)`: the block for all rows, one or W at a time."""
    name = "straight"
    if lanes.width > 1:
        from armillary.codegen.rows import RowWriter, row_batch

        return f"{RowWriter(lanes, name, arrays).write(block)}\n\n{row_batch(lanes, name)}"
    return f"{StateWriter(lanes, name, arrays).write(block)}\n\n{_state_batch(lanes, name)}"


class StateWriter(BlockWriter):
    """Writes `void name(ptr ctx)`: the first row of the arrays in the context."""

    registers = REGISTERS

    def __init__(self, lanes: Lanes, symbol: str, arrays: Arrays):
        super().__init__(lanes, symbol, arrays=arrays)
        self._wide = Lanes(_WIDTH, lanes.element, lanes.fma)
        self._known: dict[Address, str] = {}  # numbers that are read or made once, by address

    def _function(self) -> str:
        head = f'define void @{self.symbol}(ptr noalias %ctx) "stackrealign" {{'
        return "\n".join([head, "entry:", *self.head, *self.body, "ret void", "}"])

    def _expansion(self, block: Block) -> Expansion:
        sincos = self._angles(block)
        return Expansion(self.lanes.fma, self.lanes.element, sincos, self.arrays.inputs)

    def _angles(self, block: Block) -> Collection[Address]:
        """Angles that are inputs, where they are enough for a vector."""
        nodes = cone(s.node for s in block.stores)
        angles = [n.args[0] for n in nodes if n.op in ("sin", "cos")]
        found = {
            a.data
            for a in angles
            if a.op == "load" and self.arrays.inputs.get(a.data[0], 0) >= _WIDTH
        }
        return found if len(found) >= _FEWEST else ()

    def _order(self, roots: Sequence[Node]) -> list[Node]:
        nodes = cone(roots)
        self.order = straight_order(nodes, single=True)
        order = super()._order(roots)
        for kind in ("sincos", "poison"):  # the second fills gaps of the first
            for node in nodes:
                if node.op == "load" and node.data[0] == kind:
                    self._load(node.data)
        return order

    # -- memory ----------------------------------------------------------------------------------

    def _load(self, address: Address) -> str:
        where, *which = address
        if address not in self._known:
            if where == "sincos":
                self._sincos(*which[:2])
            elif where == "poison":
                self._known[address] = self._poison(*which)
            elif where in self.arrays.inputs:
                self._known[address] = self._load_inputs(self.lanes, *address)
            else:
                return super()._load(address)
        return self._known[address]

    def _load_inputs(self, lanes: Lanes, name: str, k: int) -> str:
        """Number k of an input, or several from there on."""
        return self._read(lanes, self._place(self.arrays.input(name, Context.INPUT_ROWS), k))

    def _place(self, field: Slot, k: int) -> str:
        base = self._field(field)
        return self._line(f"getelementptr {self.lanes.element}, ptr {base}, i64 {k}")

    def _store_output(self, name: str, k: int, value: str) -> None:
        place = self._place(self.arrays.output(name, Context.OUTPUT_ROWS), k)
        self._put(self.lanes.type, value, place)

    # -- vectors of inputs -----------------------------------------------------------------------

    def _start(self, name: str, k: int) -> int:
        """Where the vector with number k begins, the last one overlapping; negative: nowhere."""
        return min(k - k % _WIDTH, self.arrays.inputs[name] - _WIDTH)

    def _sincos(self, name: str, k: int) -> None:
        """Sines and cosines of neighbouring inputs."""
        wide, start = self._wide, self._start(name, k)
        x = self._load_inputs(wide, name, start)
        expansion = Expansion(wide.fma, wide.element)
        angle = expansion.graph.load("angles")
        sine_cosine = expansion.sine_cosine(angle)
        self.lanes, self._values, narrow = wide, {angle.index: x}, (self.lanes, self._values)
        for node in cone(sine_cosine)[1:]:
            self._values[node.index] = self._node(node)
        vectors = [self._values[node.index] for node in sine_cosine]
        self.lanes, self._values = narrow
        for function, vector in zip(("sin", "cos"), vectors, strict=True):
            for lane in range(_WIDTH):
                one = self._line(f"extractelement {wide.type} {vector}, i32 {lane}")
                self._known.setdefault(("sincos", name, start + lane, function), one)

    def _poison(self, inputs: Collection[tuple[str, int]]) -> str:
        """Sum of 0 * input: 0, or not a number where an input is not finite."""
        groups: dict[tuple[Lanes, str, int], None] = {}
        for name, k in inputs:
            start = self._start(name, k)
            whole = start >= 0 and all((name, start + n) in inputs for n in range(_WIDTH))
            groups[(self._wide, name, start) if whole else (self.lanes, name, k)] = None
        totals = {lanes: lanes.constant(0.0) for lanes in (self._wide, self.lanes)}
        for lanes, name, k in groups:
            x, zero = self._load_inputs(lanes, name, k), lanes.constant(0.0)
            totals[lanes] = multiply_add(x, zero, totals[lanes], lanes, self._line)
        total, t = totals[self.lanes], self._wide.type
        for lane in range(_WIDTH):
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
