"""The rows of all constraints at given states, and which of their entries there are.

One definition (model/lowering/constraint_table.py) answers three ways: as straight-line code of a
mechanism (closed/row_terms.py), by loops over tables for any size (loop_rows.py), and by the
interpreter, where there is no compiler, or as an oracle.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.joints.closures import OnPlane
from armillary.joints.rolling import RollingDisc
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import Tables
from armillary.spatial import Transform, Vector


@dataclass(frozen=True)
class PlacedBodies:
    """B configurations; body -1 is the world."""

    Y: Array  # (B, bodies + 1, 12): X_BW of the axes along which joints move
    S: Array  # (B, n, 6): joint axes at the origins of their bodies, along the world's axes

    @classmethod
    def of(cls, motion: Array, S: Array) -> PlacedBodies:
        """From the results of `row_motion`."""
        Y = motion[..., :12]
        world = np.broadcast_to(Transform.identity().leaves(), (len(Y), 1, 12))
        return cls(np.concatenate([Y, world], axis=1), S)

    @property
    def o(self) -> Array:
        """(B, bodies + 1, 3) origins in the world."""
        return self.Y[..., 9:]

    def points(self, constraints: ConstraintTable, tables: Tables) -> Array:
        """(k, 3) joints, constrained points and centres of mass of the first configuration."""
        found = [*self.o[0, :-1]]
        for frame in constraints.frames:
            sides = [(frame.first, frame.X_1A.r), (frame.second, frame.X_2B.r)]
            # the ground is everywhere: where its frame stands says nothing
            found += [
                self._point(*side)
                for side in sides[isinstance(frame.closure, (RollingDisc, OnPlane)) :]
            ]
        for k, part in enumerate(tables.bodies):
            if part.inertia.mass > 0:
                found.append(self._point(k, part.inertia.com()))
        return np.array(found)

    def _point(self, body: int, r: Vector) -> Array:
        """(3,) a point of a body, in the world."""
        E = self.Y[0, body, :9].reshape(3, 3)
        return np.asarray(self.o[0, body] + E.T @ np.array([float(x) for x in r.leaves()]))


Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Terms:
    """B states, m rows, n degrees of freedom:  J a = gamma,  J v + ... = rate,  residual = 0."""

    J: Array  # (B, m, n)
    G: Array  # (B, m, n): the generalised force of the multipliers is G^T λ; J if all are ideal
    gamma: Array  # (B, m)
    rate: Array  # (B, m): velocity along each row, 0 where it is kept
    residual: Array  # (B, m), 0 for rows that are not holonomic
    wrench_W: Array  # (B, m, 6): unit force of each row on the second body, world axes, at `origin`
    origin: Array  # (B, constraints, 3): of the second frames in the world
    frame: Array  # (B, constraints, 3, 3): world to the second frame as a person sees it
    # known wrenches of contacts, friction and springs of loops, world axes, at their frames
    given_W: Array  # (B, constraints, 6)
    given: Array  # (B, n): their generalised force
    resisted: Array  # (B, n): the part of it that comes from friction and springs


FORCE = 2  # among the pushes of state_equations.py


def of_kernel(found: Mapping[str, Array]) -> Terms:
    """From the results of closed/row_terms.py, or of closed/state_equations.py."""
    gamma, rate, residual = (found["right"][:, k] for k in range(3))
    given, resisted = (found["pushes"][:, k] for k in range(2))
    wrenches = {name: found[name] for name in ("wrench_W", "origin", "frame", "given_W")}
    return Terms(
        J=found["J"],
        G=found.get("G", found["J"]),
        gamma=gamma,
        rate=rate,
        residual=residual,
        given=given,
        resisted=resisted,
        **wrenches,
    )


class Pairs(NamedTuple):
    """Entries of J by place."""

    rows: Indices
    columns: Indices
    signs: Array  # +1: the joint carries the second body, -1: the first
    constraints: Indices  # the number of the constraint among those between frames


class Rows:
    """The constraints of a mechanism: which share code, and which joints they act on."""

    def __init__(self, constraints: ConstraintTable, tables: Tables):
        self.constraints, self.tables = constraints, tables
        self.supports = _supports(tables)  # degrees of freedom that carry each body

    @cached_property
    def kinds(self) -> list[list[int]]:
        """Numbers of the constraints between frames that differ in numbers alone, and share code
        (row_code.py)."""
        found: dict[Hashable, list[int]] = {}
        for k, frame in enumerate(self.constraints.frames):
            c = frame.closure
            # friction and force names are part of the type, their numbers are not
            names = [d for d, *_ in getattr(c, "force", ())]
            names += [d[:2] for d in getattr(c, "friction", ())]
            laws = tuple(p.key() for p in frame.passive)
            key = (
                *(type(c), c.rows, c.holonomic, frame.joint, len(c.parameters())),
                *(tuple(names), getattr(c, "free", ()), laws, frame.turns is None),
                *(frame.first < 0, frame.second < 0),
            )
            found.setdefault(key, []).append(k)
        return list(found.values())

    @cached_property
    def links(self) -> tuple[Indices, Indices, Array]:
        """Which joints a constraint between frames acts on: constraint, degree of freedom, and +1
        for joints that carry only its second body, -1 for those of the first alone."""
        found = []
        for number, constraint in enumerate(self.constraints.frames):
            one, two = self._support(constraint.first), self._support(constraint.second)
            found += [(number, dof, 1.0) for dof in sorted(two - one)]
            found += [(number, dof, -1.0) for dof in sorted(one - two)]
        numbers, dofs, signs = zip(*found, strict=True) if found else ((), (), ())
        return np.array(numbers, np.intp), np.array(dofs, np.intp), np.array(signs)

    @cached_property
    def pairs(self) -> Pairs:
        """Entries of J that can differ from zero (constraints between frames only)."""
        spans = [self.constraints.slices[constraint.name] for constraint in self.constraints.frames]
        numbers, dofs, signs = self.links
        sizes = [spans[k].stop - spans[k].start for k in numbers]
        rows = [np.arange(spans[k].start, spans[k].stop) for k in numbers]
        return Pairs(
            rows=np.concatenate([np.zeros(0, np.intp), *rows]),
            columns=np.repeat(dofs, sizes),
            signs=np.repeat(signs, sizes),
            constraints=np.repeat(numbers, sizes),
        )

    def _support(self, body: int) -> frozenset[int]:
        return self.supports[body] if body >= 0 else frozenset()

    @cached_property
    def carriers(self) -> Indices:
        """The body that each degree of freedom moves."""
        t = self.tables
        return np.repeat(np.arange(len(t.bodies)), [body.joint.nv for body in t.bodies])


def _supports(tables: Tables) -> list[frozenset[int]]:
    """The degrees of freedom that carry each body."""
    supports: list[frozenset[int]] = []
    for body, parent, v in zip(tables.bodies, tables.parents, tables.v_offsets, strict=True):
        before = supports[parent] if parent >= 0 else frozenset()
        supports.append(before | set(range(v, v + body.joint.nv)))
    return supports
