"""One kernel behind another: controllers and actuators, then what adds to their forces in loops.

    first:   (q, v, z, time, given) -> force between, dz/dt, inputs of the second
    second:  (q, v, its own of z, time, force between, inputs) -> force, its own of dz/dt

The rates of the second take the place of those that the first gave for its states.
"""

from __future__ import annotations

from functools import cache

from armillary.codegen.abi import Context, Struct, integer, pointer
from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import lanes
from armillary.runtime.in_turn import behind_context, call_kernel

_Q, _V, _Z, _TIME, _FORCE, _INPUTS = range(6)


class Behind(Struct):
    """What stands behind the fields of the context."""

    FIRST = integer()  # address of the code
    FIRST_CONTEXT = pointer()
    SECOND = integer()
    SECOND_CONTEXT = pointer()
    FORCE = pointer()  # between the two (rows, nv)
    INPUTS = pointer()  # of the second (rows, ·)
    RATES = pointer()  # of its own states (rows, OWN)
    START = integer()  # where its own states begin in z
    OWN = integer()  # how many they are


@cache
def library() -> Library:
    width = lanes(False, "double")
    return Library(with_declarations(_text(), width), ["batch"])


def _text() -> str:
    c = Code("batch")
    own = {name: c.field(behind_context(field)) for name, field in Behind.FIELDS.items()}
    one, two = own["FIRST_CONTEXT"], own["SECOND_CONTEXT"]
    force, rates = (c.field(Context.OUTPUT_ROWS.at(k)) for k in range(2))
    strides = [c.field(Context.INPUT_STRIDES.at(k)) for k in range(5)]
    arrays = [c.field(Context.INPUT_ROWS.at(k)) for k in range(5)]

    def hand(context: str, k: int, array: str, stride: str) -> None:
        c.set_field(Context.INPUT_ROWS.at(k), array, context)
        c.set_field(Context.INPUT_STRIDES.at(k), stride, context)

    for k in range(5):
        hand(one, k, arrays[k], strides[k])
    for k, array in enumerate((own["FORCE"], rates, own["INPUTS"])):
        c.set_field(Context.OUTPUT_ROWS.at(k), array, one)
    call_kernel(c, own["FIRST"], one)
    for k in (_Q, _V, _TIME):
        hand(two, k, arrays[k], strides[k])
    hand(two, _Z, c.pointer(arrays[_Z], own["START"], "double"), strides[_Z])
    for k, array in ((_FORCE, own["FORCE"]), (_INPUTS, own["INPUTS"])):
        c.set_field(Context.INPUT_ROWS.at(k), array, two)
    for k, array in enumerate((force, own["RATES"])):
        c.set_field(Context.OUTPUT_ROWS.at(k), array, two)
    call_kernel(c, own["SECOND"], two)
    with c.loop(c.field(Context.ROWS)) as row:
        out = c.pointer(rates, c.add(c.mul(row, strides[_Z]), own["START"]), "double")
        source = c.pointer(own["RATES"], c.mul(row, own["OWN"]), "double")
        with c.loop(own["OWN"]) as n:
            c.write(out, n, c.read(source, n, "double"), "double")
    return c.text()
