"""A driver: keeps a speed, steers along a path, brakes, and slows down before a roll-over.

Steering looks ahead (pure pursuit): the arc from the front axle to the point of the path L_p in
front of it has the curvature 2 e / L_p², and the wheels follow by
    delta = 2 L e / L_p²,      d(steer)/dt = (delta - steer) / lag
e: offset of the path at the point ahead, L wheelbase.  A servo moves the steering coordinate, or
those of all wheels that are steered one by one; without steering, torques of both sides turn it.
Speed is kept by a torque on the driven wheels, proportional and integral.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar, cos, sin, sqrt, tanh, where
from armillary.sim.control.block import Block, Scalars, clip, made_for
from armillary.vehicles.drive_line import Signal, value
from armillary.vehicles.paths import Path
from armillary.vehicles.vehicle import Vehicle

_SERVO = {"m": (4e5, 6e3), "rad": (6e4, 1.5e3)}  # N/m and N s/m, or N m/rad and N m s/rad
_TURNING = 0.05  # s, in which torques of both sides turn a small vehicle
_FAST = 120.0  # rad/s, of servos of small vehicles
_GRIPS = 2.0  # s/rad: brakes have their torque from about half a rad/s of their wheels on
_SLOWEST = 2.0  # m/s: the driver looks at least as far as at this speed, or two wheelbases


@dataclass(frozen=True)
class RollOverGuard:
    """Brakes the outer front wheel when the load of the inner side goes away: that slows down and
    widens the turn.  The index is that of steady turning, 2 h v_x r / (track g)
    [Yesiloglu2007, 6.2: contact forces warn, the speed is adjusted].

    height: of the centre of mass over the road, track: of the axles, m; above `threshold` of the
    index the brake takes `torque` N m per unit of it, up to `limit` N m."""

    height: float
    track: float
    threshold: float = 0.2
    torque: float = 20e3
    limit: float = 4000.0
    gravity: float = 9.81

    def index(self, vx: Scalar, yaw_rate: Scalar) -> Scalar:
        """Part of the load that steady turning takes from the inner side: at 1 it lifts."""
        return 2.0 * self.height / (self.track * self.gravity) * vx * yaw_rate

    def brake(self, vx: Scalar, yaw_rate: Scalar) -> Scalar:
        """Torque of the brake, N m."""
        index = self.index(vx, yaw_rate)
        size = where(index < 0.0, -index, index)
        return clip(self.torque * (size - self.threshold), 0.0, self.limit)


@dataclass(frozen=True)
class _Servo:
    """Moves a steering coordinate (entries of v and q) to a target, by the wheels' angle."""

    v: int
    q: int
    target: Callable[[Scalar], Scalar]
    stiffness: float
    damping: float


def _felt_inertias(m: Mechanism, entries: list[int]) -> list[float]:
    """Forces on coordinates per acceleration of them at the start, with all that each moves."""
    pushes = np.concatenate([np.zeros((1, m.nv)), np.eye(m.nv)[entries]])
    q, v = np.tile(m.initial, (len(pushes), 1)), np.zeros_like(pushes)
    still, *pushed = np.asarray(m.forward_dynamics(q, v, pushes))
    gains = [float(a[k] - still[k]) for k, a in zip(entries, pushed, strict=True)]
    return [1.0 / gain if gain > 0.0 else math.inf for gain in gains]


def _braked(torque: Scalar, slope: float, rate: Scalar) -> Scalar:
    """Torque of a brake against a wheel's rate: its size beyond some tenths of a rad/s, and below
    no more per rad/s than the slope."""
    grips = where(_GRIPS * torque > slope, slope / where(torque > 0.0, torque, 1.0), _GRIPS)
    return torque * tanh(grips * rate)


def _own_angle(vehicle: Vehicle, x: float, y: float) -> Callable[[Scalar], Scalar]:
    return lambda angle: vehicle.own_angle(angle, x, y)


