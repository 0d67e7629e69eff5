"""Derivatives of large mechanisms with force elements.

The loops over bodies take the wrenches of the elements as given, fast in the frames of their
bodies.  How these change with q and v is added afterwards.  With the motion C of the bodies at the
ends of elements per degree of freedom, and dC of their velocities (end_motions.py),

    dQ/dq = C^T (K C + D dC)      dQ/dv = C^T D C

of the generalised forces Q, stiffness K and damping D between the bodies from the laws of all
elements (element_slopes.py).  Of forward dynamics the forces that are missing become accelerations
by M^-1, which is a result of the loops, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armillary.algorithms.forces.end_motions import end_motions
from armillary.algorithms.forces.loops import distinct
from armillary.algorithms.passes import Algorithm, AncestorPairs, Solve
from armillary.codegen.abi import Arrays
from armillary.codegen.target import Lanes
from armillary.evaluate.element_code import ElementKind, ElementTables
from armillary.evaluate.element_slopes import MOTION_SIZE, bodies_of, place_size, slopes_kernel
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import TYPES, CodeKind, Kernel, Linked, Rows
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.request import Request, arrays_of
from armillary.model.lowering.tree import PER_BODY, Tables

_AT_ONCE = 200_000  # numbers of C, K or D that are worked on together
_DENSE = 900  # rows up to which K and D are full matrices


def has_slopes(algorithm: Algorithm) -> bool:
    """Does it write derivatives with respect to q and v as matrices?"""
    pairs = (p for p in algorithm.passes if isinstance(p, AncestorPairs))
    return any({"dq", "dv"} <= set(p.writes) for p in pairs)


class SlopedCode:
    """Loop code, and what force elements add to its matrices."""

    kind: CodeKind = "loop"
    operations: int | None = None

    def __init__(self, request: Request, tables: Tables):
        self.request, self.tables = request, tables

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        plain = Kernel(
            *arrays_of(self.request, self.tables), lanes, LoopCode(self.request, self.tables)
        )
        slopes = ElementSlopes(self.request, self.tables, lanes)
        solves = any(isinstance(p, Solve) for p in self.request.algorithm.passes)

        def run(rows: Rows) -> None:
            plain.run(rows)
            outputs = dict(zip(self.request.algorithm.writes, rows.outputs, strict=True))
            step = slopes.rows_at_once
            with np.errstate(all="ignore"):
                for first in range(0, rows.count, step):
                    part = slice(first, min(first + step, rows.count))
                    pushed = slopes.of(rows.part(part.start, part.stop))
                    for name, x in zip(("dq", "dv"), pushed, strict=True):
                        here = outputs[name][part]
                        here += outputs["M"][part] @ x if solves else -x

        return Linked([], run=run)  # it has no one entry


@dataclass
class _Group:
    """The elements of one kind: bodies at their ends (E, n), all their numbers (E, P), and which of
    the given numbers are theirs (E, G).

    Stiffness and damping are sums of blocks (6, 6) of two bodies.  order: the blocks of all
    elements by the two; starts: where those of the next two begin; rows, columns: which they are,
    by their numbers among the ends of the mechanism."""

    kind: ElementKind
    kernel: Kernel
    bodies: np.ndarray
    numbers: Array
    given: np.ndarray
    order: np.ndarray
    starts: np.ndarray
    rows: np.ndarray
    columns: np.ndarray


class ElementSlopes:
    """How the generalised forces of all elements of a mechanism change with q and v."""

    def __init__(self, request: Request, tables: Tables, lanes: Lanes):
        """request: what is asked; its inputs are those of the calls."""
        self._dtype = TYPES[lanes.element]
        self._reads, self._tables = request.reads, tables
        known = (*end_motions.reads, *PER_BODY)
        self._asked = Request(end_motions, tuple(x for x in request.reads if x in known))
        code = LoopCode(self._asked, tables)
        self._motions = Kernel(*arrays_of(self._asked, tables), lanes, code)
        self._own = np.array([body.own.rows for body in tables.bodies], self._dtype)
        # ends: of frames, and of coordinates, each a body and whether it is the latter
        self._ends: dict[tuple[int, bool], int] = {}
        self._groups, found, first = list[_Group](), ElementTables(tables), 0
        for kind, count in zip(found.kinds, found.sizes, strict=True):
            if bodies_of(kind):
                self._groups.append(self._group(kind, found, slice(first, first + count), lanes))
            first += count
        moves = np.zeros((len(self._ends), MOTION_SIZE, tables.nv), self._dtype)
        for (body, joint), number in self._ends.items():
            moves[number] = self._coordinates[body] if joint else self._ancestors[body]
        self._of_joints = [n for (_, joint), n in self._ends.items() if joint]
        self._moves = moves
        side = min(MOTION_SIZE * len(moves), _DENSE)
        self.rows_at_once = max(lanes.width, _AT_ONCE // max(moves.size, side * side, 1))

    def _group(self, kind: ElementKind, found: ElementTables, of: slice, lanes: Lanes) -> _Group:
        elements, tables = found.order[of], self._tables
        bodies = np.array([distinct(element) for element in elements])
        first = [PER_BODY["parameters"] * len(tables.bodies) + found.start(e) for e in elements]
        given = np.add.outer(first, np.arange(kind.element.count))
        numbers = np.array([element.parameters() for element in elements], self._dtype)
        joint = bool(kind.numbers)
        ends = np.array(
            [[self._ends.setdefault((int(k), joint), len(self._ends)) for k in x] for x in bodies]
        )
        n = ends.shape[1]
        pairs = np.stack([np.repeat(ends, n, axis=1).ravel(), np.tile(ends, n).ravel()], axis=1)
        order = np.lexsort(pairs.T[::-1])
        new = np.any(np.diff(pairs[order], axis=0, prepend=-1), axis=1)
        rows, columns = pairs[order][new].T
        kernel = slopes_kernel(kind, "parameters" in self._reads, lanes)
        starts = np.flatnonzero(new)
        return _Group(
            kind=kind,
            kernel=kernel,
            bodies=bodies,
            numbers=numbers,
            given=given,
            order=order,
            starts=starts,
            rows=rows,
            columns=columns,
        )

    @cached_property
    def _ancestors(self) -> Array:
        """(bodies, nv): 1 where a degree of freedom moves a body."""
        tables = self._tables
        found = np.zeros((len(tables.bodies), tables.nv), self._dtype)
        for k, (body, parent) in enumerate(zip(tables.bodies, tables.parents, strict=True)):
            if parent >= 0:
                found[k] = found[parent]
            first = tables.v_offsets[k]
            found[k, first : first + body.joint.nv] = 1.0
        return found

    @cached_property
    def _coordinates(self) -> Array:
        """(bodies, 6, nv): 1 where a degree of freedom is a coordinate of the body's joint."""
        tables = self._tables
        found = np.zeros((len(tables.bodies), MOTION_SIZE, tables.nv), self._dtype)
        for k, body in enumerate(tables.bodies):
            for i in range(body.joint.nv):
                found[k, i, tables.v_offsets[k] + i] = 1.0
        return found

    def of(self, rows: Rows) -> tuple[Array, Array]:
        """dQ/dq and dQ/dv (rows, nv, nv)."""
        inputs = dict(zip(self._reads, rows.inputs, strict=True))
        Y, v, S, dS = self._motion(rows)
        nv, count = self._tables.nv, rows.count
        C, dC = (x.swapaxes(1, 2)[:, None] * self._moves for x in (S, dS))
        C[:, self._of_joints], dC[:, self._of_joints] = self._moves[self._of_joints], 0.0
        KC, DdC, DC = (np.zeros_like(C) for _ in range(3))
        for g in self._groups:
            if g.kind.numbers:
                places, motions = self._joint_numbers(g, inputs, count)
            else:
                places, motions = Y[:, g.bodies], v[:, g.bodies]
            K, D = self._slopes(g, places, motions, inputs, count)
            for total, blocks, x in ((KC, K, C), (DdC, D, dC), (DC, D, C)):
                self._add_product(total, g, blocks, x)
        flat = (count, MOTION_SIZE * len(self._ends), nv)
        back = C.reshape(flat).swapaxes(1, 2)
        return back @ (KC + DdC).reshape(flat), back @ DC.reshape(flat)

    def _add_product(self, total: Array, g: _Group, blocks: Array, x: Array) -> None:
        """The matrix with these blocks times x (count, ends, 6, nv) is added."""
        count, ends, size, nv = x.shape
        if size * ends > _DENSE:
            for k, (row, column) in enumerate(zip(g.rows, g.columns, strict=True)):
                total[:, row] += blocks[:, k] @ x[:, column]
            return
        matrix = np.zeros((count, ends, size, ends, size), self._dtype)
        matrix[:, g.rows, :, g.columns] = blocks.swapaxes(0, 1)
        side = size * ends
        product = matrix.reshape(count, side, side) @ x.reshape(count, side, nv)
        total += product.reshape(x.shape)

    def _motion(self, rows: Rows) -> list[Array]:
        """X_KW and velocity of every body in its kernel frame; S and dS in the world frame."""
        given = dict(zip(self._reads, zip(rows.inputs, rows.strides, strict=True), strict=True))
        inputs, strides = zip(*(given[name] for name in self._asked.reads), strict=True)
        shapes = self._motions.output_shapes.values()
        found = [np.empty((rows.count, *shape), self._dtype) for shape in shapes]
        self._motions.run(Rows(inputs, strides, found, rows.count, rows.globals_))
        Y, v, S, dS = found
        back = self._own.swapaxes(1, 2)  # results are along the axes of the bodies
        Y[..., :9] = (back @ Y[..., :9].reshape(*Y.shape[:2], 3, 3)).reshape(*Y.shape[:2], 9)
        v = (back[:, None] @ v.reshape(*v.shape[:2], 2, 3, 1)).reshape(v.shape)
        return [Y, v, S, dS]

    def _joint_numbers(
        self, g: _Group, inputs: Mapping[str, Array], count: int
    ) -> tuple[Array, Array]:
        """Coordinates and rates of the joints at the ends (count, E, n, 6)."""
        found = [np.zeros((count, *g.bodies.shape, MOTION_SIZE), self._dtype) for _ in range(2)]
        tables, q, v = self._tables, inputs["q"], inputs.get("v")
        for at in np.ndindex(g.bodies.shape):
            body = g.bodies[at]
            nq, nv = tables.bodies[body].joint.nq, tables.bodies[body].joint.nv
            q0, v0 = tables.q_offsets[body], tables.v_offsets[body]
            if nq == nv:
                found[0][(slice(None), *at, slice(nq))] = q[:, q0 : q0 + nq]
            if v is not None:
                found[1][(slice(None), *at, slice(nv))] = v[:, v0 : v0 + nv]
        return found[0], found[1]

    def _slopes(
        self, g: _Group, places: Array, motions: Array, inputs: Mapping[str, Array], count: int
    ) -> list[Array]:
        """Blocks of stiffness and damping (count, pairs, 6, 6) of the elements of a group."""
        E, n = g.bodies.shape
        numbers = np.broadcast_to(g.numbers, (count, *g.numbers.shape))
        read = [places.reshape(count * E, n * place_size(g.kind)), motions, numbers]
        if "parameters" in inputs:
            own = inputs["parameters"][:, g.given]
            read.append(np.broadcast_to(own, (count, *own.shape[1:])))
        read = [np.ascontiguousarray(x.reshape(count * E, -1)) for x in read]
        found = [np.empty((count * E, n, 6, n, 6), self._dtype) for _ in range(2)]
        g.kernel.run(Rows(read, [x.shape[1] for x in read], found, count * E, g.numbers))
        made = []
        for x in found:
            blocks = x.swapaxes(2, 3).reshape(count, E * n * n, 6, 6)[:, g.order]
            made.append(np.add.reduceat(blocks, g.starts, axis=1))
        return made
