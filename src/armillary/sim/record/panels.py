"""What of a run stands on one axis: columns of one unit, lengths of vectors, and what is nothing.

A figure, a page and a report choose by the same rules, so that they show the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.sim.record.run_data import Array, RunData

ROUNDING = 1e-11  # of the largest number of its kind: smaller ones are what rounding leaves
_VECTORS = {  # what three components x, y, z of one unit make together
    "N": "force",
    "N m": "moment",
    "rad/s": "angular velocity",
    "m/s": "velocity",
    "rad/s²": "angular acceleration",
    "m/s²": "acceleration",
    "N s": "momentum",
    "N m s": "angular momentum",
    "m": "length",
}
_KINDS = {  # numbers of these units come from each other, and so does their rounding
    "N": "force",
    "N m": "force",
    "rad": "place",
    "m": "place",
    "rad/s": "speed",
    "m/s": "speed",
    "rad/s²": "acceleration",
    "m/s²": "acceleration",
}


@dataclass(frozen=True)
class Panel:
    """Lines of one quantity with one unit.

    columns: of every line, numbers in the last axis of the quantity; none: the quantity itself;
    three: the length of the vector that they are.  vector: what its length is called."""

    name: str
    unit: str
    labels: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]
    magnitude: bool = False
    vector: str = ""

    @property
    def title(self) -> str:
        name = self.name.replace("_", " ")
        if self.magnitude:
            name = f"|{self.vector}|, {name}" if self.vector else f"|{name}|"
        return f"{name} [{self.unit or '?'}]"

    def line(self, run: RunData, label: str) -> Array:
        """One line (T,), of a batch (T, B)."""
        values, columns = run[self.name], self.columns[self.labels.index(label)]
        if not columns:
            return values
        if self.magnitude:
            return np.asarray(np.linalg.norm(values[..., list(columns)], axis=-1))
        return values[..., columns[0]]


def panels(
    run: RunData,
    names: Sequence[str] = (),
    columns: Iterable[str] | None = None,
    magnitude: bool = False,
) -> Iterator[Panel]:
    """Quantities split by unit: metres and radians do not share an axis.

    names: quantities, or columns of them ("v.crank", "crank"); default all.  columns: labels, or
    what they belong to ("crank" of "crank.fx").  magnitude: lengths of vectors instead of their
    components; of a quantity that is named and has none, its columns."""
    if not len(run):
        raise InputError("plot: the run holds no instant; there is nothing to draw.")
    wanted = None if columns is None else list(columns)
    found = []
    for name in names or run.names:
        quantity, own = _chosen(run, name)
        if wanted is not None:
            own = [k for k in own if any(_named(run, quantity, k, word) for word in wanted)]
        units = [run.units[quantity][k] for k in own]
        for unit in dict.fromkeys(units):
            same = [k for k, its in zip(own, units, strict=True) if its == unit]
            drawn = _lengths(run, quantity, unit, same) if magnitude else []
            if not drawn and (names or not magnitude):
                drawn = [_panel(run, quantity, unit, same)]
            found += drawn
    _complain(run, names, wanted, magnitude, found)
    return iter(found)


def _chosen(run: RunData, name: str) -> tuple[str, list[int]]:
    """A quantity and which of its columns a name stands for."""
    if not isinstance(name, str):
        raise unknown_name("recorded quantity", name, run.names)
    if name in run:
        return name, list(range(max(len(run.labels[name]), 1)))
    head, _, tail = name.partition(".")
    labels = run.labels.get(head, ())
    part = [k for k, label in enumerate(labels) if tail and _belongs(label, tail)]
    if part:
        return head, part
    for quantity, labels in run.labels.items():
        if name in labels:
            return quantity, [labels.index(name)]
    raise unknown_name("recorded quantity", name, run.names)


def _belongs(label: str, word: str) -> bool:
    return label == word or label.startswith(f"{word}.")


def _named(run: RunData, quantity: str, column: int, word: str) -> bool:
    labels = run.labels[quantity]
    if not labels:
        return word == quantity
    return _belongs(labels[column], word) or f"{quantity}.{labels[column]}" == word


def _panel(run: RunData, name: str, unit: str, columns: Sequence[int]) -> Panel:
    labels = run.labels[name]
    if not labels:
        return Panel(name, unit, (name,), ((),))
    return Panel(name, unit, tuple(labels[k] for k in columns), tuple((k,) for k in columns))


def _lengths(run: RunData, name: str, unit: str, columns: Sequence[int]) -> list[Panel]:
    """One panel of the vectors among some columns of one unit."""
    labels, word = run.labels[name], _VECTORS.get(unit)
    place = {labels[k]: k for k in columns} if labels else {}
    lines = {}
    for label in place if word else ():
        triple = [f"{label[:-1]}{letter}" for letter in "xyz"]
        if label.endswith("x") and all(x in place for x in triple):
            part = label[:-1].rpartition(".")[0]
            lines[part or name] = tuple(place[x] for x in triple)
    return [Panel(name, unit, tuple(lines), tuple(lines.values()), True, word or "")] * bool(lines)


def _complain(
    run: RunData,
    names: Sequence[str],
    wanted: list[str] | None,
    magnitude: bool,
    found: Sequence[Panel],
) -> None:
    quantities = [_chosen(run, name)[0] for name in names or run.names]
    known = [label for name in quantities for label in run.labels[name] or (name,)]
    for word in wanted or ():
        of = ((name, k) for name in quantities for k in range(max(len(run.labels[name]), 1)))
        if not any(_named(run, name, k, word) for name, k in of):
            raise unknown_name("column", word, known)
    if magnitude and not any(panel.magnitude for panel in found):
        raise InputError(
            f"plot: magnitude: {', '.join(dict.fromkeys(quantities))} have no vectors. Draw "
            "'reactions', 'constraint_forces', 'body_velocity' or 'momentum', and record them."
        )


class Sizes:
    """How large numbers of every kind are in some runs, so that rounding is known as such."""

    def __init__(self, runs: Sequence[RunData]):
        self._runs = runs
        self._known: dict[str, float] = {}

    def of(self, unit: str) -> float:
        """The largest number of the kind, of all recorded quantities."""
        kind = _KINDS.get(unit, unit)
        if kind not in self._known:
            sizes = [
                size_of(values[..., k] if run.labels[name] else values)
                for run in self._runs
                for name, values in (
                    (name, run[name]) for name in run if self._has(run, name, kind)
                )
                for k, unit in enumerate(run.units[name])
                if _KINDS.get(unit, unit) == kind
            ]
            self._known[kind] = max(sizes, default=0.0)
        return self._known[kind]

    @staticmethod
    def _has(run: RunData, name: str, kind: str) -> bool:
        return any(_KINDS.get(unit, unit) == kind for unit in run.units[name])

    def is_nothing(self, panel: Panel, lines: Iterable[Array]) -> bool:
        """Whether lines are zero up to the rounding of what they come from."""
        kept = list(lines)
        whole = all(np.isfinite(x).all() for x in kept)
        return whole and max(map(size_of, kept), default=0.0) <= ROUNDING * self.of(panel.unit)


def size_of(values: Array) -> float:
    """Largest finite magnitude; 0 of nothing."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0
