"""Compiled rows of the constraints (algorithms/closed/row_terms.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from armillary.algorithms.closed.row_terms import row_terms
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.request import Request
from armillary.model.lowering.constraint_table import ConstraintTable

if TYPE_CHECKING:
    from armillary.evaluate.lean_call import OneOrMany


@dataclass
class Asked:
    """How often something was asked for: what is asked for once is not worth compiling."""

    count: int = 0


def row_kernels(owner: Evaluator, constraints: ConstraintTable, passive: bool) -> OneOrMany | None:
    """Straight-line code of all rows; None where there is none."""
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program

    if not constraints.ideal:
        return None
    tables = replace(owner.tables(True, passive), constraints=constraints)
    request = Request(row_terms, row_terms.reads, owner.moving_base, owner.vertical_gravity)
    kernels = Program(request, tables, owner.options)
    return OneOrMany(kernels, owner.base_numbers) if kernels.straight() else None
