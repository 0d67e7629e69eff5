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
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from armillary.codegen.sources import unchanged

T = TypeVar("T")
_MAGIC = b"armillary object 1\n"
_SUFFIX = ".armobj"
LIMIT = 256 * 2**20  # bytes
_LOOKS = 64  # looks at the folder while it fills once
TEMPORARY = ".tmp"
_STALE = 3600.0  # s: a temporary file that old was left by a process that was killed
_BY_DESCRIPTOR = (
    hasattr(os, "getuid")
    and hasattr(os, "O_DIRECTORY")
    and {os.open, os.unlink} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
)


@dataclass(frozen=True)
class Cache:
    """A folder of compiled objects."""

    folder: Path
    limit: int = LIMIT

    def get(self, key: str) -> bytes | None:
        """The object of a key, or None.  Machine code is taken only from a folder that nobody
        else can write to."""
        try:
            with Folder.opened(self.folder) as folder:
                body = _body(key, folder.read(key + _SUFFIX))
                if body is None:
                    folder.remove(key + _SUFFIX)
                return body
        except OSError:
            return None

    def put(self, key: str, body: bytes) -> None:
        """Store an object; other processes see it whole or not at all."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with Folder.opened(self.folder) as folder:
                folder.write(key + _SUFFIX, _head(key) + hashlib.sha256(body).digest() + body)
                if self._look_is_due(key, len(body)):
                    self._shrink(folder)

    def recall(self, key: str) -> dict[str, object] | None:
        """The note of a key, or None."""
        body = self.get(key)
        try:
            note = None if body is None else json.loads(body)
        except ValueError:
            return None
        return note if isinstance(note, dict) else None

    def remember(self, key: str, note: dict[str, object]) -> None:
        """Keep a note, unless the source it was made with is no longer the one on the disk."""
        if unchanged():
            self.put(key, json.dumps(note).encode())

    def entries(self) -> list[tuple[Path, int]]:
        """Files and sizes, oldest use first."""
        try:
            with Folder.opened(self.folder, trusted=False) as folder:
                return [(self.folder / name, size) for _, size, name in folder.files(_SUFFIX)]
        except OSError:
            return []

    def clear(self) -> int:
        """Remove all entries; the number removed."""
        count = 0
        with contextlib.suppress(OSError), Folder.opened(self.folder, trusted=False) as folder:
            for _, _, name in folder.files(_SUFFIX):
                with contextlib.suppress(OSError):
                    folder.remove(name)
                    count += 1
            folder.sweep(age=0.0)
        return count

    def _look_is_due(self, key: str, size: int) -> bool:
        """A look at a hundred thousand files takes a second.  So one comes after every 1/64 of the
        limit that was written, on average and over all processes: a key is a hash, and its head a
        random number."""
        return int(key[:8], 16) * self.limit < size * _LOOKS * 16**8

    def _shrink(self, folder: Folder) -> None:
        folder.sweep()
        entries = folder.files(_SUFFIX)
        total = sum(size for _, size, _ in entries)
        for _, size, name in entries:
            if total <= self.limit:
                return
            with contextlib.suppress(OSError):
                folder.remove(name)
                total -= size


def _head(key: str) -> bytes:
    return _MAGIC + key.encode() + b"\n"


def _body(key: str, content: bytes) -> bytes | None:
    """What an entry of this name holds; None: it is not one, or not whole."""
    head = _head(key)
    checksum, body = content[len(head) : len(head) + 32], content[len(head) + 32 :]
    sound = content.startswith(head) and hashlib.sha256(body).digest() == checksum
    return body if sound and body else None


def key_of(parts: Sequence[str]) -> str:
    """The name of an entry."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:".encode())
        digest.update(part.encode())
    return digest.hexdigest()


def remembered(identity: str | None, what: str, find: Callable[[], T]) -> T:
    """What `find` finds (numbers, texts, lists of them), or found for this identity in an earlier
    process."""
    if identity is None:
        return find()
    key = key_of([identity, what])
    note = default_cache().recall(key)
    if note is None or what not in note:
        note = {what: find()}
        default_cache().remember(key, note)
    return cast(T, note[what])


