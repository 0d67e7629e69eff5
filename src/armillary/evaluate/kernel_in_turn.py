"""A kernel and, behind it, another for the rows that the first leaves without an answer."""

from __future__ import annotations

import numpy as np

from armillary.codegen.jit import Library
from armillary.evaluate.kernel import Kernel, Rows, address_of
from armillary.runtime import in_turn


class KernelInTurn(Kernel):
    """A kernel, and a scalar one for the rows that it leaves without an answer (NaN): both in
    doubles, with the same inputs and the same single result."""

    def __init__(self, first: Kernel, second: Kernel):
        self.first, self.second, self.code, self.lanes = first, second, first.code, first.lanes
        self.input_sizes, self.output_shapes = first.input_sizes, first.output_shapes
        self.address = in_turn.library().addresses["batch"]

    @property
    def straight(self) -> bool:
        return False

    @property
    def libraries(self) -> list[Library]:
        return [in_turn.library(), *self.first.libraries, *self.second.libraries]

    def run(self, rows: Rows) -> None:
        """As `Kernel.run`."""
        self.first.run(rows)
        with np.errstate(all="ignore"):
            sums = rows.outputs[0].reshape(rows.count, -1).sum(axis=1)
        left = np.flatnonzero(~np.isfinite(sums))
        if len(left):
            some = rows.chosen(left)
            self.second.run(some)
            for out, found in zip(rows.outputs, some.outputs, strict=True):
                out[left] = found

    def context(self, rows: int, globals_: np.ndarray) -> tuple[np.ndarray, object]:
        """As `Kernel.context`."""
        address, fields = address_of(), in_turn.InTurn
        contexts = (self.first.context(rows, globals_), self.second.context(1, globals_))
        c = np.concatenate([contexts[0][0], np.zeros(fields.SIZE, np.int64)])
        places = ((fields.FIRST, fields.FIRST_CONTEXT), (fields.SECOND, fields.SECOND_CONTEXT))
        for (code, context), kernel, (own, _) in zip(
            places, (self.first, self.second), contexts, strict=True
        ):
            c[in_turn.behind_context(code)] = kernel.address
            c[in_turn.behind_context(context)] = address(own)
        return c, contexts
