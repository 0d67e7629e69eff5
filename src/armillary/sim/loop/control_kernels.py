"""Controllers as native code: functions over scalars as kernels of the loop over time.

The code of the latest controllers of a mechanism is kept under a key that tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from armillary.evaluate.compile_function import Function, compile_function
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.kernel_behind import KernelBehind
from armillary.scalar import Scalar

RECENT = 16  # controllers of a mechanism whose code is kept
Numbers = list[Scalar]
# (t, q, v, z, given forces, the command and inputs of elements behind them) -> forces and dz/dt,
# and inputs of what adds to the forces behind it
Control = Callable[[Scalar, Numbers, Numbers, Numbers, Numbers], tuple[Numbers, ...]]
# (t, q, v, z, which are due: 1.0 or 0.0, given as above) -> z
Sample = Callable[[Scalar, Numbers, Numbers, Numbers, Numbers, Numbers], Numbers]


@dataclass(frozen=True)
class FunctionOfRun:
    """A function of (q, v, z, time, something): how many numbers go in and come out, by name."""

    role: str
    function: Function
    inputs: dict[str, int]
    outputs: dict[str, int]


def control_function(
    evaluator: Evaluator, control: Control, nz: int, behind: int = 0, inputs: int = 0
) -> FunctionOfRun:
    """Controller and actuators: (q, v, z, time, tau) -> tau, dz/dt, and so many inputs of what is
    behind them.  behind: numbers behind tau, as of `Controller`."""

    def function(
        q: Numbers, v: Numbers, z: Numbers, time: Numbers, tau: Numbers
    ) -> tuple[Numbers, ...]:
        return control(time[0], q, v, z, tau)

    nv = evaluator.model.nv
    reads = _state(evaluator, nz) | {"tau": nv + behind}
    gives = {"tau": nv, "rates": nz} | ({"inputs": inputs} if inputs else {})
    return FunctionOfRun("control", function, reads, gives)


def sample_function(
    evaluator: Evaluator, sample: Sample, count: int, nz: int, behind: int = 0
) -> FunctionOfRun:
    """`count` sampled blocks look at the state: (q, v, z, time, due) -> z.  behind: with tau and so
    many numbers behind it, of the step that begins, as one input more."""

    def function(
        q: Numbers, v: Numbers, z: Numbers, time: Numbers, due: Numbers, *given: Numbers
    ) -> tuple[Numbers]:
        return (sample(time[0], q, v, z, due, given[0] if given else []),)

    inputs = _state(evaluator, nz) | {"due": count}
    inputs |= {"tau": evaluator.model.nv + behind} if behind else {}
    return FunctionOfRun("sample", function, inputs, {"z": nz})


def _state(evaluator: Evaluator, nz: int) -> dict[str, int]:
    return {"q": evaluator.model.nq, "v": evaluator.model.nv, "z": nz, "time": 1}


@dataclass(frozen=True)
class Controlling:
    """Kernels for one state or many.

    key: equal for equal controllers; None: that cannot be told.  commanded, behind: as of
    `Controller`."""

    evaluator: Evaluator
    batched: bool
    nz: int
    key: Hashable
    commanded: bool
    behind: int

    def control(self, control: Control) -> Kernel:
        return self._kept(control_function(self.evaluator, control, self.nz, self.behind))

    def beside(self, control: Control, second: Kernel, start: int, inputs: int) -> Kernel:
        """Controllers, and behind them what adds to their forces, with its states in z at `start`
        and so many inputs."""
        f = control_function(self.evaluator, control, self.nz, self.behind, inputs)
        return KernelBehind(self._kept(replace(f, role="control beside")), second, start)

    def sample(self, sample: Sample, count: int) -> Kernel:
        behind = self.behind if self.commanded else 0
        return self._kept(sample_function(self.evaluator, sample, count, self.nz, behind))

    def _kept(self, f: FunctionOfRun) -> Kernel:
        options = self.evaluator.options

        def make() -> Kernel:
            lanes = options.simd(self.batched)
            return compile_function(f.function, f.inputs, f.outputs, lanes, options.budget)

        if self.key is None:
            return make()
        name = ("control", f.role, self.batched, self.nz, self.commanded, self.behind, self.key)
        return self.evaluator.memo.latest(name, make, RECENT)
