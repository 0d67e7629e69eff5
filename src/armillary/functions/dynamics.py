"""Questions about forces: inverse and forward dynamics, inertias, energies, reactions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms import (
    coriolis,
    energy,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix,
    operational,
)
from armillary.algorithms import kinematics as k
from armillary.errors import ModelError
from armillary.functions.core import External
from armillary.functions.inputs import Array, choice
from armillary.functions.kinematics import Kinematics
from armillary.functions.results import BodyForces, Check, Reactions, Solution


class Dynamics(Kinematics):
    """tau, v and a run along the degrees of freedom: N m or N, rad/s or m/s, rad/s² or m/s²."""

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> Array:
        """Joint forces tau (nv) for the motion (q, v, a):  tau = M a + h.

        external: wrenches {frame or body name: (n; f)} exerted *on* the mechanism, in that frame
        at its origin.  passive: friction, springs and rotors of the model take part."""
        inputs = {"q": q, "v": v, "a": a}
        algorithm = inverse_dynamics.inverse_dynamics
        return self._run(algorithm, inputs, external, passive=passive)["tau"]

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> Array:
        """Accelerations a (nv) for the joint forces tau, by articulated bodies in O(n)."""
        self._refuse_massless()
        inputs = {"q": q, "v": v, "tau": tau}
        algorithm = forward_dynamics.forward_dynamics
        return self._run(algorithm, inputs, external, passive=passive)["a"]

    def bias_forces(
        self, q: ArrayLike, v: ArrayLike, external: External = None, passive: bool = True
    ) -> Array:
        """h (nv) = inverse dynamics with a = 0: gravity, velocity and passive forces."""
        algorithm = inverse_dynamics.bias_forces
        return self._run(algorithm, {"q": q, "v": v}, external, passive=passive)["tau"]

    def gravity_forces(self, q: ArrayLike) -> Array:
        """g (nv): joint forces that hold the mechanism at rest against gravity alone."""
        return self._run(inverse_dynamics.static_forces, {"q": q}, passive=False)["tau"]

    def static_torques(self, q: ArrayLike, external: External = None) -> Array:
        """Joint forces (nv) that hold it at rest against gravity, springs and external wrenches."""
        return self._run(inverse_dynamics.static_forces, {"q": q}, external)["tau"]

    def mass_matrix(self, q: ArrayLike, passive: bool = True) -> Array:
        """M (nv, nv), symmetric positive definite; rotors included unless passive=False."""
        return self._run(mass_matrix.mass_matrix, {"q": q}, passive=passive)["M"]

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike) -> Array:
        """C (nv, nv): C v are the velocity forces, and dM/dt - 2 C is skew-symmetric."""
        return self._run(coriolis.coriolis_matrix, {"q": q, "v": v})["C"]

    def operational_inertia(
        self, q: ArrayLike, frame: str, coordinates: str = "local"
    ) -> tuple[Array, Array]:
        """Inverse operational-space inertia J M^-1 J^T (6, 6) of a frame, and its rank.

        It has an inverse only where the rank is 6  [VanDerMerwe1995, 5.57, 5.58]."""
        choice("coordinates", coordinates, k.COORDINATES)
        self._refuse_massless()
        if self.place(frame).kernel < 0:
            J = self.jacobian(q, frame)
            return np.zeros((*J.shape[:-1], 6)), np.zeros(J.shape[:-2], dtype=int)
        algorithm = operational.operational_inertia(coordinates)
        W = _symmetric(self._run(algorithm, {"q": q}, frame=frame)["W"])
        J = self.jacobian(q, frame, coordinates)
        return W, np.linalg.matrix_rank(J, tol=1e-9 * np.abs(J).max(initial=1e-300))

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Kinetic and potential energy in J; springs count, height counts from the origin."""
        result = self._run(energy.energy, {"q": q, "v": v})
        return result["kinetic"][..., 0], result["potential"][..., 0]

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Momentum (6,): angular about the centre of mass, linear; along the world's axes."""
        return self._run(energy.momentum, {"q": q, "v": v})["momentum"]

    def momentum_matrix(self, q: ArrayLike) -> Array:
        """A (6, nv) with momentum = A v (fixed base motion aside): the centroidal map."""
        return self._momentum_map(q)[0]

    def center_of_mass(self, q: ArrayLike) -> Array:
        """Centre of mass (3,) in the world, m."""
        return self._run(energy.center_of_mass, {"q": q})["com"]

    def center_of_mass_jacobian(self, q: ArrayLike) -> Array:
        """Jacobian (3, nv) of the centre of mass."""
        A, mass, _ = self._momentum_map(q)
        return A[..., 3:, :] / mass

    def _momentum_map(self, q: ArrayLike) -> tuple[Array, float, Array]:
        result = self._run(energy.momentum_map, {"q": q}, passive=False)
        total = result["total"]
        mass = float(total.flat[0])
        com = total[..., 1:4] / mass
        A = np.swapaxes(result["A"], -1, -2)
        lever = np.cross(com[..., None, :], np.swapaxes(A[..., 3:, :], -1, -2))
        angular = A[..., :3, :] - np.swapaxes(lever, -1, -2)
        return np.concatenate([angular, A[..., 3:, :]], axis=-2), mass, com

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
        result = self._run(algorithm, inputs, external, passive=passive, fuse=False)
        return BodyForces(self.model, result)

    def reactions(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> Reactions:
        """The wrench in every joint, exerted by the parent on the body, in the body's frame at its
        origin; split into the part along the joint's axes and the constraint part."""
        return self.body_forces(q, v, a, external, passive).reactions()

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> Solution:
        """Everything at once: accelerations, all reactions, energies and the power balance."""
        a = self.forward_dynamics(q, v, tau, external, passive)
        forces = self.body_forces(q, v, a, external, passive)
        kinetic, potential = self.energy(q, v)
        return Solution(self.model, np.asarray(tau, float), np.asarray(v, float), a, forces,
                        kinetic, potential)  # fmt: skip

    def check(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Check:
        """The same answer by independent formulations, and how well they agree (single state)."""
        a = self.forward_dynamics(q, v, tau)
        M, h = self.mass_matrix(q), self.bias_forces(q, v)
        C, g = self.coriolis_matrix(q, v), self.gravity_forces(q)
        smooth = self.bias_forces(q, v, passive=False)
        plain = self.interpret(
            forward_dynamics.forward_dynamics,
            {name: np.asarray(x, float).tolist() for name, x in (("q", q), ("v", v), ("tau", tau))},
        )
        return Check(
            {
                "accelerations: articulated bodies, and M a = tau - h solved densely":
                    (a, np.asarray(np.linalg.solve(M, np.asarray(tau, float) - h), float)),
                "accelerations: compiled, and interpreted step by step":
                    (a, np.asarray(plain.result("a"), float)),
                "joint forces: given, and Newton-Euler of the accelerations":
                    (np.asarray(tau, float), self.inverse_dynamics(q, v, a)),
                "velocity and gravity forces: Newton-Euler, and Coriolis matrix":
                    (smooth, C @ np.asarray(v, float) + g),
            }
        )  # fmt: skip

    def _refuse_massless(self) -> None:
        """Forward dynamics needs inertia behind every joint."""
        for note in self.model.report.of("warning"):
            if "forward dynamics is undefined" in note.text:
                raise ModelError(
                    f"{note.part}: {note.text}. Give it a mass "
                    f"(replace(bodies={{name: {{'mass': ...}}}})), or lock its joint."
                )


def _symmetric(numbers: Array) -> Array:
    """The 21 numbers of a symmetric 6x6 in blocks, as a matrix."""
    W = np.empty((*numbers.shape[:-1], 6, 6))
    for block, start in ((0, 0), (3, 15)):
        for n, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
            W[..., block + i, block + j] = W[..., block + j, block + i] = numbers[..., start + n]
    cross = numbers[..., 6:15].reshape(*numbers.shape[:-1], 3, 3)
    W[..., :3, 3:] = cross
    W[..., 3:, :3] = np.swapaxes(cross, -1, -2)
    return W
