"""Inverse kinematics: joint places that bring a frame where it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.inverse_kinematics import ROWS, Spot, Task
from armillary.errors import InputError, unknown_name
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, as_floats, common_rows
from armillary.evaluate.kinematic_solution import KinematicSolution
from armillary.evaluate.pose_search import Policy, PoseSearch
from armillary.evaluate.starts import joint_bounds, periodic, starts
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.model import Model
from armillary.spatial import Transform
from armillary.spatial.rotation import from_quaternion

GROUPS = {"pose": ROWS, "position": ROWS[3:], "rotation": ROWS[:3]}
Pose = ArrayLike | tuple[ArrayLike | None, ArrayLike | None]
# the constraints of a mechanism, and which of their rows a place has to keep
Closing = Callable[[], tuple[ConstraintTable, Sequence[int]]]
_RECENT = 32  # tasks whose code is kept


def chosen_rows(rows: str | Sequence[str]) -> tuple[str, ...]:
    """Names of rows: of a group, or as they are given."""
    names = GROUPS.get(rows, (rows,)) if isinstance(rows, str) else tuple(rows)
    for name in names:
        if name not in ROWS:
            raise unknown_name("row", name, (*ROWS, *GROUPS))
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
    """`mechanism.inverse_kinematics`.  closing: of a closed mechanism; None: it is a tree."""

    def __init__(self, evaluator: Evaluator, closing: Closing | None = None):
        self.evaluator, self._closing = evaluator, closing
        self._starts: dict[tuple[int, bool, int, float], Array] = {}
        self._periodic = periodic(evaluator.model)

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
        policy = _policy(tolerance, iterations, restarts)
        unit = None if axis is None else _unit(axis)
        goals, given, single = _goals(frame, pose, unit)
        names = given if rows is None else chosen_rows(rows)
        for name in names:
            if name not in given:
                raise InputError(
                    f"inverse_kinematics of '{frame}': row '{name}' shall count, but the pose says "
                    f"nothing about it."
                )
        wanted = Wanted(frame, relative_to, names, unit, limits, joints and tuple(joints))
        search = self._search(wanted)
        model = self.evaluator.model
        first = model.initial or model.neutral() if q0 is None else q0
        start = self.evaluator.check("q", first)
        count, one = common_rows({"pose": (goals, single), "q0": start})
        goals = np.ascontiguousarray(np.broadcast_to(goals, (count, 12)))
        q0_rows = np.ascontiguousarray(search.inside(start[0]), np.float64)
        found = search.run(goals, q0_rows, self._spread(search, restarts, limits, seed), policy)
        q = self._nearest_turns(found.q, q0_rows, search)
        squares = found.measures
        good = (squares[:, 1:] <= tolerance**2).all(axis=1)
        angle, distance, opening = np.sqrt(squares[:, 1:]).T
        counts = found.counts.T
        if not one:
            return KinematicSolution(
                q, good, angle, distance, opening, *counts, frame, goals, search
            )
        numbers = (x.item() for x in (good, angle, distance, opening, *counts))
        return KinematicSolution(q[0], *numbers, frame, goals[0], search)

    # -- what is searched for --------------------------------------------------------------------

    def _search(self, wanted: Wanted) -> PoseSearch:
        return self.evaluator.memo.latest(
            ("inverse kinematics", wanted), lambda: self._new_search(wanted), _RECENT
        )

    def _new_search(self, wanted: Wanted) -> PoseSearch:
        evaluator, model = self.evaluator, self.evaluator.model
        frame, base = self._spot(wanted.frame), self._spot(wanted.relative_to)
        constraints, kept = (None, ()) if self._closing is None else self._closing()
        free = self._free(wanted, frame, base)
        bounds = tuple(b for b in joint_bounds(model) if b[1] in free) if wanted.limits else ()
        length = _length(evaluator, (frame, base), constraints is not None)
        task = Task(
            frame=frame,
            base=base,
            rows=tuple(ROWS.index(name) for name in wanted.rows),
            length=length,
            free=free,
            scale=tuple(1.0 if unit == "rad" else length for unit in model.v_units),
            axis=wanted.axis,
            bounds=tuple((v, _finite(low), _finite(high)) for _, v, low, high in bounds),
            kept=tuple(kept),
        )
        limits = [(i, model.q_labels[i], low, high) for i, _, low, high in bounds]
        return PoseSearch(evaluator, task, constraints, limits)

    def _spot(self, frame: str) -> Spot:
        place = self.evaluator.place(frame)
        exact = {0.0: 0, 1.0: 1, -1.0: -1}
        leaves = [float(x) for x in place.X.leaves()]
        return Spot(place.kernel, Transform.from_leaves([exact.get(x, x) for x in leaves]))

    def _free(self, wanted: Wanted, frame: Spot, base: Spot) -> tuple[int, ...]:
        """Degrees of freedom that may move: those between the frame and its base, in a closed
        mechanism all; not those of a free base, unless it is named."""
        model, tables = self.evaluator.model, self.evaluator.tables()
        chosen = None
        if wanted.joints is not None:
            chosen = {model.joint_number(name) for name in wanted.joints}
        ways = [_way(tables.parents, spot.body) for spot in (frame, base)]
        between = set(ways[0]) ^ set(ways[1])
        found, held = [], ""
        for number, joint in enumerate(model.joints):
            if not joint.nv or (self._closing is None and tables.hosts[number].kernel not in between):
                continue
            if chosen is not None and number not in chosen:
                continue
            if chosen is None and self._closing is None and _floating(model, number):
                held = model.bodies[number].joint.name
                continue
            span = model.slots[number].v
            found += range(span.start, span.stop)
        if not found:
            cure = f" Its free base is held: name it in joints=['{held}']." if held else ""
            cure = cure or " Name joints that do, or another frame."
            raise InputError(
                f"inverse_kinematics: no joint that may move carries '{wanted.frame}' relative to "
                f"'{wanted.relative_to}'.{cure}"
            )
        return tuple(found)

    def _spread(self, search: PoseSearch, count: int, limits: bool, seed: int) -> Array:
        key = (count, limits, seed, search.task.length)
        if key not in self._starts:
            self._starts[key] = starts(self.evaluator.model, count, key[3], limits, seed)
        return self._starts[key]

    def _nearest_turns(self, q: Array, q0: Array, search: PoseSearch) -> Array:
        """Whole turns taken off angles, towards q0, where limits allow."""
        turns = np.rint((q - q0) / (2.0 * np.pi))
        turns[:, ~(self._periodic & (search.free > 0))] = 0.0
        if not turns.any():
            return q
        nearer = q - turns * (2.0 * np.pi)
        for i, _, low, high in search.limits:
            beyond = (nearer[:, i] < low) | (nearer[:, i] > high)
            nearer[beyond, i] = q[beyond, i]
        return nearer


def _floating(model: Model, number: int) -> bool:
    return model.joints[number].kind == "free" and model.parents[number] < 0


def _way(parents: Sequence[int], body: int) -> list[int]:
    way = []
    while body >= 0:
        way.append(body)
        body = parents[body]
    return way


def _finite(x: float) -> float:
    """A bound as a number that any coordinate is within."""
    return float(np.clip(x, -1e30, 1e30))


def _length(evaluator: Evaluator, spots: Sequence[Spot], closed: bool) -> float:
    """What a displacement is compared with (m): half of the way through the bodies, stretched."""
    tables = evaluator.tables()
    sizes = [float(np.linalg.norm([float(x) for x in b.placement.r])) for b in tables.bodies]
    bodies = range(len(sizes)) if closed else {b for s in spots for b in _way(tables.parents, s.body)}
    total = sum(sizes[b] for b in bodies)
    total += sum(float(np.linalg.norm([float(x) for x in spot.X.r])) for spot in spots)
    return 0.5 * total or 1.0


# -- what is given -------------------------------------------------------------------------------


def _policy(tolerance: float, iterations: int, restarts: int) -> Policy:
    if not 0.0 < tolerance < 1.0:
        raise InputError(f"tolerance: expected a small number (rad and m), found {tolerance!r}.")
    for name, value, least in (("iterations", iterations, 1), ("restarts", restarts, 0)):
        if not isinstance(value, int) or value < least:
            raise InputError(f"{name}: expected a whole number from {least}, found {value!r}.")
    return Policy(tolerance=tolerance, iterations=iterations)


def _unit(axis: ArrayLike) -> tuple[float, float, float]:
    x = as_floats("axis", axis)
    size = float(np.linalg.norm(x))
    if x.shape != (3,) or not 0.0 < size < np.inf:
        raise InputError(f"axis: expected a direction (3) in the frame, found {axis!r}.")
    first, second, third = (x / size).tolist()
    return first, second, third


def _goals(
    frame: str, pose: Pose, axis: tuple[float, float, float] | None
) -> tuple[Array, tuple[str, ...], bool]:
    """(B, 12): rotation row by row and origin; which rows it gives; is it one pose?"""
    rotation, position = _parts(frame, pose)
    given = (() if rotation is None else ROWS[:3]) + (() if position is None else ROWS[3:])
    parts = {}
    if rotation is not None:
        parts["rotation"] = _rotations(frame, rotation, axis is not None)
    if position is not None:
        p = as_floats("position", position)
        if p.ndim not in (1, 2) or p.shape[-1] != 3:
            raise InputError(
                f"inverse_kinematics of '{frame}': expected a position (3,) or (B, 3), found shape "
                f"{p.shape}."
            )
        parts["position"] = (p.reshape(-1, 3), p.ndim == 1)
    count, single = common_rows(parts)
    goals = np.zeros((count, 12))
    goals[:, :9:4] = 1.0
    if rotation is not None:
        goals[:, : parts["rotation"][0].shape[1]] = parts["rotation"][0]
    elif axis is not None:
        goals[:, :3] = axis
    if position is not None:
        goals[:, 9:] = parts["position"][0]
    if single and not np.isfinite(goals).all():
        raise InputError(f"inverse_kinematics of '{frame}': the pose has entries that are not finite.")
    return goals, given, single


def _parts(frame: str, pose: Pose) -> tuple[ArrayLike | None, ArrayLike | None]:
    """Rotation and position of whatever was given."""
    if isinstance(pose, tuple) and len(pose) == 2:
        rotation, position = pose
        if rotation is None and position is None:
            raise InputError(f"inverse_kinematics of '{frame}': a rotation or a position is needed.")
        return rotation, position
    array = as_floats("pose", pose)
    if array.shape[-2:] == (4, 4):
        return array[..., :3, :3], array[..., :3, 3]
    if array.ndim in (1, 2) and array.shape[-1] == 3:
        return None, array
    raise InputError(
        f"inverse_kinematics of '{frame}': expected a pose as (rotation, position), as a position "
        f"(3,) or as a matrix (4, 4), or a batch of these; found shape {array.shape}."
    )


def _rotations(frame: str, given: ArrayLike, pointing: bool) -> tuple[Array, bool]:
    """(B, 9) of matrices (3, 3) or quaternions (w, x, y, z); (B, 3) of directions."""
    R = as_floats("rotation", given).astype(np.float64)
    if pointing:
        if R.ndim not in (1, 2) or R.shape[-1] != 3:
            raise InputError(
                f"inverse_kinematics of '{frame}': with `axis`, the rotation is a direction (3,) or "
                f"(B, 3) where it points; found shape {R.shape}."
            )
        size = np.linalg.norm(R, axis=-1, keepdims=True)
        if not size.all():
            raise InputError(f"inverse_kinematics of '{frame}': the direction is zero.")
        return (R / size).reshape(-1, 3), R.ndim == 1
    if R.ndim in (1, 2) and R.shape[-1] == 4:
        columns = from_quaternion(np.moveaxis(R, -1, 0)).T.leaves()
        return np.stack([np.asarray(x) for x in columns], axis=-1).reshape(-1, 9), R.ndim == 1
    if R.ndim not in (2, 3) or R.shape[-2:] != (3, 3):
        raise InputError(
            f"inverse_kinematics of '{frame}': expected a rotation (3, 3) or a quaternion (4,), or "
            f"a batch of these; found shape {R.shape}."
        )
    single = R.ndim == 2
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3))
    if (off > 1e-6).any() or (np.linalg.det(R) < 0.0).any():
        raise InputError(
            f"inverse_kinematics of '{frame}': the rotation is not orthogonal and right-handed; its "
            f"columns are the frame's axes, R Rᵀ differs from 1 by {np.nanmax(off):.1e}."
        )
    return R.reshape(-1, 9), single
