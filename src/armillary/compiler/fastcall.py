"""A callable type whose calls go straight to a kernel: about 60 ns from Python to machine code.

The calls check their arguments natively (type, dtype, contiguity, size, finite numbers) and
allocate the result.  Whatever is not the plain case goes to the Python function behind it.  The
layout of numpy arrays is read from memory; it is probed first, and an interpreter that does not
fit gets the Python function alone.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from armillary.compiler.code import Code
from armillary.compiler.context import Context
from armillary.compiler.jit import Library, add_symbol


class Data:
    """Fields of the integers behind a fast call."""

    ARRAY_TYPE = 0  # address of numpy.ndarray
    DTYPE = 1  # address of the dtype object
    INPUTS = 2  # number of inputs; -1: not ready, always the Python function
    KERNEL = 3  # code: void batch(ctx)
    CONTEXT = 4
    SLOW = 5  # the Python function
    NEW_ARRAY = 6  # PyArray_NewFromDescr
    VECTORCALL = 7  # PyObject_Vectorcall
    INCREF = 8  # Py_IncRef
    OUT_NAME = 9  # the interned string "out"
    DIMENSIONS = 10  # of the result
    SHAPE = 11  # up to 4
    RESULT = 15  # numbers of the result
    SIZES = 16  # numbers of each input
    OUTPUTS = 24  # results, all of one shape; more than one: a tuple of them
    NEW_TUPLE = 25  # PyTuple_New
    SET_ITEM = 26  # PyTuple_SetItem
    SIZE = 27


# struct PyArrayObject: object head, then data, nd, dims, strides, base, descr, flags
_ARRAY_DATA, _ARRAY_ND, _ARRAY_DIMS, _ARRAY_DESCR, _ARRAY_FLAGS = 16, 24, 32, 56, 64
_PLAIN = 0x101  # C-contiguous and aligned
_WRITEABLE = 0x400
# struct of our objects: head, code, data, dict
_CODE, _DATA, _DICT, _OBJECT_SIZE = 16, 24, 32, 40


def _field(c: Code, base: str, offset: int, kind: str = "i64") -> str:
    return c.let(f"load {kind}, ptr {c.pointer(base, offset, 'i8')}, align 4")


def _data(c: Code, index: str | int, kind: str = "i64") -> str:
    return c.read("%data", index, kind)


class _Call(Code):
    """A function that returns a pointer."""

    def __init__(self, name: str, arguments: tuple[str, ...], result: str = "ptr"):
        super().__init__(name, arguments)
        self.lines[0] = self.lines[0].replace("define void", f"define {result}", 1)

    def text(self) -> str:
        return "\n".join([*self.lines, "}"])

    def unless(self, condition: str, target: str) -> None:
        """Leave for `target` where the condition fails."""
        on = self.name()[1:]
        self.do(f"br i1 {condition}, label %on_{on}, label %{target}")
        self.do(f"on_{on}:")


def _check_array(c: _Call, array: str, flags: int) -> None:
    """An exact ndarray of our dtype with the wanted flags, or the slow way."""
    c.unless(c.equal(_field(c, array, 8), _data(c, Data.ARRAY_TYPE)), "slow")
    c.unless(c.equal(_field(c, array, _ARRAY_DESCR), _data(c, Data.DTYPE)), "slow")
    found = c.let(f"and i32 {_field(c, array, _ARRAY_FLAGS, 'i32')}, {flags}")
    c.unless(c.let(f"icmp eq i32 {found}, {flags}"), "slow")


def _call_text(element: str) -> str:
    """The vectorcall function of one element type."""
    c = _Call(f"call_{element}", ("ptr %self", "ptr %args", "i64 %nargsf", "ptr %names"))
    c.do("%data = " + f"load ptr, ptr {c.pointer('%self', _DATA, 'i8')}, align 8")
    count = c.let("and i64 %nargsf, 9223372036854775807")
    c.unless(c.equal(count, _data(c, Data.INPUTS)), "slow")
    given = c.variable("0")
    with c.when(c.let("icmp ne ptr %names, null")):
        c.unless(c.equal(_field(c, "%names", 16), 1), "slow")
        c.unless(c.equal(_field(c, "%names", 24), _data(c, Data.OUT_NAME)), "slow")
        out = c.read("%args", count)
        c.set(given, out)
        array = c.let(f"inttoptr i64 {out} to ptr")
        _check_array(c, array, _PLAIN | _WRITEABLE)
        _check_shape(c, array)
    context = _data(c, Data.CONTEXT, "ptr")
    _take_inputs(c, element, count, context)
    _avoid_overlap(c, element, count, context, given)
    with c.when(c.let(f"icmp ne i64 {_data(c, Data.OUTPUTS)}, 1")):
        c.unless(c.equal(c.get(given), 0), "slow")
        _run_for_tuple(c, context)
        c.do("after_tuple:")
    with c.when(c.equal(c.get(given), 0)):
        _allocate(c, given)
        c.unless(c.let(f"icmp ne i64 {c.get(given)}, 0"), "failed")
        c.do("br label %run")
        c.do("unused:")
    pointer = c.let(f"inttoptr i64 {c.get(given)} to ptr")
    c.do(f"call void {_data(c, Data.INCREF, 'ptr')}(ptr {pointer})")
    c.label("run")
    result = c.let(f"inttoptr i64 {c.get(given)} to ptr")
    c.write(context, Context.OUTPUT_ROWS, _field(c, result, _ARRAY_DATA))
    c.do(f"call void {_data(c, Data.KERNEL, 'ptr')}(ptr {context})")
    # a result that is not finite has a reason: the Python function looks for it
    mark = _mark(c, element)
    _scan(c, element, _field(c, result, _ARRAY_DATA, "ptr"), _data(c, Data.RESULT), mark)
    c.unless(_unmarked(c, element, mark), "drop")
    c.do(f"ret ptr {result}")
    c.do("drop:")
    c.do(f"call void @armillary_Py_DecRef(ptr {result})")
    c.do("br label %slow")
    c.do("failed:")
    c.do("ret ptr null")
    c.do("slow:")
    slow, forward = _data(c, Data.SLOW, "ptr"), _data(c, Data.VECTORCALL, "ptr")
    answer = c.let(f"call ptr {forward}(ptr {slow}, ptr %args, i64 %nargsf, ptr %names)")
    c.do(f"ret ptr {answer}")
    return c.text()


def _check_shape(c: _Call, array: str) -> None:
    dimensions = c.let(f"zext i32 {_field(c, array, _ARRAY_ND, 'i32')} to i64")
    c.unless(c.equal(dimensions, _data(c, Data.DIMENSIONS)), "slow")
    shape = _field(c, array, _ARRAY_DIMS, "ptr")
    with c.loop(dimensions) as k:
        c.unless(c.equal(c.read(shape, k), _data(c, c.add(k, Data.SHAPE))), "slow")


def _take_inputs(c: _Call, element: str, count: str, context: str) -> None:
    """Check every input and put its address into the context."""
    mark = _mark(c, element)
    with c.loop(count) as i:
        array = c.read("%args", i, "ptr")
        _check_array(c, array, _PLAIN)
        c.unless(c.let(f"icmp eq i32 {_field(c, array, _ARRAY_ND, 'i32')}, 1"), "slow")
        length = c.read(_field(c, array, _ARRAY_DIMS, "ptr"), 0)
        c.unless(c.equal(length, _data(c, c.add(i, Data.SIZES))), "slow")
        values = _field(c, array, _ARRAY_DATA, "ptr")
        c.write(context, c.add(i, Context.INPUT_ROWS), values, "ptr")
        _scan(c, element, values, length, mark)
    c.unless(_unmarked(c, element, mark), "slow")


_BITS = {"double": ("i64", 0x7FF0 << 48), "float": ("i32", 0x7F80 << 16)}


def _mark(c: _Call, element: str) -> str:
    """A flag that `_scan` sets."""
    bits, _ = _BITS[element]
    mark = c.name()
    c.lines.insert(2, f"{mark} = alloca {bits}")
    c.do(f"store {bits} 0, ptr {mark}")
    return mark


def _scan(c: _Call, element: str, values: str, length: str, mark: str) -> None:
    """Set the flag where a number is not finite: all bits of its exponent are set."""
    bits, exponent = _BITS[element]
    with c.loop(length) as k:
        number = c.read(values, k, bits, 4)
        found = c.let(f"icmp eq {bits} {c.let(f'and {bits} {number}, {exponent}')}, {exponent}")
        before, now = c.let(f"load {bits}, ptr {mark}"), c.let(f"zext i1 {found} to {bits}")
        c.do(f"store {bits} {c.let(f'or {bits} {before}, {now}')}, ptr {mark}")


def _unmarked(c: _Call, element: str, mark: str) -> str:
    bits, _ = _BITS[element]
    return c.let(f"icmp eq {bits} {c.let(f'load {bits}, ptr {mark}')}, 0")


def _avoid_overlap(c: _Call, element: str, count: str, context: str, given: str) -> None:
    """A result that overlaps an input goes the slow way, which copies."""
    size = 8 if element == "double" else 4
    with c.when(c.let(f"icmp ne i64 {c.get(given)}, 0")):
        out = _field(c, c.let(f"inttoptr i64 {c.get(given)} to ptr"), _ARRAY_DATA)
        end = c.add(out, c.mul(_data(c, Data.RESULT), size))
        with c.loop(count) as i:
            start = c.read(context, c.add(i, Context.INPUT_ROWS))
            stop = c.add(start, c.mul(_data(c, c.add(i, Data.SIZES)), size))
            before = c.let(f"icmp ule i64 {stop}, {out}")
            after = c.let(f"icmp ule i64 {end}, {start}")
            c.unless(c.let(f"or i1 {before}, {after}"), "slow")


def _run_for_tuple(c: _Call, context: str) -> None:
    """Several results: allocate all, run, and return them as a tuple."""
    count = _data(c, Data.OUTPUTS)
    made = c.let(f"call ptr {_data(c, Data.NEW_TUPLE, 'ptr')}(i64 {count})")
    c.unless(c.let(f"icmp ne ptr {made}, null"), "failed")
    with c.loop(count) as k:
        place = c.variable(0)
        _allocate(c, place)
        c.unless(c.let(f"icmp ne i64 {c.get(place)}, 0"), "failed")
        array = c.let(f"inttoptr i64 {c.get(place)} to ptr")
        c.write(context, c.add(k, Context.OUTPUT_ROWS), _field(c, array, _ARRAY_DATA))
        c.let(f"call i32 {_data(c, Data.SET_ITEM, 'ptr')}(ptr {made}, i64 {k}, ptr {array})")
    c.do(f"call void {_data(c, Data.KERNEL, 'ptr')}(ptr {context})")
    c.do(f"ret ptr {made}")


def _allocate(c: _Call, given: str) -> None:
    dtype = _data(c, Data.DTYPE, "ptr")
    c.do(f"call void {_data(c, Data.INCREF, 'ptr')}(ptr {dtype})")  # the call takes it over
    kind = _data(c, Data.ARRAY_TYPE, "ptr")
    dimensions = c.let(f"trunc i64 {_data(c, Data.DIMENSIONS)} to i32")
    shape = c.pointer("%data", Data.SHAPE)
    make = _data(c, Data.NEW_ARRAY, "ptr")
    array = c.let(
        f"call ptr {make}(ptr {kind}, ptr {dtype}, i32 {dimensions}, ptr {shape}, ptr null, "
        f"ptr null, i32 0, ptr null)"
    )
    c.set(given, c.let(f"ptrtoint ptr {array} to i64"))


def _life_text() -> str:
    """What the garbage collector needs of the type: traverse, clear, dealloc."""

    def function(name: str) -> str:
        return f"@armillary_{name}"

    place = f"getelementptr i8, ptr %self, i64 {_DICT}"
    return f"""
