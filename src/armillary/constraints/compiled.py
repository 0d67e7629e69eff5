"""Compiled code of algorithms over constraints: straight-line code of the mechanism, or native
loops that serve mechanisms of any size (elimination_code.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.passes import Algorithm
from armillary.codegen.target import native
from armillary.constraints.equations import Equations
from armillary.constraints.large import kept_rows
from armillary.evaluate.inputs import Array
from armillary.evaluate.request import CompileOptions
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.lowering.tree import Tables, parametric

if TYPE_CHECKING:
    from armillary.evaluate.program import Program, Verify

# operations of the budget that an unknown and a body count for: larger systems are not even traced
_PER_UNKNOWN = 133
_PER_BODY = 200
# unknowns up to which code of a mechanism of equal parts is traced at once.  More take seconds:
# worth it where so many states are announced (CompileOptions.states), or were asked for
_TRACED = 450
MANY_STATES = 10_000  # what loops take for them is what tracing takes, whatever the size
_COPIES = 3  # of a body
# operations of forward dynamics, where the budget is the usual one: native loops of a mechanism
# with bodies of many kinds take as long to compile, and three times as long to run
_DYNAMICS = 15_000


def may_be_compiled(equations: Equations) -> bool:
    """Is the mechanism small enough for straight-line code, and is that wanted?"""
    options, n = equations.evaluator.options, equations.tables.nv
    if options.tier is not None:
        return options.tier == 2
    bodies, most = len(equations.tables.bodies), options.budget // _PER_UNKNOWN
    if _PER_BODY * bodies > options.budget or n > most:
        return False
    # half of the rows of a planar loop follow from the others: they are looked at where it matters
    return n + equations.constraints.count <= most or n + len(kept_rows(equations)) <= most


def may_be_rolled(equations: Equations) -> bool:
    """Is code of the mechanism worth tracing where it is too long for straight-line code, to be
    rolled up (graph/rolling.py)?  It is where the mechanism consists of equal parts."""
    options = equations.evaluator.options
    if options.tier == 1 or not native() or not _repeats(equations):
        return False
    asked = 0 if equations.steady else equations.asked
    return not _too_many_unknowns(equations) or options.states + asked >= MANY_STATES


def states_are_counted(equations: Equations) -> bool:
    """Is code of the mechanism made once enough states were asked for?"""
    options = equations.evaluator.options
    counts = options.tier is None and native() and _too_many_unknowns(equations)
    return counts and _repeats(equations) and not may_be_rolled(equations)


def _too_many_unknowns(equations: Equations) -> bool:
    n = equations.tables.nv
    return n + equations.constraints.count > _TRACED and n + len(kept_rows(equations)) > _TRACED


def _repeats(equations: Equations) -> bool:
    """Are there several bodies of nearly every kind?  Of one kind are those with the same joint and
    the same zeros and ones, on parents that have the same."""

    def find() -> bool:
        bodies, parents = equations.tables.bodies, equations.tables.parents
        own = [
            (body.key(), *(x if x in (0, 1, -1) else None for x in body.parameters()))
            for body in bodies
        ]
        kinds = {(x, own[p] if p >= 0 else None) for x, p in zip(own, parents, strict=True)}
        return len(bodies) >= _COPIES * len(kinds)

    return equations.memo.once("repeats", find)


def longer(options: CompileOptions, budget: int) -> CompileOptions:
    """The same with another budget, where it is the usual one."""
    usual = options.budget == CompileOptions.budget
    return replace(options, budget=budget) if usual else options


def compiled_kernels(
    equations: Equations,
    algorithm: Algorithm,
    reads: tuple[str, ...],
    passive: bool = True,
    verified: bool = False,
    rolled: bool = False,
    budget: int = CompileOptions.budget,
    verify: Verify | None = None,
) -> Program | None:
    """Straight-line kernels of an algorithm over the constraints, where that is not too long.

    verified: it is forward dynamics, and new code of it is tried once (verify.py).
    verify: or in another way.  rolled: it may be of any length, as long as it repeats itself.
    budget: of operations, where that of the mechanism is the usual one."""
    from armillary.constraints.verify import of_closed
    from armillary.evaluate.program import Program
    from armillary.evaluate.request import Request

    owner = equations.evaluator
    if not rolled and not may_be_compiled(equations):
        return None
    request = Request(algorithm, reads, owner.moving_base)
    if verified and verify is None:
        verify = of_closed(equations, passive)
    options = longer(owner.options, _DYNAMICS if verified else budget)
    kernels = Program(request, _tables(equations, reads, passive), options, verify, rolls=rolled)
    try:
        kernels.specialised()
    except ZeroDivisionError:  # a free motion without any inertia: the null space names it
        return None
    return kernels if kernels.specialised() else None


def eliminating_kernels(
    equations: Equations,
    level: str,
    reads: tuple[str, ...],
    passive: bool = True,
    wanted: NDArray[np.bool_] | None = None,
    row_weights: Array | None = None,
) -> Program | None:
    """Native loops: forward dynamics (level "gamma") or a correction ("rate", "residual"); None
    where there is no compiler.  wanted, row_weights (m): as in elimination_code.py."""
    from armillary.constraints.elimination_code import elimination

    tables = _tables(equations, reads, passive, fuse=False)
    return elimination(equations, level, reads, tables, wanted, row_weights)


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
