"""The rows of all constraints at given states: Jacobian, acceleration bias, rates, residuals.

Everything is evaluated along the world's axes from the motion of the bodies, with levers between
neighbouring points only, so that accuracy does not depend on where the machine stands.  Closures
of one type are evaluated together, as arrays (states, constraints).  The traced kernels
(model/lowering/constraint_table.py) find the same rows by another path, body by body.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from armillary.constraints.row_groups import (
    Bodies,
    Group,
    Indices,
    RowBlock,
    evaluate,
    relative,
    scalars,
)
from armillary.evaluate.arrays import shifted
from armillary.evaluate.inputs import Array
from armillary.model.lowering.constraint_table import ConstraintTable, FrameConstraint
from armillary.model.lowering.tree import Tables


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


def of_kernel(found: Mapping[str, Array]) -> Terms:
    """From the results of algorithms/closed/row_terms.py, or of state_equations.py."""
    gamma, rate, residual = (found["right"][:, k] for k in range(3))
    given, resisted = (found["pushes"][:, k] for k in range(2))
    wrenches = {name: found[name] for name in ("wrench_W", "origin", "frame", "given_W")}
    return Terms(
        J=found["J"],
        G=found["J"],
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
    """Evaluates all rows of a mechanism."""

    def __init__(self, constraints: ConstraintTable, tables: Tables):
        self.constraints, self.tables = constraints, tables
        self.supports = _supports(tables)  # degrees of freedom that carry each body
        self.groups = self._groups()

    def _groups(self) -> list[Group]:
        sorted_constraints: dict[Hashable, list[tuple[int, FrameConstraint]]] = {}
        for k, constraint in enumerate(self.constraints.frames):
            c = constraint.closure
            # friction and force names are part of the type, their numbers are not
            names = [d for d, *_ in getattr(c, "force", ())] + [
                d[:2] for d in getattr(c, "friction", ())
            ]
            laws = tuple(p.key() for p in constraint.passive)
            kind = (type(c), c.rows, c.holonomic, constraint.joint, len(c.parameters()))
            key = (*kind, tuple(names), getattr(c, "free", ()), laws, constraint.turns is None)
            sorted_constraints.setdefault(key, []).append((k, constraint))
        groups = []
        for members in sorted_constraints.values():
            slices = [self.constraints.slices[constraint.name] for _, constraint in members]
            rows = np.array([range(span.start, span.stop) for span in slices], np.intp)
            shape = (len(members), members[0][1].count)
            groups.append(Group(members, self.tables, rows.reshape(shape)))
        return groups

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

    def block(self, bodies: Bodies, passive: bool = True) -> RowBlock:
        """All constraints between frames; zeros in the rows of the others.  passive: with friction
        and springs of loops."""
        total = RowBlock.zeros(len(bodies.S), self.constraints.count, len(self.constraints.frames))
        for group in self.groups:
            for name, x in vars(evaluate(group, bodies)).items():
                chosen = group.numbers if name in RowBlock.BY_CONSTRAINT else group.rows.ravel()
                getattr(total, name)[:, chosen] = x
        return total if passive else replace(total, resisted_W=np.zeros_like(total.resisted_W))

    def sparse_terms(self, bodies: Bodies, passive: bool = True) -> tuple[Array, Array, Array]:
        """Entries of J at `pairs`, gamma (B, m), and the known generalised force (B, n)."""
        block = self.block(bodies, passive)
        for constraint in self.constraints.axes:
            row = self.constraints.slices[constraint.name].start
            block.gamma[:, row] = constraint.acceleration
        given = self.pushes(bodies, block.given_W + block.resisted_W, block.origin)
        return self.entries(bodies, block.wrench_W, block.origin), block.gamma, given

    def terms(self, bodies: Bodies, q: Array, v: Array, passive: bool = True) -> Terms:
        """Dense rows of B states.  passive: with friction and springs of loops."""
        block, pairs = self.block(bodies, passive), self.pairs
        J = np.zeros((len(q), self.constraints.count, self.tables.nv))
        J[:, pairs.rows, pairs.columns] = self.entries(bodies, block.wrench_W, block.origin)
        self._axis_rows(q, v, J, block.gamma, block.rate, block.residual)
        G = J
        if not self.constraints.ideal:
            G = J.copy()
            G[:, pairs.rows, pairs.columns] = self.entries(bodies, block.force_W, block.origin)
        resisted = self.pushes(bodies, block.resisted_W, block.origin)
        return Terms(
            J=J,
            G=G,
            gamma=block.gamma,
            rate=block.rate,
            residual=block.residual,
            wrench_W=block.force_W,
            origin=block.origin,
            frame=block.frame,
            given_W=block.given_W + block.resisted_W,
            given=self.pushes(bodies, block.given_W, block.origin) + resisted,
            resisted=resisted,
        )

    def spring_energy(self, bodies: Bodies) -> Array:
        """(B,) potential energy of the springs of all loops, J."""
        total = np.zeros(len(bodies.S))
        for group in self.groups:
            if group.constraint.passive:
                X, _, _ = relative(group, bodies)
                shape = (len(total), len(group.numbers))
                stored = group.constraint.spring_energy(X, group.near(bodies.q))
                total += scalars([stored], shape)[..., 0].sum(axis=1)
        return total

    @cached_property
    def carriers(self) -> Indices:
        """The body that each degree of freedom moves."""
        t = self.tables
        return np.repeat(np.arange(len(t.bodies)), [body.joint.nv for body in t.bodies])

    def entries(self, bodies: Bodies, wrench: Array, origin: Array) -> Array:
        """Values of J at `pairs`: power of each row's wrench (B, m, 6) on each axis, (B, pairs)."""
        p = self.pairs
        return self._powers(bodies, wrench[:, p.rows], origin[:, p.constraints], p.columns, p.signs)

    def pushes(self, bodies: Bodies, wrench: Array, origin: Array) -> Array:
        """(B, n) generalised force of the wrenches (B, constraints, 6) on second bodies."""
        total = np.zeros((len(wrench), self.tables.nv))
        if wrench.any():
            numbers, dofs, signs = self.links
            found = self._powers(bodies, wrench[:, numbers], origin[:, numbers], dofs, signs)
            np.add.at(total.T, dofs, found.T)
        return total

    def _powers(
        self, bodies: Bodies, wrench: Array, origin: Array, dofs: Indices, signs: Array
    ) -> Array:
        """Power of wrenches (B, p, 6) on the motion of one joint axis each."""
        push = shifted(wrench, origin - bodies.o[:, self.carriers[dofs]])
        return np.asarray(np.einsum("bpi,bpi,p->bp", bodies.S[:, dofs], push, signs))

    def _axis_rows(
        self, q: Array, v: Array, J: Array, gamma: Array, rate: Array, residual: Array
    ) -> None:
        for constraint in self.constraints.axes:
            k = self.constraints.slices[constraint.name].start
            gamma[:, k] = constraint.acceleration
            if constraint.velocity is not None:
                rate[:, k] = -constraint.velocity
            if constraint.offset is not None:
                residual[:, k] = -constraint.offset
            for v_index, q_index, coefficient in constraint.terms:
                J[:, k, v_index] += coefficient
                if constraint.velocity is not None:
                    rate[:, k] += coefficient * v[:, v_index]
                if constraint.offset is not None:
                    residual[:, k] += coefficient * q[:, q_index]


def _supports(tables: Tables) -> list[frozenset[int]]:
    """The degrees of freedom that carry each body."""
    supports: list[frozenset[int]] = []
    for body, parent, v in zip(tables.bodies, tables.parents, tables.v_offsets, strict=True):
        before = supports[parent] if parent >= 0 else frozenset()
        supports.append(before | set(range(v, v + body.joint.nv)))
    return supports
