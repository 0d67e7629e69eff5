"""The whole equations of states by one compiled code (algorithms/closed/state_equations.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.algorithms.closed.state_equations import state_equations
from armillary.constraints.compiled_rows import ROWS_PER_CALL, Asked, program_over_rows
from armillary.constraints.rows import Terms, of_kernel
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.program import Program

_WORTH = 300  # calls: for fewer, numpy is done before the code would be compiled
FORCE = 2  # among the pushes


def compiled_system(
    equations: Equations, q: Array, v: Array, tau: Array, passive: bool
) -> tuple[Array, Array, Terms] | None:
    """M (B, n, n), force (B, n) and rows of B states; None where there is no code, or it was not
    asked for so often that it is worth its making."""
    memo = equations.memo
    asked = memo.once("calls of systems", Asked)
    asked.count += 1 + len(q) * equations.constraints.count // ROWS_PER_CALL
    if not len(q) or not (equations.steady or asked.count > _WORTH):
        return None
    program = equation_kernels(equations, ("q", "v", "tau"), passive)
    if program is None:
        return None
    from armillary.evaluate.lean_call import OneOrMany

    make = lambda: OneOrMany(program, equations.evaluator.base_numbers)  # noqa: E731
    found = memo.once(("one or many", program), make)({"q": q, "v": v, "tau": tau}, len(q))
    return found["M"], found["pushes"][:, FORCE], of_kernel(found)


def equation_kernels(equations: Equations, reads: tuple[str, ...], passive: bool) -> Program | None:
    """Code of the equations of states that are given by `reads`, made once; None where there is
    none."""
    if "parameters" in reads:
        return None
    constraints = equations.constraints if passive else equations.constraints.bare
    given = (equations.evaluator, state_equations, reads, constraints, passive)
    return equations.memo.once(("equations", reads, passive), lambda: program_over_rows(*given))
