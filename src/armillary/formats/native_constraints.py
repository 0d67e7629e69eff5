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

    name: Name | None = None


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


class LoopEntry(Entry):
    between: Ends
    joint: JointEntry


class CouplingEntry(Entry):
    """q[joint] = ratio * q[source] + offset; a joint, or joint.coordinate where it has several."""

    joint: Name
    source: Name
    ratio: Number = 1.0
    offset: Number = 0.0


class GroundEntry(Entry):
    """The plane a wheel rolls on, fixed in a body."""

    body: Name = WORLD
    normal: Vector3 = (0.0, 0.0, 1.0)
    height: Number = 0.0


class WheelEntry(Entry):
    body: Name
    radius: Number | None = Field(default=None, description="m; a knife has none")
    axis: Axis = "y"
    center: Vector3 = (0.0, 0.0, 0.0)
    kind: Literal["disc", "sphere", "knife"] = "disc"
    rows: list[Literal["normal", "longitudinal", "lateral"]] = Field(
        default=["normal", "longitudinal", "lateral"],
        description="what is prevented: leaving the ground, slip along the track and across it",
    )
    ground: GroundEntry = GroundEntry()

    @model_validator(mode="after")
    def _round(self) -> WheelEntry:
        if self.radius is None and self.kind != "knife":
            raise fault(f"the key 'radius' is missing. Give it (m): the wheel is a {self.kind}.")
        return self


class DistanceEntry(Entry):
    """A massless rod with ball ends between the origins of two frames."""

    between: Ends
    length: Number = Field(description="m")


class SurfaceEntry(Entry):
    """The origin of the second frame stays on a surface fixed in the first: the plane z = 0, a
    sphere about the origin, a cylinder about z, a profile z = h(x)."""

    between: Ends
    shape: Literal["plane", "sphere", "cylinder", "profile"] = "plane"
    radius: Number = 0.0
    profile: list[Pair] = Field(default=[], description="[x, z] rows of a profile, m, x rising")


class ContactFrictionEntry(Entry):
    """Force along a free direction = coefficient * force of a constrained direction."""

    along: Direction
    of: Direction
    coefficient: Number


class ContactEntry(Entry):
    """The second frame (tip) follows the first (environment) in the constrained directions."""

    between: Ends
    constrained: list[Direction]
    force: dict[Direction, Number] = Field(
        default={}, description="known forces on the tip along free directions, N m and N"
    )
    friction: list[ContactFrictionEntry] = Field(
        default=[], description="forces along free directions that follow constrained ones"
    )


class PrescribedMotionEntry(Entry):
    """A coordinate that moves as prescribed; a joint, or joint.coordinate."""

    joint: Name
    acceleration: Number = 0.0
    velocity: Number | None = None
    position: Number | None = None
