"""Lean calls: a function of a mechanism as a native callable, or as it is where that cannot be."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from armillary.compiler.context import Context
from armillary.compiler.fastcall import Data, capsule_table, fits, machinery
from armillary.functions.inputs import Array
from armillary.functions.kernel import Kernel

_NEW_FROM_DESCR = 94  # place of PyArray_NewFromDescr in numpy's table of C functions


@cache
def available() -> bool:
    """Can this interpreter and this numpy be called natively?"""
    probe = np.arange(6.0).reshape(2, 3)
    try:
        return fits(probe, np.dtype(np.float64)) and _new_array() != 0
    except (AttributeError, ImportError, OSError, ValueError):
        return False


@cache
def _new_array() -> int:
    core = import_module("numpy._core._multiarray_umath")
    return capsule_table(core._ARRAY_API)(_NEW_FROM_DESCR)


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
        self.callable = parts.make("double", self.data.ctypes.data)
        self.callable._owner = self
        for name, value in names.items():
            setattr(self.callable, name, value)

    def switch_on(self, kernel: Kernel, globals_: Array) -> None:
        """From now on plain calls go to the kernel: a scalar one, all its results of one shape."""
        self.kernel, self.globals = kernel, globals_
        context, self.work = kernel.context(1, globals_)
        self.context = context
        shape = next(iter(kernel.output_shapes.values()))
        d = self.data
        d[Data.ARRAY_TYPE], d[Data.DTYPE] = id(np.ndarray), id(np.dtype(np.float64))
        d[Data.KERNEL], d[Data.CONTEXT] = kernel.address, context.ctypes.data
        d[Data.NEW_ARRAY] = _new_array()
        d[Data.INCREF] = machinery().api["Py_IncRef"]
        d[Data.OUT_NAME] = id(machinery().out_name)
        d[Data.DIMENSIONS] = len(shape)
        d[Data.SHAPE : Data.SHAPE + len(shape)] = shape
        d[Data.RESULT] = int(np.prod(shape))
        d[Data.OUTPUTS] = len(kernel.output_shapes)
        d[Data.NEW_TUPLE] = machinery().api["PyTuple_New"]
        d[Data.SET_ITEM] = machinery().api["PyTuple_SetItem"]
        d[Data.SIZES : Data.SIZES + len(kernel.input_sizes)] = kernel.input_sizes
        context[Context.INPUT_STRIDES : Context.INPUT_STRIDES + 8] = 0
        d[Data.INPUTS] = len(kernel.input_sizes)  # last: this opens the gate
