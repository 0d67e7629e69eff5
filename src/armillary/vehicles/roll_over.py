"""Before a roll-over: contact forces tell of it, and the speed is adjusted [Yesiloglu2007, 6.2]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.algorithms.forces.tyre_loads import tyre_loads
from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.graph.expr import Node
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import check_fields
from armillary.scalar import Scalar, where
from armillary.sim.control.block import Scalars, clip
from armillary.sim.loop.alarms import Alarm
from armillary.sim.motion.user_functions import array_of
from armillary.vehicles.vehicle import Vehicle

_FALLEN = 0.54  # cos(1 rad): no vehicle comes back from there


@dataclass(frozen=True)
class RollOverGuard:
    """Brakes when the load of the inner side goes away.

    The index is the part of the load that the inner side has lost, 1 where it lifts: the greater of
    that in steady turning, 2 h v_x r / (track g), which is known early, and of what the contact
    forces say of every unit, |F_right - F_left| / (F_right + F_left).  The whole vehicle is slowed
    down by  gain (index - threshold), at most `most`:  the brakes of its wheels take this times its
    mass, each in proportion to its load.

    height: of the centre of mass over the road, track: of the axles, m; gain, most: m/s²."""

    height: float
    track: float
    threshold: float = 0.25
    gain: float = 40.0
    most: float = 5.0
    gravity: float = 9.81

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("height", "track", "gain", "most", "gravity"):
            if not 0.0 < getattr(self, name) < float("inf"):
                found = getattr(self, name)
                raise InputError(f"RollOverGuard: {name} is a number more than 0, found {found!r}.")

    def index(self, vx: Scalar, yaw_rate: Scalar) -> Scalar:
        """Of steady turning; its sign is that of the yaw rate."""
        return 2.0 * self.height / (self.track * self.gravity) * vx * yaw_rate

    def slowing(self, vx: Scalar, yaw_rate: Scalar, contact: Scalar = 0.0) -> Scalar:
        """Deceleration, m/s²; contact: the index of the contact forces."""
        steady = abs(self.index(vx, yaw_rate))
        index = where(contact > steady, contact, steady)
        return clip(self.gain * (index - self.threshold), 0.0, self.most)


class WheelLoads:
    """Contact forces, over scalars."""

    def __init__(self, vehicle: Vehicle):
        self.mechanism = vehicle.mechanism
        names = [element.name for element in self.mechanism.evaluator.tables().elements]
        self.tyres = vehicle.tyres
        self.numbers = tuple(map(names.index, vehicle.tyres))
        at = {wheel: k for k, wheel in enumerate(vehicle.wheels)}
        self.sides = [[[at[w] for w in side] for side in own] for own in vehicle.sides.values()]

    def __call__(self, q: Scalars, v: Scalars) -> list[Scalar]:
        """Of every wheel along the road's normal, N."""
        if any(isinstance(x, Node) for x in q):
            state = {"q": list(q), "v": list(v)}
            found = self.mechanism.evaluator.inlined(tyre_loads(self.numbers), state)
            return list(found.result("loads"))
        forces = self.mechanism.tyre_forces(array_of(q), array_of(v))
        return [forces[name]["Fz"] for name in self.tyres]

    def index(self, loads: Scalars) -> Scalar:
        """The greatest |F_right - F_left| / (F_right + F_left) of the units."""
        most: Scalar = 0.0
        for left, right in self.sides:
            one, other = (sum((loads[k] for k in side), 0.0) for side in (left, right))
            both = one + other
            index = abs(one - other) / where(both > 1.0, both, 1.0)
            most = where(index > most, index, most)
        return most


def fallen(m: Mechanism, names: tuple[str, ...]) -> Alarm:
    """Ends a run in which a unit leans, or stands on an end, so that it does not come back."""
    units = [list(m.bodies).index(name) for name in names]

    def upright(q: Array) -> Array:
        """cos of every unit's angle from the vertical, (S, units)."""
        return np.asarray(m.poses(np.ascontiguousarray(q))[0])[..., units, 2, 2]

    def text(t: float, q: Array, v: Array) -> str:
        unit = names[int(np.argmin(upright(q)))]
        return f"'{unit}' of '{m.name}' has fallen over: it leans by more than 1 rad"

    return Alarm(lambda t, q, v, z: _FALLEN - upright(q.T).min(axis=1), text)
