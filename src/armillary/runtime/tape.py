"""A native player of tapes: long lists of small operations on one row of numbers.

Elimination of a large sparse system is always the same list of operations; it is written down
once (constraints/large.py) and played for every state.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, auto
from functools import cache

from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.struct import Struct, integer, pointer
from armillary.codegen.target import lanes


class Op(IntEnum):
    """Operations: one instruction is (op, target, a, b), places in the row."""

    LESS_PRODUCT = auto()  # m[target] -= m[a] * m[b]
    PRODUCT = auto()  # m[target] = m[a] * m[b]
    INVERSE = auto()  # m[target] = 1 / m[a]
    SUM = auto()  # m[target] = m[a] + m[b]
    COPY = auto()  # m[target] = m[a]


class TapeContext(Struct):
    """What one call plays: COUNT instructions of CODE, on ROWS rows of the memory."""

    CODE = pointer()
    COUNT = integer()
    MEMORY = pointer()
    ROWS = integer()
    STRIDE = integer()  # numbers from one row to the next


@cache
def player() -> Library:
    """`play(ctx)`: the tape on every row of the memory."""
    width = lanes(False, "double")
    return Library(with_declarations(_text(), width), ["play"], optimize=2)


@cache
def play() -> Callable[[int], None]:
    return player().call("play")


def _text() -> str:
    c = Code("play")
    code, memory = c.field(TapeContext.CODE), c.field(TapeContext.MEMORY)
    count, rows = c.field(TapeContext.COUNT), c.field(TapeContext.ROWS)
    stride = c.field(TapeContext.STRIDE)
    with c.loop(rows) as row:
        base = c.pointer(memory, c.mul(row, stride), "double")
        with c.loop(count) as k:
            place = c.mul(k, 4)
            op, target, a, b = (c.read(code, c.add(place, n)) for n in range(4))
            x, y = c.read(base, a, "double"), c.read(base, b, "double")
            with c.when(c.equal(op, Op.LESS_PRODUCT)):
                old = c.read(base, target, "double")
                product = c.let(f"fmul double {x}, {y}")
                c.write(base, target, c.let(f"fsub double {old}, {product}"), "double")
            with c.when(c.equal(op, Op.PRODUCT)):
                c.write(base, target, c.let(f"fmul double {x}, {y}"), "double")
            with c.when(c.equal(op, Op.INVERSE)):
                c.write(base, target, c.let(f"fdiv double 1.0, {x}"), "double")
            with c.when(c.equal(op, Op.SUM)):
                c.write(base, target, c.let(f"fadd double {x}, {y}"), "double")
            with c.when(c.equal(op, Op.COPY)):
                c.write(base, target, x, "double")
    return c.text()
