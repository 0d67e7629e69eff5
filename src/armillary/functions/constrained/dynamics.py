"""Questions about mechanisms with constraints: motion, all forces, rank, closing, actuation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.functions.calls import ForwardDynamics
from armillary.functions.constrained.forward import ConstrainedForwardDynamics
from armillary.functions.constrained.moving import Drives, RowMotion
from armillary.functions.core import External
from armillary.functions.dynamics import Dynamics
from armillary.functions.inputs import Array
from armillary.functions.results import Check, Solution

if TYPE_CHECKING:
    from armillary.functions.constrained.actuation import Actuation
    from armillary.functions.constrained.closing import Assembly, Closer
    from armillary.functions.constrained.engine import Engine
    from armillary.functions.constrained.mobility import Mobility
    from armillary.functions.constrained.projection import Projector


class Constrained(Dynamics):
    """Loops, couplings, wheels, rods, surfaces, contacts and drives are part of every answer.

    `forward_dynamics` and `solve` obey them.  `inverse_dynamics`, `mass_matrix` and the other
    questions about the tree treat its joints alone; `actuator_forces` is the inverse dynamics of
    the closed mechanism."""

    @property
    def constraints(self) -> tuple[str, ...]:
        """Names of everything that ties the mechanism beyond its tree."""
        return tuple(part.name for part in self.model.constraints)

    @property
    def constraint_rows(self) -> tuple[str, ...]:
        """One name per constraint row: constraint.row."""
        return self._engine.ties.labels if self.model.constraints else ()

    @cached_property
    def _engine(self) -> Engine:
        from armillary.functions.constrained.engine import Engine

        return Engine(self, self.options.geometry_tolerance)

    @property
    def geometry_tolerance(self) -> float:
        """How exactly the geometry of the constraints is known, as a part of the machine's size:
        as given, or by the digits of the file."""
        return self._engine.geometry_tolerance if self.model.constraints else 0.0

    def _with_tolerance(self, geometry_tolerance: float | None) -> Self:
        """The same mechanism with another geometry tolerance; None: this one."""
        if geometry_tolerance in (None, self.options.geometry_tolerance):
            return self
        if geometry_tolerance not in self._tolerated:
            options = replace(self.options, geometry_tolerance=geometry_tolerance)
            self._tolerated[geometry_tolerance] = type(self)(self.model, options)
        return self._tolerated[geometry_tolerance]

    @cached_property
    def _tolerated(self) -> dict[float | None, Self]:
        """The same mechanism with other geometry tolerances, made once."""
        return {}

    @cached_property
    def _closer(self) -> Closer:
        from armillary.functions.constrained.closing import Closer

        return Closer(self._engine)

    @cached_property
    def _driven(self) -> dict[Any, Any]:
        """The same mechanism with the drives of runs, by these: made once."""
        return {}

    @cached_property
    def _projector(self) -> Projector:
        from armillary.functions.constrained.projection import Projector

        return Projector(self._engine, self._closer)

    @cached_property
    def forward_dynamics(self) -> ForwardDynamics | ConstrainedForwardDynamics:  # type: ignore[override]
        """Accelerations for given joint forces; constraints are kept."""
        if self.model.constraints:
            return ConstrainedForwardDynamics.bind(self)
        return self._forward_of_tree()

    @cached_property
    def _load_friction(self) -> Any:
        if not self.model.constraints:
            return super()._load_friction
        from armillary.functions.constrained.loaded import ConstrainedLoadFriction

        return ConstrainedLoadFriction(self)

    # -- rows ------------------------------------------------------------------------------------

    def constraint_jacobian(self, q: ArrayLike) -> Array:
        """J (rows, nv): velocity along each forbidden motion; see `constraint_rows`."""
        arrays, single = self._engine.check_states(q=q)
        J = self._engine.terms(arrays["q"]).J
        return J[0] if single else J

    def constraint_residual(self, q: ArrayLike, drives: RowMotion | None = None) -> Array:
        """(rows,) how far each row is open, rad or m; 0 for rolling rows."""
        arrays, single = self._engine.check_states(q=q)
        residual = self._engine.terms(arrays["q"], moving=drives).residual
        return residual[0] if single else residual

    def constraint_rate(self, q: ArrayLike, v: ArrayLike, drives: RowMotion | None = None) -> Array:
        """(rows,) velocity along each forbidden motion, rad/s or m/s: 0 if v is consistent."""
        arrays, single = self._engine.check_states(q=q, v=v)
        rate = self._engine.terms(arrays["q"], arrays["v"], drives).rate
        return rate[0] if single else rate

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Kinetic and potential energy in J; springs count, those in joints that close loops too;
        height counts from the origin."""
        kinetic, potential = super().energy(q, v)
        if any(loop.joint.passive for loop in self.model.loops):
            arrays, single = self._engine.check_states(q=q)
            stored = self._engine.spring_energy(arrays["q"])
            potential = potential + (stored[0] if single else stored)
        return kinetic, potential

    # -- everything at once ----------------------------------------------------------------------

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
        drives: Drives = None,
        compliance: Mapping[str, Any] | None = None,
        baumgarte: tuple[float, float] | None = None,
    ) -> Solution:
        """Everything: accelerations, the force in every joint and constraint, power balance,
        residuals, and which forces are determinate.

        drives: prescribed accelerations by constraint name, instead of the model's: of a drive,
        of the road under a wheel, along the rows of a contact.  compliance: weights by joint name
        for forces that the motion does not determine.  baumgarte: rates (alpha, beta), 1/s, that
        pull back rows which drifted open."""
        if not self.model.constraints:
            return super().solve(q, v, tau, external, passive)
        from armillary.functions.constrained.solution import solution

        arrays, single = self._engine.check_states(q=q, v=v, tau=tau)
        if passive and self.model.loaded_joints:
            return self._load_friction.solution(
                arrays, external, drives, baumgarte, compliance, single
            )
        q, v, tau = arrays["q"], arrays["v"], arrays["tau"]
        system = self._engine.system(q, v, tau, external, passive, drives, baumgarte)
        return solution(self._engine, system, tau, external, passive, compliance, single)

    def check(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Check:
        """The same answer by independent formulations, and how well they agree (single state)."""
        if not self.model.constraints:
            return super().check(q, v, tau)
        from armillary.functions.constrained.checking import check

        arrays, _ = self._engine.check_states(q=q, v=v, tau=tau)
        return check(self._engine, arrays["q"][0], arrays["v"][0], arrays["tau"][0])

    # -- analysis --------------------------------------------------------------------------------

    def mobility(self, q: ArrayLike | None = None, seed: int = 0) -> Mobility:
        """Rank, redundant rows, and mobility at this instant and on the way (default q: initial).

        The mechanism should be closed at q; the answer says if it is not."""
        from armillary.functions.constrained.mobility import mobility

        arrays, _ = self._engine.check_states(q=self.initial if q is None else q)
        return mobility(self._engine, self._closer, arrays["q"][0], seed=seed)

    def conditions(self, q: ArrayLike, drives: RowMotion | None = None) -> Array:
        """Condition number of the scaled J at every state, over the rank: (B,) or a number."""
        from armillary.functions.constrained.conditioning import condition

        arrays, single = self._engine.check_states(q=q)
        terms = self._engine.terms(arrays["q"], moving=drives)
        values = [condition(self._engine.factor(terms, k)) for k in range(len(arrays["q"]))]
        return np.asarray(values[0] if single else values)

    # -- closing ---------------------------------------------------------------------------------

    def assemble(
        self,
        guess: ArrayLike | None = None,
        hold: Sequence[str] = (),
        restarts: int = 20,
        seed: int = 0,
        geometry_tolerance: float | None = None,
    ) -> Assembly:
        """A closed configuration near the guess (default: initial).

        hold: joints that must stay where the guess has them.  The answer tells what could not be
        closed, and by how much.  geometry_tolerance: open by this part of the machine's size is
        closed (default: the accuracy of the mechanism)."""
        arrays, _ = self._engine.check_states(q=self.initial if guess is None else guess)
        closer = self._with_tolerance(geometry_tolerance)._closer
        return closer.assemble(arrays["q"][0], hold, restarts, seed)

    def project(
        self, q: ArrayLike, v: ArrayLike | None = None, drives: RowMotion | None = None,
        geometry_tolerance: float | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """The nearest closed position and then the nearest consistent velocity, both by kinetic
        energy.  Rolling rows enter the velocity only.  drives: motion of rows at this instant.
        geometry_tolerance: how far rows may stay open that contradict each other, as a part of the
        machine's size (default: the accuracy of the mechanism)."""
        arrays, single = self._engine.check_states(
            q=q, v=np.zeros(self.model.nv) if v is None else v
        )
        projector = self._with_tolerance(geometry_tolerance)._projector
        positions, velocities = projector.project(arrays["q"], arrays["v"], drives)
        return (positions[0], velocities[0]) if single else (positions, velocities)

    # -- actuation -------------------------------------------------------------------------------

    def actuator_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        actuators: Sequence[str] | None = None,
        external: External = None,
        passive: bool = True,
        weights: Mapping[str, float] | None = None,
        limits: bool = False,
    ) -> Actuation:
        """Inverse dynamics of the closed mechanism: forces of the chosen actuators for a motion.

        With more actuators than freedoms the smallest forces (Σ weight force²); with fewer the
        nearest, and what is missing.  limits: keep to the effort limits of the model.  One state;
        `driving_forces` takes many."""
        from armillary.functions.constrained.actuation import actuation

        arrays, single = self._engine.check_states(q=q, v=v, a=a)
        if not single:
            raise InputError(
                f"actuator_forces: expected one state, found {len(arrays['q'])}. Use "
                "driving_forces(q, v, a, actuators) for the forces of many states."
            )
        zero = np.zeros_like(arrays["v"])
        system = self._engine.system(arrays["q"], arrays["v"], zero, external, passive)
        return actuation(self._engine, system, arrays["a"][0], actuators, weights, limits)

    def driving_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        actuators: Sequence[str] | None = None,
        passive: bool = True,
    ) -> Array:
        """tau (nv) of the chosen actuators for a motion, or (B, nv) for B of them: the forces of
        `actuator_forces`, compiled.  A row with a number that is not finite gives NaN."""
        if passive:
            self._refuse_loads("constraints and actuator forces")
        arrays, single = self._engine.check_states(q=q, v=v, a=a)
        tau = self._engine.driving(actuators)(arrays["q"], arrays["v"], arrays["a"], passive)
        return tau[0] if single else tau

    def equilibrium_forces(
        self,
        q: ArrayLike,
        actuators: Sequence[str] | None = None,
        external: External = None,
        weights: Mapping[str, float] | None = None,
        limits: bool = False,
    ) -> Actuation:
        """Forces of the chosen actuators that hold the closed mechanism at rest."""
        rest = np.zeros(self.model.nv)
        return self.actuator_forces(q, rest, rest, actuators, external, True, weights, limits)
