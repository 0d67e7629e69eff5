"""Entries of the native file for what holds a mechanism beyond its tree: loops, couplings, wheels,
distances, surfaces, contacts, prescribed motions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from armillary.formats.native_body import JointEntry
from armillary.formats.native_fields import (
    Axis,
    Entry,
    FrameEntry,
    Name,
    Number,
    Pair,
    Vector3,
    fault,
    shown,
)
from armillary.model.parts import WORLD

Direction = Literal["rx", "ry", "rz", "dx", "dy", "dz"]


class EndEntry(FrameEntry):
    """One end of a constraint, given in place."""

    name: Name | None = Field(
        None, description="its name; by default <constraint>.first or .second"
    )


def _name_or_frame(value: object) -> str:
    return "name" if isinstance(value, str) else "frame"


End = Annotated[
    Annotated[Name, Tag("name")] | Annotated[EndEntry, Tag("frame")], Discriminator(_name_or_frame)
]


def _two(value: object) -> object:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise fault(f"expected two frames, found {shown(value)}.")
    return value


Ends = Annotated[tuple[End, End], BeforeValidator(_two)]
BETWEEN = "two frames, each by name or given in place; the second moves relative to the first"


class LoopEntry(Entry):
    """A joint that closes a chain between two frames."""

    between: Ends = Field(description=BETWEEN)
    joint: JointEntry = Field(description="how the second frame moves in the first")


class CouplingEntry(Entry):
    """A gear, rack or mimic joint: q[joint] = ratio * q[source] + offset."""

    joint: Name = Field(
        description="what follows: a joint, or joint.coordinate where it has several"
    )
    source: Name = Field(description="what it follows, named likewise")
    ratio: Number = Field(1.0, description="follower per source: 1, m/rad or rad/m")
    offset: Number = Field(
        0.0, description="coordinate of the follower where the source is 0, rad or m"
    )


class GroundEntry(Entry):
    """The plane a wheel rolls on, fixed in a body."""

    body: Name = Field(default=WORLD, description="the body that carries the plane")
    normal: Vector3 = Field(
        default=(0.0, 0.0, 1.0), description="its normal in the frame of that body"
    )
    height: Number = Field(default=0.0, description="height of the plane along its normal, m")


class WheelEntry(Entry):
    """A wheel that rolls on a plane without slip."""

    body: Name = Field(description="the body that the wheel is part of")
    radius: Number | None = Field(None, description="radius, m; a knife edge has none")
    axis: Axis = Field("y", description="axis of rotation in the body frame")
    center: Vector3 = Field((0.0, 0.0, 0.0), description="its centre in the body frame, m")
    kind: Literal["disc", "sphere", "knife"] = Field(
        "disc", description="a thin rim, a ball, or an edge that slides along its track"
    )
    rows: list[Literal["normal", "longitudinal", "lateral"]] = Field(
        ["normal", "longitudinal", "lateral"],
        description="what is prevented: leaving the ground, slip along the track and across it",
    )
    ground: GroundEntry = Field(GroundEntry(), description="the plane it rolls on")

    @model_validator(mode="after")
    def _round(self) -> WheelEntry:
        if self.radius is None and self.kind != "knife":
            raise fault(f"the key 'radius' is missing. Give it (m): the wheel is a {self.kind}.")
        return self


class DistanceEntry(Entry):
    """A massless rod with ball ends between the origins of two frames."""

    between: Ends = Field(description=BETWEEN)
    length: Number = Field(description="distance of the origins, m")


class SurfaceEntry(Entry):
    """The origin of the second frame stays on a surface fixed in the first: the plane z = 0, a
    sphere about the origin, a cylinder about z, a profile z = h(x)."""

    between: Ends = Field(description=BETWEEN)
    shape: Literal["plane", "sphere", "cylinder", "profile"] = Field(
        "plane", description="kind of surface"
    )
    radius: Number = Field(0.0, description="radius of a sphere or cylinder, m")
    profile: list[Pair] = Field([], description="[x, z] rows of a profile, m, x rising")


class ContactFrictionEntry(Entry):
    """A force along a free direction that follows the force of a constrained one."""

    along: Direction = Field(description="the free direction")
    of: Direction = Field(description="the constrained direction")
    coefficient: Number = Field(description="force along the first per force along the second")


class ContactEntry(Entry):
    """The second frame (tip) follows the first (environment) in the constrained directions."""

    between: Ends = Field(description=BETWEEN)
    constrained: list[Direction] = Field(
        description="rotations rx, ry, rz and translations dx, dy, dz of the first frame"
    )
    force: dict[Direction, Number] = Field(
        {}, description="known forces on the tip along free directions, N m and N"
    )
    friction: list[ContactFrictionEntry] = Field(
        [], description="forces along free directions that follow constrained ones"
    )


class PrescribedMotionEntry(Entry):
    """A coordinate that moves as prescribed, whatever force that takes."""

    joint: Name = Field(description="a joint, or joint.coordinate where it has several")
    acceleration: Number = Field(0.0, description="its acceleration, rad/s² or m/s²")
    velocity: Number | None = Field(
        None, description="its velocity, rad/s or m/s; by default not prescribed"
    )
    position: Number | None = Field(
        None, description="its position, rad or m; by default not prescribed"
    )
