"""The parts database: links -> parts -> sections, with their masses, centres and tensors.

[Swartz1982, section 2: every link is separated into parts, every part into simple solids; the
frames of the parts are chosen for convenience and changed to those of Denavit and Hartenberg.]
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from armillary.errors import FormatError, ModelError
from armillary.formats.dh_rows import dh
from armillary.formats.files import read_text
from armillary.formats.materials import MATERIALS
from armillary.formats.native_fields import PoseEntry
from armillary.formats.native_parts import Parts
from armillary.formats.parts_schema import (
    KEY,
    LENGTHS,
    NOUNS,
    CompareEntry,
    DHEntry,
    LinkEntry,
    PartEntry,
    PartsFile,
    SectionEntry,
)
from armillary.formats.references import Bounds
from armillary.formats.solid_meshes import mesh_moments
from armillary.formats.validation import validated
from armillary.formats.yaml_tree import Node, load_tree
from armillary.model import Body, Builder, Mass, Model, Motor, Pose, Report, Shape
from armillary.model.arguments import name_arguments
from armillary.model.parts import inertia_of, mass_of
from armillary.model.solids import SOLIDS, Dimension, VolumeMoments, checked_solid
from armillary.spatial import Inertia


@dataclass(frozen=True)
class Section:
    """A solid of a part; `remove`: a hole in the sections before it."""

    name: str
    kind: str
    dimensions: dict[str, Dimension]
    density: float  # kg/m³
    pose: Pose  # in the part
    remove: bool
    moments: VolumeMoments
    mesh: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)

    @cached_property
    def inertia(self) -> Inertia:
        """What it adds to the part, in the part's frame; negative for a hole."""
        X = self.pose.transform()
        own = self.moments.inertia(-self.density if self.remove else self.density)
        return X.T @ own @ X

    def shape(self) -> Shape:
        """For pictures; a hole is not drawn."""
        if self.kind == "mesh":
            return Shape("mesh", (), self.pose, self.mesh, self.scale)
        d = self.dimensions
        if self.kind == "prism":
            return Shape("prism", (d["length"], *(x for p in d["points"] for x in p)), self.pose)
        solid = SOLIDS[self.kind]
        names = (*solid.dimensions, *solid.optional)
        return Shape(self.kind, tuple(d.get(name, 0.0) for name in names), self.pose)


@dataclass(frozen=True)
class Part:
    """Solids that belong together, or numbers of a maker; `poses`: every place it stands in."""

    name: str
    poses: tuple[Pose, ...]
    sections: tuple[Section, ...]
    own: Inertia  # of one of them, in its own frame
    weighed: float | None = None  # factor on the densities, where the mass is given

    @cached_property
    def inertia(self) -> Inertia:
        """Of all its copies, in the frame in which the link's parts are drawn."""
        total = Inertia.zero()
        for pose in self.poses:
            X = pose.transform()
            total = total + X.T @ self.own @ X
        return total


@dataclass(frozen=True)
class Link:
    """A link: its parts, in the frame they are drawn in, which stands at `frame` in the link's."""

    name: str
    entry: LinkEntry
    frame: Pose
    parts: tuple[Part, ...]
    compare: Mass | None = None

    @cached_property
    def inertia(self) -> Inertia:
        """In the link's frame: that of Denavit and Hartenberg, or the body frame."""
        X = self.frame.transform()
        total = Inertia.zero()
        for part in self.parts:
            total = total + part.inertia
        return X.T @ total @ X

    @cached_property
    def mass(self) -> Mass:
        return mass_of(self.inertia)

    def shapes(self, in_body: Pose) -> tuple[Shape, ...]:
        """Its solids in the body frame, in which the link's frame stands at `in_body`."""
        drawn = in_body.then(self.frame)
        return tuple(
            replace(shape, pose=drawn.then(pose).then(shape.pose))
            for part in self.parts
            for pose in part.poses
            for shape in (s.shape() for s in part.sections if not s.remove)
        )


