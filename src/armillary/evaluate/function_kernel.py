"""Controllers as native code: a function over scalars, traced into a kernel of the loop over time.

The code of the latest controllers of a mechanism is kept under a key that tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from armillary.algorithms.passes import Algorithm, GlobalStep
from armillary.codegen.target import Lanes, native
from armillary.errors import ArmillaryError
from armillary.evaluate.code import StraightCode
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.kernel import Kernel, StraightKernel
from armillary.evaluate.request import Setting

RECENT = 16  # controllers of a mechanism whose code is kept
# (t, q, v, z, given forces) -> forces and dz/dt, over lists of scalars
Control = Callable[[Any, list, list, list, list], tuple[list, list]]
# (t, q, v, z, which are due: 1.0 or 0.0) -> z
Sample = Callable[[Any, list, list, list, list], list]


class NotNative(Exception):  # noqa: N818 - no error: there is another way
    """These steps cannot be made in native code."""


class _Numbers:
    """Results that are plain numbers."""

    def __init__(self, values: Sequence[Any]):
        self.values = tuple(values)

    def leaves(self) -> tuple[Any, ...]:
        return self.values


def straight_kernel(
    algorithm: Algorithm, reads: tuple[str, ...], tables: Any, width: Lanes, most: float = inf
) -> Kernel:
    """most: operations."""
    if not native():
        raise NotNative("llvmlite is missing")
    setting = Setting(algorithm, reads)
    code = StraightCode(setting, tables)
    if most < inf and code.operations > most:
        raise NotNative(f"{code.operations} operations would compile for seconds")
    return StraightKernel(setting, tables, width, code)


@dataclass(frozen=True)
class Controlling:
    """Kernels of (q, v, z, time, ...) for one state or many.

    key: equal for equal controllers; None: that cannot be told."""

    evaluator: Evaluator
    batched: bool
    nz: int
    key: Hashable

    def control(self, control: Control) -> Kernel:
        """Controller and actuators as one kernel: (q, v, z, time, tau) -> tau, dz/dt."""

        def step(run: Any) -> None:
            i = run.inputs
            force, rates = control(i["time"][0], list(i["q"]), list(i["v"]), list(i["z"]),
                                   list(i["tau"]))  # fmt: skip
            for j, v in zip(run.joints, run.tables.v_offsets, strict=True):
                j.force = tuple(force[v : v + len(j.v)])
            run.world.rates = _Numbers(rates)

        return self._kept("control", step, ("tau", None), {"force": "dof", "rates": "world"})

    def sample(self, sample: Sample, count: int) -> Kernel:
        """Sampled parts look at the state: (q, v, z, time, due) -> z."""

        def step(run: Any) -> None:
            i = run.inputs
            run.world.rates = _Numbers(
                sample(i["time"][0], list(i["q"]), list(i["v"]), list(i["z"]), list(i["due"]))
            )

        return self._kept("sample", step, ("due", count), {"rates": "world"})

    def _kept(
        self, name: str, step: Callable[[Any], None], last: tuple[str, int | None],
        writes: dict[str, str],
    ) -> Kernel:  # fmt: skip
        if self.key is None:
            return self._traced(name, step, last, writes)
        return self.evaluator.memo.latest(
            ("control", name, self.batched, self.nz, self.key),
            lambda: self._traced(name, step, last, writes),
            RECENT,
        )

    def _traced(
        self, name: str, step: Callable[[Any], None], last: tuple[str, int | None],
        writes: dict[str, str],
    ) -> Kernel:  # fmt: skip
        """A kernel of (q, v, z, time, last); `rates` are as many numbers as z."""
        shape = _Numbers(())
        shape.size = self.nz  # type: ignore[attr-defined]
        reads = ("q", "v", "z", "time", last[0])
        algorithm = Algorithm(
            name, (GlobalStep(step),), lambda g: {}, reads, writes, {"rates": shape}
        )
        extra: tuple[tuple[str, int], ...] = (("z", self.nz), ("time", 1))
        extra += () if last[1] is None else ((last[0], last[1]),)
        tables = replace(self.evaluator.tables(), extra=extra)
        options = self.evaluator.options
        try:
            return straight_kernel(
                algorithm, reads, tables, options.simd(self.batched), options.budget
            )
        except (TypeError, AttributeError, ValueError, ArmillaryError) as error:
            raise NotNative(f"the controller cannot be traced: {error}") from error
