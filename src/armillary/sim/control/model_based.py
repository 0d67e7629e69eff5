"""Controllers that know the mechanism: gravity compensation, computed torque.

They call the mechanism, so they take floats or columns of a batch; those with a `scalar_force` can
be traced.  With `actuators` the forces come from these joints alone; closed mechanisms need it
unless every joint is driven.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics, static_forces
from armillary.constraints.actuation import driving_forces
from armillary.errors import InputError, NotFiniteError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.scalar import Scalar
from armillary.sim.control.block import Block, Scalars, made_for
from armillary.sim.control.pid import target_at
from armillary.sim.motion.coordinates import (
    argument_units,
    freedoms,
    per_freedom,
    positive_period,
)
from armillary.sim.motion.trajectories import Constant, Trajectory
from armillary.sim.motion.user_functions import array_of, columns


class ModelController(Block, ABC):
    """Adds tau(t, q, v) computed by the mechanism."""

    array_level = True

    def __init__(
        self, mechanism: Mechanism, actuators: Sequence[str] | str | None, period: float | None
    ):
        self.mechanism, self.built_for = mechanism, made_for(mechanism)
        freedoms(mechanism, actuators)
        if isinstance(actuators, str):
            actuators = (actuators,)
        self.actuators = None if actuators is None else tuple(actuators)
        self.period = positive_period(period)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        tau = self.torque(t, array_of(q), array_of(v), z)
        return [x + y for x, y in zip(u, columns(tau), strict=True)]

    def _traced(
        self, q: Scalars, v: Scalars, a: Scalars, u: Scalars, passive: bool = True
    ) -> list[Scalar]:
        """u + the forces of the motion (q, v, a), all of them nodes of a graph."""
        from armillary.evaluate.compile_function import NotNative

        inputs = {"q": list(q), "v": list(v), "a": list(a)}
        if self._alone:
            tau = self._inlined(inverse_dynamics, inputs, passive).result("tau")
        else:
            equations = self.mechanism.constraint_solver.equations
            law = driving_forces(equations, self.actuators).law
            if law is None:
                raise NotNative("these actuators have no traced law")
            constraints = equations.constraints if passive else equations.constraints.bare
            tau = self._inlined(law, inputs, passive, constraints=constraints).result("tau")
        return [x + y for x, y in zip(u, tau, strict=True)]

    @property
    def _alone(self) -> bool:
        """A tree whose joints are all driven."""
        return not self.mechanism.constraints and self.actuators is None

    def _inlined(
        self,
        algorithm: Algorithm,
        inputs: dict[str, list[Scalar]],
        passive: bool = True,
        frame: str | None = None,
        constraints: ConstraintTable | None = None,
    ) -> Run:
        return self.mechanism.evaluator.inlined(
            algorithm, inputs, frame=frame, passive=passive, constraints=constraints
        )

    @abstractmethod
    def torque(self, t: Scalar, q: Array, v: Array, z: Scalars) -> Array:
        """Joint forces (..., nv)."""

    def _joint_errors(self, q: Scalars, goal: Sequence[Scalar]) -> list[Scalar]:
        """What leads from q to the goal on the joints' manifolds (nv)."""
        model = self.mechanism.model
        pairs = zip(model.joints, (slot.q for slot in model.slots), strict=True)
        errors = (joint.difference(tuple(q[own]), tuple(goal[own])) for joint, own in pairs)
        return [e for error in errors for e in error]

    def _forces(self, q: Array, v: Array, a: Array, passive: bool = True) -> Array:
        """tau that gives the accelerations a, from the actuators."""
        if a.ndim == 1 and not np.isfinite(q.sum() + v.sum() + a.sum()):
            return np.full_like(v, np.nan)  # the run tells where it broke
        try:
            if self._alone:
                return self.mechanism.inverse_dynamics(q, v, a, passive=passive)
            return self._of_actuators(q, v, a, passive)
        except NotFiniteError:
            return np.full_like(v, np.nan)

    def _of_actuators(self, q: Array, v: Array, a: Array, passive: bool) -> Array:
        """`driving_forces` without a word about open positions: within a step of time."""
        solver, loaded = (
            self.mechanism.constraint_solver,
            self.mechanism.model.load_dependent_joints,
        )
        rows = {"q": np.atleast_2d(q), "v": np.atleast_2d(v), "a": np.atleast_2d(a)}
        if passive and loaded:
            tau = solver.load_friction.driving_forces(rows, self.actuators)
        else:
            law = driving_forces(solver.equations, self.actuators)
            tau = law(rows["q"], rows["v"], rows["a"], passive)
        return tau[0] if q.ndim == 1 else tau


class GravityCompensation(ModelController):
    """u + the forces that hold the mechanism at rest where it is, against gravity and springs."""

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        actuators: Sequence[str] | None = None,
        springs: bool = True,
        period: float | None = None,
    ):
        super().__init__(mechanism, actuators, period)
        self.springs = springs

    def torque(self, t: Scalar, q: Array, v: Array, z: Scalars) -> Array:
        if self._alone:
            m = self.mechanism
            if q.ndim == 1 and not np.isfinite(q.sum()):
                return np.full_like(v, np.nan)  # the run tells where it broke
            try:
                return m.static_torques(q) if self.springs else m.gravity_forces(q)
            except NotFiniteError:
                return np.full_like(v, np.nan)
        rest = np.zeros_like(v)
        return self._forces(q, rest, rest, self.springs)

    def scalar_force(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> list[Scalar]:
        if self._alone:
            tau = self._inlined(static_forces, {"q": list(q)}, self.springs).result("tau")
            return [x + y for x, y in zip(u, tau, strict=True)]
        rest = [0] * self.mechanism.nv
        return self._traced(q, rest, rest, u, self.springs)


class ComputedTorque(ModelController):
    """tau = M a + h with a = a_d + kd (v_d - v) + kp e + ki ∫e: every joint's error obeys

        e'' + kd e' + kp e + ki ∫e = 0.

    e leads from q to q_d on the joints' manifolds; gains in 1/s², 1/s, 1/s³, for all or each.
    target: a trajectory, or a place (nq) to hold."""

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        target: Trajectory | ArrayLike,
        kp: ArrayLike | Mapping[str, float],
        kd: ArrayLike | Mapping[str, float],
        ki: ArrayLike | Mapping[str, float] = 0.0,
        *,
        actuators: Sequence[str] | None = None,
        period: float | None = None,
    ):
        super().__init__(mechanism, actuators, period)
        labels, n = mechanism.v_labels, mechanism.nv
        gains = {"kp": "1/s²", "kd": "1/s", "ki": "1/s³"}
        self.argument_units = argument_units(mechanism, range(n), gains)
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

    def torque(self, t: Scalar, q: Array, v: Array, z: Scalars) -> Array:
        wanted = self.target(t)
        a = wanted.a + self.kd * (wanted.v - v) + self.kp * self._error(t, q)
        if self.states:
            a = a + self.ki * array_of(z)
        return self._forces(q, v, a)

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return columns(self._error(t, array_of(q))) if self.states else []

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
        return self._traced(q, v, a, u)

    def scalar_rate(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> list[Scalar]:
        return self._scalar_error(t, q) if self.states else []

    def _scalar_error(self, t: Scalar, q: Scalars) -> list[Scalar]:
        return self._joint_errors(q, target_at(self.target, t)[0])

    def _error(self, t: Scalar, q: Array) -> Array:
        goal = self.target(t).q
        return self.mechanism.difference(q, np.broadcast_to(goal, q.shape))
