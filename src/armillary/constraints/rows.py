"""The rows of all constraints at given states: Jacobian, acceleration bias, rates, residuals.

Everything is evaluated along the world's axes from the motion of the bodies, with levers between
neighbouring points only, so that accuracy does not depend on where the machine stands.  Closures
of one type are evaluated together, as arrays (states, constraints).  The traced kernels
(model/lowering/constraint_table.py) find the same rows by another path, body by body.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.arrays import (
    crossed,
    moved,
    rotated,
    rotated_back,
    shifted,
    turned_back,
)
from armillary.evaluate.inputs import Array
from armillary.joints.closures import Closure, rate_bias
from armillary.model.lowering.constraint_table import ConstraintTable, FrameConstraint
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar
from armillary.spatial import Force, Matrix, Motion, Transform, Vector

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


def of_kernel(found: Mapping[str, Array]) -> Terms:
    """From the results of algorithms/closed/row_terms.py."""
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


class Group:
    """Constraints with closures of one type: their constants as arrays."""

    def __init__(
        self, members: Sequence[tuple[int, FrameConstraint]], tables: Tables, rows: Indices
    ):
        constraints = [constraint for _, constraint in members]
        self.numbers = np.array([k for k, _ in members], np.intp)  # among the frame constraints
        self.rows = rows  # (constraints, rows per constraint): numbers of their rows in J
        self.first = np.array([constraint.first for constraint in constraints])
        self.second = np.array([constraint.second for constraint in constraints])
        ends = [
            [from_body_axes(t.X_1A, t.first, tables) for t in constraints],
            [from_body_axes(t.X_2B, t.second, tables) for t in constraints],
        ]
        (self.E1, self.r1), (self.E2, self.r2) = (map(np.array, zip(*x, strict=True)) for x in ends)
        self.closure: Closure = constraints[0].closure.with_parameters(
            _columns([t.closure.parameters() for t in constraints])
        )
        passive = tuple(
            p.with_parameters(_columns([t.passive[k].parameters() for t in constraints]))
            for k, p in enumerate(constraints[0].passive)
        )
        # one constraint that stands for all of them
        self.constraint = replace(constraints[0], closure=self.closure, passive=passive)
        self.own = np.array([constraint.own.rows for constraint in constraints], float)
        self._turns = [constraint.turns for constraint in constraints]

    def near(self, q: Array) -> Array | None:
        """Angles (B, constraints) of loops that the tree can tell."""
        if self._turns[0] is None:
            return None
        return np.stack([t.angle(list(q.T)) for t in self._turns if t is not None], axis=-1)


def _columns(numbers: Sequence[Sequence[Scalar]]) -> list[Array]:
    """One array over the constraints per parameter."""
    table = np.array([[float(x) for x in row] for row in numbers])
    return [table[:, k] for k in range(table.shape[1])] if table.size else []


def from_body_axes(X_FK: Transform, body: int, tables: Tables) -> tuple[Array, Array]:
    """X_FB = (E, r): from the body's own axes, in which kernels hand out results; -1: the world."""
    X_FB = X_FK if body < 0 else X_FK @ Transform(tables.bodies[body].own.T, Vector())
    return np.array(X_FB.E.rows, float), np.array(X_FB.r.leaves(), float)


@dataclass(frozen=True)
class Bodies:
    """Motion of all bodies and of the world (last) at B states, in own axes."""

    E: Array  # (B, bodies + 1, 3, 3): world to own axes
    o: Array  # (B, bodies + 1, 3): origins in the world
    v: Array  # (B, bodies + 1, 6)
    a: Array  # (B, bodies + 1, 6), spatial, without joint accelerations
    S: Array  # (B, n, 6): joint axes at the origin of their bodies, along the world's axes
    q: Array  # (B, nq)

    @classmethod
    def of(cls, result: dict[str, Array], velocity: Array, acceleration: Array, q: Array) -> Bodies:
        Y = result["Y"]
        count = len(Y)
        world = np.broadcast_to(np.eye(3), (count, 1, 3, 3))
        E = np.concatenate([Y[..., :9].reshape(*Y.shape[:2], 3, 3), world], axis=1)
        o = np.concatenate([Y[..., 9:], np.zeros((count, 1, 3))], axis=1)
        world_v = np.broadcast_to(velocity, (count, 1, 6))
        world_a = np.broadcast_to(acceleration, (count, 1, 6))
        v = np.concatenate([result["v"], world_v], axis=1)
        a = np.concatenate([result["a"], world_a], axis=1)
        return cls(E, o, v, a, result["S"], q)


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
            for name, x in vars(_evaluate(group, bodies)).items():
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
                X, _, _ = _relative(group, bodies)
                shape = (len(total), len(group.numbers))
                stored = group.constraint.spring_energy(X, group.near(bodies.q))
                total += _scalars([stored], shape)[..., 0].sum(axis=1)
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


