"""Entries of the native file for one body: its joint, mass, motor and shapes."""

from __future__ import annotations

import difflib
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from armillary.formats.native_fields import (
    Axis,
    Bound,
    Entry,
    Name,
    Number,
    NumberOrPair,
    Pair,
    PoseEntry,
    Quaternion,
    Vector3,
    fault,
    shown,
)
from armillary.model.joints import KINDS


def _kind(value: object) -> str:
    known = [*KINDS, "continuous"]
    if value not in known:
        near = difflib.get_close_matches(str(value), known, n=1, cutoff=0.5)
        hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}."
        raise fault(f"unknown joint type {shown(value)}. {hint}")
    return value


class FrictionEntry(Entry):
    """Of one degree of freedom; forces N or N m, velocities m/s or rad/s."""

    viscous: Number = 0.0
    coulomb: NumberOrPair = Field(default=0.0, description="a pair: forward, backward")
    static: Number = 0.0
    stribeck: Number = 0.0
    smoothing: Number = 0.0
    table: list[Pair] = Field(default=[], description="[velocity, force] pairs, piecewise linear")
    load_radial: Number = Field(
        default=0.0, description="per force across the axis: μ times radius, m; of a slide μ"
    )
    load_axial: Number = Field(default=0.0, description="per force along the axis, m")
    load_moment: Number = Field(
        default=0.0, description="per moment across the axis; of a slide, of all the moment, 1/m"
    )
    load_drive: Number = Field(default=0.0, description="share of the transmitted force, below 1")


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


def _one_or_each(value: object) -> str:
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
    size: list[Number] = Field(default=[], description="m; box: x y z, others: radius, length")
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
    shapes: list[ShapeEntry] = Field(default=[], description="to look at or to touch")
