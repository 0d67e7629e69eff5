"""A driver: keeps a speed, steers along a path, brakes, and slows down before a roll-over.

Steering looks ahead (pure pursuit): the arc from the chassis's origin to the point of the path at a
distance l in front of it has the curvature  κ = 2 sin β / l,  and the wheels follow by
    tan delta = L κ / √(1 - (κ d)²),      d(steer)/dt = (delta - steer) / lag
β: angle from the way that the origin goes to that point; in a steady bend without slip it goes
sin⁻¹(κ_path d) beside the heading, which the driver gets used to; L wheelbase, d: of the origin
ahead of the unsteered axle.  On a circle κ is its curvature.  A path is followed by its length s:
    ds/dt = v along the path + what s is behind / 0.1 s
A servo moves the steering coordinate, or those of all wheels that are steered one by one; without
steering, torques of both sides turn it.  Speed is kept by a torque on the driven wheels,
proportional and integral.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import RAW, Endless, check_all_arguments
from armillary.scalar import Scalar, atan2, cos, sin, sqrt, tanh, where
from armillary.sim.control.block import Block, Scalars, clip, made_for
from armillary.sim.loop.alarms import Alarm
from armillary.vehicles.drive_line import Signal, value
from armillary.vehicles.paths import Path
from armillary.vehicles.roll_over import RollOverGuard, WheelLoads, fallen
from armillary.vehicles.vehicle import Vehicle

_SERVO = {"m": (4e5, 6e3), "rad": (6e4, 1.5e3)}  # N/m and N s/m, or N m/rad and N m s/rad
_TURNING = 0.05  # s, in which torques of both sides turn a small vehicle
_FAST = 120.0  # rad/s, of servos of small vehicles
_GRIPS = 2.0  # s/rad: brakes have their torque from about half a rad/s of their wheels on
_SLOWEST = 2.0  # m/s: the driver looks at least as far as at this speed, or two wheelbases
_USED = 1.5  # s, in which a driver gets used to a bend
_CATCH_UP = 10.0  # 1/s, of the place on the path that is followed
_BITES = 0.1  # s, in which brakes of a guard come
_IDLE = 1e-3  # m/s²: with less a guard does not brake
_INSIDE = 0.95  # of the circle about the unsteered axle
_SATURATED = 0.98  # of the most that a guard brakes


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
    rad; step: of the run, s: about standstill brakes are no stiffer than it can follow.

    A run ends before its time where the vehicle leaves its path by more than `room` m (default: its
    length, and no more than the path allows; inf: it may), or falls over; one that ends before `at`
    s, or before `reach` m (of a path: its `begin`), has not reached what it is for."""

    states = tuple(f"driver.{name}" for name in ("steer", "speed", "way", "bend", "slowing"))
    state_units = ("rad", "N m", "m", "1/m", "m/s²")

    @check_all_arguments
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
        room: Endless | None = None,
        at: float = 0.0,
        reach: float = 0.0,
    ):
        self.speed, self.path, self.brake, self.guard = speed, path, brake, guard
        self.preview, self.lag, self.limit, self.most = preview, lag, limit, most
        size = max(vehicle.wheelbase, *vehicle.tracks, 0.1)
        self.room = min(size, path.room if path is not None else size) if room is None else room
        given = {name: getattr(self, name) for name in ("preview", "lag", "limit", "most", "room")}
        for name, found in (given | {"step": step}).items():
            if not found > 0.0:
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
        self.radius, self.mass = vehicle.radii[0], vehicle.mass
        # a speed that is 1 m/s short is made up within about 2 s
        self.gain = gain if gain is not None else 0.5 * vehicle.mass * self.radius
        self.wheelbase = vehicle.wheelbase
        rear = min if vehicle.steering_gain >= 0.0 else max
        self.ahead = -rear(vehicle.axles, default=0.0)  # of the unsteered axle, m
        self.nearest = min(preview * _SLOWEST, 2.0 * size)  # m that are looked ahead at least
        self.servos: list[_Servo] = []
        self.sides: list[tuple[int, float]] = []  # driven wheels, +1 right, -1 left
        if path is not None:
            self._hold_the_wheel(vehicle, labels)
        self.brake_slopes: list[float] = []  # most N m s/rad of each wheel's brake
        if callable(brake) or brake or guard is not None:
            together = len(self.wheels) if vehicle.rolling else 1  # without slip all act on one
            self.brake_slopes = [x / (step * together) for x in _felt_inertias(m, self.wheels)]
        self.loads = WheelLoads(vehicle) if guard is not None and not vehicle.rolling else None
        self.at, self.reach = at, max(reach, path.begin if path is not None else 0.0)
        self.mechanism, self.units = m, vehicle.units
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
        track = max(vehicle.tracks)  # of a body with the yaw inertia m track²/4
        self.sharpest = 2.0 / track  # curvature, 1/m: about one of its wheels
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
            for k, slope, torque in zip(
                self.wheels, self.brake_slopes, self._slowing(q, v, z[4]), strict=True
            ):
                out[k] = out[k] - _braked(torque, slope, v[k])
        for servo in self.servos:
            short = servo.target(z[0]) - q[servo.q]
            push = servo.stiffness * short - servo.damping * v[servo.v]
            out[servo.v] = out[servo.v] + push
        if self.sides:
            turn = z[0] * self.ground.velocity(q, v)[0] - self.ground.yaw_rate(v)
            for k, side in self.sides:
                out[k] = out[k] + (side * self.yaw_gain) * turn
        return out

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        steer: Scalar = 0.0
        way: Scalar = self.ground.velocity(q, v)[0]
        bend: Scalar = 0.0
        slowing: Scalar = 0.0
        if self.path is not None:
            steer = (self._wanted(self.path, q, v, z) - z[0]) * (1.0 / self.lag)
            way = self._progress(self.path, q, v, z[2])
            bend = (self.path.curvature(z[2]) - z[3]) * (1.0 / _USED)
        if self.guard is not None:
            contact = self.loads.index(self.loads(q, v)) if self.loads is not None else 0.0
            vx, turning = self.ground.velocity(q, v)[0], self.ground.yaw_rate(v)
            slowing = (self.guard.slowing(vx, turning, contact) - z[4]) * (1.0 / _BITES)
        speed = 0.5 * self.gain * self._short(t, q, v, z) if self.speed is not None else 0.0
        return [steer, speed, way, bend, slowing]

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        if self.path is None or q is None:
            return [0.0] * len(self.states)
        x, y = (np.asarray(a, float) for a in self.ground.place(q)[:2])
        way = np.vectorize(self.path.near, otypes=[float])(x, y)
        return [0.0, 0.0, way if way.ndim else float(way), 0.0, 0.0]

    def undone(self, t: float, z: Array) -> str:
        if 0.0 < self.at >= t:
            return (
                f"it has not reached its manoeuvre, which begins at {self.at:g} s, and the run "
                f"ends at {t:g} s. Let it last longer"
            )
        if 0.0 < self.reach >= z[2]:
            return (
                f"it has not reached its manoeuvre, which begins after {self.reach:.4g} m, and the "
                f"run ends after {z[2]:.4g} m. Let it last longer, or drive faster"
            )
        return ""

    @property
    def alarms(self) -> list[Alarm]:  # type: ignore[override]
        """What ends a run, and what is told of it; made anew, so that drivers can be compared."""
        found = [] if not self.ground.free else [fallen(self.mechanism, self.units)]
        path, guard, ground = self.path, self.guard, self.ground
        if path is not None and self.room < math.inf:

            def away(way: Scalar, q: Scalars) -> Scalar:
                return np.hypot(*path.beside(way, *ground.place(q)[:2]))

            def beyond(t: Array, q: Array, v: Array, z: Array) -> Array:
                try:
                    found = away(z[2], list(q))
                except RAW:  # a path of one's own that takes single numbers, by `if` or `math`
                    rows = zip(z[2].tolist(), q.T.tolist(), strict=True)
                    found = [away(way, place) for way, place in rows]
                return np.asarray(found, float) - self.room

            found.append(
                Alarm(beyond, f"'{self.mechanism.name}' has left its path by {self.room:.3g} m")
            )
        if guard is not None:
            text = f"the roll-over guard brakes with all it has, {guard.most:g} m/s²: it may not do"
            most = _SATURATED * guard.most
            found.append(Alarm(lambda t, q, v, z: z[4] - most, text, terminal=False))
        return found

    def _slowing(self, q: Scalars, v: Scalars, slowing: Scalar) -> list[Scalar]:
        """Torques of the guard's brakes: of a deceleration of everything, shared by the loads."""
        count = len(self.wheels)
        whole = slowing * (self.mass * self.radius)
        if self.loads is None:
            return [whole * (1.0 / count)] * count
        loads = self.loads(q, v)
        total = sum(loads, 0.0)
        return [whole * load / where(total > 1.0, total, 1.0) for load in loads]

    def _short(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars) -> Scalar:
        """m/s that are missing; none where the guard brakes."""
        missing = value(self.speed or 0.0, t) - self.ground.velocity(q, v)[0]
        return missing if self.guard is None else where(z[4] > _IDLE, 0.0, missing)

    def _torque(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars) -> Scalar:
        """Of all driven wheels together, N m."""
        return clip(self.gain * self._short(t, q, v, z) + z[1], -self.limit, self.limit)

    def _wanted(self, path: Path, q: Scalars, v: Scalars, z: Scalars) -> Scalar:
        """Angle of the wheels, rad, or the curvature of what turns by its sides, 1/m."""
        x, y, c, s = self.ground.place(q)
        _, _, way, bend, _ = z
        dx, dy = path.slope(way)
        ahead = clip(self.preview * self.ground.velocity(q, v)[0], self.nearest, 1e9)
        px, py = path.point(way + ahead / sqrt(dx * dx + dy * dy))
        along, across = c * (px - x) + s * (py - y), c * (py - y) - s * (px - x)
        left = clip(bend * self.ahead, -_INSIDE, _INSIDE)
        straight = sqrt(1.0 - left * left)
        curvature = 2.0 * (straight * across - left * along) / (along * along + across * across)
        if self.sides:
            return clip(curvature, -self.sharpest, self.sharpest)
        part = clip(curvature * self.ahead, -_INSIDE, _INSIDE)
        angle = atan2(self.wheelbase * curvature, sqrt(1.0 - part * part))
        return clip(angle, -self.most, self.most)

    def _progress(self, path: Path, q: Scalars, v: Scalars, way: Scalar) -> Scalar:
        """ds/dt."""
        x, y, c, s = self.ground.place(q)
        vx, vy = self.ground.velocity(q, v)
        dx, dy = path.slope(way)
        size2 = dx * dx + dy * dy
        forward = (c * vx - s * vy) * dx + (s * vx + c * vy) * dy
        return forward / size2 + _CATCH_UP * path.beside(way, x, y)[0] / sqrt(size2)


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

    def velocity(self, q: Scalars, v: Scalars) -> tuple[Scalar, Scalar]:
        """Of its origin, forward and to the left, m/s."""
        _, vx, vy = (v[k] for k in self._motion)
        if self.free:
            return vx, vy
        _, _, c, s = self.place(q)
        return c * vx + s * vy, c * vy - s * vx

    def yaw_rate(self, v: Scalars) -> Scalar:
        """rad/s, to the left."""
        return v[self._motion[0]]
