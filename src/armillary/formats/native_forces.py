"""Entries of the native file for forces between bodies, and how they are handed to the builder."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_validator,
)

from armillary.formats.native_constraints import BETWEEN, End, EndEntry, Ends
from armillary.formats.native_fields import (
    Axis,
    Entry,
    Name,
    Number,
    Pair,
    Vector3,
    Vector6,
    fault,
    shown,
)
from armillary.formats.native_tyres import TyreEntry, model_of, road_of
from armillary.model import Builder, Frame
from armillary.model.elements.line import SMOOTHING
from armillary.model.parts import WORLD


def _six_or_matrix(value: object) -> object:
    if not isinstance(value, (list, tuple)) or len(value) != 6:
        raise fault(f"expected 6 numbers (a diagonal) or 6 rows of 6, found {shown(value)}.")
    return value


_ROW = {"type": "array", "items": {"type": "number"}, "minItems": 6, "maxItems": 6}
_MATRIX = {"type": "array", "items": _ROW, "minItems": 6, "maxItems": 6}
Matrix6 = Annotated[
    list[Number] | list[Vector6],
    BeforeValidator(_six_or_matrix),
    WithJsonSchema({"oneOf": [_ROW, _MATRIX]}),
]


def _several(value: object) -> object:
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        raise fault(f"expected two frames or more, found {shown(value)}.")
    return value


_FREE = "length without tension, m; by default that in the initial configuration"
_PRELOAD = "instead: tension in the initial configuration, N"


class PointSpringEntry(Entry):
    """A spring and damper between the origins of two frames; tension is positive."""

    type: Literal["spring"] = Field(description="kind of force")
    between: Ends = Field(description=BETWEEN)
    stiffness: Number = Field(0.0, description="N/m")
    damping: Number = Field(0.0, description="N s/m")
    rest: Number | None = Field(None, description=_FREE)
    preload: Number | None = Field(None, description=_PRELOAD)
    force: Number = Field(0.0, description="a constant tension, N")
    cubic: Number = Field(0.0, description="of a progressive spring: N/m³ times extension³")
    coulomb: Number = Field(0.0, description="dry friction along the line, N")
    smoothing: Number = Field(
        SMOOTHING, description="rate over which dry friction changes its sign, m/s"
    )
    table: list[Pair] = Field([], description="[extension, tension] rows, m and N")
    damper_table: list[Pair] = Field([], description="[rate, tension] rows, m/s and N")
    side: Literal["both", "pull", "push"] = Field(
        "both", description="`pull`: a cable, only beyond its rest; `push`: a bump stop, only below"
    )


class CableEntry(Entry):
    """A cable with one tension that runs over the origins of frames without friction."""

    type: Literal["cable"] = Field(description="kind of force")
    over: Annotated[list[End], BeforeValidator(_several)] = Field(
        description="two frames or more, each by name or given in place"
    )
    stiffness: Number = Field(0.0, description="N/m")
    damping: Number = Field(0.0, description="N s/m")
    rest: Number | None = Field(None, description=_FREE)
    preload: Number | None = Field(None, description=_PRELOAD)
    force: Number = Field(0.0, description="a constant tension, N")
    side: Literal["both", "pull", "push"] = Field("pull", description="as of a spring")


def _weighted(value: object) -> object:
    if not isinstance(value, dict) or not value:
        raise fault(
            f"expected coordinates with their weights, such as {{motor: 1, load: -50}}, found "
            f"{shown(value)}."
        )
    return value


Weights = Annotated[dict[Name, Number], BeforeValidator(_weighted)]
_WEIGHTS = "joints, or joint.coordinate, and their weights in the sum that the force acts along"


class CoordinateSpringEntry(Entry):
    """A spring, damper and dry friction between coordinates of joints: an elastic gear.  Units are
    those of the first coordinate: m and N, or rad and N m."""

    type: Literal["coordinate_spring"] = Field(description="kind of force")
    coordinates: Weights = Field(description=_WEIGHTS)
    stiffness: Number = Field(0.0, description="N m/rad or N/m")
    damping: Number = Field(0.0, description="N m s/rad or N s/m")
    rest: Number = Field(0.0, description="the sum without force, rad or m")
    force: Number = Field(0.0, description="a constant force against growth of the sum, N m or N")
    cubic: Number = Field(0.0, description="of a progressive spring: N m/rad³ or N/m³")
    coulomb: Number = Field(0.0, description="dry friction, N m or N")
    smoothing: Number = Field(
        SMOOTHING, description="rate over which dry friction changes its sign, rad/s or m/s"
    )
    table: list[Pair] = Field([], description="[sum - rest, force] rows")
    damper_table: list[Pair] = Field([], description="[rate, force] rows")
    side: Literal["both", "pull", "push"] = Field(
        "both", description="`pull`: only beyond its rest; `push`: a stop, only below"
    )


class BacklashEntry(Entry):
    """A gap between coordinates of joints, with a spring and damper on either side of it."""

    type: Literal["backlash"] = Field(description="kind of force")
    coordinates: Weights = Field(description=_WEIGHTS)
    stiffness: Number = Field(description="of the contact on either side, N m/rad or N/m")
    gap: Number = Field(description="from one side to the other, rad or m")
    damping: Number = Field(0.0, description="in contact, N m s/rad or N s/m")
    rest: Number = Field(0.0, description="the sum in the middle of the gap, rad or m")


class MaxwellEntry(Entry):
    """A spring and a damper in series, between frames or between coordinates of joints."""

    type: Literal["maxwell"] = Field(description="kind of force")
    between: Ends | None = Field(None, description=BETWEEN)
    coordinates: Weights | None = Field(None, description=f"instead: {_WEIGHTS}")
    stiffness: Number = Field(description="N/m or N m/rad")
    damping: Number = Field(description="N s/m or N m s/rad")
    tension: Number = Field(0.0, description="its own state where a run begins, N or N m")

    @model_validator(mode="after")
    def _one_of_them(self) -> MaxwellEntry:
        if (self.between is None) == (self.coordinates is None):
            raise fault("give either `between`, two frames, or `coordinates`.")
        return self


class TorsionSpringEntry(Entry):
    """A spring and damper against rotation about an axis of the first frame."""

    type: Literal["torsion_spring"] = Field(description="kind of force")
    between: Ends = Field(description=BETWEEN)
    axis: Axis = Field("z", description="axis in the first frame")
    stiffness: Number = Field(0.0, description="N m/rad")
    damping: Number = Field(0.0, description="N m s/rad")
    rest: Number = Field(0.0, description="angle without moment, rad")


class BushingEntry(Entry):
    """An elastic mount: rotations about and displacements along x, y, z of the first frame."""

    type: Literal["bushing"] = Field(description="kind of force")
    between: Ends = Field(description=BETWEEN)
    stiffness: Matrix6 | None = Field(
        None, description="6 numbers of a diagonal, or 6x6: N m/rad, N m/m, N/rad, N/m"
    )
    damping: Matrix6 | None = Field(None, description="likewise, per second")
    rest: Vector6 = Field((0.0,) * 6, description="pose without force: rotation vector rad, then m")
    preload: Vector6 = Field((0.0,) * 6, description="(n; f) on the second body there, N m and N")


class FixedWrenchEntry(Entry):
    """A constant force and moment on a frame's body at its origin, along the world's axes."""

    type: Literal["fixed_wrench"] = Field(description="kind of force")
    frame: End = Field(description="where it acts, by name or given in place")
    force: Vector3 = Field((0.0, 0.0, 0.0), description="N")
    moment: Vector3 = Field((0.0, 0.0, 0.0), description="N m")
    along: End = Field(WORLD, description="the frame whose axes these are; it takes the reaction")


class DragEntry(Entry):
    """Resistance of air or water at a frame's origin: -(linear + quadratic |u|) u."""

    type: Literal["drag"] = Field(description="kind of force")
    frame: End = Field(description="where it acts, by name or given in place")
    linear: Number = Field(0.0, description="N s/m")
    quadratic: Number = Field(0.0, description="N s²/m²: ½ density times area times coefficient")
    wind: Vector3 = Field((0.0, 0.0, 0.0), description="velocity of the medium, world axes, m/s")


