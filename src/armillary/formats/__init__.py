"""Mechanisms in files and tables: URDF, MJCF, native YAML, Denavit-Hartenberg, six parameters.

Every reader gives a frozen `Model`; the libraries a format needs are imported when it is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from armillary.errors import FormatError, InputError, Remedy
from armillary.formats.digits import accuracy
from armillary.formats.files import read_text, write_text
from armillary.formats.losses import remarks, with_remarks
from armillary.formats.mesh_paths import seen_from
from armillary.formats.references import Bounds
from armillary.model import WORLD, Model, Report
from armillary.model.edit import with_base

NATIVE, URDF, MJCF, DH, SIX = "native", "urdf", "mjcf", "dh", "sixparameter"
FORMATS = (NATIVE, URDF, MJCF, DH, SIX)
_SHAPED = (NATIVE, URDF)  # formats that name the files of meshes
_SUFFIXES = {".yaml": NATIVE, ".yml": NATIVE, ".urdf": URDF, ".xml": "xml", ".csv": DH}
_ROOTS = {"mujoco": MJCF, "robot": URDF}
_KNOWN = ".urdf, .xml (URDF or MJCF), .yaml, .yml, .csv (Denavit-Hartenberg, six parameters)"

FilePath = str | os.PathLike[str]


def read(
    path: FilePath,
    *,
    base: str | None = None,
    strict: bool = False,
    root: FilePath | None = None,
    format: str | None = None,
) -> Model:
    """Read a mechanism; the suffix tells the format unless `format` names it.

    base: "fixed" or "free", how the root body stands in the world (URDF files do not say).
    strict: what a reader would repair or report becomes an error.
    root: the folder that meshes and other files named in this one must lie in; by default the
    nearest one around the file with package.xml, .git or pyproject.toml (never above the user's
    home), else that of the file."""
    _check_path(path)
    model = _read(path, base, strict, root, _kind_to_read(path, format))
    model.report.root = "" if root is None else os.path.abspath(root)
    if not model.constraints:
        return model
    return replace(model, accuracy=accuracy(read_text(path)))


def _read(
    path: FilePath, base: str | None, strict: bool, root: FilePath | None, kind: str
) -> Model:
    if kind == URDF:
        from armillary.formats.urdf import read_urdf

        return read_urdf(path, base=base, strict=strict, root=root)
    if kind == MJCF:
        from armillary.formats.mjcf import read_mjcf

        model = read_mjcf(path, strict=strict, root=root)
    elif kind == DH:
        from armillary.formats.dh_csv import read_dh

        model = read_dh(path, strict=strict)
    elif kind == SIX:
        from armillary.formats.sixparameter_file import read_sixparameter

        model = read_sixparameter(path, strict=strict)
    else:
        from armillary.formats.native import read_native

        model = read_native(path, strict=strict, root=root)
    return model if base is None else on_base(model, base, path)


def write(
    model: Model,
    path: FilePath,
    format: str | None = None,
    *,
    overwrite: bool = False,
    lossy: bool = False,
) -> Report:
    """Write a mechanism; all of it or nothing, and never over an existing file unasked.

    lossy: what the format cannot express is left out instead of being an error.  The report says
    what the file does not hold, as does a comment at its head.  Meshes are named as they are seen
    from the new place."""
    _check_path(path)
    if not isinstance(model, Model):
        raise InputError(f"model: expected a Model, found {type(model).__name__}.")
    kind = _named(format, path) if format is not None else _kind_of_suffix(path)
    if kind == "xml":
        kind = MJCF
    # the source of a report may be a file, a book, or nothing
    old = model.report.source if Path(model.report.source).is_file() else "model"
    folder = os.path.dirname(os.path.realpath(path))
    moved, lost = seen_from(model, Bounds.of(old), folder) if kind in _SHAPED else (model, [])
    text = with_remarks(_writer(kind, lossy, Path(path).suffix)(moved), lost)
    write_text(text, path, overwrite)
    report = Report(source=str(path))
    for line in remarks(text):
        report.add("ignored", f"'{model.name}'", line)
    return report


def _writer(kind: str, lossy: bool, suffix: str) -> Callable[[Model], str]:
    if kind == URDF:
        from armillary.formats.urdf_write import write_urdf

        return partial(write_urdf, lossy=lossy)
    if kind == MJCF:
        from armillary.formats.mjcf_write import write_mjcf

        return partial(write_mjcf, lossy=lossy)
    if kind == DH:
        from armillary.formats.dh_csv import write_dh

        return write_dh
    if kind == SIX:
        from armillary.formats.sixparameter_file import write_sixparameter_file

        return partial(write_sixparameter_file, suffix=suffix)
    from armillary.formats.native_write import write_native

    return write_native


def _check_path(path: object) -> None:
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise InputError(f"path: expected the name of a file, found {path!r}.")
    if "\0" in str(path):
        raise InputError("path: a file name cannot hold a zero character.")


def _named(format: str, path: FilePath) -> str:
    if format not in FORMATS:
        raise FormatError(f"unknown format '{format}'. Known: {', '.join(FORMATS)}.", str(path))
    return format


def _kind_of_suffix(path: FilePath) -> str:
    suffix = Path(path).suffix.lower()
    if suffix == ".xacro":
        raise FormatError("xacro is a macro language. Run xacro first: it gives URDF.", str(path))
    if suffix not in _SUFFIXES:
        raise FormatError(
            f"the suffix '{suffix}' tells no format. Known: {_KNOWN}.",
            str(path),
            remedy=Remedy("format", {"formats": ", ".join(FORMATS)}),
        )
    return _SUFFIXES[suffix]


def _kind_to_read(path: FilePath, format: str | None) -> str:
    if format is not None:
        return _named(format, path)
    if Path(path).is_dir():
        raise FormatError("this is a directory. Name a file in it.", str(path))
    if not Path(path).exists():
        raise FormatError("there is no such file. Check the path.", str(path))
    kind = _kind_of_suffix(path)
    if kind == DH:
        from armillary.formats.sixparameter_file import is_sixparameter_csv

        return SIX if is_sixparameter_csv(read_text(path)) else DH
    if kind != "xml":
        return kind
    root = xml_root(read_text(path))
    if root not in _ROOTS:
        raise FormatError(
            f"expected <mujoco> or <robot> as the root element, found <{root}>.", str(path)
        )
    return _ROOTS[root]


def xml_root(text: str) -> str:
    """Name of the first element, past declarations and comments; empty where there is none."""
    position = 0
    while True:
        position = text.find("<", position)
        if position < 0:
            return ""
        if text.startswith("<!--", position):
            end = text.find("-->", position)
            if end < 0:
                return ""
            position = end
        elif text[position + 1 : position + 2] in ("?", "!"):
            position += 1
        else:
            found = re.compile(r"<([^\s/>]*)").match(text, position)
            return found.group(1) if found else ""


def on_base(model: Model, base: str, path: FilePath) -> Model:
    """MJCF and native files say how their root stands; `base` changes a fixed or free one."""
    roots = [body for body in model.bodies if body.parent == WORLD]
    if not any(body.joint.kind in ("fixed", "free") for body in roots):
        raise FormatError(
            f"base='{base}' has no meaning here: no root body has a fixed or free joint.",
            str(path),
            remedy=Remedy("no base"),
        )
    return with_base(model, base)


__all__ = ["FORMATS", "read", "write"]
