"""The rows of the table of functions as attributes, with their types and words.

Written by `python -m armillary.mechanism.write_face` from evaluate/functions.py: change rows there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from numpy.typing import ArrayLike

from armillary.evaluate.answers import answers
from armillary.evaluate.compiled_function import Answers, rows
from armillary.evaluate.evaluator import Evaluator, External

if TYPE_CHECKING:
    from armillary.evaluate.derivatives import ForwardDerivatives, InverseDerivatives
    from armillary.evaluate.inputs import Array
    from armillary.evaluate.named_states import State
    from armillary.evaluate.program import Explanation
    from armillary.evaluate.results import (
        BodyForces,
        ElementForces,
        OperationalInertia,
        Reactions,
    )
    from armillary.evaluate.tyre_forces import TyreForces


class InverseDynamics(Protocol):
    """Joint forces of the actuators for a motion: tau = M(q) a + h(q, v).

    external: wrenches {frame or body name: (n; f)} exerted *on* the mechanism, in that
    frame at its origin. passive: friction, springs and rotors of the model take part.
    parameters: other numbers than the model's, 10 inertias per body and after them those
    of force elements, as `mechanism.parameters`, or one row of them per state. offsets:
    turns and shifts of the joint frames off their places in the model, (6 bodies,) or one
    row per state, as `mechanism.offset_names`. certified: answer only if every
    formulation that knows the mechanism agrees; see docs/formulations.md."""

    def __call__(
        self,
        q: State,
        v: State,
        a: State,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        actuators: Sequence[str] | str | None = None,
        certified: bool = False,
    ) -> Array: ...

    def derivatives(
        self,
        q: State,
        v: State,
        a: State,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> InverseDerivatives:
        """Derivatives of inverse dynamics; q moves on its tangent space."""

    def jvp(
        self,
        q: State,
        v: State,
        a: State,
        dq: State | None = None,
        dv: State | None = None,
        da: State | None = None,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> Array:
        """Change of the result (nv) for small changes of q (tangent) and of the other
        inputs, without any matrix; changes that are not given are zero."""

    def vjp(
        self,
        q: State,
        v: State,
        a: State,
        weight: State,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> tuple[Array, Array, Array]:
        """Gradient of weight · result with respect to q (tangent) and the other inputs,
        without any matrix."""

    def parameter_jacobian(self, q: State, v: State, a: State) -> Array:
        """d result / d inertias (nv, 10 bodies), and after them d result / d numbers of
        force elements; names: `mechanism.parameter_names`."""

    def offset_jacobian(self, q: State, v: State, a: State) -> Array:
        """d result / d offsets (nv, 6 bodies), or (B, nv, 6 bodies): small turns and shifts
        of every joint frame about its own axes; names: `mechanism.offset_names`."""

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""


class ForwardDynamics(Protocol):
    """Accelerations under the joint forces of the actuators: a = M(q)^-1 (tau - h(q,
    v)).

    By articulated bodies in O(n). Options are those of `inverse_dynamics`."""

    def __call__(
        self,
        q: State,
        v: State,
        tau: State,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        prescribed: Mapping[str, ArrayLike] | None = None,
        baumgarte: tuple[float, float] | None = None,
        certified: bool = False,
    ) -> Array: ...

    def derivatives(
        self,
        q: State,
        v: State,
        tau: State,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> ForwardDerivatives:
        """Derivatives of forward dynamics; q moves on its tangent space."""

    def jvp(
        self,
        q: State,
        v: State,
        tau: State,
        dq: State | None = None,
        dv: State | None = None,
        dtau: State | None = None,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> Array:
        """Change of the result (nv) for small changes of q (tangent) and of the other
        inputs, without any matrix; changes that are not given are zero."""

    def vjp(
        self,
        q: State,
        v: State,
        tau: State,
        weight: State,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> tuple[Array, Array, Array]:
        """Gradient of weight · result with respect to q (tangent) and the other inputs,
        without any matrix."""

    def parameter_jacobian(self, q: State, v: State, tau: State) -> Array:
        """d result / d inertias (nv, 10 bodies), and after them d result / d numbers of
        force elements; names: `mechanism.parameter_names`."""

    def offset_jacobian(self, q: State, v: State, tau: State) -> Array:
        """d result / d offsets (nv, 6 bodies), or (B, nv, 6 bodies): small turns and shifts
        of every joint frame about its own axes; names: `mechanism.offset_names`."""

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""


class TableFace:
    """Questions by the names of their rows, for a single state (n,) or a batch (B, n)."""

    def __init__(self, evaluator: Evaluator, obeying: Answers | None = None):
        """obeying: answers that obey constraints; the others treat the tree."""
        self.evaluator, self.model, self.options = evaluator, evaluator.model, evaluator.options
        self.answers = {**answers(self.model), **(obeying or {})}

    if TYPE_CHECKING:
        inverse_dynamics: InverseDynamics
        """Joint forces of the actuators for a motion: tau = M(q) a + h(q, v).

        external: wrenches {frame or body name: (n; f)} exerted *on* the mechanism, in that
        frame at its origin. passive: friction, springs and rotors of the model take part.
        parameters: other numbers than the model's, 10 inertias per body and after them those
        of force elements, as `mechanism.parameters`, or one row of them per state. offsets:
        turns and shifts of the joint frames off their places in the model, (6 bodies,) or one
        row per state, as `mechanism.offset_names`. certified: answer only if every
        formulation that knows the mechanism agrees; see docs/formulations.md."""

        forward_dynamics: ForwardDynamics
        """Accelerations under the joint forces of the actuators: a = M(q)^-1 (tau - h(q,
        v)).

        By articulated bodies in O(n). Options are those of `inverse_dynamics`."""

        def bias_forces(
            self,
            q: State,
            v: State,
            external: External = None,
            passive: bool = True,
            out: Array | None = None,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
            certified: bool = False,
        ) -> Array:
            """Joint forces at zero acceleration, h(q, v): gravity, velocity and passive forces.

            That of the tree, also of a closed mechanism."""

        def gravity_forces(
            self,
            q: State,
            out: Array | None = None,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
            certified: bool = False,
        ) -> Array:
            """Joint forces that hold the mechanism at rest against gravity alone.

            Those of the tree; `holding_forces` holds a closed mechanism."""

        def static_torques(
            self,
            q: State,
            external: External = None,
            out: Array | None = None,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
            certified: bool = False,
        ) -> Array:
            """Joint forces that hold the mechanism at rest against gravity and springs.

            Those of the tree; `holding_forces` holds a closed mechanism."""

        def mass_matrix(
            self,
            q: State,
            passive: bool = True,
            out: Array | None = None,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
            certified: bool = False,
        ) -> Array:
            """Joint-space inertia M(q), symmetric and positive definite.

            Rotors are included unless passive=False. That of the tree, also of a closed
            mechanism."""

        def coriolis_matrix(
            self,
            q: State,
            v: State,
            out: Array | None = None,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
        ) -> Array:
            """Coriolis matrix C(q, v): C v are the velocity forces, and dM/dt - 2 C is skew.

            That of the tree, also of a closed mechanism."""

        def energy(
            self,
            q: State,
            v: State,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
        ) -> tuple[Array, Array]:
            """Kinetic and potential energy; height counts from the world's origin, springs
            count.

            Springs in joints that close loops count, too. A warning names the laws that store
            energy and do not say how much (`energy_lacks`)."""

        def momentum(
            self,
            q: State,
            v: State,
            out: Array | None = None,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
        ) -> Array:
            """Momentum of the whole mechanism along the world's axes."""

        def center_of_mass(
            self,
            q: State,
            out: Array | None = None,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
        ) -> Array:
            """Centre of mass in the world."""

        def momentum_matrix(
            self, q: State, *, parameters: ArrayLike | None = None, offsets: ArrayLike | None = None
        ) -> Array:
            """Centroidal map A: momentum = A v, the motion of the base aside.

            Of the tree: v of a closed mechanism must be one that its constraints allow."""

        def center_of_mass_jacobian(
            self, q: State, *, parameters: ArrayLike | None = None, offsets: ArrayLike | None = None
        ) -> Array:
            """Jacobian of the centre of mass.

            Of the tree: v of a closed mechanism must be one that its constraints allow."""

        def pose(
            self, q: State, frame: str, *, offsets: ArrayLike | None = None
        ) -> tuple[Array, Array]:
            """Pose of a frame in the world."""

        def poses(self, q: State, *, offsets: ArrayLike | None = None) -> tuple[Array, Array]:
            """Poses of all bodies in the world."""

        def velocity(
            self,
            q: State,
            v: State,
            frame: str,
            coordinates: str = "local",
            *,
            offsets: ArrayLike | None = None,
        ) -> Array:
            """Velocity of a frame.

            coordinates: "local" (the frame's own), "world_aligned" (at the frame's origin, along
            the world's axes) or "world" (of the point at the world's origin)."""

        def acceleration(
            self,
            q: State,
            v: State,
            a: State,
            frame: str,
            coordinates: str = "local",
            kind: str = "classical",
            *,
            offsets: ArrayLike | None = None,
        ) -> Array:
            """Acceleration of a frame, of its origin as a point, without gravity.

            coordinates: "local" (the frame's own), "world_aligned" (at the frame's origin, along
            the world's axes) or "world" (of the point at the world's origin). kind: "classical"
            is what the origin does as a point; "spatial" is classical - (0; ω × v), the
            derivative of the velocity's components in local or world coordinates."""

        def jacobian(
            self,
            q: State,
            frame: str,
            coordinates: str = "local",
            *,
            offsets: ArrayLike | None = None,
        ) -> Array:
            """Jacobian of a frame: its velocity is J v.

            coordinates: "local" (the frame's own), "world_aligned" (at the frame's origin, along
            the world's axes) or "world" (of the point at the world's origin). Of the tree: v of a
            closed mechanism must be one that its constraints allow."""

        def jacobian_dot(
            self,
            q: State,
            v: State,
            frame: str,
            coordinates: str = "local",
            *,
            offsets: ArrayLike | None = None,
        ) -> Array:
            """Rate of the Jacobian of a frame along the motion v.

            coordinates: "local" (the frame's own), "world_aligned" (at the frame's origin, along
            the world's axes) or "world" (of the point at the world's origin). The derivative of
            every component of `jacobian`."""

        def operational_inertia(
            self,
            q: State,
            frame: str,
            coordinates: str = "local",
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
        ) -> OperationalInertia:
            """Inverse operational-space inertia J M^-1 J^T of a frame.

            W, rank = operational_inertia(q, frame): it has an inverse only where the rank is 6
            [VanDerMerwe1995, 5.57, 5.58]. That of the tree, also of a closed mechanism."""

        def reactions(
            self,
            q: State,
            v: State,
            a: State,
            external: External = None,
            passive: bool = True,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
            coordinates: str = "local",
            about: str | ArrayLike | None = None,
        ) -> Reactions:
            """The wrench in every joint, by the parent on the body, in the body's frame at its
            origin.

            Split into the part along the joint's axes and the constraint part. Of the tree: those
            of a closed mechanism are in `solve(q, v, tau).reactions`. coordinates: of the
            wrenches, "local" (own axes and origin), "world_aligned" (own origin, the world's
            axes) or "world" (the world's axes and origin). about: a frame by name, or a point of
            the world (3), m, that moments count about instead."""

        def element_forces(
            self,
            q: State,
            v: State,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
            coordinates: str = "local",
            about: str | ArrayLike | None = None,
        ) -> ElementForces:
            """What every force element exerts: the wrench on its second (or last) end, in that
            frame.

            Of springs and cables the coordinate is the length, and tension is positive. Options
            are those of `reactions`."""

        def tyre_forces(
            self,
            q: State,
            v: State,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
        ) -> TyreForces:
            """Slips, deflection, forces and moments of every tyre, in its axes at the point of
            contact.

            Axes of ISO 8855; forces of a slip that lasts, whatever the relaxation: runs record
            those with it as `tyres`."""

        def body_forces(
            self,
            q: State,
            v: State,
            a: State,
            external: External = None,
            passive: bool = True,
            *,
            parameters: ArrayLike | None = None,
            offsets: ArrayLike | None = None,
        ) -> BodyForces:
            """Every intermediate quantity of inverse dynamics, of every body in its body frame.

            The recursion as textbooks write it [VanDerMerwe1995, 4.50-4.61]. That of the tree,
            also of a closed mechanism."""

        def regressor(
            self, q: State, v: State, a: State, *, offsets: ArrayLike | None = None
        ) -> Array:
            """Torque regressor: tau = Y parameters, without friction and rotors.

            Y is also d tau / d parameters, and -M^-1 Y is d a / d parameters. That of the tree,
            also of a closed mechanism."""

    else:
        vars().update(rows())
