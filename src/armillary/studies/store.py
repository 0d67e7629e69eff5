"""A study on disk: a folder with its definition, and one Parquet file per finished chunk.

    study/manifest.json     what is studied, and what began it: versions, processor
    study/chunks.jsonl      one line per finished chunk: file, SHA-256, rows, failures, processor
    study/chunk-000000.parquet
    study/recordings-000000.parquet      where recordings are wanted: variant, time, columns

A chunk is written whole: first its files, then its line, each on the disk before the next.  What a
kill or a full disk leaves half done is not in the list, and is done again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from armillary.errors import FormatError, InputError, how_to_install
from armillary.evaluate.inputs import Array
from armillary.sim.record.disk import Fresh, locked, sync_folder, write_all
from armillary.sim.record.layout import Json
from armillary.studies.recordings import Kept, Recording, kept_bytes, recording_in

MANIFEST, LINES, LOCK = "manifest.json", "chunks.jsonl", ".lock"
VERSION = 1
FAILED = "failed"  # the column with the reason of a failure


@dataclass
class Chunk:
    """Some variants: their factors (n, f), responses (n, r), and why some of them failed."""

    number: int
    first: int
    factors: Array
    responses: Array
    reasons: list[str]
    processor: str = ""
    seconds: float = 0.0
    kept: Kept | None = None

    def __len__(self) -> int:
        return len(self.reasons)


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise FormatError(f"a study on disk needs 'pyarrow'. {how_to_install('parquet')}") from None
    return pyarrow


def table_bytes(chunk: Chunk, heads: Sequence[str], units: Sequence[str]) -> bytes:
    """A Parquet file: variant, factors, responses, and the reason of a failure."""
    pa = _pyarrow()
    numbers = np.concatenate([chunk.factors, chunk.responses], axis=1)
    fields = [pa.field("variant", pa.int64())]
    fields += [
        pa.field(name, pa.float64(), metadata={"unit": unit})
        for name, unit in zip(heads, units, strict=True)
    ]
    schema = pa.schema([*fields, pa.field(FAILED, pa.string())])
    columns = [pa.array(np.arange(chunk.first, chunk.first + len(chunk)))]
    columns += [pa.array(np.ascontiguousarray(x)) for x in numbers.T]
    columns.append(pa.array(chunk.reasons, pa.string()))
    out = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_arrays(columns, schema=schema), out)
    return out.getvalue()


def _folder(path: object) -> Path:
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise InputError(f"study: expected the name of a folder, found {path!r:.60}.")
    return Path(path)


class Store:
    """The folder of a study.  One process at a time writes it."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        heads: Sequence[str],
        units: Sequence[str],
        recorded: Mapping[str, str] | None = None,
    ):
        """heads, units: of factors and responses; recorded: units of recordings, by column."""
        self.folder, self.heads, self.units = _folder(folder), tuple(heads), tuple(units)
        self.recorded = dict(recorded or {})
        self._lock: BinaryIO | None = None
        self._known: dict[int, Json] | None = None
        self._read: tuple[int, bytes] = (-1, b"")  # recordings of the last chunk asked for

    # -- beginning -------------------------------------------------------------------------------

    def begin(
        self, definition: Mapping[str, object], made: Mapping[str, str], resume: bool
    ) -> None:
        """A new folder; or the one that is there, where it holds the same study."""
        try:
            self._begin(definition, made, resume)
        except BaseException:
            self.close()
            raise

    def _begin(
        self, definition: Mapping[str, object], made: Mapping[str, str], resume: bool
    ) -> None:
        _pyarrow()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take_lock()
            if not (self.folder / MANIFEST).exists():
                self._refuse_foreign()
                content = {"study": VERSION, "definition": definition, "made": made}
                self._put(MANIFEST, json.dumps(content, indent=1).encode())
                return
        except OSError as fault:
            raise self._fault(fault) from fault
        if not resume:
            raise FormatError(
                "there is a study already. Go on with resume=True (--resume), or take another "
                "folder.",
                str(self.folder),
            )
        found = self.manifest()
        if text := difference(found["definition"], definition):
            raise InputError(
                f"{self.folder}: cannot go on, another study was begun there ({text}). Nothing was "
                f"touched. Take another folder, or change it back."
            )
        was, now = found["made"].get("armillary"), made["armillary"]
        if was != now:
            raise InputError(
                f"{self.folder}: cannot go on, it was begun by version {was}, this is {now}. Use "
                f"that version, or begin anew in another folder."
            )

    def _take_lock(self) -> None:
        self._lock = (self.folder / LOCK).open("ab", buffering=0)
        if not locked(self._lock):
            raise FormatError("another process works on this study.", str(self.folder))

    def _refuse_foreign(self) -> None:
        others = [p.name for p in self.folder.iterdir() if p.name != LOCK]
        if others:
            raise FormatError(
                f"the folder is not empty ('{others[0]}') and holds no study. Take another one.",
                str(self.folder),
            )

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def manifest(self) -> Json:
        try:
            found: Json = json.loads((self.folder / MANIFEST).read_text())
            if found["study"] != VERSION:
                raise KeyError("version")
        except (OSError, ValueError, KeyError, TypeError):
            raise FormatError(f"there is no readable {MANIFEST}.", str(self.folder)) from None
        return found

    # -- chunks ----------------------------------------------------------------------------------

    def _put(self, name: str, data: bytes) -> None:
        with Fresh(self.folder / name) as fresh:
            write_all(fresh.file, data)
            fresh.commit()

    def add(self, chunk: Chunk) -> None:
        """Write a finished chunk: it is on the disk when this returns."""
        if chunk.number in self.lines():
            return
        name, data = f"chunk-{chunk.number:06d}.parquet", table_bytes(chunk, self.heads, self.units)
        line: Json = {
            "chunk": chunk.number,
            "file": name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "first": chunk.first,
            "rows": len(chunk),
            "failed": sum(bool(reason) for reason in chunk.reasons),
            "processor": chunk.processor,
        }
        try:
            if chunk.kept is not None:
                line["recordings"] = self._put_recordings(chunk, chunk.kept)
            self._put(name, data)
            with (self.folder / LINES).open("ab", buffering=0) as file:
                self._mend(file)
                write_all(file, json.dumps(line).encode() + b"\n")
                os.fsync(file.fileno())
            sync_folder(self.folder)
        except OSError as fault:
            raise self._fault(fault) from fault
        self.lines()[chunk.number] = line

    def _put_recordings(self, chunk: Chunk, kept: Kept) -> Json:
        heads, units = tuple(self.recorded), tuple(self.recorded.values())
        data, name = kept_bytes(kept, chunk.first, heads, units), recorded_in(chunk.number)
        self._put(name, data)
        return {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "rows": len(kept.time)}

    def _mend(self, file: BinaryIO) -> None:
        """A line that a kill has cut off ends here; what it told of is done again."""
        path = self.folder / LINES
        if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
            write_all(file, b"\n")

    def _fault(self, fault: OSError) -> FormatError:
        return FormatError(
            f"cannot be written: {fault.strerror or fault}. What is finished is kept: make room, "
            f"and go on with resume=True (--resume).",
            str(self.folder),
        )

    def lines(self) -> dict[int, Json]:
        """Finished chunks whose files are what they were when they were written."""
        if self._known is None:
            self._known = {}
            path = self.folder / LINES
            for text in path.read_text().splitlines() if path.exists() else ():
                try:
                    line = json.loads(text)
                    number, data = int(line["chunk"]), self._bytes(line)
                    whole = hashlib.sha256(data).hexdigest() == line["sha256"]
                    if whole and self._recorded(line):
                        self._known[number] = line
                except (ValueError, KeyError, TypeError, OSError):
                    continue
        return self._known

    def _recorded(self, line: Json) -> bool:
        """Are the recordings of a chunk what they were?  Without a lock (nobody goes on with the
        study) only whether they are there: they are compared when they are read."""
        if not self.recorded:
            return True
        path = self.folder / recorded_in(int(line["chunk"]))
        if self._lock is None:
            return "recordings" in line and path.is_file()
        with path.open("rb") as file:
            return bool(hashlib.file_digest(file, "sha256").hexdigest() == _sum_of(line))

    def recording(self, number: int, variant: int) -> Recording:
        """Of one variant in a finished chunk."""
        name, line = recorded_in(number), self.lines()[number]
        if self._read[0] != number:
            data = (self.folder / name).read_bytes()
            if hashlib.sha256(data).hexdigest() != _sum_of(line):
                raise FormatError(
                    f"'{name}' is damaged. Go on with resume=True (--resume): its chunk is done "
                    f"again.",
                    str(self.folder),
                )
            self._read = (number, data)
        return recording_in(self._read[1], variant, tuple(self.recorded))

    def _bytes(self, line: Json) -> bytes:
        name = f"chunk-{int(line['chunk']):06d}.parquet"
        return (self.folder / name).read_bytes()

    def read(self, factors: int) -> Iterator[Chunk]:
        """Finished chunks, one after the other; factors: how many of the columns are such."""
        pa = _pyarrow()
        for number, line in sorted(self.lines().items()):
            table = pa.parquet.read_table(io.BytesIO(self._bytes(line)))
            if table.schema.names != ["variant", *self.heads, FAILED]:
                raise FormatError(f"'{line['file']}' has other columns.", str(self.folder))
            numbers = np.stack([table[name].to_numpy() for name in self.heads], axis=1)
            reasons = [str(x or "") for x in table[FAILED].to_pylist()]
            yield Chunk(
                number,
                int(line["first"]),
                numbers[:, :factors],
                numbers[:, factors:],
                reasons,
                str(line.get("processor", "")),
            )


