"""The shape of a recording, apart from its numbers: what a file must say to be read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.record import fields

Rows = dict[str, Array]  # "time" (T,), and (T, n), (T, B, n), (T,) or (T, B) by name
Reader = Callable[[str, slice], Array]  # "time" or a quantity, at these instants
Json = dict[str, Any]  # an object of a file
State = dict[str, Any]  # the last state of a run: numbers and arrays by name


@dataclass(frozen=True)
class Layout:
    """Fixed when the first instant is recorded."""

    mechanism: str
    labels: Mapping[str, tuple[str, ...]]  # by quantity; empty: one number per instant
    units: Mapping[str, tuple[str, ...]]
    batch: int | None = None
    method: str = ""
    step: float = 0.0
    every: int = 0  # steps between two instants; 0: not told
    probe: tuple[float, ...] = ()  # accelerations at one state: tells mechanisms of one name apart
    physics: Mapping[str, str] = field(default_factory=dict)  # what it was made with: physics.py
    model: str = ""  # the mechanism as a native file
    experiment: str = ""  # the call that made it, as an experiment file without the model

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.labels)

    def shape(self, name: str) -> tuple[int, ...]:
        """Of one instant."""
        runs = () if self.batch is None else (self.batch,)
        return runs + ((len(self.labels[name]),) if self.labels[name] else ())

    def as_json(self) -> Json:
        own = {name: x for name, x in vars(self).items() if not isinstance(x, Mapping)}
        return own | {name: dict(vars(self)[name]) for name in ("labels", "units", "physics")}

    @classmethod
    def from_json(cls, content: Json) -> Layout:
        labels = {
            name: fields.texts(name, x) for name, x in fields.field(content, "labels", dict).items()
        }
        units = fields.field(content, "units", dict)
        if set(units) != set(labels):
            raise ValueError("'units': expected those of the quantities that have labels")
        batch = fields.field(content, "batch", (int, type(None)))
        if batch is not None:
            batch = fields.count(content, "batch")
        layout = cls(
            mechanism=fields.field(content, "mechanism", str),
            labels=labels,
            units={name: fields.texts(name, units[name]) for name in labels},
            batch=batch,
            method=fields.field(content, "method", str),
            step=fields.number(content, "step"),
            every=fields.count(content, "every", 0),
            probe=tuple(np.ravel(fields.numbers("probe", content.get("probe", []))).tolist()),
            physics={
                name: str(x) for name, x in fields.field(content, "physics", dict, {}).items()
            },
            model=fields.field(content, "model", str, ""),
            experiment=fields.field(content, "experiment", str, ""),
        )
        for name, own in labels.items():
            if len(layout.units[name]) != max(len(own), 1):
                raise ValueError(f"'units': expected one for each column of '{name}'")
        return layout

    def check_block(self, head: Json, size: int) -> None:
        """size: bytes of its numbers."""
        rows, arrays = fields.count(head, "rows"), fields.field(head, "arrays", dict)
        wanted = {name: [rows, *self.shape(name)] for name in self.names} | {"time": [rows]}
        if arrays != wanted or size != 8 * sum(map(prod, wanted.values())):
            raise ValueError(f"'arrays': expected {wanted} in as many bytes, found {arrays!r:.200}")

    def difference(self, other: Layout) -> str:
        """In words what a recording that is there has otherwise; empty if this one can go on."""
        if not other.mechanism:
            return "it is no recorded run of armillary"
        told = self.every and other.every
        pairs = {
            "mechanism": (f"'{self.mechanism}'", f"'{other.mechanism}'"),
            "record": (", ".join(sorted(self.names)), ", ".join(sorted(other.names))),
            "method": (f"'{self.method}'", f"'{other.method}'"),
            "step": (f"{self.step!r} s", f"{other.step!r} s"),
            "every": (self.every, other.every) if told else (0, 0),
        }
        for what, (mine, its) in pairs.items():
            if mine != its:
                return f"{what}: expected {its}, found {mine}"
        for name in self.names:
            mine, its = (", ".join(x.labels[name]) for x in (self, other))
            if mine != its:
                return f"columns of '{name}': expected {its}, found {mine}"
        if self.probe and other.probe and not _close(self.probe, other.probe):
            return f"mechanism: another '{other.mechanism}', with other bodies, forces or places"
        return _other_part(self.physics, other.physics)


def _other_part(mine: Mapping[str, str], its: Mapping[str, str]) -> str:
    """The first part that is another one, in words; "" where none is known to be."""
    for name in (name for name in mine if name in its):
        (one, by), (other, made_by) = (x.partition("@")[::2] for x in (mine[name], its[name]))
        if by and made_by and by != made_by:
            continue  # code of functions differs from one version of Python to the next
        if one and other and one != other:
            return f"{name}: not what the first call was given"
    return ""


def _close(these: tuple[float, ...], those: tuple[float, ...]) -> bool:
    """Equal up to what another computer makes of them."""
    if len(these) != len(those):
        return False
    return bool(np.allclose(these, those, rtol=1e-6, atol=1e-9 * max(map(abs, those))))


@dataclass
class Tail:
    """Known when a run has ended, and at the end of every block."""

    message: str = ""
    complete: bool = True
    events: list[tuple[float, str]] = field(default_factory=list)
    state: State = field(default_factory=dict)
    errors: Json = field(default_factory=dict)  # error_estimate.py, where one was asked for

    def as_json(self) -> Json:
        state = {name: np.asarray(x, float).tolist() for name, x in self.state.items()}
        return {**vars(self), "message": str(self.message), "state": state}

    @classmethod
    def from_json(cls, content: Json) -> Tail:
        return cls(
            fields.field(content, "message", str),
            fields.field(content, "complete", bool),
            fields.events(content),
            as_state(fields.field(content, "state", dict)),
            dict(fields.field(content, "errors", dict, {})),
        )


def as_state(content: Json) -> State:
    """Numbers as floats, lists as arrays."""
    state = {name: fields.numbers(name, x) for name, x in content.items()}
    for name in ("t", "count"):
        if np.ndim(state.get(name, 0.0)) or not np.isfinite(state.get(name, 0.0)):
            raise ValueError(f"'{name}': expected a number, found {state[name]!r:.60}")
    return state


def joined(layout: Layout, name: str, parts: Iterable[Array]) -> Array:
    """One array over time out of those of blocks."""
    empty = np.empty((0,) if name == "time" else (0, *layout.shape(name)))
    return np.concatenate([empty, *parts])
