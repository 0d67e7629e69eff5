"""Compiled code of algorithms over constraints: straight-line code of the mechanism, or native
loops that serve mechanisms of any size (elimination_code.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.passes import Algorithm
from armillary.constraints.equations import Equations
from armillary.constraints.plan import small
from armillary.constraints.table import ACCELERATIONS, STEPS, options_for
from armillary.evaluate.inputs import Array
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.lowering.tree import Tables, parametric

if TYPE_CHECKING:
    from armillary.evaluate.program import Program


def compiled_kernels(
    equations: Equations,
    algorithm: Algorithm,
    reads: tuple[str, ...],
    passive: bool = True,
    verified: bool = False,
    code: str = STEPS,
    states: int = 0,
) -> Program | None:
    """Straight-line kernels of an algorithm over the constraints, where that is not too long.

    verified: it is forward dynamics, and new code of it is tried once (verify.py).  code: a row of
    the table (table.py).  states: that are asked for at once."""
    from armillary.constraints.verify import of_closed
    from armillary.evaluate.program import Program
    from armillary.evaluate.request import Request

    owner = equations.evaluator
    if not small(equations):
        return None
    request = Request(algorithm, reads, owner.moving_base)
    verify = of_closed(equations, passive) if verified else None
    options = options_for(equations.evaluator.options, ACCELERATIONS if verified else code, states)
    kernels = Program(request, _tables(equations, reads, passive), options, verify)
    try:
        return kernels if kernels.straight() else None
    except ZeroDivisionError:  # a free motion without any inertia: the null space names it
        return None


def eliminating_kernels(
    equations: Equations,
    level: str,
    reads: tuple[str, ...],
    passive: bool = True,
    wanted: NDArray[np.bool_] | None = None,
    row_weights: Array | None = None,
    seldom: bool = False,
) -> Program | None:
    """Native loops: forward dynamics (level "gamma") or a correction ("rate", "residual"); None
    where there is no compiler.  wanted, row_weights (m): as in elimination_code.py.  seldom: they
    stand behind other code, and are made quickly."""
    from armillary.constraints.elimination_code import elimination

    tables = _tables(equations, reads, passive, fuse=False)
    options = equations.evaluator.options
    options = replace(options, optimize=0) if seldom else options
    return elimination(equations, level, reads, tables, options, wanted, row_weights)


def _tables(
    equations: Equations, reads: tuple[str, ...], passive: bool, fuse: bool = True
) -> Tables:
    """The bodies that an algorithm over the constraints works on.  fuse: given bodies are put
    together where they are welded, which straight-line code alone can do."""
    owner, constraints = equations.evaluator, equations.constraints
    if "parameters" in reads:
        tables = parametric(owner.model, fuse, passive)
    else:
        tables = owner.tables(True, passive, minimal=True)
    if not tables.fused:
        constraints = lower_constraints(owner.model, tables)
    return replace(tables, constraints=constraints if passive else constraints.bare)
