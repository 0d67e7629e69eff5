"""Signals of the blocks at many recorded instants, in one native call."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.compile_function import NotNative, compile_function
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel
from armillary.scalar import Scalar
from armillary.sim.control.block import Scalars
from armillary.sim.control.tracing import TracedChain
from armillary.sim.loop.control_kernels import RECENT
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
        """(q, v, (z, held), time, and where motors are fed (nothing, voltages)) -> nv numbers for
        every name."""
        if batched not in self._kernels:
            mechanism, names = self.system.mechanism, self.names
            chain = TracedChain(self.system.chain, [0.0] * mechanism.nv)
            chain.check(between_samples=True)

            def function(
                q: Scalars, v: Scalars, z: Scalars, time: Scalars, *given: Scalars
            ) -> list[list[Scalar]]:
                return chain.signals(names, time[0], q, v, z, *given)

            nz = self.system.nz + len(self.system.chain.sampled) * mechanism.nv
            inputs = {"q": mechanism.nq, "v": mechanism.nv, "z": nz, "time": 1}
            if self.system.setup.voltages is not None:
                inputs["given"] = 2 * mechanism.nv
            outputs = {f"signal {name}": mechanism.nv for name in names}
            lanes = mechanism.options.simd(batched)

            def make() -> Kernel:
                return compile_function(function, inputs, outputs, lanes)

            fed = self.system.setup.voltages is not None
            key = ("signals", names, batched, nz, fed, chain.key)
            memo = mechanism.evaluator.memo
            made = make() if chain.key is None else memo.latest(key, make, RECENT)
            self._kernels[batched] = made
        return self._kernels[batched]

    def __call__(self, times: list[float], batch: StepBatch) -> dict[str, Array]:
        """Signals by name, each (T, ..., nv)."""
        v = batch.v
        time = np.repeat(np.array(times), int(np.prod(v.shape[1:-1], dtype=int)))
        z = np.concatenate([batch.z, batch.held], axis=-1)
        given = [batch.q, v, z, time, *self._given(times, batch)]
        inputs = [np.ascontiguousarray(x.reshape(len(time), -1), float) for x in given]
        found = [np.empty((len(time), v.shape[-1])) for _ in self.names]
        evaluator = self.system.mechanism.evaluator
        batched = len(time) >= evaluator.options.simd(True).width  # as many rows as lanes
        strides = [x.shape[1] for x in inputs]
        self._kernel(batched).call(inputs, strides, found, len(time), evaluator.base_numbers)
        return {name: x.reshape(v.shape) for name, x in zip(self.names, found, strict=True)}

    def _given(self, times: list[float], batch: StepBatch) -> list[Array]:
        """[(T, ..., 2 nv)]: nothing, then the voltages; none where no motors are fed."""
        volts, v = self.system.setup.voltages, batch.v
        if volts is None:
            return []
        if volts.tabled:
            begins = np.array(times) - batch.step
            own = volts.at_stages(begins, batch.step, (1.0,))[:, 0]
        else:
            own = np.array([np.atleast_2d(volts(t)) for t in times])
        own = np.broadcast_to(own.reshape(len(times), -1, *v.shape[2:]), v.shape)
        return [np.concatenate([np.zeros(v.shape), own], axis=-1)]
