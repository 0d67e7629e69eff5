"""Signals of the blocks at many recorded instants, in one native call."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep
from armillary.errors import ArmillaryError
from armillary.evaluate.function_kernel import NotNative, straight_kernel
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel
from armillary.sim.control.tracing import TracedChain
from armillary.sim.loop.native import constant_command
from armillary.sim.loop.states import StepBatch
from armillary.sim.methods.system import System

_MOST = 8  # signals of one kernel
_READS = ("q", "v", "z", "time")


class RecordedSignals:
    """The named signals of a run."""

    def __init__(self, system: System, names: tuple[str, ...]):
        self.system, self.names = system, names
        self._kernels: dict[bool, Kernel] = {}
        self.possible = len(names) <= _MOST
        if self.possible:
            try:
                self._algorithm = self._traced()
                self._kernel(True)
            except (NotNative, TypeError, AttributeError, ValueError, ArmillaryError):
                self.possible = False  # it cannot be traced: the blocks are asked in Python

    def _traced(self) -> Algorithm:
        """A list of numbers along the degrees of freedom for every name."""
        chain = TracedChain(self.system.chain, constant_command(self.system))
        chain.check(between_samples=True)

        def step(run: Run) -> None:
            q, v, z, time = (list(run.inputs[name]) for name in _READS)
            for name, numbers in zip(
                self.names, chain.signals(self.names, time[0], q, v, z), strict=True
            ):
                for j, first in zip(run.joints, run.tables.v_offsets, strict=True):
                    setattr(j, f"signal {name}", tuple(numbers[first : first + len(j.v)]))

        writes = {f"signal {name}": "dof" for name in self.names}
        return Algorithm("signals", (GlobalStep(step),), lambda g: {}, _READS, writes)

    def _kernel(self, batched: bool) -> Kernel:
        if batched not in self._kernels:
            evaluator, chain = self.system.mechanism.evaluator, self.system.chain
            nz = self.system.nz + len(chain.sampled) * self.system.nv
            tables = replace(evaluator.tables(), extra=(("z", nz), ("time", 1)))
            width = evaluator.options.simd(batched)
            self._kernels[batched] = straight_kernel(self._algorithm, _READS, tables, width)
        return self._kernels[batched]

    def __call__(self, times: list[float], batch: StepBatch) -> dict[str, Array]:
        """Signals by name, each (T, ..., nv)."""
        v = batch.v
        time = np.repeat(np.array(times), int(np.prod(v.shape[1:-1], dtype=int)))
        z = np.concatenate([batch.z, batch.held], axis=-1)
        inputs = [
            np.ascontiguousarray(x.reshape(len(time), -1), float) for x in (batch.q, v, z, time)
        ]
        found = [np.empty((len(time), v.shape[-1])) for _ in self.names]
        evaluator = self.system.mechanism.evaluator
        batched = len(time) >= evaluator.options.simd(True).width  # as many rows as lanes
        strides = [x.shape[1] for x in inputs]
        self._kernel(batched).call(inputs, strides, found, len(time), evaluator.base_numbers)
        return {name: x.reshape(v.shape) for name, x in zip(self.names, found, strict=True)}
