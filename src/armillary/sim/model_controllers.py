"""Controllers that know the mechanism: gravity compensation, computed torque, operational space.

They call the mechanism, so they take floats or columns of a batch; those with a `scalar_force` can
be traced where the mechanism is a tree whose joints are all driven.  With `actuators` the forces
come from these joints alone; closed mechanisms need it unless every joint is driven.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.inverse_dynamics import inverse_dynamics, static_forces
from armillary.algorithms.passes import Algorithm
from armillary.errors import InputError
from armillary.functions.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.controllers import target_at
from armillary.sim.kinematic_inverse import chosen_rows, rotation_vector
from armillary.sim.part import (
    Array,
    Part,
    Scalars,
    array_of,
    columns_of,
    freedoms,
    made_for,
    one_number,
    per_freedom,
    positive_period,
)
from armillary.sim.straight_line import Line
from armillary.sim.trajectories import Constant, Trajectory

_ROW = {name: k for k, name in enumerate(("rx", "ry", "rz", "x", "y", "z"))}
Goal = tuple[Array, Array, Array, Array]  # R (3, 3), position (3), velocity (6), acceleration (6)


class _Model(Part, ABC):
    """Adds tau(t, q, v) computed by the mechanism."""

    array_level = True

    def __init__(self, mechanism: Mechanism, actuators: Sequence[str] | None,
                 period: float | None):  # fmt: skip
        self.mechanism, self.built_for = mechanism, made_for(mechanism)
        freedoms(mechanism, actuators)
        self.actuators = None if actuators is None else tuple(actuators)
        self.period = positive_period(period)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        tau = self.torque(t, array_of(q), array_of(v), z)
        return [x + y for x, y in zip(u, columns_of(tau), strict=True)]

    def _traced(self, algorithm: Algorithm, inputs: dict[str, list[Any]], u: Scalars,
                passive: bool = True) -> list[Scalar]:  # fmt: skip
        """u + tau of an algorithm, all of them nodes of a graph."""
        # the compiler is imported when something is traced
        from armillary.functions.stepping import NotNative
        from armillary.functions.straight import inlined

        if self.mechanism.constraints or self.actuators is not None:
            raise NotNative("forces of chosen actuators are found over arrays")
        tau = inlined(self.mechanism, algorithm, inputs, passive).result("tau")
        return [x + y for x, y in zip(u, tau, strict=True)]

    @abstractmethod
    def torque(self, t: Any, q: Array, v: Array, z: Scalars) -> Array:
        """Joint forces (..., nv)."""

    def _forces(self, q: Array, v: Array, a: Array) -> Array:
        """tau that gives the accelerations a, from the actuators."""
        m = self.mechanism
        if not m.constraints and self.actuators is None:
            return m.inverse_dynamics(q, v, a)
        if q.ndim == 1:
            return m.actuator_forces(q, v, a, self.actuators).tau
        return np.array([self._forces(*row) for row in zip(q, v, a, strict=True)])


class GravityCompensation(_Model):
    """u + the forces that hold the mechanism at rest where it is, against gravity and springs."""

    def __init__(self, mechanism: Mechanism, actuators: Sequence[str] | None = None,
                 springs: bool = True, period: float | None = None):  # fmt: skip
        super().__init__(mechanism, actuators, period)
        self.springs = springs

    def torque(self, t: Any, q: Array, v: Array, z: Scalars) -> Array:
        m = self.mechanism
        if not m.constraints and self.actuators is None:
            return m.static_torques(q) if self.springs else m.gravity_forces(q)
        if q.ndim > 1:
            return np.array([self.torque(t, *row, z) for row in zip(q, v, strict=True)])
        rest = np.zeros(m.nv)
        return m.actuator_forces(q, rest, rest, self.actuators, passive=self.springs).tau

    def scalar_force(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> list[Scalar]:
        return self._traced(static_forces, {"q": list(q)}, u, self.springs)


class ComputedTorque(_Model):
    """tau = M a + h with a = a_d + kd (v_d - v) + kp e + ki ∫e: every joint's error obeys

        e'' + kd e' + kp e + ki ∫e = 0.

    e leads from q to q_d on the joints' manifolds; gains in 1/s², 1/s, 1/s³, for all or each.
    target: a trajectory, or a place (nq) to hold."""

    def __init__(
        self,
        mechanism: Mechanism,
        target: Trajectory | ArrayLike,
        kp: Any,
        kd: Any,
        ki: Any = 0.0,
        *,
        actuators: Sequence[str] | None = None,
        period: float | None = None,
    ):
        super().__init__(mechanism, actuators, period)
        labels, n = mechanism.v_labels, mechanism.nv
        self.kp, self.kd, self.ki = (
            np.array(per_freedom(name, value, n, labels))
            for name, value in (("kp", kp), ("kd", kd), ("ki", ki))
        )
        self.target = target if isinstance(target, Trajectory) else Constant(target, n)
        first = self.target(self.target.start).q
        if first.shape != (mechanism.nq,) or not np.isfinite(first).all():
            raise InputError(
                f"target: expected places of {mechanism.nq} finite numbers (q), found "
                f"{first.tolist()}."
            )
        if self.ki.any():
            self.states = tuple(f"{label}.integral" for label in labels)

    def torque(self, t: Any, q: Array, v: Array, z: Scalars) -> Array:
        wanted = self.target(t)
        a = wanted.a + self.kd * (wanted.v - v) + self.kp * self._error(t, q)
        if self.states:
            a = a + self.ki * array_of(z)
        return self._forces(q, v, a)

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return columns_of(self._error(t, array_of(q))) if self.states else []

    def scalar_force(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> list[Scalar]:
        _, v_d, a_d = target_at(self.target, t)
        a = [
            a_d[k] + float(self.kd[k]) * (v_d[k] - v[k]) + float(self.kp[k]) * e
            for k, e in enumerate(self._scalar_error(t, q))
        ]
        if self.states:
            a = [x + float(ki) * total for x, ki, total in zip(a, self.ki, z, strict=True)]
        return self._traced(inverse_dynamics, {"q": list(q), "v": list(v), "a": a}, u)

    def scalar_rate(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> list[Scalar]:
        return self._scalar_error(t, q) if self.states else []

    def _scalar_error(self, t: Scalar, q: Scalars) -> list[Scalar]:
        goal, model = target_at(self.target, t)[0], self.mechanism.model
        pairs = zip(model.joints, (slot.q for slot in model.slots), strict=True)
        errors = (joint.difference(tuple(q[own]), tuple(goal[own])) for joint, own in pairs)
        return [e for error in errors for e in error]

    def _error(self, t: Any, q: Array) -> Array:
        goal = self.target(t).q
        return self.mechanism.difference(q, np.broadcast_to(goal, q.shape))


class OperationalSpace(_Model):
    """Forces that move a frame as wanted [Khatib 1987]:

        tau = J^T Λ (x''_c - J' v) + h + (1 - J^T Λ J M^-1) tau_p,   Λ = (J M^-1 J^T)^-1
        x''_c = x''_d + kd (x'_d - x') + kp e

    so the chosen rows obey e'' + kd e' + kp e = 0.  Joints that are left over are led to `posture`
    (nq) by M (posture_kp e_q - posture_kd v), without touching the frame.  Near singular places Λ
    is damped: the frame then moves less than commanded.

    target: a `Line`; a function t -> (R, position, velocity (6), acceleration (6)) along the
    world's axes; or a position (3) to hold.  rows: of rx, ry, rz, x, y, z, "position", "pose"."""

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
        period: float | None = None,
    ):
        super().__init__(mechanism, None, period)
        if mechanism.constraints:
            raise InputError(
                f"operational space: '{mechanism.name}' has constraints; use ComputedTorque with "
                "actuators, or PID."
            )
        mechanism.model.frame(frame)
        if rows is None:
            rows = target.task.rows if isinstance(target, Line) else "position"
        self.rows = [_ROW[name] for name in chosen_rows(rows)]
        self.frame, self.kp, self.kd = frame, one_number("kp", kp), one_number("kd", kd)
        self.damping = one_number("damping", damping, 0.0)
        self.goal = _goal(target)
        self.posture = None if posture is None else _posture(mechanism, posture)
        self.posture_kp = one_number("posture_kp", posture_kp, 0.0)
        given = 2 * self.posture_kp**0.5 if posture_kd is None else posture_kd
        self.posture_kd = one_number("posture_kd", given)

    def torque(self, t: Any, q: Array, v: Array, z: Scalars) -> Array:
        if q.ndim > 1:
            return np.array([self.torque(t, *row, z) for row in zip(q, v, strict=True)])
        m = self.mechanism
        J = m.jacobian(q, self.frame, "world_aligned")[self.rows]
        dJ = m.jacobian_dot(q, v, self.frame, "world_aligned")[self.rows]
        M = m.mass_matrix(q)
        MinvJt = np.linalg.solve(M, J.T)
        Lambda = _inverse(J @ MinvJt, self.damping)
        spare = self._spare(q, v)
        # accelerations that do not move the frame, then what the frame needs
        a = spare - MinvJt @ (Lambda @ (J @ spare))
        a = a + MinvJt @ (Lambda @ (self._command(t, q, J @ v) - dJ @ v))
        return m.inverse_dynamics(q, v, a)

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


def _posture(mechanism: Mechanism, posture: ArrayLike) -> Array:
    place = np.asarray(posture, float)
    if place.shape != (mechanism.nq,) or not np.isfinite(place).all():
        raise InputError(f"posture: expected {mechanism.nq} finite numbers (q), found {posture!r}.")
    return place


def _goal(target: Any) -> Callable[[float], Goal]:
    if isinstance(target, Line):
        return lambda t: (*target.pose(t), *target.twist(t))
    if callable(target):
        return target
    place = np.asarray(target, float)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise InputError(f"target: expected a position of 3 finite numbers, found {target!r}.")
    still = (np.eye(3), place, np.zeros(6), np.zeros(6))
    return lambda t: still


def _inverse(W: Array, damping: float) -> Array:
    """Of a symmetric matrix; eigenvalues below damping times the largest are damped."""
    values, vectors = np.linalg.eigh(W)
    top = damping * values[-1]
    gain = np.where(values > top, 1 / np.maximum(values, 1e-300), values / max(top, 1e-300) ** 2)
    return np.asarray((vectors * np.maximum(gain, 0.0)) @ vectors.T)
