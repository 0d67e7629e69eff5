"""One step of inverse kinematics: joints move so that a frame comes nearer to a wanted pose.

Levenberg-Marquardt, with a damping that follows the error itself [Chan 1988, Sugihara 2011]:

    (J^T J + λ 1) dq = J^T e,      λ = k |e|² + ε tr(J^T J)

e: what is missing, a turn vector (rad) and a displacement over the size L of the mechanism; J: the
velocity of the frame along the same axes; both with the rows of constraints below them.  Steps of
slides are counted in units of L.  Which steps are taken, with which k and from which starts, is
decided around it (runtime/search_loop.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.algorithms.closed.constrained import moving_world, outward
from armillary.algorithms.closed.constraint_rows import kept_rows
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Outward
from armillary.scalar import Scalar, atan2, dot, sqrt, where
from armillary.spatial import Matrix, Motion, Transform, Vector
from armillary.spatial.rotation import rotation_log
from armillary.spatial.small import LDL

LEAST = 1e-12  # ε: far above rounding, far below what would slow down the last steps
ROWS = ("rx", "ry", "rz", "x", "y", "z")
MEASURES = ("merit", "turn", "distance", "opening")  # squares: of all; rad², m², (rad or m)²
Entries = dict[int, Scalar]  # of a row of J, by degree of freedom


@dataclass(frozen=True)
class Spot:
    """A frame: the body of the tables that carries it (-1: the world), and X_FB."""

    body: int
    X: Transform


@dataclass(frozen=True)
class Task:
    """What is wanted of a frame, and what may move for it.

    rows: which of (rx, ry, rz, x, y, z) count, along the axes of `base`.  axis: of the orientation
    only where this direction of the frame points counts.  free: degrees of freedom that may move.
    bounds: (lower, upper) of their coordinates, by degree of freedom.  kept: rows of the
    constraints.  scale: 1 rad or L, per degree of freedom."""

    frame: Spot
    base: Spot
    rows: tuple[int, ...]
    length: float
    free: tuple[int, ...]
    scale: tuple[float, ...]
    axis: tuple[float, float, float] | None = None
    bounds: tuple[tuple[int, float, float], ...] = ()
    kept: tuple[int, ...] = ()
    longest: float = 2.0  # rad or L: no joint moves further in one step


class Numbers:
    """Results that are plain numbers."""

    def __init__(self, values: Sequence[Scalar] = (), size: int = 0):
        self.values, self.size = tuple(values), size or len(values)

    def leaves(self) -> tuple[Scalar, ...]:
        return self.values


def search_step(task: Task) -> Algorithm:
    """(q, goal) -> q after one step, and how far away q was before it (`MEASURES`).

    goal (13): R of the frame seen from the base, row by row, and its origin there (where the task
    has an axis, the first three numbers are the direction it is to point); k of the damping."""

    def step(run: Run) -> None:
        lines, measures = _task_lines(run, task)
        if task.kept:
            lines += _constraint_lines(run, task, measures)
        run.results["lines"] = lines
        measures[0] = sum(e * e for _, e in lines)
        move = _damped_step(run, task, lines, measures[0])
        _write_moved(run, task, move)
        run.world.measures = Numbers(measures)

    return Algorithm(
        name="search_step",
        passes=((Outward(outward),) if task.kept else ()) + (GlobalStep(step),),
        world=moving_world,
        reads=("q", "goal"),
        writes={"moved": "place", "measures": "world"},
        shapes={"measures": Numbers(size=len(MEASURES))},
    )


# -- rows of the task ----------------------------------------------------------------------------

Lines = list[tuple[Entries, Scalar]]


def _task_lines(run: Run, task: Task) -> tuple[Lines, list[Scalar]]:
    """Rows of J with their errors, and the squares of what is missing."""
    goal = run.inputs["goal"]
    ways = _way(run, task.frame), _way(run, task.base)
    X_FW, X_AW = _pose(run, ways[0], task.frame), _pose(run, ways[1], task.base)
    target = X_AW.r + X_AW.E.T @ Vector(*goal[9:12])  # where the origin is to be, world
    shift = X_AW.E @ (target - X_FW.r)
    R_AF = X_AW.E @ X_FW.E.T
    pointing = None if task.axis is None else R_AF @ Vector(*task.axis)
    if pointing is None:
        turn = rotation_log(R_AF @ Matrix.from_leaves(goal[:9]).T)
    else:
        turn = turn_between(pointing, Vector(*goal[:3]))
    error = [*turn, *(x * (1.0 / task.length) for x in shift)]
    columns = {
        dof: _column(X_AW.E @ s.angular, X_AW.E @ s.linear, pointing, task.length)
        for dof, s in _columns(run, task, ways, (X_FW.r, target)).items()
    }
    lines = [({dof: c[row] for dof, c in columns.items()}, error[row]) for row in task.rows]
    squares = [
        dot(part, part)
        for part in (
            [turn.leaves()[r] for r in task.rows if r < 3],
            [shift.leaves()[r - 3] for r in task.rows if r >= 3],
        )
    ]
    return lines, [0, *squares, 0]


def _way(run: Run, spot: Spot) -> list[int]:
    """Bodies from the root to the one that carries the frame."""
    path: list[int] = []
    body = spot.body
    while body >= 0:
        path.insert(0, body)
        body = run.tables.parents[body]
    return path


def _pose(run: Run, path: Sequence[int], spot: Spot) -> Transform:
    """X_FW; every body on the way keeps its X_BW."""
    Y = Transform.identity()
    for body in path:
        b = run.bodies[body]
        if not hasattr(b, "Y"):
            b.Y = b.joint.transform(run.joints[body].q) @ (b.placement @ Y)
        Y = b.Y
    return spot.X @ Y


def _columns(
    run: Run, task: Task, ways: tuple[list[int], list[int]], points: tuple[Vector, Vector]
) -> dict[int, Motion]:
    """How each degree of freedom moves the frame away from where it is wanted, world axes: joints
    that carry only the frame move its origin, joints that carry only the base move the goal, and
    joints that carry both do neither."""
    found: dict[int, Motion] = {}
    for way, other, point, sign in zip(ways, reversed(ways), points, (1, -1), strict=True):
        for body in way:
            b, start = run.bodies[body], run.tables.v_offsets[body]
            for k, s in enumerate(b.joint.motion_space(run.joints[body].q)):
                if start + k in task.free and body not in other:
                    angular = b.Y.E.T @ s.angular
                    linear = b.Y.E.T @ s.linear + angular.cross(point - b.Y.r)
                    found[start + k] = Motion(angular, linear) * sign
    return found


def _column(
    angular: Vector, linear: Vector, pointing: Vector | None, length: float
) -> list[Scalar]:
    """A column of J; turning about the axis that is to point somewhere does not count."""
    if pointing is not None:
        angular = angular - pointing * pointing.dot(angular)
    return [*angular, *(x * (1.0 / length) for x in linear)]


def turn_between(a: Vector, b: Vector) -> Vector:
    """The shortest turn (rad) that takes the direction a to b, both of length 1."""
    normal = a.cross(b)
    square, cosine = normal.dot(normal), a.dot(b)
    small = square < 1e-24
    sine = sqrt(where(small, 1.0, square))
    turn = normal * where(small, 1.0, atan2(sine, cosine) / sine)
    # opposite: about any normal; across the axis that a is furthest from
    across = a.cross(Vector(1, 0, 0))
    for unit in (Vector(0, 1, 0), Vector(0, 0, 1)):
        other = a.cross(unit)
        better = other.dot(other) > across.dot(across)
        pairs = zip(other, across, strict=True)
        across = Vector(*(where(better, x, y) for x, y in pairs))
    half = across * (3.141592653589793 / sqrt(across.dot(across)))
    opposite = where(small, where(cosine < 0, 1.0, 0.0), 0.0)
    return turn + (half - turn) * opposite


def _constraint_lines(run: Run, task: Task, measures: list[Scalar]) -> Lines:
    """Constraints are to be closed at the same time: -residual is what is missing."""
    lines: Lines = []
    rows = kept_rows(run, task.kept, "residual", [])
    for row, (entries, residual) in zip(task.kept, rows, strict=True):
        scale = 1.0 if run.constraints.units[row] == "rad" else 1.0 / task.length
        measures[3] = measures[3] + residual * residual
        own = {dof: x * scale for dof, x in entries.items() if dof in task.free}
        lines.append((own, -residual * scale))
    return lines


# -- the step ------------------------------------------------------------------------------------


def _damped_step(run: Run, task: Task, lines: Lines, merit: Scalar) -> Entries:
    """The step of every degree of freedom that moves: rad or m."""
    scaled = [({d: x * task.scale[d] for d, x in row.items()}, e) for row, e in lines]
    scaled = _held_at_bounds(run, task, scaled)
    moving = sorted({dof for row, _ in scaled for dof in row})
    trace = sum(x * x for row, _ in scaled for x in row.values())
    damping = merit * run.inputs["goal"][12] + trace * LEAST + 1e-300
    if len(moving) <= len(scaled):
        y = _by_columns(scaled, moving, damping)
    else:
        y = _by_rows(scaled, moving, damping)
    longest: Scalar = 0.0
    for x in y.values():
        size = where(x < 0, -x, x)
        longest = where(size > longest, size, longest)
    far = longest > task.longest
    part = where(far, task.longest / where(far, longest, 1.0), 1.0)
    return {dof: x * (part * task.scale[dof]) for dof, x in y.items()}


def _by_columns(lines: Lines, moving: list[int], damping: Scalar) -> Entries:
    """(J^T J + λ) y = J^T e."""
    A = [[_product(lines, i, j) for j in moving] for i in moving]
    for k in range(len(moving)):
        A[k][k] = A[k][k] + damping
    slope = _slope(lines, moving)
    return dict(zip(moving, LDL(A).solve([slope[dof] for dof in moving]), strict=True))


def _product(lines: Lines, i: int, j: int) -> Scalar:
    return sum((row[i] * row[j] for row, _ in lines if i in row and j in row), 0)


def _by_rows(lines: Lines, moving: list[int], damping: Scalar) -> Entries:
    """y = J^T (J J^T + λ)^-1 e: the same, shorter where there are more joints than rows."""
    A = [
        [sum((x * two[dof] for dof, x in one.items() if dof in two), 0) for two, _ in lines]
        for one, _ in lines
    ]
    for k in range(len(lines)):
        A[k][k] = A[k][k] + damping
    weights = LDL(A).solve([e for _, e in lines])
    pulled = [(row, w) for (row, _), w in zip(lines, weights, strict=True)]
    return _slope(pulled, moving)


def _slope(lines: Lines, moving: Sequence[int]) -> Entries:
    """J^T e."""
    return {dof: sum((row[dof] * e for row, e in lines if dof in row), 0) for dof in moving}


def _held_at_bounds(run: Run, task: Task, lines: Lines) -> Lines:
    """A joint at a limit beyond which it is pulled does not take part  [Bertsekas 1982]."""
    slope = _slope(lines, [dof for dof, _, _ in task.bounds])
    place = _coordinates(run)
    kept = {}
    for dof, lower, upper in task.bounds:
        q, pull = run.inputs["q"][place[dof]], slope[dof]
        below = where(q <= lower, where(pull < 0, 0.0, 1.0), 1.0)
        kept[dof] = where(q >= upper, where(pull > 0, 0.0, 1.0), below)
    return [
        ({dof: x * kept[dof] if dof in kept else x for dof, x in row.items()}, e)
        for row, e in lines
    ]


def _coordinates(run: Run) -> dict[int, int]:
    """Entry of q of every degree of freedom whose joint has as many of both."""
    t = run.tables
    return {
        v + k: q + k
        for body, q, v in zip(t.bodies, t.q_offsets, t.v_offsets, strict=True)
        if body.joint.nq == body.joint.nv
        for k in range(body.joint.nv)
    }


def _write_moved(run: Run, task: Task, move: Entries) -> None:
    """j.moved of all joints, within the bounds."""
    t = run.tables
    bounds = {dof: (lower, upper) for dof, lower, upper in task.bounds}
    for body, j, start in zip(t.bodies, run.joints, t.v_offsets, strict=True):
        steps = [move.get(start + k, 0) for k in range(body.joint.nv)]
        if not any(start + k in move for k in range(body.joint.nv)):
            j.moved = j.q
            continue
        moved = list(body.joint.integrate(j.q, steps))
        for k in range(body.joint.nv):
            if start + k in bounds:
                lower, upper = bounds[start + k]
                x = moved[k]
                x = where(x < lower, lower, x)
                moved[k] = where(x > upper, upper, x)
        j.moved = tuple(moved)
