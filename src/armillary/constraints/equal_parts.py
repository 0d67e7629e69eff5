"""Does a mechanism consist of equal parts, so that code of it repeats itself?"""

from __future__ import annotations

from armillary.model.lowering.tree import Tables

_COPIES = 3  # of a body


def equal_parts(tables: Tables) -> bool:
    """Are there several bodies of nearly every kind?  Of one kind are those with the same joint and
    the same zeros and ones, on parents that have the same."""
    own = [
        (body.key(), *(x if x in (0, 1, -1) else None for x in body.parameters()))
        for body in tables.bodies
    ]
    parents = (own[p] if p >= 0 else None for p in tables.parents)
    return len(own) >= _COPIES * len(set(zip(own, parents, strict=True)))
