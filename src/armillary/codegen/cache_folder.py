"""A folder of this user alone, held open: what was checked is what is read and written.

A path can come to mean something else between a look at it and its use.  So the folder is opened
once, its owner and permissions are those of the open folder, and its files are reached through its
descriptor.  Systems without such calls (Windows) use paths.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

TEMPORARY = ".tmp"
_STALE = 3600.0  # s: a temporary file that old was left by a process that was killed
_BY_DESCRIPTOR = (
    hasattr(os, "getuid")
    and hasattr(os, "O_DIRECTORY")
    and {os.open, os.unlink} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
)


class Folder:
    """Every failure is an OSError."""

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
