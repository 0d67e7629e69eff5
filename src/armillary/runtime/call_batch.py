"""LLVM text of native calls with rows of states."""

from __future__ import annotations

from armillary.codegen.abi import ARRAYS, Context
from armillary.codegen.code import all_finite, no_flags, scan
from armillary.runtime.call_arguments import (
    ARRAY_DATA,
    ARRAY_DESCR,
    ARRAY_DIMS,
    ARRAY_ND,
    PLAIN,
    Call,
    Data,
    as_floats,
    check_array,
)
from armillary.runtime.call_code import (
    SERVED,
    Answer,
    Batch,
    Result,
    check_given,
    each_result,
    find_place,
    give,
    no_places,
)

BLOCK = 128  # rows whose outputs are put in order together


def batch_text() -> str:
    """Straight-line code, the GIL free meanwhile."""
    c = Call("batch", SERVED)
    first = c.read("%slots", c.field(Answer.FROM.at(0), "%answer"), "ptr")
    dtype = c.of_object(first, ARRAY_DESCR)
    double = c.equal(dtype, c.field(Answer.DOUBLES.of(Batch.DTYPE), "%answer"))
    single = c.equal(dtype, c.field(Answer.FLOATS.of(Batch.DTYPE), "%answer"))
    c.unless(c.let(f"or i1 {double}, {single}"), "slow")
    start = c.let(f"select i1 {double}, i64 {Answer.DOUBLES}, i64 {Answer.FLOATS}")
    size = c.let(f"select i1 {double}, i64 8, i64 4")
    c.unless(c.let(f"icmp eq i32 {c.of_object(first, ARRAY_ND, 'i32')}, 2"), "slow")
    rows = c.read(c.of_object(first, ARRAY_DIMS, "ptr"), 0)
    fewest = c.field(c.entry(Batch.FEWEST, start), "%answer")
    c.unless(c.let(f"icmp sge i64 {rows}, {fewest}"), "slow")
    context, known = c.room(f"[{Context.SIZE} x i64]"), c.entry(Batch.CONTEXT, start)
    fixed = c.field(known, "%answer")
    with c.loop(Context.SIZE) as k:
        c.write(context, k, c.read(fixed, k))
    _take_rows(c, context, rows, dtype, size)
    places, bytes_ = no_places(c), c.mul(rows, size)
    with c.when(c.differ("%given", 0)):
        check_given(c, context, dtype, bytes_, rows)
    with each_result(c) as (r, result):
        total = c.mul(bytes_, c.field(Result.COUNT, result))
        small = c.let(f"icmp sle i64 {total}, {c.field(Answer.LARGEST, '%answer')}")
        c.unless(c.let(f"or i1 {small}, {c.differ('%given', 0)}"), "drop")
        find_place(c, result, places, r, rows, dtype)
    _run_blocks(c, context, places, rows, size, c.field(c.entry(Batch.KERNEL, start), "%answer"))
    with c.when(c.equal(c.field(c.entry(Batch.CHECKED, start), "%answer"), 1)):
        mark = no_flags(c)
        with each_result(c) as (r, result):
            numbers = c.of_object(c.read(places, r, "ptr"), ARRAY_DATA, "ptr")
            scan(c, numbers, c.mul(rows, c.field(Result.COUNT, result)), mark)
        c.unless(all_finite(c, mark), "drop")
    give(c, places)
    return c.text()