class Driver(Block):
    """Keeps a speed and follows a path, in the native loop.

    speed: m/s, a number or a function of t over scalars (None: rolls freely); path: None where the
    steering is prescribed or held; preview: s that the driver looks ahead; lag: s of arms and
    steering gear; brake: sum of all brake torques, N m, over t; limit: of the torque of all driven
    wheels together, N m; guard: slows down before a roll-over; most: of the wheels' steering angle,
    rad; step: of the run, s: about standstill brakes are no stiffer than it can follow."""

    def __init__(
        self,
        vehicle: Vehicle,
        speed: Signal | None = None,
        path: Path | None = None,
        *,
        preview: float = 0.8,
        lag: float = 0.08,
        brake: Signal = 0.0,
        gain: float | None = None,
        limit: float = 6000.0,
        guard: RollOverGuard | None = None,
        most: float = 0.6,
        step: float = 2e-3,
    ):
        self.speed, self.path, self.brake, self.guard = speed, path, brake, guard
        self.preview, self.lag, self.limit, self.most = preview, lag, limit, most
        for name in ("preview", "lag", "limit", "most"):
            if not (isinstance(getattr(self, name), int | float) and getattr(self, name) > 0.0):
                found = getattr(self, name)
                raise InputError(f"Driver: {name} is a number more than 0, found {found!r:.60}.")
        if path is not None and isinstance(speed, int | float) and speed < 0.0:
            raise InputError(
                f"Driver: it looks ahead, so it follows no path backwards (speed {speed:g} m/s). "
                f"Give a speed more than 0, or no path and a steering that is prescribed."
            )
        m = vehicle.mechanism
        self.ground = GroundMotion(m, vehicle.chassis)
        labels = list(m.v_labels)
        self.wheels = [labels.index(wheel) for wheel in vehicle.wheels]
        self.driven = [labels.index(wheel) for wheel in vehicle.driven]
        if speed is not None and not self.driven:
            raise InputError(f"Driver: '{vehicle.name}' has no driven wheels to keep a speed with.")
        self.radius = vehicle.radii[0]
        # a speed that is 1 m/s short is made up within about 2 s
        self.gain = gain if gain is not None else 0.5 * vehicle.mass * self.radius
        self.wheelbase = vehicle.wheelbase
        size = max(vehicle.wheelbase, *vehicle.tracks, 0.1)
        self.nearest = min(preview * _SLOWEST, 2.0 * size)  # m that are looked ahead at least
        self.servos: list[_Servo] = []
        self.sides: list[tuple[int, float]] = []  # driven wheels, +1 right, -1 left
        if path is not None:
            self._hold_the_wheel(vehicle, labels)
        self.brake_slopes: list[float] = []  # most N m s/rad of each wheel's brake
        if callable(brake) or brake or guard is not None:
            together = len(self.wheels) if vehicle.rolling else 1  # without slip all act on one
            self.brake_slopes = [x / (step * together) for x in _felt_inertias(m, self.wheels)]
        self.states = ("driver.steer", "driver.speed")
        self.state_units = ("rad", "N m")
        self.built_for = made_for(m)

    def _hold_the_wheel(self, vehicle: Vehicle, labels: list[str]) -> None:
        """Servos of the steering; without any, the two sides of the drive."""
        m = vehicle.mechanism
        if not vehicle.steering:
            self._turn_by_torque(vehicle, labels)
            return
        gain = vehicle.steering_gain
        targets: list[tuple[str, Callable[[Scalar], Scalar]]]
        targets = [(vehicle.steering, lambda angle: angle * (1.0 / gain))]
        if vehicle.steered:
            targets = [(name, _own_angle(vehicle, x, y)) for name, x, y in vehicle.steered]
        for name, target in targets:
            k = labels.index(name)
            stiffness, damping = _SERVO[m.v_units[k].removesuffix("/s")]
            # small vehicles: no stiffer than explicit steps of a few ms can follow
            (inertia,) = _felt_inertias(m, [k])
            stiffness = min(stiffness, inertia * _FAST**2)
            damping = min(damping, 1.4 * inertia * _FAST)
            self.servos.append(_Servo(k, list(m.q_labels).index(name), target, stiffness, damping))

    def _turn_by_torque(self, vehicle: Vehicle, labels: list[str]) -> None:
        m = vehicle.mechanism
        at, p = list(m.bodies), np.asarray(m.poses(m.initial)[1])
        y = {w: p[at.index(vehicle.wheel_bodies[w]), 1] for w in vehicle.driven}
        if len(y) < 2 or np.ptp(list(y.values())) < 1e-3:
            raise InputError(
                f"Driver: '{vehicle.name}' has no steering to follow a path with, and no driven "
                f"wheels on both sides."
            )
        middle = 0.5 * (min(y.values()) + max(y.values()))
        self.sides = [(labels.index(w), 1.0 if y[w] < middle else -1.0) for w in vehicle.driven]
        self.wheelbase = 1.0  # the "steering angle" is the curvature then, 1/m
        track = max(vehicle.tracks)  # of a body with the yaw inertia m track²/4
        self.yaw_gain = 0.25 * vehicle.mass * track * self.radius / (_TURNING * len(y) / 2.0)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        out: list[Scalar] = list(u)
        if self.speed is not None:
            torque = self._torque(t, q, v, z)
            for k in self.driven:
                out[k] = out[k] + torque * (1.0 / len(self.driven))
        if callable(self.brake) or self.brake:
            each = value(self.brake, t) * (1.0 / len(self.wheels))
            for k, slope in zip(self.wheels, self.brake_slopes, strict=True):
                out[k] = out[k] - _braked(each, slope, v[k])
        if self.guard is not None:
            turning = self.ground.yaw_rate(v)
            brake = self.guard.brake(self.ground.vx(q, v), turning)
            to_left = 0.5 + 0.5 * tanh(50.0 * turning)
            shares = (1.0 - to_left, to_left)
            for k, slope, share in zip(self.wheels, self.brake_slopes, shares, strict=False):
                out[k] = out[k] - _braked(brake * share, slope, v[k])
        for servo in self.servos:
            short = servo.target(z[0]) - q[servo.q]
            push = servo.stiffness * short - servo.damping * v[servo.v]
            out[servo.v] = out[servo.v] + push
        if self.sides:
            turn = z[0] * self.ground.vx(q, v) - self.ground.yaw_rate(v)
            for k, side in self.sides:
                out[k] = out[k] + (side * self.yaw_gain) * turn
        return out

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        steer: Scalar = 0.0
        if self.path is not None:
            steer = (self._wanted(self.path, q, v) - z[0]) * (1.0 / self.lag)
        return [steer, 0.5 * self.gain * self._short(t, q, v) if self.speed is not None else 0.0]

    def _short(self, t: Scalar, q: Scalars, v: Scalars) -> Scalar:
        """m/s that are missing; none where the guard brakes."""
        missing = value(self.speed or 0.0, t) - self.ground.vx(q, v)
        if self.guard is None:
            return missing
        brakes = self.guard.brake(self.ground.vx(q, v), self.ground.yaw_rate(v)) > 0.0
        return where(brakes, 0.0, missing)

    def _torque(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars) -> Scalar:
        """Of all driven wheels together, N m."""
        return clip(self.gain * self._short(t, q, v) + z[1], -self.limit, self.limit)

    def _wanted(self, path: Path, q: Scalars, v: Scalars) -> Scalar:
        """Angle of the wheels, rad."""
        x, y, c, s = self.ground.place(q)
        ahead = clip(self.preview * self.ground.vx(q, v), self.nearest, 1e9)
        e = path.offset(x + ahead * c, y + ahead * s)
        return clip(2.0 * self.wheelbase * e / (ahead * ahead), -self.most, self.most)


