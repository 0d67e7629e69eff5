"""Signals of the blocks at many recorded instants, in one native call."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.compile_function import NotNative, compile_function
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel
from armillary.scalar import Scalar
from armillary.sim.control.block import Scalars
from armillary.sim.control.tracing import TracedChain
from armillary.sim.loop.native import constant_command
from armillary.sim.loop.states import StepBatch
from armillary.sim.methods.system import System

_MOST = 8  # signals of one kernel


class RecordedSignals:
    """The named signals of a run."""

    def __init__(self, system: System, names: tuple[str, ...]):
        self.system, self.names = system, names
        self._kernels: dict[bool, Kernel] = {}
        self.possible = len(names) <= _MOST
        try:
            self._kernel(True)
        except NotNative:
            self.possible = False  # it cannot be traced: the blocks are asked in Python

    def _kernel(self, batched: bool) -> Kernel:
        """(q, v, (z, held), time) -> nv numbers for every name."""
        if batched not in self._kernels:
            mechanism, names = self.system.mechanism, self.names
            chain = TracedChain(self.system.chain, constant_command(self.system))
            chain.check(between_samples=True)

            def function(q: Scalars, v: Scalars, z: Scalars, time: Scalars) -> list[list[Scalar]]:
                return chain.signals(names, time[0], q, v, z)

            nz = self.system.nz + len(self.system.chain.sampled) * mechanism.nv
            inputs = {"q": mechanism.nq, "v": mechanism.nv, "z": nz, "time": 1}
            outputs = {f"signal {name}": mechanism.nv for name in names}
            lanes = mechanism.options.simd(batched)
            self._kernels[batched] = compile_function(function, inputs, outputs, lanes)
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
