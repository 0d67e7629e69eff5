"""Programs as lean calls: one state in, its results out, without the Python around a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from armillary.evaluate import native_call
from armillary.evaluate.inputs import Array, BoundQuestion
from armillary.evaluate.native_call import Callee, Given, NativeCall, Serving

if TYPE_CHECKING:
    from armillary.evaluate.program import Program


def lean(kernels: Program | None, globals_: Array) -> BoundQuestion | None:
    """The scalar kernel of some as a lean call of its inputs; what it cannot take gives None."""
    return None if kernels is None else lean_kernel(kernels.kernel(False, "double"), globals_)


def lean_kernel(
    kernel: Callee, globals_: Array, results: tuple[Given, ...] = ()
) -> BoundQuestion | None:
    """As `lean`, of one scalar kernel.  results: some of its numbers, where not all are wanted."""
    if not native_call.available():
        return None
    call = NativeCall(lambda *_: None, {})
    call.switch_on(Serving(kernel, globals_, results=results))
    return call.callable


class OneOrMany:
    """A program that is asked for one state as well as for many: for one by a native call, without
    the Python around a batch."""

    def __init__(self, program: Program, globals_: Array):
        self.program, self.globals_ = program, globals_
        self._one: BoundQuestion | None = None
        self._made = False
        self._names: tuple[str, ...] = ()
        self._rows: BoundQuestion | None = None

    def __call__(
        self, inputs: Mapping[str, Array], rows: int, all_or_none: bool = False
    ) -> dict[str, Array]:
        """inputs (rows, n) of doubles in, results (rows, ...) out, by name.  all_or_none: nothing,
        where some result of a single row is not finite, and native calls tell."""
        if rows == 1:
            found = self.one(*(inputs[name][0] for name in self.program.request.reads))
            if found is not None:
                return {name: x[None] for name, x in found.items()}
            if all_or_none and self._one is not None:
                return {}
        return self.program(inputs, rows, self.globals_)

    def one(self, *given: Array) -> dict[str, Array] | None:
        """One state by its inputs (n), in the order in which the program reads them; None unless
        they are plain arrays of that size and all results are finite."""
        if not self._made:
            self._one, self._made = lean(self.program, self.globals_), True
            self._names = tuple(self.program.kernel(False, "double").output_shapes)
        return self._by_name(None if self._one is None else self._one(*given))

    def together(self, *given: Array) -> dict[str, Array] | None:
        """Rows of states by one native call, each input (k, n), or (n) for all of them; None where
        it cannot take them, or some result is not finite."""
        if self._rows is None:
            self._rows = self._of_rows() or (lambda *_: None)
        return self._by_name(self._rows(*given))

    def _of_rows(self) -> BoundQuestion | None:
        self.program.kernel(True, "double")
        kernel = self.program.of_plain_batches("float64")
        if kernel is None or not native_call.available():
            return None
        self._names = tuple(kernel.output_shapes)
        call = NativeCall(lambda *_: None, {})
        call.switch_on_batch(Serving(kernel, self.globals_), checked=True)
        return call.callable

    def _by_name(self, found: Any) -> dict[str, Array] | None:
        if found is None:
            return None
        return dict(zip(self._names, found if len(self._names) > 1 else (found,), strict=True))
