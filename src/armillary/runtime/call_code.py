"""LLVM text of native calls: from the arguments of a Python call to a kernel and back.

Arguments are checked natively (type, dtype, contiguity, size, finite numbers), results are
allocated.  Whatever is not the plain case goes to the Python function behind the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armillary.codegen.abi import ARRAYS, Context
from armillary.codegen.code import Code, Entry
from armillary.codegen.struct import Slot, Struct, integer, pointer, structure
from armillary.runtime.finite_scan import all_finite, no_flags, scan


class Batch(Struct):
    """A kernel for batches."""

    DTYPE = integer()  # address of the dtype object; 0: not ready
    KERNEL = pointer()
    CONTEXT = pointer()  # copied for every call
    FEWEST = integer()  # rows
    CHECKED = integer()  # 1: doubles that are not finite are not given out


class Data(Struct):
    """What stands behind a native call."""

    ARRAY_TYPE = pointer()  # numpy.ndarray
    DTYPE = pointer()  # the dtype object
    INPUTS = integer()  # number of inputs; -1: nothing is ready
    KERNEL = pointer()  # code: void batch(ctx); 0: not ready
    CONTEXT = pointer()
    SLOW = pointer()  # the Python function
    NEW_ARRAY = pointer()  # PyArray_NewFromDescr
    VECTORCALL = pointer()  # PyObject_Vectorcall
    INCREF = pointer()  # Py_IncRef
    OUT_NAME = integer()  # address of the interned string "out"
    DIMENSIONS = integer()  # of the result
    SHAPE = integer(4)
    RESULT = integer()  # numbers of the result
    SIZES = integer(ARRAYS)  # numbers of each input
    OUTPUTS = integer()  # results, all of one shape; more than one: a tuple of them
    NEW_TUPLE = pointer()  # PyTuple_New
    SET_ITEM = pointer()  # PyTuple_SetItem
    SAVE_THREAD = pointer()  # PyEval_SaveThread
    RESTORE_THREAD = pointer()  # PyEval_RestoreThread
    DOUBLES = structure(Batch)
    FLOATS = structure(Batch)
    UNCHECKED = integer()  # 1: whatever input is not finite, the result shows it
    KEPT_COUNT = integer()  # results that are used again once nobody else holds them
    KEPT = pointer(12)
    LARGEST = integer()  # bytes of a result of a batch; larger ones are the Python function's


# struct PyArrayObject: object head, then data, nd, dims, strides, base, descr, flags
ARRAY_DATA, ARRAY_ND, ARRAY_DIMS, ARRAY_DESCR, ARRAY_FLAGS = 16, 24, 32, 56, 64
ARRAY_WEAK_REFERENCES = 72
TUPLE_ITEMS = tuple.__basicsize__  # after the head; since Python 3.14 after a hash, too
PLAIN = 0x101  # C-contiguous and aligned
WRITEABLE = 0x400
# struct of our objects: head, code, data, dict
CODE, DATA, DICT, OBJECT_SIZE = 16, 24, 32, 40


def object_field(c: Code, base: str, offset: int, kind: str = "i64") -> str:
    return c.let(f"load {kind}, ptr {c.pointer(base, offset, 'i8')}, align 4")


def read_data(c: Code, slot: Slot | Entry, kind: str = "") -> str:
    return c.field(slot, "%data", kind)


_ARGUMENTS = "ptr %self, ptr %args, i64 %nargsf, ptr %names"  # of a vectorcall


class Call(Code):
    """A function that returns a pointer."""

    def __init__(self, name: str, arguments: Sequence[str], result: str = "ptr"):
        super().__init__(name, arguments)
        self.lines[0] = self.lines[0].replace("define void", f"define {result}", 1)

    def text(self) -> str:
        return "\n".join([*self.lines, "}"])

    def unless(self, condition: str, target: str) -> None:
        """Leave for `target` where the condition fails."""
        on = self.name()[1:]
        self.do(f"br i1 {condition}, label %on_{on}, label %{target}")
        self.do(f"on_{on}:")


def check_array(c: Call, array: str, flags: int, dtype: str = "", target: str = "slow") -> None:
    """An exact ndarray of our dtype with the wanted flags, or go to the target."""
    c.unless(c.equal(object_field(c, array, 8), read_data(c, Data.ARRAY_TYPE, "i64")), target)
    c.unless(
        c.equal(object_field(c, array, ARRAY_DESCR), dtype or read_data(c, Data.DTYPE, "i64")),
        target,
    )
    found = c.let(f"and i32 {object_field(c, array, ARRAY_FLAGS, 'i32')}, {flags}")
    c.unless(c.let(f"icmp eq i32 {found}, {flags}"), target)


def single_text() -> str:
    """The vectorcall function: one state of doubles; rows of states go to `call_batch`."""
    c = Call("call_single", _ARGUMENTS.split(", "))
    count = _begin(c)
    first = c.read("%args", 0, "ptr")
    several = c.let(f"icmp eq i32 {object_field(c, first, ARRAY_ND, 'i32')}, 2")
    with c.when(several):
        c.do(f"ret ptr {c.let(f'call ptr @call_batch({_ARGUMENTS})')}")
        c.do("after_batch:")
    c.unless(c.let(f"icmp ne i64 {read_data(c, Data.KERNEL, 'i64')}, 0"), "slow")
    given = _given_result(c, count)
    with c.when(c.let(f"icmp ne i64 {c.get(given)}, 0")):
        array = c.let(f"inttoptr i64 {c.get(given)} to ptr")
        check_array(c, array, PLAIN | WRITEABLE)
        check_shape(c, array)
    context = read_data(c, Data.CONTEXT)
    _take_inputs(c, count, context)
    _avoid_overlap(c, 8, count, context, given)
    with c.when(c.let(f"icmp ne i64 {read_data(c, Data.OUTPUTS)}, 1")):
        c.unless(c.equal(c.get(given), 0), "slow")
        _run_for_tuple(c, count, context)
        c.do("after_tuple:")

    def new() -> None:
        _use_again(c, given, "run")
        _allocate(c, given)

    result = _place_of_result(c, given, context, new)
    c.do(f"call void {read_data(c, Data.KERNEL)}(ptr {context})")
    # a result that is not finite has a reason: the Python function looks for it
    mark = no_flags(c)
    scan(c, object_field(c, result, ARRAY_DATA, "ptr"), read_data(c, Data.RESULT), mark)
    c.unless(all_finite(c, mark), "drop")
    c.do(f"ret ptr {result}")
    _drop(c, result)
    _end(c)
    return c.text()


def _place_of_result(c: Call, given: str, context: str, new: Callable[[], None]) -> str:
    """The given array, or a new one."""
    with c.when(c.equal(c.get(given), 0)):
        new()
        c.unless(c.let(f"icmp ne i64 {c.get(given)}, 0"), "failed")
        c.do("br label %run")
        c.do("unused:")
    pointer = c.let(f"inttoptr i64 {c.get(given)} to ptr")
    c.do(f"call void {read_data(c, Data.INCREF)}(ptr {pointer})")
    c.label("run")
    result = c.let(f"inttoptr i64 {c.get(given)} to ptr")
    c.set_field(Context.OUTPUT_ROWS, object_field(c, result, ARRAY_DATA, "ptr"), context)
    return result


def _begin(c: Call) -> str:
    """The number of arguments, which is that of the inputs; the first one is an array."""
    c.do("%data = " + f"load ptr, ptr {c.pointer('%self', DATA, 'i8')}, align 8")
    count = c.let("and i64 %nargsf, 9223372036854775807")
    c.unless(c.equal(count, read_data(c, Data.INPUTS)), "slow")
    first = c.read("%args", 0, "ptr")
    c.unless(c.equal(object_field(c, first, 8), read_data(c, Data.ARRAY_TYPE, "i64")), "slow")
    return count


def _given_result(c: Call, count: str) -> str:
    """A variable with the address of the argument `out`, or 0."""
    given = c.variable("0")
    with c.when(c.let("icmp ne ptr %names, null")):
        c.unless(c.equal(object_field(c, "%names", 16), 1), "slow")
        name = object_field(c, "%names", TUPLE_ITEMS)
        c.unless(c.equal(name, read_data(c, Data.OUT_NAME)), "slow")
        c.set(given, c.read("%args", count))
    return given


def _drop(c: Call, result: str) -> None:
    """A result that is not good: the Python function tells why, or makes a better one."""
    c.do("drop:")
    c.do(f"call void @armillary_Py_DecRef(ptr {result})")
    c.do("br label %slow")


def _end(c: Call) -> None:
    """Where everything goes that is not the plain case."""
    c.do("failed:")
    c.do("ret ptr null")
    c.do("slow:")
    slow, forward = read_data(c, Data.SLOW), read_data(c, Data.VECTORCALL)
    answer = c.let(f"call ptr {forward}(ptr {slow}, ptr %args, i64 %nargsf, ptr %names)")
    c.do(f"ret ptr {answer}")


def check_shape(c: Call, array: str, rows: str = "", target: str = "slow") -> None:
    """The shape of the result, with the rows of a batch before it."""
    dimensions = c.let(f"zext i32 {object_field(c, array, ARRAY_ND, 'i32')} to i64")
    before = 1 if rows else 0
    c.unless(c.equal(c.sub(dimensions, before), read_data(c, Data.DIMENSIONS)), target)
    shape = object_field(c, array, ARRAY_DIMS, "ptr")
    if rows:
        c.unless(c.equal(c.read(shape, 0), rows), target)
    with c.loop(dimensions, before) as k:
        expected = read_data(c, c.entry(Data.SHAPE, c.sub(k, before)))
        c.unless(c.equal(c.read(shape, k), expected), target)


def _use_again(c: Call, given: str, target: str) -> None:
    """An earlier result that nobody but us holds, and nobody has changed: go on with it."""
    taken = f"taken_{target}"
    with c.loop(read_data(c, Data.KEPT_COUNT)) as k:
        array = read_data(c, c.entry(Data.KEPT, k))
        holders = object_field(c, array, 0, "i32")
        c.unless(c.let(f"icmp eq i32 {holders}, 1"), taken)
        c.unless(c.equal(object_field(c, array, ARRAY_WEAK_REFERENCES), 0), taken)
        check_array(c, array, PLAIN | WRITEABLE, target=taken)
        check_shape(c, array, target=taken)
        c.do(f"call void {read_data(c, Data.INCREF)}(ptr {array})")
        c.set(given, c.let(f"ptrtoint ptr {array} to i64"))
        c.do(f"br label %{target}")
        c.do(f"{taken}:")


def _take_inputs(c: Call, count: str, context: str) -> None:
    """Check every input and put its address into the context."""
    mark = no_flags(c)
    with c.loop(count) as i:
        array = c.read("%args", i, "ptr")
        check_array(c, array, PLAIN)
        c.unless(c.let(f"icmp eq i32 {object_field(c, array, ARRAY_ND, 'i32')}, 1"), "slow")
        length = c.read(object_field(c, array, ARRAY_DIMS, "ptr"), 0)
        c.unless(c.equal(length, read_data(c, c.entry(Data.SIZES, i))), "slow")
        values = object_field(c, array, ARRAY_DATA, "ptr")
        c.set_field(c.entry(Context.INPUT_ROWS, i), values, context)
        with c.when(c.equal(read_data(c, Data.UNCHECKED), 0)):
            scan(c, values, length, mark)
    c.unless(all_finite(c, mark), "slow")


def _avoid_overlap(c: Call, size: str | int, count: str, context: str, given: str) -> None:
    """A result that overlaps an input goes the slow way, which copies.  size: of one number (of
    all rows), in bytes."""
    with c.when(c.let(f"icmp ne i64 {c.get(given)}, 0")):
        out = object_field(c, c.let(f"inttoptr i64 {c.get(given)} to ptr"), ARRAY_DATA)
        end = c.add(out, c.mul(read_data(c, Data.RESULT), size))
        with c.loop(count) as i:
            start = c.field(c.entry(Context.INPUT_ROWS, i), context, "i64")
            stop = c.add(start, c.mul(read_data(c, c.entry(Data.SIZES, i)), size))
            before = c.let(f"icmp ule i64 {stop}, {out}")
            after = c.let(f"icmp ule i64 {end}, {start}")
            c.unless(c.let(f"or i1 {before}, {after}"), "slow")


def _run_for_tuple(c: Call, inputs: str, context: str) -> None:
    """Several results: allocate all, run, and return them as a tuple."""
    count = read_data(c, Data.OUTPUTS)
    made = c.let(f"call ptr {read_data(c, Data.NEW_TUPLE)}(i64 {count})")
    c.unless(c.let(f"icmp ne ptr {made}, null"), "failed")
    # a new tuple may start the garbage collector, and a finalizer may have called us meanwhile
    with c.loop(inputs) as i:
        values = object_field(c, c.read("%args", i, "ptr"), ARRAY_DATA, "ptr")
        c.set_field(c.entry(Context.INPUT_ROWS, i), values, context)
    with c.loop(count) as k:
        place = c.variable(0)
        _use_again(c, place, "found")
        _allocate(c, place)
        c.unless(c.let(f"icmp ne i64 {c.get(place)}, 0"), "lost_tuple")
        c.label("found")
        array = c.let(f"inttoptr i64 {c.get(place)} to ptr")
        values = object_field(c, array, ARRAY_DATA, "ptr")
        c.set_field(c.entry(Context.OUTPUT_ROWS, k), values, context)
        c.let(f"call i32 {read_data(c, Data.SET_ITEM)}(ptr {made}, i64 {k}, ptr {array})")
    c.do(f"call void {read_data(c, Data.KERNEL)}(ptr {context})")
    mark = no_flags(c)
    with c.loop(count) as k:
        values = c.field(c.entry(Context.OUTPUT_ROWS, k), context)
        scan(c, values, read_data(c, Data.RESULT), mark)
    c.unless(all_finite(c, mark), "drop_tuple")
    c.do(f"ret ptr {made}")
    c.do("drop_tuple:")
    c.do(f"call void @armillary_Py_DecRef(ptr {made})")
    c.do("br label %slow")
    c.do("lost_tuple:")
    c.do(f"call void @armillary_Py_DecRef(ptr {made})")
    c.do("br label %failed")


def _allocate(c: Call, given: str, rows: str = "", dtype: str = "") -> None:
    dtype = dtype or read_data(c, Data.DTYPE)
    c.do(f"call void {read_data(c, Data.INCREF)}(ptr {dtype})")  # the call takes it over
    kind = read_data(c, Data.ARRAY_TYPE)
    count = read_data(c, Data.DIMENSIONS)
    shape = c.pointer("%data", Data.SHAPE)
    if rows:
        inner, shape = shape, c.name()
        c.lines.insert(2, f"{shape} = alloca [5 x i64]")
        c.write(shape, 0, rows)
        with c.loop(count) as k:
            c.write(shape, c.add(k, 1), c.read(inner, k))
        count = c.add(count, 1)
    dimensions = c.let(f"trunc i64 {count} to i32")
    make = read_data(c, Data.NEW_ARRAY)
    array = c.let(
        f"call ptr {make}(ptr {kind}, ptr {dtype}, i32 {dimensions}, ptr {shape}, ptr null, "
        f"ptr null, i32 0, ptr null)"
    )
    c.set(given, c.let(f"ptrtoint ptr {array} to i64"))


def batch_text() -> str:
    """The call with rows of states: straight-line code with one result, the GIL free meanwhile."""
    c = Call("call_batch", _ARGUMENTS.split(", "))
    count = _begin(c)
    first = c.read("%args", 0, "ptr")
    dtype = object_field(c, first, ARRAY_DESCR)
    double = c.equal(dtype, read_data(c, Data.DOUBLES.of(Batch.DTYPE)))
    single = c.equal(dtype, read_data(c, Data.FLOATS.of(Batch.DTYPE)))
    c.unless(c.let(f"or i1 {double}, {single}"), "slow")
    start = c.let(f"select i1 {double}, i64 {Data.DOUBLES}, i64 {Data.FLOATS}")
    size = c.let(f"select i1 {double}, i64 8, i64 4")
    rows = c.read(object_field(c, first, ARRAY_DIMS, "ptr"), 0)
    enough = c.let(f"icmp sge i64 {rows}, {read_data(c, c.entry(Batch.FEWEST, start))}")
    c.unless(enough, "slow")
    context = c.name()
    c.lines.insert(2, f"{context} = alloca [{Context.SIZE} x i64]")
    known = read_data(c, c.entry(Batch.CONTEXT, start))
    with c.loop(Context.SIZE) as k:
        c.write(context, k, c.read(known, k))
    _take_rows(c, count, context, rows, dtype)
    given = _given_result(c, count)
    with c.when(c.let(f"icmp ne i64 {c.get(given)}, 0")):
        array = c.let(f"inttoptr i64 {c.get(given)} to ptr")
        check_array(c, array, PLAIN | WRITEABLE, dtype)
        check_shape(c, array, rows)
    _avoid_overlap(c, c.mul(rows, size), count, context, given)

    def new() -> None:
        total = c.mul(c.mul(rows, read_data(c, Data.RESULT)), size)
        c.unless(c.let(f"icmp sle i64 {total}, {read_data(c, Data.LARGEST)}"), "slow")
        _allocate(c, given, rows, c.let(f"inttoptr i64 {dtype} to ptr"))

    result = _place_of_result(c, given, context, new)
    c.set_field(Context.ROWS, rows, context)
    thread = c.let(f"call ptr {read_data(c, Data.SAVE_THREAD)}()")
    c.do(f"call void {read_data(c, c.entry(Batch.KERNEL, start))}(ptr {context})")
    c.do(f"call void {read_data(c, Data.RESTORE_THREAD)}(ptr {thread})")
    with c.when(c.equal(read_data(c, c.entry(Batch.CHECKED, start)), 1)):
        mark, count = no_flags(c), c.mul(rows, read_data(c, Data.RESULT))
        scan(c, object_field(c, result, ARRAY_DATA, "ptr"), count, mark)
        c.unless(all_finite(c, mark), "drop")
    c.do(f"ret ptr {result}")
    _drop(c, result)
    _end(c)
    return c.text()


def _take_rows(c: Call, count: str, context: str, rows: str, dtype: str) -> None:
    """Check every input and put its address and the length of its rows into the context."""
    with c.loop(count) as i:
        array = c.read("%args", i, "ptr")
        check_array(c, array, PLAIN, dtype)
        c.unless(c.let(f"icmp eq i32 {object_field(c, array, ARRAY_ND, 'i32')}, 2"), "slow")
        shape = object_field(c, array, ARRAY_DIMS, "ptr")
        width = read_data(c, c.entry(Data.SIZES, i))
        c.unless(c.equal(c.read(shape, 0), rows), "slow")
        c.unless(c.equal(c.read(shape, 1), width), "slow")
        values = object_field(c, array, ARRAY_DATA, "ptr")
        c.set_field(c.entry(Context.INPUT_ROWS, i), values, context)
        c.set_field(c.entry(Context.INPUT_STRIDES, i), width, context)
