"""The program of one question: which code serves it, for one state or many, in double or single
precision."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike

from armillary.codegen.target import native
from armillary.evaluate.inputs import checked_out
from armillary.evaluate.kernel import LARGE, Code, Kernel, Rows, Spot
from armillary.evaluate.request import CompileOptions, Request, arrays_of
from armillary.evaluate.straight_code import StraightCode, least_operations, straight_code
from armillary.model.lowering.tree import Tables

if TYPE_CHECKING:
    from armillary.evaluate.kernel_in_turn import KernelInTurn
    from armillary.graph.function import FunctionGraph
    from armillary.runtime.threads import Threads

_PER_BODY = 200  # operations of the budget: larger mechanisms are not even traced for tier 2
_LONGEST_TRACE = 60  # bodies that are always traced
_FRAMES = 8  # bodies whose frames get straight-line code of their own; others share the loops
_TIERS = {"loop": 1, "straight": 2, "solve": 2, "interpreter": 0}
_WORTH = 50e-6  # s of work that are worth a thread


@dataclass(frozen=True)
class Explanation:
    """What serves a question: read it with `mechanism.compile_report()`."""

    algorithm: str
    tier: int  # 1: loops, 2: straight-line code, 0: the interpreter, for lack of a compiler
    lanes: int
    element: str
    operations: int | None  # of straight-line code
    code_size: int  # bytes of machine code
    compile_time: float  # s
    from_cache: bool

    def __str__(self) -> str:
        if self.tier == 0:
            return f"{self.algorithm}: the interpreter, without llvmlite"
        count = "" if self.operations is None else f", {self.operations} operations"
        source = "from the cache" if self.from_cache else "compiled"
        kind = "one state" if self.lanes == 1 else f"{self.lanes} states at a time"
        return (
            f"{self.algorithm}: tier {self.tier}, {kind}, {self.element}{count}, "
            f"{self.code_size / 1024:.1f} kB of code, {source} in {self.compile_time:.3f} s"
        )


def _place(
    given: np.ndarray | None, inputs: list[np.ndarray], shape: tuple[int, ...], dtype: DTypeLike
) -> np.ndarray:
    """Where a result is written: the caller's array where that is safe, else a new one."""
    plain = given is not None and given.flags.c_contiguous and given.flags.aligned
    if given is None or not plain or any(np.may_share_memory(given, x) for x in inputs):
        if prod(shape) * np.dtype(dtype).itemsize < LARGE:
            return np.empty(shape, dtype)
        from armillary.evaluate.kept_results import kept_results

        return kept_results().empty(shape, dtype)
    return given.reshape(shape)


def _handed_out(
    given: dict[str, np.ndarray], results: dict[str, np.ndarray], single: bool
) -> dict[str, np.ndarray]:
    """The caller's arrays, filled; with a leading axis where the state was single."""
    for name, array in given.items():
        if not np.shares_memory(array, results[name]):
            array[...] = results[name].reshape(array.shape)
    return {name: array[None] if single else array for name, array in given.items()}


def _mark_bad_rows(inputs: list[np.ndarray], outputs: list[np.ndarray]) -> None:
    """NaN in all results of a row whose inputs are not finite, also where they cancel out.

    Straight-line kernels do this themselves."""
    with np.errstate(all="ignore"):
        if all(np.isfinite(array.sum()) for array in inputs):
            return
    bad = np.zeros(len(outputs[0]), dtype=bool)
    for array in inputs:
        bad |= ~np.isfinite(array).all(axis=1)
    for out in outputs:
        out[bad] = np.nan


Verify = Callable[["Program", Kernel], None]  # raises where a kernel is wrong


class Follower(Protocol):
    """What may stand behind a program: another one, or any object with kernels."""

    def kernel(self, batched: bool, element: str) -> Kernel: ...