def recorded_in(number: int) -> str:
    """The file with the recordings of a chunk."""
    return f"recordings-{number:06d}.parquet"


def _sum_of(line: Json) -> str:
    return str(line["recordings"]["sha256"])


def difference(one: object, two: object, where: str = "") -> str:
    """The first place where two definitions are not the same, in words; empty where they are."""
    if isinstance(one, dict) and isinstance(two, dict):
        for key in dict.fromkeys((*one, *two)):
            inner = f"{where}.{key}" if where else str(key)
            if key not in one or key not in two:
                return f"{inner}: {'not there before' if key not in one else 'not there any more'}"
            if found := difference(one[key], two[key], inner):
                return found
        return ""
    if isinstance(one, str) and isinstance(two, str) and "\n" in one + two:
        return _other_line(one, two, where)
    same = json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)
    return "" if same else f"{where}: expected {_short(one)}, found {_short(two)}"


def _other_line(one: str, two: str, where: str) -> str:
    """The first line in which two texts differ, from a little before the place on."""
    pairs = zip_longest(one.splitlines(), two.splitlines(), fillvalue="")
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            place = next(k for k, pair in enumerate(zip_longest(old, new)) if len(set(pair)) > 1)
            first = max(0, old.rfind(" ", 0, max(place - 8, 0)) + 1)
            texts = (_short(x[first:].strip()) for x in (old, new))
            return "{}, line {}: expected {}, found {}".format(where, number, *texts)
    return ""


def _short(x: object) -> str:
    text = json.dumps(x)
    return text if len(text) < 60 else text[:57] + "..."
