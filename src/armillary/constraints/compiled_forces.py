"""Code of all forces of closed mechanisms: multipliers, reactions and wrenches of constraints for
accelerations that are known (algorithms/closed/joint_forces.py), and maps from multipliers to
reactions (algorithms/closed/force_map.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.closed.force_map import force_map
from armillary.algorithms.closed.joint_forces import ForcePlan, joint_forces
from armillary.constraints import kept_rows
from armillary.constraints.loop_forces import loop_forces
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.plan import following_rows, plan_of, small
from armillary.constraints.self_stress import ForceMap, force_map_of, of_axes
from armillary.constraints.table import PER_LOADED_BODY, STEPS, options_for
from armillary.evaluate.inputs import Array
from armillary.evaluate.request import Request
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.lowering.tree import parametric

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.evaluate.lean_call import OneOrMany


@dataclass(frozen=True)
class Reactions:
    """Of one state, for any multipliers (m)."""

    map: ForceMap
    tree: Array  # (bodies, 6): of the open tree, with known wrenches of constraints
    known: Array  # (constraints, 6): those wrenches
    axes: Array  # (nv, 6)
    drives: Array  # (nv, 6): wrenches that drive along the axes
    carriers: Array  # (bodies, nv): 1 where an axis moves the body

    def wrench(self, multipliers: Array) -> Array:
        """(bodies, 6): in every joint, by the parent on the body."""
        return self.tree + self.map.matrix[: len(self.tree)] @ multipliers

    def pushes(self, multipliers: Array) -> Array:
        """(constraints, 6): on the second bodies, in the second frames."""
        first = len(self.tree)
        return self.known + self.map.matrix[first : first + len(self.known)] @ multipliers

    def driving(self, wrench: Array) -> Array:
        """(bodies, 6): the part of wrenches in the joints that drives along the axes."""
        along = np.sum(self.axes * (self.carriers.T @ wrench), axis=1)
        return np.asarray(self.carriers @ (self.drives * along[:, None]))


def reactions_at(equations: Equations, q: Array, v: Array, a: Array) -> Reactions | None:
    """At one state (n each) without given wrenches; None where there is no code."""
    kernels = equations.memo.once("force map", lambda: _kernels(equations))
    found = None if kernels is None else kernels.one(q, v, a)
    if found is None:
        return None
    others, carriers = equations.memo.once("axes of reactions", lambda: _constant(equations))
    matrix = np.concatenate([found["of_bodies"], found["of_frames"], others])
    axes, drives = found["axes"]
    whole = ForceMap(equations, matrix)
    return Reactions(whole, found["tree"], found["known"], axes, drives, carriers)


def force_map_at(equations: Equations, system: System, k: int) -> ForceMap:
    """At state k, by compiled code where there is some: it does not depend on the forces."""
    found = reactions_at(equations, system.q[k], system.v[k], np.zeros_like(system.v[k]))
    return force_map_of(equations, system, k) if found is None else found.map


def _kernels(equations: Equations) -> OneOrMany | None:
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program

    unknown = bool(equations.model.load_dependent_joints)  # what their friction is
    if unknown or not equations.constraints.ideal or not small(equations):
        return None
    owner = equations.evaluator
    tables = owner.tables(False)
    tables = replace(tables, constraints=lower_constraints(equations.model, tables))
    request = Request(force_map, ("q", "v", "a"), owner.moving_base, owner.vertical_gravity)
    program = Program(request, tables, options_for(equations.evaluator.options, STEPS))
    return OneOrMany(program, owner.base_numbers) if program.straight() else None


def _constant(equations: Equations) -> tuple[Array, Array]:
    """The part of couplings and prescribed motions in the map; which axes move which body."""
    tables = equations.evaluator.tables(False)
    carriers = np.zeros((len(tables.bodies), tables.nv))
    for k, (body, v) in enumerate(zip(tables.bodies, tables.v_offsets, strict=True)):
        carriers[k, v : v + body.joint.nv] = 1.0
    return of_axes(equations), carriers


def force_code(
    equations: Equations, external: bool, passive: bool, given: bool = False, states: int = 0
) -> OneOrMany | None:
    """Straight-line code of all forces, made once; None where there is none.  given: numbers of the
    bodies are inputs.  states: that are asked for at once."""
    options = options_for(equations.evaluator.options, STEPS, states)
    key = ("forces", external, passive, given, options.budget)

    def make() -> OneOrMany | None:
        from armillary.evaluate.lean_call import OneOrMany
        from armillary.evaluate.program import Program
        from armillary.evaluate.request import Request

        small_enough = equations.constraints.ideal and small(equations)
        plan = force_plan(equations) if small_enough else None
        if plan is None:
            return None
        owner = equations.evaluator
        tables = owner.tables(False, passive)
        constraints = lower_constraints(equations.model, tables)
        if given:
            tables = parametric(equations.model, False, passive)
        tables = replace(tables, constraints=constraints if passive else constraints.bare)
        reads = ("q", "v", "a", "tau", *("external",) * external, *("parameters",) * given)
        request = Request(joint_forces(plan), reads, owner.moving_base, owner.vertical_gravity)
        program = Program(request, tables, options)
        return OneOrMany(program, owner.base_numbers) if program.straight() else None

    return equations.memo.once(key, make)


def force_plan(equations: Equations) -> ForcePlan | None:
    """None: rows that the digits of a file make nearly dependent, whose rank is found state by
    state."""
    plan = plan_of(equations)
    # pivots for all kept rows: those are independent, and determine the multipliers
    whole = plan.pivots is not None and len(plan.pivots) == len(plan.kept)
    pivots = plan.pivots if whole else None
    if pivots is None and equations.geometry_tolerance > RANK_TOLERANCE:
        return None
    others, kept, C = following_rows(equations)
    s = equations.scaling
    following = [
        (number, kept_rows.summed(kept, line * s.rows[number] / s.rows[kept]))
        for number, line in zip(others.tolist(), C, strict=True)
    ]
    return ForcePlan(
        kept=tuple(kept.tolist()),
        following=tuple(following),
        pivots=pivots,
        rows=tuple(s.rows.tolist()),
        columns=tuple(s.columns.tolist()),
        length=equations.length,
    )


def _answering(
    equations: Equations, external: bool, passive: bool, given: bool = False, states: int = 0
) -> OneOrMany | None:
    """Straight-line code, or loops where that would be too long."""
    options = equations.evaluator.options
    large = options.tier is None and PER_LOADED_BODY * len(equations.tables.bodies) > options.budget
    found = None if large else force_code(equations, external, passive, given, states)
    if found is None and options.tier is None:
        return loop_forces(equations, external, passive, given)
    return found


def forces_at_once(
    equations: Equations, accelerations: Callable[..., Array], q: Array, v: Array, tau: Array
) -> dict[str, Array] | None:
    """The same as `compiled_forces` of one state (arrays of doubles, n each) by two native calls;
    nothing where they do not answer, None where there is no code."""
    kernels = _answering(equations, False, True)
    if kernels is None:
        return None
    a = accelerations(q, v, tau)
    found = kernels.one(q, v, a, tau)
    return {} if found is None else {"a": a, **found}


def compiled_forces(
    equations: Equations,
    arrays: Mapping[str, Array],
    accelerations: Callable[[], Array],
    wrenches: Mapping[str, tuple[Array, bool]],
    passive: bool,
) -> dict[str, Array] | None:
    """a (B, n), multipliers (B, m), wrench and driving (B, bodies, 6), pushes (B, constraints, 6),
    stretch (B, 1) of states with q, v and tau; NaN in rows that are left to the null space.  None:
    there is no code.  accelerations: asked for where there is some."""
    given, states = "parameters" in arrays, len(arrays["q"])
    kernels = _answering(equations, bool(wrenches), passive, given, states)
    if kernels is None:
        return None
    evaluator, count = equations.evaluator, len(arrays["q"])
    a = accelerations()
    inputs = {**arrays, "a": a}
    if wrenches:
        tables = kernels.program.tables
        inputs["external"] = evaluator.external_rows(dict(wrenches), count, tables)
    return {"a": a, **kernels(inputs, count)}
