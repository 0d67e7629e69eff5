"""The whole equations of states by one compiled code (algorithms/closed/state_equations.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.algorithms.closed.state_equations import state_equations
from armillary.constraints.compiled_rows import program_over_rows
from armillary.constraints.rows import Terms, of_kernel
from armillary.constraints.table import STEPS, options_for
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.program import Program

FORCE = 2  # among the pushes


def compiled_system(
    equations: Equations, q: Array, v: Array, tau: Array, passive: bool
) -> tuple[Array, Array, Terms] | None:
    """M (B, n, n), force (B, n) and rows of B states; None where there is no code."""
    program = equation_kernels(equations, ("q", "v", "tau"), passive, len(q)) if len(q) else None
    if program is None:
        return None
    from armillary.evaluate.lean_call import OneOrMany

    make = lambda: OneOrMany(program, equations.evaluator.base_numbers)  # noqa: E731
    found = equations.memo.once(("one or many", program), make)(
        {"q": q, "v": v, "tau": tau}, len(q)
    )
    return found["M"], found["pushes"][:, FORCE], of_kernel(found)


def equation_kernels(
    equations: Equations, reads: tuple[str, ...], passive: bool, states: int = 0
) -> Program | None:
    """Code of the equations of states that are given by `reads`, made once; None where there is
    none.  states: that are asked for at once."""
    if "parameters" in reads:
        return None
    constraints = equations.constraints if passive else equations.constraints.bare
    options = options_for(equations, STEPS, states)
    given = (equations.evaluator, state_equations, reads, constraints, passive, options)
    key = ("equations", reads, passive, options.budget)
    return equations.memo.once(key, lambda: program_over_rows(*given))
