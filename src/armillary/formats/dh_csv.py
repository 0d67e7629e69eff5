"""Denavit-Hartenberg tables as CSV files: a header names the columns, `#` lines say the rest.

# convention: modified
# gravity: 0 0 -9.81
name,type,a,alpha_deg,d,theta,mass,com_x,com_y,com_z,ixx,iyy,izz,ixy,ixz,iyz
shoulder,revolute,0,0,0.4,0,12,0,0.05,0.01,0.2,0.12,0.2,0,0,0
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from armillary.errors import FormatError, ModelError
from armillary.formats.dh_rows import GRAVITY, STANDARD, Row, build, check_convention, row_of
from armillary.formats.dh_table import DHTable, dh_table
from armillary.formats.files import read_text
from armillary.formats.tables import check_keys, number, twist
from armillary.model import Limits, Model, Motor, Passive, Pose, Report, Rotor
from armillary.model.builder import REPORT, STRICT

Cells = dict[str, Any]  # texts, numbers and parts by name
# column -> (entry of the row, field in it)
_NESTED: dict[str, tuple[str, str]] = {
    **{f.name: ("friction", f.name) for f in fields(Passive) if f.name not in ("table", "law")},
    **{f.name: ("limits", f.name) for f in fields(Limits)},
    **{f"rotor_{f.name}": ("rotor", f.name) for f in fields(Rotor)},
    **{f.name: ("motor", f.name) for f in fields(Motor)},
}
_COM = ("com_x", "com_y", "com_z")
_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_PLAIN = (
    *("name", "joint", "type", "a", "alpha", "alpha_deg", "d", "theta", "theta_deg"),
    *("mass", "initial"),
)
_TEXTS = ("name", "joint", "type")
_IN_DEGREES = {f"{key}_deg": key for key in ("lower", "upper", "velocity", "initial")}
COLUMNS = (*_PLAIN, *_COM, *_TENSOR, *_NESTED, *_IN_DEGREES)
_SETTINGS = {
    "convention": 0,
    "name": 0,
    "gravity": 3,
    "base_position": 3,
    "base_rotation": 9,
    "tool_position": 3,
    "tool_rotation": 9,
}


def read_dh(
    path: str | os.PathLike[str],
    convention: str | None = None,
    *,
    text: str | None = None,
    strict: bool = False,
) -> Model:
    """The arm of a CSV file (or of `text`).  `convention` overrides what the file says.

    strict: bodies that cannot exist are errors, not warnings."""
    shown = str(path)
    content = read_text(path) if text is None else text
    settings, header, lines = _split(content, shown)
    report = Report(source=shown)
    wanted = convention or settings.get("convention")
    if wanted is None:
        wanted = STANDARD
        report.add("assumed", "table", "standard Denavit-Hartenberg; say `# convention: modified`")
    if "gravity" not in settings:
        report.add("assumed", "gravity", "(0, 0, -9.81) m/s², the file gives none")
    line: int | None = None
    try:
        check_convention(wanted)
        rows: list[Row] = []
        for number_of_line, cells in lines:
            line = number_of_line
            rows.append(row_of(_entries(header, cells), len(rows)))
        line = None
        return build(
            rows,
            wanted,
            settings.get("name") or Path(shown).stem or "mechanism",
            settings.get("gravity", GRAVITY),
            _pose(settings, "base") or Pose(),
            _pose(settings, "tool"),
            STRICT if strict else REPORT,
            report,
        )
    except ModelError as fault:
        raise FormatError(str(fault), shown, line) from None


def write_dh(model: Model, convention: str = STANDARD) -> str:
    """The CSV text of a serial arm; a FormatError says what a table cannot hold."""
    table = dh_table(model, convention)
    settings: Cells = {
        "convention": convention,
        "name": " ".join(model.name.split()),
        "gravity": model.gravity,
    }
    for key, pose in (("base", table.base), ("tool", table.tool)):
        if pose is not None and (key == "tool" or pose != Pose()):
            settings[f"{key}_position"] = pose.position
            settings[f"{key}_rotation"] = [x for row in pose.rotation for x in row]
    rows = [dict(_cells(row)) for row in table.rows]
    used = {key for row in rows for key in row}
    columns = [column for column in COLUMNS if column in used]
    out = io.StringIO()
    out.writelines(f"# {key}: {_words(value)}\n" for key, value in settings.items())
    out.writelines(f"# not in this table: {' '.join(x.split())}\n" for x in table.left_out)
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


# -- reading -------------------------------------------------------------------------------------


def _split(text: str, path: str) -> tuple[Cells, list[str], list[tuple[int, list[str]]]]:
    """Settings, column names and the rows with their line numbers."""
    settings: Cells = {}
    body: list[tuple[int, str]] = []
    for k, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("#"):
            _setting(line.lstrip().lstrip("#"), settings, path, k)
        elif line.strip(" \t,;"):
            body.append((k, line))
    if len(body) < 2:
        raise FormatError(
            "expected a header with column names (a, alpha, d, theta, ...) and one row per joint.",
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
        check_keys(dict.fromkeys(name for name in header if name), COLUMNS, "column")
    except FormatError as fault:
        raise FormatError(str(fault), path, line_number) from None
    twice = [name for name in header if name and header.count(name) > 1]
    if twice:
        raise FormatError(f"the column '{twice[0]}' is there twice.", path, line_number)
    for k, row in rows:
        if len(row) > len(header) and any(cell.strip() for cell in row[len(header) :]):
            raise FormatError(f"{len(row)} cells under {len(header)} columns.", path, k)
    return settings, header, rows


def _setting(text: str, settings: Cells, path: str, line: int) -> None:
    key, colon, value = (t.strip() for t in text.partition(":"))
    if not colon or key not in _SETTINGS:
        return  # an ordinary comment
    count = _SETTINGS[key]
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


def _entries(header: Sequence[str], cells: Sequence[str]) -> Cells:
    """The cells of a line as the nested entries that `dh` takes; empty cells are not given."""
    given = {h: c.strip() for h, c in zip(header, cells, strict=False) if h and c.strip()}
    row: Cells = {key: given[key] for key in _PLAIN if key in given}
    turns = row.get("type", "revolute") != "prismatic"
    for column, key in _IN_DEGREES.items():
        if column in given:
            if not turns:
                raise FormatError(f"'{column}' in a prismatic row. Leave it empty.")
            if key in given:
                raise FormatError(f"found {key} and {column}. Give one of them.")
            given[key] = str(math.radians(number(given[column], "row", column)))
    if "initial" in given:
        row["initial"] = given["initial"]
    for key, columns in (("com", _COM), ("inertia", _TENSOR)):
        if any(column in given for column in columns):
            row[key] = [given.get(column, "0") for column in columns]
    for column, (entry, name) in _NESTED.items():
        if column in given:
            row.setdefault(entry, {})[name] = given[column]
    return row


def _pose(settings: Cells, key: str) -> Pose | None:
    position = settings.get(f"{key}_position")
    flat = settings.get(f"{key}_rotation")
    if position is None and flat is None:
        return None
    pose = Pose() if flat is None else Pose((0.0, 0.0, 0.0), (flat[0:3], flat[3:6], flat[6:9]))
    if twist(pose.rotation) > 1e-6:
        raise FormatError(f"{key}_rotation: the nine numbers are no rotation, row by row.")
    return pose if position is None else Pose(position, pose.rotation)


# -- writing -------------------------------------------------------------------------------------


def _cells(row: Cells) -> Iterator[tuple[str, str]]:
    """(column, text) of what the row holds beyond the defaults."""
    for key in _PLAIN:
        if key in row:
            yield key, _cell(row[key]) if key in _TEXTS else repr(float(row[key]))
    yield from zip(_COM, (repr(x) for x in row["com"]), strict=True)
    yield from zip(_TENSOR, (repr(x) for x in row["inertia"]), strict=True)
    friction = row.get("friction")
    if friction is not None and (friction.law is not None or friction.table):
        raise FormatError(
            f"joint of '{row['name']}': a friction table or function has no column in a "
            f"Denavit-Hartenberg table. Write the native file instead."
        )
    for column, (entry, name) in _NESTED.items():
        part = row.get(entry)
        if part is not None and getattr(part, name) != getattr(type(part), name, None):
            value = getattr(part, name)
            yield column, _words(value if isinstance(value, tuple) else (value,))


def _cell(name: str) -> str:
    if name != name.strip() or name.startswith("#") or name.splitlines() != [name]:
        raise FormatError(
            f"the name {name!r} does not fit a cell of a table: no line breaks, no spaces at the "
            f"ends, no leading #. Rename it, or write the native file."
        )
    return name


def _words(value: str | Iterable[float]) -> str:
    return value if isinstance(value, str) else " ".join(repr(float(x)) for x in value)


__all__ = ["DHTable", "read_dh", "write_dh"]
