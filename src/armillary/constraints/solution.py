"""Everything about a constrained state: accelerations, every force, balances, determinacy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.constraints.arrays import shifted, turned, turned_back
from armillary.constraints.notes import contact_notes, state_notes
from armillary.constraints.self_stress import (
    Determinacy,
    ForceMap,
    determinacy,
    smallest,
)
from armillary.constraints.states import NO_NUMBER, blanked
from armillary.errors import Message, unknown_name
from armillary.evaluate.inputs import Array
from armillary.evaluate.results import BodyForces, Solution, aligned, wrench_heads
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.model import Model
from armillary.shown import shown
from armillary.units import FORCE

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.constraints.nullspace import Answer
    from armillary.evaluate.evaluator import External


@shown
@dataclass(frozen=True)
class ConstraintForces:
    """Forces in loops, rods, surfaces, contacts and wheels: wrenches (n; f) on the second body, in
    the second frame at its origin; and generalised forces of couplings and prescribed motions."""

    model: Model
    names: tuple[str, ...]  # constraints between frames
    kinds: tuple[str, ...]
    bodies: tuple[str, ...]  # the body each force acts on
    wrench: Array  # (..., constraints, 6)
    axis_names: tuple[str, ...]
    axis_units: tuple[str, ...]
    axis: Array  # (..., axis constraints)

    def __getitem__(self, name: str) -> Array:
        if name in self.names:
            return self.wrench[..., self.names.index(name), :]
        if name in self.axis_names:
            return np.asarray(self.axis[..., self.axis_names.index(name)])
        raise unknown_name("constraint", name, (*self.names, *self.axis_names))

    def __iter__(self) -> Iterator[str]:
        return iter((*self.names, *self.axis_names))

    def __len__(self) -> int:
        return len(self.names) + len(self.axis_names)

    def __str__(self) -> str:
        if self.wrench.ndim != 2:
            return f"forces of {len(self)} constraints, {len(self.wrench)} states"
        lines = [
            "force of each constraint on the named body, in the constraint's second frame",
            f"{'constraint':<22}{'on body':<16}{wrench_heads()}",
        ]
        parts = zip(self.names, self.bodies, self.wrench, strict=True)
        lines += [f"{name:<22}{body:<16}" + aligned(w) for name, body, w in parts]
        for name, unit, x in zip(self.axis_names, self.axis_units, self.axis, strict=True):
            lines.append(f"{name:<22}{'along its axis':<16}{x + 0.0:>13.6g} {unit}")
        return "\n".join(lines)


@shown
@dataclass(frozen=True)
class Power:
    """Where the power goes, W: rate of energy = actuators + external + constraints - losses."""

    energy_rate: Array  # of kinetic energy and gravity's potential, from the Coriolis form
    actuators: Array
    external: Array
    constraints: Array  # of prescribed motion and friction contacts; 0 for workless ones
    passive: Array  # taken by friction, stored by springs

    @property
    def imbalance(self) -> Array:
        return np.asarray(
            self.energy_rate - self.actuators - self.external - self.constraints + self.passive
        )

    def __str__(self) -> str:
        return (
            f"power, W: actuators {self.actuators:.6g}, external {self.external:.6g}, constraints "
            f"{self.constraints:.6g}, taken by friction and springs {self.passive:.6g}; energy "
            f"changes by {self.energy_rate:.6g} (imbalance {self.imbalance:.1e})"
        )


@shown
@dataclass(frozen=True)
class ConstrainedSolution(Solution):
    """A `Solution` with the forces of the constraints and what is known about them.

    Of a batch, arrays have a leading axis and `states` holds one `Determinacy` per state."""

    constraint_forces: ConstraintForces
    multipliers: Array  # (..., rows)
    row_labels: tuple[str, ...]
    residual: Array  # (..., rows): how far rows are open, rad or m
    rate: Array  # (..., rows): velocity along rows, per second
    conflict: Array  # (..., rows): acceleration that rows ask for and do not get
    rank: Array
    states: tuple[Determinacy, ...]
    balance: Power
    convention: str
    notes: tuple[tuple[str, ...], ...]  # of every state
    condition: Array  # (...): of the scaled rows, over their rank

    @property
    def determinacy(self) -> Determinacy:
        """Of the first (or only) state."""
        return self.states[0]

    @property
    def messages(self) -> tuple[str, ...]:
        """What a reader should know: contradictory rows, open loops, inconsistent velocities,
        closures that are nearly singular."""
        if self.acceleration.ndim == 1:
            return self.notes[0]
        pairs = ((k, text) for k, texts in enumerate(self.notes) for text in texts)
        return tuple(Message(text, before=f"state {k}: ") for k, text in pairs)

    def __str__(self) -> str:
        text = super().__str__()
        if self.acceleration.ndim != 1:
            return text
        lines = [text, "", str(self.constraint_forces), "", str(self.determinacy)]
        if self.determinacy.static_indeterminacy:
            lines.append(f"values of the others by convention: {self.convention}")
        return "\n".join([*lines, str(self.balance), *("warning: " + m for m in self.messages)])


MINIMUM = "smallest reactions over all joints, moments over the size of the machine"
WEIGHTED = "smallest reactions weighted by the given compliances"


def solution(
    equations: Equations,
    system: System,
    tau: Array,
    external: External,
    passive: bool,
    compliance: Mapping[str, ArrayLike] | None,
    single: bool,
) -> ConstrainedSolution:
    """The whole force picture of B states."""
    answers = [equations.answer(system, k) for k in range(len(system.q))]
    a = np.array([x.a for x in answers]).reshape(system.v.shape)
    body, multipliers, states = _forces(
        equations, system, a, answers, external, passive, compliance
    )
    kinetic, potential = equations.energy(system.q, system.v)
    balance = _power(equations, system, tau, a, multipliers, external, passive)
    pushed = _constraint_forces(equations, system, multipliers)
    first = (lambda x: x[0]) if single else (lambda x: x)
    body = BodyForces(body.model, {name: first(x) for name, x in body.results.items()})
    conflict = np.array([x.residual for x in answers]).reshape(multipliers.shape)
    rank = np.array([x.factor.rank for x in answers], int)
    notes = tuple(
        state_notes(equations, system, k, answer)
        + contact_notes(equations, system, k, multipliers[k])
        for k, answer in enumerate(answers)
    )
    return ConstrainedSolution(
        model=equations.model,
        tau=first(tau),
        velocity=first(system.v),
        acceleration=first(a),
        forces=body,
        kinetic=first(kinetic),
        potential=first(potential),
        constraint_forces=replace(pushed, wrench=first(pushed.wrench), axis=first(pushed.axis)),
        multipliers=first(multipliers),
        row_labels=equations.constraints.labels,
        residual=first(system.terms.residual),
        rate=first(system.terms.rate),
        conflict=first(conflict),
        rank=first(rank),
        states=tuple(states),
        balance=replace(balance, **{name: first(x) for name, x in vars(balance).items()}),
        convention=WEIGHTED if compliance else MINIMUM,
        notes=notes,
        condition=first(np.array([x.factor.condition for x in answers])),
    )


def _forces(
    equations: Equations,
    system: System,
    a: Array,
    answers: Sequence[Answer],
    external: External,
    passive: bool,
    compliance: Mapping[str, ArrayLike] | None,
) -> tuple[BodyForces, Array, list[Determinacy]]:
    """Forces of all joints, multipliers (B, m), and what is determinate of them; the smallest
    reactions where the motion leaves a choice."""
    multipliers = np.array([x.multipliers for x in answers])
    multipliers = multipliers.reshape(len(a), equations.constraints.count)

    def reactions() -> BodyForces:
        wrenches = merged(external, constraint_wrenches(equations, system, multipliers))
        return equations.tree.body_forces(system.q, system.v, a, wrenches, passive)

    body, states = reactions(), []
    for k, answer in enumerate(answers):
        forces = ForceMap(equations, system, k)
        state = determinacy(forces, answer.factor)
        states.append(state)
        if state.static_indeterminacy:
            tree = body.transmitted[k]
            own = np.einsum("nim,m->ni", forces.matrix[len(tree) :], multipliers[k])
            found = np.concatenate([tree, own])
            multipliers[k] = smallest(forces, state, found, multipliers[k], compliance)
    if any(state.static_indeterminacy for state in states):
        body = reactions()
    return body, multipliers, states


def without_rows(found: ConstrainedSolution, bad: NDArray[np.bool_]) -> ConstrainedSolution:
    """A solution of a batch, with NaN and a note for states that have no answer."""
    notes = tuple((NO_NUMBER,) if x else own for x, own in zip(bad, found.notes, strict=True))
    return replace(blanked(found, bad), notes=notes)


def _world_wrenches(system: System, constraints: ConstraintTable, multipliers: Array) -> Array:
    """(B, constraints, 6): what each constraint between frames exerts on its second body, along the
    world's axes, at the origin of the second frame."""
    total = system.terms.given_W.copy()
    for t, constraint in enumerate(constraints.frames):
        span = constraints.slices[constraint.name]
        unit = system.terms.wrench_W[:, span]
        total[:, t] = np.einsum("brm,br->bm", unit, multipliers[:, span]) + total[:, t]
    return total


