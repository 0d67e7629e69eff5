"""What inverse kinematics found: places, how near they come, what the mechanism can do there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.inverse_kinematics import ROWS
from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.evaluate.pose_search import PoseSearch

SINGULAR = 1e-6  # of the largest singular value: a direction that is lost


class _Local(NamedTuple):
    """At one place: what is missing (rows), J (rows, nv) and its rows for the constraints."""

    error: Array
    J: Array
    constraints: Array


@shown
@dataclass(frozen=True)
class KinematicSolution:
    """Places where a frame stands as wanted; of a batch, one row or entry per pose.

    q (nq); converged: within the tolerance?  angle (rad) and distance (m): how far the frame is
    from where it was wanted; opening (rad or m): of the constraints.  iterations: steps of all
    starts together; restarts: starts after the first one.  `solution[k]` is row k of a batch."""

    q: Array
    converged: bool | NDArray[np.bool_]
    angle: float | Array
    distance: float | Array
    opening: float | Array
    iterations: int | NDArray[np.int64]
    restarts: int | NDArray[np.int64]
    frame: str
    goal: Array
    search: PoseSearch

    @property
    def single(self) -> bool:
        return self.q.ndim == 1

    def __len__(self) -> int:
        self._refuse(self.single, "len: this is the solution of one pose, not of a batch.")
        return len(self.q)

    def __getitem__(self, k: int) -> KinematicSolution:
        self._refuse(self.single, "this is the solution of one pose, not of a batch.")
        names = ("converged", "angle", "distance", "opening", "iterations", "restarts")
        numbers = {name: np.asarray(getattr(self, name))[k].item() for name in names}
        return replace(self, q=self.q[k], goal=self.goal[k], **numbers)

    def _refuse(self, wrong: bool, why: str) -> None:
        if wrong:
            raise InputError(f"inverse kinematics of '{self.frame}': {why}")

    # -- at one place ----------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[str, ...]:
        """Which of rx, ry, rz, x, y, z count."""
        return tuple(ROWS[row] for row in self.search.task.rows)

    @cached_property
    def _local(self) -> _Local:
        self._refuse(not self.single, "ask this of one row of the batch: solution[k].")
        return _Local(*self.search.local(self.q, self.goal))

    @property
    def error(self) -> Array:
        """What is missing, per row: rad or m."""
        return self._local.error

    @cached_property
    def _factors(self) -> tuple[Array, Array, int]:
        """Directions of the rows (columns of U), singular values, joints that may move freely."""
        J, free = self._local.J, np.eye(self._local.J.shape[1])
        if len(self._local.constraints):  # motions that keep the loops closed
            _, s, Vt = np.linalg.svd(self._local.constraints)
            free = Vt[int(np.sum(s > 1e-9 * s[0])) :].T
        U, s, _ = np.linalg.svd(J @ free)
        return U, s, free.shape[1]

    @property
    def singular_values(self) -> Array:
        """Of J (rad and m), largest first."""
        return self._factors[1]

    @property
    def rank(self) -> int:
        """Directions in which the frame can move here."""
        s = self.singular_values
        return int(np.sum(s > SINGULAR * s.max(initial=0.0)))

    @property
    def redundancy(self) -> int:
        """Joints left over: self-motions at this place."""
        return self._factors[2] - self.rank

    @property
    def lost(self) -> Array:
        """(k, rows): directions in which the frame cannot move here."""
        return self._factors[0].T[self.rank :]

    @property
    def condition(self) -> float:
        """Largest over smallest singular value of the directions that are not lost."""
        s = self.singular_values[: self.rank]
        return float(s[0] / s[-1]) if len(s) else 1.0

    @property
    def at_limits(self) -> tuple[str, ...]:
        """Coordinates that stand at a limit; none where limits do not count."""
        self._refuse(not self.single, "ask this of one row of the batch: solution[k].")
        return tuple(
            label for i, label, low, high in self.search.limits if self.q[i] in (low, high)
        )

    # -- in words --------------------------------------------------------------------------------

    @property
    def message(self) -> str:
        """One line: reached, or what stays away and by how much."""
        if not self.single:
            failed = np.flatnonzero(~np.asarray(self.converged))
            some = ", ".join(map(str, failed[:5])) + (", ..." if len(failed) > 5 else "")
            rest = f"; not rows {some}" if len(failed) else ""
            return f"'{self.frame}': {len(self.q) - len(failed)} of {len(self.q)} reached{rest}"
        if self.converged:
            return f"'{self.frame}' reached in {self.iterations} steps, {self.restarts} restarts"
        rows = self.search.task.rows
        parts = [f"{self.distance:.3g} m"] if max(rows) > 2 else []
        parts += [f"{self.angle:.3g} rad"] if min(rows) < 3 else []
        text = f"'{self.frame}' not reached: it stays {' and '.join(parts)} away"
        if self.search.task.kept:
            text += f", constraints open by {self.opening:.2g}"
        text += f" (best of {self.restarts or 1} starts)"
        limits = self.at_limits
        return text + (f"; at a limit: {', '.join(limits)}" if limits else "")

    def __str__(self) -> str:
        if not self.single:
            return self.message
        lines = [
            self.message,
            f"  rank {self.rank} of {len(self.rows)} rows, {self.redundancy} joints left "
            f"over, condition {self.condition:.3g}",
        ]
        for direction in self.lost:
            parts = [
                f"{x:+.3f} {r}" for x, r in zip(direction, self.rows, strict=True) if abs(x) > 1e-3
            ]
            lines.append(f"  lost direction: {' '.join(parts)}")
        if self.converged and self.at_limits:
            lines.append(f"  at a limit: {', '.join(self.at_limits)}")
        return "\n".join(lines)
