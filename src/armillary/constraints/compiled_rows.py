"""Compiled rows of the constraints (algorithms/closed/row_terms.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.closed.row_terms import row_terms
from armillary.algorithms.passes import Algorithm
from armillary.codegen.target import native
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import BoundQuestion
from armillary.evaluate.request import CompileOptions, Request
from armillary.model.lowering.constraint_table import ConstraintTable

if TYPE_CHECKING:
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program


_RIGHT = ("gamma", "rate", "residual")  # right sides, in the order of row_terms


def row_kernels(owner: Evaluator, constraints: ConstraintTable, passive: bool) -> OneOrMany | None:
    """Straight-line code of all rows; None where there is none."""
    from armillary.evaluate.lean_call import OneOrMany

    if not native():
        return None
    kernels = program_over_rows(owner, row_terms, row_terms.reads, constraints, passive)
    return None if kernels is None else OneOrMany(kernels, owner.base_numbers)


def program_over_rows(
    owner: Evaluator,
    algorithm: Algorithm,
    reads: tuple[str, ...],
    constraints: ConstraintTable,
    passive: bool,
    options: CompileOptions | None = None,
) -> Program | None:
    """Code of an algorithm over all rows; None where there is none.  options: other settings than
    the usual ones."""
    from armillary.evaluate.program import Program

    if not constraints.ideal:
        return None
    tables = owner.tables(True, passive, minimal=algorithm is not row_terms)
    tables = replace(tables, constraints=constraints)
    request = Request(algorithm, reads, owner.moving_base, owner.vertical_gravity)
    kernels = Program(request, tables, options or owner.options)
    return kernels if kernels.straight() else None


def chosen_rows(kernels: OneOrMany, names: tuple[str, ...]) -> BoundQuestion | None:
    """J or right sides, by their names in `Terms`, of one state (q, v) by a native call: one array
    or several; None where it cannot take the state."""
    from armillary.evaluate.lean_call import lean_kernel
    from armillary.evaluate.native_call import Given

    kernel = kernels.program.kernel(False, "double")
    (m, n), results = kernel.output_shapes["J"], []
    for name in names:
        if name == "J":
            results.append(Given(name, (m, n)))
        else:
            results.append(Given("right", (m,), np.arange(m) + m * _RIGHT.index(name)))
    return lean_kernel(kernel, kernels.globals_, tuple(results))
