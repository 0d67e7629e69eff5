"""What the package's own source says: part of the name of everything that is kept between runs.

Code that is traced depends on every line between the spatial algebra and the writer of LLVM text.
Their bytes are hashed, a few milliseconds once per process.  A file that changed after it was
imported would lie about the code that runs: then nothing is recalled and nothing remembered.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from functools import cache, lru_cache

_BELOW = ("scalar", "errors", "spatial", "joints", "model", "algorithms")
ROOMS = (*_BELOW, "graph", "codegen", "runtime", "evaluate", "constraints", "mechanism")
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_STARTED = time.time()
_MARGIN = 2.0  # s: modules read before this one, and coarse clocks of file systems


def is_ours(module: str) -> bool:
    """Is a module, by its full name, one of those that are hashed?"""
    package, _, rest = module.partition(".")
    return package == __package__.partition(".")[0] and rest.partition(".")[0] in ROOMS


@cache
def fingerprint() -> str | None:
    """Hash of the source as this process runs it; None where that cannot be known."""
    try:
        return _hash(PACKAGE) if unchanged() else None
    except OSError:  # in an archive, say
        return None


def unchanged() -> bool:
    """Is all source older than this process?  Looked at once a second at most."""
    return _unchanged_at(time.monotonic() // 1.0)


@lru_cache(maxsize=1)
def _unchanged_at(second: float) -> bool:
    try:
        return not _changed_since(PACKAGE, _STARTED - _MARGIN)
    except OSError:
        return False


def _hash(package: str) -> str:
    import hashlib

    digest = hashlib.sha256(f"{sys.version}\n".encode())
    for path in _files(package):
        with open(path, "rb", buffering=0) as file:
            content = file.read()
        digest.update(f"{path[len(package) :]}\n{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _changed_since(package: str, moment: float) -> bool:
    stats = (os.stat(path) for path in _files(package))
    return any(max(stat.st_mtime, stat.st_ctime) > moment for stat in stats)


def _files(package: str) -> Iterator[str]:
    """All source files of the rooms, in one order; an error where a room is missing."""
    for room in ROOMS:
        place = os.path.join(package, room)
        if os.path.isdir(place):
            yield from _below(place)
        else:
            yield f"{place}.py"


def _below(folder: str) -> Iterator[str]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.endswith(".py"):
            yield entry.path
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _below(entry.path)
