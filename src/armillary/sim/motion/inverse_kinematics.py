"""Inverse kinematics: joint places that bring a frame where it is wanted.

Damped least squares [Nakamura & Hanafusa 1986]:  dq = J^T (J J^T + λ² 1)^-1 e, with the damping
following the success of the steps (Levenberg, Marquardt).  Where there are more joints than rows
the nearest solution to the guess is taken; where the arm is singular the answer says which
direction is lost.  Rows in this order: rx, ry, rz (rad), x, y, z (m), along the world's axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.errors import InputError, unknown_name
from armillary.mechanism.mechanism import Mechanism

Array = NDArray[np.float64]
ROWS = ("rx", "ry", "rz", "x", "y", "z")
GROUPS = {"pose": ROWS, "position": ROWS[3:], "rotation": ROWS[:3]}
SINGULAR = 1e-6  # of the largest singular value: a direction that is lost


@dataclass(frozen=True)
class Task:
    """Which motions of a frame count: rows of its velocity, or where one of its axes points.

    axis: a direction in the frame; only where it points counts of the orientation."""

    mechanism: Mechanism
    frame: str
    rows: tuple[str, ...] = GROUPS["position"]
    axis: tuple[float, ...] | None = None

    @property
    def entries(self) -> list[int]:
        return [ROWS.index(row) for row in self.rows]

    def error(self, q: Array, position: Array, rotation: Array) -> Array:
        """What is missing (6), rad and m, along the world's axes; rotation is R or a direction."""
        R, p = self.mechanism.pose(q, self.frame)
        if self.axis is not None:
            turn = _turn_between(R @ np.asarray(self.axis), rotation)
        else:
            turn = rotation_vector(rotation @ R.T)
        return np.concatenate([turn, position - p])

    def jacobian(self, q: Array) -> Array:
        """(6, nv) of `error`, with the opposite sign; turning about the axis does not count."""
        J = self.mechanism.jacobian(q, self.frame, "world_aligned")
        if self.axis is not None:
            a = self.mechanism.pose(q, self.frame)[0] @ np.asarray(self.axis)
            J = np.concatenate([J[:3] - np.outer(a, a @ J[:3]), J[3:]])
        return J


@dataclass(frozen=True)
class KinematicSolution:
    """A configuration, how near it comes, and what the arm can still do there."""

    q: Array
    reached: bool
    rows: tuple[str, ...]
    error: Array  # what is missing, per row: rad or m
    singular_values: Array
    rank: int
    redundancy: int  # joints left over: self-motions at this place
    lost: Array  # (k, rows): directions in which the frame cannot move here
    iterations: int
    at_limits: tuple[str, ...] = field(default=())

    @property
    def condition(self) -> float:
        """Largest over smallest singular value of the rows that are not lost."""
        s = self.singular_values[: self.rank]
        return float(s[0] / s[-1]) if len(s) else 1.0

    def __str__(self) -> str:
        worst = float(np.abs(self.error).max(initial=0.0))
        head = "reached" if self.reached else "not reached"
        lines = [
            f"{head} in {self.iterations} steps, largest error {worst:.1e} rad or m",
            f"  rank {self.rank} of {len(self.rows)} rows, {self.redundancy} joints left "
            f"over, condition {self.condition:.3g}",
        ]
        for direction in self.lost:
            parts = [
                f"{x:+.3f} {r}" for x, r in zip(direction, self.rows, strict=True) if abs(x) > 1e-3
            ]
            lines.append(f"  lost direction: {' '.join(parts)}")
        if self.at_limits:
            lines.append(f"  at a limit: {', '.join(self.at_limits)}")
        return "\n".join(lines)


