"""Memory of the native loop over time: states and rates, by the names of their fields."""

from __future__ import annotations

from math import prod

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import address_of
from armillary.model.model import Model


def zeros(*shape: int) -> Array:
    """Zeros that begin with a cache line."""
    block = np.zeros(prod(shape) + 8)
    return block[-(address_of()(block) // 8) % 8 :][: prod(shape)].reshape(shape)


def state_arrays(model: Model, rows: int, nz: int, stages: int) -> dict[str, Array]:
    """States at the start, in a stage and at the end, q, v and z one behind the other; rates of
    every stage; vectors along v."""
    widths = {"Q": model.nq, "V": model.nv, "Z": nz}
    found: dict[str, Array] = {"TIME": np.zeros(1)}
    for prefix in ("", "STAGE_", "NEW_"):
        block, first = zeros(rows * sum(widths.values()) + 1), 0
        for name, width in widths.items():
            found[prefix + name] = block[first : first + rows * width].reshape(rows, width)
            first += rows * width
    for name, width in (("RATES_Q", model.nv), ("RATES_V", model.nv), ("RATES_Z", nz)):
        found[name] = zeros(stages, rows, max(width, 1))
    for name in ("THETA", "ZERO", "FORCE"):
        found[name] = zeros(rows, max(model.nv, 1))
    return found
