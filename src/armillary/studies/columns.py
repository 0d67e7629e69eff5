"""Columns that responses look at, from instants as a recorder gets them: whatever a run records."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.errors import ArmillaryError, InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.arguments import refuse_corrective, wrenches_of
from armillary.sim.loop.events import Watched
from armillary.sim.loop.limits import column_of
from armillary.sim.loop.run_recorder import RunRecorder
from armillary.sim.loop.told_by_parts import STATES, refuse_checks, signal_columns, told_by
from armillary.sim.methods.system import System
from armillary.sim.record import quantities
from armillary.sim.record.layout import Rows
from armillary.sim.record.quantities import (
    EXTRAS,
    FAMILIES,
    QUANTITIES,
    Extras,
    Quantity,
    quantity_of,
)
from armillary.sim.record.recorded_states import States
from armillary.sim.record.row_blocks import states_in


@dataclass(frozen=True)
class Column:
    """text: as it was asked for; name: of the quantity, of the signal, or "states"; entries:
    numbers of its columns (none: its one number; several: their size is meant)."""

    text: str
    name: str
    entries: tuple[int, ...]
    unit: str


def column_in(system: System, text: str, runs: int) -> Column:
    """A column by its name; an error where the run has none such."""
    told = told_by(system, 0.0, 1e-3, runs)
    _refuse(system, text)
    head, dot, rest = text.partition(".")
    if head not in told and head in (*EXTRAS, STATES):
        signal_columns(system, [head], 0.0, 1e-3, f"'{text}'")  # says who does not tell it
    try:
        found = column_of(_mechanisms(system), text, "column or quantity", told)
    except ArmillaryError as fault:
        known = head.partition(":")[0] in (*told, *QUANTITIES, *FAMILIES)
        if near := not known and difflib.get_close_matches(head, told, 1):
            raise InputError(
                f"no column named '{text}'. Did you mean '{near[0]}{dot}{rest}'?"
            ) from None
        raise InputError(str(fault)) from None
    return Column(text, found.name, found.entries, found.unit)


def columns_in(system: System, name: str, runs: int) -> list[Column]:
    """A column, or all those of a quantity, of the states or of a signal, by its name."""
    told = told_by(system, 0.0, 1e-3, runs)
    quantity = told.get(name) or _whole(name)
    if quantity is None:
        return [column_in(system, name, runs)]
    _refuse(system, name)
    own = quantities.columns(name, _mechanisms(system), quantity, "")
    found = [Column(f"{name}.{label}", name, (k,), unit) for k, (label, unit) in enumerate(own)]
    return found or [column_in(system, name, runs)]


def _mechanisms(system: System) -> list[Mechanism]:
    """The one of a run, and those that may take over."""
    return [system.mechanism, *system.mechanisms.others]


def _whole(name: str) -> Quantity | None:
    """A quantity by its name; a column of one with a frame in its name is none."""
    return None if ":" in name and "." in name else quantity_of(name)


def _refuse(system: System, name: str) -> None:
    """What runs of a study do not have."""
    head, who = [name.partition(".")[0]], f"'{name}'"
    refuse_corrective(head, system.setup.baumgarte, who)
    refuse_checks(system, head, who, varied=True)
    wrenches_of(system, head, who)
    if name.startswith("check:"):
        raise InputError(
            f"'{name}': a study looks at every recorded instant. Name 'check.worst' (by all "
            f"formulations, at every one), or the response `check` (of the last)."
        )


class Taken:
    """Instants of all runs: what a recorder is told of them, (T, B, n) by name, and t (T,).
    labels: columns of every quantity that is looked at, by its name."""

    def __init__(self, system: System, rows: Rows, labels: Mapping[str, tuple[str, ...]]):
        self.system, self.t = system, rows["time"]
        self._rows, self._labels = rows, labels
        self._values: dict[str, Array] = {}  # of quantities

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Instants, runs."""
        T, B = self._rows["q"].shape[:2]
        return T, B

    @cached_property
    def states(self) -> list[tuple[NDArray[np.bool_], States]]:
        """Those that are numbers, by mechanism, and which of (T x B) they are."""
        setup = self.system.setup
        how = (setup.prescribed, setup.baumgarte, setup.parameters)
        return states_in(self._rows, self.shape[1], _mechanisms(self.system), *how)

    def last(self) -> Taken:
        """The last instant alone."""
        rows = {name: x[-1:] for name, x in self._rows.items()}
        return Taken(self.system, rows, self._labels)

    def column(self, column: Column) -> Array:
        """(T, B)."""
        values = self._quantity(column.name)
        if not column.entries:
            return values[..., 0]
        own = values[..., list(column.entries)]
        return own[..., 0] if len(column.entries) == 1 else np.linalg.norm(own, axis=-1)

    def _quantity(self, name: str) -> Array:
        """(T, B, columns)."""
        if name in self._rows:
            return self._rows[name]
        if name not in self._values:
            T, B = self.shape
            labels = self._labels[name]
            found = np.full((T * B, max(len(labels), 1)), np.nan)
            for own, states in self.states:
                values = quantities.compute(name, states, labels)
                found[own] = values.reshape(len(states.q), -1)
            self._values[name] = found.reshape(T, B, -1)
        return self._values[name]


class Columns:
    """Takes the instants of a run as a recorder does, and hands them on with what they tell."""

    def __init__(
        self,
        system: System,
        columns: Sequence[Column],
        checked: bool,
        take: Callable[[Taken], None],
    ):
        self.system, self._take, self.mechanism = system, take, system.mechanism
        names = (*(column.name for column in columns), *(("a", "tau") if checked else ()))
        self.names = tuple(dict.fromkeys(names))
        own = [(name, quantity_of(name)) for name in self.names]
        self._labels = {
            name: tuple(x for x, _ in quantities.columns(name, _mechanisms(system), quantity))
            for name, quantity in own
            if quantity is not None
        }

    def watcher(self, watched: list[Watched]) -> RunRecorder:
        """For the loop over time.  watched: the events of the run."""
        return RunRecorder(self.system, self, self.names, watched)

    def switch(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    def add(
        self, t: float, q: ArrayLike, v: ArrayLike, a: ArrayLike | None, tau: ArrayLike | None,
        extras: Extras,
    ) -> None:  # fmt: skip
        rows = quantities.given(q, v, a, tau, extras)
        self._handed(np.array([t]), {name: x[None] for name, x in rows.items()})

    def extend(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, a: ArrayLike | None,
        tau: ArrayLike | None, extras: Extras,
    ) -> None:  # fmt: skip
        self._handed(np.asarray(t, float), quantities.given(q, v, a, tau, extras))

    def _handed(self, t: Array, rows: Rows) -> None:
        T, B = (*rows["q"].shape[:-1], 1)[:2]
        found = {name: np.asarray(x).reshape(T, B, -1) for name, x in rows.items()}
        self._take(Taken(self.system, found | {"time": t}, self._labels))
