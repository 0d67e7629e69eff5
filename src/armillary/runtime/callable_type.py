"""A callable type whose calls go straight to a kernel: about 60 ns from Python to machine code.

The calls check their arguments natively (type, dtype, contiguity, size, finite numbers) and
allocate the result.  Whatever is not the plain case goes to the Python function behind it.  The
layout of numpy arrays is read from memory; it is probed first, and an interpreter that does not
fit gets the Python function alone.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from armillary.codegen.abi import Context
from armillary.codegen.cache import key_of
from armillary.codegen.code import Code
from armillary.codegen.jit import Library, add_symbol
from armillary.codegen.llvm import external
from armillary.codegen.sources import fingerprint
from armillary.runtime.call_arguments import (
    ARRAY_DATA,
    ARRAY_DESCR,
    ARRAY_DIMS,
    ARRAY_FLAGS,
    ARRAY_ND,
    CODE,
    DATA,
    DICT,
    OBJECT_SIZE,
    PLAIN,
    WRITEABLE,
    resolve_text,
)
from armillary.shown import function_text


def _life_text() -> str:
    """What the garbage collector needs of the type: traverse, clear, dealloc."""

    place = f"getelementptr i8, ptr %self, i64 {DICT}"
    return f"""
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
  call void @armillary_Py_DecRef(ptr %dict)
  ret i32 0
}}
define void @dealloc(ptr %self) {{
entry:
  call void @armillary_PyObject_GC_UnTrack(ptr %self)
  %r = call i32 @clear(ptr %self)
  %tp = getelementptr i8, ptr %self, i64 8
  %t = load ptr, ptr %tp
  call void @armillary_PyObject_GC_Del(ptr %self)
  call void @armillary_Py_DecRef(ptr %t)
  ret void
}}
"""


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


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_SLOTS = {"tp_call": 50, "tp_clear": 51, "tp_dealloc": 52, "tp_traverse": 71, "tp_members": 72}
_HAVE_GC, _HAVE_VECTORCALL = 1 << 14, 1 << 11


# functions of Python's C interface, as LLVM declares them
_API = {
    "Py_DecRef": "void (ptr)",
    "Py_IncRef": "void (ptr)",
    "PyObject_GC_UnTrack": "void (ptr)",
    "PyObject_GC_Del": "void (ptr)",
    "PyObject_Vectorcall": "ptr (ptr, ptr, i64, ptr)",
    "PyTuple_New": "ptr (i64)",
    "PyType_GenericAlloc": "ptr (ptr, i64)",
    "PyDict_GetItemWithError": "ptr (ptr, ptr)",
    "PyDict_Next": "i32 (ptr, ptr, ptr, ptr)",
    "PyLong_AsSsize_t": "i64 (ptr)",
    "PyMem_RawMalloc": "ptr (i64)",
    "PyMem_RawFree": "void (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
}


# Texts are written only where no earlier process has compiled them.


def _text(*parts: Callable[[], str]) -> str:
    """Functions that may call Python, and end with an object of results."""
    from armillary.runtime.call_code import finish_text

    declared = [external(f"armillary_{name}", kind) for name, kind in _API.items()]
    return "\n".join([*declared, finish_text(), *(part() for part in parts)])


def _double_text() -> str:
    """The type, and calls with one state of doubles."""
    from armillary.runtime.call_code import DOUBLE, call_text, single_text

    single = partial(single_text, DOUBLE)
    return _text(resolve_text, single, call_text, _constant_text, _life_text)


def _float_text() -> str:
    from armillary.runtime.call_code import FLOAT, single_text

    return _text(partial(single_text, FLOAT))


def _batch_text() -> str:
    from armillary.runtime.call_batch import batch_text

    return _text(batch_text)


_PARTS = {"single_float": _float_text, "batch": _batch_text}


def _compiled(text: Callable[[], str], symbols: list[str]) -> Library:
    source = fingerprint()
    known = None if source is None else key_of([source, "callable type", *symbols])
    return Library(text, symbols, identity=known)


class Machinery:
    """The type of fast callables, and what their data need of Python and numpy."""

    def __init__(self) -> None:
        for name in _API:
            add_symbol(f"armillary_{name}", _address(getattr(ctypes.pythonapi, name)))
        symbols = ["call", "constant", "traverse", "clear", "dealloc"]
        self.library = _compiled(_double_text, symbols)
        self.parts: dict[str, Library] = {}  # compiled when first needed
        self.type = self._make_type()

    def _make_type(self) -> object:
        code = self.library.addresses
        self._members = (_Member * 3)(
            _Member(b"__vectorcalloffset__", 19, CODE, 1, None),
            _Member(b"__dictoffset__", 19, DICT, 1, None),
            _Member(None, 0, 0, 0, None),
        )
        pairs = {
            "tp_call": _address(ctypes.pythonapi.PyVectorcall_Call),
            "tp_clear": code["clear"],
            "tp_dealloc": code["dealloc"],
            "tp_traverse": code["traverse"],
            "tp_members": ctypes.addressof(self._members),
        }
        slots = [_Slot(_SLOTS[name], address) for name, address in pairs.items()]
        self._slots = (_Slot * (len(slots) + 1))(*slots, _Slot(0, None))
        flags = _HAVE_GC | _HAVE_VECTORCALL
        self._spec = _Spec(b"armillary.Function", OBJECT_SIZE, 0, flags, self._slots)
        make = ctypes.pythonapi.PyType_FromSpec
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p]
        made = make(ctypes.addressof(self._spec))
        made.__repr__, made.__getattr__ = function_text, _made_late
        return made

    def part(self, name: str) -> int:
        """The code for single states of floats ("single_float") or for rows of states ("batch").

        Most of the time before a first answer would go to these; few ask for both."""
        if name not in self.parts:
            self.parts.setdefault(name, _compiled(_PARTS[name], [name]))
        return self.parts[name].addresses[name]

    def make(self, data_address: int) -> Any:
        """A callable on the given data; its attributes may be set like any object's."""
        allocate = ctypes.pythonapi.PyType_GenericAlloc
        allocate.restype, allocate.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_ssize_t]
        new = allocate(self.type, 0)
        place = id(new)
        code = self.library.addresses["call"]
        ctypes.c_int64.from_address(place + CODE).value = code
        ctypes.c_int64.from_address(place + DATA).value = data_address
        return new


