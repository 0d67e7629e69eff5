"""All rows of the constraints at states: by straight-line code (closed/row_terms.py) where that is
short enough, else by loops over tables (loop_rows.py); without a compiler by the interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.closed.row_terms import loop_springs, row_terms, rubbing_row_terms
from armillary.algorithms.passes import Algorithm
from armillary.codegen.target import native
from armillary.constraints.loop_rows import ENTRIES, LoopRows
from armillary.constraints.rows import Rows
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, BoundQuestion
from armillary.evaluate.interpreted_code import InterpretedCode
from armillary.evaluate.request import CompileOptions, Request
from armillary.model.lowering.constraint_table import ConstraintTable

if TYPE_CHECKING:
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program


General = type[InterpretedCode] | type[LoopRows]
_RIGHT = ("gamma", "rate", "residual")  # right sides, in the order of row_terms


class RowKernels:
    """Code of all rows of a mechanism."""

    def __init__(self, owner: Evaluator, rows: Rows):
        from armillary.evaluate.lean_call import OneOrMany

        self._owner, self._rows = owner, rows
        self._algorithm = row_terms if rows.constraints.ideal else rubbing_row_terms
        self.program = self._program(self._algorithm)
        self.all = OneOrMany(self.program, owner.base_numbers)
        self._springs: OneOrMany | None = None
        self._parts: dict[tuple[str, ...], OneOrMany] = {}  # loops for some results

    @property
    def loops(self) -> bool:
        """Do loops over tables answer?"""
        return native() and not self.program.straight()

    @property
    def interpreter(self) -> Program:
        """All rows without any compiler."""
        return self._program(self._algorithm, InterpretedCode)

    def _program(self, algorithm: Algorithm, alone: General | None = None) -> Program:
        """alone: what answers whatever the size; None: straight-line code where it fits."""
        from armillary.evaluate.program import Program

        owner, options = self._owner, self._owner.options
        rows = self._rows
        tables = replace(rows.tables, constraints=rows.constraints, elements=())
        request = Request(algorithm, row_terms.reads, owner.moving_base, owner.vertical_gravity)
        general = alone or (LoopRows if native() else InterpretedCode)
        if alone is not None:
            options = replace(options, tier=1)
        code = general(request, tables)
        return Program(request, tables, options, general=code)

    def _part(self, shapes: Mapping[str, tuple[str | int, ...]]) -> OneOrMany:
        """Loops for some results alone."""
        from armillary.evaluate.lean_call import OneOrMany

        key = tuple(sorted(shapes))
        if key not in self._parts:
            writes = dict.fromkeys(key, "results")
            some = replace(self._algorithm, writes=writes, shapes=dict(shapes))
            program = self._program(some, LoopRows)
            self._parts[key] = OneOrMany(program, self._owner.base_numbers)
        return self._parts[key]

    def springs(self, q: Array) -> Array:
        """(B,) what the springs of all loops store, J."""
        from armillary.evaluate.lean_call import OneOrMany

        if self._springs is None:
            program = self._program(loop_springs)
            self._springs = OneOrMany(program, self._owner.base_numbers)
        rest = np.zeros((len(q), self._rows.tables.nv))
        return self._springs({"q": q, "v": rest}, len(q))["stored"].sum(axis=1)

    def entries(self, q: Array) -> Array:
        """(B, pairs) entries of J at `Rows.pairs`, of few configurations: one after the other, so
        that no code for several is made."""
        pairs, rest = self._rows.pairs, np.zeros((1, self._rows.tables.nv))
        loops = self._part({ENTRIES: (len(pairs.rows),)}) if self.loops else None
        found = [np.zeros((0, len(pairs.rows)))]
        for x in q:
            given = {"q": x[None], "v": rest}
            if loops is not None:
                found.append(loops(given, 1)[ENTRIES])
            else:
                found.append(self.all(given, 1)["J"][:, pairs.rows, pairs.columns])
        return np.concatenate(found)

    def chosen(self, names: tuple[str, ...]) -> BoundQuestion | None:
        """J or right sides, by their names in `Terms`, of one state (q, v) by a native call: one
        array or several; None where it cannot take the state."""
        from armillary.evaluate.lean_call import lean_kernel
        from armillary.evaluate.native_call import Given

        if not native():
            return None
        needed = {"J" if name == "J" else "right": 0 for name in names}
        shapes = {name: self._algorithm.shapes[name] for name in needed}
        program = self._part(shapes).program if self.loops else self.program
        m, n = self._rows.constraints.count, self._rows.tables.nv
        results = [
            Given(name, (m, n))
            if name == "J"
            else Given("right", (m,), np.arange(m) + m * _RIGHT.index(name))
            for name in names
        ]
        kernel = program.kernel(False, "double")
        return lean_kernel(kernel, self._owner.base_numbers, tuple(results))


def program_over_rows(
    owner: Evaluator,
    algorithm: Algorithm,
    reads: tuple[str, ...],
    constraints: ConstraintTable,
    passive: bool,
    options: CompileOptions | None = None,
) -> Program | None:
    """Straight-line code of an algorithm over all rows; None where there is none.  options: other
    settings than the usual ones."""
    from armillary.evaluate.program import Program

    if not constraints.ideal:
        return None
    tables = replace(owner.tables(True, passive, minimal=True), constraints=constraints)
    request = Request(algorithm, reads, owner.moving_base, owner.vertical_gravity)
    kernels = Program(request, tables, options or owner.options)
    return kernels if kernels.straight() else None
