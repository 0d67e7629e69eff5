"""CSV files of runs: plain tables for every program, with all digits.

What a table cannot say (units, method, events, last state, checksums) stands beside it in
run.csv.json; a table alone is read too, without these.
"""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from armillary.sim.record import tables
from armillary.sim.record.checksum import crc_of, damaged
from armillary.sim.record.disk import write_all
from armillary.sim.record.layout import Json, Layout, Reader, Rows, Tail

_ALONE = "Take it from a backup; or remove '{}' to read the table as it is, without a check."


def beside(path: Path) -> Path:
    """The file with what the table cannot say."""
    return path.with_name(path.name + ".json")


def write(file: BinaryIO, layout: Layout, tail: Tail, count: int, blocks: Iterable[Rows]) -> bytes:
    """The table; gives what stands beside it."""
    for piece in _pieces(layout, blocks):
        write_all(file, piece)
    content = tables.as_json(layout, tail)
    checks = {"table": crc_of(file), "this": _crc_of_text(content)}
    return json.dumps(content | {"crc-32": checks}, ensure_ascii=False, indent=1).encode()


def _pieces(layout: Layout, blocks: Iterable[Rows]) -> Iterator[bytes]:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(tables.heads(layout))
    for block in blocks:
        writer.writerows(tables.lines(layout, block).tolist())
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()
    yield text.getvalue().encode()


def _crc_of_text(content: Json) -> str:
    """Of what the text means, however it is set."""
    return f"{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"


def check(file: BinaryIO, path: Path) -> bool:
    """Is there a checksum?  It is compared."""
    info = beside(path)
    if not info.is_file():
        return False
    content = json.loads(info.read_text(encoding="utf-8"))
    checks = content.pop("crc-32", None)
    if checks is None:
        return False
    if _crc_of_text(content) != checks["this"]:
        raise damaged(info, _ALONE.format(info.name))
    if crc_of(file) != checks["table"]:
        raise damaged(path, _ALONE.format(info.name))
    return True


def read(path: Path) -> tuple[Layout, Tail, Reader]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file, strict=True), [])
        rows = file.readlines()
    numbers = np.empty((0, len(names)))
    if rows:
        numbers = np.loadtxt(rows, delimiter=",", ndmin=2)
    info = beside(path)
    if info.is_file():
        layout, tail = tables.from_json(json.loads(info.read_text(encoding="utf-8")))
    else:
        layout, tail = tables.guessed(names, numbers), Tail()
    if tables.heads(layout) != names or numbers.shape[1] != len(names):
        raise ValueError(f"its columns are not those that '{info.name}' tells of")
    found = tables.arrays(layout, numbers)
    return layout, tail, lambda name, span: found[name][span]
