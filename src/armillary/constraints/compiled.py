"""Compiled code of algorithms over constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from armillary.algorithms.passes import Algorithm
from armillary.constraints.equations import Equations
from armillary.model.lowering.tree import parametric

if TYPE_CHECKING:
    from armillary.evaluate.program import Program

_LARGEST_PLAN = 90  # unknowns: larger systems are not compiled
_LARGEST_TREE = 60  # bodies


def may_be_compiled(equations: Equations) -> bool:
    """Is the mechanism small enough for straight-line code, and is that wanted?"""
    unknowns = equations.tables.nv + equations.constraints.count
    small = unknowns <= _LARGEST_PLAN and len(equations.tables.bodies) <= _LARGEST_TREE
    return small and equations.evaluator.options.tier != 1


def compiled_kernels(
    equations: Equations,
    algorithm: Algorithm,
    reads: tuple[str, ...],
    passive: bool = True,
    verified: bool = False,
) -> Program | None:
    """Straight-line kernels of an algorithm over the constraints, where that is not too long.

    verified: it is forward dynamics, and new code of it is tried once (verify.py)."""
    from armillary.constraints.verify import of_closed
    from armillary.evaluate.program import Program
    from armillary.evaluate.request import Request

    owner = equations.evaluator
    if not may_be_compiled(equations):
        return None
    constraints = equations.constraints if passive else equations.constraints.bare
    if "parameters" in reads:
        tables = replace(parametric(owner.model, True, passive), constraints=constraints)
    else:
        tables = replace(owner.tables(True, passive, minimal=True), constraints=constraints)
    request = Request(algorithm, reads, owner.moving_base)
    verify = of_closed(equations, passive) if verified else None
    kernels = Program(request, tables, owner.options, verify)
    try:
        kernels.straight()
    except ZeroDivisionError:  # a free motion without any inertia: the null space names it
        return None
    return kernels if kernels.straight() else None
