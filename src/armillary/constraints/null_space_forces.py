"""All forces of states by the null space of their rows: the smallest reactions where the motion
leaves a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.constraints.compiled_forces import reactions_at
from armillary.constraints.self_stress import (
    determinacy,
    force_map_of,
    smallest,
    smallest_reactions,
)
from armillary.constraints.states import finite_rows
from armillary.evaluate.arrays import shifted, turned, turned_back
from armillary.evaluate.inputs import Array
from armillary.evaluate.results import BodyForces
from armillary.model.lowering.constraint_table import ConstraintTable

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.constraints.nullspace import Answer
    from armillary.evaluate.evaluator import External


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
    wrench_W = _world_wrenches(system, equations.constraints, multipliers)
    return on_bodies(equations, system.q, system.terms.origin, wrench_W)


def on_bodies(equations: Equations, q: Array, origin: Array, wrench_W: Array) -> dict[str, Array]:
    """The same of given wrenches on the second bodies (B, constraints, 6), along the world's axes
    at `origin`, the places of the second frames; the first bodies take the opposite ones."""
    model = equations.model
    R, origins = equations.tree.poses(q)
    total: dict[str, Array] = {}
    for t, ends in enumerate(equations.ends):
        for body, sign in zip(ends, (-1.0, 1.0), strict=True):
            if body < 0:
                continue
            there = shifted(wrench_W[:, t], origin[:, t] - origins[:, body])
            name = model.bodies[body].name
            total[name] = total.get(name, 0.0) + sign * turned_back(R[:, body], there)
    return total


def merged(external: External, constraints: dict[str, Array]) -> dict[str, Array]:
    """Given wrenches and those of the constraints; both may act in the same frame."""
    total: dict[str, Array] = {name: np.asarray(x, float) for name, x in (external or {}).items()}
    for name, wrench in constraints.items():
        total[name] = total[name] + wrench if name in total else wrench
    return total


def in_second_frames(equations: Equations, system: System, multipliers: Array) -> Array:
    """(B, constraints, 6): what each constraint between frames exerts, in its second frame."""
    wrench = _world_wrenches(system, equations.constraints, multipliers)
    return turned(system.terms.frame, wrench)


Compliance = Mapping[str, ArrayLike] | None


@dataclass(frozen=True)
class Forces:
    """Accelerations and forces of B states."""

    a: Array  # (B, n)
    multipliers: Array  # (B, m)
    wrench: Array  # (B, bodies, 6): in every joint, by the parent on the body
    driving: Array  # (B, bodies, 6): its part along the joint's axes
    pushes: Array  # (B, constraints, 6): of constraints between frames, in their second frames
    stretch: Array  # (B,): above 1 where rows may be nearly dependent

    @property
    def known(self) -> NDArray[np.bool_]:
        return finite_rows(*vars(self).values())

    def put(self, chosen: NDArray[np.intp], others: Forces) -> None:
        """The forces of some states, in place."""
        for name, x in vars(self).items():
            x[chosen] = getattr(others, name)


def by_null_space(
    equations: Equations,
    system: System,
    external: External,
    single: bool,
    passive: bool,
    compliance: Compliance = None,
    parameters: Array | None = None,
) -> tuple[Forces, list[Answer]]:
    """Forces state by state, with what was found on the way; the smallest reactions where the
    motion leaves a choice; NaN where they are undefined."""
    count, answers = len(system.q), equations.answers(system, single)
    a = np.array([x.a for x in answers]).reshape(system.v.shape)
    multipliers = np.array([x.multipliers for x in answers])
    multipliers = multipliers.reshape(count, equations.constraints.count)

    def reactions() -> BodyForces:
        wrenches = merged(external, constraint_wrenches(equations, system, multipliers))
        bodies = {} if parameters is None else {"parameters": parameters}
        return equations.tree.body_forces(system.q, system.v, a, wrenches, passive, **bodies)

    body, chosen = reactions(), False
    for k, answer in enumerate(answers):
        if answer.factor.rank == equations.constraints.count or not np.isfinite(answer.a).all():
            continue
        forces = force_map_of(equations, system, k)
        state = determinacy(forces, answer.factor)
        if state.static_indeterminacy:
            chosen = True
            tree = body.transmitted[k]
            own = np.einsum("nim,m->ni", forces.matrix[len(tree) :], multipliers[k])
            every = np.concatenate([tree, own])
            multipliers[k] = smallest(forces, state, every, multipliers[k], compliance)
    if chosen:
        body = reactions()
    pushes = in_second_frames(equations, system, multipliers)
    found = Forces(
        a=a,
        multipliers=multipliers,
        wrench=body.transmitted,
        driving=body.driving,
        pushes=pushes,
        stretch=np.full(count, np.inf),
    )
    return found, answers


def forces_of_one(equations: Equations, system: System, answer: Answer) -> Forces | None:
    """The same of a system of one state, without given wrenches, by compiled code; None where there
    is none."""
    found = reactions_at(equations, system.q[0], system.v[0], answer.a)
    if found is None:
        return None
    multipliers = answer.multipliers
    if answer.factor.rank < equations.constraints.count:
        own = found.map.matrix[len(found.tree) :] @ multipliers
        every = np.concatenate([found.wrench(multipliers), own])
        multipliers = smallest_reactions(found.map, answer.factor, every, multipliers)
    wrench = found.wrench(multipliers)
    return Forces(
        a=answer.a[None],
        multipliers=multipliers[None],
        wrench=wrench[None],
        driving=found.driving(wrench)[None],
        pushes=found.pushes(multipliers)[None],
        stretch=np.full(1, np.inf),
    )
