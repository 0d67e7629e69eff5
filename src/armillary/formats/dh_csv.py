"""Denavit-Hartenberg tables as CSV files: a header names the columns, `#` lines say the rest.

# convention: modified
# gravity: 0 0 -9.81
name,type,a,alpha_deg,d,theta,mass,com_x,com_y,com_z,ixx,iyy,izz,ixy,ixz,iyz
shoulder,revolute,0,0,0.4,0,12,0,0.05,0.01,0.2,0.12,0.2,0,0,0
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from armillary.errors import FormatError, ModelError
from armillary.formats.csv_table import COM, NESTED, TENSOR, Cells, cell, split, words, written
from armillary.formats.dh_rows import GRAVITY, STANDARD, Row, build, check_convention, row_of
from armillary.formats.dh_table import DHTable, dh_table
from armillary.formats.files import read_text
from armillary.formats.tables import number, twist
from armillary.model import Model, Pose, Report
from armillary.model.builder import REPORT, STRICT

_PLAIN = (
    *("name", "joint", "type", "a", "alpha", "alpha_deg", "d", "theta", "theta_deg"),
    *("mass", "initial"),
)
_TEXTS = ("name", "joint", "type")
_IN_DEGREES = {f"{key}_deg": key for key in ("lower", "upper", "velocity", "initial")}
COLUMNS = (*_PLAIN, *COM, *TENSOR, *NESTED, *_IN_DEGREES)
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
    settings, header, lines = split(content, shown, COLUMNS, _SETTINGS, "a, alpha, d, theta")
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
    return written(settings, table.left_out, COLUMNS, rows)


# -- reading -------------------------------------------------------------------------------------


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
    for key, columns in (("com", COM), ("inertia", TENSOR)):
        if any(column in given for column in columns):
            row[key] = [given.get(column, "0") for column in columns]
    for column, (entry, name) in NESTED.items():
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
            yield key, cell(row[key]) if key in _TEXTS else repr(float(row[key]))
    yield from zip(COM, (repr(x) for x in row["com"]), strict=True)
    yield from zip(TENSOR, (repr(x) for x in row["inertia"]), strict=True)
    friction = row.get("friction")
    if friction is not None and (friction.law is not None or friction.table):
        raise FormatError(
            f"joint of '{row['name']}': a friction table or function has no column in a "
            f"Denavit-Hartenberg table. Write the native file instead."
        )
    for column, (entry, name) in NESTED.items():
        part = row.get(entry)
        if part is not None and getattr(part, name) != getattr(type(part), name, None):
            value = getattr(part, name)
            yield column, words(value if isinstance(value, tuple) else (value,))


__all__ = ["DHTable", "read_dh", "write_dh"]