def constraint_wrenches(
    equations: Equations, system: System, multipliers: Array
) -> dict[str, Array]:
    """Wrenches of all constraints on the bodies, {body: (B, 6)}, in the bodies' frames."""
    model = equations.model
    R, origins = equations.tree.poses(system.q)
    wrench_W = _world_wrenches(system, equations.constraints, multipliers)
    total: dict[str, Array] = {}
    for t, ends in enumerate(equations.ends):
        for body, sign in zip(ends, (-1.0, 1.0), strict=True):
            if body < 0:
                continue
            there = shifted(wrench_W[:, t], system.terms.origin[:, t] - origins[:, body])
            name = model.bodies[body].name
            total[name] = total.get(name, 0.0) + sign * turned_back(R[:, body], there)
    return total


def merged(external: External, constraints: dict[str, Array]) -> dict[str, Array]:
    """Given wrenches and those of the constraints; both may act in the same frame."""
    total: dict[str, Array] = {name: np.asarray(x, float) for name, x in (external or {}).items()}
    for name, wrench in constraints.items():
        total[name] = total[name] + wrench if name in total else wrench
    return total


def _constraint_forces(
    equations: Equations, system: System, multipliers: Array
) -> ConstraintForces:
    frames, axes = equations.constraints.frames, equations.constraints.axes
    wrench = _world_wrenches(system, equations.constraints, multipliers)
    for t in range(len(frames)):
        E2, _ = equations.constraint_frame(system, t)
        wrench[:, t] = turned(E2, wrench[:, t])
    return ConstraintForces(
        model=equations.model,
        names=tuple(t.name for t in frames),
        kinds=tuple(t.kind for t in frames),
        bodies=tuple(t.body for t in frames),
        wrench=wrench,
        axis_names=tuple(t.name for t in axes),
        axis_units=tuple(FORCE[t.unit] for t in axes),
        axis=multipliers[:, equations.constraints.count - len(axes) :],
    )


def _power(
    equations: Equations,
    system: System,
    tau: Array,
    a: Array,
    multipliers: Array,
    external: External,
    passive: bool,
) -> Power:
    q, v, tree = system.q, system.v, equations.tree

    def along(f: Array) -> Array:
        return np.asarray(np.sum(f * v, axis=-1))

    inertia = np.einsum("bij,bj->bi", system.M, a)
    velocity = np.einsum("bij,bj->bi", tree.coriolis_matrix(q, v), v)
    energy = along(inertia + velocity + tree.gravity_forces(q))
    plain = tree.bias_forces(q, v, passive=False)
    pushed = plain - tree.bias_forces(q, v, external=external, passive=False)
    resisted = tree.bias_forces(q, v, passive=passive) - plain - system.terms.resisted
    known = system.terms.given - system.terms.resisted
    constrained = np.einsum("bmn,bm->bn", system.terms.G, multipliers) + known
    return Power(
        energy_rate=energy,
        actuators=along(tau),
        external=along(pushed),
        constraints=along(constrained),
        passive=along(resisted),
    )
