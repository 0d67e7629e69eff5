"""Structures of 64-bit fields: where fields stand, and what they may be read as."""

import ctypes

import numpy as np
import pytest

from armillary.codegen.abi import Struct, bits, double, integer, pointer, structure
from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.errors import CompileError


class Inner(Struct):
    A = integer()
    B = double(2)


class Outer(Struct):
    FIRST = pointer()
    ROWS = integer(3)
    PAIR = structure(Inner, 2)
    LAST = double()


def test_fields_follow_one_another():
    assert [int(slot) for slot in Outer.FIELDS.values()] == [0, 1, 4, 10]
    assert (Inner.SIZE, Outer.SIZE) == (3, 11)
    assert [Outer.ROWS.at(k) for k in range(3)] == [1, 2, 3]
    assert Outer.PAIR.at(1).of(Inner.B) == 8
    assert f"{Outer.LAST}" == "10"  # in a text


def test_what_is_not_there_or_of_another_kind_is_refused():
    with pytest.raises(CompileError, match="field 3 of 3"):
        Outer.ROWS.at(3)
    assert Outer.FIRST.read_as("i64") == "i64"  # an address
    for slot, kind in ((Outer.LAST, "i64"), (Outer.ROWS, "ptr"), (Outer.ROWS, "double")):
        with pytest.raises(CompileError, match=f"read as {kind}"):
            slot.read_as(kind)


def test_compiled_code_and_python_agree():
    """LAST = sum of the B of both pairs; ROWS[k] counts up, k known when the code runs."""
    c = Code("work")
    parts = [c.field(Outer.PAIR.at(k).of(Inner.B).at(n)) for k in range(2) for n in range(2)]
    total = parts[0]
    for part in parts[1:]:
        total = c.let(f"fadd double {total}, {part}")
    c.set_field(Outer.LAST, total)
    with c.loop(Outer.ROWS.count) as k:
        place = c.entry(Outer.ROWS, k)
        c.set_field(place, c.add(c.field(place), 1))
    call = Library(c.text(), ["work"]).call("work")
    memory = np.zeros(Outer.SIZE, np.int64)
    memory[Outer.ROWS : Outer.ROWS + 3] = 5, 6, 7
    for k, pair in enumerate(((1.5, 2.0), (-0.25, 8.0))):
        start = Outer.PAIR.at(k).of(Inner.B)
        memory[start : start + 2] = [bits(x) for x in pair]
    call(memory.ctypes.data_as(ctypes.c_void_p))
    assert list(memory[Outer.ROWS : Outer.ROWS + 3]) == [6, 7, 8]
    assert memory[Outer.LAST].view(np.float64) == 11.25