class PointGravityEntry(Entry):
    """Attraction of a mass at a frame by a point."""

    type: Literal["point_gravity"] = Field(description="kind of force")
    frame: End = Field(description="where the mass is, by name or given in place")
    strength: Number = Field(description="G M of the attracting point, m (m/s)²")
    mass: Number = Field(description="the attracted mass, kg")
    center: End = Field(WORLD, description="the frame whose origin attracts")


ENTRIES: dict[str, type[Entry]] = {
    "spring": PointSpringEntry,
    "cable": CableEntry,
    "coordinate_spring": CoordinateSpringEntry,
    "backlash": BacklashEntry,
    "maxwell": MaxwellEntry,
    "torsion_spring": TorsionSpringEntry,
    "bushing": BushingEntry,
    "fixed_wrench": FixedWrenchEntry,
    "drag": DragEntry,
    "point_gravity": PointGravityEntry,
    "tyre": TyreEntry,
}


def _kind(value: object) -> object:
    return value.get("type") if isinstance(value, dict) else getattr(value, "type", None)


def _known(value: object) -> object:
    if _kind(value) not in list(ENTRIES):  # lists, too, may stand there
        known = ", ".join(ENTRIES)
        raise fault(f"`type` is one of {known}; found {shown(_kind(value))}.", key="type")
    return value


