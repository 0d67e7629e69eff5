"""`convert` and `schema`: mechanisms from one format to another."""

from __future__ import annotations

import json
from pathlib import Path

from armillary import Mechanism
from armillary.cli import models, screen
from armillary.cli.options import Source
from armillary.errors import InputError
from armillary.formats.shape_masses import masses_from_shapes


def convert(
    source: Source,
    out: Path,
    overwrite: bool,
    lossy: bool,
    inertia_from_shapes: bool,
    density: float | None,
    format: str | None,
) -> None:
    """Write the mechanism, then say what the new file does not hold."""
    mechanism = models.find(source)
    if inertia_from_shapes != (density is not None):
        raise InputError("--inertia-from-shapes and --density go together: --density 2700.")
    if density is not None:
        before = len(mechanism.report.notes)
        mechanism = Mechanism(masses_from_shapes(mechanism.model, density))
        for note in mechanism.report.notes[before:]:
            screen.say(f"  {note.part}: {note.text}")
    report = mechanism.save(out, overwrite, lossy, format)
    screen.say(f"{_counts(mechanism)} written to {out}")
    for note in report.notes:
        screen.say(f"  {note.text}", "yellow")
    if not report.notes:
        screen.say("nothing was left out")


def _counts(mechanism: Mechanism) -> str:
    return f"'{mechanism.name}', {len(mechanism.bodies)} bodies,"


def schema(markdown: bool) -> None:
    if markdown:
        from armillary.formats.native_reference import reference

        print(reference(), end="")
        return
    from armillary.formats.native_schema import native_schema

    print(json.dumps(native_schema(), indent=2))
