"""Further results of a question, natively for plain single states once their kernel is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.passes import Algorithm
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import Evaluator, External


class Lean:
    """All results of an algorithm, in order, for its inputs, in order.

    `plain(q, v, ...)`: without options, natively where it can be."""

    def __init__(self, evaluator: Evaluator, algorithm: Algorithm, reads: tuple[str, ...]):
        from armillary.evaluate import native_call

        self._evaluator, self._algorithm, self._reads = evaluator, algorithm, reads
        self.plain: Any = self._careful
        self._fast: Any = None
        if native_call.available():
            self._fast = native_call.NativeCall(self._careful, {})
            self.plain = self._fast.callable

    def __call__(
        self, values: tuple[ArrayLike, ...], external: External = None, passive: bool = True
    ) -> Any:
        """One array, or a tuple of several."""
        if external is not None or not passive:
            return self._results(values, external, passive)
        return self.plain(*values)

    def _careful(self, *values: ArrayLike) -> Any:
        found = self._results(values, None, True)
        first = found[0] if isinstance(found, tuple) else found
        plain = first.dtype == np.float64 and np.ndim(values[0]) == 1
        fast = self.__dict__.pop("_fast", None) if plain else None
        if fast is not None:
            kernels = self._evaluator.kernels_of(self._algorithm, self._reads, True, True)
            from armillary.evaluate.native_call import Serving

            fast.switch_on(Serving(kernels.kernel(False, "double"), self._evaluator.base_numbers))
        return found

    def _results(
        self, values: tuple[ArrayLike, ...], external: External, passive: bool
    ) -> Array | tuple[Array, ...]:
        inputs = dict(zip(self._reads, values, strict=True))
        found = self._evaluator.run(self._algorithm, inputs, external, passive=passive)
        results = tuple(found[name] for name in self._algorithm.writes)
        return results if len(results) > 1 else results[0]
