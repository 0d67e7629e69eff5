"""LLVM text of blocks: a loop over the bodies of a run, W states at a time.

Addresses (first word: where; the rest: which number)
  const k         the body's constants                      same for all states
  global k        gravity, base motion                      same for all states
  frame k         placement of the asked frame              same for all states
  own k           the body's record in the work space       per state
  parent k [pass] the parent's record                       per state
  sum k [pass]    what the body's children added up         per state
  parent_sum      what is added up for the parent           per state
  state k         the value that climbs along a path        per state
  q, dof, body    inputs and outputs: (where, array, k[, row size])
  cell            (cell, array, k): matrix[v + k, column];  mirror: matrix[column, v + k]
  wide            (wide, array, row, k): matrix[row, v + k]
  whole, input    (whole, array, k): the k-th number of an output or input array
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.codegen.abi import Context, Ints
from armillary.codegen.target import IN_ORDER, Lanes
from armillary.errors import CompileError
from armillary.graph.cut import Block
from armillary.graph.expand import Expansion
from armillary.graph.expr import Node, cone
from armillary.graph.ops import OPS
from armillary.graph.schedule import LOOP_REGISTERS, Order, by_height

_LIBRARY = {"exp": 1, "tanh": 1, "atan2": 2}
_SHARED = ("const", "global", "frame")
# places that no block writes: loads from them may move across stores
_READ_ONLY = (*_SHARED, "q", "dof", "body", "input")
# metadata: one scope for everything that is only read
SCOPES = """!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}"""


class BlockWriter:
    """Writes `void name(ptr ctx, i64 first, i64 last)`: the block for bodies first..last-1.

    order: how its operations are ordered; see schedule.py."""

    registers = LOOP_REGISTERS

    def __init__(self, lanes: Lanes, symbol: str, backward: bool = False, order: Order = "any"):
        self.lanes, self.symbol, self.backward, self.order = lanes, symbol, backward, order
        self.step = 1
        self.head: list[str] = []  # once, before the loop
        self.body: list[str] = []  # for each body
        self._count = 0
        self._pointers: dict[str, str] = {}
        self._offsets: dict[str, str] = {}
        self._values: dict[int, str] = {}

    def write(self, block: Block) -> str:
        expansion = self._expansion(block)
        roots = expansion.expand([s.node for s in block.stores])
        stores: dict[int, list[tuple]] = {}
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
        return self._function()

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
        if node.op in _LIBRARY:
            return self._library_call(node.op, operands)
        if node.op in ("quadrant_sin", "quadrant_cos"):
            return self._quadrant(node.op, operands)
        names = dict(zip("abc", operands, strict=False))
        text = OPS[node.op].llvm.format(
            t=self.lanes.type, s=self.lanes.suffix, m=self.lanes.mask, **names
        )
        return self._line(text)

    def _quadrant(self, op: str, operands: Sequence[str]) -> str:
        """Sine or cosine of an angle in quadrant k: exchange where k is odd, change the sign
        where k (for the cosine k + 1) has bit 1.  k stands in the lowest bits of the first."""
        bits, sine, cosine = operands
        t, n, sign = self.lanes.type, self.lanes.integer, self.lanes.bytes * 8 - 1
        k = self._line(f"bitcast {t} {bits} to {n}")
        odd = self._line(f"shl {n} {k}, {self.lanes.integers(sign)}")
        swap = self._line(f"icmp slt {n} {odd}, {self.lanes.integers(0)}")
        first, second = (cosine, sine) if op == "quadrant_sin" else (sine, cosine)
        value = self._line(f"select {self.lanes.mask} {swap}, {t} {first}, {t} {second}")
        if op == "quadrant_cos":
            k = self._line(f"add {n} {k}, {self.lanes.integers(1)}")
        second_bit = self._line(f"lshr {n} {k}, {self.lanes.integers(1)}")
        flip = self._line(f"shl {n} {second_bit}, {self.lanes.integers(sign)}")
        raw = self._line(f"bitcast {t} {value} to {n}")
        return self._line(f"bitcast {n} {self._line(f'xor {n} {raw}, {flip}')} to {t}")

    def _library_call(self, op: str, operands: Sequence[str]) -> str:
        """A function of the C library, one lane after the other."""
        e, t = self.lanes.element, self.lanes.type
        f = f"@{op}{'f' if e == 'float' else ''}"
        if self.lanes.width == 1:
            return self._line(f"call {e} {f}({', '.join(f'{e} {x}' for x in operands)})")
        total = "poison"
        for lane in range(self.lanes.width):
            args = [self._line(f"extractelement {t} {x}, i32 {lane}") for x in operands]
            y = self._line(f"call {e} {f}({', '.join(f'{e} {x}' for x in args)})")
            total = self._line(f"insertelement {t} {total}, {e} {y}, i32 {lane}")
        return total

    # -- memory --------------------------------------------------------------------------------

    def _load(self, address: tuple) -> str:
        shared = address[0] in _SHARED
        kind = self.lanes.element if shared else self.lanes.type
        scope = ", !alias.scope !2" if address[0] in _READ_ONLY else ""
        pointer = self._address(address)
        value = self._line(f"load {kind}, ptr {pointer}, align {self.lanes.bytes}{scope}")
        return self._splat(value) if shared else value

    def _store(self, address: tuple, value: str) -> None:
        pointer = self._address(address)
        self.body.append(
            f"store {self.lanes.type} {value}, ptr {pointer}, align {self.lanes.bytes}, !noalias !2"
        )

    def _splat(self, value: str) -> str:
        if self.lanes.width == 1:
            return value
        t, e, w = self.lanes.type, self.lanes.element, self.lanes.width
        one = self._line(f"insertelement {t} poison, {e} {value}, i32 0")
        return self._line(f"shufflevector {t} {one}, {t} poison, <{w} x i32> zeroinitializer")

    def _address(self, address: tuple) -> str:
        where, *which = address
        w = self.lanes.width
        if where == "const":
            return self._at(Context.CONSTS, self._int(Ints.CONSTS), which[0], 1)
        if where == "global":
            return self._at(Context.GLOBALS, "", which[0], 1)
        if where == "frame":
            return self._at(Context.FRAME, "", which[0], 1)
        if where == "own":
            return self._at(Context.WORK, self._int(Ints.WORK), which[0], w)
        if where == "parent":
            return self._at(Context.WORK, self._int(Ints.PARENT_WORK), which[0], w)
        if where in ("sum", "parent_sum"):
            column = Ints.SUM if where == "sum" else Ints.PARENT_SUM
            return self._at(Context.WORK, self._int(column), which[0], w)
        if where == "state":
            return self._at(Context.STATE, "", which[0], w)
        array, *rest = which
        if where == "q":
            return self._at(array, self._int(Ints.Q), rest[0], w)
        if where == "dof":
            size = rest[1] if len(rest) > 1 else 1
            return self._at(array, self._scaled(Ints.V, size), rest[0], w)
        if where == "body":
            return self._at(array, self._scaled(Ints.NUMBER, rest[1]), rest[0], w)
        if where in ("whole", "input"):
            return self._at(array, "", rest[0], w)
        if where in ("cell", "mirror", "wide"):
            return self._at(array, self._matrix(where, rest), 0, w)
        raise CompileError(f"unknown address {address}")

    def _matrix(self, where: str, rest: list) -> str:
        """Index of an entry of a matrix."""
        v = self._int(Ints.V)
        if where == "wide":
            row, k = rest
            start = self._line(f"mul i64 {self._field(Context.NV)}, {row}")
            entry = self._line(f"add i64 {v}, {k}")
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
        return self._field(slot, "ptr")

    def _field(self, slot: int, kind: str = "i64") -> str:
        """A field of the context, read once before the loop."""
        key = f"{kind}{slot}"
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
            row = self._line(f"mul i64 %i, {Ints.SIZE}")
            place = self._line(f"add i64 {row}, {column}")
            pointer = self._line(f"getelementptr i64, ptr {table}, i64 {place}")
            self._offsets[key] = self._line(f"load i64, ptr {pointer}, align 8")
        return self._offsets[key]

    def _scaled(self, column: int, size: int) -> str:
        if size == 1:
            return self._int(column)
        key = f"int{column}x{size}"
        if key not in self._offsets:
            self._offsets[key] = self._line(f"mul i64 {self._int(column)}, {size}")
        return self._offsets[key]
