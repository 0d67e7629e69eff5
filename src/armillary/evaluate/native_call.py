"""Functions of a mechanism as native callables, or as they are where that cannot be.

A callable knows the parameters of its function.  Every choice that they leave (frame, coordinates,
wrenches in certain frames, other parameters) has a number, and its own kernel once it was asked
for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from math import prod
from threading import Lock
from typing import Any, Protocol

import numpy as np

from armillary.codegen.abi import ARRAYS, Context
from armillary.codegen.target import native
from armillary.evaluate.inputs import Array, plain_call
from armillary.evaluate.kernel import LARGE, Kernel
from armillary.runtime import call_code
from armillary.runtime.call_arguments import TUPLE_ITEMS, Arguments, Data
from armillary.runtime.call_code import Answer, Batch, Part, Result, Single
from armillary.runtime.callable_type import capsule_table, counts_holders, fits, machinery, word_of

# bytes of a result that is not left to Python and kept_results.py: beyond, malloc keeps nothing;
# of several large results at once it keeps none
_LARGEST = 2**25
_NEW_NUMBER, _NEW_ARRAY = 60, 94  # PyArray_Scalar, PyArray_NewFromDescr in numpy's C functions


@cache
def available() -> bool:
    """Can this interpreter and this numpy be called natively?"""
    if not native():
        return False
    probe = np.arange(6.0).reshape(2, 3)
    try:
        return fits(probe, np.dtype(np.float64)) and all(map(_numpy_functions(), (60, 94)))
    except (AttributeError, ImportError, OSError, ValueError):
        return False


@cache
def _numpy_functions() -> Callable[[int], int]:
    core = import_module("numpy._core._multiarray_umath")
    return capsule_table(vars(core)["_ARRAY_API"])


class Callee(Protocol):
    """A kernel, as far as calls know it."""

    address: int
    input_sizes: list[int]
    output_shapes: dict[str, tuple[int, ...]]

    def context(self, rows: int, globals_: Array) -> tuple[np.ndarray, object]: ...


# -- what serves a call ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """A result: the numbers of a source (output of the kernel, or an input) in another order, or as
    they are.  shape: None: one number."""

    source: str
    shape: tuple[int, ...] | None
    order: np.ndarray | None = None


@dataclass(frozen=True)
class Serving:
    """How a choice is answered by kernels with such inputs and outputs.

    inputs: names, all in the signature.  frame: number of its body and X of a frame that kernels
    read.  make: an object of all results, by its class or function."""

    kernel: Callee
    globals_: Array
    inputs: tuple[str, ...] = ()
    frame: tuple[int, Array] | None = None
    results: tuple[Given, ...] = ()
    make: Callable[..., object] | None = None

    @cached_property
    def given(self) -> tuple[Given, ...]:
        shapes = self.kernel.output_shapes
        return self.results or tuple(Given(name, shape) for name, shape in shapes.items())


class _Served:
    """The memory of an answer."""

    def __init__(self, serving: Serving, slots: Sequence[int]):
        self.serving = serving
        self.data = d = np.zeros(Answer.SIZE, np.int64)
        kernel = serving.kernel
        count = len(kernel.input_sizes)
        d[Answer.INPUTS] = count
        d[Answer.FROM : Answer.FROM + count] = slots
        d[Answer.SIZES : Answer.SIZES + count] = kernel.input_sizes
        self.kept: list[Any] = []
        for k, given in enumerate(serving.given):
            self._describe(given, Answer.RESULT + k * Result.SIZE)
        d[Answer.RESULTS] = len(serving.given)
        direct = {given.source for given in serving.given if given.order is None}
        for k, (name, shape) in enumerate(kernel.output_shapes.items()):
            d[Answer.SCRATCH + k] = d[Answer.SCRATCH_SIZE]
            d[Answer.SCRATCH_SIZE] += 0 if name in direct else prod(shape)
        several = len(serving.given) > 1 and not d[Answer.SCRATCH_SIZE]
        d[Answer.LARGEST] = LARGE if several else _LARGEST
        d[Answer.FORM] = self._form()
        self.singles: dict[str, tuple] = {}
        self.batches: dict[str, tuple] = {}

    def _describe(self, given: Given, at: int) -> None:
        d, kernel = self.data, self.serving.kernel
        outputs = list(kernel.output_shapes)
        if given.source in outputs:
            d[at + Result.SOURCE] = Context.OUTPUT_ROWS + outputs.index(given.source)
        else:
            d[at + Result.SOURCE] = Context.INPUT_ROWS + self.serving.inputs.index(given.source)
        d[at + Result.COUNT] = 1 if given.shape is None else prod(given.shape)
        d[at + Result.WIDTH] = prod(kernel.output_shapes.get(given.source, ()))
        if given.shape is None:
            return
        d[at + Result.DIMENSIONS] = len(given.shape)
        d[at + Result.SHAPE : at + Result.SHAPE + len(given.shape)] = given.shape
        if given.order is not None:
            order = np.array(given.order, np.int64)
            self.kept.append(order)
            d[at + Result.ORDER] = order.ctypes.data
        if counts_holders(np.empty(1)):
            arrays = [np.empty(given.shape) for _ in range(call_code.KEPT)]
            d[at + Result.KEPT : at + Result.KEPT + len(arrays)] = [id(x) for x in arrays]
            d[at + Result.KEPT_COUNT] = len(arrays)
            self.kept += arrays

    def _form(self) -> int:
        """How results are given out; objects are copies of one that was made by Python."""
        count, make = len(self.serving.given), self.serving.make
        if make is None:
            return int(count > 1)
        marks = [object() for _ in range(count)]
        made = make(*marks)
        fields, d = _fields(made, marks), self.data
        d[Answer.TYPE], d[Answer.PARTS] = id(type(made)), len(fields)
        d[Answer.ITEMS] = len(made) if isinstance(made, tuple) else 0
        for k, place in enumerate(fields):
            at = Answer.PART + k * Part.SIZE
            d[at : at + Part.SIZE] = place
        self.kept += [made, *marks]
        return 2

    def switch_on(self, serving: Serving, dtype: np.dtype) -> None:
        kernel, numbers = serving.kernel, self.serving.globals_.astype(dtype)
        context, work = kernel.context(1, numbers)
        context[Context.INPUT_STRIDES : Context.INPUT_STRIDES + ARRAYS] = 0
        scratch = [np.zeros(prod(shape), dtype) for shape in kernel.output_shapes.values()]
        rows = [array.ctypes.data for array in scratch]
        context[Context.OUTPUT_ROWS : Context.OUTPUT_ROWS + len(rows)] = rows
        self._see_frame(context, dtype)
        self.kept.append(self.singles.get(str(dtype)))  # calls may run on what was there before
        self.singles[str(dtype)] = (kernel, context, work, numbers, scratch)  # kept alive
        start, d = Answer.DOUBLE if dtype == np.float64 else Answer.FLOAT, self.data
        d[start + Single.UNCHECKED] = _shows_bad_inputs(kernel, self.serving, dtype)
        d[start + Single.CONTEXT] = context.ctypes.data
        d[start + Single.KERNEL] = kernel.address  # last: from here on calls go to it

    def _see_frame(self, context: np.ndarray, dtype: np.dtype) -> None:
        if self.serving.frame is not None:
            body, X = self.serving.frame
            numbers = X.astype(dtype)
            self.kept.append(numbers)
            context[Context.FRAME_BODY], context[Context.FRAME] = body, numbers.ctypes.data

    def switch_on_batch(self, kernel: Kernel, checked: bool, dtype: np.dtype) -> None:
        d, numbers = self.data, self.serving.globals_.astype(dtype)
        context, _ = kernel.context(1, numbers)
        self._see_frame(context, dtype)
        self.batches[str(dtype)] = (kernel, context, numbers, dtype)  # kept alive
        start = Answer.DOUBLES if dtype == np.float64 else Answer.FLOATS
        d[start + Batch.KERNEL] = kernel.address
        d[start + Batch.CONTEXT] = context.ctypes.data
        d[start + Batch.FEWEST], d[start + Batch.CHECKED] = kernel.lanes.width, int(checked)
        d[start + Batch.DTYPE] = id(dtype)  # last: from here on calls go to it


def _fields(made: object, marks: Sequence[object]) -> list[tuple[int, int, int]]:
    """(offset, number of the result, or else what stands there) of every word of an object whose
    class has slots, or is a tuple."""
    size = type(made).__basicsize__
    numbers = {id(mark): k for k, mark in enumerate(marks)}
    start = 16
    if isinstance(made, tuple):
        start, size = TUPLE_ITEMS, TUPLE_ITEMS + 8 * len(made)
    fields = [(k, -2, word_of(made, k)) for k in range(24, start, 8)]
    for offset in range(start, size, 8):
        word = word_of(made, offset)
        if word:
            fields.append((offset, numbers.get(word, -1), word))
    return fields


def fits_call(make: Callable[..., object] | None, count: int) -> bool:
    """Can objects of so many results be made natively?  Only if all their fields are seen."""
    if make is None or count > call_code.MOST_RESULTS:
        return make is None and count <= call_code.MOST_RESULTS
    marks = [object() for _ in range(count)]
    made = make(*marks)
    kind = type(made)
    plain = kind.__itemsize__ == 0 or issubclass(kind, tuple)
    if hasattr(made, "__dict__") or kind.__weakrefoffset__ or not plain:
        return False
    found = _fields(made, marks)
    return len(found) <= call_code.MOST_PARTS and {n for _, n, _ in found} >= set(range(count))


class NativeCall:
    """Makes the native callable around a Python function, and has it answer by kernels when they
    are there.  It owns all memory the native side reads."""

    def __init__(
        self,
        slow: Callable[..., object],
        names: dict[str, object],
        arguments: Arguments | None = None,
        late: Mapping[str, Callable[[], object]] | None = None,
    ):
        """names: attributes of the callable; late: those that are made when first asked for."""
        self.careful, self.arguments = slow, arguments
        self.slow = slow if arguments is None else self._plainly
        self.data = d = np.zeros(Data.SIZE, dtype=np.int64)
        d[Data.SLOW], d[Data.INPUTS], d[Data.SHORTEST] = id(self.slow), -1, -1
        d[Data.ARRAY_TYPE], d[Data.DTYPE] = id(np.ndarray), id(np.dtype(np.float64))
        d[Data.FLOAT_DTYPE] = id(np.dtype(np.float32))
        d[Data.NEW_ARRAY], d[Data.NEW_NUMBER] = map(_numpy_functions(), (_NEW_ARRAY, _NEW_NUMBER))
        d[Data.WORD_TYPES : Data.WORD_TYPES + 2] = id(str), id(bool)
        d[Data.DICT_TYPE], d[Data.NONE] = id(dict), id(None)
        self.served: dict[int, _Served] = {}
        self.loads: list[tuple[str, ...]] = []
        count = 1
        if arguments is not None:
            self._kept, count = arguments.fill(d), arguments.weights[""]
        self.answers = np.zeros(count, np.int64)
        d[Data.ANSWERS] = self.answers.ctypes.data
        self.callable = machinery().make(d.ctypes.data)
        self._switching = Lock()
        for name, value in {**names, "_owner": self, "late": late or {}}.items():
            setattr(self.callable, name, value)  # this object lives as long as the callable

    def _plainly(self, *given: object, **named: object) -> Any:
        """What is not plain, made plain where that is all; what still is not goes to the Python
        function."""
        if self.served and self.arguments is not None:
            plain = plain_call(self.arguments, given, named)
            if plain is not None:
                return self.callable(*plain[0], **plain[1])
        return self.careful(*given, **named)

    def ready(self, number: int = 0, dtype: str = "float64", batch: bool = False) -> bool:
        """Are single states of such numbers served natively, or batches of them?"""
        served = self.served.get(number)
        return served is not None and dtype in (served.batches if batch else served.singles)

    def number(self, bound: Mapping[str, Any]) -> int | None:
        """The number of the answer to a call, whose set of frames is noted; None: the Python
        function answers it."""
        if self.arguments is None:
            return 0
        frames = tuple(bound.get("external") or ())
        if not frames:
            return self.arguments.number(bound)
        if frames not in self.loads:
            code = self.arguments.digits(frames)
            if code is None or len(self.loads) >= Data.LOAD_CODES.count:
                return None
            with self._switching:
                self.loads.append(frames)
                self.data[Data.LOAD_CODES + len(self.loads) - 1] = code
                self.data[Data.LOADS] = len(self.loads)
        return self.arguments.number(bound, self.loads.index(frames) + 1)

    def switch_on(self, serving: Serving, number: int = 0) -> None:
        """From now on plain calls of that choice go to the kernel, a scalar one.

        Once is enough: calls may run on what was switched on first, so it stays."""
        if not self._switching.acquire(blocking=False):
            return  # another thread does it
        try:
            served, dtype = self._serve(number, serving), _dtype(serving.kernel)
            if str(dtype) not in served.singles:
                if dtype == np.float32:
                    self.data[Data.SINGLE_FLOAT] = machinery().part("single_float")
                served.switch_on(serving, dtype)
        finally:
            self._switching.release()

    def renew(self, serving: Serving, number: int = 0) -> None:
        """Other code for a choice that is served; the old one stays, for calls may run on it."""
        with self._switching:
            self.served[number].switch_on(serving, _dtype(serving.kernel))

    def switch_on_batch(self, serving: Serving, number: int = 0, checked: bool = False) -> None:
        """From now on plain batches of the kernel's type go to it: straight-line code.

        checked: a result that is not finite makes the Python function do it all (doubles only)."""
        kernel = serving.kernel
        if not isinstance(kernel, Kernel) or not kernel.straight:
            return
        if not self._switching.acquire(blocking=False):
            return  # another thread does it
        try:
            served, dtype = self._serve(number, serving), _dtype(kernel)
            if str(dtype) not in served.batches:
                self.data[Data.BATCH] = machinery().part("batch")
                served.switch_on_batch(kernel, checked, dtype)
        finally:
            self._switching.release()

    def _serve(self, number: int, serving: Serving) -> _Served:
        if number not in self.served:
            slots: Sequence[int] = range(len(serving.kernel.input_sizes))
            if self.arguments is not None and serving.inputs:
                slots = [self.arguments.names.index(name) for name in serving.inputs]
            elif self.arguments is None:
                self._take_any(len(slots))
            self.served[number] = served = _Served(serving, slots)
            self.answers[number] = served.data.ctypes.data
        return self.served[number]

    def _take_any(self, count: int) -> None:
        """Inputs without names, and `out`."""
        d, out = self.data, sys.intern("out")
        d[Data.EXTERNAL], d[Data.OUT], d[Data.PARAMETERS] = -1, count, count + 1
        d[Data.NAMES + count] = d[Data.OUT_NAME] = id(out)
        d[Data.BY_PLACE] = count
        self._kept = [out]
        d[Data.INPUTS] = d[Data.SHORTEST] = count


def _dtype(kernel: Callee) -> np.dtype:
    """Of the numbers of a kernel."""
    single = isinstance(kernel, Kernel) and kernel.lanes.element == "float"
    return np.dtype(np.float32 if single else np.float64)


def _shows_bad_inputs(kernel: Callee, serving: Serving, dtype: np.dtype) -> bool:
    """Does the one result of a kernel tell of every input that is not finite?  Straight-line code
    adds 0 times each input to it, unless the result is nothing but zeros."""
    frame, globals_ = serving.frame, serving.globals_
    if not isinstance(kernel, Kernel) or not kernel.straight or len(kernel.output_shapes) != 1:
        return False
    ((source, shape),) = kernel.output_shapes.items()
    read: set[int] = set()
    for given in serving.given:
        if given.source == source:
            read |= set(range(prod(given.shape or ())) if given.order is None else given.order)
    if len(read) != prod(shape):
        return False
    inputs = [np.ones((1, size), dtype) for size in kernel.input_sizes]
    out, globals_ = np.empty((1, *shape), dtype), globals_.astype(dtype)
    frame = None if frame is None else (frame[0], frame[1].astype(dtype))
    for array in inputs:
        array[...] = np.nan
        kernel.call(inputs, kernel.input_sizes, (out,), 1, globals_, frame)
        if np.isfinite(out).all():
            return False
        array[...] = 1.0
    kernel.call(inputs, kernel.input_sizes, (out,), 1, globals_, frame)
    return bool(np.isfinite(out).all())
