"""Compiled objects on disk, so that a second process does not compile again.

An entry is named by what it was made from: the LLVM text, LLVM's version, the CPU and its
features.  It carries that name and a checksum of its content; anything that does not fit (cut
short, changed, made elsewhere) is dropped and compiled anew.  No failure of the disk is an error:
the cache then just does not help.

Small notes stand among the objects, as JSON: what a process found out on the way to an object, and
the object's name.  With them the next process need not even write the LLVM text.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from armillary.compiler.sources import unchanged

_MAGIC = b"armillary object 1\n"
_SUFFIX = ".armobj"
LIMIT = 256 * 2**20  # bytes
_FEW = 256  # entries that fill the folder: these are large


@dataclass(frozen=True)
class Cache:
    """A folder of compiled objects."""

    folder: Path
    limit: int = LIMIT

    def get(self, key: str) -> bytes | None:
        """The object of a key, or None."""
        path = self._path(key)
        try:
            if not self._trusted():
                return None
            content = path.read_bytes()
        except OSError:
            return None
        head = self._head(key)
        checksum = content[len(head) : len(head) + 32]
        body = content[len(head) + 32 :]
        if not content.startswith(head) or hashlib.sha256(body).digest() != checksum or not body:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used lately: kept longest
        return body

    def put(self, key: str, body: bytes) -> None:
        """Store an object; other processes see it whole or not at all."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not self._trusted():
                return
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(self._head(key) + hashlib.sha256(body).digest() + body)
                os.replace(name, self._path(key))
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                return
            # a look at thousands of files takes a while: after small entries, now and then
            if len(body) * _FEW > self.limit or key.startswith("0"):
                self._shrink()
        except OSError:
            return

    def recall(self, key: str) -> dict[str, Any] | None:
        """The note of a key, or None."""
        body = self.get(key)
        try:
            note = None if body is None else json.loads(body)
        except ValueError:
            return None
        return note if isinstance(note, dict) else None

    def remember(self, key: str, note: dict[str, Any]) -> None:
        """Keep a note, unless the source it was made with is no longer the one on the disk."""
        if unchanged():
            self.put(key, json.dumps(note).encode())

    def entries(self) -> list[tuple[Path, int]]:
        """Files and sizes, oldest use first."""
        return [(Path(name), size) for _, size, name in self._scan()]

    def _scan(self) -> list[tuple[float, int, str]]:
        """(last use, size, file) of all entries, oldest use first."""
        found = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as files:
            for file in files:
                if file.name.endswith(_SUFFIX):
                    with contextlib.suppress(OSError):  # removed by another process
                        stat = file.stat()
                        found.append((stat.st_mtime, stat.st_size, file.path))
        return sorted(found)

    def clear(self) -> int:
        """Remove all entries; the number removed."""
        count = 0
        for path, _ in self.entries():
            with contextlib.suppress(OSError):
                path.unlink()
                count += 1
        for path in self.folder.glob("*.tmp"):  # left by a process that was killed
            with contextlib.suppress(OSError):
                path.unlink()
        return count

    def _path(self, key: str) -> Path:
        return self.folder / (key + _SUFFIX)

    @staticmethod
    def _head(key: str) -> bytes:
        return _MAGIC + key.encode() + b"\n"

    def _trusted(self) -> bool:
        """Machine code is taken only from a folder that nobody else can write to."""
        if not hasattr(os, "getuid"):
            return True
        stat = self.folder.stat()
        return stat.st_uid == os.getuid() and not stat.st_mode & 0o022

    def _shrink(self) -> None:
        entries = self._scan()
        total = sum(size for _, size, _ in entries)
        for _, size, name in entries:
            if total <= self.limit:
                return
            with contextlib.suppress(OSError):
                os.unlink(name)
                total -= size


def key_of(parts: Sequence[str]) -> str:
    """The name of an entry."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:".encode())
        digest.update(part.encode())
    return digest.hexdigest()


def remembered(identity: str | None, what: str, find: Callable[[], Any]) -> Any:
    """What `find` finds (numbers, texts, lists of them), or found for this identity in an earlier
    process."""
    if identity is None:
        return find()
    key = key_of([identity, what])
    note = default_cache().recall(key)
    if note is None or what not in note:
        note = {what: find()}
        default_cache().remember(key, note)
    return note[what]


@cache
def default_cache() -> Cache:
    """The user's cache folder, where the platform keeps such things."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        home = Path(base) if base else Path.home() / ".cache"
    except RuntimeError:  # a user without a home: no folder can be made there
        home = Path(os.devnull)
    return Cache(home / "armillary")
