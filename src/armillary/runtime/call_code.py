"""LLVM text of native calls: from the arguments of a Python call to a kernel and back.

A call may name a frame, coordinates, wrenches, other parameters: its arguments are sorted into the
slots of the signature, and what was chosen tells which `Answer` serves it.  Arrays are checked
natively (type, dtype, contiguity, size, finite numbers), results are made.  Whatever is not the
plain case goes to the Python function behind the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from armillary.codegen.abi import ARRAYS, Context
from armillary.codegen.code import Code
from armillary.codegen.struct import Struct, integer, pointer, structure
from armillary.runtime.finite_scan import all_finite, no_flags, scan

SLOTS = 12  # parameters of a signature
MOST_RESULTS = 4  # of one answer
KEPT = 4  # of each result, used again once nobody else holds it
MOST_PARTS = 8  # of an object that holds results
WRENCHES = 4  # given by name


class Data(Struct):
    """What stands behind a native call."""

    SLOW = pointer()  # the Python function
    NEW_ARRAY = pointer()  # PyArray_NewFromDescr
    NEW_NUMBER = pointer()  # PyArray_Scalar
    ARRAY_TYPE = pointer()  # numpy.ndarray
    DTYPE = pointer()  # the dtype object of doubles
    WORD_TYPES = pointer(2)  # str, bool
    DICT_TYPE = pointer()
    NONE = pointer()
    ANSWERS = pointer()  # address of the `Answer` by what was chosen; 0: there is none
    INPUTS = integer()  # arrays of the state, the first parameters
    PARAMETERS = integer()
    BY_PLACE = integer()  # parameters that need no name
    NAMES = pointer(SLOTS)  # interned
    WORDS = pointer(SLOTS)  # dict of what may be chosen: its part of the number of the answer
    REQUIRED = integer(SLOTS)  # 1: a choice that must be made
    WEIGHTS = integer(SLOTS)  # of an array that need not be given: its part of that number
    OUT = integer()  # slot of the array for the result; -1: none
    EXTERNAL = integer()  # slot of the wrenches; -1: none
    FRAMES = pointer()  # dict of the frames that wrenches may act in: number from 1
    RADIX = integer()  # beyond the largest of them
    LOADS = integer()  # sets of frames that are known
    LOAD_CODES = integer(ARRAYS)  # numbers of their frames, as digits
    LOAD_WEIGHT = integer()  # of the first set; of the k-th k times that


class Result(Struct):
    """An array of an answer, or a number."""

    SOURCE = integer()  # field of the context with the address of its numbers
    ORDER = pointer()  # which of them; 0: the kernel writes the result itself
    COUNT = integer()
    DIMENSIONS = integer()  # -1: a number
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


class Part(Struct):
    """A field of an object that holds results."""

    OFFSET = integer()  # bytes
    RESULT = integer()  # which of the results; -1: an object, -2: a word of memory
    CONSTANT = integer()


class Answer(Struct):
    """What serves the calls that make one choice."""

    KERNEL = pointer()  # code of one state: void batch(ctx); 0: not ready
    CONTEXT = pointer()
    INPUTS = integer()
    FROM = integer(ARRAYS)  # slot of each input
    SIZES = integer(ARRAYS)  # numbers of each input
    UNCHECKED = integer()  # 1: whatever input is not finite, the result shows it
    RESULTS = integer()
    RESULT = structure(Result, MOST_RESULTS)
    FORM = integer()  # 0: the result itself, 1: a tuple, 2: an object
    TYPE = pointer()  # of that object
    ITEMS = integer()  # of an object that is a tuple
    PARTS = integer()
    PART = structure(Part, MOST_PARTS)
    DOUBLES = structure(Batch)
    FLOATS = structure(Batch)
    LARGEST = integer()  # bytes of a result of a batch; larger ones are the Python function's


# struct PyArrayObject: object head, then data, nd, dims, strides, base, descr, flags
ARRAY_DATA, ARRAY_ND, ARRAY_DIMS, ARRAY_DESCR, ARRAY_FLAGS = 16, 24, 32, 56, 64
ARRAY_WEAK_REFERENCES = 72
TUPLE_ITEMS = tuple.__basicsize__  # after the head; since Python 3.14 after a hash, too
PLAIN = 0x101  # C-contiguous and aligned
WRITEABLE = 0x400
# struct of our objects: head, code, data, dict
CODE, DATA, DICT, OBJECT_SIZE = 16, 24, 32, 40

_SLOW = "inttoptr (i64 1 to ptr)"  # instead of a result: the Python function is asked
_SERVED = ("ptr %data", "ptr %answer", "ptr %slots", "ptr %wrenches", "i64 %given")


class Call(Code):
    """A function that returns a pointer (or a number)."""

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

    def differ(self, a: str, b: str | int) -> str:
        return self.let(f"icmp ne i64 {a}, {b}")

    def room(self, kind: str) -> str:
        """Memory of the function."""
        name = self.name()
        self.lines.insert(2, f"{name} = alloca {kind}")
        return name

    def of_object(self, base: str, offset: int, kind: str = "i64") -> str:
        """What stands at an offset (bytes) of a Python object."""
        return self.let(f"load {kind}, ptr {self.pointer(base, offset, 'i8')}, align 4")

    def object_at(self, address: str) -> str:
        return self.let(f"inttoptr i64 {address} to ptr")

    def of_type(self, thing: str, address: str) -> str:
        return self.equal(self.of_object(thing, 8), address)

    @contextmanager
    def each_result(self) -> Iterator[tuple[str, str]]:
        """(its number, its structure) of every result of the answer."""
        with self.loop(self.field(Answer.RESULTS, "%answer")) as r:
            place = self.add(self.mul(r, Result.SIZE), Answer.RESULT)
            yield r, self.pointer("%answer", place)


def machinery_text() -> str:
    """All functions of a call; `call` is the vectorcall function."""
    parts = (_resolve_text, _finish_text, _single_text, _batch_text, _call_text, _constant_text)
    return "\n".join(part() for part in parts)


def _call_text() -> str:
    c = Call("call", ("ptr %self", "ptr %args", "i64 %nargsf", "ptr %names"))
    c.do("%data = " + f"load ptr, ptr {c.pointer('%self', DATA, 'i8')}, align 8")
    count = c.let("and i64 %nargsf, 9223372036854775807")
    sorted_, wrenches = c.room(f"[{SLOTS} x ptr]"), c.room(f"[{6 * WRENCHES} x double]")
    number, given = c.variable(0), c.variable(0)
    unnamed = c.let("icmp eq ptr %names, null")
    short = c.equal(count, c.field(Data.INPUTS, "%data"))
    plain = c.let(f"and i1 {unnamed}, {short}")
    with c.when(c.let(f"xor i1 {plain}, true")):
        arguments = f"ptr %data, ptr %args, i64 {count}, ptr %names, ptr {sorted_}, ptr {wrenches}"
        found = c.let(f"call i64 @resolve({arguments})")
        c.unless(c.let(f"icmp sge i64 {found}, 0"), "slow")
        c.set(number, found)
        out = c.field(Data.OUT, "%data")
        with c.when(c.let(f"icmp sge i64 {out}, 0")):
            c.set(given, c.read(sorted_, out))
    slots = c.let(f"select i1 {plain}, ptr %args, ptr {sorted_}")
    answer = c.read(c.field(Data.ANSWERS, "%data"), c.get(number))
    c.unless(c.differ(answer, 0), "slow")
    first = c.read(slots, 0, "ptr")
    c.unless(c.of_type(first, c.field(Data.ARRAY_TYPE, "%data", "i64")), "slow")
    served = (f"ptr %data, ptr {c.object_at(answer)}, ptr {slots}, ptr {wrenches}, "
              f"i64 {c.get(given)}")  # fmt: skip
    one = c.let(f"icmp eq i32 {c.of_object(first, ARRAY_ND, 'i32')}, 1")
    for name in ("single", "batch"):
        if name == "single":
            c.do(f"br i1 {one}, label %single, label %batch")
        c.do(f"{name}:")
        result = c.let(f"call ptr @{name}({served})")
        c.unless(c.let(f"icmp ne ptr {result}, {_SLOW}"), "slow")
        c.do(f"ret ptr {result}")
    c.do("slow:")
    slow = f"ptr {c.field(Data.SLOW, '%data')}, ptr %args, i64 %nargsf, ptr %names"
    c.do(f"ret ptr {c.let(f'call ptr @armillary_PyObject_Vectorcall({slow})')}")
    return c.text()


# -- arguments ------------------------------------------------------------------------------------


def _resolve_text() -> str:
    """Arguments in the slots of the signature (null: not given); the number of the answer that
    they choose, or -1."""
    arguments = (
        "ptr %data",
        "ptr %args",
        "i64 %count",
        "ptr %names",
        "ptr %slots",
        "ptr %wrenches",
    )
    c = Call("resolve", arguments, "i64")
    total, inputs = c.field(Data.PARAMETERS, "%data"), c.field(Data.INPUTS, "%data")
    c.unless(c.let(f"icmp sle i64 %count, {c.field(Data.BY_PLACE, '%data')}"), "none")
    with c.loop(total) as k:
        early = c.let(f"icmp slt i64 {k}, %count")
        c.write("%slots", k, "null", "ptr")
        with c.when(early):
            c.write("%slots", k, c.read("%args", k, "ptr"), "ptr")
    with c.when(c.let("icmp ne ptr %names, null")):
        _sort_names(c, total)
    number = c.variable(0)
    with c.loop(inputs) as k:
        c.unless(c.differ(c.read("%slots", k), 0), "none")
    with c.loop(total, inputs) as k:
        _add_choice(c, k, number)
    c.do(f"ret i64 {c.get(number)}")
    c.do("none:")
    c.do("ret i64 -1")
    return c.text()


def _sort_names(c: Call, total: str) -> None:
    with c.loop(c.of_object("%names", 16)) as j:
        name = c.read(c.pointer("%names", TUPLE_ITEMS, "i8"), j)
        place = c.variable(-1)
        with c.loop(total) as k:
            with c.when(c.equal(c.field(c.entry(Data.NAMES, k), "%data", "i64"), name)):
                c.set(place, k)
        found = c.get(place)
        c.unless(c.let(f"icmp sge i64 {found}, 0"), "none")
        c.unless(c.equal(c.read("%slots", found), 0), "none")
        c.write("%slots", found, c.read("%args", c.add("%count", j)))


def _add_choice(c: Call, k: str, number: str) -> None:
    """The part of one argument in the number of the answer."""

    def more(part: str) -> None:
        c.set(number, c.add(c.get(number), part))

    tag = c.name()[1:]
    with c.when(c.equal(c.read("%slots", k), c.field(Data.NONE, "%data", "i64"))):
        c.unless(c.equal(c.field(c.entry(Data.WORDS, k), "%data", "i64"), 0), "none")
        c.write("%slots", k, "0")  # None is no array and no wrench
    thing = c.read("%slots", k, "ptr")
    c.do(f"%missing_{tag} = icmp eq ptr {thing}, null")
    c.do(f"br i1 %missing_{tag}, label %missing_at_{tag}, label %given_{tag}")
    c.do(f"missing_at_{tag}:")
    c.unless(c.equal(c.field(c.entry(Data.REQUIRED, k), "%data"), 0), "none")
    c.do(f"br label %next_{tag}")
    c.do(f"given_{tag}:")
    words = c.field(c.entry(Data.WORDS, k), "%data")
    with c.when(c.let(f"icmp ne ptr {words}, null")):
        more(_looked_up(c, words, thing))
        c.do(f"br label %next_{tag}")
        c.do(f"word_{tag}:")
    with c.when(c.equal(k, c.field(Data.EXTERNAL, "%data"))):
        _read_wrenches(c, thing, more)
        c.do(f"br label %next_{tag}")
        c.do(f"wrenches_{tag}:")
    with c.when(c.differ(k, c.field(Data.OUT, "%data"))):
        weight = c.field(c.entry(Data.WEIGHTS, k), "%data")
        c.unless(c.differ(weight, 0), "none")
        more(weight)
    c.label(f"next_{tag}")


def _looked_up(c: Call, known: str, word: str) -> str:
    """The number of a word (or of True, False) in a dictionary."""
    kind = c.of_object(word, 8)
    types = [c.equal(kind, c.field(Data.WORD_TYPES.at(k), "%data", "i64")) for k in range(2)]
    c.unless(c.let(f"or i1 {types[0]}, {types[1]}"), "none")
    found = c.let(f"call ptr @armillary_PyDict_GetItemWithError(ptr {known}, ptr {word})")
    c.unless(c.let(f"icmp ne ptr {found}, null"), "none")
    return c.let(f"call i64 @armillary_PyLong_AsSsize_t(ptr {found})")


def _read_wrenches(c: Call, given: str, more: object) -> None:
    """The numbers of the wrenches side by side, and the set of their frames."""
    assert callable(more)
    c.unless(c.of_type(given, c.field(Data.DICT_TYPE, "%data", "i64")), "none")
    at, key, value = c.variable(0), c.room("ptr"), c.room("ptr")
    code, count = c.variable(0), c.variable(0)
    step = f"ptr {given}, ptr {at}, ptr {key}, ptr {value}"
    with c.forever() as tag:
        left = c.let(f"call i32 @armillary_PyDict_Next({step})")
        c.break_if(tag, c.let(f"icmp eq i32 {left}, 0"))
        c.unless(c.let(f"icmp slt i64 {c.get(count)}, {WRENCHES}"), "none")
        frame = _looked_up(c, c.field(Data.FRAMES, "%data"), c.let(f"load ptr, ptr {key}"))
        c.set(code, c.add(c.mul(c.get(code), c.field(Data.RADIX, "%data")), frame))
        wrench = c.let(f"load ptr, ptr {value}")
        check_vector(c, wrench, "6", "none")
        numbers = c.of_object(wrench, ARRAY_DATA, "ptr")
        place = c.pointer("%wrenches", c.mul(c.get(count), 6))
        with c.loop(6) as n:
            c.write(place, n, c.read(numbers, n))
        c.set(count, c.add(c.get(count), 1))
    part = c.variable(0)
    with c.when(c.differ(c.get(count), 0)):
        with c.loop(c.field(Data.LOADS, "%data")) as k:
            with c.when(c.equal(c.field(c.entry(Data.LOAD_CODES, k), "%data"), c.get(code))):
                c.set(part, c.mul(c.add(k, 1), c.field(Data.LOAD_WEIGHT, "%data")))
        c.unless(c.differ(c.get(part), 0), "none")
    more(c.get(part))


def check_array(c: Call, array: str, flags: int, dtype: str, target: str) -> None:
    """An exact ndarray of our dtype with the wanted flags, or go to the target."""
    c.unless(c.of_type(array, c.field(Data.ARRAY_TYPE, "%data", "i64")), target)
    c.unless(c.equal(c.of_object(array, ARRAY_DESCR), dtype), target)
    found = c.let(f"and i32 {c.of_object(array, ARRAY_FLAGS, 'i32')}, {flags}")
    c.unless(c.let(f"icmp eq i32 {found}, {flags}"), target)


def check_vector(c: Call, array: str, length: str, target: str) -> None:
    """So many doubles in a row."""
    check_array(c, array, PLAIN, c.field(Data.DTYPE, "%data", "i64"), target)
    c.unless(c.let(f"icmp eq i32 {c.of_object(array, ARRAY_ND, 'i32')}, 1"), target)
    c.unless(c.equal(c.read(c.of_object(array, ARRAY_DIMS, "ptr"), 0), length), target)


# -- one state ------------------------------------------------------------------------------------


def _single_text() -> str:
    """One state of doubles.  Nothing of Python runs between the first look at an input and the
    last result: an object that holds results, which may start the garbage collector, and with it
    finalizers that call us again, is made when they are there."""
    c = Call("single", _SERVED)
    c.unless(c.differ(c.field(Answer.KERNEL, "%answer", "i64"), 0), "slow")
    context = c.field(Answer.CONTEXT, "%answer")
    _take_inputs(c, context)
    places = _no_places(c)
    with c.when(c.differ("%given", 0)):
        dtype = c.field(Data.DTYPE, "%data", "i64")
        _check_given(c, context, dtype, "8")
    with c.each_result() as (r, result):
        with c.when(c.let(f"icmp sge i64 {c.field(Result.DIMENSIONS, result)}, 0")):
            _find_place(c, result, places, r)
            with c.when(c.equal(c.field(Result.ORDER, result, "i64"), 0)):
                numbers = c.of_object(c.read(places, r, "ptr"), ARRAY_DATA)
                c.write(context, c.field(Result.SOURCE, result), numbers)
    c.do(f"call void {c.field(Answer.KERNEL, '%answer')}(ptr {context})")
    mark = no_flags(c)
    with c.each_result() as (r, result):
        _take_result(c, result, places, r, context, mark)
    # a result that is not finite has a reason: the Python function looks for it
    c.unless(all_finite(c, mark), "drop")
    _give(c, places)
    return c.text()


def _take_inputs(c: Call, context: str) -> None:
    """Check every input and put its address into the context."""
    mark = no_flags(c)
    with c.loop(c.field(Answer.INPUTS, "%answer")) as i:
        slot = c.field(c.entry(Answer.FROM, i), "%answer")
        length = c.field(c.entry(Answer.SIZES, i), "%answer")
        values = c.variable(0)
        c.set(values, c.let("ptrtoint ptr %wrenches to i64"))
        with c.when(c.differ(slot, c.field(Data.EXTERNAL, "%data"))):
            array = c.read("%slots", slot, "ptr")
            check_vector(c, array, length, "slow")
            c.set(values, c.of_object(array, ARRAY_DATA))
        place = c.object_at(c.get(values))
        c.set_field(c.entry(Context.INPUT_ROWS, i), place, context)
        with c.when(c.equal(c.field(Answer.UNCHECKED, "%answer"), 0)):
            scan(c, place, length, mark)
    c.unless(all_finite(c, mark), "slow")


def _no_places(c: Call) -> str:
    places = c.room(f"[{MOST_RESULTS} x ptr]")
    for r in range(MOST_RESULTS):
        c.write(places, r, "null", "ptr")
    return places


def _check_given(c: Call, context: str, dtype: str, size: str, rows: str = "") -> None:
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


def _find_place(c: Call, result: str, places: str, r: str, rows: str = "", dtype: str = "") -> None:
    """The given array, an earlier result that nobody holds any more, or a new array."""
    tag = c.name()[1:]
    place = c.variable("%given")
    with c.when(c.differ("%given", 0)):
        c.do("call void @armillary_Py_IncRef(ptr " + c.object_at("%given") + ")")
        c.do(f"br label %placed_{tag}")
        c.do(f"given_{tag}:")
    if not rows:
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
    kind = c.object_at(dtype) if dtype else c.field(Data.DTYPE, "%data")
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
    c: Call, result: str, places: str, r: str, context: str, mark: tuple[str, str]
) -> None:
    """Numbers in the order of the result, looked through; a number as an object."""
    source = c.read(context, c.field(Result.SOURCE, result))
    count, order = c.field(Result.COUNT, result), c.field(Result.ORDER, result)
    values = c.variable(source)
    with c.when(c.let(f"icmp ne ptr {order}, null")):
        numbers = c.object_at(source)
        c.set(values, c.of_object(c.read(places, r, "ptr"), ARRAY_DATA))
        into = c.object_at(c.get(values))
        with c.loop(count) as k:
            c.write(into, k, c.read(numbers, c.read(order, k)))
    scan(c, c.object_at(c.get(values)), count, mark)
    with c.when(c.let(f"icmp slt i64 {c.field(Result.DIMENSIONS, result)}, 0")):
        make, dtype = c.field(Data.NEW_NUMBER, "%data"), c.field(Data.DTYPE, "%data")
        number = c.let(f"call ptr {make}(ptr {c.object_at(source)}, ptr {dtype}, ptr null)")
        c.unless(c.let(f"icmp ne ptr {number}, null"), "failed")
        c.write(places, r, number, "ptr")


def _give(c: Call, places: str) -> None:
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


def _finish_text() -> str:
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


# -- rows of states -------------------------------------------------------------------------------


def _batch_text() -> str:
    """Straight-line code that writes every result itself, the GIL free meanwhile."""
    c = Call("batch", _SERVED)
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
    _take_rows(c, context, rows, dtype)
    places, bytes_ = _no_places(c), c.mul(rows, size)
    with c.when(c.differ("%given", 0)):
        _check_given(c, context, dtype, bytes_, rows)
    with c.each_result() as (r, result):
        total = c.mul(bytes_, c.field(Result.COUNT, result))
        small = c.let(f"icmp sle i64 {total}, {c.field(Answer.LARGEST, '%answer')}")
        c.unless(c.let(f"or i1 {small}, {c.differ('%given', 0)}"), "drop")
        _find_place(c, result, places, r, rows, dtype)
        numbers = c.of_object(c.read(places, r, "ptr"), ARRAY_DATA)
        c.write(context, c.field(Result.SOURCE, result), numbers)
    c.set_field(Context.ROWS, rows, context)
    thread = c.let("call ptr @armillary_PyEval_SaveThread()")
    c.do(f"call void {c.field(c.entry(Batch.KERNEL, start), '%answer')}(ptr {context})")
    c.do(f"call void @armillary_PyEval_RestoreThread(ptr {thread})")
    with c.when(c.equal(c.field(c.entry(Batch.CHECKED, start), "%answer"), 1)):
        mark = no_flags(c)
        with c.each_result() as (_, result):
            numbers = c.object_at(c.read(context, c.field(Result.SOURCE, result)))
            scan(c, numbers, c.mul(rows, c.field(Result.COUNT, result)), mark)
        c.unless(all_finite(c, mark), "drop")
    _give(c, places)
    return c.text()


def _take_rows(c: Call, context: str, rows: str, dtype: str) -> None:
    """Check every input and put its address and the length of its rows into the context."""
    with c.loop(c.field(Answer.INPUTS, "%answer")) as i:
        slot = c.field(c.entry(Answer.FROM, i), "%answer")
        c.unless(c.differ(slot, c.field(Data.EXTERNAL, "%data")), "slow")
        array = c.read("%slots", slot, "ptr")
        check_array(c, array, PLAIN, dtype, "slow")
        c.unless(c.let(f"icmp eq i32 {c.of_object(array, ARRAY_ND, 'i32')}, 2"), "slow")
        shape = c.of_object(array, ARRAY_DIMS, "ptr")
        width = c.field(c.entry(Answer.SIZES, i), "%answer")
        c.unless(c.equal(c.read(shape, 0), rows), "slow")
        c.unless(c.equal(c.read(shape, 1), width), "slow")
        values = c.of_object(array, ARRAY_DATA, "ptr")
        c.set_field(c.entry(Context.INPUT_ROWS, i), values, context)
        c.set_field(c.entry(Context.INPUT_STRIDES, i), width, context)


def _constant_text() -> str:
    """A kernel whose results are the same for all states: they stand among its constants."""
    c = Code("constant")
    numbers, start = c.field(Context.CONSTS), c.variable(0)
    with c.loop(c.field(Context.OUTPUT_COUNT)) as i:
        into = c.field(c.entry(Context.OUTPUT_ROWS, i))
        with c.loop(c.field(c.entry(Context.OUTPUT_SIZES, i))) as k:
            c.write(into, k, c.read(numbers, c.add(c.get(start), k)))
        c.set(start, c.add(c.get(start), c.field(c.entry(Context.OUTPUT_SIZES, i))))
    return c.text()
