"""Where the numbers of a loop kernel stand: one row per kind of address.

An address is (where, k, ...) or, where the array is an input or an output, (where, field of the
context, k, ...): number k of the item (the body) or of the whole array.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from armillary.codegen.abi import Context, Ints
from armillary.graph.cut import Memory


class Place(NamedTuple):
    """field: of the context, with the pointer; None: the second word of the address tells.
    column: of the integers of a body, where its numbers begin; None: at the start.
    shared: the same for all states; others stand W states side by side.
    good: how long a load is good: only read, so always; in one pass; until it is written."""

    field: int | None = None
    column: int | None = None
    shared: bool = False
    good: Literal["always", "pass", "until written"] = "until written"


PLACES = {
    "const": Place(Context.CONSTS, Ints.CONSTS, shared=True, good="always"),  # of the body
    "global": Place(Context.GLOBALS, shared=True, good="always"),  # gravity, base motion
    "frame": Place(Context.FRAME, shared=True, good="always"),  # placement of the asked frame
    "own": Place(Context.WORK, Ints.WORK),  # the body's record
    "parent": Place(Context.WORK, Ints.PARENT_WORK, good="pass"),  # its parent's: (parent, k, pass)
    "sum": Place(Context.WORK, Ints.SUM, good="pass"),  # what its children added up
    "parent_sum": Place(Context.WORK, Ints.PARENT_SUM, good="pass"),  # what its parent will find
    "state": Place(Context.STATE),  # what climbs along a path
    "q": Place(None, Ints.Q, good="always"),
    "dof": Place(None, Ints.V, good="always"),  # (dof, array, k, numbers per degree of freedom)
    "body": Place(None, Ints.NUMBER, good="always"),  # (body, array, k, numbers per body)
    "whole": Place(),  # of an output
    "cell": Place(),  # (cell, array, k): matrix[v + k, column]
    "mirror": Place(),  # (mirror, array, k): matrix[column, v + k]
    "wide": Place(),  # (wide, array, row, k): matrix[row, v + k]
}
MEMORY = Memory(
    lasting=frozenset(name for name, place in PLACES.items() if place.good == "always"),
    passing=frozenset(name for name, place in PLACES.items() if place.good == "pass"),
)