class Program:
    """All compiled forms of one algorithm on one mechanism, made when they are first needed.

    verify: looks at each of them (doubles) before it is used, and raises where it is wrong.
    general: what serves where straight-line code does not; by default loops over the bodies."""

    def __init__(
        self,
        request: Request,
        tables: Tables,
        options: CompileOptions,
        verify: Verify | None = None,
        general: Code | None = None,
    ):
        self.request, self.tables, self.options = request, tables, options
        self._verify, self._general = verify, general
        self._kernels: dict[tuple, Kernel] = {}
        self._behind: Follower | None = None
        self._turns: dict[bool, KernelInTurn] = {}
        self._codes: dict[int | None, StraightCode | None] = {}
        self._far_too_long = False  # for a trace
        self._pace: dict[int, float] = {}  # s that a row takes, by kernel
        self.explanations: list[Explanation] = []

    def of_other_bodies(self, tables: Tables) -> Program:
        """The same question to other bodies by loops over them, not verified."""
        return Program(self.request, tables, replace(self.options, tier=1))

    @cached_property
    def _too_large(self) -> bool:
        """Is it too long to be traced?  A small budget is no reason: the trace is counted."""
        if len(self.tables.bodies) > max(_LONGEST_TRACE, self.options.budget // _PER_BODY):
            return True
        return least_operations(self.request.algorithm, self.tables) > self.options.budget

    def _straight_code(self, frame_body: int | None) -> StraightCode | None:
        """Straight-line code where it is wanted and small enough."""
        tier = self.options.tier
        constrained = self.tables.constraints is not None and self._general is None
        if "parameters" in self.request.reads and constrained:
            tier = 2  # constraints have no loop kernel
        if self._reaches_far:
            tier = 2  # nor have cables over many bodies
        if tier == 1:
            return None
        many = len(self._codes) >= _FRAMES and frame_body not in self._codes
        too_large = many or self._too_large
        if tier is None and too_large:
            return None
        if frame_body not in self._codes:
            straight = straight_code(self.request, self.tables, frame_body)
            # traced here in any case: callers hear at once of what cannot be
            fits = straight.fits(self.options.budget) if tier is None else straight.operations >= 0
            self._codes[frame_body] = straight if fits else None
            self._far_too_long = straight.given_up
        return self._codes[frame_body]

    @cached_property
    def _reaches_far(self) -> bool:
        """Is there a force element at more bodies than the loops take?"""
        if not self.tables.elements:
            return False
        from armillary.algorithms.forces.loops import MOST_BODIES, distinct

        return any(len(distinct(element)) > MOST_BODIES for element in self.tables.elements)

    @cached_property
    def _general_code(self) -> Code:
        """What serves where straight-line code does not."""
        request, tables = self.request, self.tables
        if self._general is not None:
            return self._general
        if not native():
            from armillary.evaluate.interpreted_code import InterpretedCode

            return InterpretedCode(request, tables)
        from armillary.evaluate.loop_code import LoopCode, SolvingCode
        from armillary.evaluate.sloped_code import SlopedCode, has_slopes

        before = request.algorithm.before_solve
        large = self._too_large or self._far_too_long or self.options.tier is not None
        if before is not None and not large:
            code = SolvingCode(request, before, tables)
            if code.fits(self.options.budget):
                return code
        if tables.elements and has_slopes(request.algorithm):
            return SlopedCode(request, tables)
        return LoopCode(request, tables)

    def straight(self) -> bool:
        """Does straight-line code of the mechanism serve it?  (Algorithms that need no frame.)"""
        return self._straight_code(None) is not None

    def graph(self) -> FunctionGraph:
        """The whole question as one graph, however long.  (Algorithms that need no frame.)"""
        return self._folded.graph

    @cached_property
    def _folded(self) -> StraightCode:
        return straight_code(self.request, self.tables, folded=True)

    def followed_by(self, behind: Follower) -> Program:
        """The same with another behind it: rows that this one leaves without an answer (NaN) go
        there, natively; for questions with one result, in doubles."""
        return copy(self).put_before(behind)  # with the same kernels

    def put_before(self, behind: Follower) -> Self:
        """This very program, as `followed_by` has it."""
        self._behind, self._turns = behind, {}
        return self

    def kernel(self, batched: bool, element: str, frame_body: int | None = None) -> Kernel:
        """What answers, for one state or for rows of them."""
        first = self._kernel(batched, element, frame_body)
        if self._behind is None or element != "double":
            return first
        if batched not in self._turns:
            from armillary.evaluate.kernel_in_turn import KernelInTurn

            self._turns[batched] = KernelInTurn(first, self._behind.kernel(False, element))
        return self._turns[batched]

    def _kernel(self, batched: bool, element: str, frame_body: int | None = None) -> Kernel:
        straight = self._straight_code(frame_body) if native() else None
        key = (batched, element, frame_body if straight is not None else None)
        if key not in self._kernels:
            began = time.perf_counter()
            code: Code = straight or self._general_code
            lanes = self.options.simd(batched, element)
            made = Kernel(*arrays_of(self.request, self.tables), lanes, code)
            if self._verify is not None and element == "double":
                self._verify(self, made)
            self._kernels[key] = made
            self.explanations.append(
                Explanation(
                    self.request.algorithm.name,
                    _TIERS[code.kind],
                    lanes.width,
                    element,
                    code.operations,
                    sum(library.size for library in made.libraries),
                    time.perf_counter() - began,
                    all(library.from_cache for library in made.libraries),
                )
            )
        return self._kernels[key]

    def of_plain_batches(self, dtype: str, frame_body: int | None = None) -> Kernel | None:
        """The kernel of batches with numbers of this type, if it is there and can be called
        natively: straight line."""
        element = "double" if dtype == "float64" else "float"
        kernel = self._kernels.get(
            (True, element, frame_body if self.request.algorithm.needs_frame() else None)
        )
        plain = kernel is not None and kernel.straight and self._threads is None
        return kernel if plain else None

    def __call__(
        self,
        inputs: Mapping[str, np.ndarray],
        rows: int,
        globals_: np.ndarray,
        frame: Spot | None = None,
        dtype: Any = np.float64,
        out: Mapping[str, np.ndarray] | None = None,
        single: bool = False,
    ) -> dict[str, np.ndarray]:
        """inputs: (rows, n) or (1, n) arrays; results get a leading axis of `rows`.

        out: arrays of the caller to put results into (without that axis where `single`)."""
        element = "double" if dtype == np.float64 else "float"
        batched = rows >= self.options.simd(True, element).width
        body = frame[0] if frame is not None and self.request.algorithm.needs_frame() else None
        kernel = self.kernel(batched, element, body)
        arrays = [np.ascontiguousarray(inputs[name], dtype) for name in self.request.reads]
        strides = [a.shape[-1] if len(a) == rows else 0 for a in arrays]
        wanted = {name: (rows, *shape) for name, shape in kernel.output_shapes.items()}
        given = {
            name: checked_out(array, wanted[name][single:], dtype)
            for name, array in (out or {}).items()
        }
        results = {
            name: _place(given.get(name), arrays, shape, dtype) for name, shape in wanted.items()
        }
        if rows == 0:
            return results
        numbers = globals_.astype(dtype, copy=False)
        if frame is not None:
            frame = (frame[0], frame[1].astype(dtype, copy=False))
        outputs = list(results.values())
        self._share(kernel, Rows(arrays, strides, outputs, rows, numbers, frame))
        if kernel.code.kind in ("loop", "interpreter"):
            _mark_bad_rows(arrays, outputs)
        return results | _handed_out(given, results, single)

    @cached_property
    def _threads(self) -> Threads | None:
        if self.options.threads < 2:
            return None
        from armillary.runtime.threads import threads

        return threads(self.options.threads)

    def _share(self, kernel: Kernel, rows: Rows) -> None:
        """Run all rows, on threads where these were asked for and the batch is worth it."""
        parts = self._parts(rows.count, kernel)
        if len(parts) > 1 and self._threads is not None:
            self._threads.each(lambda part: kernel.run(rows.part(*part)), parts)
            return
        began = time.perf_counter()
        kernel.run(rows)
        pace = (time.perf_counter() - began) / rows.count
        self._pace[id(kernel)] = min(pace, self._pace.get(id(kernel), pace))

    def _parts(self, rows: int, kernel: Kernel) -> list[tuple[int, int]]:
        """Rows for each thread, whole blocks of them: as many parts as the work of the batch, by
        the time that a row took before, is worth."""
        pace, width = self._pace.get(id(kernel)), kernel.lanes.width
        if self._threads is None or pace is None:
            return [(0, rows)]
        worth = rows * pace / _WORTH if _WORTH else rows
        blocks = rows // width
        count = max(1, min(self._threads.members, blocks, int(worth)))
        edges = [blocks * k // count * width for k in range(count)]
        return list(pairwise([*edges, rows]))
