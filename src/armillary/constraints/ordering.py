"""Elimination order of a sparse symmetric system: few entries first, but only healthy pivots."""

from __future__ import annotations

import heapq

import numpy as np

from armillary.evaluate.inputs import Array

_HEALTHY = 1e-3


def sparse_order(rows: list[dict[int, float]], own: Array) -> list[int]:
    """Order of elimination, found by eliminating a sample.

    rows: entries of the sample (changed here); own: the size each pivot has by itself, 0 where it
    has none (a massless body): then that of the terms it is made of.  A pivot that is much smaller
    than that waits until its neighbours are gone."""
    sizes = np.array(own, float)
    massless = sizes == 0.0
    heap = [(len(row), k) for k, row in enumerate(rows)]
    heapq.heapify(heap)
    waiting: set[int] = set()
    done: set[int] = set()
    order: list[int] = []
    while len(order) < len(rows):
        if not heap:  # none is healthy: the healthiest of them
            k = max(waiting, key=lambda i: abs(rows[i].get(i, 0.0)) / (float(sizes[i]) or 1e-300))
            waiting.discard(k)
        else:
            degree, k = heapq.heappop(heap)
            if k in done or k in waiting or degree != len(rows[k]):
                continue
            if abs(rows[k].get(k, 0.0)) <= _HEALTHY * sizes[k]:
                waiting.add(k)
                continue
        order.append(k)
        done.add(k)
        pivot = rows[k].get(k, 0.0) or 1e-300
        for i in [i for i in rows[k] if massless[i] and i != k]:
            sizes[i] = max(sizes[i], rows[k][i] ** 2 / abs(pivot))
        for i in _eliminate(rows, k):
            waiting.discard(i)
            heapq.heappush(heap, (len(rows[i]), i))
    return order


def _eliminate(rows: list[dict[int, float]], k: int) -> list[int]:
    """Take row k out; its neighbours, which get what it leaves behind."""
    row = rows[k]
    pivot = row.pop(k, 0.0) or 1e-300
    others = list(row)
    for i in others:
        factor = row[i] / pivot
        target = rows[i]
        del target[k]
        for j in others:
            target[j] = target.get(j, 0.0) - factor * row[j]
    rows[k] = {}
    return others
