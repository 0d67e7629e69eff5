"""Which code answers a question of a closed mechanism: one table over the operations of the code,
the unknowns of the mechanism, and whether few or many states are announced.  What was asked before
never counts.

    straight    straight-line code of the mechanism, up to so many operations
    loops       native loops of any size (elimination_code.py)
    null space  what neither converges on, state by state: natively up to `NATIVE` numbers of a
                matrix, by LAPACK beyond
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from armillary.constraints.kept_rows import kept_rows
from armillary.evaluate.request import MANY_STATES, CompileOptions

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

# operations of straight-line code, for few states and for many, where the budget is the usual one
OPERATIONS = {
    "accelerations": (15_000, 15_000),  # loops of bodies of many kinds run three times as long
    "corrections, rows, forces": (12_000, 12_000),
    "split and slopes of derivatives": (12_000, 30_000),
}
ACCELERATIONS, STEPS, SLOPES = OPERATIONS
# operations of the budget that an unknown and a body count for: larger systems are not even traced
PER_UNKNOWN, PER_BODY = 133, 200
NATIVE = 4096  # numbers of a matrix: LAPACK works through larger ones in blocks, and is faster


def options_for(equations: Equations, code: str, states: int = 0) -> CompileOptions:
    """The settings of straight-line code of this kind.  states: that are asked for at once."""
    options = equations.evaluator.options
    if options.budget != CompileOptions.budget:
        return options
    return replace(options, budget=OPERATIONS[code][many(equations, states)])


def many(equations: Equations, states: int = 0) -> bool:
    """Are many states announced, or asked for at once?"""
    return max(states, equations.evaluator.options.states) > MANY_STATES


def small(equations: Equations) -> bool:
    """Is the mechanism small enough to be traced for straight-line code, and is that wanted?"""
    options, n = equations.evaluator.options, equations.tables.nv
    if options.tier is not None:
        return options.tier == 2
    bodies, most = len(equations.tables.bodies), options.budget // PER_UNKNOWN
    if PER_BODY * bodies > options.budget or n > most:
        return False
    # half of the rows of a planar loop follow from the others: they are looked at where it matters
    return n + equations.constraints.count <= most or n + len(kept_rows(equations)) <= most


def report(equations: Equations) -> str:
    """The table for one mechanism, as `compile_report` prints it."""
    unknowns = f"{equations.tables.nv} coordinates and {equations.constraints.count} rows"
    who = "straight, or loops" if small(equations) else "loops"
    lines = [f"closed, with {unknowns}: {who}; behind them the null space"]
    for code in OPERATIONS if small(equations) else ():
        most = options_for(equations, code).budget
        lines.append(f"  {code:<34} straight up to {most} operations, else loops")
    return "\n".join(lines)
