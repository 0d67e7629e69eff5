"""Entries of the native file for one body: its joint, mass, motor and shapes."""

from __future__ import annotations

import difflib
from typing import Annotated, Literal, TypeVar

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
    """Friction of one degree of freedom; forces in N m or N, velocities in rad/s or m/s."""

    viscous: Number = Field(0.0, description="force per velocity, N m s/rad or N s/m")
    coulomb: NumberOrPair = Field(0.0, description="level, N m or N; a pair: forward, backward")
    static: Number = Field(
        0.0, description="level at rest, N m or N, not below `coulomb`; 0: no rise"
    )
    stribeck: Number = Field(0.0, description="velocity over which `static` fades, rad/s or m/s")
    smoothing: Number = Field(
        0.0, description="sign(v) becomes tanh(v / smoothing), rad/s or m/s; 0: a step"
    )
    table: list[Pair] = Field([], description="[velocity, force] pairs, piecewise linear")
    load_radial: Number = Field(
        0.0,
        description="level per force across the axis: μ times radius, m; μ of a prismatic joint",
    )
    load_axial: Number = Field(0.0, description="level per force along the axis: μ times radius, m")
    load_moment: Number = Field(
        0.0, description="level per moment across the axis; of a prismatic joint per moment, 1/m"
    )
    load_drive: Number = Field(0.0, description="level per transmitted force, below 1")


class SpringEntry(Entry):
    """A linear spring along one degree of freedom."""

    stiffness: Number = Field(0.0, description="force per displacement, N m/rad or N/m")
    rest: Number = Field(0.0, description="coordinate without force, rad or m")


class RotorEntry(Entry):
    """The rotor of a drive: it adds gear² times inertia to the joint."""

    inertia: Number = Field(0.0, description="moment of inertia about the motor axis, kg m²")
    gear: Number = Field(1.0, description="motor turns per joint turn; rad/m of a prismatic joint")


class LimitsEntry(Entry):
    """Limits of one degree of freedom; no value: none."""

    may_be_empty = frozenset({"lower", "upper", "velocity", "effort"})

    lower: Bound = Field(None, description="least coordinate, rad or m")
    upper: Bound = Field(None, description="greatest coordinate, rad or m")
    velocity: Bound = Field(None, description="greatest speed either way, rad/s or m/s")
    effort: Bound = Field(None, description="greatest force either way, N m or N")


def _one_or_each(value: object) -> str:
    return "each" if isinstance(value, list) else "one"


T = TypeVar("T", bound=Entry)
# one mapping for all degrees of freedom, or a list with one for each
OneOrEach = Annotated[
    Annotated[T, Tag("one")] | Annotated[list[T], Tag("each")], Discriminator(_one_or_each)
]
_EACH = "; a list: one for each degree of freedom"


class JointEntry(Entry):
    """How a body moves in its parent, or how two frames of a loop move in each other."""

    type: Annotated[
        str, BeforeValidator(_kind), WithJsonSchema({"enum": [*KINDS, "continuous"]})
    ] = Field(description="revolute, prismatic, ...; continuous: revolute without limits")
    name: Name | None = Field(None, description="its name; by default that of its body or loop")
    axis: Axis | None = Field(None, description="axis in the joint frame; by default z")
    axes: list[Axis] | None = Field(
        None,
        description="two axes of a universal joint; screws (angular; linear) of a general joint",
    )
    pitch: Number | None = Field(
        None, description="translation per rotation of a helical joint, m/rad"
    )
    free: list[Name] | None = Field(
        None, description="coordinates of a gimbal, among rx, ry, rz, dx, dy, dz in this order"
    )
    friction: OneOrEach[FrictionEntry] | None = Field(None, description=f"friction{_EACH}")
    spring: OneOrEach[SpringEntry] | None = Field(None, description=f"spring{_EACH}")
    rotor: OneOrEach[RotorEntry] | None = Field(None, description=f"rotor of the drive{_EACH}")
    limits: OneOrEach[LimitsEntry] | None = Field(None, description=f"limits{_EACH}")


