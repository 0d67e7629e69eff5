"""Six-parameter tables as files: CSV with one line per link, or YAML.

# gravity: 0 -9.81 0
name,rot_x,rot_y,rot_z,disp_x,disp_y,disp_z,free,mass,com_x,com_y,com_z,ixx,iyy,izz,ixy,ixz,iyz
link1,0,0,0,0,0.5,-0.15,ry,2,0,0.3,-0.07,0.1,0.02,0.1,0,0,0
link2,0,0,0,0.8,0,0,rz dx,2,0.3,0,0,0.002,0.25,0.25,0,0,0
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

from armillary.errors import FormatError, ModelError
from armillary.formats.csv_table import COM, NESTED, TENSOR, Cells, cell, split, words, written
from armillary.formats.files import read_text
from armillary.formats.losses import with_remarks
from armillary.formats.sixparameter import LinkRow, Row, build, row_of
from armillary.formats.sixparameter_write import write_sixparameter
from armillary.formats.tables import check_keys, number, numbers
from armillary.formats.yaml_tree import Node, Plain, load_tree
from armillary.model import Builder, Model, Motor, Report
from armillary.model.builder import REPORT, STRICT

KEY = "armillary_sixparameter"
GRAVITY = (0.0, 0.0, -9.81)
_ROT, _DISP = ("rot_x", "rot_y", "rot_z"), ("disp_x", "disp_y", "disp_z")
_POSITION = ("position_x", "position_y", "position_z")
_IN_DEGREES = {f"{name}_deg": name for name in _ROT}
_TEXTS = ("name", "joint", "parent", "free")
COLUMNS = (
    *("name", "joint", "parent"), *_POSITION, *_ROT, *_IN_DEGREES, *_DISP, "free", "phi",
    *("mass", *COM, *TENSOR, *NESTED),
)  # fmt: skip
_SETTINGS = {"name": 0, "tip": 0, "gravity": 3, "base_velocity": 6, "base_acceleration": 6}
_PER_AXIS = "|"  # between what belongs to the freedoms of one row


def is_sixparameter_csv(text: str) -> bool:
    """Whether the header of a CSV file is one of these."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            heads = {name.strip().lower() for name in line.replace(";", ",").split(",")}
            return bool(heads & {*_ROT, *_DISP, *_IN_DEGREES, "phi"})
    return False


def is_sixparameter_tree(tree: Node) -> bool:
    return isinstance(tree.value, dict) and KEY in tree.value


# -- reading -------------------------------------------------------------------------------------


def read_sixparameter(
    path: str | os.PathLike[str], *, text: str | None = None, strict: bool = False
) -> Model:
    """The mechanism of a file (or of `text`): YAML with `armillary_sixparameter: 1`, else CSV."""
    shown = str(path)
    content = read_text(path) if text is None else text
    if is_sixparameter_csv(content):
        return _of_csv(content, shown, strict)
    return of_tree(load_tree(content, shown), shown, strict)


def _of_csv(content: str, path: str, strict: bool) -> Model:
    settings, header, lines = split(content, path, COLUMNS, _SETTINGS, "rot_x, disp_x, free, mass")
    located = [(line, _entries(header, cells, path, line)) for line, cells in lines]
    return _model(settings, located, False, path, strict)


def of_tree(tree: Node, path: str, strict: bool) -> Model:
    """The mechanism of a YAML document."""
    content = tree.plain()
    known = (KEY, *_SETTINGS, "degrees", "rows")
    if not isinstance(content, dict) or KEY not in content:
        raise FormatError(f"expected `{KEY}: 1` at the top, and `rows:`.", path, tree.line)
    try:
        check_keys(content, known, "file")
    except FormatError as fault:
        line = next((tree.line_of((key,)) for key in content if key not in known), tree.line)
        raise FormatError(str(fault), path, line) from None
    if content[KEY] != "1":
        raise FormatError(f"{KEY}: this program reads version 1.", path, tree.line_of((KEY,)))
    rows = content.get("rows")
    if not isinstance(rows, list) or not rows:
        raise FormatError("rows: expected a list, one row per link.", path, tree.line_of(("rows",)))
    settings: Cells = {}
    for key, count in _SETTINGS.items():
        value = content.get(key)
        if value is not None:
            try:
                settings[key] = numbers(value, count, "file", key) if count else str(value)
            except FormatError as fault:
                raise FormatError(str(fault), path, tree.line_of((key,))) from None
    if "tip" in content and content["tip"] is None:
        settings["tip"] = None
    degrees = content.get("degrees", "false")
    if degrees not in ("true", "false"):
        raise FormatError("degrees: expected true or false.", path, tree.line_of(("degrees",)))
    located = [(tree.line_of(("rows", k)), _typed(row)) for k, row in enumerate(rows)]
    return _model(settings, located, degrees == "true", path, strict)


def _model(
    settings: Cells, located: Sequence[tuple[int, object]], degrees: bool, path: str, strict: bool
) -> Model:
    """Errors name the line of the row they are about."""
    report = Report(source=path)
    if "gravity" not in settings:
        report.add("assumed", "gravity", "(0, 0, -9.81) m/s², the file gives none")
    name = settings.get("name") or Path(path).stem or "mechanism"
    line: int | None = None
    rows: list[Row] = []
    try:
        for at, entry in located:
            line = at
            rows.append(row_of(entry, rows, degrees))  # type: ignore[arg-type]
        line = None
        builder = Builder(
            name, settings.get("gravity", GRAVITY), STRICT if strict else REPORT, report
        )
        builder.base_velocity = tuple(settings.get("base_velocity", ()))
        builder.base_acceleration = tuple(settings.get("base_acceleration", ()))
        return build(rows, builder, settings.get("tip", "tip"))
    except ModelError as fault:
        if line is None:
            of_row = (
                at
                for (at, _), row in zip(located, rows, strict=True)
                if f"'{row.name}'" in fault.message or f"'{row.spec.name}'" in fault.message
            )
            line = next(of_row, None)
        raise FormatError(fault.message, path, line) from None


