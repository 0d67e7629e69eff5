"""LLVM text of native calls: from the arguments of a Python call to a kernel and back.

What was chosen by the arguments tells which `Answer` serves the call.  Arrays are checked natively
(type, dtype, contiguity, size, finite numbers), results are made.  Whatever is not the plain case
goes to the Python function behind the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from armillary.codegen.abi import ARRAYS, Context, Slot, Struct, integer, pointer, structure
from armillary.codegen.code import all_finite, no_flags, scan
from armillary.runtime.call_arguments import (
    ARRAY_DATA,
    ARRAY_DESCR,
    ARRAY_DIMS,
    ARRAY_ND,
    ARRAY_WEAK_REFERENCES,
    DATA,
    PLAIN,
    SLOTS,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    WRENCHES,
    WRITEABLE,
    Call,
    Data,
    as_floats,
    check_array,
    check_vector,
)

MOST_RESULTS = 8  # of one answer
KEPT = 4  # of each result, used again once nobody else holds it
MOST_PARTS = 8  # of an object that holds results


class Result(Struct):
    """An array of an answer, or a number."""

    SOURCE = integer()  # field of the context with the address of its numbers
    ORDER = pointer()  # which of them; 0: the kernel writes the result itself
    WIDTH = integer()  # numbers of the source
    COUNT = integer()
    DIMENSIONS = integer()  # 0: a number
    SHAPE = integer(4)
    KEPT_COUNT = integer()
    KEPT = pointer(KEPT)


class Batch(Struct):
    """A kernel for batches."""

    DTYPE = integer()  # address of the dtype object; 0: not ready
    KERNEL = pointer()
    CONTEXT = pointer()  # copied for every call
    FEWEST = integer()  # rows
    CHECKED = integer()  # 1: doubles that are not finite are not given out


class Single(Struct):
    """A kernel for one state."""

    KERNEL = pointer()  # void batch(ctx); 0: not ready
    CONTEXT = pointer()
    UNCHECKED = integer()  # 1: whatever input is not finite, the result shows it


class Part(Struct):
    """A field of an object that holds results."""

    OFFSET = integer()  # bytes
    RESULT = integer()  # which of the results; -1: an object, -2: a word of memory
    CONSTANT = integer()


class Answer(Struct):
    """What serves the calls that make one choice."""

    DOUBLE = structure(Single)
    FLOAT = structure(Single)
    INPUTS = integer()
    FROM = integer(ARRAYS)  # slot of each input
    SIZES = integer(ARRAYS)  # numbers of each input
    RESULTS = integer()
    RESULT = structure(Result, MOST_RESULTS)
    FORM = integer()  # 0: the result itself, 1: a tuple, 2: an object
    TYPE = pointer()  # of that object
    ITEMS = integer()  # of an object that is a tuple
    PARTS = integer()
    PART = structure(Part, MOST_PARTS)
    DOUBLES = structure(Batch)
    FLOATS = structure(Batch)
    SCRATCH = integer(ARRAYS)  # numbers of a row before each output that is no result as it is
    SCRATCH_SIZE = integer()  # numbers of a row of all of them
    LARGEST = integer()  # bytes of a result of a batch; larger ones are the Python function's


_SLOW = "inttoptr (i64 1 to ptr)"  # instead of a result: the Python function is asked
SERVED = ("ptr %data", "ptr %answer", "ptr %slots", "ptr %wrenches", "i64 %given")


@contextmanager
def each_result(c: Call) -> Iterator[tuple[str, str]]:
    """(its number, its structure) of every result of the answer."""
    with c.loop(c.field(Answer.RESULTS, "%answer")) as r:
        yield r, c.pointer("%answer", c.add(c.mul(r, Result.SIZE), Answer.RESULT))


def call_text() -> str:
    c = Call("call", ("ptr %self", "ptr %args", "i64 %nargsf", "ptr %names"))
    c.do("%data = " + f"load ptr, ptr {c.pointer('%self', DATA, 'i8')}, align 8")
    count = c.let("and i64 %nargsf, 9223372036854775807")
    sorted_, wrenches = c.room(f"[{SLOTS} x ptr]"), c.room(f"[{6 * WRENCHES} x double]")
    number, given, slots = c.variable(0), c.variable(0), c.variable(0)
    c.set(slots, c.let("ptrtoint ptr %args to i64"))
    c.unless(c.equal(count, c.field(Data.SHORTEST, "%data")), "sort")
    with c.when(c.let("icmp ne ptr %names, null")):
        _only_out(c, count, given)
    c.do("br label %serve")
    c.do("sort:")
    arguments = f"ptr %data, ptr %args, i64 {count}, ptr %names, ptr {sorted_}, ptr {wrenches}"
    found = c.let(f"call i64 @resolve({arguments})")
    c.unless(c.let(f"icmp sge i64 {found}, 0"), "slow")
    c.set(number, found)
    c.set(slots, c.let(f"ptrtoint ptr {sorted_} to i64"))
    out = c.field(Data.OUT, "%data")
    with c.when(c.let(f"icmp sge i64 {out}, 0")):
        c.set(given, c.read(sorted_, out))
    c.label("serve")
    slots = c.object_at(c.get(slots))
    answer = c.read(c.field(Data.ANSWERS, "%data"), c.get(number))
    c.unless(c.differ(answer, 0), "slow")
    first = c.read(slots, 0, "ptr")
    c.unless(c.of_type(first, c.field(Data.ARRAY_TYPE, "%data", "i64")), "slow")
    served = (
        f"ptr %data, ptr {c.object_at(answer)}, ptr {slots}, ptr {wrenches}, i64 {c.get(given)}"
    )
    one = c.let(f"icmp eq i32 {c.of_object(first, ARRAY_ND, 'i32')}, 1")
    double = c.equal(c.of_object(first, ARRAY_DESCR), c.field(Data.DTYPE, "%data", "i64"))
    c.do(f"br i1 {one}, label %one, label %batch")
    c.do("one:")
    c.do(f"br i1 {double}, label %single_double, label %single_float")
    codes = {"single_double": None, "single_float": Data.SINGLE_FLOAT, "batch": Data.BATCH}
    for name, field in codes.items():
        c.do(f"{name}:")
        code = f"@{name}" if field is None else c.field(field, "%data")
        if field is not None:
            c.unless(c.let(f"icmp ne ptr {code}, null"), "slow")
        result = c.let(f"call ptr {code}({served})")
        c.unless(c.let(f"icmp ne ptr {result}, {_SLOW}"), "slow")
        c.do(f"ret ptr {result}")
    c.do("slow:")
    slow = f"ptr {c.field(Data.SLOW, '%data')}, ptr %args, i64 %nargsf, ptr %names"
    c.do(f"ret ptr {c.let(f'call ptr @armillary_PyObject_Vectorcall({slow})')}")
    return c.text()


def _only_out(c: Call, count: str, given: str) -> None:
    """Nothing but the array for the result is given by name, or the arguments are sorted."""
    c.unless(c.equal(c.of_object("%names", TUPLE_SIZE), 1), "sort")
    name = c.of_object("%names", TUPLE_ITEMS)
    c.unless(c.equal(name, c.field(Data.OUT_NAME, "%data", "i64")), "sort")
    array = c.read("%args", count)
    none = c.equal(array, c.field(Data.NONE, "%data", "i64"))
    c.set(given, c.let(f"select i1 {none}, i64 0, i64 {array}"))


# -- one state ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Element:
    """The kind of number of a single state."""

    name: str
    bits: int
    dtype: Slot
    kernel: Slot  # its place in the answer


DOUBLE = Element("double", 64, Data.DTYPE, Answer.DOUBLE)
FLOAT = Element("float", 32, Data.FLOAT_DTYPE, Answer.FLOAT)


def single_text(e: Element) -> str:
    """One state.  Nothing of Python runs between the first look at an input and the
    last result: an object that holds results, which may start the garbage collector, and with it
    finalizers that call us again, is made when they are there."""
    c = Call(f"single_{e.name}", SERVED)
    kernel = e.kernel.of(Single.KERNEL)
    c.unless(c.differ(c.field(kernel, "%answer", "i64"), 0), "slow")
    context = c.field(e.kernel.of(Single.CONTEXT), "%answer")
    _take_inputs(c, context, e)
    places, dtype = no_places(c), c.field(e.dtype, "%data", "i64")
    with c.when(c.differ("%given", 0)):
        check_given(c, context, dtype, str(e.bits // 8))
    with each_result(c) as (r, result):
        dimensions = c.field(Result.DIMENSIONS, result)
        with c.when(c.differ(dimensions, 0)):
            find_place(c, result, places, r, dtype=dtype, again=e is DOUBLE)
            with c.when(c.equal(c.field(Result.ORDER, result, "i64"), 0)):
                numbers = c.of_object(c.read(places, r, "ptr"), ARRAY_DATA)
                c.write(context, c.field(Result.SOURCE, result), numbers)
    c.do(f"call void {c.field(kernel, '%answer')}(ptr {context})")
    mark = no_flags(c, e.bits)
    with each_result(c) as (r, result):
        _take_result(c, result, places, r, context, mark, e)
    # a result that is not finite has a reason: the Python function looks for it
    c.unless(all_finite(c, mark, e.bits), "drop")
    give(c, places)
    return c.text()


def _take_inputs(c: Call, context: str, e: Element) -> None:
    """Check every input and put its address into the context.  The caller's array for the result
    is left alone if there is a number that is not finite."""
    mark, theirs = no_flags(c, e.bits), c.differ("%given", 0)
    with c.loop(c.field(Answer.INPUTS, "%answer")) as i:
        slot = c.field(c.entry(Answer.FROM, i), "%answer")
        length = c.field(c.entry(Answer.SIZES, i), "%answer")
        values, tag = c.variable(0), c.name()[1:]
        outer = c.equal(slot, c.field(Data.EXTERNAL, "%data"))
        c.do(f"br i1 {outer}, label %wrenches_{tag}, label %array_{tag}")
        c.do(f"wrenches_{tag}:")
        wrenches = "%wrenches" if e is DOUBLE else as_floats(c, "%wrenches", length)
        c.set(values, c.let(f"ptrtoint ptr {wrenches} to i64"))
        c.do(f"br label %taken_{tag}")
        c.do(f"array_{tag}:")
        array = c.read("%slots", slot, "ptr")
        check_vector(c, array, length, "slow", e.dtype)
        c.set(values, c.of_object(array, ARRAY_DATA))
        c.label(f"taken_{tag}")
        place = c.object_at(c.get(values))
        c.set_field(c.entry(Context.INPUT_ROWS, i), place, context)
        unsure = c.equal(c.field(e.kernel.of(Single.UNCHECKED), "%answer"), 0)
        with c.when(c.let(f"or i1 {unsure}, {theirs}")):
            scan(c, place, length, mark, e.bits)
    c.unless(all_finite(c, mark, e.bits), "slow")


def no_places(c: Call) -> str:
    places = c.room(f"[{MOST_RESULTS} x ptr]")
    for r in range(MOST_RESULTS):
        c.write(places, r, "null", "ptr")
    return places


def check_given(c: Call, context: str, dtype: str, size: str, rows: str = "") -> None:
    """The caller's array: it can take the (only) result, and overlaps no input.  size: bytes of
    one number, of all rows."""
    given, result = c.object_at("%given"), c.pointer("%answer", Answer.RESULT)
    c.unless(c.equal(c.field(Answer.RESULTS, "%answer"), 1), "slow")
    check_array(c, given, PLAIN | WRITEABLE, dtype, "slow")
    _check_shape(c, given, result, rows, "slow")
    out = c.of_object(given, ARRAY_DATA)
    end = c.add(out, c.mul(c.field(Result.COUNT, result), size))
    with c.loop(c.field(Answer.INPUTS, "%answer")) as i:
        start = c.field(c.entry(Context.INPUT_ROWS, i), context, "i64")
        stop = c.add(start, c.mul(c.field(c.entry(Answer.SIZES, i), "%answer"), size))
        before = c.let(f"icmp ule i64 {stop}, {out}")
        after = c.let(f"icmp ule i64 {end}, {start}")
        c.unless(c.let(f"or i1 {before}, {after}"), "slow")  # it copies


def _check_shape(c: Call, array: str, result: str, rows: str, target: str) -> None:
    """The shape of a result, with the rows of a batch before it."""
    dimensions = c.let(f"zext i32 {c.of_object(array, ARRAY_ND, 'i32')} to i64")
    before = 1 if rows else 0
    c.unless(c.equal(c.sub(dimensions, before), c.field(Result.DIMENSIONS, result)), target)
    shape = c.of_object(array, ARRAY_DIMS, "ptr")
    if rows:
        c.unless(c.equal(c.read(shape, 0), rows), target)
    with c.loop(dimensions, before) as k:
        expected = c.field(c.entry(Result.SHAPE, c.sub(k, before)), result)
        c.unless(c.equal(c.read(shape, k), expected), target)


def find_place(
    c: Call, result: str, places: str, r: str, rows: str = "", dtype: str = "", again: bool = False
) -> None:
    """The given array, a new one, or first an earlier result that nobody holds any more."""
    tag = c.name()[1:]
    place = c.variable("%given")
    with c.when(c.differ("%given", 0)):
        c.do("call void @armillary_Py_IncRef(ptr " + c.object_at("%given") + ")")
        c.do(f"br label %placed_{tag}")
        c.do(f"given_{tag}:")
    if again:
        _use_again(c, result, place, f"placed_{tag}")
    _allocate(c, result, place, rows, dtype)
    c.unless(c.differ(c.get(place), 0), "failed")
    c.label(f"placed_{tag}")
    c.write(places, r, c.get(place))


def _use_again(c: Call, result: str, place: str, target: str) -> None:
    """An earlier result that nobody but us holds, and nobody has changed: go on with it."""
    taken = f"taken_{target}"
    with c.loop(c.field(Result.KEPT_COUNT, result)) as k:
        array = c.field(c.entry(Result.KEPT, k), result)
        c.unless(c.let(f"icmp eq i32 {c.of_object(array, 0, 'i32')}, 1"), taken)
        c.unless(c.equal(c.of_object(array, ARRAY_WEAK_REFERENCES), 0), taken)
        check_array(c, array, PLAIN | WRITEABLE, c.field(Data.DTYPE, "%data", "i64"), taken)
        _check_shape(c, array, result, "", taken)
        c.do(f"call void @armillary_Py_IncRef(ptr {array})")
        c.set(place, c.let(f"ptrtoint ptr {array} to i64"))
        c.do(f"br label %{target}")
        c.do(f"{taken}:")


def _allocate(c: Call, result: str, place: str, rows: str, dtype: str) -> None:
    kind = c.object_at(dtype)
    c.do(f"call void @armillary_Py_IncRef(ptr {kind})")  # the call takes it over
    count, shape = c.field(Result.DIMENSIONS, result), c.pointer(result, Result.SHAPE)
    if rows:
        inner, shape = shape, c.room("[5 x i64]")
        c.write(shape, 0, rows)
        with c.loop(count) as k:
            c.write(shape, c.add(k, 1), c.read(inner, k))
        count = c.add(count, 1)
    dimensions = c.let(f"trunc i64 {count} to i32")
    make, type_ = c.field(Data.NEW_ARRAY, "%data"), c.field(Data.ARRAY_TYPE, "%data")
    array = c.let(
        f"call ptr {make}(ptr {type_}, ptr {kind}, i32 {dimensions}, ptr {shape}, ptr null, "
        f"ptr null, i32 0, ptr null)"
    )
    c.set(place, c.let(f"ptrtoint ptr {array} to i64"))


def _take_result(
    c: Call, result: str, places: str, r: str, context: str, mark: tuple[str, str], e: Element
) -> None:
    """Numbers in the order of the result, looked through; a number as an object."""
    source = c.read(context, c.field(Result.SOURCE, result))
    count, order = c.field(Result.COUNT, result), c.field(Result.ORDER, result)
    values = c.variable(source)
    with c.when(c.let(f"icmp ne ptr {order}, null")):
        numbers = c.object_at(source)
        c.set(values, c.of_object(c.read(places, r, "ptr"), ARRAY_DATA))
        into = c.object_at(c.get(values))
        kind, size = f"i{e.bits}", e.bits // 8
        with c.loop(count) as k:
            c.write(into, k, c.read(numbers, c.read(order, k), kind, size), kind, size)
    scan(c, c.object_at(c.get(values)), count, mark, e.bits)
    with c.when(c.equal(c.field(Result.DIMENSIONS, result), 0)):
        make, dtype = c.field(Data.NEW_NUMBER, "%data"), c.field(e.dtype, "%data")
        number = c.let(f"call ptr {make}(ptr {c.object_at(source)}, ptr {dtype}, ptr null)")
        c.unless(c.let(f"icmp ne ptr {number}, null"), "failed")
        c.write(places, r, number, "ptr")


def give(c: Call, places: str) -> None:
    """The end of a call: one result, or all of them in an object; otherwise none is left."""
    with c.when(c.equal(c.field(Answer.FORM, "%answer"), 0)):
        c.do(f"ret ptr {c.read(places, 0, 'ptr')}")
        c.do("after_one:")
    made = c.let(f"call ptr @finish(ptr %answer, ptr {places})")
    c.unless(c.let(f"icmp ne ptr {made}, null"), "failed")
    c.do(f"ret ptr {made}")
    for label, end in (("drop", _SLOW), ("failed", "null")):
        c.do(f"{label}:")
        with c.loop(MOST_RESULTS) as r:
            c.do(f"call void @armillary_Py_DecRef(ptr {c.read(places, r, 'ptr')})")
        c.do(f"ret ptr {end}")
    c.do("slow:")
    c.do(f"ret ptr {_SLOW}")


def finish_text() -> str:
    """A tuple, or another object, that takes over all results."""
    c = Call("finish", ("ptr %answer", "ptr %places"))
    with c.when(c.equal(c.field(Answer.FORM, "%answer"), 1)):
        count = c.field(Answer.RESULTS, "%answer")
        made = c.let(f"call ptr @armillary_PyTuple_New(i64 {count})")
        c.unless(c.let(f"icmp ne ptr {made}, null"), "failed")
        items = c.pointer(made, TUPLE_ITEMS, "i8")
        with c.loop(count) as r:
            c.write(items, r, c.read("%places", r))
        c.do(f"ret ptr {made}")
        c.do("after_tuple:")
    kind, items = c.field(Answer.TYPE, "%answer"), c.field(Answer.ITEMS, "%answer")
    made = c.let(f"call ptr @armillary_PyType_GenericAlloc(ptr {kind}, i64 {items})")
    c.unless(c.let(f"icmp ne ptr {made}, null"), "failed")
    with c.loop(c.field(Answer.PARTS, "%answer")) as k:
        place = c.pointer("%answer", c.add(c.mul(k, Part.SIZE), Answer.PART))
        which, word = c.field(Part.RESULT, place), c.variable(0)
        c.set(word, c.field(Part.CONSTANT, place))
        with c.when(c.let(f"icmp sge i64 {which}, 0")):
            c.set(word, c.read("%places", which))
        with c.when(c.equal(which, -1)):
            c.do(f"call void @armillary_Py_IncRef(ptr {c.object_at(c.get(word))})")
        c.write(c.pointer(made, c.field(Part.OFFSET, place), "i8"), 0, c.get(word))
    c.do(f"ret ptr {made}")
    c.do("failed:")
    c.do("ret ptr null")
    return c.text()
