"""Manoeuvres of road tests, as inputs or with a driver: `drive(vehicle, step_steer(...))`.

Steering angles are those of the wheels (rad, to the left positive); open-loop ones prescribe the
steering coordinate, others leave it to a driver who follows a path.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from armillary.errors import InputError
from armillary.model.arguments import Endless, check_all_arguments, check_arguments, check_fields
from armillary.model.checks import number
from armillary.scalar import Scalar, sin
from armillary.sim.loop.simulate import simulate
from armillary.vehicles.drive import Drive
from armillary.vehicles.drive_line import Signal, value
from armillary.vehicles.driver import Driver
from armillary.vehicles.paths import Circle, LaneChange, Path, Slalom, Straight, smooth_step
from armillary.vehicles.roll_over import RollOverGuard
from armillary.vehicles.vehicle import Vehicle


@dataclass(frozen=True)
class Manoeuvre:
    """speed: kept by the driver, m/s, number or function of t; None: only at the start, `begin`;
    steer: angle of the wheels over t, rad, or path: what the driver follows; brake: sum of the
    brake torques over t, N m; duration s; at: when its steering or brakes begin, s."""

    name: str
    duration: float
    speed: Signal | None = None
    begin: float = 0.0
    steer: Callable[[Scalar], Scalar] | None = None
    path: Path | None = None
    brake: Signal = 0.0
    at: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def start_speed(self) -> float:
        if self.speed is None:
            return self.begin
        return number(value(self.speed, 0.0), f"manoeuvre '{self.name}', speed at 0 s")


@check_all_arguments
def step_steer(
    speed: float = 20.0,
    angle: float = 0.02,
    at: float = 0.5,
    rise: float = 0.1,
    duration: float = 4.0,
) -> Manoeuvre:
    """The wheels turn to an angle within `rise` s and stay (ISO 7401)."""
    _positive("step_steer", speed=speed, rise=rise, duration=duration)
    return Manoeuvre(
        "step steer", duration, speed, steer=lambda t: angle * smooth_step(t, at, rise), at=at
    )


@check_all_arguments
def ramp_steer(
    speed: float = 20.0, rate: float = 0.01, at: float = 0.5, duration: float = 6.0
) -> Manoeuvre:
    """The angle grows by `rate` rad/s, softly begun: slow enough for steady states (ISO 4138)."""
    _positive("ramp_steer", speed=speed, duration=duration)

    def steer(t: Scalar) -> Scalar:
        # ∫ smooth_step over 0.5 s, then the straight line behind it
        return rate * (t - (at + 0.25)) * smooth_step(t, at, 0.5)

    return Manoeuvre("ramp steer", duration, speed, steer=steer, at=at)


@check_all_arguments
def sine_steer(
    speed: float = 20.0,
    angle: float = 0.02,
    frequency: float = 0.5,
    cycles: float = 1.0,
    at: float = 0.5,
    duration: float = 5.0,
) -> Manoeuvre:
    """Whole sines of the angle, then straight on: lane changes of trucks (ISO 14791)."""
    _positive("sine_steer", speed=speed, frequency=frequency, cycles=cycles, duration=duration)
    end, quarter = at + cycles / frequency, 0.25 / frequency  # softly begun and ended

    def steer(t: Scalar) -> Scalar:
        on = smooth_step(t, at, quarter) - smooth_step(t, end - quarter, quarter)
        return angle * sin((t - at) * (2.0 * math.pi * frequency)) * on

    return Manoeuvre("sine steer", duration, speed, steer=steer, at=at)


@check_all_arguments
def double_lane_change(
    speed: float = 20.0,
    width: float = 3.5,
    begin: float = 40.0,
    length: float = 30.0,
    stay: float = 25.0,
    duration: float | None = None,
) -> Manoeuvre:
    """Out of the lane and home again with a driver (lanes after ISO 3888)."""
    _positive("double_lane_change", speed=speed, length=length)
    path = LaneChange(width, begin, length, stay)
    whole = (begin + 2.0 * length + stay + 60.0) / speed
    return Manoeuvre("double lane change", duration or whole, speed, path=path)


@check_all_arguments
def slalom(
    speed: float = 12.0, spacing: float = 18.0, width: float = 1.0, duration: float = 10.0
) -> Manoeuvre:
    """Around cones with a driver."""
    _positive("slalom", speed=speed, spacing=spacing, duration=duration)
    return Manoeuvre(
        "slalom", duration, speed, path=Slalom(spacing, width, begin=min(30.0, 2.0 * spacing))
    )


@check_all_arguments
def constant_radius(
    radius: float = 40.0,
    speed: Signal = 10.0,
    duration: float = 10.0,
    run_up: float | None = None,
) -> Manoeuvre:
    """A driver on a circle, from a straight line of `run_up` m (default: a sixth of the radius,
    at most 10 m); speed: a number or a function of t (ISO 4138)."""
    _positive("constant_radius", duration=duration)
    begin = min(10.0, abs(radius) / 6.0) if run_up is None else run_up
    if begin < 0.0:
        raise InputError(f"constant_radius: run_up is a length, 0 m or more; found {run_up!r:.60}.")
    return Manoeuvre("constant radius", duration, speed, path=Circle(radius, begin))


@check_all_arguments
def straight_braking(
    speed: float = 25.0,
    torque: float = 4000.0,
    at: float = 0.5,
    duration: float = 3.0,
    driver: bool = True,
) -> Manoeuvre:
    """Brakes take `torque` N m together; with a road of two frictions: mu-split (ISO 14512).
    driver: keeps the lane; without, the steering is held straight (fixed control)."""
    _positive("straight_braking", speed=speed, torque=torque, duration=duration)

    def brake(t: Scalar) -> Scalar:
        return torque * smooth_step(t, at, 0.2)

    found = Manoeuvre("braking", duration, begin=speed, path=Straight(), brake=brake, at=at)
    return found if driver else replace(found, path=None, steer=lambda t: 0.0 * t)


@check_all_arguments
def bump_crossing(speed: float = 10.0, duration: float = 3.0) -> Manoeuvre:
    """Straight on, over what the vehicle's road has."""
    _positive("bump_crossing", speed=speed, duration=duration)
    return Manoeuvre("bump crossing", duration, speed, path=Straight())


