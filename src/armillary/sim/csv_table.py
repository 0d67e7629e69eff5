"""CSV files of runs: plain tables for every program, with all digits.

What a table cannot say (units, method, events, last state) stands beside it in run.csv.json; a
table alone is read too, without these.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from armillary.sim import tables
from armillary.sim.layout import Block, Layout, Reader, Tail


def beside(path: Path) -> tuple[Path, ...]:
    """The file with what the table cannot say."""
    return (path.with_name(path.name + ".json"),)


def write(path: Path, layout: Layout, tail: Tail, count: int, blocks: Iterable[Block]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(tables.heads(layout))
        for block in blocks:
            writer.writerows(tables.lines(layout, block).tolist())
        file.flush()
        os.fsync(file.fileno())
    text = json.dumps(tables.as_json(layout, tail), ensure_ascii=False, indent=1)
    beside(path)[0].write_text(text, encoding="utf-8")


def read(path: Path) -> tuple[Layout, Tail, Reader]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file), [])
        rows = file.readlines()
    numbers = np.empty((0, len(names)))
    if rows:
        numbers = np.loadtxt(rows, delimiter=",", ndmin=2)
    (info,) = beside(path)
    if info.is_file():
        layout, tail = tables.from_json(json.loads(info.read_text(encoding="utf-8")))
    else:
        layout, tail = tables.guessed(names, numbers), Tail()
    if tables.heads(layout) != names or numbers.shape[1] != len(names):
        raise ValueError(f"its columns are not those that '{info.name}' tells of")
    found = tables.arrays(layout, numbers)
    return layout, tail, lambda name, span: found[name][span]
