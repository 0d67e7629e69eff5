"""Files on disk: read as text with limits, written whole or not at all."""

from __future__ import annotations

import io
import os
import secrets
import shutil
from pathlib import Path
from typing import Any

from armillary.errors import FormatError, InputError, Remedy

MAX_BYTES = 64 * 1024 * 1024  # a mechanism of 100 000 bodies is smaller than this


def read_text(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> str:
    """The whole file as UTF-8 text; every fault is a FormatError that names the file."""
    file = named_path(path)
    shown = str(file)
    try:
        if file.is_dir():
            raise FormatError("this is a directory. Name a file in it.", shown)
        if not file.exists():
            raise FormatError("there is no such file. Check the path.", shown)
        if not file.is_file():
            raise FormatError("this is a device or pipe, expected an ordinary file.", shown)
        with file.open("rb") as stream:
            data = stream.read(limit + 1)
    except (OSError, ValueError) as fault:
        raise FormatError(f"cannot be read: {_reason(fault)}.", shown) from None
    if len(data) > limit:
        raise FormatError(
            f"the file is larger than {limit // 1024**2} MiB. A mechanism is text without "
            f"meshes; name the meshes instead of including them.",
            shown,
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise FormatError(
            f"byte {fault.start + 1} is no UTF-8 text. Save the file as UTF-8.", shown, line
        ) from None


def named_path(path: object) -> Path:
    """The path that a person gives; what is none is refused."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InputError(f"path: expected the name of a file, found {path!r:.60}.")
    if not Path(path).name:
        raise FormatError("this is a directory. Name a file in it.", str(path))
    return Path(path)


def write_text(text: str, path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """As UTF-8."""
    try:
        data = text.encode()
    except UnicodeEncodeError as fault:
        raise FormatError(f"cannot be written: {fault}.", str(path)) from None
    write_bytes(data, path, overwrite)


def save_picture(
    figure: Any, path: str | os.PathLike[str], overwrite: bool = True, **options: Any
) -> Path:
    """A figure of matplotlib, in the format of the ending (.png where there is none)."""
    file = named_path(path)
    file = file if file.suffix else file.with_name(f"{file.name}.png")
    picture = io.BytesIO()
    try:
        figure.savefig(picture, format=file.suffix[1:].lower(), **options)
    except ValueError as fault:  # an ending that matplotlib does not know
        raise FormatError(f"{fault}", str(path)) from None
    write_bytes(picture.getvalue(), file, overwrite)
    return file


def write_bytes(data: bytes, path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Write to a new file beside `path` and move it there: a reader never sees half a file."""
    file = Path(os.path.realpath(path))
    shown = str(path)
    if file.is_dir():
        raise FormatError("this is a directory. Name a file in it.", shown)
    if file.exists() and not file.is_file():
        raise FormatError("this is a device or pipe, expected an ordinary file.", shown)
    if file.exists() and not overwrite:
        raise FormatError("the file exists already.", shown, remedy=Remedy("overwrite"))
    if not file.parent.is_dir():
        raise FormatError(f"there is no directory '{file.parent}'. Make it first.", shown)
    part = file.with_name(f".{file.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        try:
            with part.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            if file.exists():
                shutil.copymode(file, part)
            os.replace(part, file)
        finally:
            part.unlink(missing_ok=True)
    except (OSError, ValueError) as fault:
        raise FormatError(f"cannot be written: {_reason(fault)}.", shown) from None


def _reason(fault: Exception) -> str:
    return getattr(fault, "strerror", None) or str(fault)
