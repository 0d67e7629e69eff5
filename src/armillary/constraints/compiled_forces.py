"""Compiled forces of closed mechanisms: multipliers, reactions and wrenches of constraints, for
accelerations that are known (algorithms/closed/joint_forces.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from armillary.algorithms.closed.joint_forces import ForcePlan, joint_forces
from armillary.constraints import kept_rows
from armillary.constraints.loop_forces import loop_forces
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.plan import following_rows, plan_of, small
from armillary.constraints.table import PER_LOADED_BODY, STEPS, options_for
from armillary.evaluate.inputs import Array
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.lowering.tree import parametric

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.lean_call import OneOrMany


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
