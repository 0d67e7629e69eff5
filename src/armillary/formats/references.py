"""References to other files, judged by their text alone: does this one stay in its folder?"""

from __future__ import annotations

import re
from urllib.parse import unquote

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_PACKAGES = ("package", "model")


def why_refused(reference: str) -> str | None:
    """Why a reference is not followed, or None for one that stays inside the model's folder.

    Plain relative paths and package://name/path stay; absolute paths, `..` that climbs out, and
    other schemes (file:, http:, a drive letter) do not."""
    path = reference.strip()
    if any(ord(c) < 32 for c in path):
        return "it holds control characters"
    inside_package = False
    if match := _SCHEME.fullmatch(path):
        scheme, rest = match.groups()
        if scheme.lower() not in _PACKAGES or not rest.startswith("//"):
            return f"scheme '{scheme}:' is not followed"
        inside_package, path = True, rest[2:]
    # a resolver may decode %2e%2e once more: judge both readings
    for reading in (path, unquote(path)):
        parts = reading.replace("\\", "/").split("/")
        if not inside_package and parts[0] == "" and len(parts) > 1:
            return "it is an absolute path"
        if _climbs(parts[1:] if inside_package else parts) or parts[0] in ("..", "~"):
            return "it leaves the model's folder"
    return None


def _climbs(parts: list[str]) -> bool:
    depth = 0
    for part in parts:
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False
