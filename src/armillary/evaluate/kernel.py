"""Kernels: a program at one width, in machine code or interpreted, over arrays of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import Literal, Protocol

import numpy as np

from armillary.codegen.abi import Arrays, Context
from armillary.codegen.jit import Library, native_call
from armillary.codegen.target import Lanes
from armillary.runtime.callable_type import data_address, fits

CodeKind = Literal["loop", "straight", "solve", "interpreter"]
Spot = tuple[int, np.ndarray]  # the body that carries the asked frame, and X_FK
TYPES = {"double": np.float64, "float": np.float32}
LARGE = 2**19  # bytes of a result whose memory malloc does not keep: kept_results.py does


@dataclass(frozen=True)
class Rows:
    """The states of a call, and where their results go.

    strides: numbers from one row of an input to the next, 0 where all rows share it.  globals_:
    gravity and base motion."""

    inputs: Sequence[np.ndarray]
    strides: Sequence[int]
    outputs: Sequence[np.ndarray]
    count: int
    globals_: np.ndarray
    frame: Spot | None = None

    def part(self, first: int, last: int) -> Rows:
        """The rows from first up to last."""
        shared = zip(self.inputs, self.strides, strict=True)
        return replace(
            self,
            inputs=[x[first:last] if stride else x for x, stride in shared],
            outputs=[x[first:last] for x in self.outputs],
            count=last - first,
        )

    def chosen(self, numbers: np.ndarray) -> Rows:
        """Some of the rows, by number, with results of their own."""
        shared = zip(self.inputs, self.strides, strict=True)
        return replace(
            self,
            inputs=[x[numbers] if stride else x for x, stride in shared],
            outputs=[x[numbers] for x in self.outputs],
            count=len(numbers),
        )


Run = Callable[[Rows], None]
Prepare = Callable[[np.ndarray, int, np.ndarray], object]


@cache
def address_of() -> Callable[[np.ndarray], int]:
    """The quickest way to the memory of an array that this interpreter allows."""
    if fits(np.arange(6.0).reshape(2, 3), np.dtype(np.float64)):
        return data_address
    return lambda array: int(array.ctypes.data)


class Linked:
    """Machine code (of `libraries`, the first has the entry `batch`) with the context of its calls
    and the arrays that this points to.

    The work space of a call, in numbers per state: work (records and sums; zeros: first and count
    of those that begin as 0), state (what climbs), scratch (inputs and outputs), extra (a
    matrix).  run: what a call does where there is no machine code.  prepare: of code that has its
    own memory: fills in the context of a call with so many rows, and gives what has to live as long
    as it."""

    def __init__(
        self,
        libraries: list[Library],
        work: int = 0,
        zeros: tuple[int, int] = (0, 0),
        state: int = 0,
        scratch: int = 0,
        extra: int = 0,
        run: Run | None = None,
        prepare: Prepare | None = None,
    ):
        self.libraries, self.context = libraries, np.zeros(Context.SIZE, dtype=np.int64)
        self.work, self.zeros = work, zeros
        self.state, self.scratch, self.extra = state, scratch, extra
        self.run, self.prepare = run, prepare
        self._keep: list[np.ndarray] = []

    def point(self, field: int, array: np.ndarray) -> None:
        """The field of the context points to the array, which is kept."""
        self.context[field] = self.held(array)

    def held(self, array: np.ndarray) -> int:
        """The address of an array, which is kept."""
        self._keep.append(array)
        return int(array.ctypes.data)


class Code(Protocol):
    """Where the code of a kernel comes from: loops over bodies, straight-line code of a mechanism,
    the latter up to equations that are solved in loops, or the interpreter."""

    @property
    def kind(self) -> CodeKind: ...

    @property
    def operations(self) -> int | None: ...

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked: ...


class Kernel:
    """One program at one width.  `call` fills result arrays for B states.

    The object owns its code and tables; calls share nothing else, so threads may use it."""

    def __init__(
        self,
        inputs: Mapping[str, int],
        outputs: Mapping[str, tuple[int, ...]],
        lanes: Lanes,
        code: Code,
    ):
        """inputs: numbers per state; outputs: shapes of one state; by name, in order."""
        self.input_names, self.input_sizes = tuple(inputs), list(inputs.values())
        self.output_shapes = dict(outputs)
        self.lanes, self.code = lanes, code
        self._dtype = np.dtype(TYPES[lanes.element])
        sizes = {name: prod(shape) for name, shape in outputs.items()}
        linked = self._linked = code.linked(lanes, Arrays(inputs, sizes))
        self.address = linked.libraries[0].addresses["batch"] if linked.libraries else 0
        self._batch = native_call(self.address)
        self._context = c = linked.context.copy()
        c[Context.INPUT_COUNT], c[Context.OUTPUT_COUNT] = len(inputs), len(outputs)
        c[Context.INPUT_SIZES : Context.INPUT_SIZES + len(inputs)] = self.input_sizes
        c[Context.OUTPUT_SIZES : Context.OUTPUT_SIZES + len(sizes)] = list(sizes.values())

    @property
    def straight(self) -> bool:
        """Straight-line code from inputs to results."""
        return self.code.kind == "straight"

    @property
    def libraries(self) -> list[Library]:
        """The compiled code it stands on."""
        return self._linked.libraries

    def call(
        self,
        inputs: Sequence[np.ndarray],
        strides: Sequence[int],
        outputs: Sequence[np.ndarray],
        rows: int,
        globals_: np.ndarray,
        frame: Spot | None = None,
    ) -> None:
        """Run all rows (see `Rows`).  Arrays are C-contiguous, of the kernel's type; checked by the
        caller."""
        self.run(Rows(inputs, strides, outputs, rows, globals_, frame))

    def run(self, rows: Rows) -> None:
        """As `call`."""
        if self._linked.run is not None:
            self._linked.run(rows)
            return
        c, work = self.context(rows.count, rows.globals_)
        address = address_of()
        if rows.frame is not None:
            c[Context.FRAME_BODY] = rows.frame[0]
            c[Context.FRAME] = address(rows.frame[1])
        for i, (array, stride) in enumerate(zip(rows.inputs, rows.strides, strict=True)):
            c[Context.INPUT_ROWS + i] = address(array)
            c[Context.INPUT_STRIDES + i] = stride
        for i, array in enumerate(rows.outputs):
            c[Context.OUTPUT_ROWS + i] = address(array)
        self._batch(address(c))
        del work  # it had to live until here

    def context(self, rows: int, globals_: np.ndarray) -> tuple[np.ndarray, object]:
        """A context of its own for one call, and the work space it points to, to be kept."""
        c, address = self._context.copy(), address_of()
        c[Context.GLOBALS] = address(globals_)
        c[Context.ROWS] = rows
        if self.straight:
            return c, globals_  # needs no work space
        if self._linked.prepare is not None:
            return c, self._linked.prepare(c, rows, globals_)
        linked, w = self._linked, self.lanes.width
        before = linked.work + linked.state + linked.scratch
        total = before + linked.extra
        work = np.empty(-(-total * w // 64) * 64 + 16, self._dtype)
        start = -(-address(work) // 64) * 64  # vectors within cache lines
        size = work.itemsize * w
        c[Context.WORK] = start
        c[Context.STATE] = start + linked.work * size
        c[Context.SCRATCH] = start + (linked.work + linked.state) * size
        c[Context.EXTRA] = start + before * size
        first, count = linked.zeros
        zeros = (start - address(work)) // work.itemsize + first * w
        work[zeros : zeros + count * w] = 0.0
        return c, work