class GroundMotion:
    """Where a chassis is on the ground and how it goes, from q and v over scalars."""

    def __init__(self, mechanism: Mechanism, chassis: str):
        q, v = list(mechanism.q_labels), list(mechanism.v_labels)
        self.free = f"{chassis}.w" in q
        if self.free:
            self._turn = [q.index(f"{chassis}.{x}") for x in "wxyz"]
            self._place = [q.index(f"{chassis}.p{x}") for x in "xy"]
            self._motion = [v.index(f"{chassis}.{x}") for x in ("wz", "vx", "vy")]
            return
        slot = dict(zip(mechanism.bodies, mechanism.model.slots, strict=True))[chassis]
        if slot.v.stop - slot.v.start != 3:
            raise InputError(
                f"'{chassis}' of '{mechanism.name}' is on no free and no planar joint: a driver "
                f"does not know where it goes."
            )
        self._turn = [slot.q.start]
        self._place = [slot.q.start + 1, slot.q.start + 2]
        self._motion = list(range(slot.v.start, slot.v.stop))

    def place(self, q: Scalars) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """x, y (m) and the direction (cos, sin) of the chassis on the ground."""
        px, py = (q[k] for k in self._place)
        if not self.free:
            return px, py, cos(q[self._turn[0]]), sin(q[self._turn[0]])
        w, x, y, z = (q[k] for k in self._turn)
        c, s = w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z)
        length = sqrt(c * c + s * s)
        return px, py, c / length, s / length

    def vx(self, q: Scalars, v: Scalars) -> Scalar:
        """Forward speed, m/s."""
        _, vx, vy = (v[k] for k in self._motion)
        if self.free:
            return vx
        _, _, c, s = self.place(q)
        return c * vx + s * vy

    def yaw_rate(self, v: Scalars) -> Scalar:
        """rad/s, to the left."""
        return v[self._motion[0]]
