"""A run as a table: one column per number (time, run, q.crank, v.crank, energy), one line per
instant, of a batch one per instant and run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.sim.record.layout import Array, Json, Layout, Rows, Tail


def heads(layout: Layout) -> list[str]:
    """Names of the columns."""
    found = ["time"] + ([] if layout.batch is None else ["run"])
    for name, labels in layout.labels.items():
        found += [f"{name}.{label}" for label in labels] or [name]
    return found


def units(layout: Layout) -> list[str]:
    """Unit of every column."""
    found = ["s"] + ([] if layout.batch is None else [""])
    return found + [unit for name in layout.names for unit in layout.units[name]]


def lines(layout: Layout, block: Rows) -> Array:
    """The numbers of a block, (lines, columns)."""
    runs = 1 if layout.batch is None else layout.batch
    count = len(block["time"]) * runs
    parts = [np.repeat(block["time"], runs)[:, None]]
    if layout.batch is not None:
        parts.append(np.tile(np.arange(runs, dtype=float), len(block["time"]))[:, None])
    parts += [block[name].reshape(count, -1) for name in layout.names]
    return np.concatenate(parts, axis=1)


def arrays(layout: Layout, numbers: Array) -> dict[str, Array]:
    """The arrays of a run from the numbers of its table."""
    runs = 1 if layout.batch is None else layout.batch
    found = {"time": numbers[::runs, 0].copy()}
    start = 1 if layout.batch is None else 2
    for name in layout.names:
        width = max(len(layout.labels[name]), 1)
        part = numbers[:, start : start + width]
        found[name] = part.reshape(len(found["time"]), *layout.shape(name)).copy()
        start += width
    return found


def guessed(names: Sequence[str], numbers: Array) -> Layout:
    """The layout of a table that comes without one: from the names of its columns."""
    if not names or names[0] != "time":
        raise ValueError("the first column is not 'time'")
    labels: dict[str, list[str]] = {}
    batched = len(names) > 1 and names[1] == "run"
    for name in names[1 + batched :]:
        quantity, _, label = name.partition(".")
        labels.setdefault(quantity, []).extend([label] if label else [])
    batch = int(numbers[:, 1].max()) + 1 if batched and len(numbers) else None
    blank = {name: ("",) * max(len(x), 1) for name, x in labels.items()}
    return Layout("", {name: tuple(x) for name, x in labels.items()}, blank, batch)


def as_json(layout: Layout, tail: Tail) -> Json:
    return {"armillary_run": 1, **layout.as_json(), **tail.as_json()}


def from_json(content: Json) -> tuple[Layout, Tail]:
    return Layout.from_json(content), Tail.from_json(content)
