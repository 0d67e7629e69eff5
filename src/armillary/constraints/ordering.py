"""The regularised system [M J^T; J -mu]: its regularisation, and the order of its elimination.

The order is found once, by eliminating samples: few entries first, but only healthy pivots."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from armillary.scalar import Scalar

MU = 1e-10  # of the typical diagonal of J M^-1 J^T
_HEALTHY = 1e-3  # of the size a pivot has by itself
_LEAST = 1e-300

SampleRows = list[dict[int, Scalar]]  # entries: a number, or an array over several samples


def elimination_order(rows: SampleRows, sizes: Sequence[Scalar]) -> list[int]:
    """Order of elimination of a sparse symmetric matrix.

    rows: its entries in the samples (changed here); sizes: what each pivot has by itself, 0 where
    it has nothing (a massless body): then that of the terms it is made of.  A pivot that is much
    smaller than that in some sample waits until its neighbours are gone."""
    sizes = list(sizes)
    massless = [bool(np.all(size == 0.0)) for size in sizes]

    def health(k: int) -> float:
        return float(np.min(abs(rows[k].get(k, 0.0)) / np.maximum(sizes[k], _LEAST)))

    heap = [(len(row), k) for k, row in enumerate(rows)]
    heapq.heapify(heap)
    waiting: set[int] = set()
    done: set[int] = set()
    order: list[int] = []
    while len(order) < len(rows):
        if not heap:  # none is healthy: the healthiest of them
            k = max(sorted(waiting), key=health)
            waiting.discard(k)
        else:
            degree, k = heapq.heappop(heap)
            if k in done or k in waiting or degree != len(rows[k]):
                continue
            if health(k) <= _HEALTHY:
                waiting.add(k)
                continue
        order.append(k)
        done.add(k)
        pivot = _pivot(rows[k].get(k, 0.0))
        for i in [i for i in rows[k] if massless[i] and i != k]:
            sizes[i] = np.maximum(sizes[i], rows[k][i] ** 2 / abs(pivot))
        for i in eliminate(rows, k):
            waiting.discard(i)
            heapq.heappush(heap, (len(rows[i]), i))
    return order


def _pivot(x: Scalar) -> Scalar:
    return np.where(x == 0.0, _LEAST, x) if isinstance(x, np.ndarray) else x or _LEAST


def eliminate(rows: SampleRows, k: int) -> list[int]:
    """Take row k out; its neighbours, which get what it leaves behind."""
    row = rows[k]
    pivot = _pivot(row.pop(k, 0.0))
    others = list(row)
    for i in others:
        factor = row[i] / pivot
        target = rows[i]
        del target[k]
        for j in others:
            target[j] = target.get(j, 0.0) - factor * row[j]
    rows[k] = {}
    return others
