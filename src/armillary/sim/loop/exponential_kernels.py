"""Memory of exponential methods in the native loop (runtime/exponential_loop.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.sim.methods.centre_of_mass import Center
from armillary.sim.methods.integrators import linear_passives

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism


def exponential_memory(mechanism: Mechanism, rows: int, nz: int) -> dict[str, np.ndarray]:
    """Arrays of `rows` states, by field (time_context.py); springs and dampers of the joints."""
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
