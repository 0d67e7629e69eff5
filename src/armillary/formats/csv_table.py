"""CSV files of mechanisms: a header names the columns, `# key: value` lines say the rest.

Shared by the Denavit-Hartenberg and the six-parameter tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from armillary.errors import FormatError
from armillary.formats.tables import check_keys, number
from armillary.model import Limits, Motor, Passive, Rotor

Cells = dict[str, Any]  # texts, numbers and parts by name
# column -> (entry of the row, field in it)
NESTED: dict[str, tuple[str, str]] = {
    **{f.name: ("friction", f.name) for f in fields(Passive) if f.name not in ("table", "law")},
    **{f.name: ("limits", f.name) for f in fields(Limits)},
    **{f"rotor_{f.name}": ("rotor", f.name) for f in fields(Rotor)},
    **{f.name: ("motor", f.name) for f in fields(Motor)},
}
COM = ("com_x", "com_y", "com_z")
TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def split(
    text: str,
    path: str,
    columns: Sequence[str],
    known: Mapping[str, int],
    example: str,
) -> tuple[Cells, list[str], list[tuple[int, list[str]]]]:
    """Settings, column names and the rows with their line numbers.

    known: settings, and of how many numbers each is (0: a text); example: some columns, to be
    named where there are none."""
    settings: Cells = {}
    body: list[tuple[int, str]] = []
    for k, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("#"):
            _setting(line.lstrip().lstrip("#"), settings, known, path, k)
        elif line.strip(" \t,;"):
            body.append((k, line))
    if len(body) < 2:
        raise FormatError(
            f"expected a header with column names ({example}, ...) and one row per joint.",
            path,
            body[0][0] if body else 1,
        )
    delimiter = next((c for c in (",", ";", "\t") if c in body[0][1]), ",")
    try:
        # strict: a quote that is never closed is a fault; a cell does not run over lines
        cells = [
            (k, next(csv.reader([line], delimiter=delimiter, strict=True))) for k, line in body
        ]
    except (csv.Error, ValueError) as fault:
        raise FormatError(f"this is no CSV: {fault}.", path) from None
    (line_number, header), rows = cells[0], cells[1:]
    header = [name.strip().lower() for name in header]
    try:
        check_keys(dict.fromkeys(name for name in header if name), columns, "column")
    except FormatError as fault:
        raise FormatError(str(fault), path, line_number) from None
    twice = [name for name in header if name and header.count(name) > 1]
    if twice:
        raise FormatError(f"the column '{twice[0]}' is there twice.", path, line_number)
    for k, row in rows:
        if len(row) > len(header) and any(cell.strip() for cell in row[len(header) :]):
            raise FormatError(f"{len(row)} cells under {len(header)} columns.", path, k)
    return settings, header, rows


def _setting(text: str, settings: Cells, known: Mapping[str, int], path: str, line: int) -> None:
    key, colon, value = (t.strip() for t in text.partition(":"))
    if not colon or key not in known:
        return  # an ordinary comment
    count = known[key]
    if not count:
        settings[key] = value
        return
    words = value.replace(",", " ").split()
    if len(words) != count:
        raise FormatError(f"{key}: expected {count} numbers, found {value!r}.", path, line)
    try:
        settings[key] = tuple(number(word, "file", key) for word in words)
    except FormatError as fault:
        raise FormatError(str(fault), path, line) from None


# -- writing -----------------------------------------------------------------------------------


def cell(name: str) -> str:
    if name != name.strip() or name.startswith("#") or name.splitlines() != [name]:
        raise FormatError(
            f"the name {name!r} does not fit a cell of a table: no line breaks, no spaces at the "
            f"ends, no leading #. Rename it, or write the native file."
        )
    return name


def words(value: str | Iterable[float]) -> str:
    return value if isinstance(value, str) else " ".join(repr(float(x)) for x in value)


def written(
    settings: Cells, remarks: Iterable[str], columns: Iterable[str], rows: list[Cells]
) -> str:
    """The text of a file; columns that no row uses are left out."""
    used = {key for row in rows for key in row}
    out = io.StringIO()
    out.writelines(f"# {key}: {words(value)}\n" for key, value in settings.items())
    out.writelines(f"# not in this table: {' '.join(x.split())}\n" for x in remarks)
    writer = csv.DictWriter(out, [c for c in columns if c in used], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
