"""Friction that depends on the load of its joint, in mechanisms with constraints.

The loop of evaluate/load_friction.py with the reactions of the closed mechanism: accelerations and
multipliers are linear in the joint forces, so the loads are, too.  For a given motion the forces of
the actuators take the place of the accelerations: they are linear in the friction x, and with them
the multipliers and the loads.  Loads that constraints leave open (self-stresses) give friction that
has no value; such states are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.actuation import Actuation, actuation
from armillary.constraints.all_forces import solution, without_rows
from armillary.constraints.equations import Baumgarte, Equations, System
from armillary.constraints.moving import Prescribed, of_states
from armillary.constraints.null_space_forces import constraint_wrenches, merged
from armillary.constraints.self_stress import determinacy, force_map_of, wrench_sizes
from armillary.constraints.solution import ConstrainedSolution
from armillary.constraints.states import finite_rows, placed
from armillary.errors import ModelError
from armillary.evaluate.inputs import Array
from armillary.evaluate.load_friction import GROUP_OF, LoadFriction, repeated
from armillary.evaluate.tree import Tree

if TYPE_CHECKING:
    from armillary.constraints.nullspace import Answer
    from armillary.evaluate.evaluator import External

_SEEN = 1e-7  # of a unit self-stress: a smaller part of a load does not count


def load_friction_of(equations: Equations) -> ConstrainedLoadFriction:
    """The load-dependent friction of a mechanism, made once."""
    make = lambda: ConstrainedLoadFriction(equations.evaluator)  # noqa: E731
    return equations.memo.once("load friction", make)


class ConstrainedLoadFriction(LoadFriction):
    """The load-dependent friction of one closed mechanism."""

    @cached_property
    def plain_equations(self) -> Equations:
        """Of the mechanism without such friction."""
        return Equations(self.plain)

    def friction_of(
        self,
        state: dict[str, Array],
        external: External,
        single: bool,
        prescribed: Prescribed = None,
        baumgarte: Baumgarte = None,
        parameters: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """a (B, nv) and x (B, m) of the states q, v, tau in rows; NaN where undefined among
        others."""
        q, v = state["q"], state["v"]
        equations, count = self.plain_equations, len(q)

        def respond(force: Array, times: int) -> tuple[Array, Array]:
            rows = np.repeat(np.arange(count), times)
            wrench = repeated(external, times)
            bodies = repeated({"parameters": parameters}, times) or {}
            given = of_states(prescribed, rows, count)
            system = equations.system(
                q[rows], v[rows], force, wrench, True, given, baumgarte, **bodies
            )
            answers = equations.answers(system, single)
            a = np.array([x.a for x in answers]).reshape(force.shape)
            return a, self._loads_of(system, a, answers, wrench, bodies, times == 1)

        return self.solved(v, state["tau"], respond)

    def actuator_forces(
        self,
        state: dict[str, Array],
        external: External,
        actuators: Sequence[str] | None,
        weights: Mapping[str, float] | None = None,
        limits: bool = False,
        parameters: ArrayLike | None = None,
    ) -> list[Actuation]:
        """Forces of the chosen actuators for the motions q, v, a in rows: those of the mechanism
        without such friction, and the friction of the loads they cause.

        Of more actuators than freedoms the smallest for that friction.  limits: friction is that of
        the motion that is asked for, also where limits keep the actuators from it."""
        q, v, a = state["q"], state["v"], state["a"]
        equations, count = self.plain_equations, len(q)

        def respond(force: Array, times: int, limits: bool = False) -> tuple[Array, Array]:
            rows = np.repeat(np.arange(count), times)
            wrench = repeated(external, times)
            bodies = repeated({"parameters": parameters}, times) or {}
            system = equations.system(q[rows], v[rows], force, wrench, **bodies)
            found[:] = [
                actuation(equations, system.of(k), x, actuators, weights, limits)
                for k, x in enumerate(a[rows])
            ]
            u = np.array([x.tau for x in found]).reshape(force.shape)
            system = replace(system, force=system.force + u)
            answers = [equations.balance(system, k, x) for k, x in enumerate(a[rows])]
            return u, self._loads_of(system, a[rows], answers, wrench, bodies, times == 1)

        found: list[Actuation] = []
        if not count:
            return found
        _, x = self.solved(v, np.zeros_like(v), respond)
        resisting = np.zeros_like(v)
        resisting[:, self.columns] = -x
        respond(resisting, 1, limits)
        return found

    def driving_forces(self, state: dict[str, Array], actuators: Sequence[str] | None) -> Array:
        """tau (B, nv) of the chosen actuators; NaN where a state is not finite."""
        tau, good = np.full(state["v"].shape, np.nan), finite_rows(*state.values())
        good[good] = placed(self.plain_equations, state["q"][good], state["v"][good])
        rows = {name: x[good] for name, x in state.items()}
        found = [x.tau for x in self.actuator_forces(rows, None, actuators)]
        tau[good] = np.array(found).reshape(rows["v"].shape)
        return tau

    def _loads_of(
        self,
        system: System,
        a: Array,
        answers: list[Answer],
        external: External,
        bodies: Mapping[str, ArrayLike | None],
        refuse: bool,
    ) -> Array:
        """Loads (B, m, 7) of the accelerations with the forces of the constraints.  refuse: states
        whose loads have no value."""
        if refuse:
            self._refuse_undetermined(system, answers)
        equations = self.plain_equations
        multipliers = np.array([x.multipliers for x in answers])
        multipliers = multipliers.reshape(len(a), equations.constraints.count)
        pushed = merged(external, constraint_wrenches(equations, system, multipliers))
        return self.loads(system.q, system.v, a, pushed, bodies)

    def _refuse_undetermined(self, system: System, answers: list[Answer]) -> None:
        """Loads that count must have one value."""
        equations, model = self.plain_equations, self.evaluator.model
        sizes = wrench_sizes(equations.length)
        counts = self.weights[:, GROUP_OF] > 0.0  # (m, 7)
        for k, answer in enumerate(answers):
            if not answer.factor.stress.shape[1]:
                continue
            stress = determinacy(force_map_of(equations, system, k), answer.factor)
            part = np.einsum("mlw,dmw->dml", self.maps, stress.basis[:, self.rows_of_model])
            open_ = (np.abs(part) > _SEEN * (np.abs(self.maps) @ sizes)).any(axis=0) & counts
            if open_.any():
                name = model.load_dependent_joints[int(np.argmax(open_.any(axis=1)))]
                raise ModelError(
                    f"joint '{name}': redundant constraints brace it, and its load, on which its "
                    f"friction depends, has no value of its own. Set redundant rows free (a "
                    f"spherical or cylindrical joint in the loop; with these free every reaction "
                    f"is determinate: {', '.join(stress.proposals())}), or give it `coulomb`."
                )

    def solution(
        self,
        state: dict[str, Array],
        external: External,
        prescribed: Prescribed,
        baumgarte: Baumgarte,
        compliance: Mapping[str, ArrayLike] | None,
        single: bool,
    ) -> ConstrainedSolution:
        """Everything: that of the mechanism without such friction, driven by what is left."""
        q, v, tau = state["q"], state["v"], state["tau"]
        equations, evaluator = self.plain_equations, self.evaluator
        a, x = self.friction_of(state, external, single, prescribed, baumgarte)
        lost = ~finite_rows(a, x)
        if lost.any() and single:
            evaluator.refuse_not_finite(state, a)
        x[lost] = 0.0  # no number is given there
        left = tau.copy()
        left[:, self.columns] -= x
        system = equations.system(q, v, left, external, True, prescribed, baumgarte)
        found = solution(equations, system, left, external, True, compliance, single)
        multipliers = np.atleast_2d(found.multipliers)
        wrenches = merged(external, constraint_wrenches(equations, system, multipliers))
        whole = Tree(evaluator).body_forces(q, v, a, wrenches)
        first = (lambda y: y[0]) if single else (lambda y: y)
        taken = first(np.sum(x * v[:, self.columns], axis=-1))
        balance = replace(
            found.balance,
            actuators=first(np.sum(tau * v, axis=-1)),
            passive=np.asarray(found.balance.passive + taken),
        )
        forces = whole.each(first)
        found = replace(
            found,
            model=evaluator.model,
            tau=first(tau),
            forces=forces,
            balance=balance,
            wrenches=forces.reactions(),
        )
        lost &= finite_rows(np.atleast_2d(found.acceleration))  # others say why they are undefined
        return without_rows(found, lost) if lost.any() else found
