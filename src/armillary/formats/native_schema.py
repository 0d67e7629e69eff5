"""The native file, version 1, as pydantic models: which keys there are and what they hold."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from armillary.formats.native_body import BodyEntry, JointEntry
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
    FileName,
    FrameEntry,
    Name,
    Number,
    PoseEntry,
    Vector3,
    Vector6,
    fault,
    shown,
)
from armillary.formats.native_forces import ForceEntry

VERSION = 1
# section -> what one entry of it is called in messages
SECTIONS = {
    "bodies": "body",
    "include": "include",
    "frames": "frame",
    "loops": "loop",
    "couplings": "coupling",
    "wheels": "wheel",
    "distances": "distance",
    "surfaces": "surface",
    "contacts": "contact",
    "prescribed": "prescribed motion",
    "forces": "force",
    "initial": "joint",
}


def _listed(value: object) -> object:
    return [value] if isinstance(value, (str, int, float)) else value


Coordinates = Annotated[
    list[Number],
    BeforeValidator(_listed),
    WithJsonSchema({"oneOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]}),
]


def _version(value: object) -> int:
    if str(value) != str(VERSION):
        raise fault(
            f"expected version {VERSION}, found {shown(value)}. This version of Armillary reads "
            f"`armillary: {VERSION}`."
        )
    return VERSION


class GeneratedEntry(Entry):
    """Where a file comes from; it is out of date when that file has another hash."""

    parts: FileName = Field(description="the parts file, beside this one")
    sha256: Name = Field(description="hash of its text when this file was made")


class IncludeEntry(Entry):
    """Another mechanism, mounted on this one: its world becomes a frame of this one."""

    file: FileName = Field(
        description="a file beside this one that holds it (YAML, URDF, MJCF, ...)"
    )
    on: Name = Field(description="the frame or body that carries it")
    at: PoseEntry = Field(PoseEntry(), description="where in that frame it stands")
    by: Name = Field("world", description="its own frame that stands there; by default its world")
    prefix: str | None = Field(
        None, description="before all its names; by default the key of this entry and '_'"
    )
    joint: JointEntry | None = Field(
        None, description="what connects it; by default it is welded, a free base too"
    )


class NativeFile(Entry):
    """A mechanism for Armillary."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["bodies"]}, {"required": ["tree"]}]}
    )
    may_be_empty = frozenset(SECTIONS) - {"bodies"}
    renamed: ClassVar[dict[str, str]] = {"drives": "prescribed"}

    armillary: Annotated[Literal[1], BeforeValidator(_version)] = Field(
        description="version of the format: 1"
    )
    name: Name | None = Field(None, description="its name; by default that of the file")
    gravity: Vector3 | None = Field(
        None, description="in the world frame, m/s²; by default [0, 0, -9.81], or that of `tree`"
    )
    checks: Literal["strict", "report"] = Field(
        "report", description="impossible inertias and limits: an error, or kept with a warning"
    )
    base_velocity: Vector6 | None = Field(
        None, description="velocity of the world frame, (angular; linear), rad/s and m/s"
    )
    base_acceleration: Vector6 | None = Field(
        None, description="acceleration of the world frame, (angular; linear), rad/s² and m/s²"
    )
    generated: GeneratedEntry | None = Field(
        None, description="the parts file that this one was made from"
    )
    tree: FileName | None = Field(
        None, description="instead of `bodies`: a file beside this one that holds them (URDF, ...)"
    )
    base: Literal["fixed", "free"] | None = Field(
        None, description="how the root body of `tree` is connected to the world"
    )
    bodies: dict[Name, BodyEntry] = Field({}, description="the tree, by body name")
    frames: dict[Name, FrameEntry] = Field({}, description="named frames fixed in bodies")
    include: dict[Name, IncludeEntry] = Field(
        {}, description="other mechanisms, mounted on this one in this order"
    )
    loops: dict[Name, LoopEntry] = Field({}, description="joints that close chains")
    couplings: dict[Name, CouplingEntry] = Field({}, description="gears, racks, mimic joints")
    wheels: dict[Name, WheelEntry] = Field({}, description="wheels that roll on a plane")
    distances: dict[Name, DistanceEntry] = Field({}, description="massless rods with ball ends")
    surfaces: dict[Name, SurfaceEntry] = Field({}, description="points that stay on surfaces")
    contacts: dict[Name, ContactEntry] = Field({}, description="tips that follow environments")
    prescribed: dict[Name, PrescribedMotionEntry] = Field(
        {}, description="coordinates that move as prescribed"
    )
    forces: dict[Name, ForceEntry] = Field({}, description="springs, dampers, cables, mounts, drag")
    initial: dict[Name, Coordinates] = Field(
        {}, description="where it starts: coordinates by joint name, rad or m; by default 0"
    )

    @model_validator(mode="before")
    @classmethod
    def _one_source_of_bodies(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        if "bodies" in value and "tree" in value:
            text = "found bodies and tree. Give the bodies here or in a file, not both."
            raise fault(text, key="tree")
        if "base" in value and "tree" not in value:
            text = "`base` belongs to `tree`; here the root body's joint says how it is connected."
            raise fault(text, key="base")
        return value

    @model_validator(mode="after")
    def _has_bodies(self) -> NativeFile:
        if self.tree is None and "bodies" not in self.model_fields_set:
            raise fault("the key 'bodies' is missing. Give bodies, or `tree:` and a file's name.")
        return self


def native_schema() -> dict[str, Any]:
    """JSON schema of the native file, for editors and other programs."""
    schema = NativeFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema
