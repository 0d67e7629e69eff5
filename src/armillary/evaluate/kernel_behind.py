"""A kernel of controllers and, behind it, one that adds to their forces (runtime/behind.py)."""

from __future__ import annotations

import numpy as np

from armillary.codegen.abi import Context
from armillary.codegen.jit import Library
from armillary.evaluate.kernel import Kernel, address_of
from armillary.runtime import behind
from armillary.runtime.behind import Behind
from armillary.runtime.in_turn import behind_context


class KernelBehind(Kernel):
    """first (q, v, z, time, given) -> force, dz/dt and, where the second reads them, its inputs;
    second (q, v, own states, time, force, inputs) -> force, rates of its own states, which begin in
    z at `start`.  Both in doubles; only for contexts: nobody runs it by itself."""

    def __init__(self, first: Kernel, second: Kernel, start: int):
        self.first, self.second, self.code, self.lanes = first, second, first.code, first.lanes
        self.input_sizes, self.output_shapes = first.input_sizes, first.output_shapes
        self.address = behind.library().addresses["batch"]
        self._start = start

    @property
    def straight(self) -> bool:
        return False

    @property
    def libraries(self) -> list[Library]:
        return [behind.library(), *self.first.libraries, *self.second.libraries]

    def context(self, rows: int, globals_: np.ndarray) -> tuple[np.ndarray, object]:
        """As `Kernel.context`."""
        address = address_of()
        one, two = (kernel.context(rows, globals_) for kernel in (self.first, self.second))
        own = self.second.input_sizes[2]
        memory = {
            Behind.FORCE: np.zeros((rows, self.second.input_sizes[4])),
            Behind.INPUTS: np.zeros((rows, max(1, *self.second.input_sizes[5:], 1))),
            Behind.RATES: np.zeros((rows, max(1, own))),
        }
        for k, size in enumerate(self.second.input_sizes[4:], 4):
            two[0][Context.INPUT_STRIDES + k] = size
        c = np.concatenate([one[0], np.zeros(Behind.SIZE, np.int64)])
        numbers = {name: address(array) for name, array in memory.items()}
        numbers |= {Behind.FIRST: self.first.address, Behind.SECOND: self.second.address}
        numbers |= {Behind.FIRST_CONTEXT: address(one[0]), Behind.SECOND_CONTEXT: address(two[0])}
        numbers |= {Behind.START: self._start, Behind.OWN: own}
        for field, number in numbers.items():
            c[behind_context(field)] = number
        return c, (one, two, memory)
