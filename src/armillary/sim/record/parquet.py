"""Parquet files of runs: the table of tables.py, with units in the fields and all else as JSON in
the metadata of the schema, key `armillary`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from armillary.sim.record import tables
from armillary.sim.record.checksum import SIZE, seal, sealed
from armillary.sim.record.layout import Layout, Reader, Rows, Tail

KEY = b"armillary"
_END = 8  # bytes after the footer: its length, and "PAR1"


def write(file: BinaryIO, layout: Layout, tail: Tail, count: int, blocks: Iterable[Rows]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [
        pa.field(name, pa.int64() if name == "run" else pa.float64(), metadata={"unit": unit})
        for name, unit in zip(tables.heads(layout), tables.units(layout), strict=True)
    ]
    text = json.dumps(tables.as_json(layout, tail))
    schema = pa.schema(fields, metadata={KEY: text.encode()})
    with pq.ParquetWriter(file, schema) as writer:
        for block in blocks:
            columns = tables.lines(layout, block).T
            arrays = [
                pa.array(column, field.type, safe=False)
                for column, field in zip(columns, fields, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    seal(file, _footer(file))


def _footer(file: BinaryIO) -> int:
    """Where the footer begins; bytes before it belong to nobody."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _END, 0))
    return size - _END - int.from_bytes(file.read(4), "little")


def check(file: BinaryIO, path: Path) -> bool:
    """Is there a checksum?  It is compared."""
    return sealed(file, path, _footer(file) - SIZE)


def read(path: Path) -> tuple[Layout, Tail, Reader]:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    columns = [column.to_numpy() for column in table.columns]
    numbers = np.column_stack(columns).astype(float) if columns else np.empty((0, 0))
    names = table.schema.names
    stored = (table.schema.metadata or {}).get(KEY)
    if stored is None:
        layout, tail = tables.guessed(names, numbers), Tail()
    else:
        layout, tail = tables.from_json(json.loads(stored))
    found = tables.arrays(layout, numbers)
    return layout, tail, lambda name, span: found[name][span]
