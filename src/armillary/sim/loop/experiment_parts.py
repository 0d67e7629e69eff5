"""Parts of an experiment as plain data and back: blocks, tables, trajectories, motors, events.

A part is a mapping with one key, the word of its class, and the arguments of its constructor:
{pid: {kp: 40, target: {elbow: 0.3}}}.  The mechanism is never among them.  What no file can hold,
functions and objects of the user, is named and left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from armillary.constraints.drift import CorrectiveForce, Penalty, StabilizedPenalty
from armillary.errors import InputError, unknown_name
from armillary.mechanism.mechanism import Mechanism
from armillary.model.parts import Motor
from armillary.sim.actuators.converters import DAC
from armillary.sim.actuators.dc_motor import DCMotor, Ideal
from armillary.sim.actuators.road_spring import Bump, RoadSpring, SineRoad
from armillary.sim.actuators.transmission import FlexibleTransmission
from armillary.sim.control.block import Block
from armillary.sim.control.model_based import ComputedTorque, GravityCompensation
from armillary.sim.control.operational_space import OperationalSpace
from armillary.sim.control.pid import PID
from armillary.sim.control.sensors import IMU, Encoder, ForceTorque
from armillary.sim.loop.events import JointLimits
from armillary.sim.loop.limits import Limit
from armillary.sim.loop.sticking import StickSlip
from armillary.sim.motion.profiles import PROFILES
from armillary.sim.motion.roads import RoadMotion, RoadProfile
from armillary.sim.motion.schedules import Schedule
from armillary.sim.motion.trajectories import Constant, Pieces, PointToPoint, Succession

Plain = Any  # numbers, texts, None, lists and mappings of them

BLOCKS: dict[str, type[Block]] = {
    "pid": PID,
    "computed_torque": ComputedTorque,
    "gravity_compensation": GravityCompensation,
    "operational_space": OperationalSpace,
    "dc_motor": DCMotor,
    "ideal": Ideal,
    "flexible_transmission": FlexibleTransmission,
    "road_spring": RoadSpring,
    "encoder": Encoder,
    "imu": IMU,
    "force_torque": ForceTorque,
}
# plain data with fields of their own names
RECORDS: dict[str, type] = {
    "motor": Motor,
    "dac": DAC,
    "bump": Bump,
    "sine_road": SineRoad,
    "corrective_force": CorrectiveForce,
    "penalty": Penalty,
    "stabilized_penalty": StabilizedPenalty,
    "joint_limits": JointLimits,
    "limit": Limit,
    "stick_slip": StickSlip,
}


def _road(distance: Plain, height: Plain, speed: float, offset: float = 0.0) -> RoadMotion:
    return RoadProfile(distance, height).under(speed, offset)


def _point_to_point(
    mechanism: Mechanism, q0: Plain, q1: Plain, duration: float, profile: str, start: float = 0.0
) -> PointToPoint:
    return PointToPoint(
        mechanism, np.array(q0, float), np.array(q1, float), duration, PROFILES[profile], start
    )


# how the other parts are made again
MAKERS: dict[str, Callable[..., object]] = {
    "table": Schedule,
    "road": _road,
    "pieces": Pieces,
    "constant": Constant,
    "point_to_point": _point_to_point,
    "sequence": Succession,
}
_WORDS = {kind: word for table in (BLOCKS, RECORDS) for word, kind in table.items()}


class PlainData:
    """Turns arguments of `simulate` into plain data; missing: what it could not, in words."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism, self.missing = mechanism, list[str]()

    def of(self, value: object, what: str) -> Plain:
        """what: the argument, for messages.  None stands for what is missing."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (np.ndarray, np.generic)):
            return value.tolist()
        if isinstance(value, Mapping):
            found = {str(k): self.of(x, f"{what}['{k}']") for k, x in value.items()}
            return {k: x for k, x in found.items() if x is not None}
        if isinstance(value, (list, tuple, range)):
            return [self.of(x, what) for x in value]
        if isinstance(value, Block) and type(value) in _WORDS:
            return {_WORDS[type(value)]: self._arguments(value, what)}
        if is_dataclass(value) and type(value) in _WORDS:
            return {_WORDS[type(value)]: self._changed_fields(value, what)}
        for word, content in _others(value):
            found = {k: self.of(x, what) for k, x in content.items()}
            return {word: {k: x for k, x in found.items() if x is not None}}
        self.missing.append(f"{what}: {_said(value)}")
        return None

    def _arguments(self, block: Block, what: str) -> dict[str, Plain]:
        args, named = block.made_with
        bound = inspect.signature(type(block)).bind(*args, **named).arguments
        if bound.get("mechanism") is not None:
            del bound["mechanism"]
        found = {name: self.of(x, f"{what}.{name}") for name, x in bound.items()}
        return {name: x for name, x in found.items() if x is not None}

    def _changed_fields(self, value: Any, what: str) -> dict[str, Plain]:
        own = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        usual = {f.name: f.default for f in fields(value)}
        return {k: self.of(x, f"{what}.{k}") for k, x in own.items() if x != usual[k]}


def _others(value: object) -> Iterator[tuple[str, dict[str, object]]]:
    """Word and arguments of tables and trajectories."""
    match value:
        case Schedule():
            found = {"times": value.times, "values": value.values, "labels": value.labels}
            yield "table", found | {"kind": value.kind, "hold": value.hold}
        case RoadMotion() if not callable(value.travel):
            s, z = zip(*value.road.rows, strict=True)
            road = {"distance": list(s), "height": [x + value.road.height for x in z]}
            yield "road", road | {"speed": value.travel, "offset": value.offset}
        case Pieces():
            yield "pieces", {"times": value.times, "coefficients": value.coefficients}
        case Constant():
            yield "constant", {"q": value.q, "nv": value.nv}
        case PointToPoint() if PROFILES.get(value.profile.name) == value.profile:
            ends = {"q0": value.q0, "q1": value.q1, "duration": value.duration}
            yield "point_to_point", ends | {"profile": value.profile.name, "start": value.start}
        case Succession():
            yield "sequence", {"parts": value.parts, "start": value.start}


def _said(value: object) -> str:
    if callable(value):
        name = getattr(value, "__qualname__", type(value).__qualname__)
        return f"a function of the user, {name}"
    return f"an object that no file can hold, {type(value).__qualname__}"


def decoded(value: Plain, mechanism: Mechanism) -> Any:
    """Plain data with its parts made: see `PlainData`."""
    if isinstance(value, list):
        return [decoded(x, mechanism) for x in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((word, content),) = value.items()
        if isinstance(content, dict) and word in (*BLOCKS, *RECORDS, *MAKERS):
            return part(word, content, mechanism)
    return {key: decoded(x, mechanism) for key, x in value.items()}


def parts(
    given: list[dict[str, Plain]], mechanism: Mechanism, known: Mapping[str, object]
) -> list[object]:
    """Blocks or events: every entry has to be one of the known words."""
    found = []
    for entry in given:
        ((word, content),) = entry.items()
        if word not in known:
            raise unknown_name("part of this kind", word, known)
        if content is not None and not isinstance(content, dict):
            raise InputError(f"{word}: expected {{name: value, ...}}, found {content!r}.")
        found.append(part(word, content or {}, mechanism))
    return found


def part(word: str, content: dict[str, Plain], mechanism: Mechanism) -> object:
    """One part by its word; what it does not take is refused by name."""
    make: Callable[..., object] = (BLOCKS | RECORDS | MAKERS)[word]
    known = inspect.signature(make).parameters
    own = {k: decoded(x, mechanism) for k, x in content.items()}
    for name in own:
        if name not in known or name == "mechanism":
            raise unknown_name(f"argument of {word}", name, known)
    own = {"mechanism": mechanism, **own} if "mechanism" in known else own
    lacks = [name for name, p in known.items() if p.default is p.empty and name not in own]
    if lacks:
        raise InputError(f"{word}: '{lacks[0]}' is missing. Give it.")
    return make(**own)
