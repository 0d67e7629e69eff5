"""Pivoted QR of rows by one native call (runtime/rank_loop.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from armillary.codegen.abi import Context
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import address_of
from armillary.runtime import rank_loop
from armillary.runtime.in_turn import behind_context
from armillary.runtime.rank_loop import OUTPUTS, Ranks

LARGEST = 4096  # numbers of a matrix: LAPACK works through larger ones in blocks, and is faster

# (A, weights of rows, weights of columns, tolerance) -> what `rank_loop` gives, or None
Decompose = Callable[[Array, Array, Array, Array], tuple[Array, ...] | None]


class RankKernel:
    """Of matrices (m, n), as far as native calls know a kernel."""

    def __init__(self, m: int, n: int):
        self.input_sizes = [m * n, m, n, 1]
        shapes = ((2,), (n, n), (m, n), (m,), (m,))
        self.output_shapes = dict(zip(OUTPUTS, shapes, strict=True))
        self._size, self._library = (m, n), rank_loop.library()
        self.address = self._library.addresses["batch"]

    def context(self, rows: int, globals_: Array) -> tuple[np.ndarray, object]:
        """As `Kernel.context`."""
        (m, n), address = self._size, address_of()
        few = min(m, n)
        shapes = {"REFLECTIONS": (few, n), "SCALES": (few,), "LENGTHS": (m,), "SOLVED": (few,)}
        arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
        c = np.zeros(Context.SIZE + Ranks.SIZE, np.int64)
        c[Context.ROWS], c[Context.INPUT_COUNT] = rows, len(self.input_sizes)
        c[Context.OUTPUT_COUNT] = len(OUTPUTS)
        for i, size in enumerate(self.input_sizes):
            c[Context.INPUT_SIZES + i] = c[Context.INPUT_STRIDES + i] = size
        for i, shape in enumerate(self.output_shapes.values()):
            c[Context.OUTPUT_SIZES + i] = int(np.prod(shape))
        numbers = {"ROWS": m, "COLUMNS": n} | {name: address(x) for name, x in arrays.items()}
        for name, number in numbers.items():
            c[behind_context(Ranks.FIELDS[name])] = number
        return c, arrays


@lru_cache(maxsize=64)
def decompose(m: int, n: int) -> Decompose | None:
    """For matrices (m, n), given flat; None where there is no native code, or none that pays."""
    from armillary.evaluate import native_call
    from armillary.evaluate.lean_call import lean_kernel

    if not 0 < m * n <= LARGEST or not native_call.available():
        return None
    return lean_kernel(RankKernel(m, n), np.zeros(1))