class _Late(Protocol):
    late: Mapping[str, Callable[[], object]]


def _made_late(function: _Late, name: str) -> object:
    """An attribute of a callable that is made when it is first asked for, by its entry of `late`,
    and kept."""
    if name == "late" or name not in function.late:
        raise AttributeError(f"'armillary.Function' object has no attribute '{name}'")
    found = function.late[name]()
    setattr(function, name, found)
    return found


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class _Memory(Protocol):
    @property
    def data(self) -> int: ...


class _Array(Protocol):
    """What is asked of a numpy array."""

    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ctypes(self) -> _Memory: ...


def fits(array: _Array, dtype: object) -> bool:
    """Does a numpy array lie in memory as we read it?  (array: any small 2-D contiguous one.)"""
    if sys.implementation.name != "cpython" or sys.maxsize < 2**32:
        return False
    if sys.version_info[:2] > (3, 14) or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    place = id(array)

    def read(offset: int, kind: type[ctypes.c_int64] | type[ctypes.c_int32]) -> int:
        return int(kind.from_address(place + offset).value)

    dims = read(ARRAY_DIMS, ctypes.c_int64)
    flags = read(ARRAY_FLAGS, ctypes.c_int32)
    return (
        read(8, ctypes.c_int64) == id(type(array))
        and read(ARRAY_DATA, ctypes.c_int64) == array.ctypes.data
        and read(ARRAY_ND, ctypes.c_int32) == array.ndim
        and tuple((ctypes.c_int64 * array.ndim).from_address(dims)) == array.shape
        and read(ARRAY_DESCR, ctypes.c_int64) == id(dtype)
        and flags & (PLAIN | WRITEABLE) == PLAIN | WRITEABLE
    )


def counts_holders(array: object) -> bool:
    """Is the first word of an object its reference count?  (array: a new one.)"""
    count = ctypes.c_int32.from_address(id(array))
    before, other = count.value, array
    return count.value == before + 1 and sys.getrefcount(other) == count.value + 1


def word_of(thing: object, offset: int) -> int:
    """What stands at an offset (bytes) of a Python object."""
    return ctypes.c_int64.from_address(id(thing) + offset).value


def data_address(array: object) -> int:
    """Where the numbers of an array stand; only where `fits` said so."""
    return word_of(array, ARRAY_DATA)


_first: dict[str, Machinery] = {}  # the only one: callables do not hold the code of their type


def machinery() -> Machinery:
    """That of this process.  Threads which make it at the same time all get the first one; a
    second one would be dropped while its callables are still alive."""
    return _first.get("") or _first.setdefault("", Machinery())


def capsule_table(capsule: object) -> Callable[[int], int]:
    """Entries of the C function table in a capsule (numpy's _ARRAY_API)."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(capsule, None) or 0
    return lambda index: int(ctypes.c_int64.from_address(table + 8 * index).value)