@check_arguments
def drive(
    vehicle: Vehicle,
    manoeuvre: Manoeuvre,
    *,
    step: float = 1e-3,
    method: str = "rk4",
    guard: RollOverGuard | None = None,
    room: Endless | None = None,
    record: str = "",
    **options: Any,
) -> Drive:
    """A vehicle through a manoeuvre; what engineers read off it is in the result.

    It ends before its time, and is not complete, where the vehicle leaves its path by more than
    `room` m (default: its length, or what the path allows) or falls over; one that does not reach
    its manoeuvre is not complete either: `run.message` tells.  guard: slows down before a
    roll-over; record: more than q, v and the tyres; options: of `simulate`.  Where the angle of the
    wheels is given, the steering coordinate is prescribed, and so are the joints of what the
    vehicle carries (`vehicle.held`), where they begin."""
    _check(vehicle, manoeuvre, options)
    q, v = vehicle.start(manoeuvre.start_speed)
    path = _path(vehicle, manoeuvre)
    driver = Driver(
        vehicle,
        manoeuvre.speed,
        path,
        brake=manoeuvre.brake,
        guard=guard,
        step=step,
        room=room,
        at=manoeuvre.at,
        reach=_road_begins(vehicle) if manoeuvre.name == "bump crossing" else 0.0,
    )
    given, at = dict(options), list(vehicle.mechanism.q_labels)
    moved: dict[str, Any] = {name: float(q[at.index(name)]) for name in vehicle.held}
    if manoeuvre.steer is not None and vehicle.steering:
        moved |= vehicle.steering_motions(manoeuvre.steer)
    if moved:
        given["prescribed"] = moved | dict(given.get("prescribed") or {})
    wanted = ["q", "v", *(() if vehicle.rolling else ("tyres",))]
    wanted += [name for name in record.replace(" ", "").split(",") if name and name not in wanted]
    run = simulate(
        vehicle.mechanism,
        q,
        v,
        duration=manoeuvre.duration,
        step=step,
        method=method,
        controller=driver,
        record=",".join(wanted),
        project_start=True,
        **given,
    )
    return Drive(vehicle, run, manoeuvre.name)


