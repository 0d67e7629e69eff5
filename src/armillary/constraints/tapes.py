"""Tapes of operations (runtime/tape.py) on rows of numbers: natively, or by numpy."""

from __future__ import annotations

import numpy as np

from armillary.codegen.target import native
from armillary.evaluate.inputs import Array
from armillary.runtime import tape
from armillary.runtime.tape import Op, TapeContext


def play(code: np.ndarray, memory: Array) -> None:
    """A tape (instructions, 4) on every row of the memory, in place."""
    if not native():
        _interpret(code, memory)
        return
    context = np.zeros(TapeContext.SIZE, np.int64)
    context[TapeContext.CODE], context[TapeContext.COUNT] = code.ctypes.data, len(code)
    context[TapeContext.MEMORY] = memory.ctypes.data
    context[TapeContext.ROWS], context[TapeContext.STRIDE] = memory.shape
    tape.play()(context.ctypes.data)


def _interpret(code: np.ndarray, memory: Array) -> None:
    m = memory.T
    with np.errstate(all="ignore"):
        for op, target, a, b in code.tolist():
            if op == Op.LESS_PRODUCT:
                m[target] -= m[a] * m[b]
            elif op == Op.PRODUCT:
                m[target] = m[a] * m[b]
            elif op == Op.INVERSE:
                m[target] = 1.0 / m[a]
            elif op == Op.SUM:
                m[target] = m[a] + m[b]
            else:
                m[target] = m[a]