class InertiaEntry(Entry):
    """Tensor about the centre of mass along the axes of the body frame, kg m²."""

    xx: Number = Field(0.0, description="moment of inertia about x, kg m²")
    yy: Number = Field(0.0, description="moment of inertia about y, kg m²")
    zz: Number = Field(0.0, description="moment of inertia about z, kg m²")
    xy: Number = Field(0.0, description="product of inertia -∫ x y dm, kg m²")
    xz: Number = Field(0.0, description="product of inertia -∫ x z dm, kg m²")
    yz: Number = Field(0.0, description="product of inertia -∫ y z dm, kg m²")


class MotorEntry(Entry):
    """Electrical and thermal data of a DC motor."""

    may_be_empty = frozenset(
        {
            *("voltage_limit", "current_limit", "continuous_current", "speed_limit"),
            *("thermal_resistance", "thermal_time_constant", "temperature_limit"),
        }
    )

    resistance: Number = Field(description="of the winding, ohm")
    torque_constant: Number = Field(
        description="torque per current, N m/A; also the back-EMF, V s/rad"
    )
    gear: Number = Field(1.0, description="motor turns per joint turn; rad/m of a prismatic joint")
    inductance: Number = Field(0.0, description="of the winding, H")
    voltage_limit: Bound = Field(None, description="greatest voltage either way, V")
    current_limit: Bound = Field(None, description="greatest current either way, A")
    efficiency: Number = Field(1.0, description="of the gear: above 0, at most 1")
    continuous_current: Bound = Field(None, description="greatest root mean square current, A")
    speed_limit: Bound = Field(None, description="greatest speed of the motor's shaft, rad/s")
    thermal_resistance: Bound = Field(None, description="winding to ambient, K/W")
    thermal_time_constant: Bound = Field(None, description="of the winding, s")
    temperature_limit: Bound = Field(None, description="greatest of the winding, °C")


class ShapeEntry(Entry):
    """A shape of a body: to look at or to collide with; it has no mass."""

    type: Literal[
        "box", "cylinder", "sphere", "capsule", "mesh", "ellipsoid", "cone", "hollow-cylinder",
        "semi-cylinder", "prism",
    ] = Field(description="what it is")  # fmt: skip
    size: list[Number] = Field(
        [],
        description="m; box: x, y, z; sphere: radius; cylinder, capsule, semi-cylinder (x >= 0): "
        "radius, length along z; ellipsoid: half axes; cone: radius, length, top radius; "
        "hollow-cylinder: radius, inner radius, length; prism: length, then x, y of each corner",
    )
    at: PoseEntry = Field(PoseEntry(), description="pose of its centre in the body frame")
    mesh: str = Field("", description="file of a mesh, beside this file or package://name/path")
    scale: Vector3 = Field((1.0, 1.0, 1.0), description="factors of a mesh along x, y, z")
    color: Quaternion | None = Field(None, description="red, green, blue, opacity, each 0 to 1")
    role: Literal["visual", "collision"] = Field("visual", description="what it is for")


class BodyEntry(Entry):
    """A rigid body and the joint that connects it to its parent."""

    parent: Name = Field(description="a body, or `world`")
    joint: JointEntry = Field(description="how it moves in its parent")
    at: PoseEntry = Field(PoseEntry(), description="pose of the joint frame in the parent's frame")
    mass: Number | None = Field(None, description="mass, kg; without one the body is massless")
    com: Vector3 | None = Field(None, description="centre of mass in the body frame, m")
    inertia: InertiaEntry | None = Field(None, description="tensor about the centre of mass")
    motor: MotorEntry | None = Field(None, description="electrical data of the motor of its joint")
    shapes: list[ShapeEntry] = Field([], description="to look at or to collide with")
