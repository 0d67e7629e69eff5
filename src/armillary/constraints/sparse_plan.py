"""Dependent coordinates of mechanisms of any size, found row by row: nothing here is dense.

The same choice as in plan.py: each row is solved for one degree of freedom, the sparsest that is
not small in any sample; among those that are healthy the first, so that equal parts are solved
alike and their code is rolled up (graph/rolling.py)."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.constrained import Plan
from armillary.algorithms.closed.embedding import Pivot
from armillary.constraints.branches import core_dofs
from armillary.constraints.compiled import eliminating_kernels
from armillary.constraints.kept_rows import kept_rows
from armillary.constraints.plan import HEALTHY_SHARE, PIVOT_SHARE, closing_weights
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.program import Program

_SAMPLES = 3  # closed configurations, beside the initial one
_MOVES, _MOVE = 4, 0.08  # towards them: steps, and their size, in rad or of the machine's size
_STEPS = 6  # of Newton's method after each
_CLOSED = 1e-9  # of the size
_INDEPENDENT = 1e-6  # of a row: what the others have to leave of it
Row = dict[int, Array]  # entries (samples,) by degree of freedom


def sparse_plan(equations: Equations, wanted: NDArray[np.bool_] | None = None) -> Plan | None:
    """The plan, made once; None where rows are not independent, or nothing closed is found.
    wanted (m): rows that take part; all by default."""
    key = ("sparse plan", None if wanted is None else wanted.tobytes())
    return equations.memo.once(key, lambda: _sparse_plan(equations, wanted))


def _sparse_plan(equations: Equations, wanted: NDArray[np.bool_] | None) -> Plan | None:
    q = closed_samples(equations)
    if not len(q):
        return None
    kept = kept_rows(equations, wanted)
    pivots = dependent_coordinates(_rows(equations, kept, q))
    if pivots is None:
        return None
    every = np.arange(equations.tables.nv)
    return Plan(
        kept=tuple(int(k) for k in kept),
        pivots=pivots,
        scale=tuple(float(x) for x in equations.scaling.columns),
        closing=closing_weights(equations),
        articulated=tuple(np.setdiff1d(every, core_dofs(equations)).tolist()),
    )


def closed_samples(equations: Equations) -> Array:
    """Closed configurations (k, nq) about the initial one, the same in every process."""
    return equations.memo.once("sparse samples", lambda: _closed_samples(equations))


def moving_sample(equations: Equations, rng: np.random.Generator) -> tuple[Array, Array]:
    """A closed configuration and a velocity that the rows allow."""
    q, s = closed_samples(equations)[-1:], equations.scaling
    v = rng.normal(size=(1, equations.tables.nv)) * s.columns
    return q[0], _allowed(equations, q, v)[0]


def _closed_samples(equations: Equations) -> Array:
    """Along random motions that the rows allow, closed again after every step: a chain of loops
    cannot be closed from just anywhere."""
    rng, s, n = np.random.default_rng(0), equations.scaling, equations.tables.nv
    q = np.tile(equations.tree.initial, (_SAMPLES + 1, 1))
    wanted = np.array(closing_weights(equations)) > 0.0
    v = rng.normal(size=(len(q), n))
    for k in range(_MOVES + 1):
        for _ in range(_STEPS if wanted.any() else 0):
            q = equations.tree.integrate(q, _step(equations, "residual", wanted, {"q": q}))
        if k < _MOVES:
            v = _allowed(equations, q, v * s.columns) / s.columns
            v /= np.maximum(np.abs(v).max(axis=1, keepdims=True), 1e-9)
            v[0] = 0.0
            q = equations.tree.integrate(q, _MOVE * v * s.columns)
    open_ = np.abs(equations.terms(q).residual * s.rows / s.length)[:, wanted]
    limit = max(_CLOSED, equations.geometry_tolerance)
    return q[open_.max(axis=1, initial=0.0) < limit]


def _allowed(equations: Equations, q: Array, v: Array) -> Array:
    """The nearest velocities that the rows allow."""
    return v + _step(equations, "rate", ~equations.idle_rows, {"q": q, "v": v})


def _step(
    equations: Equations, level: str, wanted: NDArray[np.bool_], inputs: dict[str, Array]
) -> Array:
    """A correction by elimination; 0 where there is none."""

    def make() -> Program | None:
        return eliminating_kernels(equations, level, tuple(inputs), wanted=wanted)

    kernels, count = equations.memo.once(("step to sample", level), make), len(inputs["q"])
    if kernels is None:
        return np.zeros((count, equations.tables.nv))
    found = kernels(inputs, count, equations.evaluator.base_numbers)["x"]
    return np.where(np.isfinite(found), found, 0.0)


def _rows(equations: Equations, kept: NDArray[np.intp], q: Array) -> list[Row]:
    """The kept rows of J at the samples."""
    table, pairs = equations.constraints, equations.rows.pairs
    number = {int(row): k for k, row in enumerate(kept)}
    entries = equations.row_entries(q)
    rows: list[Row] = [{} for _ in kept]
    for n, (row, dof) in enumerate(zip(pairs.rows.tolist(), pairs.columns.tolist(), strict=True)):
        if row in number and entries[:, n].any():
            rows[number[row]][dof] = entries[:, n]
    for axis in table.axes:
        k = number.get(table.slices[axis.name].start, -1)
        for dof, _, x in axis.terms if k >= 0 else ():
            rows[k][dof] = rows[k].get(dof, 0.0) + np.full(len(q), float(x))
    return rows


def dependent_coordinates(rows: list[Row]) -> tuple[Pivot, ...] | None:
    """Row and degree of freedom of each pivot; None where the rows are not independent.  rows are
    changed here."""
    columns: dict[int, set[int]] = {}
    for k, row in enumerate(rows):
        for dof in row:
            columns.setdefault(dof, set()).add(k)
    sizes = [_largest(row) for row in rows]

    def best(k: int) -> tuple[float, int, float] | None:
        """Price, degree of freedom and typical size of the best pivot of a row."""
        row, most = rows[k], _largest(rows[k])
        if not row or not (most > _INDEPENDENT * sizes[k]).all():
            return None
        found = []
        for dof, x in row.items():
            share = float((np.abs(x) / most).min())
            if share >= PIVOT_SHARE:
                fill = (len(row) - 1) * (len(columns[dof]) - 1)
                found.append((fill - min(share, HEALTHY_SHARE), dof, float(np.abs(x).mean())))
        return min(found, default=None)

    heap = [(0.0, k) for k in range(len(rows))]
    pivots: list[Pivot] = []
    done: set[int] = set()
    while heap:
        price, k = heapq.heappop(heap)
        found = None if k in done else best(k)
        if k in done:
            continue
        if found is None:
            return None
        if found[0] > price:  # it has changed since
            heapq.heappush(heap, (found[0], k))
            continue
        pivots.append(Pivot(k, found[1], found[2]))
        done.add(k)
        for other in _eliminate(rows, columns, k, found[1]):
            heapq.heappush(heap, (-np.inf, other))
    return tuple(pivots)


def _largest(row: Row) -> Array:
    return np.abs(np.array(list(row.values()))).max(axis=0, initial=0.0)


def _eliminate(rows: list[Row], columns: dict[int, set[int]], k: int, dof: int) -> list[int]:
    """Take a degree of freedom out of the rows that are still to come; which of them had it."""
    row = rows[k]
    for other in row:
        columns[other].discard(k)
    changed = sorted(columns.pop(dof))
    for number in changed:
        target = rows[number]
        factor = target.pop(dof) / row[dof]
        for other, x in row.items():
            if other != dof:
                target[other] = target.get(other, 0.0) - factor * x
                columns[other].add(number)
    return changed
