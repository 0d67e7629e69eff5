"""Compiled forces of closed mechanisms: multipliers, reactions and wrenches of constraints, for
accelerations that are known (algorithms/closed/joint_forces.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from armillary.algorithms.closed.joint_forces import ForcePlan, joint_forces
from armillary.constraints.compiled import may_be_compiled
from armillary.constraints.compiled_rows import Asked
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.plan import following_rows, plan_of
from armillary.evaluate.inputs import Array
from armillary.model.lowering.constraints import lower_constraints

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.native_call import OneOrMany


_NOISE = 1e-9  # coefficients of scaled rows: less is rounding
_WORTH = 100  # states: for fewer, the null space is done before the code would be compiled


def force_kernels(equations: Equations, external: bool, passive: bool) -> OneOrMany | None:
    """Straight-line code of all forces, made once; None where there is none."""
    key = ("forces", external, passive)
    return equations.memo.once(key, lambda: _make(equations, external, passive))


def _make(equations: Equations, external: bool, passive: bool) -> OneOrMany | None:
    from armillary.evaluate.native_call import OneOrMany
    from armillary.evaluate.program import Program
    from armillary.evaluate.request import Request

    owner = equations.evaluator
    if not may_be_compiled(equations) or not equations.constraints.ideal:
        return None
    plan = force_plan(equations)
    if plan is None:
        return None
    tables = owner.tables(False, passive)
    constraints = lower_constraints(equations.model, tables)
    tables = replace(tables, constraints=constraints if passive else constraints.bare)
    reads = ("q", "v", "a", "tau", *(("external",) if external else ()))
    request = Request(joint_forces(plan), reads, owner.moving_base, owner.vertical_gravity)
    kernels = Program(request, tables, owner.options)
    return OneOrMany(kernels, owner.base_numbers) if kernels.straight() else None


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
    following = []
    for number, line in zip(others.tolist(), C, strict=True):
        scaled = line * s.rows[number] / s.rows[kept]
        terms = [(int(k), float(x)) for k, x in zip(kept, scaled, strict=True) if abs(x) > _NOISE]
        following.append((number, tuple(terms)))
    return ForcePlan(
        kept=tuple(kept.tolist()),
        following=tuple(following),
        pivots=pivots,
        rows=tuple(s.rows.tolist()),
        columns=tuple(s.columns.tolist()),
        length=equations.length,
    )


def compiled_forces(
    equations: Equations,
    arrays: Mapping[str, Array],
    accelerations: Callable[[], Array],
    wrenches: Mapping[str, tuple[Array, bool]],
    passive: bool,
) -> dict[str, Array] | None:
    """a (B, n), multipliers (B, m), wrench and driving (B, bodies, 6), pushes (B, constraints, 6),
    stretch (B, 1) of states with q, v and tau; NaN in rows that are left to the null space.  None:
    there is no kernel, or it would not be worth its making.  accelerations: asked for where there
    is one."""
    asked = equations.memo.once("states asked for forces", Asked)
    asked.count += len(arrays["q"])
    if asked.count < _WORTH:
        return None
    kernels = force_kernels(equations, bool(wrenches), passive)
    if kernels is None:
        return None
    evaluator, count = equations.evaluator, len(arrays["q"])
    a = accelerations()
    inputs = {**arrays, "a": a}
    if wrenches:
        tables = kernels.program.tables
        inputs["external"] = evaluator.external_rows(dict(wrenches), count, tables)
    return {"a": a, **kernels(inputs, count)}
