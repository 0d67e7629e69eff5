"""The native file, version 1, as pydantic models: which keys there are and what they hold.

Units are SI and radians.  Scalars arrive as text (see `yaml_tree`), so numbers are parsed here.
"""

from __future__ import annotations

import difflib
import math
import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from armillary.model.joints import KINDS

VERSION = 1
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_INFINITE = {".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf}
_NAMED_AXIS = {"enum": ["x", "y", "z", "-x", "-y", "-z"]}


def fault(text: str, **context: Any) -> PydanticCustomError:
    return PydanticCustomError("armillary", "{text}", {"text": text} | context)


def shown(value: Any) -> str:
    """What was found, short enough for one line."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _number(value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = repr(value)
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        raise fault(f"expected a number, found {shown(value)}. Write SI units without the unit.")
    number = float(value)
    if not math.isfinite(number):
        raise fault(f"expected a finite number, found {shown(value)}.")
    return number


def _bound(value: Any) -> float | None:
    if value is None:
        return None
    return _INFINITE[value] if isinstance(value, str) and value in _INFINITE else _number(value)


def _numbers(*sizes: int) -> BeforeValidator:
    """A check for a list of so many numbers."""
    wanted = " or ".join(str(n) for n in sizes)

    def check(value: Any) -> tuple[float, ...]:
        if not isinstance(value, (list, tuple)) or len(value) not in sizes:
            raise fault(f"expected a list of {wanted} numbers, found {shown(value)}.")
        return tuple(_number(x) for x in value)

    return BeforeValidator(check)


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise fault(f"expected a name, found {shown(value)}.")
    return value


def _axis(value: Any) -> Any:
    if isinstance(value, str):
        if value not in _NAMED_AXIS["enum"]:
            raise fault(
                f"expected one of {', '.join(_NAMED_AXIS['enum'])} or a list of numbers, "
                f"found {shown(value)}."
            )
        return value
    if not isinstance(value, (list, tuple)) or len(value) not in (3, 6):
        raise fault(
            f"expected a letter (x, y, z, -x, ...) or a list of 3 numbers (6 for a general joint), "
            f"found {shown(value)}."
        )
    return tuple(_number(x) for x in value)


def _kind(value: Any) -> str:
    known = [*KINDS, "continuous"]
    if value not in known:
        near = difflib.get_close_matches(str(value), known, n=1, cutoff=0.5)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}."
        raise fault(f"unknown joint type {shown(value)}. {hint}")
    return value


def _rows(value: Any) -> Any:
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise fault(f"expected three rows of 3 numbers, found {shown(value)}.")
    return value


Number = Annotated[float, BeforeValidator(_number)]
Bound = Annotated[float | None, BeforeValidator(_bound), WithJsonSchema({"type": "number"})]
Vector3 = Annotated[tuple[float, float, float], _numbers(3)]
Quaternion = Annotated[tuple[float, float, float, float], _numbers(4)]
Vector6 = Annotated[tuple[float, float, float, float, float, float], _numbers(6)]
Pair = Annotated[tuple[float, float], _numbers(2)]
Name = Annotated[str, BeforeValidator(_name)]
Matrix3 = Annotated[tuple[Vector3, Vector3, Vector3], BeforeValidator(_rows)]
_AXIS_SCHEMA = {
    "oneOf": [
        _NAMED_AXIS,
        {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 6},
    ]
}
Axis = Annotated[str | tuple[float, ...], BeforeValidator(_axis), WithJsonSchema(_AXIS_SCHEMA)]


class Entry(BaseModel):
    """A mapping with known keys only."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    may_be_empty: ClassVar[frozenset[str]] = frozenset()  # keys that may stand without a value

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise fault(f"expected a mapping {{key: value, ...}}, found {shown(value)}.")
        known = list(cls.model_fields)
        for key in value:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.6)
                hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}."
                raise fault(f"unknown key '{key}'. {hint}", key=key)
            if value[key] is None and key not in cls.may_be_empty:
                raise fault(f"the key '{key}' has no value. Give one or remove the key.", key=key)
        for key, info in cls.model_fields.items():
            if info.is_required() and key not in value:
                raise fault(f"the key '{key}' is missing.")
        return {key: entry for key, entry in value.items() if entry is not None}


class PoseEntry(Entry):
    """Where a frame sits (m), and how it is turned: one of rpy, quaternion, matrix."""

    position: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 | None = Field(default=None, description="rad, about the fixed x, y, z axes")
    quaternion: Quaternion | None = Field(default=None, description="w, x, y, z")
    matrix: Matrix3 | None = Field(default=None, description="rows; columns: turned axes")

    @model_validator(mode="after")
    def _one_rotation(self) -> PoseEntry:
        given = [k for k in ("rpy", "quaternion", "matrix") if getattr(self, k) is not None]
        if len(given) > 1:
            raise fault(f"found {' and '.join(given)}. Give one of rpy, quaternion, matrix.")
        return self


class FrameEntry(PoseEntry):
    body: Name


class EndEntry(FrameEntry):
    """One end of a loop, given in place."""

    name: Name | None = None


class FrictionEntry(Entry):
    """Of one degree of freedom; forces N or N m, velocities m/s or rad/s."""

    viscous: Number = 0.0
    coulomb: Number = 0.0
    static: Number = 0.0
    stribeck: Number = 0.0
    smoothing: Number = 0.0
    table: list[Pair] = Field(default=[], description="[velocity, force] pairs, piecewise linear")


class SpringEntry(Entry):
    stiffness: Number = 0.0
    rest: Number = 0.0


