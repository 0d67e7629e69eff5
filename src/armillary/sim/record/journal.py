"""A recording while it grows: a file that is only appended to, and whole up to its last record.

    ARMILLARY RUN 1\\n                                          the first line
    length (8 bytes), CRC-32 (4 bytes), payload                one record after another

A payload is a line of JSON and, in a block, the numbers of its arrays (little-endian float64).
Kinds: "layout" first, then "block" (with the state at its end and the events until then) and, when
a run has ended, "tail".  A process that is killed leaves at most half a record; it is cut off when
the file is opened again.  The finished file (.nc, .csv, .parquet) is made from the journal in one
go.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from armillary.errors import FormatError, Remedy
from armillary.sim.record import fields
from armillary.sim.record.disk import locked, open_plain, sync_folder, write_all
from armillary.sim.record.error_estimate import ErrorEstimate
from armillary.sim.record.layout import Array, Json, Layout, Rows, State, Tail, as_state, joined

MAGIC = b"ARMILLARY RUN 1\n"
HEAD = struct.Struct("<QI")
ENDING = ".part"
INTERRUPTED = "the run was interrupted; what was written until then is here"


def journal_path(path: str | os.PathLike[str]) -> Path:
    """Where the journal of a recording stands: run.nc.part beside run.nc."""
    path = Path(path)
    return path.with_name(path.name + ENDING)


class Journal:
    """The records of one file: written by a recorder, read by everybody."""

    def __init__(self, path: Path):
        self.path = path
        self.layout: Layout | None = None
        self.blocks: list[tuple[int, Json]] = []  # (where the numbers start, head)
        self.tail = Tail(INTERRUPTED, False)
        self.end = len(MAGIC)  # of the last whole record
        self._size = 0  # of the file, when it was read
        self._file: BinaryIO | None = None

    # -- reading ---------------------------------------------------------------------------------

    @classmethod
    def found(cls, path: Path) -> Journal | None:
        """The journal at this place, with the heads of all whole records; None where there is none,
        or none with a record: a process was killed before it wrote the first."""
        journal = cls(path)
        if not journal.read_heads():
            return None
        return None if journal.layout is None else journal

    def read_heads(self) -> bool:
        """The heads of all whole records; False where there is no journal."""
        try:
            with open_plain(self.path, os.O_RDONLY) as file:
                self._size = os.fstat(file.fileno()).st_size
                begin = file.read(len(MAGIC))
                if begin != MAGIC:
                    if MAGIC.startswith(begin):
                        return False
                    raise FormatError("this is no journal of a run.", str(self.path))
                while self._read(file):
                    pass
        except FileNotFoundError:
            return False
        except OSError as fault:
            raise FormatError(f"cannot be read: {fault.strerror}.", str(self.path)) from None
        return True

    def _read(self, file: BinaryIO) -> bool:
        start = self.end + HEAD.size
        file.seek(self.end)
        head = file.read(HEAD.size)
        if len(head) < HEAD.size:
            return False
        length, check = HEAD.unpack(head)
        if not 0 < length <= self._size - start:  # half a record
            return False
        payload = file.read(length)
        if zlib.crc32(payload) != check:
            self._damaged(start + length)
            return False
        line, _, rest = payload.partition(b"\n")
        try:
            self._take(json.loads(line), start + len(line) + 1, len(rest))
        except (ValueError, RecursionError) as fault:
            text = (
                f"the record after byte {self.end} is whole and none of a run: {fault}. Another "
                f"program wrote it, or another version of this one."
            )
            raise FormatError(text, str(self.path), remedy=Remedy("overwrite")) from None
        self.end = start + length
        return True

    def _damaged(self, end: int) -> None:
        """A record that is there and is not what was written: a kill leaves such a one at the end
        of the file only."""
        if end == self._size:
            return
        if self.layout is None:
            raise FormatError("the first record of the journal is damaged.", str(self.path))
        self.tail.message = (
            f"the journal is damaged after byte {self.end}; what was written before is here"
        )
        self.tail.complete = False

    def _take(self, head: Json, start: int, size: int) -> None:
        """One record; its numbers begin at `start` and have `size` bytes."""
        kind = fields.field(head, "kind", str)
        if (kind == "layout") != (self.layout is None) or kind not in ("layout", "block", "tail"):
            raise ValueError(
                f"'kind': expected one layout, then blocks, a tail; found {kind!r:.60}"
            )
        if self.layout is None:
            self.layout = Layout.from_json(head)
        elif kind == "block":
            self.layout.check_block(head, size)
            self.tail.state = as_state(fields.field(head, "state", dict))
            self.tail.events += fields.events(head)
            self.blocks.append((start, {name: head[name] for name in ("rows", "arrays")}))
            # a run that went on after its end has not ended
            self.tail.message, self.tail.complete = INTERRUPTED, False
        else:
            self.tail = Tail.from_json(head)
            ErrorEstimate.from_json(self.tail.errors)

    @property
    def shape(self) -> Layout:
        if self.layout is None:
            raise FormatError("nothing was recorded yet.", str(self.path))
        return self.layout

    def __len__(self) -> int:
        """Number of instants."""
        return sum(head["rows"] for _, head in self.blocks)

    def read_blocks(self) -> Iterator[Rows]:
        """All blocks in order."""
        with open_plain(self.path, os.O_RDONLY) as file:
            for start, head in self.blocks:
                yield {name: _array(file, start, head, name) for name in head["arrays"]}

    def read(self, name: str, span: slice = slice(None)) -> Array:
        """One array at some instants; only their blocks are read."""
        first, last, _ = span.indices(len(self))
        parts, row = [], 0
        with open_plain(self.path, os.O_RDONLY) as file:
            for start, head in self.blocks:
                begin, end = max(first - row, 0), min(last - row, head["rows"])
                if begin < end:
                    parts.append(_array(file, start, head, name)[begin:end])
                row += head["rows"]
        return joined(self.shape, name, parts)

    # -- writing ---------------------------------------------------------------------------------

    def start(self, layout: Layout, file: BinaryIO | None = None) -> None:
        """A new file, or one that is open and empty; one that exists is replaced."""
        with self._format_errors():
            self._file = file
            if self._file is None:
                # a journal that another process writes must not be emptied
                self._file = open_plain(self.path, os.O_RDWR | os.O_CREAT)
                self._lock()
                self._file.truncate(0)
            write_all(self._file, MAGIC)
        self.end = len(MAGIC)
        self._append({"kind": "layout", **layout.as_json()}, ())
        sync_folder(self.path.parent)

    def go_on(self) -> None:
        """Append to the file, after its last whole record."""
        with self._format_errors():
            self._file = open_plain(self.path, os.O_RDWR)
            self._lock()
            if os.fstat(self._file.fileno()).st_size != self._size:
                self.close()
                raise FormatError("has gone on in another process. Read it again.", str(self.path))
            self._file.truncate(self.end)

    def add_block(
        self, block: Rows, state: State, events: Iterable[tuple[float, str]] = ()
    ) -> None:
        """Numbers, the state at their end, and what has happened until then: all or nothing."""
        head = {
            "kind": "block",
            "rows": len(block["time"]),
            "arrays": {name: list(x.shape) for name, x in block.items()},
            "state": {name: np.asarray(x, float).tolist() for name, x in state.items()},
            "events": [list(event) for event in events],
        }
        self._append(head, tuple(block.values()))

    def finish(self, tail: Tail) -> None:
        self._append({"kind": "tail", **tail.as_json()}, ())
        self.close()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _append(self, head: Json, arrays: tuple[Array, ...]) -> None:
        """One record, on the disk when this returns; if it does not fit, as if never begun."""
        if self._file is None:
            raise FormatError("the journal is closed.", str(self.path))
        line = json.dumps(head).encode() + b"\n"
        payload = b"".join([line, *(np.ascontiguousarray(x, "<f8").tobytes() for x in arrays)])
        record = HEAD.pack(len(payload), zlib.crc32(payload)) + payload
        with self._format_errors():
            try:
                self._file.seek(self.end)
                write_all(self._file, record)
                os.fsync(self._file.fileno())
            except BaseException:  # Ctrl-C too
                with contextlib.suppress(OSError):
                    self._file.truncate(self.end)
                raise
        start = self.end + HEAD.size + len(line)
        self.end = self._size = self.end + len(record)
        self._take(json.loads(line), start, len(payload) - len(line))

    def _lock(self) -> None:
        """One process writes; the system drops the lock when it ends, however it ends."""
        if self._file is not None and not locked(self._file):
            self.close()
            raise FormatError(
                "another process records into this file. Wait for it, or choose another name.",
                str(self.path),
            )

    @contextlib.contextmanager
    def _format_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as fault:
            raise FormatError(
                f"cannot be written: {fault.strerror or fault}. What was written before is kept: "
                f"{len(self)} instants{self._until()}.",
                str(self.path),
                remedy=Remedy("resume"),
            ) from fault

    def _until(self) -> str:
        return f" until t = {self.tail.state['t']:g} s" if "t" in self.tail.state else ""


def _array(file: BinaryIO, start: int, head: Json, name: str) -> Array:
    """One array of a block whose numbers begin at `start`."""
    for other, shape in head["arrays"].items():
        size = 8 * int(np.prod(shape))
        if other == name:
            file.seek(start)
            return np.frombuffer(file.read(size), "<f8").reshape(shape)
        start += size
    raise KeyError(name)
