"""Kernels without a compiler: the interpreter of algorithms over columns of numbers.

For a Python without llvmlite.  Every scalar of an algorithm is an array with one number per state,
so that what is not finite stays in its row, as in native code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Base
from armillary.codegen.jit import Library
from armillary.codegen.target import Lanes
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.request import Setting
from armillary.model.lowering.tree import Tables
from armillary.spatial import Motion, Transform, Vector

_ROWS = 4096  # states at once: all intermediate quantities are kept until the end


class InterpretedKernel(Kernel):
    """The same calls as those of a compiled kernel."""

    def __init__(self, setting: Setting, tables: Tables, width: Lanes):
        self.setting, self.tables, self.lanes = setting, tables, width
        self._layout_io()

    def call(
        self,
        inputs: Sequence[np.ndarray],
        strides: Sequence[int],
        outputs: Sequence[np.ndarray],
        rows: int,
        globals_: np.ndarray,
        frame: tuple[int, np.ndarray] | None = None,
    ) -> None:
        for first in range(0, rows, _ROWS):
            some = slice(first, min(first + _ROWS, rows))
            own = [x[some] if stride else x for x, stride in zip(inputs, strides, strict=True)]
            self._run(own, [out[some] for out in outputs], globals_, frame)

    def _run(
        self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], globals_: np.ndarray,
        frame: tuple[int, np.ndarray] | None,
    ) -> None:  # fmt: skip
        given = {
            name: list(np.ascontiguousarray(x.T, float))
            for name, x in zip(self.setting.reads, inputs, strict=True)
        }
        tables = self.tables
        if tables.again is not None:
            tables = replace(tables.again(given), constraints=tables.constraints)
        spot = None if frame is None else (frame[0], Transform.from_leaves(_floats(frame[1])))
        with np.errstate(all="ignore"):
            run = Run(self.setting.algorithm, tables, self._base(globals_), given, spot)
            for name, out in zip(self.output_shapes, outputs, strict=True):
                columns = out.reshape(len(out), -1)
                for k, number in enumerate(_flat(run.result(name))):
                    columns[:, k] = number

    def _base(self, numbers: np.ndarray) -> Base:
        gravity, velocity, acceleration = np.split(numbers, (3, 9))
        if not self.setting.moving_base:
            return Base(Vector(*_floats(gravity)), Motion.zero(), Motion.zero())
        motions = (Motion.from_leaves(_floats(x)) for x in (velocity, acceleration))
        return Base(Vector(*_floats(gravity)), *motions)

    def libraries(self) -> list[Library]:
        return []


def _floats(numbers: np.ndarray) -> list[float]:
    return [float(x) for x in numbers]


def _flat(values: Any) -> list[Any]:
    if isinstance(values, (list, tuple)):
        return [x for value in values for x in _flat(value)]
    return [values]
