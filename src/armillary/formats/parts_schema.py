"""The parts file as pydantic models: links, their parts, and the sections these are made of."""

from __future__ import annotations

import difflib
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from armillary.formats.native_body import (
    FrictionEntry,
    InertiaEntry,
    JointEntry,
    LimitsEntry,
    MotorEntry,
    RotorEntry,
)
from armillary.formats.native_fields import (
    Entry,
    Name,
    Number,
    Pair,
    PoseEntry,
    Vector3,
    fault,
    shown,
)
from armillary.model.solids import SOLIDS

VERSION = 1
NOUNS = {"links": "link", "materials": "material"}
KEY = "armillary_parts"
LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254}
KINDS = (*SOLIDS, "mesh")


def _kind(value: object) -> str:
    if value not in KINDS:
        near = difflib.get_close_matches(str(value), KINDS, n=1, cutoff=0.5)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(KINDS)}."
        raise fault(f"unknown solid {shown(value)}. {hint}")
    return str(value)


def _flag(value: object) -> bool:
    if value in (True, False):
        return bool(value)
    if str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    raise fault(f"expected true or false, found {shown(value)}.")


def _version(value: object) -> int:
    if str(value) != str(VERSION):
        raise fault(f"expected version {VERSION}, found {shown(value)}.")
    return VERSION


Flag = Annotated[bool, BeforeValidator(_flag), WithJsonSchema({"type": "boolean"})]


class SectionEntry(Entry):
    """One solid of a part.  Lengths are in the file's unit."""

    name: Name | None = Field(None, description="its name; by default its kind and number")
    type: Annotated[str, BeforeValidator(_kind), WithJsonSchema({"enum": list(KINDS)})] = Field(
        description="the solid"
    )
    at: PoseEntry = Field(PoseEntry(), description="pose of the solid's frame in the part")
    material: Name | None = Field(None, description="of this section instead of the part's")
    density: Number | None = Field(None, description="kg/m³, instead of a material")
    remove: Flag = Field(False, description="a hole: taken away from the sections before it")
    x: Number | None = Field(None, description="length of a box, half axis of an ellipsoid")
    y: Number | None = Field(None, description="the same along y")
    z: Number | None = Field(None, description="the same along z")
    radius: Number | None = Field(None, description="outer radius; of a cone at its base")
    inner_radius: Number | None = Field(None, description="of a hollow cylinder")
    top_radius: Number | None = Field(None, description="of a cone that is cut off")
    length: Number | None = Field(None, description="along z")
    points: list[Pair] | None = Field(None, description="outline of a prism, [x, y] each")
    mesh: str = Field("", description="file of a closed mesh, beside this file")
    scale: Vector3 = Field((1.0, 1.0, 1.0), description="factors of a mesh; 1: it is in metres")

    dimensions: ClassVar[tuple[str, ...]] = (
        *("x", "y", "z", "radius", "inner_radius", "top_radius", "length", "points"),
    )

    @model_validator(mode="after")
    def _one_density(self) -> SectionEntry:
        if self.material is not None and self.density is not None:
            raise fault("found material and density. Give one of them.", key="density")
        if (self.type == "mesh") != bool(self.mesh):
            raise fault("`mesh` names the file of a section of type mesh.")
        return self


class PartEntry(Entry):
    """One part of a link: solids, or mass properties as weighed or given by a maker."""

    at: PoseEntry = Field(PoseEntry(), description="pose of the part in the link")
    copies: list[PoseEntry] = Field([], description="further places of the same part")
    material: Name | None = Field(None, description="of all its sections")
    density: Number | None = Field(None, description="kg/m³, instead of a material")
    mass: Number | None = Field(
        None, description="as weighed, kg: scales the density of the sections"
    )
    com: Vector3 | None = Field(None, description="centre of mass, where there are no sections")
    inertia: InertiaEntry | None = Field(
        None, description="about the centre of mass, kg m², where there are no sections"
    )
    sections: list[SectionEntry] = Field([], description="the solids it is made of")

    @model_validator(mode="after")
    def _solids_or_numbers(self) -> PartEntry:
        if self.material is not None and self.density is not None:
            raise fault("found material and density. Give one of them.", key="density")
        if self.sections and (self.com is not None or self.inertia is not None):
            raise fault("found sections and com or inertia. Give the solids or the numbers.")
        if not self.sections and self.mass is None:
            raise fault("a part needs sections, or mass (and com, inertia).")
        return self


class DHEntry(Entry):
    """Row of the Denavit-Hartenberg table; lengths and angles in the file's units."""

    type: Literal["revolute", "prismatic", "continuous"] = Field("revolute", description="joint")
    a: Number = Field(0.0, description="length of the common normal")
    alpha: Number = Field(0.0, description="angle between the axes")
    d: Number = Field(0.0, description="offset along the axis")
    theta: Number = Field(0.0, description="angle about the axis, where the joint stands at 0")
    name: Name | None = Field(None, description="of the joint; by default that of the link")
    friction: FrictionEntry | None = Field(None, description="of the joint, SI")
    rotor: RotorEntry | None = Field(None, description="of its drive, SI")
    limits: LimitsEntry | None = Field(None, description="in the file's units; effort N m or N")


class CompareEntry(Entry):
    """Mass properties from another source, in the same frame as the link's."""

    mass: Number = Field(description="kg")
    com: Vector3 = Field(description="centre of mass")
    inertia: InertiaEntry = Field(description="about the centre of mass, kg m²")
    source: str = Field("", description="where they come from")


class LinkEntry(Entry):
    """One link: where its parts are drawn, how it moves, what it is made of."""

    parent: Name | None = Field(None, description="by default the link before it, or `world`")
    dh: DHEntry | None = Field(None, description="its row of the table, in a file of such rows")
    joint: JointEntry | None = Field(None, description="how it moves, where there is no table")
    at: PoseEntry = Field(PoseEntry(), description="joint frame in the parent, without a table")
    frame: PoseEntry = Field(
        PoseEntry(),
        description="where its parts are drawn: in its Denavit-Hartenberg or body frame",
    )
    motor: MotorEntry | None = Field(None, description="electrical data of the motor of its joint")
    parts: dict[Name, PartEntry] = Field(description="what it is made of")
    compare: CompareEntry | None = Field(None, description="numbers to compare with")


class MaterialEntry(Entry):
    """A material that is not in the catalogue."""

    density: Number = Field(description="kg/m³")
    source: str = Field("", description="where the number comes from")


class UnitsEntry(Entry):
    """Units of lengths and angles in this file; everything else is SI."""

    length: Literal["m", "mm", "cm", "in"] = Field("m", description="m, mm, cm or in")
    angle: Literal["rad", "deg"] = Field("rad", description="rad or deg")


class PartsFile(Entry):
    """Links, parts and sections of an arm."""

    armillary_parts: Annotated[Literal[1], BeforeValidator(_version)] = Field(
        description="version of the format: 1"
    )
    name: Name | None = Field(None, description="its name; by default that of the file")
    units: UnitsEntry = Field(
        default_factory=UnitsEntry.model_construct,
        description="of lengths and angles in this file",
    )
    gravity: Vector3 = Field((0.0, 0.0, -9.81), description="m/s², in the world")
    convention: Literal["standard", "modified"] = Field(
        "standard", description="of the Denavit-Hartenberg rows"
    )
    materials: dict[Name, MaterialEntry] = Field({}, description="beside the catalogue")
    links: dict[Name, LinkEntry] = Field(description="from the base to the hand")
