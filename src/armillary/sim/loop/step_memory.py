"""Memory of the native loop over time: states and rates, by the names of their fields
(time_context.py)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import address_of
from armillary.model.model import Model
from armillary.sim.methods.centre_of_mass import Center
from armillary.sim.methods.integrators import linear_passives

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism


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


def exponential_memory(mechanism: Mechanism, rows: int, nz: int) -> dict[str, np.ndarray]:
    """Of exponential methods (runtime/exponential_loop.py); springs, dampers of the joints."""
    n, size = mechanism.nv, 2 * mechanism.nv
    shapes = dict.fromkeys(("FROZEN", "PHI_1", "PHI_2"), size * size)
    shapes |= dict.fromkeys(("BEND_Q", "BEND_V", "KICK", "MOVE"), n)
    shapes |= {"BY_TAU": n * n, "BEND_Z": nz, "NOTHING": max(n, nz)}
    found: dict[str, np.ndarray] = {
        name: np.zeros((rows, max(width, 1))) for name, width in shapes.items()
    }
    found |= {"RIGHT": np.zeros(size), "ADDED": np.zeros(size), "SQUARE": np.zeros((size, size))}
    spring, damper = linear_passives(mechanism)
    damper[Center(mechanism).linear] = 0.0  # of body axes, not of the centre's
    return found | {"SPRING": spring, "DAMPER": damper}
