"""A frame on a straight line, as a joint trajectory through inverse kinematics.

The arm is led along the line once, place by place from the start: the places and a spline through
them fix the branch and, with joints left over, their motion (least velocity, or towards a
posture).  At any time the spline's place is brought onto the line exactly, and

    v = v_s + J^+ (x' - J v_s),    a = a_s + J^+ (x'' - J' v - J a_s)

with v_s, a_s of the spline; J^+ is damped where the arm is singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.algorithms.inverse_kinematics import ROWS
from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.evaluate.inverse_kinematics import chosen_rows
from armillary.evaluate.kinematic_solution import SINGULAR
from armillary.evaluate.rotation_vectors import rotation_of, rotation_vector
from armillary.evaluate.starts import joint_bounds
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.scalar import Scalar
from armillary.shown import shown
from armillary.sim.motion.profiles import Profile, profile_of
from armillary.sim.motion.trajectories import Sample, Trajectory
from armillary.spatial import Matrix, Vector
from armillary.spatial.rotation import about

_EXACT = 1e-14  # rad and m: to the last digits
NEAR_SINGULAR = 1e-3  # smallest over largest singular value: worth a word


@shown
@dataclass(frozen=True)
class LineReport:
    """What became of the line: how well it is followed, where the arm is weak."""

    followed: bool
    rows: tuple[str, ...]
    deviation: float  # largest distance from the line, rad or m, between the places too
    worst_at: float  # fraction of the line (0 to 1) where it occurs
    rank: int  # smallest along the line
    redundancy: int  # joints left over where the rank is smallest
    condition: float  # largest along the line, of the rows that move at all
    weakest_at: float  # fraction of the line where that is
    lost: Array  # (k, rows): directions that cannot move at the weakest place
    singular: tuple[tuple[float, float], ...]  # intervals of the line, near singular
    over_limits: tuple[str, ...]  # joints beyond their limits somewhere

    def __str__(self) -> str:
        state = "followed" if self.followed else "NOT followed"
        lines = [
            f"line {state}: largest deviation {self.deviation:.1e} at {self.worst_at:.0%}",
            f"  rank {self.rank} of {len(self.rows)} rows, {self.redundancy} joints left "
            f"over; condition up to {self.condition:.3g} at "
            f"{self.weakest_at:.0%}",
        ]
        for first, last in self.singular:
            lines.append(f"  near singular from {first:.1%} to {last:.1%} of the line")
        for direction in self.lost:
            parts = [
                f"{x:+.3f} {r}" for x, r in zip(direction, self.rows, strict=True) if abs(x) > 1e-3
            ]
            lines.append(f"  lost direction: {' '.join(parts)}")
        if self.over_limits:
            lines.append(f"  beyond joint limits: {', '.join(self.over_limits)}")
        return "\n".join(lines)


class Line(Trajectory):
    """A frame moves straight from one pose to another; made by `line_trajectory`."""

    report: LineReport

    def __init__(
        self,
        mechanism: Mechanism,
        frame: str,
        rows: tuple[str, ...],
        q0: Array,
        goal: tuple[Array, Array],
        duration: float,
        profile: Profile,
        start: float,
        places: int,
        posture: Array | None,
    ):
        self.mechanism, self.frame, self.rows, self.profile = mechanism, frame, rows, profile
        self.entries = [ROWS.index(row) for row in rows]
        self.start, self.end = start, start + duration
        R0, self.origin = mechanism.pose(q0, frame)
        self.R0, self.displacement = R0, goal[0] - self.origin
        self.rotation = rotation_vector(goal[1] @ R0.T)
        self.direction = np.concatenate([self.rotation, self.displacement])[self.entries]
        self.posture = posture
        self._lead(q0, places)
        self.report = self._survey()

    # -- the line itself -------------------------------------------------------------------------

    def pose(self, t: float) -> tuple[Array, Array]:
        """R (3, 3) and origin (3,) of the frame as wanted at a time."""
        return self._pose(float(self.profile(np.asarray(t - self.start), self.duration)[0]))

    def twist(self, t: float) -> tuple[Array, Array]:
        """Velocity (ω; v) and its derivative as wanted at a time, along the world's axes."""
        _, first, second = self.profile(np.asarray(t - self.start), self.duration)
        along = np.concatenate([self.rotation, self.displacement])
        return along * first, along * second

    def goal(self, t: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """R, origin, velocity, acceleration at a time of any kind of scalar."""
        if isinstance(t, float | int):
            return *self.pose(t), *self.twist(t)
        s, first, second = self.profile(t - self.start, self.duration)
        angle, along = (
            float(np.linalg.norm(self.rotation)),
            [*self.rotation.tolist(), *self.displacement.tolist()],
        )
        R = Matrix(tuple(tuple(row) for row in self.R0.tolist()))
        if angle > 0.0:
            R = about(Vector(*(self.rotation / angle).tolist()), s * angle).T @ R
        origin = [x + s * d for x, d in zip(self.origin.tolist(), along[3:], strict=True)]
        return R.rows, origin, [x * first for x in along], [x * second for x in along]

    def _pose(self, s: float) -> tuple[Array, Array]:
        return rotation_of(s * self.rotation) @ self.R0, self.origin + s * self.displacement

    # -- leading the arm along -------------------------------------------------------------------

    def _lead(self, q: Array, places: int) -> None:
        from scipy.interpolate import make_interp_spline

        self.s = np.linspace(0.0, 1.0, places + 1)
        base, steps = q, [np.zeros(self.mechanism.nv)]
        for s in self.s[1:]:
            q = self._nearest(self._towards_posture(q), s)
            steps.append(self.mechanism.difference(base, q))
        self.base = base
        self.spline = make_interp_spline(self.s, np.array(steps), k=5)
        self.slope, self.bend = self.spline.derivative(), self.spline.derivative(2)

    def _towards_posture(self, q: Array) -> Array:
        """A step of the joints left over towards the posture; the frame stays where it is."""
        if self.posture is None:
            return q
        J = self._jacobian(q)
        step = self.mechanism.difference(q, self.posture) * min(1.0, 4.0 / (len(self.s) - 1))
        return self.mechanism.integrate(q, step - damped(J, J @ step, 0.0))

    def _nearest(self, q: Array, s: float) -> Array:
        """The place on the line nearest to q, or as near to the line as the arm comes."""
        found = self.mechanism.inverse_kinematics(
            self.frame, self._pose(s), q, rows=self.rows, joints=self.mechanism.joint_names,
            limits=False, tolerance=_EXACT, restarts=0,
        )  # fmt: skip
        return found.q

    def _error(self, q: Array, s: float) -> Array:
        """What is missing to the line, per row: rad or m."""
        (R, p), (R_s, p_s) = self.mechanism.pose(q, self.frame), self._pose(s)
        return np.concatenate([rotation_vector(R_s @ R.T), p_s - p])[self.entries]

    def _jacobian(self, q: Array) -> Array:
        """(rows, nv) along the world's axes."""
        J: Array = self.mechanism.jacobian(q, self.frame, "world_aligned")[self.entries]
        return J

    # -- at any time -----------------------------------------------------------------------------

    def _at(self, t: Array, side: str) -> Sample:
        parts = zip(*self.profile(t - self.start, self.duration), strict=True)
        rows = [self._motion(float(s), float(first), float(second)) for s, first, second in parts]
        return Sample(*(np.array(x) for x in zip(*rows, strict=True)))

    def _motion(self, s: float, first: float, second: float) -> tuple[Array, Array, Array]:
        guess = self.mechanism.integrate(self.base, self.spline(s))
        q = self._nearest(guess, s)
        J = self._jacobian(q)
        damping = _damping(J)
        v_s = self.slope(s) * first
        v = v_s + damped(J, self.direction * first - J @ v_s, damping)
        dJ = self.mechanism.jacobian_dot(q, v, self.frame, "world_aligned")[self.entries]
        a_s = self.slope(s) * second + self.bend(s) * first**2
        missing = self.direction * second - dJ @ v - J @ a_s
        return q, v, a_s + damped(J, missing, damping)

    # -- the report ------------------------------------------------------------------------------

    def _survey(self) -> LineReport:
        s = np.sort(np.concatenate([self.s, (self.s[1:] + self.s[:-1]) / 2]))
        q = np.array(
            [self._nearest(self.mechanism.integrate(self.base, self.spline(x)), x) for x in s]
        )
        off = np.array([np.abs(self._error(x, y)).max() for x, y in zip(q, s, strict=True)])
        factors = [np.linalg.svd(self._jacobian(x)) for x in q]
        values = np.array([f[1] for f in factors])
        ranks = np.sum(values > SINGULAR * values[:, :1], axis=1)
        usual = max(int(ranks.max()), 1)  # rows that never move are no weakness of a place
        ratio = values[:, usual - 1] / values[:, 0]
        weak = int(np.argmin(ratio))
        rank = int(ranks.min())
        over = tuple(
            self.mechanism.q_labels[i]
            for i, _, low, high in joint_bounds(self.mechanism.model)
            if q[:, i].min() < low - 1e-9 or q[:, i].max() > high + 1e-9
        )
        worst = int(np.argmax(off))
        return LineReport(
            followed=bool(off[worst] <= 1e-9),
            rows=self.rows,
            deviation=float(off[worst]),
            worst_at=float(s[worst]),
            rank=rank,
            redundancy=self.mechanism.nv - rank,
            condition=float(1 / max(ratio[weak], 1e-300)),
            weakest_at=float(s[weak]),
            lost=factors[weak][0].T[int(ranks[weak]) :],
            singular=_intervals(s, ratio < NEAR_SINGULAR),
            over_limits=over,
        )


@name_arguments
def line_trajectory(
    mechanism: Mechanism,
    frame: str,
    end: ArrayLike | None = None,
    duration: float | None = None,
    *,
    q0: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    rows: str | Sequence[str] | None = None,
    profile: str | Profile = "quintic",
    velocity: float | None = None,
    acceleration: float | None = None,
    start: float = 0.0,
    places: int = 100,
    posture: ArrayLike | None = None,
    strict: bool = True,
) -> Line:
    """The frame goes straight from its pose at q0 (default: initial) to `end` (3) m.

    rotation (3, 3): it also turns evenly to this one; rows: which of rx, ry, rz, x, y, z are
    kept on the line (default: the position, with a rotation all six).  duration (s), or the
    shortest within `velocity` and `acceleration` along the line.  places: how many the arm is
    led through; posture (nq): where joints that are left over tend to.  `.report` tells of
    singular and redundant places; strict: an error if the line cannot be followed."""
    if mechanism.constraints:
        raise InputError(
            f"line: '{mechanism.name}' has loops or other constraints; take places from "
            "its inverse_kinematics, which keeps them closed, and lay a spline through them."
        )
    if not isinstance(places, int) or places < 6:
        raise InputError(f"places: expected a whole number of at least 6, found {places}.")
    first = mechanism.integrate(mechanism.initial if q0 is None else q0, np.zeros(mechanism.nv))
    R0, p0 = mechanism.pose(first, frame)
    p1 = p0 if end is None else np.asarray(end, float)
    R1 = R0 if rotation is None else np.asarray(rotation, float)
    if p1.shape != (3,) or R1.shape != (3, 3):
        raise InputError(
            f"line: expected end (3,) and rotation (3, 3), found {p1.shape} and {R1.shape}."
        )
    names = chosen_rows(("position" if rotation is None else "pose") if rows is None else rows)
    shape = profile_of(profile)
    if duration is None:
        duration = shape.duration(float(np.linalg.norm(p1 - p0)), velocity, acceleration)
    if not duration > 0.0:
        raise InputError(f"duration: expected a positive time in seconds, found {duration}.")
    lean = None if posture is None else np.asarray(posture, float)
    found = Line(
        mechanism=mechanism,
        frame=frame,
        rows=names,
        q0=first,
        goal=(p1, R1),
        duration=float(duration),
        profile=shape,
        start=start,
        places=places,
        posture=lean,
    )
    _refuse(found, p1, strict)
    return found


def _refuse(line: Line, end: Array, strict: bool) -> None:
    """Lines that cannot be followed by this arm."""
    if line.report.redundancy and line.mechanism.nq != line.mechanism.nv:
        raise InputError(
            f"line: '{line.mechanism.name}' has joints left over and turns by quaternions; only "
            "one of the two is possible. Count more rows, or use gimbal joints."
        )
    if strict and not line.report.followed:
        raise InputError(
            f"line of '{line.frame}' to {end.tolist()}: the arm cannot follow it.\n{line.report}\n"
            "Choose another line, start or fewer rows, or take the nearest motion by strict=False."
        )


def damped(J: Array, e: Array, damping: float) -> Array:
    """The step with the least |J dq - e|² + λ² |dq|²; rows the arm has lost give nothing."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    kept = s > 1e-12 * s.max(initial=0.0)
    gain = np.where(kept, s / np.where(kept, s * s + damping * damping, 1.0), 0.0)
    return np.asarray(Vt.T @ (gain * (U.T @ e)))


def _damping(J: Array) -> float:
    """None where the arm is well; at a singular place a hundredth of the largest gain."""
    s = np.linalg.svd(J, compute_uv=False)
    moving = s[s > 1e-12 * s.max(initial=0.0)]
    if not len(moving) or moving[-1] > SINGULAR * moving[0]:
        return 0.0
    return float(1e-4 * moving[0])


def _intervals(s: Array, marked: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(int)))
    return tuple((float(s[i]), float(s[j - 1])) for i, j in edges.reshape(-1, 2))
