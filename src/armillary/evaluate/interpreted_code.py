"""No code: the interpreter of algorithms over columns of numbers, for a Python without llvmlite.

Every scalar of an algorithm is an array with one number per state, so that what is not finite stays
in its row, as in native code."""

from __future__ import annotations

import numpy as np

from armillary.algorithms.passes import Base
from armillary.codegen.abi import Arrays
from armillary.codegen.target import Lanes
from armillary.evaluate.kernel import CodeKind, Kernel, Linked, Rows
from armillary.evaluate.request import Request, arrays_of
from armillary.evaluate.specialise import flat, specialise
from armillary.model.lowering.tree import Tables
from armillary.spatial import Motion, Transform, Vector

_ROWS = 4096  # states at once: all intermediate quantities are kept until the end


class InterpretedCode:
    """The same calls as those of machine code."""

    kind: CodeKind = "interpreter"
    operations: int | None = None

    def __init__(self, request: Request, tables: Tables):
        self._request, self._tables = request, tables

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        return Linked([], run=self._run)

    def _run(self, rows: Rows) -> None:
        for first in range(0, rows.count, _ROWS):
            self._some(rows.part(first, min(first + _ROWS, rows.count)))

    def _some(self, rows: Rows) -> None:
        request = self._request
        given = {
            name: list(np.ascontiguousarray(x.T, float))
            for name, x in zip(request.reads, rows.inputs, strict=True)
        }
        spot, base = rows.frame, self._base(rows.globals_)
        frame = None if spot is None else (spot[0], Transform.from_leaves(spot[1].tolist()))
        with np.errstate(all="ignore"):
            run = specialise(request.algorithm, self._tables, base, given, frame)
            for name, out in zip(request.algorithm.writes, rows.outputs, strict=True):
                columns = out.reshape(len(out), -1)
                for k, number in enumerate(flat(run.result(name))):
                    columns[:, k] = number

    def _base(self, numbers: np.ndarray) -> Base:
        gravity, *motions, (opening,) = (part.tolist() for part in np.split(numbers, (3, 9, 15)))
        still = not self._request.moving_base
        velocity, acceleration = (
            Motion.zero() if still else Motion.from_leaves(motion) for motion in motions
        )
        return Base(Vector(*gravity), velocity, acceleration, opening)


def interpreted_kernel(request: Request, tables: Tables, lanes: Lanes) -> Kernel:
    """The interpreter where no program chooses."""
    return Kernel(*arrays_of(request, tables), lanes, InterpretedCode(request, tables))
