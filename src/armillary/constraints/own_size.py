"""How large a mechanism may be for code of its own: in a row, or rolled up where it consists of
equal parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.codegen.target import native
from armillary.constraints.equal_parts import equal_parts
from armillary.constraints.kept_rows import kept_rows

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

# operations of the budget that an unknown and a body count for: larger systems are not even traced
_PER_UNKNOWN = 133
_PER_BODY = 200
# unknowns up to which code of a mechanism of equal parts is traced at once.  More take seconds:
# worth it where so many states are announced (CompileOptions.states), or were asked for
_TRACED = 450
MANY_STATES = 10_000  # what loops take for them is what tracing takes, whatever the size


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
    return equations.memo.once("repeats", lambda: equal_parts(equations.tables))
