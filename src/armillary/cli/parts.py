"""`parts`: what an arm is made of, and the manipulator file that follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from armillary.cli import screen
from armillary.formats.examples import BUILT_IN_PARTS, built_in_parts
from armillary.formats.generated import write_manipulator
from armillary.formats.parts import Link, PartsDatabase, read_parts
from armillary.formats.parts_checks import compared, warnings
from armillary.model import Mass, Pose
from armillary.model.parts import mass_of
from armillary.spatial import Inertia

_ROUNDING = 1e-12
_HEADS = (
    *("", ">mass [kg]", ">centre x [m]", ">y", ">z"),
    *(">I xx [kg m²]", ">yy", ">zz", ">xy", ">xz", ">yz"),
)


def parts(file: Path, json: bool, out: Path | None, overwrite: bool) -> None:
    """Print the breakdown, warnings and comparisons; write the manipulator file if asked."""
    built_in = not file.exists() and str(file) in BUILT_IN_PARTS
    database = built_in_parts(str(file)) if built_in else read_parts(file)
    if out is not None:
        write_manipulator(database, None if built_in else file, out, overwrite)
    if json:
        screen.print_json(_content(database))
        return
    screen.say(f"'{database.name}': {len(database.links)} links, {database.total:.6g} kg")
    screen.say("centres and tensors (about the centre) along the axes of the link's frame")
    screen.say()
    for link in database.links:
        rows = [[label, *_cells(mass)] for label, mass in _rows(link)]
        screen.table(_HEADS, rows, f"link '{link.name}'")
        if link.compare is not None and link.entry.compare is not None:
            for line in compared(link.mass, link.compare).words(link.entry.compare.source):
                screen.say(f"  {line}")
            screen.say()
    for text in warnings(database):
        screen.note(text)
    if out is not None:
        screen.say(f"'{database.name}' written to {out}")


def _rows(link: Link) -> Iterator[tuple[str, Mass]]:
    """The link, its parts and their sections, all in the link's frame."""
    yield "total", link.mass
    for part in link.parts:
        many = f" (x {len(part.poses)})" if len(part.poses) > 1 else ""
        weighed = ", weighed" if part.weighed is not None else ""
        yield f"  {part.name}{many}{weighed}", _seen(part.inertia, link.frame)
        for section in part.sections:
            place = link.frame.then(part.poses[0])
            sign = "- " if section.remove else ""
            factor = -1.0 if section.remove else 1.0
            own = section.inertia
            plain = Inertia(own.mass * factor, own.moment * factor, own.tensor * factor)
            yield f"    {sign}{section.name}", _seen(plain, place)


def _seen(inertia: Inertia, frame: Pose) -> Mass:
    """In the frame in which `frame` is given."""
    X = frame.transform()
    return mass_of(X.T @ inertia @ X)


def _cells(mass: Mass) -> list[str]:
    """What is rounding of a body of that size is shown as nothing."""
    size = math.sqrt(sum(mass.tensor[:3]) / mass.mass) if mass.mass > 0 else 0.0
    com = [x if abs(x) > _ROUNDING * size else 0.0 for x in mass.com]
    tensor = [x if abs(x) > _ROUNDING * mass.mass * size * size else 0.0 for x in mass.tensor]
    return screen.numbers((mass.mass, *com, *tensor), 5)


def _content(database: PartsDatabase) -> dict[str, object]:
    def numbers(mass: Mass) -> dict[str, object]:
        return {"mass": mass.mass, "com": mass.com, "inertia": mass.tensor}

    links: dict[str, object] = {}
    for link in database.links:
        rows = [{"name": label.strip()} | numbers(mass) for label, mass in _rows(link)][1:]
        entry: dict[str, object] = {**numbers(link.mass), "parts": rows}
        if link.compare is not None:
            difference = compared(link.mass, link.compare)
            entry["compare"] = {
                "mass": difference.mass,
                "shift": difference.shift,
                "moments": difference.moments,
                "rotation": difference.rotation,
            }
        links[link.name] = entry
    return {
        "name": database.name,
        "mass": database.total,
        "links": links,
        "warnings": warnings(database),
    }
