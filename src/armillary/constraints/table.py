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

from armillary.evaluate.request import MANY_STATES, CompileOptions

# operations of straight-line code, for few states and for many, where the budget is the usual one
OPERATIONS = {
    "accelerations": (15_000, 15_000),  # loops of bodies of many kinds run three times as long
    "corrections, rows, forces": (12_000, 12_000),
    "split and slopes of derivatives": (12_000, 30_000),
}
ACCELERATIONS, STEPS, SLOPES = OPERATIONS
# operations of the budget that an unknown and a body count for: larger systems are not even traced
PER_UNKNOWN, PER_BODY = 133, 200
# the same of all forces, and of the slopes of derivatives
PER_LOADED_BODY, PER_SLOPED_BODY = 290, 700
NATIVE = 4096  # numbers of a matrix: LAPACK works through larger ones in blocks, and is faster


def options_for(options: CompileOptions, code: str, states: int = 0) -> CompileOptions:
    """The settings of straight-line code of this kind.  states: that are asked for at once."""
    if options.budget != CompileOptions.budget:
        return options
    return replace(options, budget=OPERATIONS[code][many(options, states)])


def many(options: CompileOptions, states: int = 0) -> bool:
    """Are many states announced, or asked for at once?"""
    return max(states, options.states) > MANY_STATES
