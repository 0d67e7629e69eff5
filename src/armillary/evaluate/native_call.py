"""Lean calls: a function of a mechanism as a native callable, or as it is where that cannot be."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.codegen.abi import Context
from armillary.codegen.target import native
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel
from armillary.runtime.call_code import Batch, Data
from armillary.runtime.callable_type import capsule_table, counts_holders, fits, machinery

if TYPE_CHECKING:
    from armillary.evaluate.program import Program

_KEPT = 4  # of each result of a function that are used again
_LARGEST = 2**25  # bytes of a result: beyond, malloc keeps nothing, but kept_results.py does
_NEW_FROM_DESCR = 94  # place of PyArray_NewFromDescr in numpy's table of C functions


@cache
def available() -> bool:
    """Can this interpreter and this numpy be called natively?"""
    if not native():
        return False
    probe = np.arange(6.0).reshape(2, 3)
    try:
        return fits(probe, np.dtype(np.float64)) and _new_array() != 0
    except (AttributeError, ImportError, OSError, ValueError):
        return False


@cache
def _new_array() -> int:
    core = import_module("numpy._core._multiarray_umath")
    return capsule_table(vars(core)["_ARRAY_API"])(_NEW_FROM_DESCR)


def lean(kernels: Program | None, globals_: Array) -> Callable[..., Any] | None:
    """A scalar kernel as a lean call of its inputs; what it cannot take gives None."""
    return None if kernels is None else lean_kernel(kernels.kernel(False, "double"), globals_)


def lean_kernel(kernel: Kernel, globals_: Array) -> Callable[..., Any] | None:
    """As `lean`, of one scalar kernel."""
    if not available():
        return None
    call = FastCall(_not_taken, {})
    call.switch_on(kernel, globals_)
    return call.callable


def _not_taken(*_: Any) -> None:
    return


class FastCall:
    """Makes the native callable around a Python function and switches it on when a kernel is
    there.  It owns all memory the native side reads."""

    def __init__(self, slow: Callable[..., Any], names: dict[str, Any]):
        self.slow = slow
        self.data = np.zeros(Data.SIZE, dtype=np.int64)
        self.data[Data.INPUTS] = -1
        parts = machinery()
        self.data[Data.SLOW] = id(slow)
        self.data[Data.VECTORCALL] = parts.api["PyObject_Vectorcall"]
        self.callable = parts.make(self.data.ctypes.data)
        self.batches: dict[str, Any] = {}  # what batches stand on, by type of their numbers
        self._switching = Lock()
        for name, value in {**names, "_owner": self}.items():  # it lives as long as the callable
            setattr(self.callable, name, value)

    @property
    def ready(self) -> bool:
        """Are single states served natively?"""
        return bool(self.data[Data.KERNEL])

    def switch_on_like(
        self, result: Array, single: int, kernels: Program, globals_: Array, checked: bool = False
    ) -> None:
        """Serve calls that give such results: of one state (`single` axes), or of a batch."""
        if result.ndim == single:
            if result.dtype == np.float64 and not self.ready:
                self.switch_on(kernels.kernel(False, "double"), globals_)
        elif str(result.dtype) not in self.batches:
            kernel = kernels.of_plain_batches(result)
            if kernel is not None:
                self.switch_on_batch(kernel, globals_, checked)

    def switch_on(
        self, kernel: Kernel, globals_: Array, frame: tuple[int, Array] | None = None,
        shape: tuple[int, ...] | None = None,
    ) -> None:  # fmt: skip
        """From now on plain calls go to the kernel: a scalar one, all its results of one shape.

        frame: number of its body and X of a frame that the kernel reads.  shape: of the results,
        if it is not the kernel's.  Once is enough: calls may run on what was switched on first, so
        it stays."""
        if not self._switching.acquire(blocking=False):
            return  # another thread does it
        try:
            if not self.ready:
                self._switch(kernel, globals_, frame, shape)
        finally:
            self._switching.release()

    def _switch(
        self, kernel: Kernel, globals_: Array, frame: tuple[int, Array] | None,
        shape: tuple[int, ...] | None,
    ) -> None:  # fmt: skip
        self._describe(kernel, shape)
        self.frame = frame
        self.kernel, self.globals = kernel, globals_
        self.context, self.work = kernel.context(1, globals_)
        self.context[Context.INPUT_STRIDES : Context.INPUT_STRIDES + 8] = 0
        if frame is not None:
            self.context[Context.FRAME_BODY] = frame[0]
            self.context[Context.FRAME] = frame[1].ctypes.data
        self._keep_results(shape)
        self.data[Data.UNCHECKED] = _shows_bad_inputs(kernel, globals_, frame)
        self.data[Data.CONTEXT] = self.context.ctypes.data
        self.data[Data.KERNEL] = kernel.address  # last: this opens the gate

    def switch_on_batch(self, kernel: Kernel, globals_: Array, checked: bool = False) -> None:
        """From now on plain batches of the kernel's type go to it: one result.

        checked: a result that is not finite makes the Python function do it all (doubles only)."""
        if not self._switching.acquire(blocking=False):
            return  # another thread does it
        try:
            dtype = np.dtype(np.float64 if kernel.lanes.element == "double" else np.float32)
            if str(dtype) not in self.batches:
                self._switch_batch(kernel, globals_, checked, dtype)
        finally:
            self._switching.release()

    def _switch_batch(self, kernel: Kernel, globals_: Array, checked: bool, dtype: Any) -> None:
        self._describe(kernel)
        numbers, d = globals_.astype(dtype), self.data
        context, _ = kernel.context(1, numbers)
        self.batches[str(dtype)] = (kernel, context, numbers, dtype)  # kept alive
        start = Data.DOUBLES if dtype == np.float64 else Data.FLOATS
        d[start + Batch.KERNEL] = kernel.address
        d[start + Batch.CONTEXT] = context.ctypes.data
        d[start + Batch.FEWEST], d[start + Batch.CHECKED] = kernel.lanes.width, int(checked)
        d[start + Batch.DTYPE] = id(dtype)  # last: this opens the gate

    def _describe(self, kernel: Kernel, shape: tuple[int, ...] | None = None) -> None:
        """Sizes of inputs and results, and functions of Python and numpy."""
        d, api = self.data, machinery().api
        shape = shape or next(iter(kernel.output_shapes.values()))
        d[Data.ARRAY_TYPE], d[Data.DTYPE] = id(np.ndarray), id(np.dtype(np.float64))
        d[Data.NEW_ARRAY], d[Data.INCREF] = _new_array(), api["Py_IncRef"]
        d[Data.NEW_TUPLE], d[Data.SET_ITEM] = api["PyTuple_New"], api["PyTuple_SetItem"]
        d[Data.SAVE_THREAD] = api["PyEval_SaveThread"]
        d[Data.RESTORE_THREAD] = api["PyEval_RestoreThread"]
        d[Data.OUT_NAME] = id(machinery().out_name)
        d[Data.LARGEST] = _LARGEST
        d[Data.DIMENSIONS] = len(shape)
        d[Data.SHAPE : Data.SHAPE + len(shape)] = shape
        d[Data.RESULT] = int(np.prod(shape))
        d[Data.OUTPUTS] = len(kernel.output_shapes)
        d[Data.SIZES : Data.SIZES + len(kernel.input_sizes)] = kernel.input_sizes
        d[Data.INPUTS] = len(kernel.input_sizes)

    def _keep_results(self, given: tuple[int, ...] | None) -> None:
        """Results that are given out again when nobody else holds them any more."""
        if not counts_holders(np.empty(1)):
            return
        shape, *others = self.kernel.output_shapes.values()
        count = min(_KEPT * (1 + len(others)), Data.KEPT.count)
        self.kept = [np.empty(given or shape) for _ in range(count)]
        self.data[Data.KEPT : Data.KEPT + count] = [id(array) for array in self.kept]
        self.data[Data.KEPT_COUNT] = count


def _shows_bad_inputs(
    kernel: Kernel, globals_: Array, frame: tuple[int, Array] | None = None
) -> bool:
    """Does the one result of a kernel tell of every input that is not finite?  Straight-line code
    adds 0 times each input to it, unless the result is nothing but zeros."""
    if not kernel.straight or len(kernel.output_shapes) != 1:
        return False
    (shape,) = kernel.output_shapes.values()
    inputs, out = [np.ones((1, size)) for size in kernel.input_sizes], np.empty((1, *shape))
    for array in inputs:
        array[...] = np.nan
        kernel.call(inputs, kernel.input_sizes, (out,), 1, globals_, frame)
        if np.isfinite(out).all():
            return False
        array[...] = 1.0
    kernel.call(inputs, kernel.input_sizes, (out,), 1, globals_, frame)
    return bool(np.isfinite(out).all())
