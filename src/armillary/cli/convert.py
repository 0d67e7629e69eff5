"""`convert` and `schema`: mechanisms from one format to another."""

from __future__ import annotations

import json
import re
from pathlib import Path

from armillary import Mechanism
from armillary.cli import models, screen
from armillary.formats.files import read_text, write_text
from armillary.model import Model

_COMMENT = re.compile(r"<!-- (.*?) -->|# (not in this table: .*)")


def convert(name: str, out: Path, overwrite: bool, lossy: bool, base: str | None) -> None:
    """Write the mechanism, then say what the new file does not hold."""
    mechanism = models.find(name, base)
    text = _lossy_text(mechanism.model, out) if lossy else None
    if text is None:
        mechanism.save(out, overwrite=overwrite)
        text = read_text(out)
    else:
        write_text(text, out, overwrite)
    screen.say(f"{_counts(mechanism)} written to {out}")
    left_out = remarks(text)
    for line in left_out:
        screen.say(f"  {line}", "yellow")
    if not left_out:
        screen.say("nothing was left out")


def _lossy_text(model: Model, out: Path) -> str | None:
    """URDF and MJCF can leave parts out; None: the format has no such choice."""
    suffix = out.suffix.lower()
    if suffix == ".urdf":
        from armillary.formats.urdf_write import write_urdf

        return write_urdf(model, lossy=True)
    if suffix in (".xml", ".mjcf"):
        from armillary.formats.mjcf_write import write_mjcf

        return write_mjcf(model, lossy=True)
    return None


def remarks(text: str) -> list[str]:
    """What a writer says about losses, in the comments at the head of its file."""
    found = []
    for line in text.splitlines():
        match = _COMMENT.fullmatch(line.strip())
        if match:
            found.append(match.group(1) or match.group(2))
        elif not line.startswith(("<?xml", "#")):
            break
    return found


def _counts(mechanism: Mechanism) -> str:
    return f"'{mechanism.name}', {len(mechanism.bodies)} bodies,"


def schema() -> None:
    from armillary.formats.native_schema import native_schema

    print(json.dumps(native_schema(), indent=2))
