"""Entries of the native file for tyres and roads, made from the fields of their models."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, create_model

from armillary.errors import FormatError
from armillary.formats.native_constraints import End
from armillary.formats.native_fields import Axis, Entry, Name, Number, Pair, fault, shown
from armillary.model.numbered import Numbered
from armillary.model.parts import WORLD
from armillary.model.roads.friction import FrictionGrid, Patch, Split
from armillary.model.roads.plane import Plane
from armillary.model.roads.random_road import random_profile
from armillary.model.roads.road import Road
from armillary.model.roads.uneven import Bump, HeightField, Profile, Tracks
from armillary.model.tyres.fiala import Fiala
from armillary.model.tyres.magic_formula import Coefficients, MagicFormula
from armillary.model.tyres.simple import Brush, Linear
from armillary.model.tyres.spring_damper import SpringDamper

# word in the file -> model
TYRES: dict[str, type[Numbered]] = {
    "spring_damper": SpringDamper,
    "linear": Linear,
    "fiala": Fiala,
    "brush": Brush,
    "magic_formula": MagicFormula,
}
ROADS: dict[str, type[Numbered]] = {
    "plane": Plane,
    "profile": Profile,
    "bump": Bump,
    "height_field": HeightField,
    "tracks": Tracks,
}
FRICTIONS: dict[str, type[Numbered]] = {
    "split": Split,
    "patch": Patch,
    "grid": FrictionGrid,
}
_DERIVED = ("curve", "patches", "tilted", "notes")  # fields that follow from others
Fields = dict[str, Any]


def _entry(word: str, part: type[Numbered], noun: str, more: Fields | None = None) -> type[Entry]:
    """The numbers of a model as keys of a mapping, with their units."""
    keys: Fields = {"type": (Literal[word], Field(description=f"kind of {noun}"))}
    for f in fields(part):
        if "text" not in f.metadata or f.name in (more or {}):
            continue
        begin = ... if f.default is MISSING else f.default
        keys[f.name] = (Number, Field(begin, description=_said(f.metadata)))
    first = " ".join((part.__doc__ or "").split("\n\n")[0].split()).rstrip(":")
    name = f"{part.__name__}{noun.capitalize()}Entry"
    return create_model(name, __base__=Entry, __doc__=first, **keys | (more or {}))


def _said(metadata: Any) -> str:
    unit = metadata["unit"]
    return str(metadata["text"]) + (f", {unit}" if unit not in ("", "1") else "")


def _kind(value: object) -> object:
    return value.get("type") if isinstance(value, dict) else getattr(value, "type", None)


def _known(entries: dict[str, type[Entry]], noun: str) -> BeforeValidator:
    def check(value: object) -> object:
        if not isinstance(value, (dict, Entry)):
            raise fault(f"expected a mapping {{type: ..., ...}}, found {shown(value)}.")
        if _kind(value) not in list(entries):
            words = ", ".join(entries)
            raise fault(f"`type` of a {noun} is one of {words}; found {shown(_kind(value))}.")
        return value

    return BeforeValidator(check)


def _union(entries: dict[str, type[Entry]], noun: str) -> Any:
    """One of the entries, by the word under `type`."""
    tagged = [Annotated[entry, Tag(word)] for word, entry in entries.items()]
    return Annotated[reduce(or_, tagged), Discriminator(_kind), _known(entries, noun)]


def _number_or(entries: dict[str, type[Entry]], noun: str) -> Any:
    """A number, or one of the entries."""

    def kind(value: object) -> object:
        return _kind(value) if isinstance(value, (dict, Entry)) else "number"

    def known(value: object) -> object:
        if isinstance(value, (dict, Entry)) and _kind(value) not in list(entries):
            words = ", ".join(entries)
            raise fault(f"`type` of a {noun} is one of {words}; found {shown(_kind(value))}.")
        return value

    tagged = [Annotated[entry, Tag(word)] for word, entry in entries.items()]
    every = reduce(or_, tagged, Annotated[Number, Tag("number")])
    return Annotated[every, Discriminator(kind), BeforeValidator(known)]


_GRID: Fields = {
    "start": (Pair, Field((0.0, 0.0), description="x and y of the first node, m")),
    "cell": (Pair, Field((1.0, 1.0), description="distance of the nodes along x and y, m")),
}
_ROWS = list[list[Number]]
_AROUND = {
    "split": _entry("split", Split, "friction"),
    "grid": _entry(
        "grid",
        FrictionGrid,
        "friction",
        {"mu": (_ROWS, Field(description="one row for each y, friction along x in it")), **_GRID},
    ),
}
FRICTION_ENTRIES = _AROUND | {
    "patch": _entry(
        "patch",
        Patch,
        "friction",
        {
            "around": (_number_or(_AROUND, "friction"), Field(1.0, description="friction outside")),
        },
    ),
}
_MU = {
    "mu": (
        _number_or(FRICTION_ENTRIES, "friction"),
        Field(1.0, description="friction relative to that of the tyre's data, or by place"),
    )
}
_SHAPES = Literal["half-sine", "cosine", "ramp"]
_SIMPLE = {
    "plane": _entry("plane", Plane, "road", _MU),
    "profile": _entry(
        "profile",
        Profile,
        "road",
        _MU
        | {
            "rows": (list[Pair], Field(description="[x, z] rows, m")),
        },
    ),
    "bump": _entry(
        "bump",
        Bump,
        "road",
        _MU
        | {
            "shape": (_SHAPES, Field("cosine", description="of the obstacle; a ramp stays up")),
        },
    ),
    "height_field": _entry(
        "height_field",
        HeightField,
        "road",
        _MU
        | _GRID
        | {
            "z": (_ROWS, Field(description="one row for each y, heights along x in it, m")),
        },
    ),
    "random": create_model(
        "RandomRoadEntry",
        __base__=Entry,
        **_MU
        | {  # type: ignore[call-overload]
            "type": (Literal["random"], Field(description="kind of road")),
            "grade": (
                Literal["A", "B", "C", "D", "E", "F", "G", "H"],
                Field("C", description="class of ISO 8608"),
            ),
            "length": (Number, Field(200.0, description="of the road, from x = 0 on, m")),
            "step": (Number, Field(0.1, description="between its rows, m")),
            "seed": (Number, Field(0.0, description="of the random phases, a whole number")),
        },
        __doc__="A random road of ISO 8608; written back as a profile.",
    ),
}
_ONE_ROAD = _union(_SIMPLE, "road")
ROAD_ENTRIES = _SIMPLE | {
    "tracks": _entry(
        "tracks",
        Tracks,
        "road",
        {
            "left": (_ONE_ROAD, Field(description="the road for y > border")),
            "right": (_ONE_ROAD, Field(description="the road for y < border")),
        },
    ),
}
_COEFFICIENTS: Fields = {
    "coefficients": (dict[Name, Number], Field(description="by the names of property files")),
    "version": (Literal["5.2", "6.1"], Field("5.2", description="of the formula")),
}
TYRE_ENTRIES = {
    word: _entry(word, part, "tyre", _COEFFICIENTS if part is MagicFormula else None)
    for word, part in TYRES.items()
}
KINDS = (*TYRE_ENTRIES, *ROAD_ENTRIES, *FRICTION_ENTRIES, "number")
TyreModelEntry = _union(TYRE_ENTRIES, "tyre")
RoadEntry = _union(ROAD_ENTRIES, "road")


class TyreEntry(Entry):
    """A tyre on a wheel: the wrench of a road on the rim, by slip, load and camber."""

    type: Literal["tyre"] = Field(description="kind of force")
    wheel: End = Field(description="frame (or body) at the wheel's centre, which spins with it")
    radius: Number | None = Field(None, description="without load, m; that of a magic_formula")
    axis: Axis = Field("y", description="of the spin in that frame, to the left")
    model: TyreModelEntry = Field(description="which model, and its numbers")  # type: ignore[valid-type]
    road: RoadEntry | None = Field(None, description="by default the plane z = 0")  # type: ignore[valid-type]
    on: End = Field(WORLD, description="the frame that carries the road")


# -- from entries to models and back -------------------------------------------------------------


def model_of(entry: Any) -> Any:
    if entry.type == "magic_formula":
        given = _given(entry)
        return MagicFormula.of(given.pop("coefficients"), given.pop("version", "5.2"), **given)
    return TYRES[entry.type](**_given(entry))


def road_of(entry: Any) -> Road | None:
    if entry is None:
        return None
    given = {key: _part(value) for key, value in _given(entry).items()}
    if entry.type == "random":
        return random_profile(**given | {"seed": int(given.get("seed", 0))})
    found = ROADS[entry.type](**given)
    return found if isinstance(found, Road) else None


def _part(value: object) -> Any:
    """Entries within entries as the models they stand for."""
    if not isinstance(value, Entry):
        return value
    kind = _kind(value)
    if kind in ROAD_ENTRIES:
        return road_of(value)
    given = {key: _part(inner) for key, inner in _given(value).items()}
    return FRICTIONS[str(kind)](**given)


def _given(entry: Entry) -> Fields:
    return {key: getattr(entry, key) for key in entry.model_fields_set if key != "type"}


def written(part: Numbered) -> dict[str, object]:
    """A model of a tyre or a road as an entry: what differs from the defaults."""
    words = {kind: word for table in (TYRES, ROADS, FRICTIONS) for word, kind in table.items()}
    if type(part) not in words:
        raise FormatError(
            f"a {type(part).__name__} is a class of your own, which no file can hold. Use one of "
            f"armillary.tyres and armillary.roads."
        )
    entry: dict[str, object] = {"type": words[type(part)]}
    for f in fields(part):
        value = getattr(part, f.name)
        if f.name in _DERIVED or (f.default is not MISSING and value == f.default):
            continue
        if isinstance(value, Coefficients):
            value = dict(zip(value.names, value.values, strict=True))
        entry[f.name] = written(value) if isinstance(value, Numbered) else value
    inner = getattr(part, "around", None)
    if isinstance(inner, Patch):
        raise FormatError("friction: a file holds one patch around which there is none.")
    if isinstance(part, Tracks) and Tracks in (type(part.left), type(part.right)):
        raise FormatError("road: tracks within tracks cannot be written to a file.")
    return entry
