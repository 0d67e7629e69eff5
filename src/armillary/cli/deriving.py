"""`equations`: the equations of motion of a mechanism, derived in letters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from armillary.cli import models
from armillary.cli.options import Source
from armillary.errors import unknown_name
from armillary.formats.files import write_text
from armillary.mechanism.derivation import EquationsOfMotion
from armillary.mechanism.derivation import equations as derived

FORMATS: dict[str, Callable[[EquationsOfMotion], str]] = {
    "text": str,
    "markdown": EquationsOfMotion.to_markdown,
    "latex": EquationsOfMotion.to_latex,
    "python": EquationsOfMotion.to_python,
}


def equations(
    source: Source, frame: str | None, numbers: bool, format: str, out: Path | None, overwrite: bool
) -> None:
    if format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    text = FORMATS[format](derived(models.find(source), frame=frame, letters=not numbers))
    if out is None:
        print(text)
    else:
        write_text(text, out, overwrite)
