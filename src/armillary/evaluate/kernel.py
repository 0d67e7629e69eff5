"""Kernels: a program at one width, in machine code or interpreted, over arrays of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import prod
from typing import Literal, Protocol

import numpy as np

from armillary.codegen.abi import Arrays, Context
from armillary.codegen.jit import Library, native_call
from armillary.codegen.target import Lanes
from armillary.runtime import in_turn
from armillary.runtime.callable_type import data_address, fits

CodeKind = Literal["loop", "straight", "solve", "interpreter"]
Spot = tuple[int, np.ndarray]  # the body that carries the asked frame, and X_FK
# (inputs, strides, outputs, rows, gravity and base motion, frame), as `Kernel.call`
Run = Callable[
    [Sequence[np.ndarray], Sequence[int], Sequence[np.ndarray], int, np.ndarray, Spot | None], None
]
TYPES = {"double": np.float64, "float": np.float32}


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
    matrix).  run: what a call does where there is no machine code."""

    def __init__(
        self,
        libraries: list[Library],
        work: int = 0,
        zeros: tuple[int, int] = (0, 0),
        state: int = 0,
        scratch: int = 0,
        extra: int = 0,
        run: Run | None = None,
    ):
        self.libraries, self.context = libraries, np.zeros(Context.SIZE, dtype=np.int64)
        self.work, self.zeros = work, zeros
        self.state, self.scratch, self.extra = state, scratch, extra
        self.run = run
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
        self.input_sizes, self.output_shapes = list(inputs.values()), dict(outputs)
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
        """Run all rows.  Arrays are C-contiguous, of the kernel's type; checked by the caller."""
        if self._linked.run is not None:
            self._linked.run(inputs, strides, outputs, rows, globals_, frame)
            return
        c, work = self.context(rows, globals_)
        address = address_of()
        if frame is not None:
            c[Context.FRAME_BODY] = frame[0]
            c[Context.FRAME] = address(frame[1])
        for i, (array, stride) in enumerate(zip(inputs, strides, strict=True)):
            c[Context.INPUT_ROWS + i] = address(array)
            c[Context.INPUT_STRIDES + i] = stride
        for i, array in enumerate(outputs):
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


class KernelInTurn(Kernel):
    """A kernel, and a scalar one for the rows that it leaves without an answer (NaN): both in
    doubles, with the same inputs and the same single result.  See runtime/in_turn.py."""

    def __init__(self, first: Kernel, second: Kernel):
        self.first, self.second, self.code, self.lanes = first, second, first.code, first.lanes
        self.input_sizes, self.output_shapes = first.input_sizes, first.output_shapes
        self.address = in_turn.library().addresses["batch"]

    @property
    def straight(self) -> bool:
        return False

    @property
    def libraries(self) -> list[Library]:
        return [in_turn.library(), *self.first.libraries, *self.second.libraries]

    def call(
        self,
        inputs: Sequence[np.ndarray],
        strides: Sequence[int],
        outputs: Sequence[np.ndarray],
        rows: int,
        globals_: np.ndarray,
        frame: Spot | None = None,
    ) -> None:
        """As `Kernel.call`."""
        self.first.call(inputs, strides, outputs, rows, globals_, frame)
        with np.errstate(all="ignore"):
            sums = outputs[0].reshape(rows, -1).sum(axis=1)
        for k in np.flatnonzero(~np.isfinite(sums)).tolist():
            own = [x[k : k + 1] if stride else x for x, stride in zip(inputs, strides, strict=True)]
            self.second.call(own, strides, [outputs[0][k : k + 1]], 1, globals_, frame)

    def context(self, rows: int, globals_: np.ndarray) -> tuple[np.ndarray, object]:
        """As `Kernel.context`."""
        address, fields = address_of(), in_turn.InTurn
        contexts = (self.first.context(rows, globals_), self.second.context(1, globals_))
        c = np.concatenate([contexts[0][0], np.zeros(fields.SIZE, np.int64)])
        places = ((fields.FIRST, fields.FIRST_CONTEXT), (fields.SECOND, fields.SECOND_CONTEXT))
        for (code, context), kernel, (own, _) in zip(
            places, (self.first, self.second), contexts, strict=True
        ):
            c[fields.slot(code)], c[fields.slot(context)] = kernel.address, address(own)
        return c, contexts