@cache
def default_cache() -> Cache:
    """The user's cache folder, where the platform keeps such things."""
    place = _default_place()
    return Cache((Path(os.devnull) if place is None else place) / "armillary")


def _default_place() -> Path | None:
    """Absolute; None for a user without a home, where no folder can be made.

    A path that is not absolute would mean another folder in every process, and an empty HOME the
    root folder: neither was meant."""
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        given = os.environ.get(name)
        if given and os.path.isabs(given):
            return Path(given)
    if os.name == "posix" and not os.path.isabs(os.environ.get("HOME", os.sep)):
        return None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ".cache" if home.is_absolute() else None


class Folder:
    """A folder of this user alone, held open: what was checked is what is read and written.

    A path can come to mean something else between a look at it and its use.  So the folder is
    opened once, its owner and permissions are those of the open folder, and its files are reached
    through its descriptor.  Systems without such calls (Windows) use paths.  Every failure is an
    OSError."""

    def __init__(self, path: Path, descriptor: int | None):
        self._path, self._descriptor = path, descriptor

    @classmethod
    @contextlib.contextmanager
    def opened(cls, path: Path, trusted: bool = True) -> Iterator[Folder]:
        """The folder.  trusted: only if it is this user's and nobody else can write to it."""
        if not _BY_DESCRIPTOR:
            yield cls(path, None)
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            found = os.fstat(descriptor)
            if trusted and (found.st_uid != os.getuid() or found.st_mode & 0o022):
                raise PermissionError(f"{path}: others may write to it")
            yield cls(path, descriptor)
        finally:
            os.close(descriptor)

    def read(self, name: str) -> bytes:
        """The content of a plain file of this user, which counts as used now."""
        descriptor = self._open(name, os.O_RDONLY)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            own = not _BY_DESCRIPTOR or found.st_uid == os.getuid()
            if not (stat.S_ISREG(found.st_mode) and own):
                raise PermissionError(f"{name}: not a file of this user")
            content = file.read()
            with contextlib.suppress(OSError):  # used lately: kept longest
                os.utime(descriptor if os.utime in os.supports_fd else self._path / name)
        return content

    def write(self, name: str, content: bytes) -> None:
        """Others see the file whole or not at all; nothing is left of one that fails."""
        new = secrets.token_hex(8) + TEMPORARY
        descriptor = self._open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            if self._descriptor is None:
                os.replace(self._path / new, self._path / name)
            else:
                own = self._descriptor
                os.replace(new, name, src_dir_fd=own, dst_dir_fd=own)
        except BaseException:  # Ctrl-C, too
            with contextlib.suppress(OSError):
                self.remove(new)
            raise

    def remove(self, name: str) -> None:
        if self._descriptor is None:
            os.unlink(self._path / name)
        else:
            os.unlink(name, dir_fd=self._descriptor)

    def files(self, suffix: str) -> list[tuple[float, int, str]]:
        """(last use, size, name) of the files with this ending, oldest use first."""
        found = []
        where = self._path if self._descriptor is None else self._descriptor
        with os.scandir(where) as entries:
            for entry in entries:
                if entry.name.endswith(suffix):
                    with contextlib.suppress(OSError):  # removed by another process
                        about = entry.stat(follow_symlinks=False)
                        found.append((about.st_mtime, about.st_size, entry.name))
        return sorted(found)

    def sweep(self, age: float = _STALE) -> None:
        """Remove temporary files that nobody has written to for so long (s)."""
        for last, _, name in self.files(TEMPORARY):
            if last < time.time() - age:
                with contextlib.suppress(OSError):
                    self.remove(name)

    def _open(self, name: str, flags: int) -> int:
        flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link, no pipe
        if self._descriptor is None:
            return os.open(self._path / name, flags, 0o600)
        return os.open(name, flags, 0o600, dir_fd=self._descriptor)
