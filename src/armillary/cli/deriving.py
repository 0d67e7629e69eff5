"""`equations`: the equations of motion of a mechanism, derived in letters."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from armillary.cli import models
from armillary.cli.options import Source
from armillary.errors import InputError, unknown_name
from armillary.formats.files import write_text
from armillary.mechanism.derivation import equations as derived
from armillary.mechanism.shortening import sympy_module

FORMATS = {"text": "__str__", "markdown": "to_markdown", "latex": "to_latex", "python": "to_python"}


def equations(
    source: Source,
    frame: str | None,
    numbers: bool,
    hamel: bool,
    only: str | None,
    format: str,
    out: Path | None,
    overwrite: bool,
    tree: bool,
) -> None:
    if format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    mechanism, quasi = models.find(source), "joints" if hamel else None
    mechanism = mechanism.tree if tree else mechanism
    if only is not None:
        if hamel or format not in ("text", "latex"):
            raise InputError("--only: a closed form as text or latex, without --hamel.")
        found = derived(mechanism, only, frame, letters=not numbers, progress=_progress())
        text = sympy_module().latex(found) if format == "latex" else str(found)
    else:
        found = derived(
            mechanism, frame=frame, letters=not numbers, quasi=quasi, progress=_progress()
        )
        text = getattr(found, FORMATS[format])()
    if out is None:
        print(text)
    else:
        write_text(text, out, overwrite)


def _progress() -> Callable[[str], None] | None:
    """Told on one line of a terminal; silent where nobody watches."""
    if not sys.stderr.isatty():
        return None

    def tell(text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        first, _, rest = text.partition(" of ")
        if first.rpartition(" ")[2] == rest.partition(" ")[0]:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    return tell