declare void @armillary_Py_DecRef(ptr)
declare void @armillary_PyObject_GC_UnTrack(ptr)
declare void @armillary_PyObject_GC_Del(ptr)
define i32 @traverse(ptr %self, ptr %visit, ptr %arg) {{
entry:
  %place = {place}
  %dict = load ptr, ptr %place
  %none = icmp eq ptr %dict, null
  br i1 %none, label %type, label %visit_dict
visit_dict:
  %r = call i32 %visit(ptr %dict, ptr %arg)
  %bad = icmp ne i32 %r, 0
  br i1 %bad, label %stop, label %type
stop:
  ret i32 %r
type:
  %tp = getelementptr i8, ptr %self, i64 8
  %t = load ptr, ptr %tp
  %s = call i32 %visit(ptr %t, ptr %arg)
  ret i32 %s
}}
define i32 @clear(ptr %self) {{
entry:
  %place = {place}
  %dict = load ptr, ptr %place
  store ptr null, ptr %place
  call void {function("Py_DecRef")}(ptr %dict)
  ret i32 0
}}
define void @dealloc(ptr %self) {{
entry:
  call void {function("PyObject_GC_UnTrack")}(ptr %self)
  %r = call i32 @clear(ptr %self)
  %tp = getelementptr i8, ptr %self, i64 8
  %t = load ptr, ptr %tp
  call void {function("PyObject_GC_Del")}(ptr %self)
  call void {function("Py_DecRef")}(ptr %t)
  ret void
}}
"""


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("basicsize", ctypes.c_int),
                ("itemsize", ctypes.c_int), ("flags", ctypes.c_uint),
                ("slots", ctypes.POINTER(_Slot)))  # fmt: skip


class _Member(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("type", ctypes.c_int), ("offset", ctypes.c_ssize_t),
                ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))  # fmt: skip


_SLOTS = {"tp_call": 50, "tp_clear": 51, "tp_dealloc": 52, "tp_traverse": 71, "tp_members": 72}
_HAVE_GC, _HAVE_VECTORCALL = 1 << 14, 1 << 11


class Machinery:
    """The type of fast callables, and what their data need of Python and numpy."""

    def __init__(self) -> None:
        names = ("Py_DecRef", "Py_IncRef", "PyObject_GC_UnTrack", "PyObject_GC_Del",
                 "PyVectorcall_Call", "PyObject_Vectorcall", "PyTuple_New",
                 "PyTuple_SetItem")  # fmt: skip
        self.api = {name: _address(getattr(ctypes.pythonapi, name)) for name in names}
        for name, address in self.api.items():
            add_symbol(f"armillary_{name}", address)
        text = "\n".join([_call_text("double"), _call_text("float"), _life_text()])
        symbols = ["call_double", "call_float", "traverse", "clear", "dealloc"]
        self.library = Library(text, symbols, optimize=2)
        self.out_name = sys.intern("out")
        self.type = self._make_type()

    def _make_type(self) -> Any:
        code = self.library.addresses
        self._members = (_Member * 3)(
            _Member(b"__vectorcalloffset__", 19, _CODE, 1, None),
            _Member(b"__dictoffset__", 19, _DICT, 1, None),
            _Member(None, 0, 0, 0, None),
        )
        pairs = {
            "tp_call": self.api["PyVectorcall_Call"],
            "tp_clear": code["clear"],
            "tp_dealloc": code["dealloc"],
            "tp_traverse": code["traverse"],
            "tp_members": ctypes.addressof(self._members),
        }
        slots = [_Slot(_SLOTS[name], address) for name, address in pairs.items()]
        self._slots = (_Slot * (len(slots) + 1))(*slots, _Slot(0, None))
        self._spec = _Spec(b"armillary.Function", _OBJECT_SIZE, 0, _HAVE_GC | _HAVE_VECTORCALL,
                           self._slots)  # fmt: skip
        make = ctypes.pythonapi.PyType_FromSpec
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p]
        return make(ctypes.addressof(self._spec))

    def make(self, element: str, data_address: int) -> Any:
        """A callable on the given data; its attributes may be set like any object's."""
        allocate = ctypes.pythonapi.PyType_GenericAlloc
        allocate.restype, allocate.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_ssize_t]
        new = allocate(self.type, 0)
        place = id(new)
        code = self.library.addresses[f"call_{element}"]
        ctypes.c_int64.from_address(place + _CODE).value = code
        ctypes.c_int64.from_address(place + _DATA).value = data_address
        return new


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def fits(array: Any, dtype: Any) -> bool:
    """Does a numpy array lie in memory as we read it?  (array: any small 2-D contiguous one.)"""
    if sys.implementation.name != "cpython" or sys.maxsize < 2**32:
        return False
    if sys.version_info[:2] > (3, 14) or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    place = id(array)

    def read(offset: int, kind: Any) -> int:
        return int(kind.from_address(place + offset).value)

    dims = read(_ARRAY_DIMS, ctypes.c_int64)
    flags = read(_ARRAY_FLAGS, ctypes.c_int32)
    return (
        read(8, ctypes.c_int64) == id(type(array))
        and read(_ARRAY_DATA, ctypes.c_int64) == array.ctypes.data
        and read(_ARRAY_ND, ctypes.c_int32) == array.ndim
        and tuple((ctypes.c_int64 * array.ndim).from_address(dims)) == array.shape
        and read(_ARRAY_DESCR, ctypes.c_int64) == id(dtype)
        and flags & (_PLAIN | _WRITEABLE) == _PLAIN | _WRITEABLE
    )


def data_address(array: Any) -> int:
    """Where the numbers of an array stand; only where `fits` said so."""
    return ctypes.c_int64.from_address(id(array) + _ARRAY_DATA).value


@cache
def machinery() -> Machinery:
    return Machinery()


def capsule_table(capsule: Any) -> Callable[[int], int]:
    """Entries of the C function table in a capsule (numpy's _ARRAY_API)."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(capsule, None) or 0
    return lambda index: int(ctypes.c_int64.from_address(table + 8 * index).value)
