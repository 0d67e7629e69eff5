"""Elimination order of a sparse symmetric system: few entries first, but only healthy pivots."""

from __future__ import annotations

import heapq

from armillary.functions.inputs import Array

_HEALTHY = 1e-3


def sparse_order(rows: list[dict[int, float]], own: Array) -> list[int]:
    """Order of elimination, found by eliminating a sample.

    rows: entries of the sample (changed here); own: the size each pivot has by itself.  A pivot
    that is much smaller than that waits until its neighbours are gone."""
    heap = [(len(row), k) for k, row in enumerate(rows)]
    heapq.heapify(heap)
    waiting: set[int] = set()
    done: set[int] = set()
    order: list[int] = []
    while len(order) < len(rows):
        if not heap:  # none is healthy: the healthiest of them
            k = max(waiting, key=lambda i: abs(rows[i].get(i, 0.0)) / own[i])
            waiting.discard(k)
        else:
            degree, k = heapq.heappop(heap)
            if k in done or k in waiting or degree != len(rows[k]):
                continue
            if abs(rows[k].get(k, 0.0)) <= _HEALTHY * own[k]:
                waiting.add(k)
                continue
        order.append(k)
        done.add(k)
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
