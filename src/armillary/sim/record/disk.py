"""Files that are written whole or not at all, and are there after a power cut.

A new file grows beside the wanted one under a name of its own; when it is whole and on the disk it
takes the wanted name, and the folder is written, too.  Its lock tells it from what a killed process
has left, which the next writer removes.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO

from armillary.errors import FormatError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_LONGEST = 100  # of a name that others are made from
_OLD = 60.0  # s: a file that is being made has its lock by then
_NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | _NOT_FOLLOWED


def open_plain(path: Path, flags: int) -> BinaryIO:
    """A file by its own name, without buffer: no link to elsewhere, no pipe, no device."""
    try:
        place = os.open(path, flags | _PLAIN, 0o666)
    except OSError as fault:
        if fault.errno == errno.ELOOP:
            raise _unlike("a link to another place", path) from None
        raise
    if not stat.S_ISREG(os.fstat(place).st_mode):
        os.close(place)
        raise _unlike("no plain file", path)
    return os.fdopen(place, "r+b" if flags & os.O_RDWR else "rb", buffering=0)


def _unlike(what: str, path: Path) -> FormatError:
    return FormatError(f"this is {what}, and nothing is written there. Remove it first.", str(path))


def locked(file: BinaryIO) -> bool:
    """Take the lock of an open file, which the system drops when the process ends, however it ends;
    False: another process has it."""
    try:
        import fcntl
    except ImportError:  # no such lock on this system
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Names in the folder are on the disk when this returns, where the system can do that."""
    with contextlib.suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def write_all(file: BinaryIO, data: ReadableBuffer) -> None:
    """The whole of it: a file without buffer may take less at a time."""
    view = memoryview(data).cast("B")
    while view:
        view = view[file.write(view) :]


class Fresh:
    """A new file, which takes the name `path` with `commit` or is gone at the end."""

    def __init__(self, path: Path):
        self.path = path
        remove_leftovers(path)
        self.part = path.with_name(f".{path.name[:_LONGEST]}.{secrets.token_hex(4)}.tmp")
        self.file = open_plain(self.part, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        locked(self.file)

    def commit(self) -> None:
        """On the disk first, then the name, then the folder.  Not every system renames open files:
        it is closed."""
        os.fsync(self.file.fileno())
        self.file.close()
        os.replace(self.part, self.path)
        sync_folder(self.path.parent)

    def __enter__(self) -> Fresh:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.file.close()
        self.part.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Files that a killed process was making for this one: old enough, and nobody holds them."""
    name = re.escape(path.name[:_LONGEST])
    pattern = re.compile(rf"\.{name}\.[0-9a-f]{{8}}\.tmp")
    for other in _listed(path.parent):
        with contextlib.suppress(OSError, FormatError):
            if pattern.fullmatch(other.name) and time.time() - other.stat().st_mtime > _OLD:
                with open_plain(other, os.O_RDWR) as file:
                    if locked(file):
                        other.unlink()


def _listed(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from folder.iterdir()


class Unfailing(io.RawIOBase):
    """A file for libraries that do not survive a failing write (HDF5): the first fault is kept in
    `fault`, and what is written from then on stays in memory."""

    def __init__(self, file: BinaryIO):
        super().__init__()
        self.fault: OSError | None = None
        self._file, self._place = file, 0
        self._kept: list[tuple[int, bytes]] = []  # after the fault

    def write(self, data: ReadableBuffer) -> int:
        size = memoryview(data).nbytes
        if self.fault is None:
            try:
                self._file.seek(self._place)
                write_all(self._file, data)
            except OSError as fault:
                self.fault = fault
        if self.fault is not None:
            self._kept.append((self._place, bytes(data)))
        self._place += size
        return size

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        view[:] = bytes(len(view))
        try:
            self._file.seek(self._place)
            found = self._file.read(len(view)) or b""
            view[: len(found)] = found
        except OSError as fault:
            self.fault = self.fault or fault
        for place, data in self._kept:
            begin, end = max(place, self._place), min(place + len(data), self._place + len(view))
            if begin < end:
                view[begin - self._place : end - self._place] = data[begin - place : end - place]
        self._place += len(view)
        return len(view)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._end()}
        self._place = base[whence] + offset
        return self._place

    def _end(self) -> int:
        ends = [place + len(data) for place, data in self._kept]
        return max([os.fstat(self._file.fileno()).st_size, *ends])

    def tell(self) -> int:
        return self._place

    def truncate(self, size: int | None = None) -> int:
        size = self._place if size is None else size
        if self.fault is None:
            try:
                self._file.truncate(size)
            except OSError as fault:
                self.fault = fault
        return size

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True
