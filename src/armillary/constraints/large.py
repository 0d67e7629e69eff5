"""Large constrained systems: sparse elimination in an order found once, in native loops.

The same regularised and refined equations as closed/constrained.py.  Nothing is compiled for the
mechanism: the tree comes from loop kernels, the rows from the code of their kinds (row_code.py),
and the elimination is one piece of code over tables of integers (runtime/elimination.py), which are
made here.  Work grows with the entries of the factor: for chains of loops, in proportion to their
number.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.tree import mass_matrix
from armillary.constraints.branches import core_dofs
from armillary.constraints.kept_rows import kept_rows
from armillary.constraints.rows import Indices, PlacedBodies
from armillary.evaluate.arrays import shifted
from armillary.evaluate.inputs import Array
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations


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


_MASSLESS = 1e-14  # of the largest inertia: its pivot has to wait for others


class LargeSystem:
    """K = [M J^T; J 0] of one mechanism: its entries, its regularisation, and in which order it is
    eliminated.  wanted (m): rows that take part; all by default.  Degrees of freedom are numbered
    among those that take part, `dofs`; articulated: only those that have to (branches.py)."""

    def __init__(
        self,
        equations: Equations,
        wanted: NDArray[np.bool_] | None = None,
        articulated: bool = False,
    ):
        self.equations = equations
        every = np.arange(equations.tables.nv)
        self.dofs = core_dofs(equations) if articulated else every
        self.n = len(self.dofs)
        self.number_of = np.full(len(every), -1)  # of each degree of freedom; -1: articulated
        self.number_of[self.dofs] = np.arange(self.n)
        self.kept = kept_rows(equations, wanted)
        self._number = np.full(equations.constraints.count, -1)
        self._number[self.kept] = np.arange(len(self.kept))
        self.size = self.n + len(self.kept)
        self.scale = np.asarray(equations.scaling.columns, float)[self.dofs]
        self._pattern()
        self._find_order()

    @cached_property
    def mass_pairs(self) -> tuple[Indices, Indices]:
        """Entries (i, j) of M: its diagonal, then those where j carries i."""
        rows, i, j = self.equations.rows, list(range(self.n)), list(range(self.n))
        for number, dof in enumerate(self.dofs.tolist()):
            above = [k for k in rows.supports[int(rows.carriers[dof])] if k < dof]
            i += [number] * len(above)
            j += self.number_of[sorted(above)].tolist()
        return np.array(i, np.intp), np.array(j, np.intp)

    def _pattern(self) -> None:
        """Entries of K on and below its diagonal: M, J of constraints between frames, J of linear
        ones, which are constants."""
        r, c, *_ = self.equations.rows.pairs
        self.pairs = np.flatnonzero(self._number[r] >= 0)  # of rows.pairs
        rows, columns = self.n + self._number[r[self.pairs]], self.number_of[c[self.pairs]]
        linear: list[tuple[int, int]] = []
        self.constants: list[float] = []
        for constraint in self.equations.constraints.axes:
            number = int(self._number[self.equations.constraints.slices[constraint.name].start])
            sums: dict[int, float] = {}
            for dof, _, x in constraint.terms if number >= 0 else ():
                v = int(self.number_of[dof])
                sums[v] = sums.get(v, 0.0) + x
            linear += [(self.n + number, v) for v in sums]
            self.constants += sums.values()
        ends = [*zip(rows.tolist(), columns.tolist(), strict=True), *linear]
        mass = zip(*(x.tolist() for x in self.mass_pairs), strict=True)
        self.entries = np.array([*mass, *ends], np.int64).reshape(-1, 2)

    # -- a sample --------------------------------------------------------------------------------

    def values(self, q: Array) -> Array:
        """Entries of K at one configuration, articulated joints locked."""
        bodies, J = self.equations.placed(q[None]), self.equations.row_entries(q[None])[0]
        return np.concatenate([self._mass(q, bodies), J[self.pairs], self.constants])

    def _mass(self, q: Array, bodies: PlacedBodies) -> Array:
        """Entries of M."""
        equations, (i, j) = self.equations, (self.dofs[k] for k in self.mass_pairs)
        F = equations.evaluator.run(mass_matrix.mass_columns, {"q": q[None]})["F"]
        carriers = equations.rows.carriers
        arm = bodies.o[:, carriers[i]] - bodies.o[:, carriers[j]]
        M = np.einsum("bpi,bpi->bp", bodies.S[:, j], shifted(F[:, i], arm))[0]
        rotors = armature_of(equations.evaluator.tables(True, True, minimal=True))
        M[: self.n] += rotors[self.dofs]
        return np.asarray(M)

    def _find_order(self) -> None:
        values = self.values(self.equations.tree.initial)
        r, c = self.entries.T
        inertias = np.abs(values[: self.n])
        self.massless = bool((inertias <= _MASSLESS * inertias.max(initial=0.0)).any())
        floor = max(inertias.max(initial=0.0) * 1e-9, 1e-300)
        scale, of_rows = np.zeros(len(self.kept)), r >= self.n
        np.add.at(
            scale,
            r[of_rows] - self.n,
            values[of_rows] ** 2 / np.maximum(inertias[c[of_rows]], floor),
        )
        scale = np.maximum(scale, scale.mean() * 1e-3 if len(scale) else 1.0)
        scale[scale == 0.0] = 1.0
        self.mu = MU * scale
        rows: SampleRows = [{} for _ in range(self.size)]
        for a, b, x in zip(r.tolist(), c.tolist(), values.tolist(), strict=True):
            rows[a][b] = rows[b][a] = x
        for k, mu in enumerate(self.mu.tolist()):
            rows[self.n + k][self.n + k] = -mu
        inertias[inertias <= _MASSLESS * inertias.max(initial=0.0)] = 0.0
        order = elimination_order(rows, [*inertias.tolist(), *scale.tolist()])
        self.ranks = np.empty(self.size, np.int64)
        self.ranks[order] = np.arange(self.size)

    @cached_property
    def factor(self) -> Factor:
        return Factor.of(self.size, self.ranks[self.entries])


@dataclass(frozen=True)
class Factor:
    """The pattern of L, column by column in the order of elimination, the diagonal first."""

    starts: NDArray[np.int64]  # (size + 1)
    ranks: NDArray[np.int64]  # of the entries
    goes: NDArray[np.int64]  # where each entry of K stands
    updates: NDArray[np.int64]  # where the products of the entries of a column go

    @classmethod
    def of(cls, size: int, entries: NDArray[np.int64]) -> Factor:
        """entries: ranks (i, j) of K, each pair once."""
        later: list[set[int]] = [set() for _ in range(size)]
        for i, j in np.sort(entries, axis=1).tolist():
            if i != j:
                later[i].add(j)
        columns: list[list[int]] = []
        for k in range(size):
            column = sorted(later[k])
            columns.append(column)
            if column:  # its other entries appear in the column of the first of them
                later[column[0]].update(column[1:])
        starts = np.cumsum([0, *(1 + len(column) for column in columns)])
        places = [
            {row: start + n for n, row in enumerate([k, *column])}
            for k, (start, column) in enumerate(zip(starts.tolist(), columns, strict=False))
        ]
        ordered = np.sort(entries, axis=1).tolist()
        updates = [
            places[i][j] for column in columns for n, i in enumerate(column) for j in column[n:]
        ]
        return cls(
            starts=starts.astype(np.int64),
            ranks=np.array([x for k, column in enumerate(columns) for x in [k, *column]], np.int64),
            goes=np.array([places[i][j] for i, j in ordered], np.int64),
            updates=np.array(updates or [0], np.int64),
        )


def armature_of(tables: Tables) -> Array:
    return np.array([float(x) for body in tables.bodies for x in body.armature])


def large_system(
    equations: Equations, wanted: NDArray[np.bool_] | None = None, articulated: bool = False
) -> LargeSystem:
    """Made once for every choice of rows."""
    if wanted is not None and wanted.all():
        wanted = None
    key = ("large system", None if wanted is None else wanted.tobytes(), articulated)
    return equations.memo.once(key, lambda: LargeSystem(equations, wanted, articulated))
