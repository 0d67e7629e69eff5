"""The constraints of the native file, handed to the builder one by one."""

from __future__ import annotations

from armillary.errors import ModelError
from armillary.formats.native_constraints import EndEntry, Ends, WheelEntry
from armillary.formats.native_forces import add_force, ends_of
from armillary.formats.native_parts import Parts
from armillary.formats.native_schema import SECTIONS, NativeFile
from armillary.model import Builder, Coupling, Frame, Wheel
from armillary.model.joints import named_axis


def add_constraints(file: NativeFile, builder: Builder, parts: Parts) -> None:
    """Loops, couplings, wheels, distances, surfaces, contacts, motions, as in the file."""
    for key, loop in file.loops.items():
        ends = _ends(parts, "loops", key, loop.between)
        builder.loop(key, *ends, parts.joint(key, loop.joint, f"loop '{key}'"))
    for key, c in file.couplings.items():
        parts.here = ("couplings", key)
        builder.coupling(Coupling(key, c.joint, c.source, c.ratio, c.offset))
    for key, w in file.wheels.items():
        parts.here = ("wheels", key)
        builder.wheel(_wheel(key, w))
    for key, d in file.distances.items():
        builder.distance(key, *_ends(parts, "distances", key, d.between), d.length)
    for key, s in file.surfaces.items():
        ends = _ends(parts, "surfaces", key, s.between)
        builder.surface(key, *ends, s.shape, s.radius, s.profile)
    for key, contact in file.contacts.items():
        ends = _ends(parts, "contacts", key, contact.between)
        forces = {str(d): x for d, x in contact.force.items()}
        friction = [(law.along, law.of, law.coefficient) for law in contact.friction]
        builder.contact(key, *ends, contact.constrained, forces, friction)
    for key, x in file.prescribed.items():
        parts.here = ("prescribed", key)
        builder.prescribe(key, x.joint, x.acceleration, x.velocity, x.position)


def add_forces(file: NativeFile, builder: Builder, parts: Parts) -> None:
    """Force elements, as in the file."""
    for key, entry in file.forces.items():
        parts.here = ("forces", key)
        ends = [
            end if isinstance(end, str) else _frame(parts, end, f"{key}.{side}", "forces", key)
            for side, end in ends_of(entry).items()
        ]
        add_force(builder, key, entry, ends)


def _ends(parts: Parts, section: str, key: str, between: Ends) -> tuple[Frame | str, Frame | str]:
    """A name stays one: the builder looks it up once all frames are known."""
    parts.here = (section, key)
    first, second = (
        end if isinstance(end, str) else _frame(parts, end, f"{key}.{side}", section, key)
        for side, end in zip(("first", "second"), between, strict=True)
    )
    return first, second


def _frame(parts: Parts, end: EndEntry, default_name: str, section: str, key: str) -> Frame:
    pose = parts.pose(end, f"{SECTIONS[section]} '{key}'")
    return Frame(end.name or default_name, end.body, pose)


def _wheel(key: str, entry: WheelEntry) -> Wheel:
    axis = named_axis(entry.axis)
    if len(axis) != 3:
        raise ModelError(f"wheel '{key}': an axis is three numbers, found {len(axis)}.")
    return Wheel(
        name=key,
        body=entry.body,
        radius=entry.radius or 0.0,
        axis=(axis[0], axis[1], axis[2]),
        center=entry.center,
        normal=entry.ground.normal,
        height=entry.ground.height,
        kind=entry.kind,
        rows=tuple(entry.rows),
        ground=entry.ground.body,
    )
