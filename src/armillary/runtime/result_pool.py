"""LLVM text for large results of batches: memory that nobody holds any more is used again.

The system hands out large memory page by page, each filled with zeros first, and malloc gives it
back at once: that costs more than the mass matrices of a humanoid.  The last results of this size
are therefore kept, a few for the whole process, and given out again when nobody else holds them.
"""

from __future__ import annotations

import ctypes
from typing import Any

from armillary.codegen.struct import Struct, integer, pointer
from armillary.runtime.call_code import (
    ARRAY_WEAK_REFERENCES,
    PLAIN,
    WRITEABLE,
    Batch,
    Call,
    Data,
    allocate,
    check_array,
    check_shape,
    object_field,
    read_data,
)

_OWN_DATA = 0x4  # flag: the array frees its memory


_COUNT = 2  # results: a loop that names its result holds one while it asks for the next


class Large(Struct):
    """The kept results."""

    LEAST = integer()  # bytes; what is smaller, malloc keeps itself
    MOST = integer()  # bytes
    NEXT = integer()  # the place that is given away next
    ARRAYS = pointer(_COUNT)  # 0: none


def kept_results(least: int = 32 * 2**20, most: int = 64 * 2**20) -> Any:
    """No results yet, but the limits."""
    table = (ctypes.c_int64 * Large.SIZE)()
    table[Large.LEAST], table[Large.MOST] = least, most
    return table


def large_text() -> str:
    """`new_rows(data, rows, dtype)`: a result for so many rows, new or used again, or null."""
    c = Call("new_rows", ("ptr %data", "i64 %rows", "i64 %dtype"))
    double = c.equal("%dtype", read_data(c, Data.DOUBLES.of(Batch.DTYPE)))
    number = c.let(f"select i1 {double}, i64 8, i64 4")
    size = c.mul(c.mul("%rows", read_data(c, Data.RESULT)), number)
    table = read_data(c, Data.LARGE)
    with c.when(c.let(f"icmp ne ptr {table}, null")):
        for field, relation in ((Large.LEAST, "sge"), (Large.MOST, "sle")):
            fits = c.let(f"icmp {relation} i64 {size}, {c.field(field, table)}")
            c.unless(fits, "ordinary")
        _use_large(c, table)
        array = _made(c)
        c.unless(c.let(f"icmp ne ptr {array}, null"), "none")
        place = c.field(Large.NEXT, table)
        before = c.field(c.entry(Large.ARRAYS, place), table)
        following = c.add(place, 1)
        c.set_field(Large.NEXT, c.let(f"urem i64 {following}, {_COUNT}"), table)
        c.do(f"call void {read_data(c, Data.INCREF)}(ptr {array})")
        c.set_field(c.entry(Large.ARRAYS, place), array, table)
        # last: who watches the array that goes may call us
        c.do(f"call void @armillary_Py_DecRef(ptr {before})")
        c.do(f"ret ptr {array}")
        c.do("none:")
        c.do("ret ptr null")
        c.do("after_large:")
    c.label("ordinary")
    c.do(f"ret ptr {_made(c)}")
    return c.text()


def _made(c: Call) -> str:
    place = c.variable(0)
    allocate(c, place, "%rows", c.let("inttoptr i64 %dtype to ptr"))
    return c.let(f"inttoptr i64 {c.get(place)} to ptr")


def _use_large(c: Call, table: str) -> None:
    """Return a kept array of this type and shape that nobody else holds and nobody has changed."""
    with c.loop(_COUNT) as k:
        array = c.field(c.entry(Large.ARRAYS, k), table)
        c.unless(c.let(f"icmp ne ptr {array}, null"), "taken")
        c.unless(c.let(f"icmp eq i32 {object_field(c, array, 0, 'i32')}, 1"), "taken")
        c.unless(c.equal(object_field(c, array, ARRAY_WEAK_REFERENCES), 0), "taken")
        check_array(c, array, PLAIN | WRITEABLE | _OWN_DATA, "%dtype", "taken")
        check_shape(c, array, "%rows", "taken")
        c.do(f"call void {read_data(c, Data.INCREF)}(ptr {array})")
        c.do(f"ret ptr {array}")
        c.do("taken:")