def inverse_kinematics(
    mechanism: Mechanism,
    frame: str,
    position: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    *,
    axis: ArrayLike | None = None,
    rows: str | Sequence[str] | None = None,
    guess: ArrayLike | None = None,
    tolerance: float = 1e-12,
    iterations: int = 200,
    restarts: int = 0,
    limits: bool = True,
    seed: int = 0,
) -> KinematicSolution:
    """q that brings the frame to `position` (3) m and `rotation` (3, 3), near the guess.

    axis: a direction in the frame; `rotation` is then where it shall point (3).  rows: which of
    rx, ry, rz, x, y, z count (default: those that are given).  Loops of a closed mechanism stay
    closed.  limits: joints keep to theirs.  restarts: further random guesses, if one fails."""
    mechanism.model.frame(frame)
    task, goal = _task(mechanism, frame, position, rotation, axis, rows)
    first = mechanism.initial if guess is None else np.asarray(guess, float)
    first = mechanism.integrate(first, np.zeros(mechanism.nv))  # checked
    solver = _Solver(task, goal, tolerance, iterations, limits)
    best = solver.solve(first)
    guesses = mechanism.random_state(seed, max(restarts, 1))[0][:restarts]
    for other in guesses:
        if best.reached:
            break
        found = solver.solve(other)
        if found.reached or np.linalg.norm(found.error) < np.linalg.norm(best.error):
            best = found
    return best


def chosen_rows(rows: str | Sequence[str]) -> tuple[str, ...]:
    names = GROUPS.get(rows, (rows,)) if isinstance(rows, str) else tuple(rows)
    for name in names:
        if name not in ROWS:
            raise unknown_name("row", name, (*ROWS, *GROUPS))
    return names


def _task(
    mechanism: Mechanism,
    frame: str,
    position: ArrayLike | None,
    rotation: ArrayLike | None,
    axis: ArrayLike | None,
    rows: str | Sequence[str] | None,
) -> tuple[Task, tuple[Array, Array]]:
    if position is None and rotation is None:
        raise InputError("inverse_kinematics: a position, a rotation or both are needed.")
    given = (() if rotation is None else ROWS[:3]) + (() if position is None else ROWS[3:])
    names = given if rows is None else chosen_rows(rows)
    for name in names:
        if name not in given:
            raise InputError(f"rows: '{name}' shall count, but no goal is given for it.")
    p = np.zeros(3) if position is None else np.asarray(position, float)
    shape = (3,) if axis is not None else (3, 3)
    R = (
        (np.eye(3) if axis is None else np.asarray(axis, float))
        if rotation is None
        else np.asarray(rotation, float)
    )
    if p.shape != (3,) or R.shape != shape:
        raise InputError(
            f"{frame}: expected position (3,) and rotation {shape}, found {p.shape} and {R.shape}."
        )
    if axis is None and np.abs(R @ R.T - np.eye(3)).max() > 1e-6:
        raise InputError(f"{frame}: the rotation is not orthogonal: columns are the axes.")
    if axis is not None:
        R = R / np.linalg.norm(R)
    unit = None if axis is None else tuple(np.asarray(axis, float) / np.linalg.norm(axis))
    return Task(mechanism, frame, names, unit), (p, R)


