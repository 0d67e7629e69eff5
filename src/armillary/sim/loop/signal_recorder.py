"""Forces and signals of the blocks at many recorded instants, in one native call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep
from armillary.errors import ArmillaryError
from armillary.evaluate.function_kernel import NotNative, straight_kernel
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel
from armillary.scalar import Scalar
from armillary.sim.control.block import Scalars
from armillary.sim.control.tracing import TracedChain
from armillary.sim.loop.native import constant_command
from armillary.sim.loop.states import StepBatch
from armillary.sim.methods.system import System

_MOST = 7  # signals of one kernel
_READS = ("q", "v", "z", "time", "tau")
# (t, q, v, (z, held), tau) -> lists of nv numbers
Function = Callable[[Scalar, Scalars, Scalars, Scalars, Scalars], list[list[Scalar]]]


class RecordedSignals:
    """tau and the named signals of a run."""

    def __init__(self, system: System, names: tuple[str, ...]):
        self.system, self.names = system, names
        self._kernels: dict[bool, Kernel] = {}
        plain = system.setup.external.of_time and system.setup.parameters is None
        self.possible = plain and len(names) <= _MOST
        if self.possible and system.chain.stages:
            try:
                self._algorithm = _algorithm(self._function(), 1 + len(names))
                self._kernel(True)
            except (NotNative, TypeError, AttributeError, ValueError, ArmillaryError):
                self.possible = False  # it cannot be traced: the blocks are asked in Python

    def _function(self) -> Function:
        traced = TracedChain(self.system.chain, constant_command(self.system))
        traced.check(between_samples=True)

        def function(
            t: Scalar, q: Scalars, v: Scalars, z: Scalars, tau: Scalars
        ) -> list[list[Scalar]]:
            forces, _ = traced.control(t, q, v, z, tau)
            return [forces, *traced.signals(self.names, t, q, v, z)]

        return function

    def _kernel(self, batched: bool) -> Kernel:
        if batched not in self._kernels:
            evaluator, chain = self.system.mechanism.evaluator, self.system.chain
            nz = self.system.nz + len(chain.sampled) * self.system.nv
            tables = replace(evaluator.tables(), extra=(("z", nz), ("time", 1)))
            width = evaluator.options.simd(batched)
            self._kernels[batched] = straight_kernel(self._algorithm, _READS, tables, width)
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


def _algorithm(function: Function, count: int) -> Algorithm:
    """`count` lists of numbers along the degrees of freedom."""

    def step(run: Run) -> None:
        q, v, z, time, tau = (list(run.inputs[name]) for name in _READS)
        for k, numbers in enumerate(function(time[0], q, v, z, tau)):
            for j, first in zip(run.joints, run.tables.v_offsets, strict=True):
                setattr(j, f"signal{k}", tuple(numbers[first : first + len(j.v)]))

    writes = {f"signal{k}": "dof" for k in range(count)}
    return Algorithm("signals", (GlobalStep(step),), lambda g: {}, _READS, writes)