@dataclass(frozen=True)
class PartsDatabase:
    """What a parts file holds; `model` is the arm, where the file says how its links move."""

    name: str
    links: tuple[Link, ...]
    file: PartsFile
    report: Report = field(default_factory=Report)

    @cached_property
    def total(self) -> float:
        """Mass of all links, kg."""
        return sum(link.mass.mass for link in self.links)

    def link(self, name: str) -> Link:
        for link in self.links:
            if link.name == name:
                return link
        known = ", ".join(link.name for link in self.links)
        raise FormatError(f"unknown link '{name}'. Known: {known}.")

    def model(self, strict: bool = False) -> Model:
        """The arm as a mechanism, its shapes included."""
        rows = [link for link in self.links if link.entry.dh is not None]
        if not rows and not any(link.entry.joint for link in self.links):
            raise FormatError(
                f"'{self.name}' says what its links are made of, not how they move. Give every "
                f"link `dh:` or `joint:`, or ask for its masses (`armillary parts`).",
                self.report.source,
            )
        lacking = [link.name for link in self.links if (link.entry.dh is None) == bool(rows)]
        if lacking:
            wanted = "dh" if rows else "joint"
            raise FormatError(
                f"link '{lacking[0]}': the other links have `{wanted}:`, this one lacks it.",
                self.report.source,
            )
        return self._from_table(strict) if rows else self._from_joints(strict)

    def _from_table(self, strict: bool) -> Model:
        length, turn = LENGTHS[self.file.units.length], _radians(self.file)
        rows: list[dict[str, object]] = []
        for link in self.links:
            row, mass = link.entry.dh, link.mass
            if row is None or link.entry.joint is not None or link.entry.parent is not None:
                raise FormatError(
                    f"link '{link.name}': in a table of `dh:` rows every link hangs on the one "
                    f"before; `joint` and `parent` have no place there.",
                    self.report.source,
                )
            motor = link.entry.motor
            rows.append(
                {
                    "name": link.name,
                    "type": row.type,
                    "a": row.a * length,
                    "alpha": row.alpha * turn,
                    "d": row.d * length,
                    "theta": row.theta * turn,
                    "mass": mass.mass,
                    "com": mass.com,
                    "inertia": mass.tensor,
                    "motor": None if motor is None else motor.model_dump(),
                    **_of_joint(row, length if row.type == "prismatic" else turn),
                }
            )
        model = dh(
            rows,
            self.file.convention,
            name=self.name,
            gravity=self.file.gravity,
            checks="strict" if strict else "report",
            report=self.report,
        )
        bodies = tuple(
            replace(body, shapes=link.shapes(model.frame(f"{body.name}_dh").pose))
            for body, link in zip(model.bodies, self.links, strict=True)
        )
        return replace(model, bodies=bodies)

    def _from_joints(self, strict: bool) -> Model:
        builder = Builder(
            self.name, self.file.gravity, "strict" if strict else "report", self.report
        )
        parts, before = Parts(self.report), "world"
        for link in self.links:
            entry = link.entry
            if entry.joint is None:
                continue
            spec = parts.joint(link.name, entry.joint, f"joint '{link.name}'")
            at = _pose(entry.at, self.file, parts, f"link '{link.name}'")
            motor = Motor(**entry.motor.model_dump()) if entry.motor else None
            parent = entry.parent or before
            body = Body(link.name, parent, spec, at, link.mass, motor, link.shapes(Pose()))
            builder.add(body, has_inertia=True)
            before = link.name
        return builder.build()


def _of_joint(row: DHEntry, unit: float) -> dict[str, object]:
    """Name, friction, rotor and limits of a row; unit: of its coordinate, in SI units."""
    found: dict[str, object] = {} if row.name is None else {"joint": row.name}
    for key, entry in (("friction", row.friction), ("rotor", row.rotor)):
        if entry is not None:
            found[key] = entry.model_dump()
    if row.limits is not None:
        own = row.limits.model_dump()
        scaled = ("lower", "upper", "velocity")
        found["limits"] = {
            key: x * unit if key in scaled else x for key, x in own.items() if x is not None
        }
    return found


@name_arguments
def read_parts(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    root: str | os.PathLike[str] | None = None,
) -> PartsDatabase:
    """The parts database of a file (or of `text`, then `path` only names it)."""
    source = str(path)
    content = read_text(path) if text is None else text
    tree = load_tree(content, source)
    if not is_parts(tree):
        raise FormatError(f"this is no parts file: expected `{KEY}: 1` at its top.", source)
    file = validated(PartsFile, tree, source, NOUNS)
    bounds = Bounds.of(path, root) if text is None else None
    return _Reader(file, tree, source, bounds).database(file.name or Path(source).stem)


def is_parts(tree: Node) -> bool:
    return isinstance(tree.value, dict) and KEY in tree.value


def _radians(file: PartsFile) -> float:
    """One of the file's angles in rad."""
    return math.radians(1.0) if file.units.angle == "deg" else 1.0


def _pose(entry: PoseEntry, file: PartsFile, parts: Parts, part: str) -> Pose:
    length, turn = LENGTHS[file.units.length], _radians(file)
    x, y, z = (length * value for value in entry.position)
    rpy = None if entry.rpy is None else tuple(turn * angle for angle in entry.rpy)
    return parts.pose(entry.model_copy(update={"position": (x, y, z), "rpy": rpy}), part)


