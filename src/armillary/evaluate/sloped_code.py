"""Derivatives of large mechanisms with force elements.

The loops over bodies take the wrenches of the elements as given; how these change with q and v is
added afterwards, element by element in numpy.  Of forward dynamics the forces that are missing
become accelerations by M^-1, which is a result of the loops, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.algorithms.forces.elements import MovingTree, slopes
from armillary.algorithms.passes import Algorithm, AncestorPairs, Solve, body_record
from armillary.codegen.abi import Arrays
from armillary.codegen.target import Lanes
from armillary.evaluate.kernel import CodeKind, Kernel, Linked, Rows
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.request import Request, arrays_of
from armillary.model.lowering.tree import Tables


def has_slopes(algorithm: Algorithm) -> bool:
    """Does it write derivatives with respect to q and v as matrices?"""
    pairs = (p for p in algorithm.passes if isinstance(p, AncestorPairs))
    return any({"dq", "dv"} <= set(p.writes) for p in pairs)


class SlopedCode:
    """Loop code, and what force elements add to its matrices."""

    kind: CodeKind = "interpreter"
    operations: int | None = None

    def __init__(self, request: Request, tables: Tables):
        self.request, self.tables = request, tables

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        loops = LoopCode(self.request, self.tables)
        plain = Kernel(*arrays_of(self.request, self.tables), lanes, loops)

        def run(rows: Rows) -> None:
            plain.run(rows)
            outputs = dict(zip(self.request.algorithm.writes, rows.outputs, strict=True))
            with np.errstate(all="ignore"):
                self._add(rows.inputs, outputs)

        return Linked([], run=run)

    def _add(self, inputs: Sequence[np.ndarray], outputs: dict[str, np.ndarray]) -> None:
        given = {
            name: list(np.ascontiguousarray(x.T, float))
            for name, x in zip(self.request.reads, inputs, strict=True)
        }
        t = self.tables if self.tables.again is None else self.tables.again(given)
        bodies = [body_record(body) for body in t.bodies]
        v_of, nothing = given.get("v"), (0,)
        q, v = [], []
        for body, q0, v0 in zip(bodies, t.q_offsets, t.v_offsets, strict=True):
            nv = body.joint.nv
            q.append(tuple(given["q"][q0 : q0 + body.joint.nq]))
            v.append(nothing * nv if v_of is None else tuple(v_of[v0 : v0 + nv]))
        found = {name: np.zeros(outputs[name].shape) for name in ("dq", "dv")}
        tree = MovingTree(bodies, t.parents, q, v)
        for row, column, *entries in slopes(t.elements, tree, t.v_offsets):
            for name, entry in zip(found, entries, strict=True):
                found[name][:, row, column] += entry
        solves = any(isinstance(p, Solve) for p in self.request.algorithm.passes)
        for name, pushed in found.items():
            outputs[name] += outputs["M"] @ pushed if solves else -pushed
