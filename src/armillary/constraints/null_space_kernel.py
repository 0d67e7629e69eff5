"""Pivoted QR of rows, and equations of one state by their null space, each by one native call
(runtime/rank_loop.py, runtime/null_space_loop.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from armillary.codegen.abi import Context
from armillary.constraints.table import NATIVE
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import address_of
from armillary.runtime import null_space_loop, rank_loop
from armillary.runtime.in_turn import behind_context
from armillary.runtime.null_space_code import NullSpace
from armillary.runtime.null_space_loop import SPLIT
from armillary.runtime.rank_loop import Ranks

# (A, weights of rows, weights of columns, tolerance) -> what `rank_loop` gives, or None
Decompose = Callable[[Array, Array, Array, Array], tuple[Array, ...] | None]


class RankKernel:
    """Of matrices (m, n), as far as native calls know a kernel."""

    def __init__(self, m: int, n: int):
        self.input_sizes = [m * n, m, n, 1]
        shapes = ((2,), (n, n), (m, n), (m,), (m,))
        self.output_shapes = dict(zip(rank_loop.OUTPUTS, shapes, strict=True))
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
        c[Context.OUTPUT_COUNT] = len(rank_loop.OUTPUTS)
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

    if not 0 < m * n <= NATIVE or not native_call.available():
        return None
    return lean_kernel(RankKernel(m, n), np.zeros(1))


# (M, force, J, target, weights of rows and columns, tolerance), flat -> as `null_space_loop` has it
Solve = Callable[..., tuple[Array, ...] | None]


class Space:
    """The part of a context that stands behind the usual fields, and what it points to."""

    def __init__(self, m: int, n: int):
        self.rows, self.free = RankKernel(m, n).context(1, np.zeros(1)), _grades(n)
        few = min(m, n)
        shapes = {
            "LEFT": (m,), "MULTIPLIERS": (m,), "TURNED": (few, m), "REFLECTIONS": (few, m),
            "SCALES": (few,), "ROW": (m,), "DOF": (n,), "FREE": (n,), "BASIS": (n, n),
            "PUSHED": (n, n), "INNER": (n, n), "SIZES": (n,), "KEPT": (n,), "OWN": (n, n),
            "ORDER": (n,), "LOST": (1,), "UNIT": (n,),
        }  # fmt: skip
        self.arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
        address = address_of()
        self.numbers = {name: address(x) for name, x in self.arrays.items()}
        self.numbers |= {"NV": n, "ROWS": m, "RANKS": address(self.rows[0])}
        self.numbers |= {"GRADES": address(self.free[0])}
        self.free[0][Context.INPUT_ROWS + 1] = self.numbers["FREE"]

    def fill(self, context: np.ndarray) -> None:
        for name, number in self.numbers.items():
            context[behind_context(NullSpace.FIELDS[name])] = number

    def give(self, arrays: dict[str, Array]) -> None:
        """Further arrays, by the names of their fields; they are kept."""
        address = address_of()
        self.arrays |= arrays
        self.numbers |= {name: address(x) for name, x in arrays.items()}

    def place(self, outputs: dict[int, Array], inputs: dict[int, Array]) -> None:
        """Where the decomposition of the rows has its numbers, by place; they are kept."""
        address = address_of()
        for first, arrays in ((Context.OUTPUT_ROWS, outputs), (Context.INPUT_ROWS, inputs)):
            for k, x in arrays.items():
                self.rows[0][first + k] = address(x)
                self.arrays[f"{first} {k}"] = x


def _grades(n: int) -> tuple[np.ndarray, object]:
    """A context for the choice of coordinates: of rows (n, up to n), by weights of their own."""
    context, kept = RankKernel(n, n).context(1, np.zeros(1))
    inputs = [np.zeros((n, n)), np.zeros(0), np.ones(n), np.zeros(1)]
    outputs = [np.zeros(2), np.zeros(0), np.zeros((n, n)), np.zeros(n), np.zeros(0)]
    address = address_of()
    for k, x in enumerate(inputs):
        context[Context.INPUT_ROWS + k] = address(x)
    for k, x in enumerate(outputs):
        context[Context.OUTPUT_ROWS + k] = address(x)
    return context, (kept, inputs, outputs)


class NullSpaceKernel:
    """Of equations with m rows and n unknowns, as far as native calls know a kernel."""

    def __init__(self, m: int, n: int, split: bool = False):
        """split: `SPLIT` instead of `null_space_loop.OUTPUTS`."""
        self.input_sizes = [n * n, n, m * n, m, m, n, 1]
        shapes = {
            "a": (n,), "multipliers": (m,), "residual": (m,), "P_turned": (m, n),
            "response": (n, n), "numbers": (2,), "Q_turned": (n, n), "R_turned": (m, n),
            "order": (m,), "shares": (m,),
        }  # fmt: skip
        self.output_shapes = {
            name: shapes[name] for name in (SPLIT if split else null_space_loop.OUTPUTS)
        }
        self._others = () if not split else (shapes["R_turned"], shapes["order"])
        self._size, self._library = (m, n), null_space_loop.library()
        self.address = self._library.addresses["split" if split else "batch"]

    def context(self, rows: int, globals_: Array) -> tuple[np.ndarray, object]:
        """As `Kernel.context`."""
        space = Space(*self._size)
        space.place({2 + k: np.zeros(shape) for k, shape in enumerate(self._others)}, {})
        c = np.zeros(Context.SIZE + NullSpace.SIZE, np.int64)
        c[Context.ROWS], c[Context.INPUT_COUNT] = rows, len(self.input_sizes)
        c[Context.OUTPUT_COUNT] = len(self.output_shapes)
        for i, size in enumerate(self.input_sizes):
            c[Context.INPUT_SIZES + i] = c[Context.INPUT_STRIDES + i] = size
        for i, shape in enumerate(self.output_shapes.values()):
            c[Context.OUTPUT_SIZES + i] = int(np.prod(shape))
        space.fill(c)
        return c, space


def small_enough(m: int, n: int) -> bool:
    """LAPACK works through larger matrices in blocks, and is faster."""
    return 0 < m * n <= NATIVE and n * n <= NATIVE


@lru_cache(maxsize=64)
def solve_call(m: int, n: int, split: bool = False) -> Solve | None:
    """For m rows and n unknowns; None where there is no native code, or none that pays.  split:
    with what answers other right sides."""
    from armillary.evaluate.lean_call import lean_kernel
    from armillary.evaluate.native_call import available

    if not small_enough(m, n) or not available():
        return None
    return lean_kernel(NullSpaceKernel(m, n, split), np.zeros(1))
