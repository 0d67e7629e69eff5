"""Rows of the constraints of a running algorithm, and the paths between bodies they need."""

from __future__ import annotations

from collections.abc import Iterable

from armillary.algorithms.interpreter import Run
from armillary.scalar import Scalar
from armillary.spatial import Force, Motion, RigidMotion, Transform

Lines = list[tuple[dict[int, Scalar], Scalar]]  # entries of a row of J, and its right side


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
