"""All forces of B states: natively where straight-line code converges, else by the null space."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.constraints.compiled_forces import compiled_forces, force_map_at
from armillary.constraints.ladder import States
from armillary.constraints.mobility import singular_notes
from armillary.constraints.notes import contact_notes, state_notes
from armillary.constraints.null_space_forces import (
    Compliance,
    Forces,
    by_null_space,
    constraint_wrenches,
    merged,
)
from armillary.constraints.self_stress import Determinacy, determinacy
from armillary.constraints.solution import ConstrainedSolution, ConstraintForces
from armillary.constraints.states import NO_NUMBER, blanked, solvable
from armillary.evaluate.deferred import Deferred
from armillary.evaluate.dynamics import acting_elements, power_balance
from armillary.evaluate.inputs import Array, Keywords, mapping
from armillary.evaluate.results import BodyForces, ElementForces, Power, Reactions
from armillary.units import FORCE

if TYPE_CHECKING:
    from armillary.constraints.equations import Baumgarte, Equations, System
    from armillary.constraints.nullspace import Answer
    from armillary.evaluate.evaluator import External

MINIMUM = "smallest reactions over all joints, moments over the size of the machine"
WEIGHTED = "smallest reactions weighted by the given compliances"


def solved(
    equations: Equations,
    accelerations: Callable[[States, Baumgarte], Array],
    states: States,
    single: bool,
    baumgarte: Baumgarte,
    compliance: Compliance,
) -> ConstrainedSolution:
    """Everything about B states.  accelerations: by the ladder of solvers."""

    def system_of(some: States, alone: bool) -> tuple[System, External, NDArray[np.bool_]]:
        """Harmless states in the place of those without an answer, which are told."""
        arrays = dict(some.arrays)
        parameters = arrays.pop("parameters", None)
        system, _, external, bad = solvable(
            equations,
            arrays,
            alone,
            some.external,
            some.passive,
            prescribed=some.prescribed,
            baumgarte=baumgarte,
            parameters=parameters,
        )
        return system, external, bad

    weighted = mapping("compliance", compliance, "{joint: weight}")
    forces = None if weighted else _native(equations, accelerations, states, baumgarte)
    if forces is None:
        system, external, bad = system_of(states, single)
        bodies = states.arrays.get("parameters")
        given = (states.arrays["tau"], external, states.passive, compliance, single, bodies)
        found = solution(equations, system, *given)
        return without_rows(found, bad) if bad.any() else found
    bad = ~forces.known
    if bad.any():
        left = np.flatnonzero(bad)
        some = states.of(left)
        system, external, lost = system_of(some, single)
        bodies = some.arrays.get("parameters")
        others, _ = by_null_space(
            equations, system, external, single, some.passive, parameters=bodies
        )
        forces.put(left, blanked(others, lost))
        bad[left] = lost

    def whole() -> System:
        return system_of(states, single)[0]

    details = Details(
        equations, whole, states.arrays, forces, states.external, states.passive, single
    )
    return details.result(MINIMUM, bad)


def _native(
    equations: Equations,
    accelerations: Callable[[States, Baumgarte], Array],
    states: States,
    baumgarte: Baumgarte,
) -> Forces | None:
    """By compiled code, NaN where it does not converge; None: there is none."""
    known = ("q", "v", "tau", "parameters")
    arrays = {name: x for name, x in states.arrays.items() if name in known}
    found = compiled_forces(
        equations, arrays, lambda: accelerations(states, baumgarte), states.wrenches, states.passive
    )
    if found is None:
        return None
    return Forces(
        **{name: x for name, x in found.items() if name != "stretch"},
        stretch=found["stretch"][:, 0],
    )


def solution(
    equations: Equations,
    system: System,
    tau: Array,
    external: External,
    passive: bool,
    compliance: Compliance,
    single: bool,
    parameters: Array | None = None,
) -> ConstrainedSolution:
    """The whole force picture of B states, by the null space."""
    given = (external, single, passive, compliance, parameters)
    forces, answers = by_null_space(equations, system, *given)
    arrays = {"q": system.q, "v": system.v, "tau": tau}
    arrays |= {} if parameters is None else {"parameters": parameters}
    details = Details(equations, lambda: system, arrays, forces, external, passive, single)
    vars(details).update(answers=answers)
    convention = WEIGHTED if compliance else MINIMUM
    return details.result(convention, np.zeros(len(system.q), bool))


class Details:
    """What is known of B states beside their forces, found when it is asked for."""

    def __init__(
        self,
        equations: Equations,
        system: Callable[[], System],
        arrays: Mapping[str, Array],
        forces: Forces,
        external: External,
        passive: bool,
        single: bool,
    ):
        """arrays: q, v, tau, and other numbers of the bodies where there are some.  system: with
        harmless states where there is no answer."""
        self.single = single
        self.equations, self._make, self.arrays = equations, system, arrays
        self.bodies = {name: x for name, x in arrays.items() if name == "parameters"}
        self.forces, self.external, self.passive = forces, external, passive

    @cached_property
    def system(self) -> System:
        return self._make()

    @cached_property
    def answers(self) -> list[Answer]:
        return self.equations.answers(self.system, self.single)

    @cached_property
    def states(self) -> tuple[Determinacy, ...]:
        maps = (force_map_at(self.equations, self.system, k) for k in range(len(self.answers)))
        pairs = zip(maps, self.answers, strict=True)
        return tuple(determinacy(forces, answer.factor) for forces, answer in pairs)

    @cached_property
    def energies(self) -> tuple[Array, Array]:
        return self.equations.energy(self.arrays["q"], self.arrays["v"], **self.bodies)

    def notes(self) -> tuple[tuple[str, ...], ...]:
        found: list[tuple[str, ...]] = []
        for k, answer in enumerate(self.answers):
            given = (self.equations, self.system, k)
            if answer.fault:
                found.append((answer.fault,))
                continue
            texts = state_notes(*given, answer) + singular_notes(*given, answer.factor)
            found.append(texts + contact_notes(*given, self.forces.multipliers[k]))
        return tuple(found)

    def body_forces(self) -> BodyForces:
        """All quantities of Newton-Euler, from the motion and the forces of the constraints."""
        q, v, forces = self.system.q, self.system.v, self.forces
        wrenches = constraint_wrenches(self.equations, self.system, forces.multipliers)
        return self.equations.tree.body_forces(
            q, v, forces.a, merged(self.external, wrenches), self.passive, **self.bodies
        )

    def result(self, convention: str, bad: NDArray[np.bool_]) -> ConstrainedSolution:
        """bad: states that have no answer, which get NaN and a note."""
        equations, forces, some = self.equations, self.forces, bool(bad.any())
        single = self.single

        def handed(x: Array) -> Array:
            x = blanked(x, bad) if some else x
            return x[0] if single else x

        def later(find: Callable[[], Array]) -> Deferred[Array]:
            return Deferred(lambda: handed(find()))

        def body() -> BodyForces:
            return self.body_forces().each(handed)

        def elements() -> ElementForces | None:
            q, v = (handed(self.arrays[name]) for name in ("q", "v"))
            numbers = self.bodies.get("parameters")
            numbers = numbers[0] if single and numbers is not None else numbers
            return acting_elements(equations.tree, q, v, self.passive, numbers)

        def balance() -> Power:
            return Power(**{name: handed(x) for name, x in vars(self.power()).items()})

        def notes() -> tuple[tuple[str, ...], ...]:
            own = self.notes()
            return tuple((NO_NUMBER,) if x else n for x, n in zip(bad, own, strict=True))

        return ConstrainedSolution(
            model=equations.model,
            tau=handed(self.arrays["tau"]),
            velocity=handed(self.arrays["v"]),
            acceleration=handed(forces.a),
            forces=Deferred(body),
            kinetic=later(lambda: self.energies[0]),
            potential=later(lambda: self.energies[1]),
            element_forces=Deferred(elements),
            wrenches=Reactions(equations.model, handed(forces.wrench), handed(forces.driving)),
            constraint_forces=self._constraint_forces(handed),
            multipliers=handed(forces.multipliers),
            row_labels=equations.constraints.labels,
            convention=convention,
            suspect=(forces.stretch > 1.0)[0] if single else forces.stretch > 1.0,
            residual=later(lambda: self.system.terms.residual),
            rate=later(lambda: self.system.terms.rate),
            conflict=later(
                lambda: self._of_answers(lambda x: x.residual).reshape(forces.multipliers.shape)
            ),
            rank=later(lambda: self._of_answers(lambda x: x.factor.rank).astype(int)),
            states=Deferred(lambda: self.states),
            balance=Deferred(balance),
            notes=Deferred(notes),
            condition=later(lambda: self._of_answers(lambda x: x.factor.condition)),
        )

    def _of_answers(self, of: Callable[[Answer], ArrayLike]) -> Array:
        return np.array([of(x) for x in self.answers], float)

    def _constraint_forces(self, handed: Callable[[Array], Array]) -> ConstraintForces:
        table = self.equations.constraints
        along = self.forces.multipliers[:, table.count - len(table.axes) :]
        names = self.equations.memo.once("names of forces", lambda: _names(self.equations))
        return ConstraintForces(wrench=handed(self.forces.pushes), axis=handed(along), **names)

    def power(self) -> Power:
        system, forces, tree = self.system, self.forces, self.equations.tree
        q, v, terms, numbers = system.q, system.v, system.terms, self.bodies.get("parameters")
        own: Keywords = {} if numbers is None else {"parameters": numbers}
        one = len(v) == 1 and not own  # by native calls, which take no batches of one
        place, speed = (q[0], v[0]) if one else (q, v)
        resisted = tree.bias_forces(place, speed, passive=self.passive, **own)
        resisted = resisted - tree.bias_forces(place, speed, passive=False, **own) - terms.resisted
        known = terms.given - terms.resisted
        constrained = np.einsum("bmn,bm->bn", terms.G, forces.multipliers) + known
        state = {"q": q, "v": v, "tau": self.arrays["tau"], "a": forces.a}
        found = power_balance(tree, state, system.M, self.external, resisted, numbers)
        return replace(found, constraints=np.sum(constrained * v, axis=-1))


def _names(equations: Equations) -> dict[str, Any]:
    """What `ConstraintForces` of all states have in common."""
    frames, axes = equations.constraints.frames, equations.constraints.axes
    return {
        "model": equations.model,
        "names": tuple(t.name for t in frames),
        "kinds": tuple(t.kind for t in frames),
        "bodies": tuple(t.body for t in frames),
        "axis_names": tuple(t.name for t in axes),
        "axis_units": tuple(FORCE[t.unit] for t in axes),
    }


def without_rows(found: ConstrainedSolution, bad: NDArray[np.bool_]) -> ConstrainedSolution:
    """A solution of a batch, with NaN and a note for states that have no answer."""
    notes = tuple((NO_NUMBER,) if x else own for x, own in zip(bad, found.notes, strict=True))
    return replace(blanked(found, bad), notes=notes)
