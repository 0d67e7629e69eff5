"""What native loops over constraints work on: where the results of the tree and of the constraints
stand in the memory of a state, and the tables by which their code fills it
(runtime/elimination.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.elimination_terms import BodyMotion
from armillary.codegen.abi import Ints, Slot
from armillary.codegen.target import Lanes
from armillary.constraints.row_code import KindCode, numbers_of
from armillary.evaluate.kernel import Linked
from armillary.model.lowering.constraint_table import (
    ConstraintTable,
    FrameConstraint,
    LinearConstraint,
)
from armillary.model.lowering.tree import Tables
from armillary.runtime.closing_code import ORIGIN
from armillary.runtime.closing_tables import Closing


class Records:
    """The memory of a state, and its tables."""

    def __init__(
        self, tables: Tables, reads: Sequence[str], step: int = BodyMotion.size, axis: int = 6
    ):
        """tables: with the constraints.  reads: names of the inputs.  step, axis: numbers of the
        motion of a body, and of an axis."""
        self.tables, self.reads = tables, reads
        self.constraints = tables.constraints or ConstraintTable((), ())
        self.memory = 0
        self._step, self.motion = step, self.room(step * len(tables.bodies))
        self.axes = self.room(axis * tables.nv)
        self.carriers = [k for k, body in enumerate(tables.bodies) for _ in range(body.joint.nv)]
        self.codes: list[KindCode] = []
        self._spans: list[tuple[int, int]] = []  # first and last member of every kind
        self._ints: list[list[int]] = []
        self._numbers: list[float] = []
        self._forms: list[tuple[int, int, int, int]] = []  # place, first and last term, input
        self._offsets: list[float] = []
        self._terms: list[tuple[int, float]] = []

    def room(self, count: int) -> int:
        """Where so many numbers stand."""
        first, self.memory = self.memory, self.memory + count
        return first

    def origin(self, body: int) -> int:
        """Of a body, in the world."""
        return self.motion + self._step * body + ORIGIN

    def members(
        self, code: KindCode, numbers: Sequence[int], further: Sequence[Sequence[float]]
    ) -> list[int]:
        """Records of constraints between frames, which share their code.  further: their constants
        behind `numbers_of`."""
        self.codes.append(code)
        first, found = len(self._ints), []
        for number, more in zip(numbers, further, strict=True):
            frame, row = self.constraints.frames[number], [0] * Ints.SIZE
            row[Ints.WORK] = self.room(code.size)
            row[Ints.PARENT_WORK] = self.motion + self._step * max(frame.second, 0)
            row[Ints.PARENT_SUM] = self.motion + self._step * max(frame.first, 0)
            row[Ints.CONSTS], row[Ints.SUM] = len(self._numbers), self.turns(frame)
            self._numbers += [*numbers_of(frame), *more]
            self._ints.append(row)
            found.append(row[Ints.WORK])
        self._spans.append((first, len(self._ints)))
        return found

    def turns(self, frame: FrameConstraint) -> int:
        """Where its turns are counted."""
        return 0 if frame.turns is None else self.form(frame.turns.offset, frame.turns.terms, "q")

    def form(self, offset: float, terms: Sequence[tuple[int, float]] = (), source: str = "") -> int:
        """offset + Σ coefficient * input: where it stands."""
        place, first = self.room(1), len(self._terms)
        self._terms += terms
        slot = self.reads.index(source) if terms else 0
        self._forms.append((place, first, len(self._terms), slot))
        self._offsets.append(offset)
        return place

    def value(self, axis: LinearConstraint, level: str) -> int:
        """Gamma, rate or residual of a linear row."""
        if level == "gamma":
            return self.form(axis.acceleration)
        rates = level == "rate"
        wish = axis.velocity if rates else axis.offset
        if wish is None:
            return self.form(0.0)
        terms = [(v if rates else q, x) for v, q, x in axis.terms]
        return self.form(-wish, terms, "v" if rates else "q")

    def point(self, linked: Linked, c: NDArray[np.int64], lanes: Lanes) -> None:
        """The tables of all records, kept by what is linked, and its code."""
        libraries = [code.library(lanes) for code in self.codes]
        linked.libraries += libraries
        addresses = [library.addresses["constraint_rows"] for library in libraries]
        spans = [(address, *span) for address, span in zip(addresses, self._spans, strict=True)]
        terms, factors = zip(*self._terms, strict=True) if self._terms else ((0,), (0.0,))
        integers = {
            Closing.CODES: spans,
            Closing.INTS: self._ints,
            Closing.FORMS: self._forms,
            Closing.TERMS: terms,
        }
        doubles = {
            Closing.CONSTS: self._numbers,
            Closing.OFFSETS: self._offsets,
            Closing.FACTORS: factors,
        }
        hold(linked, c, integers, doubles)
        c[Closing.CODE_COUNT], c[Closing.FORM_COUNT] = len(spans), len(self._forms)
        c[Closing.MOTION], c[Closing.AXES] = self.motion, self.axes


def hold(
    linked: Linked,
    c: NDArray[np.int64],
    integers: Mapping[Slot, object],
    doubles: Mapping[Slot, object],
) -> None:
    """Arrays of the tables, kept by what is linked."""
    for kind, arrays in ((np.int64, integers), (np.float64, doubles)):
        for field, values in arrays.items():
            c[field] = linked.held(np.ascontiguousarray(values, kind))
