"""Questions about forces: inverse and forward dynamics, inertias, energies, reactions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.tree import energy, forward_dynamics, inverse_dynamics
from armillary.errors import EnergyWarning
from armillary.evaluate.compiled_function import CompiledFunction
from armillary.evaluate.derivatives import (
    BaseParameters,
    base_parameters,
    offset_names,
    parameter_names,
    parameter_values,
)
from armillary.evaluate.evaluator import External
from armillary.evaluate.forces_in_play import SHARE, forces_in_play
from armillary.evaluate.inputs import Array
from armillary.evaluate.kinematics import Kinematics
from armillary.evaluate.questions import ForwardDynamics, InverseDynamics
from armillary.evaluate.results import BodyForces, Check, OperationalInertia, Solution
from armillary.evaluate.sensitivities import regressor

if TYPE_CHECKING:
    from armillary.evaluate.load_friction import LoadFriction


class Dynamics(Kinematics):
    """tau, v and a run along the degrees of freedom: N m or N, rad/s or m/s, rad/s² or m/s²."""

    @cached_property
    def inverse_dynamics(self) -> InverseDynamics:
        """Joint forces for a motion: `InverseDynamics`."""
        if self.model.load_dependent_joints:
            from armillary.evaluate.load_friction import LoadedInverseDynamics

            return LoadedInverseDynamics.bind(self.load_friction)
        return InverseDynamics.bind(self.evaluator)

    @cached_property
    def forward_dynamics(self) -> ForwardDynamics:
        """Accelerations for joint forces: `ForwardDynamics`."""
        if self.model.load_dependent_joints:
            from armillary.evaluate.load_friction import LoadedForwardDynamics

            return LoadedForwardDynamics.bind(self.load_friction)
        return ForwardDynamics.bind(self.evaluator)

    @cached_property
    def load_friction(self) -> LoadFriction:
        """Friction of joints that depends on their loads."""
        from armillary.evaluate.load_friction import LoadFriction

        return LoadFriction(self.evaluator)

    @cached_property
    def bias_forces(self) -> Callable[..., Any]:
        """Forces at zero acceleration."""
        return CompiledFunction(self.evaluator, "bias_forces").callable()

    @cached_property
    def gravity_forces(self) -> Callable[..., Any]:
        """Forces against gravity."""
        return CompiledFunction(self.evaluator, "gravity_forces").callable()

    @cached_property
    def mass_matrix(self) -> Callable[..., Any]:
        """Joint-space inertia."""
        return CompiledFunction(self.evaluator, "mass_matrix").callable()

    @cached_property
    def coriolis_matrix(self) -> Callable[..., Any]:
        """Coriolis matrix."""
        return CompiledFunction(self.evaluator, "coriolis_matrix").callable()

    @cached_property
    def center_of_mass(self) -> Callable[..., Any]:
        """Centre of mass."""
        return CompiledFunction(self.evaluator, "center_of_mass").callable()

    @cached_property
    def momentum(self) -> Callable[..., Any]:
        """Momentum about the centre of mass."""
        return CompiledFunction(self.evaluator, "momentum").callable()

    @cached_property
    def static_torques(self) -> Callable[..., Any]:
        """Joint forces (nv) that hold it at rest against gravity, springs and external wrenches."""
        return CompiledFunction(self.evaluator, "static_torques").callable()

    def operational_inertia(
        self, q: ArrayLike, frame: str, coordinates: str = "local"
    ) -> OperationalInertia:
        """Inverse operational-space inertia W = J M^-1 J^T (6, 6) of a frame, and its rank:
        W, rank = mechanism.operational_inertia(q, frame).

        It has an inverse only where the rank is 6  [VanDerMerwe1995, 5.57, 5.58].  M and J are
        those of the tree, also of a closed mechanism."""
        (q,) = self.evaluator.complete({"q": q}).values()
        W = self._operational_inertia(q, frame, coordinates)
        there = np.array(q)  # the rank is found when it is asked for
        return OperationalInertia(W, lambda: _ranks(self.jacobian(there, frame, coordinates)))

    @cached_property
    def _operational_inertia(self) -> Callable[..., Any]:
        return CompiledFunction(self.evaluator, "operational_inertia").callable()

    @cached_property
    def energy(self) -> Callable[..., tuple[Array, Array]]:
        """Kinetic and potential energy in J; springs and laws with a potential count, height
        counts from the origin.  A warning names the laws that store energy and do not say how
        much (`energy_lacks`)."""
        known = CompiledFunction(self.evaluator, "energy").callable()
        if not self.energy_lacks:
            return known

        def energy(q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
            warnings.warn(self.energy_lacks, EnergyWarning, stacklevel=2)
            return known(q, v)

        return energy

    @cached_property
    def energy_lacks(self) -> str:
        """What `energy` does not know, in words; empty where it knows everything."""
        names = ", ".join(f"'{name}'" for name in self.model.hidden_energy)
        return names and (
            f"energy: the law of {names} holds a force at rest and names no potential; what it "
            f"stores is not counted. Use Passive(law=Law(force, potential))."
        )

    def momentum_matrix(self, q: ArrayLike) -> Array:
        """A (6, nv) with momentum = A v (fixed base motion aside): the centroidal map."""
        return self._momentum_map(q)[0]

    def center_of_mass_jacobian(self, q: ArrayLike) -> Array:
        """Jacobian (3, nv) of the centre of mass."""
        A, mass, _ = self._momentum_map(q)
        return A[..., 3:, :] / mass

    def _momentum_map(self, q: ArrayLike) -> tuple[Array, float, Array]:
        mass = self.evaluator.moving_mass()
        result = self.evaluator.run(energy.momentum_map, {"q": q}, passive=False)
        total = result["total"]
        com = total[..., 1:4] / mass
        A = np.swapaxes(result["A"], -1, -2)
        lever = np.cross(com[..., None, :], np.swapaxes(A[..., 3:, :], -1, -2))
        angular = A[..., :3, :] - np.swapaxes(lever, -1, -2)
        return np.concatenate([angular, A[..., 3:, :]], axis=-2), mass, com

    def regressor(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Y (nv, 10 * bodies): tau = Y @ parameters of the tree, without friction and rotors.

        Per body, in its own frame: mass, m c (x, y, z), tensor about its origin (xx, yy, zz, xy,
        xz, yz).  Y is also d tau / d parameters, and -M^-1 Y is d a / d parameters."""
        return regressor(self.evaluator, q, v, a)

    @property
    def parameters(self) -> Array:
        """Inertial parameters (10 * bodies) of the model, in the order of the regressor."""
        return parameter_values(self.model)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return parameter_names(self.model)

    @property
    def offset_names(self) -> tuple[str, ...]:
        """Entries of `offsets=` and columns of `offset_jacobian`: body.rx .. body.dz of its joint
        frame: a turn vector (rad) about and a shift (m) along its own axes."""
        return offset_names(self.model)

    def base_parameters(self, states: int = 200, seed: int = 0) -> BaseParameters:
        """The combinations of parameters that joint forces can identify, from random states."""
        rng = np.random.default_rng(seed)
        tangent = rng.uniform(-1.5, 1.5, (states, self.model.nv))
        q = self.integrate(np.array(self.model.neutral()), tangent)
        v, a = rng.normal(size=(2, states, self.model.nv)) * 2.0
        return base_parameters(self.model, np.concatenate(list(self.regressor(q, v, a))))

    def body_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> BodyForces:
        """Every intermediate quantity of inverse dynamics: velocity, acceleration, net force and
        transmitted force of every body, in its own frame  [VanDerMerwe1995, 4.50-4.61]."""
        inputs = {"q": q, "v": v, "a": a}
        algorithm = inverse_dynamics.body_forces
        result = self.evaluator.run(algorithm, inputs, external, passive=passive, fuse=False)
        return BodyForces(self.model, result)

    @cached_property
    def reactions(self) -> Callable[..., Any]:
        """The wrench in every joint, by the parent on the body, in the body's frame."""
        return CompiledFunction(self.evaluator, "reactions").callable()

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> Solution:
        """Everything at once: accelerations, all reactions, energies and the power balance."""
        q, v, tau = self.evaluator.complete({"q": q, "v": v, "tau": tau}).values()
        a = self.forward_dynamics(q, v, tau, external, passive)
        forces = self.body_forces(q, v, a, external, passive)
        kinetic, potential = self.energy(q, v)
        return Solution(self.model, np.asarray(tau, float), np.asarray(v, float), a, forces,
                        kinetic, potential)  # fmt: skip

    def check(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Check:
        """The same answer by independent formulations, and how well they agree (one state).

        Differences are relative to the terms that the answers are sums of, and those count as no
        less than 1e-4 of the forces that meet in the joints."""
        if self.model.load_dependent_joints:
            return self._check_load_friction(q, v, tau)
        a = self.forward_dynamics(q, v, tau)
        M, h = self.mass_matrix(q), self.bias_forces(q, v)
        C, g = self.coriolis_matrix(q, v), self.gravity_forces(q)
        smooth = self.bias_forces(q, v, passive=False)
        plain = self.evaluator.interpret(
            forward_dynamics.forward_dynamics,
            {name: np.asarray(x, float).tolist() for name, x in (("q", q), ("v", v), ("tau", tau))},
        )
        force = np.asarray(tau, float)
        pushed, resisted = np.linalg.solve(M, force), np.linalg.solve(M, h)
        pairs = {
            "accelerations: articulated bodies, and M a = tau - h solved densely": (
                a, pushed - resisted),
            "accelerations: compiled, and interpreted step by step": (
                a, np.asarray(plain.result("a"), float)),
            "joint forces: given, and Newton-Euler of the accelerations": (
                force, self.inverse_dynamics(q, v, a)),
            "velocity and gravity forces: Newton-Euler, and Coriolis matrix": (
                smooth, C @ np.asarray(v, float) + g),
        }  # fmt: skip
        least = SHARE * forces_in_play(self.body_forces(q, v, a), self.poses(q)[1])
        motion = np.abs(np.linalg.inv(M)) @ least
        terms = ((pushed, resisted, motion), (pushed, resisted, motion),
                 (force, h, M @ pushed, least), (smooth, h, g, least))  # fmt: skip
        scales = {
            name: max(float(np.abs(term).max(initial=0.0)) for term in group)
            for name, group in zip(pairs, terms, strict=True)
        }
        return Check(pairs, scales)

    def _check_load_friction(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Check:
        """The checks of the mechanism without such friction, driven by what is left of tau."""
        a = self.forward_dynamics(q, v, tau)
        left = np.asarray(tau, float) - self.load_friction.friction(q, v, a)[0]
        found = Dynamics(self.load_friction.plain).check(q, v, left)
        name = "joint forces: given, and Newton-Euler with load-dependent friction"
        found.pairs[name] = (np.asarray(tau, float), self.inverse_dynamics(q, v, a))
        found.scales[name] = max(found.scales.values(), default=0.0)
        return found


def _ranks(J: Array) -> Array:
    """Rank of each matrix; 0 where it is not finite."""
    finite = np.isfinite(J).all(axis=(-2, -1), keepdims=True)
    values = np.linalg.svd(np.where(finite, J, 0.0), compute_uv=False)
    largest = values.max(axis=-1, initial=0.0, keepdims=True)
    return np.asarray(np.sum(values > 1e-9 * largest, axis=-1))
