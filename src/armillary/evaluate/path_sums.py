"""Where the sums stand that bodies hand to their parents on the way to the root.

A sum lives from the first child that gives to it until its body has taken it.  Few live at a time
(two on a chain): they share a small part of the work space, which stays in the nearest cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Sums:
    """Places by body: of its own sum, and of its parent's.  Place 0 holds zeros for the tips.

    first: is the body the first one that gives to its parent?  It stores, the others add."""

    own: tuple[int, ...]
    parent: tuple[int, ...]
    first: tuple[bool, ...]
    count: int


def sums_of(parents: Sequence[int]) -> Sums:
    """Bodies give and take from the last to the first."""
    own, parent, first = [0] * len(parents), [0] * len(parents), [False] * len(parents)
    free: list[int] = []
    count = 1
    for k in reversed(range(len(parents))):
        p = parents[k]
        if p >= 0:
            first[k] = own[p] == 0
            if first[k]:
                if not free:
                    free.append(count)
                    count += 1
                own[p] = free.pop()
            parent[k] = own[p]
        if own[k]:
            free.append(own[k])
    return Sums(tuple(own), tuple(parent), tuple(first), count)
