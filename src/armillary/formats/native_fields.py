"""Fields of the native file: numbers, names, axes, poses, and mappings with known keys only.

Units are SI and radians.  Scalars arrive as text (see `yaml_tree`), so numbers are parsed here.
"""

from __future__ import annotations

import difflib
import math
import re
from typing import Annotated, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from armillary.model.names import name_fault
from armillary.units import AXIS_VECTORS

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_INFINITE = {".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf}
_NAMED_AXIS = {"enum": list(AXIS_VECTORS)}


def fault(text: str, **context: object) -> PydanticCustomError:
    return PydanticCustomError("armillary", "{text}", {"text": text} | context)


def shown(value: object) -> str:
    """What was found, short enough for one line."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _number(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = repr(value)
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        raise fault(f"expected a number, found {shown(value)}. Write SI units without the unit.")
    number = float(value)
    if not math.isfinite(number):
        raise fault(f"expected a finite number, found {shown(value)}.")
    return number


def _number_or_pair(value: object) -> float | tuple[float, float]:
    if not isinstance(value, (list, tuple)):
        return _number(value)
    if len(value) != 2:
        raise fault(f"expected a number or a list of 2 numbers, found {shown(value)}.")
    return (_number(value[0]), _number(value[1]))


def _bound(value: object) -> float | None:
    if value is None:
        return None
    return _INFINITE[value] if isinstance(value, str) and value in _INFINITE else _number(value)


def _numbers(*sizes: int) -> BeforeValidator:
    """A check for a list of so many numbers."""
    wanted = " or ".join(str(n) for n in sizes)

    def check(value: object) -> tuple[float, ...]:
        if not isinstance(value, (list, tuple)) or len(value) not in sizes:
            raise fault(f"expected a list of {wanted} numbers, found {shown(value)}.")
        return tuple(_number(x) for x in value)

    return BeforeValidator(check)


def _file_name(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise fault(f"expected a name, found {shown(value)}.")
    return value


def _name(value: object) -> str:
    value = _file_name(value)
    if wrong := name_fault(value):
        raise fault(wrong)
    return value


def _axis(value: object) -> object:
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


def _rows(value: object) -> object:
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise fault(f"expected three rows of 3 numbers, found {shown(value)}.")
    return value


Number = Annotated[float, BeforeValidator(_number)]
Bound = Annotated[float | None, BeforeValidator(_bound), WithJsonSchema({"type": "number"})]
Vector3 = Annotated[tuple[float, float, float], _numbers(3)]
Quaternion = Annotated[tuple[float, float, float, float], _numbers(4)]
Vector6 = Annotated[tuple[float, float, float, float, float, float], _numbers(6)]
Pair = Annotated[tuple[float, float], _numbers(2)]
_NUMBER_SCHEMA = {"type": "number"}
_PAIR_SCHEMA = {"type": "array", "items": _NUMBER_SCHEMA, "minItems": 2, "maxItems": 2}
NumberOrPair = Annotated[
    float | tuple[float, float],
    BeforeValidator(_number_or_pair),
    WithJsonSchema({"oneOf": [_NUMBER_SCHEMA, _PAIR_SCHEMA]}),
]
Name = Annotated[str, BeforeValidator(_name)]
FileName = Annotated[str, BeforeValidator(_file_name)]  # as the disk has it
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
    renamed: ClassVar[dict[str, str]] = {}  # keys of older files -> what they are called now

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: object) -> object:
        known = list(cls.model_fields)
        if not isinstance(value, dict):
            keys = f"{', '.join(known[:6])}{', ...' if len(known) > 6 else ''}"
            raise fault(
                f"expected a mapping {{key: value}} with some of the keys {keys}; "
                f"found {shown(value)}."
            )
        for key in value:
            if key in cls.renamed:
                text = f"the key '{key}' is called '{cls.renamed[key]}' now. Rename it."
                raise fault(text, key=key)
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
    """Position and orientation of a frame; the orientation by one of rpy, quaternion, matrix."""

    position: Vector3 = Field(default=(0.0, 0.0, 0.0), description="its origin, m")
    rpy: Vector3 | None = Field(
        default=None, description="roll, pitch, yaw about the fixed x, y, z axes, rad"
    )
    quaternion: Quaternion | None = Field(
        default=None, description="w, x, y, z; scaled to length 1"
    )
    matrix: Matrix3 | None = Field(
        default=None, description="rotation matrix by rows; its columns are the axes of the frame"
    )

    @model_validator(mode="after")
    def _one_rotation(self) -> PoseEntry:
        given = [k for k in ("rpy", "quaternion", "matrix") if getattr(self, k) is not None]
        if len(given) > 1:
            raise fault(f"found {' and '.join(given)}. Give one of rpy, quaternion, matrix.")
        return self


class FrameEntry(PoseEntry):
    """A frame fixed in a body."""

    body: Name = Field(description="the body that carries it, or `world`")