def _check(vehicle: object, manoeuvre: object, options: dict[str, Any]) -> None:
    """Refuse what cannot be driven, and what the manoeuvre says."""
    if not isinstance(vehicle, Vehicle):
        raise InputError(f"drive: expected a vehicle of am.vehicles, found {vehicle!r:.60}.")
    if own := sorted(options.keys() & {"duration", "controller", "project_start"}):
        raise InputError(
            f"drive: {', '.join(own)} is given by the manoeuvre and its driver. Give it to the "
            f"manoeuvre, such as am.vehicles.step_steer(duration=3.0), or use am.simulate."
        )
    if not isinstance(manoeuvre, Manoeuvre):
        raise InputError(
            f"drive: expected a manoeuvre such as am.vehicles.step_steer(), "
            f"found {manoeuvre!r:.60}."
        )


def _road_begins(vehicle: Vehicle) -> float:
    """Where the road under its tyres stops being plain, m."""
    laws = {part.name: part.law for part in vehicle.mechanism.model.elements}
    roads = [getattr(laws.get(name), "road", None) for name in vehicle.tyres]
    return min((getattr(road, "start", 0.0) for road in roads), default=0.0)


def _path(vehicle: Vehicle, manoeuvre: Manoeuvre) -> Path | None:
    """What the driver follows: nothing where a vehicle that cannot be steered, or must not be,
    goes straight on anyway; refuse what makes no sense of a vehicle."""
    straight = isinstance(manoeuvre.path, Straight)
    still = manoeuvre.steer is not None and not vehicle.steering and manoeuvre.name == "braking"
    turns = not (straight or still) and (manoeuvre.path or manoeuvre.steer) is not None
    if vehicle.single_track:
        if turns or manoeuvre.steer is not None:
            raise InputError(
                f"drive: {manoeuvre.name} turns the steering of '{vehicle.name}', and a vehicle "
                f"with its wheels behind each other falls over then: it has to be balanced. Take "
                f"bump_crossing or straight_braking (hands off), or a controller of your own with "
                f"am.simulate."
            )
        return None
    if manoeuvre.steer is not None and not vehicle.steering and not still:
        raise InputError(
            f"drive: '{vehicle.name}' has no steering, and {manoeuvre.name} gives an angle of the "
            f"wheels. Take a manoeuvre with a path: constant_radius, slalom, double_lane_change."
        )
    return manoeuvre.path


@check_all_arguments
def understeer_gradient(
    vehicle: Vehicle, speed: float = 20.0, most: float = 3.0, step: float = 1e-3
) -> float:
    """K of  delta = L / R + K a_y,  rad/(m/s²): slope of the steering angle over the lateral
    acceleration in a slow ramp at constant speed up to `most` m/s² (ISO 4138)."""
    _positive("understeer_gradient", speed=speed, most=most)
    L = vehicle.wheelbase
    rate = most * L / (speed * speed) / 6.0
    found = drive(vehicle, ramp_steer(speed, rate, duration=7.0), step=step)
    return found.understeer_gradient()


def _positive(what: str, **given: float) -> None:
    for name, found in given.items():
        if not (isinstance(found, int | float) and 0.0 < found < math.inf):
            raise InputError(f"{what}: {name} is a number more than 0, found {found!r:.60}.")
