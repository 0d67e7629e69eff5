"""How long straight-line code gets at the least, found without tracing it.

Tracing takes seconds where the code would be some ten times longer than it may be; what is surely
too long is not traced.
"""

from __future__ import annotations

from armillary.algorithms.passes import Algorithm, AncestorPairs, Solve
from armillary.model.lowering.tree import Tables

# operations at the least, as seen on chains with axes along and across each other (slides, which
# turn nothing, have fewer, and do not count)
_PER_PAIR = 15  # of a body with one that carries it
_PER_SOLVED_PAIR = 40  # the same, with the equations of motion solved
_PER_ELEMENT_PAIR = 6  # of a body that moves an end of a force element with one that feels it


def least_operations(algorithm: Algorithm, tables: Tables) -> int:
    """A bound for algorithms that write derivatives by q and v; 0 for all others."""
    writes = {name for p in algorithm.passes if isinstance(p, AncestorPairs) for name in p.writes}
    if not {"dq", "dv"} <= writes:
        return 0
    paths = _paths(tables)
    solved = any(isinstance(p, Solve) for p in algorithm.passes)
    found = (_PER_SOLVED_PAIR if solved else _PER_PAIR) * sum(map(len, paths))
    for element in tables.elements:
        ways: list[set[int]] = [{*paths[k]} if k >= 0 else set() for k in element.bodies]
        if ways:
            moving = ways[0].union(*ways[1:]) - ways[0].intersection(*ways[1:])
            found += _PER_ELEMENT_PAIR * len(moving) * sum(map(len, ways))
    return found


def _paths(tables: Tables) -> list[tuple[int, ...]]:
    """Of every body: those that carry it, and itself, as far as they can turn."""
    found: list[tuple[int, ...]] = []
    for k, (body, parent) in enumerate(zip(tables.bodies, tables.parents, strict=True)):
        own = () if body.joint.kind == "prismatic" else (k,)
        found.append((*(found[parent] if parent >= 0 else ()), *own))
    return found
