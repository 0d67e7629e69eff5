"""Derivatives of large mechanisms with force elements.

The loops over bodies take the wrenches of the elements as given, fast in the frames of their
bodies.  How these change with q and v is added afterwards.  With the motion C of the bodies at the
ends of an element per degree of freedom, and dC of their velocities (end_motions.py),

    dQ/dq = Σ C^T (K C + D dC)      dQ/dv = Σ C^T D C

of the generalised forces Q, stiffness K and damping D from the law of the element
(element_slopes.py).  Of forward dynamics the forces that are missing become accelerations by M^-1,
which is a result of the loops, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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

_AT_ONCE = 200_000  # numbers of C that are worked on together


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
    """The elements of one kind: bodies at their ends (E, n), all their numbers (E, P), which of
    the given numbers are theirs (E, G), and which degrees of freedom move those bodies
    (E, n, 1, nv); between coordinates: which they are (E, n, 6, nv)."""

    kind: ElementKind
    kernel: Kernel
    bodies: np.ndarray
    numbers: Array
    given: np.ndarray
    moves: Array


class ElementSlopes:
    """How the generalised forces of all elements of a mechanism change with q and v."""

    def __init__(self, request: Request, tables: Tables, lanes: Lanes):
        """request: what is asked; its inputs are those of the calls."""
        self._dtype = TYPES[lanes.element]
        self._reads, self._tables = request.reads, tables
        known = (*end_motions.reads, *PER_BODY)
        asked = Request(end_motions, tuple(name for name in request.reads if name in known))
        self._asked = asked
        self._motions = Kernel(*arrays_of(asked, tables), lanes, LoopCode(asked, tables))
        self._own = np.array([body.own.rows for body in tables.bodies], self._dtype)
        found = ElementTables(tables)
        self._groups, first = [], 0
        for kind, count in zip(found.kinds, found.sizes, strict=True):
            if bodies_of(kind):
                of = slice(first, first + count)
                self._groups.append(self._group(kind, found, of, lanes))
            first += count
        widest = max((g.moves[..., 0, :].size * MOTION_SIZE for g in self._groups), default=1)
        self.rows_at_once = max(lanes.width, _AT_ONCE // widest)

    def _group(self, kind: ElementKind, found: ElementTables, of: slice, lanes: Lanes) -> _Group:
        elements, tables = found.order[of], self._tables
        given = "parameters" in self._reads
        bodies = np.array([distinct(element) for element in elements])
        first = [PER_BODY["parameters"] * len(tables.bodies) + found.start(e) for e in elements]
        own = np.add.outer(first, np.arange(kind.element.count))
        numbers = np.array([element.parameters() for element in elements], self._dtype)
        moves = self._coordinates if kind.numbers else self._ancestors[:, None]
        return _Group(kind, slopes_kernel(kind, given, lanes), bodies, numbers, own, moves[bodies])

    @property
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

    @property
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
        by_q, by_v = (np.zeros((count, nv, nv), self._dtype) for _ in range(2))
        columns = np.concatenate((S, dS), axis=1).swapaxes(1, 2)[:, None, None]
        for g in self._groups:
            shape = (count, len(g.bodies), MOTION_SIZE * bodies_of(g.kind))
            if g.kind.numbers:
                places, motions = self._joint_numbers(g, inputs, count)
                C = np.broadcast_to(g.moves, (count, *g.moves.shape)).reshape(*shape, nv)
                dC = np.zeros_like(C)
            else:
                places, motions = Y[:, g.bodies], v[:, g.bodies]
                both = _matrices(places) @ columns
                C = (both[..., :nv] * g.moves).reshape(*shape, nv)
                dC = (both[..., nv:] * g.moves).reshape(*shape, nv)
            K, D = self._slopes(g, places, motions, inputs, count)
            flat = (count, -1, nv)
            back = C.reshape(flat).swapaxes(1, 2)
            by_q += back @ (K @ C + D @ dC).reshape(flat)
            by_v += back @ (D @ C).reshape(flat)
        return by_q, by_v

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
        """Stiffness and damping of the elements of a group (count, E, 6n, 6n)."""
        E, n = g.bodies.shape
        numbers = np.broadcast_to(g.numbers, (count, *g.numbers.shape))
        read = [places.reshape(count * E, n * place_size(g.kind)), motions, numbers]
        if "parameters" in inputs:
            own = inputs["parameters"][:, g.given]
            read.append(np.broadcast_to(own, (count, *own.shape[1:])))
        read = [np.ascontiguousarray(x.reshape(count * E, -1)) for x in read]
        size = MOTION_SIZE * n
        found = [np.empty((count * E, size, size), self._dtype) for _ in range(2)]
        g.kernel.run(Rows(read, [x.shape[1] for x in read], found, count * E, g.numbers))
        return [x.reshape(count, E, size, size) for x in found]


def _matrices(places: Array) -> Array:
    """Transforms (..., 12) as matrices (..., 6, 6) on motions (ω; v): ω_K = E ω, and
    v_K = E (v - r × ω)."""
    E, r = places[..., :9].reshape(*places.shape[:-1], 3, 3), places[..., 9:]
    found = np.zeros((*places.shape[:-1], 6, 6), places.dtype)
    found[..., :3, :3] = found[..., 3:, 3:] = E
    found[..., 3:, :3] = -E @ _cross(r)
    return found


def _cross(r: Array) -> Array:
    """The matrix of r ×."""
    x, y, z = np.moveaxis(r, -1, 0)
    found = np.zeros((*r.shape, 3), r.dtype)
    found[..., 0, 1], found[..., 0, 2], found[..., 1, 2] = -z, y, -x
    found[..., 1, 0], found[..., 2, 0], found[..., 2, 1] = z, -y, x
    return found
