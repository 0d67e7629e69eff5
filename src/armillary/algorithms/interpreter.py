"""The interpreter: runs an algorithm on any scalars, body by body, exactly as it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from armillary.algorithms.forces.elements import (
    MovingTree,
    add_wrenches,
    driven_resistance,
    readings,
    shown,
    slopes,
    stored,
)
from armillary.algorithms.passes import (
    PER_DOF,
    Algorithm,
    AncestorPairs,
    Base,
    BodyColumns,
    ElementStep,
    FrameStep,
    GlobalStep,
    Inward,
    Outward,
    PathToRoot,
    Record,
    Solve,
    WorldStep,
    body_record,
    from_own,
    to_own,
)
from armillary.algorithms.sparse import SparseLDL, symmetric
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar
from armillary.spatial import Force, Transform

Numbers = Sequence[Scalar]
_NONE = ConstraintTable((), ())


class Run:
    """One run of an algorithm; afterwards `bodies` holds every intermediate quantity."""

    def __init__(
        self,
        algorithm: Algorithm,
        tables: Tables,
        base: Base,
        inputs: Mapping[str, Numbers],
        frame: tuple[int, Transform] | None = None,
    ):
        """tables: the lowered mechanism; inputs: flat numbers by name; frame: (body, X_FB)."""
        self.algorithm, self.tables, self.base = algorithm, tables, base
        self.inputs = inputs
        self.world = Record(**algorithm.world(base))
        self.bodies = [body_record(body) for body in tables.bodies]
        self.joints = [self._joint(k, inputs) for k in range(len(tables.bodies))]
        self.frame = frame
        self.x = Record(frame=frame[1]) if frame is not None else Record()
        self.matrices: dict[str, list[list[Scalar]]] = {}
        self.results: dict[str, list[Scalar]] = {}  # further ones, of global steps
        self.readings: list[list[Scalar]] = []  # of force elements
        self._elements()
        for step in algorithm.passes:
            self._walkers()[type(step)](step)

    @property
    def constraints(self) -> ConstraintTable:
        """Those of the tables; none where they have none."""
        return self.tables.constraints or _NONE

    def write(self, name: str, values: Sequence[Scalar]) -> None:
        """j.name of all joints, from one number per degree of freedom."""
        for j, start in zip(self.joints, self.tables.v_offsets, strict=True):
            setattr(j, name, tuple(values[start : start + len(j.v)]))

    def _joint(self, k: int, inputs: Mapping[str, Numbers]) -> Record:
        t = self.tables
        body = t.bodies[k]
        nq, nv, q0, v0 = body.joint.nq, body.joint.nv, t.q_offsets[k], t.v_offsets[k]
        j = Record(q=tuple(inputs["q"][q0 : q0 + nq]) if "q" in inputs else ())
        for name in PER_DOF:
            given = inputs.get(name)
            value = (0,) * nv if given is None else tuple(given[v0 : v0 + nv])
            setattr(j, name, value)
        j.driven = (0,) * nv  # by force elements between coordinates
        wrench = inputs.get("external")
        j.external = Force.zero()
        if wrench is not None:
            j.external = from_own(Force.from_leaves(wrench[6 * k : 6 * k + 6]), body.own)
        return j

    @cached_property
    def tree(self) -> MovingTree:
        """The bodies as force elements see them."""
        q, v = ([getattr(j, name) for j in self.joints] for name in ("q", self.algorithm.rate))
        return MovingTree(self.bodies, self.tables.parents, q, v)

    def _elements(self) -> None:
        """What force elements exert is an external wrench, what they store is energy."""
        elements = self.tables.elements
        if elements and "external" in self.algorithm.reads:
            add_wrenches(elements, self.tree, self.joints)
            for b, j in zip(self.bodies, self.joints, strict=True):
                if any(not (type(x) is int and x == 0) for x in j.driven):
                    b.resistance = driven_resistance(b.resistance, j.driven)
        if elements and "potential" in self.algorithm.writes:
            self.world.V = self.world.V + stored(elements, self.tree)

    def _parent(self, k: int) -> Record:
        parent = self.tables.parents[k]
        return self.bodies[parent] if parent >= 0 else self.world

    def _outward(self, p: Outward) -> None:
        for k, b in enumerate(self.bodies):
            p.step(b, self._parent(k), self.joints[k])

    def _inward(self, p: Inward) -> None:
        for k in reversed(range(len(self.bodies))):
            p.step(self.bodies[k], self._parent(k), self.joints[k])

    def _world_step(self, p: WorldStep) -> None:
        p.step(self.world, self.base)

    def _element_step(self, p: ElementStep) -> None:
        if p.does == "read":
            self.readings = readings(self.tables.elements, self.tree)
        elif p.does == "show":
            self.readings = shown(self.tables.elements, self.tree)

    def _global_step(self, p: GlobalStep) -> None:
        p.step(self)

    def _frame_step(self, p: FrameStep) -> None:
        p.step(self._frame_body(), self.x)

    def _frame_body(self) -> Record:
        if self.frame is None:
            raise ValueError(f"algorithm '{self.algorithm.name}' needs a frame")
        return self.bodies[self.frame[0]]

    def _path_to_root(self, p: PathToRoot) -> None:
        matrix = [[0 for _ in range(self.tables.nv)] for _ in range(6)]
        value = p.start(self._frame_body(), self.x)
        k = self.frame[0] if self.frame is not None else -1
        while k >= 0:
            for c, column in enumerate(p.meet(self.bodies[k], value)):
                for r, entry in enumerate(column.leaves()):
                    matrix[r][self.tables.v_offsets[k] + c] = entry
            if self.tables.parents[k] >= 0:
                value = p.climb(self.bodies[k], value)
            k = self.tables.parents[k]
        self.matrices[p.writes] = matrix

    def _ancestor_pairs(self, p: AncestorPairs) -> None:
        n, offsets = self.tables.nv, self.tables.v_offsets
        matrices = [[[0 for _ in range(n)] for _ in range(n)] for _ in p.writes]
        for i, b in enumerate(self.bodies):
            for k in range(b.joint.nv):
                column = offsets[i] + k
                value = p.start(b, k)
                for matrix, entries in zip(matrices, p.itself(b, k, value), strict=True):
                    for r, entry in enumerate(entries):
                        matrix[offsets[i] + r][column] = entry
                j = i
                while self.tables.parents[j] >= 0:
                    value = p.climb(self.bodies[j], value)
                    j = self.tables.parents[j]
                    met = p.meet(self.bodies[j], value)
                    for matrix, (below, above) in zip(matrices, met, strict=True):
                        for r, (x, y) in enumerate(zip(below, above, strict=True)):
                            matrix[offsets[j] + r][column] = x
                            matrix[column][offsets[j] + r] = y
        self.matrices.update(zip(p.writes, matrices, strict=True))
        if {"dq", "dv"} <= set(p.writes):
            for r, c, by_q, by_v in slopes(self.tables.elements, self.tree, offsets):
                self.matrices["dq"][r][c] = self.matrices["dq"][r][c] - by_q
                self.matrices["dv"][r][c] = self.matrices["dv"][r][c] - by_v

    def _body_columns(self, p: BodyColumns) -> None:
        n, offsets = self.tables.nv, self.tables.v_offsets
        matrix = [[0 for _ in range(p.count * len(self.bodies))] for _ in range(n)]
        for i, b in enumerate(self.bodies):
            for k in range(p.count):
                value, j = p.start(b, k), i
                while True:
                    for r, entry in enumerate(p.meet(self.bodies[j], value)):
                        matrix[offsets[j] + r][p.count * i + k] = entry
                    if self.tables.parents[j] < 0:
                        break
                    value = p.climb(self.bodies[j], value)
                    j = self.tables.parents[j]
        self.matrices[p.writes] = matrix

    def _solve(self, p: Solve) -> None:
        """From the tips to the root: that fills nothing in.  Half of the inverse is mirrored."""
        n = self.tables.nv
        factor = SparseLDL(symmetric(self.matrices[p.matrix]), range(n - 1, -1, -1))
        for name in p.right:
            columns = zip(*self.matrices[name], strict=True)
            solved = [factor.solve([-x for x in column])[0] for column in columns]
            self.matrices[name] = [list(row) for row in zip(*solved, strict=True)]
        units = [factor.solve([1 if r == k else 0 for r in range(n)])[0] for k in range(n)]
        mirrored = [[units[max(r, k)][min(r, k)] for k in range(n)] for r in range(n)]
        self.matrices[p.inverse] = mirrored

    def _walkers(self) -> dict[type, Callable[[Any], None]]:
        return {
            Outward: self._outward,
            Inward: self._inward,
            WorldStep: self._world_step,
            FrameStep: self._frame_step,
            PathToRoot: self._path_to_root,
            AncestorPairs: self._ancestor_pairs,
            BodyColumns: self._body_columns,
            Solve: self._solve,
            GlobalStep: self._global_step,
            ElementStep: self._element_step,
        }

    def result(self, name: str) -> Any:
        """A result by name, as nested lists of scalars."""
        kind = self.algorithm.writes[name]
        if kind in ("dof", "place"):
            return [x for j in self.joints for x in getattr(j, name)]
        if kind == "columns":
            return [list(c.leaves()) for j in self.joints for c in getattr(j, name)]
        if kind == "body":
            return [list(leaves(to_own(getattr(b, name), b.own))) for b in self.bodies]
        if kind in ("matrix", "wide", "regressor"):
            return self.matrices[name]
        if kind == "results":
            return self.results[name]
        if kind in ("element", "tyre"):
            return self.readings
        owner = self.x if kind == "frame" else self.world
        return list(leaves(getattr(owner, name)))


def leaves(value: object) -> tuple[Scalar, ...]:
    """The scalars of a spatial object, or of one scalar."""
    return value.leaves() if hasattr(value, "leaves") else (value,)
