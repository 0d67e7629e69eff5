"""The native file, version 1, as pydantic models: which keys there are and what they hold."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from armillary.formats.native_body import BodyEntry
from armillary.formats.native_constraints import (
    ContactEntry,
    CouplingEntry,
    DistanceEntry,
    LoopEntry,
    PrescribedMotionEntry,
    SurfaceEntry,
    WheelEntry,
)
from armillary.formats.native_fields import (
    Entry,
    FrameEntry,
    Name,
    Number,
    Vector3,
    Vector6,
    fault,
    shown,
)

VERSION = 1
# section -> what one entry of it is called in messages
SECTIONS = {
    "bodies": "body",
    "frames": "frame",
    "loops": "loop",
    "couplings": "coupling",
    "wheels": "wheel",
    "distances": "distance",
    "surfaces": "surface",
    "contacts": "contact",
    "prescribed": "prescribed motion",
    "initial": "joint",
}


def _places(value: object) -> object:
    return [value] if isinstance(value, (str, int, float)) else value


Places = Annotated[
    list[Number],
    BeforeValidator(_places),
    WithJsonSchema({"oneOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]}),
]


def _version(value: object) -> int:
    if str(value) != str(VERSION):
        raise fault(
            f"expected version {VERSION}, found {shown(value)}. This version of Armillary reads "
            f"`armillary: {VERSION}`."
        )
    return VERSION


class NativeFile(Entry):
    """A mechanism for Armillary."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["bodies"]}, {"required": ["tree"]}]}
    )
    may_be_empty = frozenset(SECTIONS) - {"bodies"}
    renamed: ClassVar[dict[str, str]] = {"drives": "prescribed"}

    armillary: Annotated[Literal[1], BeforeValidator(_version)]
    name: Name | None = None
    gravity: Vector3 | None = None
    checks: Literal["strict", "report"] = Field(
        default="report",
        description="inertias and limits that cannot be: an error, or kept with a warning",
    )
    base_velocity: Vector6 | None = None
    base_acceleration: Vector6 | None = None
    tree: Name | None = Field(
        default=None, description="a file beside this one that holds the bodies: URDF, MJCF, ..."
    )
    base: Literal["fixed", "free"] | None = Field(
        default=None, description="how the root of `tree` stands in the world"
    )
    bodies: dict[Name, BodyEntry] = Field(default={}, description="the tree")
    frames: dict[Name, FrameEntry] = Field(default={}, description="named frames fixed in bodies")
    loops: dict[Name, LoopEntry] = Field(default={}, description="joints that close chains")
    couplings: dict[Name, CouplingEntry] = Field(
        default={}, description="gears, racks, mimic joints"
    )
    wheels: dict[Name, WheelEntry] = Field(default={}, description="rolling on a plane")
    distances: dict[Name, DistanceEntry] = Field(
        default={}, description="massless rods with ball ends"
    )
    surfaces: dict[Name, SurfaceEntry] = Field(
        default={}, description="points that stay on surfaces"
    )
    contacts: dict[Name, ContactEntry] = Field(
        default={}, description="a tip that follows its environment"
    )
    prescribed: dict[Name, PrescribedMotionEntry] = Field(
        default={}, description="coordinates that move as prescribed"
    )
    initial: dict[Name, Places] = Field(default={}, description="start, by joint name")

    @model_validator(mode="before")
    @classmethod
    def _one_source_of_bodies(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        if "bodies" in value and "tree" in value:
            text = "found bodies and tree. Give the bodies here or in a file, not both."
            raise fault(text, key="tree")
        if "base" in value and "tree" not in value:
            text = "`base` belongs to `tree`; here the root body's joint says how it stands."
            raise fault(text, key="base")
        return value

    @model_validator(mode="after")
    def _has_bodies(self) -> NativeFile:
        if self.tree is None and "bodies" not in self.model_fields_set:
            raise fault("the key 'bodies' is missing. Give bodies, or `tree:` and a file's name.")
        return self


def native_schema() -> dict[str, object]:
    """JSON schema of the native file, for editors and other programs."""
    schema = NativeFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
