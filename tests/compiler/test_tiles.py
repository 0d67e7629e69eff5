"""Tiles of degrees of freedom against the tree itself: ancestors and descendants one by one."""

import numpy as np
import pytest

from armillary.runtime.tiles import LARGEST, Tile, tiles_of


def random_tree(seed: int) -> list[int]:
    """Parents of degrees of freedom, numbered depth first; several roots, chains and forks."""
    rng = np.random.default_rng(seed)
    parents: list[int] = []
    path: list[int] = []  # from a root to the last one
    for k in range(rng.integers(1, 40)):
        if rng.random() < 0.3:
            path = path[: rng.integers(0, len(path) + 1)]
        parents.append(path[-1] if path else -1)
        path.append(k)
    return parents


def ancestors(parents: list[int], k: int) -> list[int]:
    above = []
    while (k := parents[k]) >= 0:
        above.append(k)
    return above[::-1]


@pytest.mark.parametrize("seed", range(30))
def test_what_is_above_and_below(seed):
    parents = random_tree(seed)
    tiles, ranges = tiles_of(parents)
    covered = [k for tile in tiles for k in range(tile[Tile.FIRST], tile[Tile.LAST])]
    assert covered == list(range(len(parents)))
    for tile in tiles:
        first, last = tile[Tile.FIRST], tile[Tile.LAST]
        assert 1 <= last - first <= LARGEST
        start = tile[Tile.RANGES]
        found = ranges[start : start + tile[Tile.RANGE_COUNT]]
        assert [k for low, high in found for k in range(low, high)] == ancestors(parents, first)
        for k in range(first, last):
            inside = list(range(first, k))
            assert ancestors(parents, k) == ancestors(parents, first) + inside
            below = [j for j in range(len(parents)) if k in ancestors(parents, j)]
            assert below == list(range(k + 1, tile[Tile.END]))
        before = tile[Tile.PARENT]
        carrier = parents[first]
        assert before == -1 if carrier < 0 else carrier == tiles[before][Tile.LAST] - 1


def test_long_runs_make_few_ranges():
    """A chain of 40: the ancestors of each tile are one range."""
    tiles, _ = tiles_of([k - 1 for k in range(40)])
    assert len(tiles) == -(-40 // LARGEST)
    assert [tile[Tile.RANGE_COUNT] for tile in tiles] == [0] + [1] * (len(tiles) - 1)
