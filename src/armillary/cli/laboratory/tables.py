"""Tables of the laboratory: rows of numbers from files, and simulations as people read them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.formats.files import read_text

Part = tuple[str, str, Array]  # name, unit, and (T, joints)


def begins_with_time(path: str) -> bool:
    """Has a table a head whose first column is the time?"""
    for line in read_text(Path(path)).splitlines():
        if line.strip() and not line.startswith("#"):
            return line.replace(";", ",").split(",")[0].strip().lower() in ("t", "time")
    return False


def table(path: str, columns: int, what: str) -> Array:
    """Rows of numbers from a text file: commas or blanks between them, a head line if it likes."""
    rows: list[list[float]] = []
    lines = read_text(Path(path)).splitlines()
    for number, line in enumerate(lines, start=1):
        text = line.split("#")[0].replace(",", " ").replace(";", " ")
        cells = next(csv.reader([" ".join(text.split())], delimiter=" "), [])
        if not cells:
            continue
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            if not rows and number == 1:
                continue  # the names of the columns
            raise InputError(
                f"{path}:{number}: expected numbers, found '{line.strip():.60}'."
            ) from None
        if len(row) != columns or not np.isfinite(row).all():
            raise InputError(
                f"{path}:{number}: expected {columns} finite numbers ({what}), found {len(row)}."
            )
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: holds no row of numbers.")
    return np.array(rows)


def without_rounding(values: Array) -> Array:
    """What is nothing beside the largest number is zero."""
    return np.where(np.abs(values) > 1e-13 * np.abs(values).max(initial=0.0), values, 0.0)


def instants(time: Array, start: float, finish: float, step: float) -> list[int]:
    """Which lie between start and finish, at least a step apart."""
    found, due = [], start
    for k, t in enumerate(time.tolist()):
        if due - 1e-9 <= t <= finish + 1e-9:
            found.append(k)
            due = t + step if step > 0 else t
    return found


def aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines whose columns stand below each other, set to the right."""
    wide = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  ".join(cell.rjust(w) for cell, w in zip(line, wide, strict=True))
        for line in (heads, *rows)
    ]


def whole_table(
    time: Array, parts: Sequence[Part], joints: Sequence[str], text: Callable[[float], str]
) -> list[str]:
    """For a file: one line for each instant, and heads without blanks."""
    heads = ["time[s]", *(f"{name}.{x}[{unit.replace(' ', '')}]" for name, unit, _ in parts
                          for x in joints)]  # fmt: skip
    values = np.hstack([time[:, None], *(x for _, _, x in parts)])
    return aligned(heads, [[text(x) for x in row] for row in values])


def screen_tables(
    time: Array,
    parts: Sequence[Part],
    joints: Sequence[str],
    text: Callable[[float], str],
    width: int,
) -> Iterator[str]:
    """For people: a table for every quantity, of as many joints as stand side by side."""
    times = [text(x) for x in time]
    for name, unit, values in parts:
        cells = [[text(x) for x in column] for column in values.T]
        first = 0
        while first < len(joints):
            room = width - max(map(len, ("time [s]", *times)))
            last = first
            for column, joint in zip(cells[first:], joints[first:], strict=True):
                room -= 2 + max(map(len, (joint, *column)))
                if room < 0 and last > first:
                    break
                last += 1
            yield f"{name} [{unit}]"
            yield from aligned(
                ["time [s]", *joints[first:last]],
                list(zip(times, *cells[first:last], strict=True)),
            )
            yield ""
            first = last
