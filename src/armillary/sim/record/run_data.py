"""Recorded quantities: time, and labelled arrays with units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.sim.record.error_estimate import ErrorEstimate
from armillary.sim.record.layout import Json, Layout, State
from armillary.sim.record.mechanism_text import KnownMechanism
from armillary.sim.record.performance import Performance

Event = tuple[float, str]


class RunData(KnownMechanism):
    """The data of a `Run`, see there."""

    every = 0  # steps between two instants; 0: not told
    probe: tuple[float, ...] = ()  # see Layout
    physics: Mapping[str, str] = MappingProxyType({})  # see Layout
    note = ""  # what is to be said of the file it comes from
    given: Mapping[str, object] = MappingProxyType({})  # the call of `simulate`; not in files
    stored_experiment = ""  # the same as text, from a file
    timing: Performance | None = None  # of the steps; a file does not tell

    def __init__(
        self,
        mechanism_name: str,
        time: ArrayLike,
        arrays: Mapping[str, ArrayLike],
        labels: Mapping[str, tuple[str, ...]] | None = None,
        units: Mapping[str, tuple[str, ...]] | None = None,
        method: str = "",
        step: float = 0.0,
        message: str = "",
        complete: bool = True,
        events: Iterable[Event] = (),
        state: State | None = None,
        errors: Json | None = None,
    ):
        self.mechanism_name = mechanism_name
        self._time = np.asarray(time, float)
        self.arrays: Mapping[str, Array] = {
            name: np.asarray(x, float) for name, x in arrays.items()
        }
        self._check()
        self.labels = {name: self._labels(name, labels or {}) for name in self.arrays}
        self.units = {name: self._units(name, units or {}) for name in self.arrays}
        self.method = method
        self.step = float(step)
        self.message = message
        self.complete = complete
        self.events: list[Event] = [(float(t), str(text)) for t, text in events]
        self.state = dict(state) if state is not None else self._last()
        self.error_estimate = ErrorEstimate.from_json(errors or {})

    def take(self, layout: Layout) -> None:
        """What a layout tells beyond the arguments of the constructor."""
        self.every, self.probe, self.physics = layout.every, layout.probe, layout.physics
        self.stored_model, self.stored_experiment = layout.model, layout.experiment

    def __getstate__(self) -> dict[str, object]:
        """What goes to another process: what a file has, and how fast the steps were.  The call of
        `simulate` goes as text, for its controllers may be functions."""
        told = {"physics": dict(self.physics), "stored_experiment": self.experiment_text}
        return {**vars(self), **told, "given": {}}

    @property
    def experiment_text(self) -> str:
        """The call that made it as an experiment file, without the model."""
        return self.stored_experiment

    # -- what the constructor checks -------------------------------------------------------------

    def _check(self) -> None:
        if self._time.ndim != 1:
            raise InputError(f"time: expected shape (T,), found {self._time.shape}.")
        for name, array in self.arrays.items():
            if array.ndim not in (1, 2, 3) or len(array) != len(self._time):
                raise InputError(
                    f"'{name}': expected {len(self._time)} rows, one per time, as (T, n) or "
                    f"(T, B, n); found shape {array.shape}."
                )

    def _labels(self, name: str, given: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        array = self.arrays[name]
        labels = given.get(name)
        if labels is None:
            return tuple(map(str, range(array.shape[-1]))) if array.ndim > 1 else ()
        if labels and (array.ndim < 2 or array.shape[-1] != len(labels)):
            raise InputError(
                f"'{name}': {len(labels)} labels for an array of shape {array.shape}; expected "
                f"one label per entry of the last axis."
            )
        return tuple(labels)

    def _units(self, name: str, given: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        count = max(len(self.labels[name]), 1)
        units = tuple(given.get(name, ("",) * count))
        if len(units) != count:
            raise InputError(f"'{name}': expected {count} units, found {len(units)}.")
        return units

    def _last(self) -> State:
        if not len(self._time):
            return {}
        last = {name: self.arrays[name][-1] for name in ("q", "v", "z") if name in self.arrays}
        return {"t": float(self._time[-1]), **last}

    # -- reading ---------------------------------------------------------------------------------

    @property
    def time(self) -> Array:
        """Instants (T,), s."""
        return self._time

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.arrays)

    @property
    def batch(self) -> int | None:
        """Number of runs side by side; None for a single run."""
        for name, labels in self.labels.items():
            shape = self.arrays[name].shape
            if len(shape) == (3 if labels else 2):
                return int(shape[1])
        return None

    def __getitem__(self, name: str) -> Array:
        if name == "time":
            return self.time
        if name not in self.arrays:
            raise unknown_name("recorded quantity", name, self.names)
        return self.arrays[name]

    def __getattr__(self, name: str) -> Array:
        arrays = self.__dict__.get("arrays", {})
        if name.startswith("_") or name not in arrays:
            known = ", ".join(arrays) or "nothing"
            raise AttributeError(f"a Run has no '{name}'; recorded are: {known}")
        return arrays[name]

    def __contains__(self, name: object) -> bool:
        return name in self.arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.time)

    def rows(self, span: slice) -> dict[str, Array]:
        """Time and all quantities at some instants."""
        return {"time": self.time[span], **{name: x[span] for name, x in self.arrays.items()}}

    def column(self, label: str, name: str | None = None) -> Array:
        """One column (T,), of a batch (T, B): by its label in the quantity `name`, or in the first
        quantity that has it; "v.crank" is the label "crank" of v."""
        quantity, column = self.place(label, name)
        return self[quantity] if column is None else self[quantity][..., column]

    def place(self, label: str, name: str | None = None) -> tuple[str, int | None]:
        """The quantity of a `column` and its number there; None: the quantity has no columns."""
        keys = (name,) if name is not None else self.names
        label = label if isinstance(label, str) else str(label)  # which no column is called
        for key in keys:
            labels = self.labels.get(key, ())
            if label in labels:
                return key, labels.index(label)
        head, _, tail = label.partition(".")
        if name is None and tail in self.labels.get(head, ()):
            return head, self.labels[head].index(tail)
        if name is None and label in self.arrays and not self.labels[label]:
            return label, None
        raise unknown_name("column", label, (x for key in keys for x in self.labels.get(key, ())))

    def __repr__(self) -> str:
        end = f"to {self.time[-1]:g} s" if len(self) else "empty"
        batch = f", {self.batch} runs" if self.batch is not None else ""
        state = "" if self.complete else ", incomplete"
        of = f" of '{self.mechanism_name}'" if self.mechanism_name else ""
        return f"<Run{of}: {len(self)} instants {end}{batch}{state}; {', '.join(self.names)}>"
