"""`convert` and `schema`: mechanisms from one format to another."""

from __future__ import annotations

import json
from pathlib import Path

from armillary import Mechanism
from armillary.cli import models, screen
from armillary.cli.options import Source


def convert(source: Source, out: Path, overwrite: bool, lossy: bool) -> None:
    """Write the mechanism, then say what the new file does not hold."""
    mechanism = models.find(source)
    report = mechanism.save(out, overwrite=overwrite, lossy=lossy)
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
