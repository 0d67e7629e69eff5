"""Graphs as a WebAssembly module: bytes that every browser runs, written without any tool.

A function reads its inputs from the module's memory and writes its results there; all addresses
are bytes, all numbers doubles.  Only plain arithmetic of IEEE 754 is used, sines included, so every
engine gives the same bits; exp, tanh and atan2 are the engine's own (Math of the page).
[WebAssembly Core Specification 1.0, sections 2, 3 and 5]
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from armillary.errors import CompileError
from armillary.graph.expand import Expansion
from armillary.graph.expr import Node, cone

PAGE = 65536  # bytes
I32, I64, F64 = 0x7F, 0x7E, 0x7C  # types
CALLED = ("exp", "tanh", "atan2")  # imported, in this order where they are used
_MATHS = {"exp": 1, "tanh": 1, "atan2": 2}
_PLAIN = {
    "add": 0xA0, "sub": 0xA1, "mul": 0xA2, "div": 0xA3, "sqrt": 0x9F, "abs": 0x99, "neg": 0x9A,
    "lt": 0x63, "le": 0x65, "eq": 0x61, "select": 0x1B,
}  # fmt: skip
_MASKS = ("lt", "le", "eq")
_QUADRANTS = {"quadrant_sin": 0, "quadrant_cos": 1}
_KNOWN = {"const", *_PLAIN, *_QUADRANTS, *_MATHS}
_GET, _SET, _END, _CALL, _LOAD, _STORE, _CONST = 0x20, 0x21, 0x0B, 0x10, 0x2B, 0x39, 0x44
_I64_CONST, _I64_AND, _I64_ADD, _I64_XOR, _I64_SHL = 0x42, 0x83, 0x7C, 0x85, 0x86
_WRAP, _TO_I64, _TO_F64 = 0xA7, 0xBD, 0xBF  # i64 -> i32; the bits of a double, and back
_DEEPEST = 100  # operands on the stack before a value goes into a local


@dataclass(frozen=True)
class Kernel:
    """A function to write: results out of named inputs; loads of the roots are (input, number)."""

    name: str
    inputs: Mapping[str, int]  # sizes by name, in the order of the arguments
    roots: Sequence[Node]


def module(kernels: Sequence[Kernel], memory: int) -> bytes:
    """A module that exports `memory` (so many bytes or more) and a function for every kernel:
    name(address of each input..., address of the results)."""
    expanded = [_expanded(kernel) for kernel in kernels]
    used = {node.op for roots in expanded for node in cone(roots)}
    called = [op for op in CALLED if op in used]
    types = [_type([F64] * _MATHS[op], [F64]) for op in called]
    types += [_type([I32] * (len(kernel.inputs) + 1), []) for kernel in kernels]
    imports = [_name("Math") + _name(op) + b"\x00" + uint(k) for k, op in enumerate(called)]
    functions = [uint(len(called) + k) for k in range(len(kernels))]
    exports = [_name("memory") + b"\x02\x00"]
    exports += [_name(x.name) + b"\x00" + uint(len(called) + k) for k, x in enumerate(kernels)]
    bodies = [_body(kernel, roots, called) for kernel, roots in zip(kernels, expanded, strict=True)]
    pages = uint(-(-max(memory, 1) // PAGE))
    sections = (
        (1, _vector(types)),
        (2, _vector(imports)),
        (3, _vector(functions)),
        (5, _vector([b"\x01" + pages + pages])),  # never grows: the page keeps views of it
        (7, _vector(exports)),
        (10, _vector([uint(len(body)) + body for body in bodies])),
    )
    head = b"\x00asm" + struct.pack("<I", 1)
    return head + b"".join(bytes([k]) + uint(len(part)) + part for k, part in sections)


def _expanded(kernel: Kernel) -> list[Node]:
    roots = Expansion(fma=False, called=CALLED).expand(list(kernel.roots))
    for node in cone(roots):
        if node.op == "load":
            name, k = node.data
            if name not in kernel.inputs or not 0 <= k < kernel.inputs[name]:
                raise CompileError(f"kernel '{kernel.name}' reads {name}[{k}], which it has not.")
        elif node.op not in _KNOWN:
            raise CompileError(f"'{node.op}' has no form in WebAssembly.")
    return roots


class _Locals:
    """Numbered variables of one type, used again when nobody needs them any more."""

    def __init__(self) -> None:
        self.count = 0
        self._free: list[int] = []

    def take(self) -> int:
        if self._free:
            return self._free.pop()
        self.count += 1
        return self.count - 1

    def give_back(self, number: int) -> None:
        self._free.append(number)


class _Writer:
    """The code of one function: values that are used once stay on the stack, others in locals."""

    def __init__(self, kernel: Kernel, roots: Sequence[Node], called: Sequence[str]):
        self.parameters = {name: k for k, name in enumerate(kernel.inputs)}
        self.result = len(kernel.inputs)
        self.called = {op: k for k, op in enumerate(called)}
        self.code = bytearray()
        self.pools = {F64: _Locals(), I32: _Locals()}
        self.local: dict[int, tuple[int, int]] = {}  # node -> (type, number)
        nodes = cone(roots)
        self.uses: Counter[int] = Counter(arg.index for n in nodes for arg in _read(n))
        self.uses.update(root.index for root in roots)
        self.marks: list[tuple[int, int, int]] = []  # (position in the code, type, number)
        depth: dict[int, int] = {}
        for node in nodes:
            depth[node.index] = 1 + max((depth[a.index] for a in node.args), default=0)
            kept = self.uses[node.index] > 1 or depth[node.index] > _DEEPEST
            if kept and node.op not in ("const", "load"):
                depth[node.index] = 0
                self._tree(node)
                self._keep(node)
        for k, root in enumerate(roots):
            self._get(self.result)
            self._value(root)
            self.code += bytes([_STORE, 3]) + uint(8 * k)
            self._used(root)

    def _keep(self, node: Node) -> None:
        kind = I32 if node.op in _MASKS else F64
        number = self.pools[kind].take()
        self.local[node.index] = (kind, number)
        self._local(_SET, kind, number)

    def _tree(self, node: Node) -> None:
        """Code that leaves the value of a node on the stack."""
        for step in _postorder(node, self.local):
            if step.index in self.local:
                self._local(_GET, *self.local[step.index])
            else:
                self._operation(step)
        for step in _postorder(node, self.local):
            if step is not node:
                self._used(step)

    def _value(self, node: Node) -> None:
        if node.index in self.local:
            self._local(_GET, *self.local[node.index])
        else:
            self._tree(node)

    def _used(self, node: Node) -> None:
        """One reader less; the last one frees the local."""
        self.uses[node.index] -= 1
        if self.uses[node.index] == 0 and node.index in self.local:
            kind, number = self.local[node.index]
            self.pools[kind].give_back(number)

    def _get(self, parameter: int) -> None:
        self.code += bytes([_GET]) + uint(parameter)

    def _local(self, op: int, kind: int, number: int) -> None:
        """A local by type and number; its index is known when all are counted."""
        self.code.append(op)
        self.marks.append((len(self.code), kind, number))

    def _operation(self, node: Node) -> None:
        """One operation on what is on the stack."""
        op = node.op
        if op == "const":
            self.code += bytes([_CONST]) + struct.pack("<d", node.data[1])
        elif op == "load":
            name, k = node.data
            self._get(self.parameters[name])
            self.code += bytes([_LOAD, 3]) + uint(8 * k)
        elif op in self.called:
            self.code += bytes([_CALL]) + uint(self.called[op])
        elif op in _PLAIN:
            self.code.append(_PLAIN[op])
        else:
            self._quadrant(_QUADRANTS[op])

    def _quadrant(self, shift: int) -> None:
        """(bits, first, second, bits, bits): choose by the lowest bit, sign by the next one.

        sin: k & 1 takes the cosine, k & 2 changes the sign; cos: the same of k + 1."""
        scratch = self.pools[F64].take()
        self._local(_SET, F64, scratch)
        self.code += bytes([_TO_I64, _I64_CONST, 1, _I64_AND, _WRAP, _PLAIN["select"], _TO_I64])
        self._local(_GET, F64, scratch)
        self.code += bytes([_TO_I64, _I64_CONST, shift, _I64_ADD, _I64_CONST, 2, _I64_AND])
        self.code += bytes([_I64_CONST, 62, _I64_SHL, _I64_XOR, _TO_F64])
        self.pools[F64].give_back(scratch)

    def body(self) -> bytes:
        """Locals and code, with the numbers of the locals filled in."""
        first = {F64: self.result + 1, I32: self.result + 1 + self.pools[F64].count}
        kinds = [(pool.count, kind) for kind, pool in self.pools.items() if pool.count]
        declared = _vector([uint(count) + bytes([kind]) for count, kind in kinds])
        parts, last = [declared], 0
        for position, kind, number in self.marks:
            parts += [bytes(self.code[last:position]), uint(first[kind] + number)]
            last = position
        return b"".join([*parts, bytes(self.code[last:]), bytes([_END])])


def _read(node: Node) -> tuple[Node, ...]:
    """The values an operation takes from the stack, in order."""
    if node.op == "select":  # WebAssembly asks for the condition last
        condition, yes, no = node.args
        return (yes, no, condition)
    if node.op == "quadrant_sin":
        bits, sine, cosine = node.args
        return (cosine, sine, bits, bits)
    if node.op == "quadrant_cos":
        bits, sine, cosine = node.args
        return (sine, cosine, bits, bits)
    return node.args


def _postorder(node: Node, local: Mapping[int, object]) -> Iterator[Node]:
    """A node after what it reads, down to values in locals; every reading is one visit."""
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        top, ready = stack.pop()
        if ready or not top.args or top.index in local:
            yield top
            continue
        stack.append((top, True))
        stack += [(arg, False) for arg in reversed(_read(top))]


def _body(kernel: Kernel, roots: Sequence[Node], called: Sequence[str]) -> bytes:
    return _Writer(kernel, roots, called).body()


def uint(value: int) -> bytes:
    """Unsigned LEB128."""
    found = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        found.append(low | (0x80 if value else 0))
        if not value:
            return bytes(found)


def _vector(parts: Iterable[bytes]) -> bytes:
    items = list(parts)
    return uint(len(items)) + b"".join(items)


def _name(text: str) -> bytes:
    data = text.encode()
    return uint(len(data)) + data


def _type(arguments: Sequence[int], results: Sequence[int]) -> bytes:
    return (
        b"\x60" + _vector([bytes([a]) for a in arguments]) + _vector([bytes([r]) for r in results])
    )