def _typed(value: Plain, key: str = "") -> object:
    """Texts that are numbers as numbers, but for names."""
    if isinstance(value, dict):
        return {name: _typed(entry, name) for name, entry in value.items()}
    if isinstance(value, list):
        return [_typed(entry, key) for entry in value]
    if value is None or key in _TEXTS:
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _entries(header: Sequence[str], cells: Sequence[str], path: str, line: int) -> Cells:
    """The cells of a line as the row that `sixparameter` takes; empty cells are not given."""
    given = {h: c.strip() for h, c in zip(header, cells, strict=False) if h and c.strip()}
    row: Cells = {key: given[key] for key in ("name", "joint", "parent", "mass") if key in given}
    try:
        for column, key in _IN_DEGREES.items():
            if column in given:
                if key in given:
                    raise FormatError(f"found {key} and {column}. Give one of them.")
                given[key] = repr(math.radians(number(given[column], "row", column)))
    except FormatError as fault:
        raise FormatError(str(fault), path, line) from None
    row["gamma"] = [given.get(name, "0") for name in (*_ROT, *_DISP)]
    if "free" in given:
        row["free"] = given["free"].split()
    if "phi" in given:
        row["phi"] = [part.split() for part in given["phi"].split(";")]
    for key, columns in (("position", _POSITION), ("com", COM), ("inertia", TENSOR)):
        if any(column in given for column in columns):
            row[key] = [given.get(column, "0") for column in columns]
    for column, (entry, name) in NESTED.items():
        if column in given:
            row.setdefault(entry, {})[name] = given[column]
    for entry in ("friction", "limits", "rotor"):
        if entry in row:
            row[entry] = _per_axis(row[entry])
    return row


def _per_axis(part: Mapping[str, str]) -> object:
    """{field: "1|2"} as one mapping per freedom."""
    many = [len(text.split(_PER_AXIS)) for text in part.values() if _PER_AXIS in text]
    if not many:
        return part
    return [
        {
            name: texts[k].strip() or None
            for name, text in part.items()
            for texts in [text.split(_PER_AXIS) if _PER_AXIS in text else [text] * max(many)]
            if k < len(texts)
        }
        for k in range(max(many))
    ]


# -- writing -------------------------------------------------------------------------------------


def write_sixparameter_file(model: Model, suffix: str = ".yaml") -> str:
    """The text of a file; a FormatError says what a table cannot hold."""
    rows = write_sixparameter(model)
    settings: Cells = {"name": " ".join(model.name.split()), "gravity": model.gravity}
    for key in ("base_velocity", "base_acceleration"):
        if any(getattr(model, key)):
            settings[key] = getattr(model, key)
    _refuse_curves(rows)
    lost = _left_out(model)
    if suffix.lower() == ".csv":
        return written(settings, lost, COLUMNS, [dict(_cells(row)) for row in rows])
    lines = [f"{KEY}: 1", f"name: {_quoted(settings.pop('name'))}"]
    lines += [f"{key}: {_flow(tuple(value))}" for key, value in settings.items()]
    lines += ["rows:", *(f"  - {_flow(dict(row))}" for row in rows)]
    return with_remarks("\n".join(lines) + "\n", lost)


def _refuse_curves(rows: Sequence[LinkRow]) -> None:
    for row in rows:
        for friction in row.get("friction", ()):
            if friction.law is not None or friction.table:
                raise FormatError(
                    f"joint of '{row['name']}': a friction table or function has no place in a "
                    f"six-parameter file. Write the native file instead."
                )


def _left_out(model: Model) -> list[str]:
    names = [f.name for f in model.frames if f.name != "tip" and not f.name.endswith("_tip")]
    found = [f"frame '{name}'" for name in names]
    return found + [f"shapes of body '{body.name}'" for body in model.bodies if body.shapes]


def _cells(row: LinkRow) -> Iterator[tuple[str, str]]:
    for key in ("name", "joint", "parent"):
        if key in row:
            yield key, cell(row[key])
    yield from zip((*_ROT, *_DISP), map(repr, row["gamma"]), strict=True)
    yield "free", " ".join(row["free"])
    yield "mass", repr(float(row["mass"]))
    for key, columns in (("position", _POSITION), ("com", COM), ("inertia", TENSOR)):
        if key in row:
            yield from zip(columns, (repr(float(x)) for x in row[key]), strict=True)
    for column, (entry, name) in NESTED.items():
        parts = row.get(entry) or ()
        parts = (parts,) if isinstance(parts, Motor) else parts
        values = [getattr(part, name) for part in parts]
        if any(x != getattr(type(part), name, None) for x, part in zip(values, parts, strict=True)):
            yield column, _PER_AXIS.join(map(_text, values))


def _text(value: float | tuple[float, ...] | None) -> str:
    return "" if value is None else words(value if isinstance(value, tuple) else (value,))


def _flow(value: object) -> str:
    """YAML on one line."""
    if is_dataclass(value) and not isinstance(value, type):
        own = {f.name: getattr(value, f.name) for f in fields(value)}
        kept = {k: x for k, x in own.items() if x is not None and x != _default(value, k)}
        return _flow(kept)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(x)}" for key, x in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(_flow(x) for x in value) + "]"
    return _quoted(value) if isinstance(value, str) else repr(float(value))  # type: ignore[arg-type]


def _default(part: object, name: str) -> object:
    return getattr(type(part), name, None)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
