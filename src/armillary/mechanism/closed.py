"""Questions about mechanisms with constraints: motion, all forces, rank, closing, actuation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.actuation import driving_forces
from armillary.constraints.constraint_solver import ConstraintSolver, solver_of
from armillary.constraints.counts import Counts, counts
from armillary.constraints.equations import Equations
from armillary.constraints.forward import ConstrainedForwardDynamics
from armillary.constraints.holding import Held, named_values
from armillary.constraints.inverse import ConstrainedInverseDynamics
from armillary.constraints.moving import Prescribed, RowMotion
from armillary.constraints.named_states import completed, held_names
from armillary.constraints.named_states import placed as placed_by_name
from armillary.constraints.prescribed import with_prescribed
from armillary.constraints.states import (
    answerable,
    blanked,
    finite_rows,
    known_rows,
    one_state,
    placed,
    solvable,
    substituted,
)
from armillary.errors import ProjectionWarning
from armillary.evaluate.dynamics import Dynamics
from armillary.evaluate.evaluator import Evaluator, External
from armillary.evaluate.inputs import Array
from armillary.evaluate.inverse_kinematics import InverseKinematics
from armillary.evaluate.named_states import State
from armillary.evaluate.options import CompileOptions
from armillary.evaluate.questions import ForwardDynamics, InverseDynamics
from armillary.evaluate.results import Check, Solution
from armillary.model.model import Model

if TYPE_CHECKING:
    from armillary.constraints.actuation import Actuation
    from armillary.constraints.assembly import Assembly
    from armillary.constraints.mobility import Mobility
    from armillary.evaluate.load_friction import LoadFriction

_MANY = "Use driving_forces(q, v, a, actuators) for the forces of many states."


class Constrained(Dynamics):
    """Loops, couplings, wheels, rods, surfaces, contacts, prescribed motions: part of every answer.

    `forward_dynamics`, `inverse_dynamics` and `solve` obey them.  `mass_matrix`, `bias_forces`,
    `jacobian` and the other questions about joints treat the tree alone; `mechanism.tree` answers
    every question for it."""

    @property
    def constraints(self) -> tuple[str, ...]:
        """Names of everything that constrains the mechanism beyond its tree."""
        return tuple(part.name for part in self.model.constraints)

    @property
    def constraint_rows(self) -> tuple[str, ...]:
        """One name per constraint row: constraint.row."""
        return self._equations.constraints.labels if self.model.constraints else ()

    @cached_property
    def constraint_solver(self) -> ConstraintSolver:
        """What keeps it closed: equations, assembly, projection, compiled solutions."""
        return solver_of(self.evaluator)

    @property
    def _equations(self) -> Equations:
        return self.constraint_solver.equations

    @classmethod
    def with_model(cls, model: Model, options: CompileOptions) -> Self:
        """A mechanism of this kind."""
        return cls(Evaluator(model, options, completed))

    def variant(self, key: Hashable, model: Model) -> Self:
        """A mechanism of another model with the same settings, made once under the key."""
        make = lambda: self.with_model(model, self.options)  # noqa: E731
        return self.evaluator.memo.once(("variant", key), make)

    @property
    def geometry_tolerance(self) -> float:
        """How exactly the geometry of the constraints is known, as a part of the machine's size:
        as given, or by the digits of the file."""
        return self._equations.geometry_tolerance if self.model.constraints else 0.0

    def with_tolerance(self, geometry_tolerance: float | None) -> Self:
        """The same mechanism with another geometry tolerance; None: this one."""
        if geometry_tolerance in (None, self.options.geometry_tolerance):
            return self
        options = replace(self.options, geometry_tolerance=geometry_tolerance)
        key = ("geometry tolerance", geometry_tolerance)
        return self.evaluator.memo.once(key, lambda: self.with_model(self.model, options))

    @cached_property
    def counts(self) -> Counts:
        """Degrees of freedom where it starts, coordinates of the tree and constraint rows."""
        return counts(self.constraint_solver)

    @cached_property
    def forward_dynamics(self) -> ForwardDynamics | ConstrainedForwardDynamics:  # type: ignore[override]
        """Accelerations for given joint forces; constraints are kept."""
        if not self.model.constraints:
            return super().forward_dynamics
        return self.constraint_solver.forward_dynamics

    @cached_property
    def inverse_dynamics(self) -> InverseDynamics | ConstrainedInverseDynamics:  # type: ignore[override]
        """Forces for a motion: of all joints of a tree, of the actuators of a closed mechanism."""
        if not self.model.constraints:
            return super().inverse_dynamics
        return self.constraint_solver.inverse_dynamics

    @cached_property
    def inverse_kinematics(self) -> InverseKinematics:
        """q that brings a frame to a pose; constraints are kept."""
        closing = self.constraint_solver.closing if self.model.constraints else None
        return InverseKinematics(self.evaluator, closing)

    @property
    def load_friction(self) -> LoadFriction:
        """Friction of joints that depends on their loads."""
        if not self.model.constraints:
            return super().load_friction
        return self.constraint_solver.load_friction

    # -- rows ------------------------------------------------------------------------------------

    def constraint_jacobian(self, q: ArrayLike) -> Array:
        """J (rows, nv): velocity along each forbidden motion; see `constraint_rows`."""
        return self._rows("J", None, q=q)

    def constraint_residual(self, q: ArrayLike, prescribed: RowMotion | None = None) -> Array:
        """(rows,) how far each row is open, rad or m; 0 for rolling rows."""
        return self._rows("residual", prescribed, q=q)

    def constraint_rate(
        self, q: ArrayLike, v: ArrayLike, prescribed: RowMotion | None = None
    ) -> Array:
        """(rows,) velocity along each forbidden motion, rad/s or m/s: 0 if v is consistent."""
        return self._rows("rate", prescribed, q=q, v=v)

    def _rows(self, what: str, prescribed: RowMotion | None, **states: ArrayLike) -> Array:
        """A quantity of all rows by its name in `Terms`."""
        arrays, single = self._equations.check_states(**states)
        found: Array = getattr(
            self._equations.terms(arrays["q"], arrays.get("v"), prescribed), what
        )
        if single:
            self.evaluator.refuse_not_finite(arrays, found)
            return found[0]
        return blanked(found, ~finite_rows(*arrays.values()))

    @cached_property
    def energy(self) -> Callable[..., tuple[Array, Array]]:
        """Kinetic and potential energy in J; springs count, those in joints that close loops too;
        height counts from the origin."""
        springs = any(loop.joint.passive for loop in self.model.loops)
        return self.constraint_solver.equations.energy if springs else super().energy

    # -- everything at once ----------------------------------------------------------------------

    def solve(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
        prescribed: Prescribed = None,
        compliance: Mapping[str, Any] | None = None,
        baumgarte: tuple[float, float] | None = None,
    ) -> Solution:
        """Everything: accelerations, the force in every joint and constraint, power balance,
        residuals, and which forces are determinate.

        prescribed: accelerations by name, instead of the model's: of a prescribed motion, of the
        road under a wheel, along the rows of a contact, or of a joint, which is driven then.
        compliance: weights by joint name for forces that the motion does not determine.
        baumgarte: rates (alpha, beta), 1/s, that pull back rows which drifted open."""
        q, v, tau = self.evaluator.complete({"q": q, "v": v, "tau": tau}).values()
        model, prescribed = with_prescribed(self.model, prescribed)
        if model is not self.model:
            driven = self.variant(("prescribed", model.prescribed), model)
            return driven.solve(q, v, tau, external, passive, prescribed, compliance, baumgarte)
        if not self.model.constraints:
            return super().solve(q, v, tau, external, passive)
        from armillary.constraints.solution import solution, without_rows

        equations, by_load = self._equations, passive and self.model.load_dependent_joints
        arrays, single = equations.check_states(q=q, v=v, tau=tau)

        system, arrays, external, bad = solvable(
            equations, arrays, single, external, passive and not by_load, prescribed=prescribed,
            baumgarte=baumgarte,
        )  # fmt: skip
        if by_load:
            found = self.constraint_solver.load_friction.solution(
                arrays, external, prescribed, baumgarte, compliance, single
            )
        else:
            found = solution(
                equations, system, arrays["tau"], external, passive, compliance, single
            )
        if single:
            self.evaluator.refuse_not_finite(
                arrays, found.multipliers, *vars(found.balance).values()
            )
        return without_rows(found, bad) if bad.any() else found

    def check(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Check:
        """The same answer by independent formulations, and how well they agree (single state)."""
        state = one_state(self._equations, "check", q=q, v=v, tau=tau)
        if not self.model.constraints:
            return super().check(**state)
        from armillary.constraints.checking import check

        solution: Any = self.solve(state["q"], state["v"], state["tau"])
        return check(self.constraint_solver, solution, **state)

    # -- analysis --------------------------------------------------------------------------------

    def mobility(self, q: ArrayLike | None = None, seed: int = 0) -> Mobility:
        """Rank, redundant rows, and mobility at this instant and on the way (default q: initial).

        One q, where the mechanism is closed; an open one is refused, for ranks mean nothing
        there."""
        from armillary.constraints.mobility import mobility

        state = one_state(self._equations, "mobility", q=self.initial if q is None else q)
        self.constraint_solver.closer.refuse_endless(state["q"])
        return mobility(self._equations, self.constraint_solver.closer, state["q"], seed=seed)

    def conditions(self, q: ArrayLike, prescribed: RowMotion | None = None) -> Array:
        """Condition number of the scaled J at every state, over the rank: (B,) or a number."""
        from armillary.constraints.conditioning import condition

        arrays, single = self._equations.check_states(q=q)
        terms = self._equations.terms(arrays["q"], moving=prescribed)
        values = np.where(finite_rows(arrays["q"]) & known_rows(terms), 1.0, np.nan)
        for k in np.flatnonzero(np.isfinite(values)):
            values[k] = condition(self._equations.factor(terms, int(k)))
        if single:
            self.evaluator.refuse_not_finite(arrays, values)
        return np.asarray(values[0]) if single else values

    # -- closing ---------------------------------------------------------------------------------

    def assemble(
        self,
        guess: State | None = None,
        hold: Sequence[str] | None = None,
        restarts: int = 20,
        seed: int = 0,
        geometry_tolerance: float | None = None,
    ) -> Assembly:
        """A closed configuration near the guess (default: initial).

        hold: joints, entries of v or lengths of q ("rear-frame.px") that must stay where the guess
        has them; of a guess by name, {"crank": 0.3}, all that it names unless `hold` says.  The
        answer tells what could not be closed, and by how much.
        geometry_tolerance: open by this part of the machine's size is closed (default: the accuracy
        of the mechanism)."""
        if isinstance(guess, Mapping):
            hold = held_names(self.model, guess) if hold is None else hold
            guess = placed_by_name(self.model, guess, "guess")
        state = one_state(self._equations, "assemble", q=self.initial if guess is None else guess)
        closer = self.with_tolerance(geometry_tolerance).constraint_solver.closer
        closer.refuse_endless(state["q"])
        return closer.assemble(state["q"], hold or (), restarts, seed)

    def project(
        self, q: ArrayLike, v: ArrayLike | Mapping[str, ArrayLike] | None = None,
        prescribed: RowMotion | None = None, hold: Sequence[str] = (),
        geometry_tolerance: float | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """The nearest closed position and then the nearest consistent velocity, both by kinetic
        energy.  Rolling rows enter the velocity only.  prescribed: motion of rows at this instant.

        hold: joints, entries of v or lengths of q ("rear-frame.px") whose position and velocity
        stay as they are.  v = {"crank": 5.0} gives some velocities; the others follow with the
        least kinetic energy (in a tree, where nothing follows, they are zero).

        geometry_tolerance: how far rows may stay open that contradict each other, as a part of the
        machine's size (default: the accuracy of the mechanism).

        A state of a batch that cannot be closed is NaN in its row, and a `ProjectionWarning` says
        why; a single one is an error."""
        if geometry_tolerance is not None:
            return self.with_tolerance(geometry_tolerance).project(q, v, prescribed, hold)
        (q,) = self.evaluator.complete({"q": q}).values()
        held = Held(self._equations, hold)
        named = None
        if isinstance(v, Mapping):
            named = named_values(self._equations, "v", v)
            v = np.zeros((*(() if named.single else (len(named.values),)), self.model.nv))
        v = np.zeros(self.model.nv) if v is None else v
        arrays, single = self._equations.check_states(q=q, v=v)
        bad = ~placed(self._equations, **arrays)
        if bad.any():
            if single:
                self.evaluator.refuse_not_finite(arrays, np.full(1, np.nan))
            arrays, _ = substituted(self._equations, arrays, None, bad)
        states, projector = (arrays["q"], arrays["v"]), self.constraint_solver.projector
        notes: list[str] | None = None if single else []
        if named is None and not held:
            positions, velocities = projector.project(*states, prescribed, notes)
        else:
            positions, velocities = projector.project_with(*states, held, named, prescribed, notes)
        if single:
            return positions[0], velocities[0]
        for note in notes or ():
            warnings.warn(f"project: {note}", ProjectionWarning, stacklevel=2)
        return blanked(positions, bad), blanked(velocities, bad)

    def project_acceleration(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike | Mapping[str, ArrayLike] | None = None,
        hold: Sequence[str] = (),
    ) -> Array:  # fmt: skip
        """The accelerations (nv) nearest to a, by kinetic energy, that the constraints allow at the
        state (q, v); those of the joints named in `hold` stay as they are.  a = {"crank": 2.0}
        gives some, and the others follow with the least kinetic energy."""
        from armillary.constraints.admissible import nearest_acceleration

        equations, held = self._equations, Held(self._equations, hold)
        a = np.zeros(self.model.nv) if a is None else a
        arrays, single = equations.check_states(q=q, v=v, a=a)
        arrays["tau"] = np.zeros_like(arrays["v"])
        system, arrays, _, bad = solvable(equations, arrays, single, passive=False)
        bad |= ~finite_rows(arrays["a"])
        found = np.full(arrays["a"].shape, np.nan)
        for k in np.flatnonzero(~bad):
            found[k] = nearest_acceleration(equations, system, arrays["a"][k], int(k), held)
        return found[0] if single else found

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
        from armillary.constraints.actuation import actuation

        state = one_state(self._equations, "actuator_forces", _MANY, q=q, v=v, a=a)
        by_load = passive and self.model.load_dependent_joints
        rows = (state["q"][None], state["v"][None], np.zeros((1, self.model.nv)))
        system = self._equations.system(*rows, external, passive and not by_load)
        if not answerable(system).all():
            self.evaluator.refuse_not_finite(state, np.full(1, np.nan))
        if by_load:
            arrays = {name: x[None] for name, x in state.items()}
            friction = self.constraint_solver.load_friction
            return friction.actuator_forces(arrays, external, actuators, weights, limits)[0]
        return actuation(self._equations, system, state["a"], actuators, weights, limits)

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
        arrays, single = self._equations.check_states(q=q, v=v, a=a)
        if passive and self.model.load_dependent_joints:
            tau = self.constraint_solver.load_friction.driving_forces(arrays, actuators)
        else:
            tau = driving_forces(self._equations, actuators)(
                arrays["q"], arrays["v"], arrays["a"], passive
            )
        if single:
            self.evaluator.refuse_not_finite(arrays, tau)
        return tau[0] if single else tau

    def holding_forces(
        self,
        q: ArrayLike,
        actuators: Sequence[str] | None = None,
        external: External = None,
        weights: Mapping[str, float] | None = None,
        limits: bool = False,
    ) -> Actuation:
        """Forces of the chosen actuators that hold the closed mechanism at rest.  One state."""
        q = one_state(self._equations, "holding_forces", _MANY, q=q)["q"]
        rest = np.zeros(self.model.nv)
        return self.actuator_forces(q, rest, rest, actuators, external, True, weights, limits)