class RotorEntry(Entry):
    inertia: Number = 0.0
    gear: Number = 1.0


class LimitsEntry(Entry):
    may_be_empty = frozenset({"lower", "upper", "velocity", "effort"})

    lower: Bound = None
    upper: Bound = None
    velocity: Bound = None
    effort: Bound = None


def _one_or_each(value: Any) -> str:
    return "each" if isinstance(value, list) else "one"


_ONE_OR_EACH = Discriminator(_one_or_each)
# one mapping for all degrees of freedom, or a list with one for each
Friction = Annotated[
    Annotated[FrictionEntry, Tag("one")] | Annotated[list[FrictionEntry], Tag("each")], _ONE_OR_EACH
]
Spring = Annotated[
    Annotated[SpringEntry, Tag("one")] | Annotated[list[SpringEntry], Tag("each")], _ONE_OR_EACH
]
Rotors = Annotated[
    Annotated[RotorEntry, Tag("one")] | Annotated[list[RotorEntry], Tag("each")], _ONE_OR_EACH
]
Bounds = Annotated[
    Annotated[LimitsEntry, Tag("one")] | Annotated[list[LimitsEntry], Tag("each")], _ONE_OR_EACH
]


class JointEntry(Entry):
    type: Annotated[str, BeforeValidator(_kind), WithJsonSchema({"enum": [*KINDS, "continuous"]})]
    name: Name | None = None
    axis: Axis | None = None
    axes: list[Axis] | None = None
    pitch: Number | None = Field(default=None, description="m/rad, helical joints only")
    free: list[Name] | None = Field(default=None, description="rx ry rz dx dy dz of a gimbal")
    friction: Friction | None = None
    spring: Spring | None = None
    rotor: Rotors | None = None
    limits: Bounds | None = None


class InertiaEntry(Entry):
    """kg m², about the centre of mass along body axes; off-diagonal entries of the tensor."""

    xx: Number = 0.0
    yy: Number = 0.0
    zz: Number = 0.0
    xy: Number = 0.0
    xz: Number = 0.0
    yz: Number = 0.0


class MotorEntry(Entry):
    may_be_empty = frozenset({"voltage_limit", "current_limit"})

    resistance: Number
    torque_constant: Number
    gear: Number = 1.0
    inductance: Number = 0.0
    voltage_limit: Bound = None
    current_limit: Bound = None
    efficiency: Number = 1.0


class ShapeEntry(Entry):
    type: Literal["box", "cylinder", "sphere", "capsule", "mesh"]
    size: list[Number] = []
    at: PoseEntry = PoseEntry()
    mesh: str = ""
    scale: Vector3 = (1.0, 1.0, 1.0)
    color: Quaternion | None = Field(default=None, description="red, green, blue, opacity; 0 to 1")
    role: Literal["visual", "collision"] = "visual"


class BodyEntry(Entry):
    parent: Name
    joint: JointEntry
    at: PoseEntry = Field(default=PoseEntry(), description="joint frame in the parent's frame")
    mass: Number | None = None
    com: Vector3 | None = None
    inertia: InertiaEntry | None = None
    motor: MotorEntry | None = None
    shapes: list[ShapeEntry] = []


def _name_or_frame(value: Any) -> str:
    return "name" if isinstance(value, str) else "frame"


LoopEnd = Annotated[
    Annotated[Name, Tag("name")] | Annotated[EndEntry, Tag("frame")], Discriminator(_name_or_frame)
]


def _two(value: Any) -> Any:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise fault(f"expected two frames, found {shown(value)}.")
    return value


class LoopEntry(Entry):
    between: Annotated[tuple[LoopEnd, LoopEnd], BeforeValidator(_two)]
    joint: JointEntry


class CouplingEntry(Entry):
    """q[joint] = ratio * q[source] + offset."""

    joint: Name
    source: Name
    ratio: Number = 1.0
    offset: Number = 0.0


class GroundEntry(Entry):
    normal: Vector3 = (0.0, 0.0, 1.0)
    height: Number = 0.0


class WheelEntry(Entry):
    body: Name
    radius: Number
    axis: Axis = "y"
    center: Vector3 = (0.0, 0.0, 0.0)
    ground: GroundEntry = GroundEntry()


def _places(value: Any) -> Any:
    return [value] if isinstance(value, (str, int, float)) else value


Places = Annotated[
    list[Number],
    BeforeValidator(_places),
    WithJsonSchema({"oneOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]}),
]


def _version(value: Any) -> int:
    if str(value) != str(VERSION):
        raise fault(
            f"expected version {VERSION}, found {shown(value)}. This version of Armillary reads "
            f"`armillary: {VERSION}`."
        )
    return VERSION


class NativeFile(Entry):
    """A mechanism for Armillary."""

    may_be_empty = frozenset({"frames", "loops", "couplings", "wheels", "initial"})

    armillary: Annotated[Literal[1], BeforeValidator(_version)]
    name: Name | None = None
    gravity: Vector3 | None = None
    checks: Literal["strict", "report"] = "strict"
    base_velocity: Vector6 | None = None
    base_acceleration: Vector6 | None = None
    bodies: dict[Name, BodyEntry]
    frames: dict[Name, FrameEntry] = {}
    loops: dict[Name, LoopEntry] = {}
    couplings: dict[Name, CouplingEntry] = {}
    wheels: dict[Name, WheelEntry] = {}
    initial: dict[Name, Places] = Field(default={}, description="start, by joint name")


def native_schema() -> dict[str, Any]:
    """JSON schema of the native file, for editors and other programs."""
    schema = NativeFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
