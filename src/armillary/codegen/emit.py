"""LLVM text of blocks: a loop over the bodies of a run, W states at a time."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.codegen.abi import PLACES, Arrays, Context, Ints, Slot
from armillary.codegen.llvm import operation, splat, table_entry, table_text
from armillary.codegen.target import IN_ORDER, Lanes
from armillary.graph.expand import Expansion
from armillary.graph.expr import Address, Node, cone
from armillary.graph.function import Block
from armillary.graph.schedule import LOOP_REGISTERS, Order, by_height

_NONE = Arrays()


class BlockWriter:
    """Writes `void name(ptr ctx, i64 first, i64 last)`: the block for bodies first..last-1.

    order: how its operations are ordered; see schedule.py.  arrays: those whose numbers the block
    reads and writes by name, (name, k); other addresses: see abi.py."""

    registers = LOOP_REGISTERS
    row_size: int = Ints.SIZE  # integers per body
    int_bits: int = 64

    def __init__(
        self,
        lanes: Lanes,
        symbol: str,
        backward: bool = False,
        order: Order = "any",
        arrays: Arrays = _NONE,
    ):
        self.lanes, self.symbol, self.backward, self.order = lanes, symbol, backward, order
        self.arrays = arrays
        self.step = 1
        self.head: list[str] = []  # once, before the loop
        self.body: list[str] = []  # for each body
        self._count = 0
        self._pointers: dict[str, str] = {}
        self._offsets: dict[str, str] = {}
        self._values: dict[int, str] = {}
        self._tables: dict[str, str] = {}  # constants that are read by their place

    def write(self, block: Block) -> str:
        expansion = self._expansion(block)
        roots = expansion.expand([s.node for s in block.stores])
        stores: dict[int, list[Address]] = {}
        for store, root in zip(block.stores, roots, strict=True):
            stores.setdefault(root.index, []).append(store.address)
        # a value that climbs is replaced in place: read all of it before writing
        late = any(s.address[0] == "state" for s in block.stores)
        for node in self._order(roots):
            self._values[node.index] = self._node(node)
            for address in () if late else stores.get(node.index, ()):
                self._store(address, self._values[node.index])
        if late:
            for store, root in zip(block.stores, roots, strict=True):
                self._store(store.address, self._values[root.index])
        return "\n".join([*self._tables.values(), self._function()])

    def _expansion(self, block: Block) -> Expansion:
        return Expansion(self.lanes.fma, self.lanes.element)

    def _order(self, roots: Sequence[Node]) -> list[Node]:
        """All nodes, arguments first: by heights, or as they were traced."""
        if self.order != "any":
            self.body.append(IN_ORDER)
        if self.order == "height":
            return by_height(cone(roots), roots, self.registers)
        if self.order == "row":
            return cone(roots)
        seen: set[int] = set()
        order: list[Node] = []
        for root in roots:
            missing: dict[int, Node] = {}
            stack = [root]
            while stack:
                node = stack.pop()
                if node.index not in seen:
                    seen.add(node.index)
                    missing[node.index] = node
                    stack.extend(node.args)
            order += [missing[k] for k in sorted(missing)]
        return order

    def _function(self) -> str:
        first, last, step = "%first", "%last", str(self.step)
        if self.backward:
            first, last, step = "%last1", "%first1", "-1"
            self.head += ["%last1 = sub i64 %last, 1", "%first1 = sub i64 %first, 1"]
        lines = [
            # an aligned stack keeps spilled vectors within cache lines
            f"define void @{self.symbol}(ptr noalias %ctx, i64 %first, i64 %last) "
            '"stackrealign" {',
            "entry:",
            *self.head,
            f"%empty = icmp eq i64 {first}, {last}",
            "br i1 %empty, label %done, label %loop",
            "loop:",
            f"%i = phi i64 [ {first}, %entry ], [ %next, %loop ]",
            *self.body,
            f"%next = add i64 %i, {step}",
            f"%stop = icmp eq i64 %next, {last}",
            "br i1 %stop, label %done, label %loop",
            "done:",
            "ret void",
            "}",
        ]
        return "\n".join(lines)

    # -- values --------------------------------------------------------------------------------

    def _name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _line(self, text: str) -> str:
        name = self._name()
        self.body.append(f"{name} = {text}")
        return name

    def _node(self, node: Node) -> str:
        if node.op == "const":
            return self.lanes.constant(node.data[1])
        if node.op == "load":
            return self._load(node.data)
        operands = [self._values[a.index] for a in node.args]
        if node.op == "lookup":
            table, column = node.data
            symbol, text = table_text(table, self.lanes)
            self._tables[symbol] = text
            return table_entry(symbol, table, column, operands[0], self.lanes, self._line)
        return operation(node.op, operands, self.lanes, self._line)

    # -- memory --------------------------------------------------------------------------------

    def _load(self, address: Address) -> str:
        if address[0] in self.arrays.inputs:
            return self._load_input(*address)
        place = PLACES[address[0]]
        kind = self.lanes.element if place.shared else self.lanes.type
        scope = ", !alias.scope !2" if place.good == "always" else ""
        pointer = self._address(address)
        value = self._line(f"load {kind}, ptr {pointer}, align {self.lanes.bytes}{scope}")
        return splat(value, self.lanes, self._line) if place.shared else value

    def _load_input(self, name: str, k: int) -> str:
        pointer = self._at(self.arrays.input(name, Context.INPUTS), "", k, self.lanes.width)
        return self._read(self.lanes, pointer)

    def _read(self, lanes: Lanes, pointer: str) -> str:
        """Numbers that no block writes."""
        return self._line(f"load {lanes.type}, ptr {pointer}, align {lanes.bytes}, !alias.scope !2")

    def _store(self, address: Address, value: str) -> None:
        if address[0] in self.arrays.outputs:
            name, k = address
            self._store_output(name, k, value)
        else:
            self._put(self.lanes.type, value, self._address(address))

    def _store_output(self, name: str, k: int, value: str) -> None:
        pointer = self._at(self.arrays.output(name, Context.OUTPUTS), "", k, self.lanes.width)
        self._put(self.lanes.type, value, pointer)

    def _put(self, kind: str, value: str, pointer: str) -> None:
        self.body.append(
            f"store {kind} {value}, ptr {pointer}, align {self.lanes.bytes}, !noalias !2"
        )

    def _address(self, address: Address) -> str:
        where, *which = address
        place, width = PLACES[where], self.lanes.width
        if place.field is not None:
            offset = "" if place.column is None else self._int(place.column)
            return self._at(place.field, offset, which[0], 1 if place.shared else width)
        array, *rest = which
        if where in ("cell", "mirror", "wide"):
            return self._at(array, self._matrix(where, rest), 0, width)
        size = rest[1] if len(rest) > 1 else 1
        offset = "" if place.column is None else self._scaled(place.column, size)
        return self._at(array, offset, rest[0], width)

    def _matrix(self, where: str, rest: list[int]) -> str:
        """Index of an entry of a matrix."""
        v = self._int(Ints.V)
        if where == "wide":
            start = self._line(f"mul i64 {self._field(Context.NV)}, {rest[0]}")
            entry = self._line(f"add i64 {v}, {rest[1]}")
            return self._line(f"add i64 {start}, {entry}")
        column = self._field(Context.COLUMN)
        entry = self._line(f"add i64 {v}, {rest[0]}")
        row, col = (entry, column) if where == "cell" else (column, entry)
        start = self._line(f"mul i64 {row}, {self._field(Context.WIDTH)}")
        return self._line(f"add i64 {start}, {col}")

    def _at(self, slot: int, offset: str, k: int, width: int) -> str:
        """Pointer to number offset + k of the array whose pointer stands in the context."""
        base, e = self._pointer(slot), self.lanes.element
        key = f"{base}+{offset}*{width}"
        if key not in self._offsets:
            start = base
            if offset:
                scaled = offset if width == 1 else self._line(f"mul i64 {offset}, {width}")
                start = self._line(f"getelementptr {e}, ptr {base}, i64 {scaled}")
            self._offsets[key] = start
        if k == 0:
            return self._offsets[key]
        return self._line(f"getelementptr {e}, ptr {self._offsets[key]}, i64 {k * width}")

    def _pointer(self, slot: int) -> str:
        return self._field(Slot(slot, "ptr"))

    def _field(self, slot: Slot) -> str:
        """A field of the context, read once before the loop."""
        kind, key = slot.kind, f"{slot.kind}{slot}"
        if key not in self._pointers:
            name = f"%c{slot}{kind}"
            self.head.append(f"{name}p = getelementptr i64, ptr %ctx, i64 {slot}")
            self.head.append(f"{name} = load {kind}, ptr {name}p, align 8")
            self._pointers[key] = name
        return self._pointers[key]

    def _int(self, column: int) -> str:
        """An integer of the body: offsets into records, inputs and constants."""
        key = f"int{column}"
        if key not in self._offsets:
            table = self._pointer(Context.INTS)
            row = self._line(f"mul i64 %i, {self.row_size}")
            place = self._line(f"add i64 {row}, {column}")
            kind = f"i{self.int_bits}"
            pointer = self._line(f"getelementptr {kind}, ptr {table}, i64 {place}")
            found = self._line(f"load {kind}, ptr {pointer}, align {self.int_bits // 8}")
            wide = self.int_bits == 64
            self._offsets[key] = found if wide else self._line(f"sext {kind} {found} to i64")
        return self._offsets[key]

    def _scaled(self, column: int, size: int) -> str:
        if size == 1:
            return self._int(column)
        key = f"int{column}x{size}"
        if key not in self._offsets:
            self._offsets[key] = self._line(f"mul i64 {self._int(column)}, {size}")
        return self._offsets[key]
