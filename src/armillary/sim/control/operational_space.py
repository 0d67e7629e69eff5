"""Operational space: forces that move a frame as wanted, over arrays and over nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.closed.actuation import responses
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.sparse import SparseLDL, put, symmetric_rows
from armillary.algorithms.tree.kinematics import frame_motion, frame_pose, jacobian
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.constraints.plan import plan_of, samples_of
from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.evaluate.inverse_kinematics import chosen_rows
from armillary.evaluate.rotation_vectors import rotation_vector
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.scalar import Scalar, dot, where
from armillary.sim.control.block import Scalars
from armillary.sim.control.model_based import ModelController
from armillary.sim.motion.coordinates import one_number
from armillary.sim.motion.line import Line
from armillary.sim.motion.user_functions import numbers
from armillary.spatial import Matrix
from armillary.spatial.rotation import rotation_log
from armillary.spatial.small import LDL

_ROW = {name: k for k, name in enumerate(("rx", "ry", "rz", "x", "y", "z"))}
_TRIALS = 5  # states at which the frame is looked at before anything is traced
Goal = tuple[Any, Any, Any, Any]  # R (3, 3), position (3), velocity (6), acceleration (6)


class OperationalSpace(ModelController):
    """Forces that move a frame as wanted [Khatib 1987]:

        tau = J^T Λ (x''_c - J' v) + h + (1 - J^T Λ J M^-1) tau_p,   Λ = (J M^-1 J^T)^-1
        x''_c = x''_d + kd (x'_d - x') + kp e

    so the chosen rows obey e'' + kd e' + kp e = 0.  Joints that are left over are led to `posture`
    (nq) by M (posture_kp e_q - posture_kd v), without touching the frame.  Near singular places,
    where J M^-1 J^T is small against what it is elsewhere, Λ is damped: the frame then moves less
    than commanded.  In closed mechanisms N (N^T M N)^-1 N^T of
    the free motions N stands for M^-1, and the forces come from `actuators`.

    target: a `Line`; a function of t alone -> (R, position, velocity (6), acceleration (6)) along
    the world's axes; or a position (3) to hold.  rows: of rx, ry, rz, x, y, z, "position",
    "pose"."""

    argument_units = MappingProxyType(
        {"kp": "1/s²", "kd": "1/s", "posture_kp": "1/s²", "posture_kd": "1/s"}
    )

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        frame: str,
        target: Line | Callable[[float], Goal] | ArrayLike,
        kp: float,
        kd: float,
        *,
        rows: str | Sequence[str] | None = None,
        posture: ArrayLike | None = None,
        posture_kp: float = 10.0,
        posture_kd: float | None = None,
        damping: float = 1e-6,
        actuators: Sequence[str] | None = None,
        period: float | None = None,
    ):
        super().__init__(mechanism, actuators, period)
        mechanism.model.frame(frame)
        if rows is None:
            rows = target.rows if isinstance(target, Line) else "position"
        self.rows = [_ROW[name] for name in chosen_rows(rows)]
        self.frame, self.kp, self.kd = frame, one_number("kp", kp), one_number("kd", kd)
        self.damping = one_number("damping", damping, 0.0)
        self.goal = _goal(target)
        self.held = self.goal(0.0)[1] if _is_place(target) else None  # a position to hold, m
        self.posture = None if posture is None else _posture(mechanism, posture)
        self.posture_kp = one_number("posture_kp", posture_kp, 0.0)
        given = 2 * self.posture_kp**0.5 if posture_kd is None else posture_kd
        self.posture_kd = one_number("posture_kd", given)
        self.reference = max(float(W.trace()) for W in self._samples())

    def torque(self, t: Scalar, q: Array, v: Array, z: Scalars) -> Array:
        if q.ndim > 1:
            return np.array([self.torque(t, *row, z) for row in zip(q, v, strict=True)])
        m = self.mechanism
        J = m.jacobian(q, self.frame, "world_aligned")[self.rows]
        # how joints answer forces at the frame; accelerations before the frame is looked at
        moved, a = self._responses(q, v, J, self._spare(q, v))
        unled = m.acceleration(q, v, a, self.frame, "world_aligned")[self.rows]
        missing = self._command(t, q, J @ v) - unled
        a = a + moved @ (_inverse(J @ moved, self.damping, self.reference) @ missing)
        return self._forces(q, v, a)

    def _responses(self, q: Array, v: Array, J: Array, spare: Array) -> tuple[Array, Array]:
        """M^-1 J^T and `spare`, as far as constraints allow."""
        m = self.mechanism
        if m.constraints:
            return m.constraint_solver.equations.responses(q, v, J.T, spare)
        return np.asarray(np.linalg.solve(m.mass_matrix(q), J.T), float), spare

    def error(self, t: float, q: Array) -> Array:
        """What is missing of the chosen rows, rad and m."""
        R, p = self.mechanism.pose(q, self.frame)
        R_d, p_d, _, _ = self.goal(t)
        turn = rotation_vector(R_d @ R.T) if min(self.rows) < 3 else np.zeros(3)
        return np.concatenate([turn, p_d - p])[self.rows]

    def _command(self, t: float, q: Array, rate: Array) -> Array:
        _, _, velocity, acceleration = self.goal(t)
        slip = velocity[self.rows] - rate
        return acceleration[self.rows] + self.kd * slip + self.kp * self.error(t, q)

    def _spare(self, q: Array, v: Array) -> Array:
        if self.posture is None:
            return -self.posture_kd * v  # joints left over come to rest
        return self.posture_kp * self.mechanism.difference(q, self.posture) - self.posture_kd * v

    # -- over nodes ------------------------------------------------------------------------------

    def scalar_force(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> list[Scalar]:
        """As `force`; not a number where Λ would be damped: such a step is made in Python."""
        self._refuse_always_damped()
        q, v = list(q), list(v)
        J = self._frame_rows(jacobian("world_aligned"), {"q": q}, "J")
        moved, spare = self._scalar_responses(q, v, J)
        W = [[dot(row, column) for column in moved] for row in J]
        command = self._scalar_command(t, q, [dot(row, v) for row in J])
        motion = frame_motion("world_aligned", "classical")
        unled = self._frame_rows(motion, {"q": q, "v": v, "a": spare}, "acceleration")
        missing = [x - own for x, own in zip(command, unled, strict=True)]
        push = LDL(W).solve(missing)
        mark = self._singular_mark(W)
        a = [x + dot([column[k] for column in moved], push) + mark for k, x in enumerate(spare)]
        return self._traced(q, v, a, u)

    def _scalar_responses(self, q: list, v: list, J: list[list]) -> tuple[list[list], list]:
        """As `_responses`; the columns of M^-1 J^T as rows."""
        spare, n = self._scalar_spare(q, v), self.mechanism.nv
        if self.mechanism.constraints:
            equations = self.mechanism.constraint_solver.equations
            run = self._inlined(
                responses(plan_of(equations), J, spare),
                {"q": q, "v": v},
                False,
                constraints=equations.constraints.bare,
            )
            return run.matrices["pushed"], run.results["nearest"]
        M = self._inlined(mass_matrix, {"q": q}).result("M")
        rows = symmetric_rows(n)
        for i in range(n):
            for k in range(i + 1):
                put(rows, i, k, M[i][k])
        factor = SparseLDL(rows, range(n - 1, -1, -1))  # the tips first: nothing fills in
        return [factor.solve(row)[0] for row in J], spare

    def _samples(self) -> list[Array]:
        """J M^-1 J^T at some states: its size tells what is small."""
        m, rest = self.mechanism, np.zeros(self.mechanism.nv)
        places = (
            samples_of(m.constraint_solver.equations)
            if m.constraints
            else m.random_state(0, _TRIALS)[0]
        )
        found = []
        for q in places:
            J = m.jacobian(q, self.frame, "world_aligned")[self.rows]
            found.append(J @ self._responses(q, rest, J, rest)[0])
        return found

    def _refuse_always_damped(self) -> None:
        """Rows that the frame cannot move along anywhere are left to arrays."""
        from armillary.evaluate.compile_function import NotNative

        for W in self._samples():
            values = np.linalg.eigvalsh(W)
            if values[0] > max(self.damping, 1e-12) * max(values.sum(), self.reference):
                return
        raise NotNative("the frame cannot move along all rows")

    def _singular_mark(self, W: Sequence[Sequence[Scalar]]) -> Scalar:
        """0 where all eigenvalues of W are larger than damping times the largest one, which is at
        most the trace, and times the reference; else not a number."""
        trace = sum((W[k][k] for k in range(1, len(W))), W[0][0])
        least = self.damping * where(trace > self.reference, trace, self.reference)
        shifted = [[x - least if i == k else x for k, x in enumerate(r)] for i, r in enumerate(W)]
        mark: Scalar = 0.0
        for inverse in LDL(shifted).inverse_D:
            mark = where(inverse > 0.0, mark, float("nan"))
        return mark

    def _frame_rows(
        self, algorithm: Algorithm, inputs: dict[str, list[Scalar]], name: str
    ) -> list[Any]:
        matrix = self._inlined(algorithm, inputs, frame=self.frame).result(name)
        return [matrix[row] for row in self.rows]

    def _scalar_command(self, t: Scalar, q: list, rate: list) -> list[Scalar]:
        R_d, p_d, velocity, acceleration = self.goal(t)
        pose = self._inlined(frame_pose, {"q": q}, frame=self.frame).result("pose")
        turn: Sequence[Scalar] = (0, 0, 0)
        if min(self.rows) < 3:
            # R_d R^T is the turn that is missing; a coordinate transform is its transpose
            E = Matrix.from_leaves(pose[:9])
            turn = rotation_log((Matrix(_tuples(R_d)) @ E).T).leaves()
        error = [*turn, *(x - y for x, y in zip(_numbers(p_d), pose[9:], strict=True))]
        v_d, a_d = _numbers(velocity), _numbers(acceleration)
        return [
            a_d[row] + self.kd * (v_d[row] - own) + self.kp * error[row]
            for row, own in zip(self.rows, rate, strict=True)
        ]

    def _scalar_spare(self, q: list, v: list) -> list[Scalar]:
        braked = [-self.posture_kd * x for x in v]
        if self.posture is None:
            return braked
        errors = self._joint_errors(q, self.posture.tolist())
        return [x + self.posture_kp * e for x, e in zip(braked, errors, strict=True)]


def _numbers(values: Sequence[Scalar]) -> list[Scalar]:
    """Plain floats, or nodes."""
    return list(np.asarray(values).tolist())


def _tuples(R: Sequence[Sequence[Scalar]]) -> tuple[tuple[Scalar, ...], ...]:
    return tuple(tuple(row) for row in np.asarray(R).tolist())


def _posture(mechanism: Mechanism, posture: ArrayLike) -> Array:
    place = np.asarray(posture, float)
    if place.shape != (mechanism.nq,) or not np.isfinite(place).all():
        raise InputError(f"posture: expected {mechanism.nq} finite numbers (q), found {posture!r}.")
    return place


class _Still:
    """A place to hold, with the orientation of the world."""

    def __init__(self, place: Array):
        self._goal = (np.eye(3), place, np.zeros(6), np.zeros(6))

    def goal(self, t: Scalar) -> Goal:
        return self._goal


class _Asked:
    """A user's function; its answer is checked where it can be, with times that are numbers."""

    def __init__(self, function: Callable[[Scalar], Goal]):
        self.function = function

    def __call__(self, t: Scalar) -> Goal:
        found = self.function(t)
        if not isinstance(t, float):
            return found
        if not isinstance(found, (tuple, list)) or len(found) != 4:
            raise InputError(
                f"target: expected (R, position, velocity (6), acceleration (6)) at t = {t:g} s, "
                f"found {type(found).__name__}."
            )
        parts = [numbers("target", x, t) for x in found]
        for name, x, shape in zip(
            ("R", "position", "velocity", "acceleration"),
            parts,
            ((3, 3), (3,), (6,), (6,)),
            strict=True,
        ):
            if x.shape != shape:
                raise InputError(
                    f"target: expected {name} {shape} at t = {t:g} s, found shape {x.shape}."
                )
        return parts[0], parts[1], parts[2], parts[3]


def _is_place(target: Scalar) -> bool:
    return not (isinstance(target, Line) or callable(target))


def _goal(target: Scalar) -> Callable[[Scalar], Goal]:
    """Over times of any kind, where the target is our own."""
    if isinstance(target, Line):
        return target.goal
    if callable(target):
        return _Asked(target)
    place = np.asarray(target, float)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise InputError(f"target: expected a position of 3 finite numbers, found {target!r}.")
    return _Still(place).goal


def _inverse(W: Array, damping: float, reference: float) -> Array:
    """Of J M^-1 J^T; eigenvalues below damping times the largest, or the usual one, are damped."""
    if not np.isfinite(W).all():
        return np.full_like(W, np.nan)
    if not np.allclose(W, W.T, rtol=1e-9, atol=1e-9 * reference):  # contacts that rub
        return np.asarray(np.linalg.pinv(W, rcond=max(damping, 1e-12)))
    values, vectors = np.linalg.eigh(W)
    top = max(damping, 1e-300) * max(values[-1], reference, 1e-300)
    gain = np.where(values > top, 1 / np.maximum(values, top), values / top / top)
    return np.asarray((vectors * np.maximum(gain, 0.0)) @ vectors.T)
