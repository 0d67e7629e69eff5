"""Constraints as tables of native loops: members of kinds, and linear forms of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.codegen.abi import Ints
from armillary.constraints.row_code import numbers_of
from armillary.evaluate.kernel import Linked
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import Tables
from armillary.runtime.closing_tables import Closing

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations


def _carriers(tables: Tables) -> list[int]:
    """The body that each degree of freedom moves."""
    return [k for k, body in enumerate(tables.bodies) for _ in range(body.joint.nv)]


class MemberTables:
    """Constraints by kinds: where their records stand in the memory of a state, and linear forms of
    its inputs."""

    def __init__(self, equations: Equations, tables: Tables, reads: tuple[str, ...]):
        self.equations, self._reads = equations, reads
        self.constraints = tables.constraints or ConstraintTable((), ())
        self.carriers = _carriers(tables)
        self.memory = 0
        self._spans: list[tuple[int, int]] = []  # first and last member of every kind
        self._ints: list[list[int]] = []
        self._numbers: list[float] = []
        self._forms: list[tuple[int, int, int, int]] = []  # place, first and last term, input
        self._offsets: list[float] = []
        self._terms: list[tuple[int, float]] = []

    def room(self, count: int) -> int:
        first, self.memory = self.memory, self.memory + count
        return first

    def kinds(self) -> list[list[int]]:
        """Numbers of the constraints between frames that share their code."""
        kinds: dict[tuple[int, bool, bool], list[int]] = {}
        for k, group in enumerate(self.equations.rows.groups):
            for number in group.numbers.tolist():
                frame = self.constraints.frames[number]
                key = (k, frame.first < 0, frame.second < 0)
                kinds.setdefault(key, []).append(number)
        return list(kinds.values())

    def member(self, number: int, size: int, motion: int, step: int, turns: int) -> int:
        """The integers and numbers of a constraint; its record.  motion: where those of the bodies
        begin, `step` numbers each; turns: where those of its angle are counted."""
        frame, row = self.constraints.frames[number], [0] * Ints.SIZE
        row[Ints.WORK] = self.room(size)
        row[Ints.PARENT_WORK] = motion + step * max(frame.second, 0)
        row[Ints.PARENT_SUM] = motion + step * max(frame.first, 0)
        row[Ints.CONSTS], row[Ints.SUM] = len(self._numbers), turns
        self._numbers += numbers_of(frame)
        self._ints.append(row)
        return row[Ints.WORK]

    def form(self, offset: float, terms: Sequence[tuple[int, float]], source: str) -> int:
        """offset + Σ coefficient * input: where it stands."""
        place, first = self.room(1), len(self._terms)
        self._terms += terms
        slot = self._reads.index(source) if terms else 0
        self._forms.append((place, first, len(self._terms), slot))
        self._offsets.append(offset)
        return place

    def put_members(self, c: NDArray[np.int64], linked: Linked, addresses: Sequence[int]) -> None:
        """Fields of codes, members and forms."""
        t, spans = Closing, [(a, *span) for a, span in zip(addresses, self._spans, strict=True)]
        terms, factors = zip(*self._terms, strict=True) if self._terms else ((0,), (0.0,))
        integers = {t.CODES: spans, t.INTS: self._ints, t.FORMS: self._forms, t.TERMS: terms}
        doubles = {t.CONSTS: self._numbers, t.OFFSETS: self._offsets, t.FACTORS: factors}
        for kind, arrays in ((np.int64, integers), (np.float64, doubles)):
            for field, values in arrays.items():
                c[field] = linked.held(np.ascontiguousarray(values, kind))
        c[t.CODE_COUNT], c[t.FORM_COUNT] = len(spans), len(self._forms)
