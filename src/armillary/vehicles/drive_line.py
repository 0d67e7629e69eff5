"""Drive line: motor torque through an open differential, brakes, limits; and a differential as a
mechanism with half shafts.

An open differential gives both sides the same torque: half of the motor's times the gear.  Brakes
act against the wheels' turning, smooth about standstill.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from armillary.errors import InputError, unknown_name
from armillary.mechanism.making import Builder
from armillary.model.arguments import check_arguments
from armillary.scalar import Scalar, tanh, where
from armillary.sim.control.block import Block, Scalars, clip, made_for
from armillary.vehicles.vehicle import Vehicle

Signal = float | Callable[[Scalar], Scalar]


class DriveLine(Block):
    """Motor and brakes of a vehicle, as a controller of a run, in the native loop.

    throttle: torque of the motor, N m, a number or a function of t over scalars; gear: turns of the
    motor per turn of the differential; limit: of the motor's torque, N m; power: of the motor, W
    (above the speed where it is reached the torque falls).  brake: sum of the brake torques, N m,
    number or function of t (its size counts); brake_share: of the front axle; brake_limit: of each
    wheel's torque, N m; smoothing: rad/s over which brakes change their sign.  steer: force of the
    steering coordinate, N or N m."""

    @check_arguments
    def __init__(
        self,
        vehicle: Vehicle,
        throttle: Signal = 0.0,
        brake: Signal = 0.0,
        *,
        gear: float = 8.0,
        limit: float = 250.0,
        power: float = 100.0e3,
        brake_share: float = 0.65,
        brake_limit: float = 3000.0,
        smoothing: float = 0.5,
        steer: Mapping[str, float] | None = None,
    ):
        positive = {"gear": gear, "limit": limit, "power": power, "smoothing": smoothing}
        for name, number in (positive | {"brake_limit": brake_limit}).items():
            if not (isinstance(number, int | float) and 0.0 < number < float("inf")):
                raise InputError(
                    f"DriveLine: {name} is a number more than 0, found {number!r:.60}."
                )
        if not 0.0 <= brake_share <= 1.0:
            raise InputError(f"DriveLine: brake_share is from 0 to 1, found {brake_share!r}.")
        self.throttle, self.brake = throttle, brake
        self.gear, self.limit, self.power = gear, limit, power
        self.brake_limit, self.smoothing = brake_limit, smoothing
        m = vehicle.mechanism
        labels = list(m.v_labels)
        self.wheels = [labels.index(wheel) for wheel in vehicle.wheels]
        self.driven = [labels.index(wheel) for wheel in vehicle.driven]
        if not self.driven:
            raise InputError(f"DriveLine: '{vehicle.name}' has no driven wheels.")
        self.shares = _brake_shares(vehicle, brake_share)
        self.given = {}
        for name, push in (steer or {}).items():
            if name not in labels:
                raise unknown_name("coordinate", name, labels)
            self.given[labels.index(name)] = float(push)
        self.nv = m.nv
        self.built_for = made_for(m)

    def motor_torque(self, t: Scalar, v: Scalars) -> Scalar:
        """Within its limits, N m."""
        wanted = value(self.throttle, t)
        spin = _sum([v[k] for k in self.driven]) * (self.gear / len(self.driven))
        size = where(spin < 0.0, -spin, spin)
        most = where(
            size * self.limit > self.power, self.power / where(size > 1.0, size, 1.0), self.limit
        )
        return clip(wanted, -most, most)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        out: list[Scalar] = list(u)
        each = self.motor_torque(t, v) * (self.gear / len(self.driven))
        for k in self.driven:
            out[k] = out[k] + each
        demand = value(self.brake, t)
        size = where(demand < 0.0, -demand, demand)
        for k, share in zip(self.wheels, self.shares, strict=True):
            held = clip(size * share, 0.0, self.brake_limit)
            out[k] = out[k] - held * tanh(v[k] * (1.0 / self.smoothing))
        for k, push in self.given.items():
            out[k] = out[k] + push
        return out


def _brake_shares(vehicle: Vehicle, front: float) -> list[float]:
    """Of every wheel; wheels behind the first axle share alike."""
    count = len(vehicle.wheels)
    if count <= 2:
        return [1.0 / count] * count
    rest = (1.0 - front) / (count - 2)
    return [front / 2.0] * 2 + [rest] * (count - 2)


def value(signal: Signal, t: Scalar) -> Scalar:
    """Of a number, or of a function of t."""
    return signal(t) if callable(signal) else signal


def _sum(values: Sequence[Scalar]) -> Scalar:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


@check_arguments
def put_differential(
    b: Builder,
    name: str,
    carrier: str,
    left: str,
    right: str,
    *,
    gear: float = 3.5,
    stiffness: float = 6000.0,
    damping: float = 20.0,
    inertia: float = 0.05,
    mass: float = 8.0,
    at: tuple[float, float, float] = (0.0, 0.0, 0.3),
) -> str:
    """An open differential as a mechanism: a case that turns about y of the carrier, a pinion in
    it, and elastic half shafts to the joints of two wheels; the motor acts on the joint `name`.

    The case turns with the mean of the wheels, the pinion with half their difference: the shafts
    are springs along  left - case - pinion  and  right - case + pinion  (N m/rad, N m s/rad).
    gear: motor turns per turn of the case; inertia: of the case with its ring, kg m².  The name of
    the motor's joint, geared to the case."""
    case, pinion = f"{name}-case", f"{name}-pinion"
    tensor = (inertia, inertia, inertia)
    b.body(case, carrier, "revolute", at, axis="y", mass=mass, inertia=tensor)
    # the pinion's own turning moves no mass about y: it is counted in the plane of the case
    b.body(pinion, case, "revolute", axis="x", mass=0.5, inertia=(2e-3, 2e-3, 2e-3))
    for side, wheel, half in (("left", left, -1.0), ("right", right, 1.0)):
        b.coordinate_spring(
            f"{name}-{side}-shaft",
            {wheel: 1.0, case: -1.0, pinion: half},
            stiffness=stiffness,
            damping=damping,
        )
    b.geared_rotor(name, carrier, case, gear=gear, inertia=0.02, mass=0.0, axis="x", at=at)
    return name
