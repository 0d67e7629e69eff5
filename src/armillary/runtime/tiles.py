"""Degrees of freedom in tiles of a few that follow one another, for equations with the sparsity of
a tree: what is above and below is the same for all of a tile, so it goes through memory once.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.codegen.abi import Struct, integer

LARGEST = 3  # degrees of freedom: three by four numbers and what they are made of fill 16 registers


class Tile(Struct):
    """Columns of the table of tiles."""

    FIRST = integer()  # its degrees of freedom: FIRST .. LAST - 1
    LAST = integer()
    END = integer()  # LAST .. END - 1 are carried by it
    PARENT = integer()  # the tile before it, -1: none
    RANGES = integer()  # where its ancestors begin in the table of ranges
    RANGE_COUNT = integer()


def tiles_of(parents: Sequence[int]) -> tuple[list[list[int]], list[list[int]]]:
    """Tables of tiles, root first, and of ranges [first, last + 1] of ancestors, root first.

    parents: the degree of freedom that carries each one, -1: none; numbered depth first."""
    children = [0] * len(parents)
    for parent in parents:
        if parent >= 0:
            children[parent] += 1
    firsts: list[int] = []
    for k, parent in enumerate(parents):
        follows = k > 0 and parent == k - 1 and children[parent] == 1
        if not (follows and k - firsts[-1] < LARGEST):
            firsts.append(k)
    lasts = [*firsts[1:], len(parents)]
    tile_of = [t for t, first in enumerate(firsts) for _ in range(first, lasts[t])]
    ends = _ends(parents)
    tiles: list[list[int]] = []
    ranges: list[list[int]] = []
    for first, last in zip(firsts, lasts, strict=True):
        above = _ancestors(parents, first)
        before = tile_of[parents[first]] if parents[first] >= 0 else -1
        tiles.append([first, last, ends[last - 1], before, len(ranges), len(above)])
        ranges += above
    return tiles, [*ranges, [0, 0]]  # one more: loops read one past their last


def _ends(parents: Sequence[int]) -> list[int]:
    """For each degree of freedom, one past the last one that it carries."""
    ends = list(range(1, len(parents) + 1))
    for k in reversed(range(len(parents))):
        if parents[k] >= 0:
            ends[parents[k]] = max(ends[parents[k]], ends[k])
    return ends


def _ancestors(parents: Sequence[int], k: int) -> list[list[int]]:
    """All that carry k, root first, as ranges [first, last + 1]."""
    ranges: list[list[int]] = []
    while (k := parents[k]) >= 0:
        if ranges and ranges[0][0] == k + 1:
            ranges[0][0] = k
        else:
            ranges.insert(0, [k, k + 1])
    return ranges
