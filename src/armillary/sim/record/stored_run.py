"""Runs read from disk; arrays of large ones stay there until they are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from pathlib import Path

from armillary.errors import ArmillaryError, FormatError
from armillary.formats.files import named_path
from armillary.sim.record.disk import Fresh
from armillary.sim.record.journal import ENDING, Journal, journal_path
from armillary.sim.record.layout import Array, Layout, Reader, Rows, Tail
from armillary.sim.record.run import Run
from armillary.sim.record.storage import FORMATS, ROWS, format_of, layout_of, needs

SMALL = 1 << 22  # bytes: files up to this size are read at once
UNCHECKED = "the file has no checksum: damage to it would not be seen"


class LazyArrays(Mapping[str, Array]):
    """Arrays that are read when they are asked for, and then kept."""

    def __init__(self, names: Iterable[str], read: Callable[[str], Array]):
        self._names, self._read = tuple(names), read
        self._kept: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._kept:
            self._kept[name] = self._read(name)
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class StoredRun(Run):
    """A run whose arrays stay on disk until they are asked for."""

    def __init__(self, layout: Layout, tail: Tail, read: Reader):
        about = {"method": layout.method, "step": layout.step, **vars(tail)}
        super().__init__(layout.mechanism, (), {}, **about)
        self._read = read
        self._stored = LazyArrays(("time", *layout.names), lambda name: read(name, slice(None)))
        self.arrays = LazyArrays(layout.names, lambda name: self._stored[name])
        self.labels = {name: tuple(x) for name, x in layout.labels.items()}
        self.units = {name: tuple(x) for name, x in layout.units.items()}
        self._batch = layout.batch
        self.take(layout)

    @cached_property
    def time(self) -> Array:
        return self._stored["time"]

    @property
    def batch(self) -> int | None:
        return self._batch

    def rows(self, span: slice) -> Rows:
        """Of these instants alone, not of the whole run."""
        return {name: self._read(name, span) for name in ("time", *self.names)}


def as_run(layout: Layout, arrays: Mapping[str, Array], tail: Tail) -> Run:
    named = {name: arrays[name] for name in layout.names}
    about = {
        "method": layout.method,
        "step": layout.step,
        **vars(tail),
        "state": tail.state or None,
    }
    run = Run(layout.mechanism, arrays["time"], named, layout.labels, layout.units, **about)
    run.take(layout)
    return run


def load_run(path: str | os.PathLike[str]) -> Run:
    """A run from a file (.nc, .csv, .parquet), or what an interrupted one has left.

    Small files are read at once.  Arrays of large netCDF files and interrupted runs are read when
    they are asked for; a file that was written anew in the meantime is refused then."""
    file = named_path(path)
    ending = format_of(file)
    journal = Journal.found(journal_path(file))
    if journal is not None:
        return _stored(journal.path, journal.shape, journal.tail, journal.read)
    if not file.is_file():
        raise FormatError("there is no such file. Check the path.", str(file))
    module = import_module(FORMATS[ending])
    with _format_errors(file):
        with file.open("rb", buffering=0) as opened:
            checked = module.check(opened, file)
        layout, tail, read = module.read(file)
    with _format_errors(file):
        run = _stored(file, layout, tail, read)
    run.note = "" if checked else UNCHECKED
    return run


@contextmanager
def _format_errors(path: Path) -> Iterator[None]:
    """Faults that libraries report of a damaged file become one kind of error."""
    try:
        yield
    except (ArmillaryError, KeyboardInterrupt):
        raise
    except ImportError as fault:
        text = f"cannot be read: {needs(format_of(path)) or fault}"
        raise FormatError(text, str(path)) from None
    except Exception as fault:
        text = f"cannot be read as a run: {str(fault) or type(fault).__name__}."
        raise FormatError(text, str(path)) from fault


def _stored(path: Path, layout: Layout, tail: Tail, read: Reader) -> StoredRun:
    """Small: in memory at once.  Else arrays come from the file as long as it is the same."""
    try:
        before = path.stat()
    except OSError:
        raise FormatError("was removed while it was read.", str(path)) from None
    if before.st_size <= SMALL:
        with _format_errors(path):
            arrays = {name: read(name, slice(None)) for name in ("time", *layout.names)}
        return StoredRun(layout, tail, lambda name, span: arrays[name][span])

    def checked(name: str, span: slice) -> Array:
        if _changed(path, before):
            raise FormatError(
                "the file has changed since this run was read from it (it went on, or was written "
                f"anew). Read it again with load_run('{path}').",
                str(path),
            )
        with _format_errors(path):
            return read(name, span)

    return StoredRun(layout, tail, checked)


def _changed(path: Path, before: os.stat_result) -> bool:
    """Whether another file stands there; a journal may have grown."""
    try:
        now = path.stat()
    except OSError:
        return True
    if path.suffix == ENDING:
        return now.st_ino != before.st_ino or now.st_size < before.st_size
    return (now.st_ino, now.st_size, now.st_mtime_ns) != (
        before.st_ino,
        before.st_size,
        before.st_mtime_ns,
    )


def known(path: Path) -> Run | None:
    """What stands there to go on with, looked at only; None: nothing."""
    return load_run(path) if Journal.found(journal_path(path)) or path.exists() else None


def reopened(path: Path) -> Journal | None:
    """The journal of a recording, ready to grow; made from the finished file where there is none.

    None if there is neither: nothing was recorded yet."""
    place = journal_path(path)
    journal = Journal.found(place)
    if journal is not None:
        journal.go_on()
        return journal
    if not path.exists():
        return None
    run = load_run(path)
    with Fresh(place) as building:
        journal = Journal(place)
        journal.start(layout_of(run), building.file)
        for k in range(0, len(run), ROWS):
            events = run.events if k == 0 else ()
            journal.add_block(run.rows(slice(k, k + ROWS)), run.state, events)
        building.commit()  # whole: from here on the journal is what counts
    return reopened(path)
