"""Derivatives of closed mechanisms as one native call: a kernel that splits the equations of a
state, one that gives their slopes, and the products between them (runtime/variation_loop.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.codegen.abi import Context, bits
from armillary.codegen.jit import Library, native_call
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel, Linked, address_of
from armillary.runtime import variation_loop
from armillary.runtime.in_turn import behind_context
from armillary.runtime.variation_loop import FOUND, RESULTS, STATE, Variations

if TYPE_CHECKING:
    from armillary.constraints.nullspace import Scaling


class VariationKernel(Kernel):
    """(q, v, tau) -> a, dtau, and the changes of a along variations.

    along (4, n, k): motions, dq, carried, moved; fast (2, n, l): velocities, dv; full (2, n, n).
    a is not finite where something has not converged, or needs more care."""

    def __init__(
        self,
        split: Kernel,
        slopes: Kernel,
        globals_: Array,
        scaling: Scaling,
        singular: float,
        even: float,
    ):
        """split: scalar, of (q, v, tau); slopes: of directions (dq, dv) at states (`STATE`), with
        globals_ of its own.  singular, even: as in derivatives.py."""
        self.split, self.slopes, self.code, self.lanes = split, slopes, split.code, split.lanes
        self._slope_globals, self._scaling = globals_, scaling
        self._limits = singular, even
        self.input_sizes = list(split.input_sizes)
        shapes = split.output_shapes
        (n, free), (self._m, _) = shapes["N"], shapes["J"]
        along = shapes.get("K", shapes["N"])[1]
        found = ((n,), (n, n), (4, n, along), (2, n, free), (2, n, n))
        self.output_shapes = dict(zip(RESULTS, found, strict=True))
        self._n, self._free, self._along = n, free, along
        self._linked = Linked([variation_loop.library()])
        self.address = variation_loop.library().addresses["batch"]
        self._batch = native_call(self.address)

    @property
    def straight(self) -> bool:
        return False

    @property
    def libraries(self) -> list[Library]:
        return [*self._linked.libraries, *self.split.libraries, *self.slopes.libraries]

    def context(self, rows: int, globals_: np.ndarray) -> tuple[np.ndarray, object]:
        """As `Kernel.context`."""
        n, m, k, free = self._n, self._m, self._along, self._free
        width = self.slopes.lanes.width
        count = max(k + free, width)
        one = self.split.context(1, globals_)
        two = self.slopes.context(count, self._slope_globals)
        names = [name for name in FOUND if name in self.split.output_shapes]
        found = {name: np.zeros(self.split.output_shapes[name]) for name in names}
        sizes = {
            "BALANCE": (count, n), "SLOPES_OF_ROWS": (count, m), "RATES": (count, m),
            "NOTHING": (count, n), "TURNED": (free, n), "P_TURNED": (m, n), "J_TURNED": (n, m),
            "MOTIONS": (count, n), "SPEEDS": (count, n), "CHANGES": (count, n),
            "OTHERS": (count, n), "ONTO_V": (free, n), "ONTO_Q": (max(k, free), n),
            "PART": (max(count, n), max(n, m, k)), "INNER": (k, k), "KEPT": (k,),
        }  # fmt: skip
        s = self._scaling
        arrays = {name: np.zeros(shape) for name, shape in sizes.items()}
        arrays |= {"SCALE": np.array(s.columns), "WEIGHTS": s.rows / s.length}
        c = np.zeros(Context.SIZE + Variations.SIZE, np.int64)
        address, fields = address_of(), Variations.FIELDS
        c[Context.ROWS], c[Context.INPUT_COUNT] = rows, len(self.input_sizes)
        c[Context.OUTPUT_COUNT] = len(RESULTS)
        for i, size in enumerate(self.input_sizes):
            c[Context.INPUT_SIZES + i] = c[Context.INPUT_STRIDES + i] = size
        for i, shape in enumerate(self.output_shapes.values()):
            c[Context.OUTPUT_SIZES + i] = int(np.prod(shape))
        numbers = {name: address(array) for name, array in arrays.items()}
        numbers |= {"SPLIT": self.split.address, "SPLIT_CONTEXT": address(one[0])}
        numbers |= {"SLOPES": self.slopes.address, "SLOPES_CONTEXT": address(two[0])}
        numbers |= {"NV": n, "ROWS": m, "ALONG": k, "FREE": free, "WIDTH": width}
        numbers |= {"SAME": int("K" not in found)}
        numbers |= dict(zip(("SINGULAR", "LEAST"), map(bits, self._limits), strict=True))
        for name, number in numbers.items():
            c[behind_context(fields[name])] = number
        for name, array in found.items():
            c[behind_context(Variations.FOUND.at(FOUND.index(name)))] = address(array)
        for i, name in enumerate(self.split.output_shapes):
            one[0][Context.OUTPUT_ROWS + i] = address(found[name])
        for i, name in enumerate(("BALANCE", "SLOPES_OF_ROWS", "RATES")):
            two[0][Context.OUTPUT_ROWS + i] = address(arrays[name])
        for i, size in enumerate(self.slopes.input_sizes):
            two[0][Context.INPUT_STRIDES + i] = size if i < 2 else 0  # one state, many directions
        for i, name in enumerate(STATE, 2):
            if name in found:
                two[0][Context.INPUT_ROWS + i] = address(found[name])
        return c, (one, two, found, arrays)
