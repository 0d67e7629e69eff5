"""Inverse kinematics: joint places that bring a frame where it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.inverse_kinematics import ROWS, Spot, Task
from armillary.errors import InputError, unknown_name
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, common_rows, flag, one_number, whole_number
from armillary.evaluate.kinematic_solution import KinematicSolution
from armillary.evaluate.moving_joints import moving_joints
from armillary.evaluate.named_states import names_of
from armillary.evaluate.pose_inputs import Pose, direction, read_pose
from armillary.evaluate.starts import joint_bounds, starts
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.shown import function_text
from armillary.spatial import Transform

if TYPE_CHECKING:
    from armillary.evaluate.pose_search import Policy, PoseSearch

GROUPS = {"pose": ROWS, "position": ROWS[3:], "rotation": ROWS[:3]}
# the constraints of a mechanism, and which of their rows a place has to keep
Closing = Callable[[], tuple[ConstraintTable, Sequence[int]]]
_RECENT = 32  # tasks whose code is kept
_MOST = 10_000_000  # iterations, or restarts


def _counted(
    frame: str, rows: str | Sequence[str] | None, given: tuple[str, ...]
) -> tuple[str, ...]:
    """The rows that count, of those that the pose gives."""
    names = given if rows is None else chosen_rows(rows)
    missing = [name for name in names if name not in given]
    if missing:
        raise InputError(
            f"inverse_kinematics of '{frame}': row '{missing[0]}' shall count, but the pose says "
            f"nothing about it."
        )
    return names


def chosen_rows(rows: str | Sequence[str]) -> tuple[str, ...]:
    """Names of rows: of a group, or as they are given."""
    named = names_of("rows", rows)
    names = GROUPS.get(rows, named) if isinstance(rows, str) else named
    for name in names:
        if name not in ROWS:
            raise unknown_name("row", name, (*ROWS, *GROUPS))
    if not names or len(set(names)) != len(names):
        raise InputError(f"rows: expected different ones of {', '.join(ROWS)}; found {rows!r}.")
    return names


class Wanted(NamedTuple):
    """What the user asks for, as it chooses the code."""

    frame: str
    relative_to: str
    rows: tuple[str, ...]
    axis: tuple[float, float, float] | None
    limits: bool
    joints: tuple[str, ...] | None


class InverseKinematics:
    """q that brings a frame to a pose: `mechanism.inverse_kinematics`.

    closing: of a closed mechanism; None: it is a tree."""

    def __init__(self, evaluator: Evaluator, closing: Closing | None = None):
        self.evaluator, self._closing = evaluator, closing
        self._starts: dict[tuple[int, bool, int, float], Array] = {}
        self._searches: dict[Wanted, PoseSearch] = {}
        self._initial = np.array(evaluator.model.start())

    __name__ = "inverse_kinematics"
    __repr__ = function_text

    def __call__(
        self,
        frame: str,
        pose: Pose,
        q0: ArrayLike | None = None,
        *,
        rows: str | Sequence[str] | None = None,
        axis: ArrayLike | None = None,
        relative_to: str = "world",
        limits: bool = True,
        joints: Sequence[str] | None = None,
        tolerance: float = 1e-10,
        iterations: int = 100,
        restarts: int = 100,
        seed: int = 0,
    ) -> KinematicSolution:
        """q that brings a frame to a pose, near q0 (nq) or (B, nq), by default the initial place.

        pose: (rotation, position) as `pose` gives them, a rotation being a matrix (3, 3) or a
        quaternion (w, x, y, z), and None where it does not matter; a position (3) alone; or a
        matrix (4, 4); a batch has a leading axis B.  It is seen from the frame `relative_to`.
        rows: which of rx, ry, rz, x, y, z count, along the axes of that frame, or "pose",
        "position", "rotation"; by default all that is given.  axis: a direction (3) in the frame;
        the rotation is then the direction (3) in which it is to point.

        limits: joints keep to theirs.  joints: names of those that may move; by default all that
        move the frame but a free base, of a closed mechanism all, and its constraints are kept.
        tolerance: rad and m.  iterations: steps from one start.  restarts: further starts, spread
        over the room of the joints (`seed`), where q0 does not lead to the pose.  A pose that is
        not reached is no error: the nearest place is given, `converged` is False and `message`
        tells how far away it is."""
        policy, seed = _policy(tolerance, iterations, restarts), whole_number("seed", seed, 0)
        unit = None if axis is None else direction(axis)
        goals, given, single = read_pose(frame, pose, unit)
        names = _counted(frame, rows, given)
        allowed = None if joints is None else names_of("joints", joints)
        limits = flag("limits", limits)
        search = self._search(Wanted(frame, relative_to, names, unit, limits, allowed))
        first, alone = self.evaluator.check("q", self._initial if q0 is None else q0)
        count, one = common_rows({"pose": (goals, single), "q0": (first, alone)})
        if len(goals) < count:
            goals = np.ascontiguousarray(np.broadcast_to(goals, (count, 12)))
        start = search.inside(first)
        found = search.run(goals, start, self._spread(search, restarts, limits, seed), policy)
        q = search.nearest_turns(found.q, start)
        squares = found.measures
        if one:
            angle, distance, opening = (sqrt(x) for x in squares[0, 1:].tolist())
            good = max(angle, distance, opening) <= tolerance
            steps, again = found.counts[0].tolist()
            return KinematicSolution(
                q[0], good, angle, distance, opening, steps, again, frame, goals[0], search
            )
        angles, distances, openings = np.sqrt(squares[:, 1:]).T
        all_good = np.asarray((squares[:, 1:] <= tolerance**2).all(axis=1))
        many, again = found.counts.T
        return KinematicSolution(
            q, all_good, angles, distances, openings, many, again, frame, goals, search
        )

    # -- what is searched for --------------------------------------------------------------------

    def _search(self, wanted: Wanted) -> PoseSearch:
        for place in (wanted.frame, wanted.relative_to):
            self.evaluator.model.frame(place)
        if wanted not in self._searches:
            while len(self._searches) >= _RECENT:
                self._searches.pop(next(iter(self._searches)), None)
            self._searches[wanted] = self._new_search(wanted)
        return self._searches[wanted]

    def _new_search(self, wanted: Wanted) -> PoseSearch:
        evaluator, model = self.evaluator, self.evaluator.model
        frame, base = self._spot(wanted.frame), self._spot(wanted.relative_to)
        constraints, rows = (None, ()) if self._closing is None else self._closing()
        ends = frame.body, base.body
        free, kept, held = moving_joints(evaluator, ends, constraints, rows, wanted.joints)
        if not free:
            cure = "Name a joint that does, or another frame."
            if held and wanted.joints is None:
                cure = f"A free base is held unless it is named: joints={list(held)}."
            raise InputError(
                f"inverse_kinematics: no joint that may move carries '{wanted.frame}' relative to "
                f"'{wanted.relative_to}'. {cure}"
            )
        bounds = tuple(b for b in joint_bounds(model) if b[1] in free) if wanted.limits else ()
        length = _length(evaluator, (frame, base), free)
        task = Task(
            frame=frame,
            base=base,
            rows=tuple(ROWS.index(name) for name in wanted.rows),
            length=length,
            free=free,
            scale=tuple(1.0 if unit == "rad" else length for unit in model.v_units),
            axis=wanted.axis,
            bounds=tuple((v, _finite(low), _finite(high)) for _, v, low, high in bounds),
            kept=kept,
        )
        limits = [(i, model.q_labels[i], low, high) for i, _, low, high in bounds]
        # the compiler is imported when the first question is asked
        from armillary.evaluate.pose_search import PoseSearch

        return PoseSearch(evaluator, task, constraints if kept else None, limits)

    def _spot(self, frame: str) -> Spot:
        place = self.evaluator.place(frame)
        exact = {0.0: 0, 1.0: 1, -1.0: -1}
        leaves = [float(x) for x in place.X.leaves()]
        return Spot(place.kernel, Transform.from_leaves([exact.get(x, x) for x in leaves]))

    def _spread(self, search: PoseSearch, count: int, limits: bool, seed: int) -> Array:
        key = (count, limits, seed, search.task.length)
        if key not in self._starts:
            self._starts[key] = starts(self.evaluator.model, count, key[3], limits, seed)
        return self._starts[key]


def _finite(x: float) -> float:
    """A bound as a number that any coordinate is within."""
    return float(np.clip(x, -1e30, 1e30))


def _length(evaluator: Evaluator, spots: Sequence[Spot], free: Sequence[int]) -> float:
    """What a displacement is compared with (m): half of the way through all that moves."""
    tables = evaluator.tables()
    offsets = [
        body.placement.r
        for body, v in zip(tables.bodies, tables.v_offsets, strict=True)
        if not set(free).isdisjoint(range(v, v + body.joint.nv))
    ]
    offsets += [spot.X.r for spot in spots]
    return 0.5 * sum(float(np.linalg.norm([float(x) for x in r])) for r in offsets) or 1.0


# -- what is given -------------------------------------------------------------------------------


def _policy(tolerance: float, iterations: int, restarts: int) -> Policy:
    one_number("tolerance", tolerance, 1e-300, 1.0, "a small number (rad and m)")
    whole_number("restarts", restarts, 0, _MOST)
    from armillary.evaluate.pose_search import Policy

    return Policy(tolerance=tolerance, iterations=whole_number("iterations", iterations, 1, _MOST))
