"""Numbers along the degrees of freedom, told by a function over scalars, of many states at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.algorithms.passes import Algorithm, GlobalStep
from armillary.codegen.target import native
from armillary.errors import ArmillaryError
from armillary.evaluate.code import StraightCode
from armillary.evaluate.function_kernel import NotNative
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import StraightKernel
from armillary.evaluate.request import Setting

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism

# (t, q, v, z, tau) -> `count` lists of nv numbers
Function = Callable[[Any, list, list, list, list], list[list]]
_READS = ("q", "v", "z", "time", "tau")


class Telling:
    """The function as one kernel.  Raises `NotNative` where it cannot be traced."""

    def __init__(self, mechanism: Mechanism, nz: int, function: Function, count: int):
        if not native():
            raise NotNative("llvmlite is missing")
        self.mechanism, self.count = mechanism, count

        def step(run: Any) -> None:
            q, v, z, time, tau = (list(run.inputs[name]) for name in _READS)
            for k, numbers in enumerate(function(time[0], q, v, z, tau)):
                for j, first in zip(run.joints, run.tables.v_offsets, strict=True):
                    setattr(j, f"told{k}", tuple(numbers[first : first + len(j.v)]))

        writes = {f"told{k}": "dof" for k in range(count)}
        algorithm = Algorithm("telling", (GlobalStep(step),), lambda g: {}, _READS, writes)
        self._tables = replace(mechanism.evaluator.tables(), extra=(("z", nz), ("time", 1)))
        self._setting = Setting(algorithm, _READS)
        self._made: dict[bool, StraightKernel] = {}
        try:
            self._code = StraightCode(self._setting, self._tables)
            self._kernel(True)
        except (TypeError, AttributeError, ValueError, ArmillaryError) as error:
            raise NotNative(f"it cannot be traced: {error}") from error

    def _kernel(self, batched: bool) -> StraightKernel:
        if batched not in self._made:
            width = self.mechanism.options.simd(batched)
            self._made[batched] = StraightKernel(self._setting, self._tables, width, self._code)
        return self._made[batched]

    def __call__(self, q: Array, v: Array, z: Array, time: Array, tau: Array) -> list[Array]:
        """Arrays (N, ...) of N states -> `count` arrays (N, nv)."""
        given = [np.ascontiguousarray(x, float) for x in (q, v, z, time.reshape(-1, 1), tau)]
        found = [np.empty((len(q), self.mechanism.nv)) for _ in range(self.count)]
        strides = [x.shape[1] for x in given]
        # rows side by side need as many as there are lanes
        batched = len(q) >= self.mechanism.options.simd(True).width
        self._kernel(batched).call(
            given, strides, found, len(q), self.mechanism.evaluator.base_numbers
        )
        return found
