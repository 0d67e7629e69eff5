"""Rows of the constraints of a running algorithm, and the paths between bodies they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from armillary.algorithms.interpreter import Run
from armillary.model.lowering.constraint_table import FrameConstraint, missing
from armillary.scalar import Scalar, nothing
from armillary.spatial import Force, Motion, RigidMotion, Transform

Row = dict[int, Scalar]  # entries by degree of freedom
Lines = list[tuple[Row, Scalar]]  # entries of a row of J, and its right side


class Paths:
    """The bodies of a run as its constraints see them (`MovingBodies`)."""

    def __init__(self, run: Run):
        self.run, self.parents = run, run.tables.parents
        self.q = run.inputs["q"]
        self.v = run.inputs.get("v", (0,) * run.tables.nv)
        self.a = run.inputs.get("a")
        self._poses: dict[tuple[int, int], Transform] = {}

    def ancestors(self, body: int) -> list[int]:
        """The body itself, its parent, ... and the world (-1)."""
        path = [body]
        while path[-1] >= 0:
            path.append(self.parents[path[-1]])
        return path

    def meeting(self, one: int, two: int) -> int:
        """The nearest body that carries both."""
        others = set(self.ancestors(one))
        return next(body for body in self.ancestors(two) if body in others)

    def pose(self, body: int, carrier: int) -> Transform:
        """X: from the carrier's to the body's frame."""
        if body == carrier:
            return Transform.identity()
        if (body, carrier) not in self._poses:
            before = self.pose(self.parents[body], carrier)
            self._poses[body, carrier] = self.run.bodies[body].X @ before
        return self._poses[body, carrier]

    def motion(self, body: int) -> tuple[Motion, RigidMotion]:
        """Velocity and acceleration, in the body's frame."""
        record = self.run.bodies[body] if body >= 0 else self.run.world
        return record.v, record.m

    def push(self, body: int, carrier: int, force: Force) -> dict[int, Scalar]:
        """Generalised force of a wrench on a body, up to the carrier, by degree of freedom."""
        entries = {}
        while body != carrier:
            b = self.run.bodies[body]
            for k, s in enumerate(b.S):
                entries[self.run.tables.v_offsets[body] + k] = s.dot(force)
            force = b.X.T @ force
            body = self.parents[body]
        return entries


def kept_rows(run: Run, kept: Iterable[int], level: str, force: list[Scalar]) -> Lines:
    """Entries of every kept row, with its gamma, rate or residual (level).

    Prescribed motion is added to gamma and taken off the others.  At the level of gamma, known
    forces of contacts and passive ones of loops are added to `force`, also where all rows follow
    from others."""
    prescribed, sign = run.inputs.get("prescribed"), 1 if level == "gamma" else -1
    chosen, paths, start = set(kept), Paths(run), 0
    result: Lines = []
    for constraint in run.constraints.all:
        wanted = [k for k in range(constraint.count) if start + k in chosen]
        if wanted or level == "gamma":
            found = constraint.rows_at(paths, wanted)
            for dof, x in found.known.items() if level == "gamma" else ():
                force[dof] = force[dof] + x
            targets: list[Scalar] = getattr(found, level)
            for k, entries, target in zip(wanted, found.entries, targets, strict=True):
                extra = prescribed[start + k] * sign if prescribed is not None else 0
                result.append((entries, target + extra))
        start += constraint.count
    return result


class ConstraintPlace:
    """A constraint between frames at a state: where its wrenches act."""

    def __init__(self, run: Run, paths: Paths, constraint: FrameConstraint):
        self.run, self.paths, self.constraint = run, paths, constraint
        self.top = paths.meeting(constraint.first, constraint.second)
        X_2 = constraint.X_2B @ paths.pose(constraint.second, self.top)
        X_1 = constraint.X_1A @ paths.pose(constraint.first, self.top)
        self.X_21 = X_2 @ X_1.inverse()

    @cached_property
    def wrenches(self) -> list[Force]:
        """What a multiplier of 1 exerts on the second body, per row, in the second frame."""
        return self.constraint.closure.wrenches(self.X_21)

    def carried(self, f_2: Force) -> dict[int, Force]:
        """A wrench on the second frame, and its opposite on the first, at every body on the way."""
        constraint, found = self.constraint, {}
        ends = (
            (constraint.second, constraint.X_2B.T @ f_2),
            (constraint.first, -(constraint.X_1A.T @ (self.X_21.T @ f_2))),
        )
        for body, force in ends:
            while body != self.top:
                found[body] = force
                force = self.run.bodies[body].X.T @ force
                body = self.paths.parents[body]
        return found

    def powers(self, carried: dict[int, Force]) -> Row:
        """Generalised force of a wrench that was carried, without structural zeros."""
        entries: Row = {}
        for body, force in carried.items():
            for k, s in enumerate(self.run.bodies[body].S):
                x = s.dot(force)
                if not (type(x) is int and x == 0):
                    entries[self.run.tables.v_offsets[body] + k] = x
        return entries

    def given(self) -> Force | None:
        """What a contact is known to push with, in the second frame; None: nothing."""
        return _some(self.constraint.closure.given_force(self.X_21))

    def resistance(self) -> Force | None:
        """Friction and springs of a loop's joint, in the second frame; None: nothing."""
        constraint = self.constraint
        (v_A, _), (v_B, _) = (self.paths.motion(x) for x in (constraint.first, constraint.second))
        v = constraint.X_2B @ v_B - self.X_21 @ (constraint.X_1A @ v_A)
        near = None if constraint.turns is None else constraint.turns.angle(self.paths.q)
        return _some(constraint.resistance(self.X_21, v, near))

    def known(self) -> Force | None:
        """Both of them."""
        given, resistance = self.given(), self.resistance()
        if given is None or resistance is None:
            return given or resistance
        return given + resistance


def _some(wrench: Force) -> Force | None:
    """None where it is structurally zero."""
    return None if missing(wrench) else wrench


_OPEN = 30.0  # an opening of e counts as 30 e, as in the rank (constraints/equations.py)


def opening(run: Run, kept: Iterable[int], weights: Sequence[float]) -> Scalar:
    """(30 e)² of how far the kept rows between frames are open, each counted by its weight."""
    weight, paths, start = dict(zip(kept, weights, strict=True)), Paths(run), 0
    total: Scalar = 0
    for constraint in run.constraints.frames:
        wanted = [k for k in range(constraint.count) if start + k in weight]
        for k, x in zip(wanted, constraint.rows_at(paths, wanted).residual, strict=True):
            part = x * (weight[start + k] * _OPEN)
            total = total + part * part
        start += constraint.count
    return total


def openness(run: Run, weights: Sequence[float]) -> Scalar:
    """Σ (weight opening)² over all rows."""
    paths, start = Paths(run), 0
    squares: dict[Scalar, Scalar] = {}  # of rows with the same weight
    for constraint in run.constraints.all:
        own = weights[start : start + constraint.count]
        some = not all(map(nothing, own))
        for weight, x in zip(own, constraint.openings(paths) if some else (), strict=False):
            if not nothing(weight):
                squares[weight] = squares.get(weight, 0) + x
        start += constraint.count
    total: Scalar = 0
    for weight, square in squares.items():
        total = total + square * (weight * weight)
    return total
