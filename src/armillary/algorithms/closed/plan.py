"""How the equations of a closed mechanism are solved: which rows, in which order, for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from armillary.algorithms.closed.constraint_rows import Lines
from armillary.algorithms.closed.embedding import Pivot
from armillary.algorithms.sparse import SparseRows
from armillary.scalar import Scalar

T = TypeVar("T")


@dataclass(frozen=True)
class Plan:
    """How the equations of one mechanism are solved, decided when it is built.

    kept: rows of J that do not follow from the others in every configuration.  order: elimination
    order of (degrees of freedom, kept rows).  mu: regularisation of each kept row.

    Rows that are independent in all samples need no regularisation: they are solved for dependent
    coordinates (embedding.py), which is shorter and as exact.  Kept rows without a pivot follow
    from the others wherever the mechanism is closed (Bricard's linkage): they are checked alone."""

    kept: tuple[int, ...]
    order: tuple[int, ...] = ()
    mu: tuple[float, ...] = ()
    refinements: int = 3
    tolerance: float = 1e-13  # largest last correction, as a part of the accelerations
    pivots: tuple[Pivot, ...] | None = None  # independent rows: solved for these instead
    scale: tuple[float, ...] = ()  # 1 rad, or the size of the machine, per degree of freedom
    length: float = 1.0  # size of the machine, m
    # rows without a pivot: what they may be off, as a part of their terms; and, per kept row, 1
    # over the size that an opening counts against, which they may be off as well
    implied_tolerance: float = 0.0
    openings: tuple[float, ...] = ()
    # per row, 1 over the opening up to which a position counts as closed; 0: it may be anywhere
    closing: tuple[float, ...] = ()
    # with pivots: degrees of freedom of branches that no row touches (branches.py)
    articulated: tuple[int, ...] = ()

    @property
    def implied(self) -> list[int]:
        """Which of the kept rows have no pivot."""
        solved = {pivot.row for pivot in self.pivots or ()}
        return [] if self.pivots is None else [k for k in range(len(self.kept)) if k not in solved]


class Core:
    """The equations of the degrees of freedom that are not articulated, numbered among these."""

    def __init__(self, plan: Plan, nv: int):
        out = set(plan.articulated)
        self.nv, self._dofs = nv, [k for k in range(nv) if k not in out]
        self._number = {dof: k for k, dof in enumerate(self._dofs)}
        self.plan = plan
        if out:
            pivots = tuple(replace(x, dof=self._number[x.dof]) for x in plan.pivots or ())
            self.plan = replace(plan, pivots=pivots, scale=tuple(self.chosen(plan.scale)))

    def chosen(self, numbers: Sequence[T]) -> list[T]:
        return [numbers[k] for k in self._dofs]

    def _row(self, row: dict[int, Scalar]) -> dict[int, Scalar]:
        return {self._number[k]: x for k, x in row.items() if k in self._number}

    def of(self, M: SparseRows) -> SparseRows:
        return [self._row(M[k]) for k in self._dofs]

    def lines(self, lines: Lines) -> Lines:
        return [(self._row(entries), target) for entries, target in lines]

    def filled(self, a: Sequence[Scalar]) -> list[Scalar]:
        """For all degrees of freedom; 0, or NaN where there is no solution, for articulated."""
        if len(a) == self.nv:
            return list(a)
        status = a[0] * 0.0
        return [a[self._number[k]] if k in self._number else status for k in range(self.nv)]
