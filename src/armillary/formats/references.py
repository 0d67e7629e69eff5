"""References to other files: where may they lead, and where do they?

A model may name files in a folder that holds it, its root: by default the nearest one around the
file that is the top of a package or repository.  A reference is judged by its text alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from armillary.errors import InputError

MARKS = ("package.xml", ".git", "pyproject.toml")  # of the top folder of a package or repository
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_PACKAGES = ("package", "model")
_PACKAGE_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")
_MAX_PACKAGE = 1 << 20

FilePath = str | os.PathLike[str]


@dataclass(frozen=True)
class Bounds:
    """The folder of a model and the root around it, as real paths."""

    folder: str
    root: str

    @classmethod
    def of(cls, path: FilePath, root: FilePath | None = None) -> Bounds:
        """root: None stands for the nearest folder with one of `MARKS`, else the file's own."""
        folder = os.path.dirname(os.path.realpath(path))
        if root is None:
            return cls(folder, next(_marked(folder), folder))
        top = os.path.realpath(root)
        if not os.path.isdir(top):
            raise InputError(f"root: there is no folder '{os.fspath(root)}'. Check the name.")
        if not _within(folder, top):
            raise InputError(
                f"root: the folder '{os.fspath(root)}' does not hold the file "
                f"'{os.fspath(path)}'. Name a folder around it."
            )
        return cls(folder, top)

    def depth(self, folder: str) -> int | None:
        """How many folders lie between the root and one inside it; None for one outside."""
        if not _within(folder, self.root):
            return None
        relative = os.path.relpath(folder, self.root)
        return 0 if relative == os.curdir else relative.count(os.sep) + 1

    def locate(self, reference: str) -> str | None:
        """The file that a reference leads to; None where there is none or it is refused."""
        if why_refused(reference, self) is not None:
            return None
        path = reference.strip().replace("\\", "/")
        folder: str | None = self.folder
        if match := _SCHEME.fullmatch(path):
            name, _, path = match.group(2)[2:].partition("/")
            folder = self.package(name)
        if folder is None:
            return None
        for reading in (path, unquote(path)):
            place = os.path.normpath(os.path.join(folder, reading))
            if os.path.isfile(place):
                return place
        return None

    def package(self, name: str) -> str | None:
        """The folder of a package: around the model or beside such a one, inside the root."""
        for folder in _upward(self.folder, self.root):
            if os.path.basename(folder) == name or _package_name(folder) == name:
                return folder
            beside = os.path.join(folder, name)
            if name not in ("", ".", "..") and os.path.isdir(beside):
                return beside
        return None


def why_refused(reference: str, bounds: Bounds | None = None, within: str = "") -> str | None:
    """Why a reference is not followed, or None for one that stays inside the root folder.

    bounds: None for a text without a place, whose root is its own folder.  within: a folder that
    stands before plain paths (as `meshdir` of MJCF does).  Relative paths and package://name/path
    stay; absolute paths, `..` that climbs out, and other schemes (file:, http:, a drive letter) do
    not."""
    path = reference.strip()
    if within and not path.startswith(("/", "\\")) and not _SCHEME.fullmatch(path):
        path = f"{within.strip()}/{path}"
    if any(ord(c) < 32 for c in path):
        return "it holds control characters"
    package = None
    if match := _SCHEME.fullmatch(path):
        scheme, rest = match.groups()
        if scheme.lower() not in _PACKAGES or not rest.startswith("//"):
            return f"scheme '{scheme}:' is not followed"
        package, _, path = rest[2:].replace("\\", "/").partition("/")
        if unquote(package) in ("..", "~"):
            return "it leaves the model's folder"
    depth = _depth_of(package, bounds)
    # a resolver may decode %2e%2e once more: judge both readings
    for reading in (path, unquote(path)):
        parts = reading.replace("\\", "/").split("/")
        if package is None and parts[0] == "" and len(parts) > 1:
            return "it is an absolute path"
        if parts[0] == "~" or _climbs(parts, depth):
            own = bounds is None or bounds.root == bounds.folder
            return f"it leaves {'the model' if own else 'the package'}'s folder" + (
                f" '{bounds.root}'" if bounds is not None else ""
            )
    return None


def _depth_of(package: str | None, bounds: Bounds | None) -> int:
    """How many folders a reference may climb from where it begins."""
    if bounds is None:
        return 0
    folder = bounds.folder if package is None else bounds.package(package)
    return (bounds.depth(folder) if folder is not None else 0) or 0


def _climbs(parts: list[str], depth: int) -> bool:
    for part in parts:
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False


def _marked(folder: str) -> Iterator[str]:
    """Folders around this one with a mark, the nearest first; none above the user's home."""
    home = os.path.expanduser("~")
    home = os.path.realpath(home) if os.path.isabs(home) else os.sep
    for place in _upward(folder, os.sep):
        if place == os.path.dirname(place) or (place != home and _within(home, place)):
            return
        if any(os.path.exists(os.path.join(place, mark)) for mark in MARKS):
            yield place


def _upward(folder: str, top: str) -> Iterator[str]:
    """This folder and those around it, up to the top."""
    while True:
        yield folder
        if folder in (top, os.path.dirname(folder)):
            return
        folder = os.path.dirname(folder)


def _within(folder: str, top: str) -> bool:
    return folder == top or folder.startswith(top.rstrip(os.sep) + os.sep)


def _package_name(folder: str) -> str | None:
    try:
        with open(os.path.join(folder, "package.xml"), encoding="utf-8", errors="replace") as file:
            found = _PACKAGE_NAME.search(file.read(_MAX_PACKAGE))
    except OSError:
        return None
    return found.group(1) if found else None