ForceEntry = Annotated[
    Annotated[PointSpringEntry, Tag("spring")]
    | Annotated[CableEntry, Tag("cable")]
    | Annotated[CoordinateSpringEntry, Tag("coordinate_spring")]
    | Annotated[BacklashEntry, Tag("backlash")]
    | Annotated[MaxwellEntry, Tag("maxwell")]
    | Annotated[TorsionSpringEntry, Tag("torsion_spring")]
    | Annotated[BushingEntry, Tag("bushing")]
    | Annotated[FixedWrenchEntry, Tag("fixed_wrench")]
    | Annotated[DragEntry, Tag("drag")]
    | Annotated[PointGravityEntry, Tag("point_gravity")]
    | Annotated[TyreEntry, Tag("tyre")],
    Discriminator(_kind),
    BeforeValidator(_known),
]


def add_force(builder: Builder, name: str, entry: Entry, ends: list[Frame | str]) -> None:
    """One entry to the method of the builder that is called like it.  ends: its frames."""
    own = ("type", "between", "over", "frame", "along", "center", "wheel", "on")
    values = {
        k: x
        for k in type(entry).model_fields
        if k not in own and (x := getattr(entry, k)) is not None
    }
    match entry:
        case CableEntry():
            builder.cable(name, ends, **values)
        case FixedWrenchEntry():
            builder.fixed_wrench(name, ends[0], along=ends[1], **values)
        case PointGravityEntry():
            builder.point_gravity(name, ends[0], center=ends[1], **values)
        case DragEntry():
            builder.drag(name, ends[0], **values)
        case TyreEntry():
            given = {"model": model_of(entry.model), "road": road_of(entry.road)}
            builder.tyre(name, ends[0], on=ends[1], **values | given)
        case PointSpringEntry():
            builder.spring(name, *ends, **values)
        case CoordinateSpringEntry():
            builder.coordinate_spring(name, **values)
        case BacklashEntry():
            builder.backlash(name, **values)
        case MaxwellEntry():
            over = values.pop("coordinates", None)
            builder.maxwell(name, ends if over is None else over, **values)
        case TorsionSpringEntry():
            builder.torsion_spring(name, *ends, **values)
        case BushingEntry():
            builder.bushing(name, *ends, **values)


def ends_of(entry: Entry) -> dict[str, EndEntry | str]:
    """The frames that an entry names, by the names they get where they are given in place."""
    if isinstance(entry, CableEntry):
        return {f"point{k + 1}": end for k, end in enumerate(entry.over)}
    if isinstance(entry, (PointSpringEntry, TorsionSpringEntry, BushingEntry)):
        return dict(zip(("first", "second"), entry.between, strict=True))
    if isinstance(entry, MaxwellEntry) and entry.between is not None:
        return dict(zip(("first", "second"), entry.between, strict=True))
    if isinstance(entry, FixedWrenchEntry):
        return {"second": entry.frame, "first": entry.along}
    if isinstance(entry, TyreEntry):
        return {"second": entry.wheel, "first": entry.on}
    if isinstance(entry, PointGravityEntry):
        return {"second": entry.frame, "first": entry.center}
    return {"second": entry.frame} if isinstance(entry, DragEntry) else {}
