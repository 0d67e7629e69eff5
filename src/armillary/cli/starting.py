"""`new`: a file with comments to begin from."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from armillary.cli import screen
from armillary.errors import FormatError, unknown_name
from armillary.formats.files import write_text

KINDS = ("arm", "linkage", "rover")


def new(file: Path, kind: str, overwrite: bool) -> None:
    """A mechanism that can be run as it is, under the name of the file."""
    if kind not in KINDS:
        raise unknown_name("kind of a new file", kind, KINDS)
    if file.suffix.lower() not in (".yaml", ".yml"):
        raise FormatError("a new file is YAML: give it the ending .yaml.", str(file))
    name = re.sub(r"[^\w-]+", "-", file.stem).strip("-") or kind
    text = (files("armillary") / "data" / "templates" / f"{kind}.yaml").read_text("utf-8")
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(text.replace("NAME", name, 1), file, overwrite)
    screen.say(f"{file}: a {kind} to change as you like")
    screen.say("Look at it:  armillary show FILE, armillary draw FILE")
    screen.say("Let it move: armillary simulate FILE --for 2 --out run.nc, armillary view run.nc")
