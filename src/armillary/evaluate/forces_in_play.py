"""How large the forces are that meet in a joint: what a difference of two answers is measured by.

Joint forces may vanish by cancellation (wheels on both sides of a cart, weight across an axis),
and only rounding of what cancelled is left of them.
"""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.evaluate.results import BodyForces

SHARE = 1e-4  # of the forces in play: less than that is no scale, for it may be what cancelled


def forces_in_play(forces: BodyForces, origins: Array) -> Array:
    """(nv,): for every coordinate, moments (N m) or forces (N) of all bodies that its joint
    carries, added without their signs.

    origins (bodies, 3): of the bodies in the world, whose distances are the levers, m."""
    model = forces.model
    net = forces.net.reshape(len(model.bodies), 2, 3)
    moment, force = np.linalg.norm(net, axis=2).T
    play = np.zeros(model.nv)
    for k in reversed(range(len(model.bodies))):
        slot, parent = model.slots[k].v, model.parents[k]
        for n in range(slot.start, slot.stop):
            play[n] = moment[k] if model.v_units[n] == "rad" else force[k]
        if parent >= 0:
            lever = np.linalg.norm(origins[k] - origins[parent])
            moment[parent] += moment[k] + lever * force[k]
            force[parent] += force[k]
    return play
