"""Closures of one type at many states, all constraints of a group together, as arrays (states,
constraints): wrenches, biases, rates and residuals along the world's axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.arrays import (
    crossed,
    moved,
    rotated,
    rotated_back,
    turned_back,
)
from armillary.evaluate.inputs import Array
from armillary.joints.closures import Closure, rate_bias
from armillary.model.lowering.constraint_table import FrameConstraint
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar
from armillary.spatial import Force, Matrix, Motion, Transform, Vector

Indices = NDArray[np.intp]


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


def relative(group: Group, bodies: Bodies) -> tuple[Transform, Array, Array]:
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
        return cls(
            gamma=gamma,
            rate=rate,
            residual=residual,
            wrench_W=wrench,
            force_W=force,
            origin=origin,
            frame=frame,
            given_W=given,
            resisted_W=resisted,
        )


def evaluate(group: Group, bodies: Bodies) -> RowBlock:
    """All rows of a group."""
    X, E2, o2 = relative(group, bodies)
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
    bias = scalars(rate_bias(group.closure, X, motion), shape)
    residual = scalars(group.closure.residual(X), shape)
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


def scalars(values: Sequence[Scalar], shape: tuple[int, ...]) -> Array:
    if not values:
        return np.zeros((*shape, 0))
    return np.stack([np.broadcast_to(np.asarray(x, float), shape) for x in values], axis=-1)


def _wrenches(wrenches: Sequence[Force], shape: tuple[int, ...]) -> Array:
    if not wrenches:
        return np.zeros((*shape, 0, 6))
    return np.stack([scalars(w.leaves(), shape) for w in wrenches], axis=-2)
