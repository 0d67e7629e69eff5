"""Manipulator files: native files made from a parts file, which know when they are out of date."""

from __future__ import annotations

import hashlib
import json
import os

from armillary.errors import FormatError
from armillary.formats.files import read_text, write_text
from armillary.formats.mesh_paths import seen_from
from armillary.formats.native_schema import GeneratedEntry
from armillary.formats.native_write import write_native
from armillary.formats.parts import PartsDatabase
from armillary.formats.references import Bounds
from armillary.model import Report

FilePath = str | os.PathLike[str]


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_manipulator(
    database: PartsDatabase, source: FilePath | None, path: FilePath, overwrite: bool = False
) -> None:
    """The arm of a parts file as one native file: kinematics, masses, motors, shapes, and the hash
    of the parts file (source; None: it is no file)."""
    folder = os.path.dirname(os.path.realpath(path))
    if source is None:
        write_text(write_native(database.model()), path, overwrite)
        return
    model, _ = seen_from(database.model(), Bounds.of(source), folder)
    name = os.path.relpath(os.path.realpath(source), folder).replace(os.sep, "/")
    first, _, rest = write_native(model).partition("\n")
    made = f"generated: {{parts: {json.dumps(name)}, sha256: {text_hash(read_text(source))}}}"
    write_text("\n".join([first, made, rest]), path, overwrite)


def note_stale(entry: GeneratedEntry, path: str, bounds: Bounds | None, report: Report) -> None:
    """A warning where the parts file has changed since, or is not there."""
    place = None if bounds is None else bounds.locate(entry.parts)
    cure = f"Make it anew: armillary parts {entry.parts} -o {path} --overwrite"
    try:
        if place is None or not os.path.isfile(place):
            report.add("assumed", "generated", f"the parts file '{entry.parts}' is not there")
        elif text_hash(read_text(place)) != entry.sha256:
            text = f"out of date: '{entry.parts}' has changed since it was made. {cure}"
            report.add("warning", "generated", text)
    except FormatError as fault:
        report.add("warning", "generated", f"'{entry.parts}': {fault.message}")