@dataclass
class _Reader:
    """From checked entries to the database, in SI units."""

    file: PartsFile
    tree: Node
    path: str
    bounds: Bounds | None

    def __post_init__(self) -> None:
        self.report = Report(source=self.path)
        self.entries = Parts(self.report)
        self.here: tuple[object, ...] = ()
        self.unit = LENGTHS[self.file.units.length]

    def database(self, name: str) -> PartsDatabase:
        links = []
        for key, entry in self.file.links.items():
            try:
                links.append(self.link(key, entry))
            except FormatError:
                raise
            except ModelError as fault:
                raise FormatError(fault.message, self.path, self.tree.line_of(self.here)) from None
        return PartsDatabase(name, tuple(links), self.file, self.report)

    def link(self, name: str, entry: LinkEntry) -> Link:
        self.here = ("links", name)
        frame = _pose(entry.frame, self.file, self.entries, f"link '{name}', frame")
        parts = tuple(self.part(name, key, part) for key, part in entry.parts.items())
        self.here = ("links", name)
        given = None if entry.compare is None else self.given(entry.compare)
        link = Link(name, entry, frame, parts, given)
        if link.inertia.mass <= 0.0:
            raise ModelError(
                f"link '{name}': its mass is {float(link.inertia.mass):g} kg: more is removed "
                f"than there is."
            )
        return link

    def given(self, entry: CompareEntry) -> Mass:
        tensor = tuple(entry.inertia.model_dump().values())
        com = tuple(self.unit * x for x in entry.com)
        return Mass(entry.mass, com, tensor)  # type: ignore[arg-type]

    def part(self, link: str, name: str, entry: PartEntry) -> Part:
        where = f"link '{link}', part '{name}'"
        self.here = ("links", link, "parts", name)
        poses = tuple(
            _pose(place, self.file, self.entries, where) for place in (entry.at, *entry.copies)
        )
        if not entry.sections:
            tensor = tuple(entry.inertia.model_dump().values()) if entry.inertia else (0.0,) * 6
            com = tuple(self.unit * x for x in entry.com or (0.0, 0.0, 0.0))
            if not entry.mass or entry.mass <= 0.0:
                raise ModelError(f"{where}: the mass must be positive, found {entry.mass:g} kg.")
            mass = Mass(entry.mass, com, tensor)  # type: ignore[arg-type]
            return Part(name, poses, (), inertia_of(mass))
        sections = tuple(self._sections(where, entry))
        self.here = ("links", link, "parts", name)
        own = Inertia.zero()
        for section in sections:
            own = own + section.inertia
        if own.mass <= 0.0:
            raise ModelError(
                f"{where}: its mass is {float(own.mass):g} kg: more is removed than there is."
            )
        if entry.mass is None:
            return Part(name, poses, sections, own)
        if entry.mass <= 0.0:
            raise ModelError(f"{where}: the mass must be positive, found {entry.mass:g} kg.")
        factor = entry.mass / float(own.mass)
        sections = tuple(replace(s, density=s.density * factor) for s in sections)
        scaled = Inertia(own.mass * factor, own.moment * factor, own.tensor * factor)
        return Part(name, poses, sections, scaled, factor)

    def _sections(self, where: str, part: PartEntry) -> Iterator[Section]:
        weighed = part.mass is not None
        for k, entry in enumerate(part.sections):
            self.here = (*self.here[:4], "sections", k)  # links, its name, parts, its name
            name = entry.name or f"{entry.type} {k + 1}"
            place = f"{where}, section '{name}'"
            density = self.density(entry, part, place, weighed)
            yield self.section(name, entry, density, place)

    def section(self, name: str, entry: SectionEntry, density: float, where: str) -> Section:
        given = {
            key: getattr(entry, key)
            for key in SectionEntry.dimensions
            if getattr(entry, key) is not None
        }
        sizes: dict[str, Dimension] = {
            key: [(self.unit * x, self.unit * y) for x, y in value]
            if key == "points"
            else self.unit * value
            for key, value in given.items()
        }
        pose = _pose(entry.at, self.file, self.entries, where)
        if entry.type == "mesh":
            moments = mesh_moments(entry.mesh, entry.scale, self.bounds, where)
        else:
            moments = checked_solid(entry.type, sizes, where).moments(**sizes)
        return Section(
            name=name,
            kind=entry.type,
            dimensions=sizes,
            density=density,
            pose=pose,
            remove=entry.remove,
            moments=moments,
            mesh=entry.mesh,
            scale=entry.scale,
        )

    def density(self, entry: SectionEntry, part: PartEntry, where: str, weighed: bool) -> float:
        """Its own, or that of its part; any, where the part is weighed."""
        own = entry.density is not None or entry.material is not None
        density = entry.density if own else part.density
        material = entry.material if own else part.material
        if material is not None:
            if material in self.file.materials:
                density = self.file.materials[material].density
            elif material in MATERIALS:
                density = MATERIALS[material][0]
            else:
                known = ", ".join((*self.file.materials, *MATERIALS))
                raise ModelError(f"{where}: unknown material '{material}'. Known: {known}.")
        if density is None:
            if weighed:
                return 1.0
            raise ModelError(f"{where}: give a material or a density, here or to its part.")
        if not (density > 0.0 and math.isfinite(density)):
            raise ModelError(f"{where}: the density must be positive, found {density:g} kg/m³.")
        return density


__all__ = ["Link", "Part", "PartsDatabase", "Section", "is_parts", "read_parts"]