class _Solver:
    """Damped steps towards one goal."""

    def __init__(
        self, task: Task, goal: tuple[Array, Array], tolerance: float, iterations: int, limits: bool
    ):
        self.task, self.goal = task, goal
        self.tolerance, self.iterations = tolerance, iterations
        self.closed = bool(task.mechanism.constraints)
        self.bounds = joint_bounds(task.mechanism) if limits else []
        labels = task.mechanism.v_labels
        self.columns = [labels.index(label) for _, label, _, _ in self.bounds]

    def solve(self, q: Array) -> KinematicSolution:
        mechanism = self.task.mechanism
        q, damping = self._inside(q), 1e-3
        e = self._error(q)
        count = 0
        for count in range(1, self.iterations + 1):  # noqa: B007
            if np.abs(e).max(initial=0.0) <= self.tolerance:
                break
            step = self._step(q, e, damping * float(np.linalg.norm(e)))
            step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
            trial = self._inside(mechanism.integrate(q, step))
            missing = self._error(trial)
            if np.linalg.norm(missing) < np.linalg.norm(e):
                q, e, damping = trial, missing, max(damping / 5, 1e-12)
            elif damping > 1e6:
                break
            else:
                damping *= 4
        return self._answer(q, count)

    def _step(self, q: Array, e: Array, damping: float) -> Array:
        """Joints at a limit that the step would pass stay; the others do the work."""
        J = self._jacobian(q)
        step = damped(J, e, damping)
        for _ in self.bounds:
            pairs = zip(self.bounds, self.columns, strict=True)
            stuck = [
                j
                for (i, _, low, high), j in pairs
                if (q[i] <= low and step[j] < 0) or (q[i] >= high and step[j] > 0)
            ]
            if not stuck:
                break
            J[:, stuck] = 0.0
            step = damped(J, e, damping)
        return step

    def _answer(self, q: Array, count: int) -> KinematicSolution:
        mechanism, rows = self.task.mechanism, self.task.rows
        e = self._error(q)
        free = np.eye(mechanism.nv)
        if self.closed:  # motions that keep the loops closed
            _, s, Vt = np.linalg.svd(mechanism.constraint_jacobian(q))
            free = Vt[int(np.sum(s > 1e-9 * s[0])) :].T
        J = self.task.jacobian(q)[self.task.entries] @ free
        U, s, _ = np.linalg.svd(J)
        rank = int(np.sum(s > SINGULAR * s.max(initial=0.0)))
        reached = bool(np.abs(e).max(initial=0.0) <= max(self.tolerance, 1e-14) * 10)
        limit = tuple(label for i, label, low, high in self.bounds if q[i] in (low, high))
        return KinematicSolution(
            q, reached, rows, e[: len(rows)], s, rank, J.shape[1] - rank, U.T[rank:], count, limit
        )

    def _error(self, q: Array) -> Array:
        e = self.task.error(q, *self.goal)[self.task.entries]
        if self.closed:
            e = np.concatenate([e, -self.task.mechanism.constraint_residual(q)])
        return e

    def _jacobian(self, q: Array) -> Array:
        J = self.task.jacobian(q)[self.task.entries]
        if self.closed:
            J = np.concatenate([J, self.task.mechanism.constraint_jacobian(q)])
        return J

    def _inside(self, q: Array) -> Array:
        q = q.copy()
        for i, _, low, high in self.bounds:
            q[i] = min(max(q[i], low), high)
        return q


def joint_bounds(mechanism: Mechanism) -> list[tuple[int, str, float, float]]:
    """(entry of q, label, lower, upper) of every coordinate with a limit."""
    found = []
    model = mechanism.model
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        if joint.nq != joint.nv:
            continue
        for k, limit in enumerate(body.joint.limits):
            low = -np.inf if limit.lower is None else limit.lower
            high = np.inf if limit.upper is None else limit.upper
            if np.isfinite(low) or np.isfinite(high):
                i = slot.q.start + k
                found.append((i, model.q_labels[i], float(low), float(high)))
    return found


# -- small tools ---------------------------------------------------------------------------------


def damped(J: Array, e: Array, damping: float) -> Array:
    """The step with the least |J dq - e|² + λ² |dq|²; rows the arm has lost give nothing."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    kept = s > 1e-12 * s.max(initial=0.0)
    gain = np.where(kept, s / np.where(kept, s * s + damping * damping, 1.0), 0.0)
    return np.asarray(Vt.T @ (gain * (U.T @ e)))


def rotation_vector(R: Array) -> Array:
    """The turn about an axis (rad), up to pi, that R is."""
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    sine, cosine = float(np.linalg.norm(skew)), (float(np.trace(R)) - 1) / 2
    angle = np.arctan2(sine, cosine)
    if sine > 1e-7:
        return np.asarray(skew * (angle / sine))
    if cosine > 0:
        return np.asarray(skew)
    # half a turn: the axis is the column of (R + 1) / 2 with the largest diagonal entry
    B = (R + np.eye(3)) / 2
    k = int(np.argmax(np.diag(B)))
    return np.asarray(angle * B[k] / np.linalg.norm(B[k]))


def rotation_of(turn: Array) -> Array:
    """R of a turn (rad) about an axis: Rodrigues."""
    angle = float(np.linalg.norm(turn))
    x, y, z = turn
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    first = np.sinc(angle / np.pi)
    second = np.sinc(angle / (2 * np.pi)) ** 2 / 2
    return np.eye(3) + first * K + second * (K @ K)


def _turn_between(a: Array, b: Array) -> Array:
    """The shortest turn (rad) that takes the direction a to b."""
    normal = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(normal)), float(a @ b)
    if sine > 1e-9 or cosine > 0:
        return np.asarray(normal * (np.arctan2(sine, cosine) / sine if sine > 1e-9 else 1.0))
    away = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])  # opposite: any normal will do
    return np.asarray(np.pi * away / np.linalg.norm(away))