def _relative(group: Group, bodies: Bodies) -> tuple[Transform, Array, Array]:
    """X_21 of the constraints of a group, leaves (B, constraints); world to frame 2, its origin."""
    E1 = group.E1 @ bodies.E[:, group.first]
    E2 = group.E2 @ bodies.E[:, group.second]
    o1 = bodies.o[:, group.first] + rotated_back(bodies.E[:, group.first], group.r1)
    o2 = bodies.o[:, group.second] + rotated_back(bodies.E[:, group.second], group.r2)
    E21 = E2 @ np.swapaxes(E1, -1, -2)
    r21 = rotated(E1, o2 - o1)
    E = Matrix([[E21[..., i, j] for j in range(3)] for i in range(3)])
    return Transform(E, Vector(*(r21[..., i] for i in range(3)))), E2, o2


@dataclass(frozen=True)
class RowBlock:
    """The rows of a group of constraints at B states; wrenches along the world's axes, at the
    origins of the second frames."""

    gamma: Array  # (B, rows)
    rate: Array
    residual: Array
    wrench_W: Array  # (B, rows, 6): power on the relative motion gives J
    force_W: Array  # (B, rows, 6): what a multiplier of 1 exerts; the same where it is ideal
    origin: Array  # (B, constraints, 3)
    frame: Array  # (B, constraints, 3, 3): world to the second frame as a person sees it
    given_W: Array  # (B, constraints, 6): known wrenches of contacts
    resisted_W: Array  # (B, constraints, 6): friction and springs of loops

    BY_CONSTRAINT: ClassVar = ("origin", "frame", "given_W", "resisted_W")

    @classmethod
    def zeros(cls, states: int, rows: int, constraints: int) -> RowBlock:
        gamma, rate, residual = np.zeros((3, states, rows))
        wrench, force = np.zeros((2, states, rows, 6))
        given, resisted = np.zeros((2, states, constraints, 6))
        origin = np.zeros((states, constraints, 3))
        frame = np.zeros((states, constraints, 3, 3))
        return cls(gamma, rate, residual, wrench, force, origin, frame, given, resisted)


def _evaluate(group: Group, bodies: Bodies) -> RowBlock:
    X, E2, o2 = _relative(group, bodies)
    E21 = np.stack([np.stack(row, axis=-1) for row in X.E.rows], axis=-2)
    r21 = np.stack(X.r.leaves(), axis=-1)
    v1 = moved(group.E1, group.r1, bodies.v[:, group.first])
    v2 = moved(group.E2, group.r2, bodies.v[:, group.second])
    a1 = moved(group.E1, group.r1, bodies.a[:, group.first])
    a2 = moved(group.E2, group.r2, bodies.a[:, group.second])
    v = v2 - moved(E21, r21, v1)
    a = a2 - moved(E21, r21, a1) - crossed(v2, v)
    motion = Motion.from_leaves([v[..., i] for i in range(6)])
    shape = v.shape[:2]
    T = _wrenches(group.closure.wrenches(X), shape)  # (B, constraints, rows, 6) in frame 2
    F = T if group.closure.ideal else _wrenches(group.closure.forces(X), shape)
    bias = _scalars(rate_bias(group.closure, X, motion), shape)
    residual = _scalars(group.closure.residual(X), shape)
    gamma = bias - np.einsum("btri,bti->btr", T, a)
    rate = np.einsum("btri,bti->btr", T, v)
    resisted = group.constraint.resistance(X, motion, group.near(bodies.q))
    known = _wrenches([group.closure.given_force(X), resisted], shape)
    E2_rows = E2[:, :, None]
    known = turned_back(E2_rows, known)
    flat = (len(E21), group.rows.size)
    return RowBlock(
        gamma=gamma.reshape(flat),
        rate=rate.reshape(flat),
        residual=residual.reshape(flat),
        wrench_W=turned_back(E2_rows, T).reshape(*flat, 6),
        force_W=turned_back(E2_rows, F).reshape(*flat, 6),
        origin=o2,
        frame=group.own @ E2,
        given_W=known[..., 0, :],
        resisted_W=known[..., 1, :],
    )


def _scalars(values: Sequence[Scalar], shape: tuple[int, ...]) -> Array:
    if not values:
        return np.zeros((*shape, 0))
    return np.stack([np.broadcast_to(np.asarray(x, float), shape) for x in values], axis=-1)


def _wrenches(wrenches: Sequence[Force], shape: tuple[int, ...]) -> Array:
    if not wrenches:
        return np.zeros((*shape, 0, 6))
    return np.stack([_scalars(w.leaves(), shape) for w in wrenches], axis=-2)


def _supports(tables: Tables) -> list[frozenset[int]]:
    """The degrees of freedom that carry each body."""
    supports: list[frozenset[int]] = []
    for body, parent, v in zip(tables.bodies, tables.parents, tables.v_offsets, strict=True):
        before = supports[parent] if parent >= 0 else frozenset()
        supports.append(before | set(range(v, v + body.joint.nv)))
    return supports