def _run_blocks(c: Call, context: str, places: str, rows: str, size: str, kernel: str) -> None:
    """All rows: at once where the kernel writes the results, else block by block, whose outputs
    are put in order; the last block overlaps the one before it."""
    numbers = c.field(Answer.SCRATCH_SIZE, "%answer")
    ordered, few = c.differ(numbers, 0), c.let(f"icmp slt i64 {rows}, {BLOCK}")
    all_ = c.let(f"or i1 {few}, {c.let(f'xor i1 {ordered}, true')}")
    block = c.let(f"select i1 {all_}, i64 {rows}, i64 {BLOCK}")
    room = c.add(c.mul(c.mul(block, numbers), 8), 8)
    scratch = c.let(f"call ptr @armillary_PyMem_RawMalloc(i64 {room})")
    c.unless(c.let(f"icmp ne ptr {scratch}, null"), "drop")
    for k in range(ARRAYS):
        before = c.mul(c.mul(c.field(Answer.SCRATCH.at(k), "%answer"), block), size)
        c.set_field(Context.OUTPUT_ROWS.at(k), c.pointer(scratch, before, "i8"), context)
    c.set_field(Context.ROWS, block, context)
    inputs = c.room(f"[{ARRAYS} x i64]")
    for k in range(ARRAYS):
        c.write(inputs, k, c.field(Context.INPUT_ROWS.at(k), context, "i64"))
    thread = c.let("call ptr @armillary_PyEval_SaveThread()")
    with c.loop(rows, step=block) as at:
        last, late = c.sub(rows, block), c.let(f"icmp slt i64 {rows}, {c.add(at, block)}")
        first = c.mul(c.let(f"select i1 {late}, i64 {last}, i64 {at}"), size)  # bytes of a column
        with c.loop(c.field(Answer.INPUTS, "%answer")) as i:
            width = c.field(c.entry(Context.INPUT_STRIDES, i), context)
            address = c.add(c.read(inputs, i), c.mul(first, width))
            c.set_field(c.entry(Context.INPUT_ROWS, i), c.object_at(address), context)
        with each_result(c) as (r, result):
            order = c.field(Result.ORDER, result, "i64")
            with c.when(c.equal(order, 0)):
                into = c.of_object(c.read(places, r, "ptr"), ARRAY_DATA)
                into = c.add(into, c.mul(first, c.field(Result.COUNT, result)))
                c.write(context, c.field(Result.SOURCE, result), into)
        c.do(f"call void {kernel}(ptr {context})")
        with each_result(c) as (r, result):
            _order_rows(c, result, c.read(places, r, "ptr"), context, block, first, size)
    c.do(f"call void @armillary_PyEval_RestoreThread(ptr {thread})")
    c.do(f"call void @armillary_PyMem_RawFree(ptr {scratch})")


def _order_rows(
    c: Call, result: str, array: str, context: str, block: str, first: str, size: str
) -> None:
    """The numbers of a block of rows in the order of the result.  first: bytes of a column before
    it."""
    order, count = c.field(Result.ORDER, result), c.field(Result.COUNT, result)
    with c.when(c.let(f"icmp ne ptr {order}, null")):
        source, width = c.field(Result.SOURCE, result), c.field(Result.WIDTH, result)
        numbers = c.object_at(c.read(context, source))
        data = c.of_object(array, ARRAY_DATA, "ptr")
        into = c.pointer(data, c.mul(first, count), "i8")
        for kind, bytes_ in (("i64", 8), ("i32", 4)):
            with c.when(c.equal(size, bytes_)), c.loop(block) as n:
                here, there = c.mul(n, width), c.mul(n, count)
                with c.loop(count) as k:
                    x = c.read(numbers, c.add(here, c.read(order, k)), kind, bytes_)
                    c.write(into, c.add(there, k), x, kind, bytes_)


def _take_rows(c: Call, context: str, rows: str, dtype: str, size: str) -> None:
    """Check every input and put its address and the length of its rows into the context.  What is
    given once is the same for all states; wrenches by name are."""
    with c.loop(c.field(Answer.INPUTS, "%answer")) as i:
        slot = c.field(c.entry(Answer.FROM, i), "%answer")
        width = c.field(c.entry(Answer.SIZES, i), "%answer")
        values, stride, tag = c.variable(0), c.variable(0), c.name()[1:]
        with c.when(c.equal(slot, c.field(Data.EXTERNAL, "%data"))):
            c.set(values, c.let("ptrtoint ptr %wrenches to i64"))
            with c.when(c.equal(size, 4)):
                floats = as_floats(c, "%wrenches", width)
                c.set(values, c.let(f"ptrtoint ptr {floats} to i64"))
            c.do(f"br label %taken_{tag}")
            c.do(f"array_{tag}:")
        array = c.read("%slots", slot, "ptr")
        check_array(c, array, PLAIN, dtype, "slow")
        axes, shape = c.of_object(array, ARRAY_ND, "i32"), c.of_object(array, ARRAY_DIMS, "ptr")
        c.set(values, c.of_object(array, ARRAY_DATA))
        once = c.let(f"icmp eq i32 {axes}, 1")
        with c.when(once):
            c.unless(c.equal(c.read(shape, 0), width), "slow")
            c.do(f"br label %taken_{tag}")
            c.do(f"rows_{tag}:")
        c.unless(c.let(f"icmp eq i32 {axes}, 2"), "slow")
        c.unless(c.equal(c.read(shape, 0), rows), "slow")
        c.unless(c.equal(c.read(shape, 1), width), "slow")
        c.set(stride, width)
        c.label(f"taken_{tag}")
        c.set_field(c.entry(Context.INPUT_ROWS, i), c.object_at(c.get(values)), context)
        c.set_field(c.entry(Context.INPUT_STRIDES, i), c.get(stride), context)
