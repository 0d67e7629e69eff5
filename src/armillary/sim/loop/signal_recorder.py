"""Forces and signals of the blocks at many recorded instants, in one native call."""

from __future__ import annotations

from collections.abc import Callable

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

_MOST = 7  # signals of one kernel
# (q, v, (z, held), time, tau) -> lists of nv numbers
Function = Callable[[Scalars, Scalars, Scalars, Scalars, Scalars], list[list[Scalar]]]


class RecordedSignals:
    """tau and the named signals of a run."""

    def __init__(self, system: System, names: tuple[str, ...]):
        self.system, self.names = system, names
        self._kernels: dict[bool, Kernel] = {}
        plain = system.setup.external.of_time and system.setup.parameters is None
        self.possible = plain and len(names) <= _MOST
        if self.possible and system.chain.stages:
            try:
                self._traced = self._function()
                self._kernel(True)
            except NotNative:
                self.possible = False  # it cannot be traced: the blocks are asked in Python

    def _function(self) -> Function:
        traced = TracedChain(self.system.chain, constant_command(self.system))
        traced.check(between_samples=True)
        names = self.names

        def function(
            q: Scalars, v: Scalars, z: Scalars, time: Scalars, tau: Scalars
        ) -> list[list[Scalar]]:
            forces, _ = traced.control(time[0], q, v, z, tau)
            return [forces, *traced.signals(names, time[0], q, v, z)]

        return function

    def _kernel(self, batched: bool) -> Kernel:
        if batched not in self._kernels:
            mechanism, chain = self.system.mechanism, self.system.chain
            nq, nv = mechanism.nq, mechanism.nv
            nz = self.system.nz + len(chain.sampled) * nv
            inputs = {"q": nq, "v": nv, "z": nz, "time": 1, "tau": nv}
            outputs = {f"signal{k}": nv for k in range(1 + len(self.names))}
            lanes = mechanism.options.simd(batched)
            self._kernels[batched] = compile_function(self._traced, inputs, outputs, lanes)
        return self._kernels[batched]

    def __call__(self, times: list[float], batch: StepBatch) -> dict[str, Array]:
        """{"tau": ..., signal: ...}, each (T, ..., nv)."""
        setup, v, n = self.system.setup, batch.v, self.system.nv
        given = np.empty(v.shape)
        for k, t in enumerate(times):
            setup.enter(t - batch.step, t)
            given[k] = setup.inputs(t)
        if not self.system.chain.stages:
            return {"tau": given}
        runs = int(np.prod(v.shape[1:-1], dtype=int))
        z = np.concatenate([batch.z, batch.held], axis=-1)
        time = np.repeat(np.array(times), runs)
        inputs = [
            np.ascontiguousarray(x.reshape(len(time), -1), float)
            for x in (batch.q, v, z, time, given)
        ]
        found = [np.empty((len(time), n)) for _ in range(1 + len(self.names))]
        evaluator = self.system.mechanism.evaluator
        batched = len(time) >= evaluator.options.simd(True).width  # as many rows as lanes
        strides = [x.shape[1] for x in inputs]
        self._kernel(batched).call(inputs, strides, found, len(time), evaluator.base_numbers)
        shaped = [x.reshape(*v.shape[:-1], n) for x in found]
        return dict(zip(("tau", *self.names), shaped, strict=True))
