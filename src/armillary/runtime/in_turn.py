"""Two kernels in turn: rows that the first leaves without an answer (NaN) are given to the second.

Both read the same arrays and fill the same one result.  The first runs all rows, the second one row
after the other.
"""

from __future__ import annotations

from functools import cache

from armillary.codegen.abi import ARRAYS, Context, Slot, Struct, integer, pointer
from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import lanes


class InTurn(Struct):
    """What stands behind the fields of the context."""

    FIRST = integer()  # address of the code
    FIRST_CONTEXT = pointer()
    SECOND = integer()
    SECOND_CONTEXT = pointer()


def behind_context(field: Slot) -> Slot:
    """Where a field of a structure stands that begins behind the context."""
    return Slot(Context.SIZE + field, field.kind)


@cache
def library() -> Library:
    width = lanes(False, "double")
    return Library(with_declarations(_text(), width), ["batch"])


def _text() -> str:
    c = Code("batch")
    codes = [c.field(behind_context(x)) for x in (InTurn.FIRST, InTurn.SECOND)]
    fields = (InTurn.FIRST_CONTEXT, InTurn.SECOND_CONTEXT)
    one, two = (c.field(behind_context(x)) for x in fields)
    rows, inputs = c.field(Context.ROWS), c.field(Context.INPUT_COUNT)
    out, size = c.field(Context.OUTPUT_ROWS.at(0)), c.field(Context.OUTPUT_SIZES.at(0))
    with c.loop(inputs) as k:
        for slot in (Context.INPUT_ROWS, Context.INPUT_STRIDES):
            value = c.field(c.entry(slot, k))
            for context in (one, two):
                c.set_field(c.entry(slot, k), value, context)
    c.set_field(Context.OUTPUT_ROWS.at(0), out, one)
    c.set_field(Context.ROWS, rows, one)
    c.set_field(Context.ROWS, "1", two)
    call_kernel(c, codes[0], one)
    total = c.name()
    c.lines.insert(2, f"{total} = alloca double")
    with c.loop(rows) as row:
        place = c.pointer(out, c.mul(row, size), "double")
        c.do(f"store double 0.0, ptr {total}")
        with c.loop(size) as k:  # x - x is 0, and not a number where x is not finite
            x = c.read(place, k, "double")
            off = c.let(f"fsub double {x}, {x}")
            c.do(f"store double {c.let(f'fadd double {off}, {_get(c, total)}')}, ptr {total}")
        with c.when(c.let(f"fcmp uno double {_get(c, total)}, 0.0")):
            for n in range(ARRAYS):
                array, stride = (
                    c.field(slot.at(n)) for slot in (Context.INPUT_ROWS, Context.INPUT_STRIDES)
                )
                own = c.pointer(array, c.mul(row, stride), "double")
                c.set_field(Context.INPUT_ROWS.at(n), own, two)
            c.set_field(Context.OUTPUT_ROWS.at(0), place, two)
            call_kernel(c, codes[1], two)
    return c.text()


def call_kernel(c: Code, code: str, context: str) -> None:
    """code: the address, as a number."""
    c.do(f"call void {c.let(f'inttoptr i64 {code} to ptr')}(ptr {context})")


def _get(c: Code, place: str) -> str:
    return c.let(f"load double, ptr {place}")
