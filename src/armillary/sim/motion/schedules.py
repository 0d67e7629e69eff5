"""What drives a run from outside: joint forces and wrenches as constants, schedules, functions.

Jumps of a schedule are instants at which steps end, and within a step its value follows the piece
that the step lies in: no stage of a method looks across a jump.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, Remedy, unknown_name
from armillary.evaluate.inputs import Array, as_floats
from armillary.formats.files import read_text
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.sim.motion.curves import Curve, Sampled
from armillary.sim.motion.user_functions import numbers

_KINDS = ("linear", "hold", "spline")
_LARGEST = 1 << 31  # bytes of a table


class Schedule:
    """A table over time: values (T,), (T, n) or, for batches, (T, B, n) at the instants times (T,).

    kind: "linear" between the rows, "hold" (each row until the next one), or "spline" (smooth).  A
    time given twice is a jump.  hold=True: the first and last rows go on for ever; else a run that
    needs more is refused.  labels: names of the n columns."""

    @name_arguments
    def __init__(
        self,
        times: ArrayLike,
        values: ArrayLike,
        labels: Sequence[str] | None = None,
        kind: str = "linear",
        hold: bool = False,
    ):
        self.times, self.values = as_floats("times", times), as_floats("values", values)
        self.labels = tuple(labels) if labels is not None else None
        self.kind, self.hold = kind, hold
        self._check()
        self._piece = 0
        self._curve = Curve(self.times, self.values, hold) if kind == "spline" else None

    def __repr__(self) -> str:
        span = f"t = {self.times[0]:g} to {self.times[-1]:g} s"
        return f"<Schedule, {self.kind}: {len(self.times)} rows, {span}, shape {self.values.shape}>"

    def _check(self) -> None:
        t, x = self.times, self.values
        if self.kind not in _KINDS:
            raise InputError(f"kind: expected one of {_KINDS}, found {self.kind!r}.")
        if t.ndim != 1 or not len(t) or x.ndim < 1 or len(x) != len(t):
            raise InputError(
                f"schedule: expected times (T,) and values (T, ...) with T > 0, found shapes "
                f"{t.shape} and {x.shape}."
            )
        if not (np.isfinite(t).all() and np.isfinite(x).all()):
            row = int(np.flatnonzero(~np.isfinite(np.c_[t, x.reshape(len(t), -1)]).all(1))[0])
            raise InputError(f"schedule: row {row} (t = {t[row]}) has entries that are not finite.")
        if (np.diff(t) < 0).any():
            row = int(np.flatnonzero(np.diff(t) < 0)[0])
            raise InputError(
                f"schedule: times must not decrease; row {row + 1} has {t[row + 1]:g} s after "
                f"{t[row]:g} s."
            )
        if self.kind == "spline" and (np.diff(t) == 0).any():
            raise InputError(
                f"schedule: a spline cannot jump, and {t[int(np.argmin(np.diff(t)))]:g} s is given "
                f"twice. Use kind='linear', or one row for each time."
            )
        if self.labels is not None and (x.ndim < 2 or x.shape[-1] != len(self.labels)):
            raise InputError(
                f"schedule: {len(self.labels)} labels for values of shape {x.shape}; expected one "
                f"per column."
            )
        names = self.labels or ()
        if twice := [name for name in names if names.count(name) > 1]:
            raise InputError(f"schedule: the label '{twice[0]}' is there twice.")

    @classmethod
    def from_csv(
        cls, path: str | os.PathLike[str], kind: str = "linear", hold: bool = False
    ) -> Schedule:
        """A table with a head line: "t" or "time" first, then one label per column.  Lines that
        begin with # are remarks."""
        head, numbers = number_table(path, ("t", "time"))
        return cls(numbers[:, 0], numbers[:, 1:], head[1:], kind, hold)

    def covers(self, t0: float, t1: float, what: str) -> None:
        """Refuse a run that is longer than the table."""
        slack = 1e-9 * max(1.0, abs(t1))
        if self.hold or (self.times[0] <= t0 + slack and t1 - slack <= self.times[-1]):
            return
        raise InputError(
            f"{what}: the schedule covers {self.times[0]:g} to {self.times[-1]:g} s, the run goes "
            f"from {t0:g} to {t1:g} s.",
            Remedy("hold schedule"),
        )

    def breaks(self) -> Array:
        """Instants at which the table may jump or bend."""
        return self.times

    def enter(self, t0: float, t1: float) -> None:
        """The next step lies between these instants."""
        self._piece = int(np.searchsorted(self.times, 0.5 * (t0 + t1), side="right")) - 1

    def __call__(self, t: float) -> Array:
        """Values (...,) at t, on the piece that was entered."""
        k = self._entered(t)
        return self._curve(t, k)[0] if self._curve is not None else self._on_piece(t, k)

    def at_stages(self, begins: Array, h: float, c: Sequence[float]) -> Array:
        """Values (S, stages, ...) at t + c h of S steps of h that begin at t (S,), each on the
        piece that its step lies in: as if it was entered."""
        if self._curve is not None:
            return np.array([self._of_step(t, h, c) for t in begins.tolist()])
        t = begins[:, None] + np.asarray(c) * h
        entered = np.searchsorted(self.times, 0.5 * (begins + (begins + h)), side="right") - 1
        k, last = np.broadcast_to(entered[:, None], t.shape), len(self.times) - 1
        slack = 1e-9 * np.maximum(1.0, np.abs(t))
        other = (k >= 0) & (t < self.times[np.maximum(k, 0)] - slack)
        other |= (k < last) & (t > self.times[np.minimum(k + 1, last)] + slack)
        found = np.searchsorted(self.times, t, side="right") - 1
        return self._on_piece(t, np.where(other, found, k))

    def _of_step(self, begin: float, h: float, c: Sequence[float]) -> list[Array]:
        self.enter(begin, begin + h)
        return [self(begin + x * h) for x in c]

    def _on_piece(self, t: float | Array, k: int | np.ndarray) -> Array:
        """Values at t on piece k; arrays of both, of one shape, for many."""
        low, high = (np.minimum(np.maximum(k + i, 0), len(self.times) - 1) for i in (0, 1))
        t0, t1 = self.times[low], self.times[high]
        inside = (np.asarray(k) >= 0) & (t1 > t0) & (self.kind != "hold")
        w = np.where(inside, (t - t0) / np.where(inside, t1 - t0, 1.0), 0.0)
        w = w.reshape(w.shape + (1,) * (self.values.ndim - 1))
        return np.asarray((1.0 - w) * self.values[low] + w * self.values[high])

    def motion(self, t: float) -> Sampled:
        """Values at t and their two derivatives in time, where they have some (see `bends`)."""
        k, last = self._entered(t), len(self.times) - 1
        if self._curve is not None:
            return self._curve(t, k)
        x, still = self(t), np.zeros(self.values.shape[1:])
        if not self.hold:
            k = min(max(k, 0), last - 1)
        if self.kind == "hold" or not 0 <= k < last:
            return x, still, still
        rise = (self.values[k + 1] - self.values[k]) / (self.times[k + 1] - self.times[k])
        return x, rise, still

    def bends(self, t0: float, t1: float) -> Array:
        """Instants between t0 and t1 at which the values jump, or their rates."""
        if self.kind == "spline":
            return np.zeros(0)
        flat = self.values.reshape(len(self.times), -1)
        steps, spans = np.diff(flat, axis=0), np.diff(self.times)
        jump = (spans == 0.0) | ((self.kind == "hold") & (steps != 0.0).any(axis=1))
        slopes = np.zeros((len(spans) + 2, flat.shape[1]))  # before, between and after the rows
        if self.kind == "linear":
            slopes[1:-1] = steps / np.where(spans == 0.0, 1.0, spans)[:, None]
        size = np.abs(slopes).max(initial=0.0)
        bent = (np.abs(np.diff(slopes, axis=0)) > 1e-9 * size).any(axis=1)
        bent[1:] |= jump
        return self.times[bent & (self.times > t0) & (self.times < t1)]

    def _entered(self, t: float) -> int:
        """The piece that was entered, or the one t lies in if that is another."""
        k, last = self._piece, len(self.times) - 1
        slack = 1e-9 * max(1.0, abs(t))
        before = k >= 0 and t < self.times[k] - slack
        if before or (k < last and t > self.times[k + 1] + slack):
            k = int(np.searchsorted(self.times, t, side="right")) - 1
        return k

    def at(self, t: float) -> Array:
        """Values at t; at a jump, those after it."""
        self.enter(t, t)
        return self(t)


def wrong_columns(what: str, count: int, table: Schedule) -> str:
    """Of a schedule whose last axis does not fit."""
    shape = table.values.shape
    return (
        f"{what}: expected {count} column{'s' if count > 1 else ''}, values (T, {count}), or "
        f"(T, B, {count}) for B runs; found shape {shape}."
    )


def number_table(path: str | os.PathLike[str], first: Sequence[str]) -> tuple[list[str], Array]:
    """Names (n) and numbers (rows, n) of a CSV file whose first column has one of these names.
    Lines that begin with # are remarks."""
    try:
        rows = csv.reader(io.StringIO(read_text(path, _LARGEST), newline=""), strict=True)
        lines = [row for row in rows if row and not row[0].startswith("#")]
    except csv.Error as fault:
        raise InputError(f"{path}: this is no CSV table: {fault}.") from None
    if len(lines) < 2:
        raise InputError(f"{path}: expected a head line and rows of numbers, found neither.")
    head = [name.strip() for name in lines[0]]
    if head[0].lower() not in first:
        named = " or ".join(repr(name) for name in first)
        raise InputError(f"{path}: the first column must be {named}, found '{head[0]}'.")
    if len(head) < 2:
        raise InputError(f"{path}: there is no column beside the {head[0]}.")
    if twice := [name for name in head if head.count(name) > 1]:
        raise InputError(f"{path}: the column '{twice[0]}' is there twice.")
    try:
        numbers = np.array(lines[1:], float)
    except ValueError as error:
        raise InputError(f"{path}: expected numbers in {len(head)} columns: {error}.") from None
    if numbers.shape[1] != len(head):
        raise InputError(
            f"{path}: {len(head)} names in the head line, {numbers.shape[1]} numbers in the rows."
        )
    return head, numbers


Signal = Callable[[float], ArrayLike]  # of time; `Schedule` is one
Inputs = Mapping[str, ArrayLike | Signal] | ArrayLike | Signal | None  # of joints
# of frames: by name, or all together by the state
Law = Callable[[float, Array, Array], Mapping[str, ArrayLike] | None]
External = Mapping[str, ArrayLike | Signal] | Law | None


class Forces:
    """Joint forces tau (nv) or (B, nv) over time, from whatever the user gave."""

    def __init__(self, mechanism: Mechanism, given: Inputs, what: str = "inputs"):
        self.labels = mechanism.v_labels
        self.what = what
        self.runs: int | None = None  # of a batch: a function may give one number per run
        self.constant = np.zeros(mechanism.nv)
        self.signals: list[tuple[np.ndarray | slice, Signal]] = []
        if given is None:
            return
        if isinstance(given, Mapping):
            for name, value in given.items():
                columns = columns_of(mechanism, name)
                self._add(f"{what}['{name}']", value, np.array(columns), len(columns))
        elif isinstance(given, Schedule) and given.labels is not None:
            columns = [k for name in given.labels for k in columns_of(mechanism, name)]
            self._add(what, given, np.array(columns), len(columns))
        else:
            self._add(what, given, slice(None), mechanism.nv)

    def _add(self, what: str, value: object, columns: np.ndarray | slice, count: int) -> None:
        if isinstance(value, Schedule):
            width = 1 if value.values.ndim == 1 else value.values.shape[-1]
            if width != count:
                raise InputError(wrong_columns(what, count, value))
            self.signals.append((columns, value))
        elif callable(value):
            self.signals.append((columns, value))
        else:
            array = as_floats(what, value)
            if not np.isfinite(array).all():
                raise InputError(f"{what}: expected finite numbers, found {value!r:.60}.")
            named = isinstance(columns, np.ndarray)
            if named and count == 1 and array.ndim == 1 and len(array) > 1:  # one per run
                array = array[:, None]
            if array.ndim == 0 and count > 1 and array != 0.0:
                raise self._which(what, columns, f"the number {float(array):g}")
            if array.ndim and array.shape[-1] != count:
                raise InputError(
                    f"{what}: expected {count} numbers, (B, {count}) for B runs, a Schedule or a "
                    f"function of t; found shape {array.shape}."
                )
            if array.ndim == 2 and self.constant.ndim == 1:
                self.constant = np.tile(self.constant, (len(array), 1))
            self.constant[..., columns] = array

    def _which(self, what: str, columns: np.ndarray | slice, found: str) -> InputError:
        """One number, not 0, where there are several coordinates."""
        labels = [str(x) for x in np.array(self.labels)[columns]]
        shown = ", ".join(labels[:3]) + (", ..." if len(labels) > 3 else "")
        return InputError(
            f"{what}: expected {len(labels)} numbers ({shown}), found {found}, which does not tell "
            f"where it acts. Name the coordinate, as in {{'{labels[0]}': 1.0}}, or give "
            f"{len(labels)} numbers."
        )

    @property
    def schedules(self) -> list[Schedule]:
        return [s for _, s in self.signals if isinstance(s, Schedule)]

    @property
    def steady(self) -> bool:
        return not self.signals

    @property
    def tabled(self) -> bool:
        """Are all numbers those of tables?"""
        return all(isinstance(signal, Schedule) for _, signal in self.signals)

    def __call__(self, t: float) -> Array:
        if not self.signals:
            return self.constant
        total = self.constant.copy()
        for columns, signal in self.signals:
            value = numbers(self.what, signal(t), t)
            one = isinstance(columns, np.ndarray) and len(columns) == 1
            if value.ndim == 1 and one and self.runs is not None and len(value) == self.runs:
                value = value.reshape(-1, 1)
            count = total[..., columns].shape[-1]
            if value.ndim == 0 and count > 1:
                raise self._which(self.what, columns, f"one number at t = {t:g} s")
            rows = value.shape[:-1]
            allowed = ((), (self.runs,), *([rows] if isinstance(signal, Schedule) else []))
            if value.ndim and (value.shape[-1] != count or rows not in allowed):
                raise InputError(
                    f"{self.what}: at t = {t:g} s the function gave shape {value.shape}; expected "
                    f"{count} numbers, or a row of them for every run."
                )
            if value.ndim == 2 and total.ndim == 1:
                total = np.tile(total, (len(value), 1))
            total[..., columns] += value
        return total

    def at_stages(self, begins: Array, h: float, c: Sequence[float]) -> Array:
        """(S, stages, 1 or runs, nv) of S steps of h, from tables alone (`Schedule.at_stages`)."""
        found = [s.at_stages(begins, h, c) for s in self.schedules]
        shape = (len(begins), len(c))
        given = [x.reshape(*shape, -1, x.shape[-1] if x.ndim > 2 else 1) for x in found]
        runs = max([np.atleast_2d(self.constant).shape[0], *(x.shape[-2] for x in given)])
        total = np.empty((*shape, runs, self.constant.shape[-1]))
        total[...] = self.constant
        for (columns, _), x in zip(self.signals, given, strict=True):
            total[..., columns] += x
        return total


class Wrenches:
    """External wrenches by frame over time: {frame: (n; f)}, constants, schedules, functions of t;
    or one function (t, q, v) -> {frame: wrench}."""

    def __init__(self, mechanism: Mechanism, given: External):
        self._function: Law | None = given if callable(given) else None
        self._frames = mechanism.frames
        self._signals: dict[str, Array | Signal] = {}
        if given is None or self._function is not None:
            return
        if not isinstance(given, Mapping):
            raise InputError(
                "external: expected wrenches by frame name, {'hand': (nx, ny, nz, fx, fy, fz)}, "
                f"or a function (t, q, v) of them; found {type(given).__name__}."
            )
        for frame, value in given.items():
            if frame not in mechanism.frames:
                raise unknown_name("frame", frame, mechanism.frames)
            own = value if callable(value) else as_floats(f"external['{frame}']", value)
            numbers = own.values if isinstance(own, Schedule) else own
            if isinstance(numbers, np.ndarray) and numbers.shape[-1:] != (6,):
                raise InputError(
                    f"external['{frame}']: expected 6 numbers, found shape {numbers.shape}."
                )
            self._signals[frame] = own

    @property
    def frames(self) -> tuple[str, ...]:
        """On which wrenches of time act."""
        return tuple(self._signals)

    @property
    def schedules(self) -> list[Schedule]:
        return [s for s in self._signals.values() if isinstance(s, Schedule)]

    def __bool__(self) -> bool:
        return self._function is not None or bool(self._signals)

    @property
    def of_time(self) -> bool:
        """Does the state not matter?"""
        return self._function is None

    @property
    def steady(self) -> bool:
        return self.of_time and not any(callable(x) for x in self._signals.values())

    def __call__(self, t: float, q: Array, v: Array) -> dict[str, Array] | None:
        if self._function is None:
            return self.at(t) or None
        found = self._function(t, q.copy(), v.copy())
        if found is None:
            return None
        if not isinstance(found, Mapping):
            raise InputError(
                f"external: at t = {t:g} s the function gave {type(found).__name__}; expected "
                "wrenches by frame name, {'hand': (nx, ny, nz, fx, fy, fz)}."
            )
        return {name: self._wrench(name, x, t) for name, x in found.items()}

    def at(self, t: float) -> dict[str, Array]:
        """Those that depend on time alone."""
        return {frame: self.wrench(frame, t) for frame in self._signals}

    @property
    def tabled(self) -> bool:
        """Are all numbers those of tables?"""
        return self.of_time and all(
            isinstance(x, (Schedule, np.ndarray)) for x in self._signals.values()
        )

    def at_stages(self, frame: str, begins: Array, h: float, c: Sequence[float]) -> Array:
        """(S, stages, 1 or runs, 6) of S steps of h, from a table (`Schedule.at_stages`)."""
        x, shape = self._signals[frame], (len(begins), len(c))
        if isinstance(x, Schedule):
            return x.at_stages(begins, h, c).reshape(*shape, -1, 6)
        still = np.atleast_2d(np.asarray(x, float))
        return np.broadcast_to(still, (*shape, *still.shape))

    def wrench(self, frame: str, t: float) -> Array:
        """On one frame, (6,) or a row for every run."""
        x = self._signals[frame]
        return self._wrench(frame, x(t), t) if callable(x) else x

    def _wrench(self, frame: str, value: object, t: float) -> Array:
        """What a function gave: (6,), or a row for every run."""
        if frame not in self._frames:
            raise unknown_name("frame", frame, self._frames)
        found = numbers(f"external['{frame}']", value, t)
        if found.ndim not in (1, 2) or found.shape[-1] != 6:
            raise InputError(
                f"external['{frame}']: expected 6 numbers at t = {t:g} s, found shape "
                f"{found.shape}."
            )
        return found


def columns_of(mechanism: Mechanism, name: str) -> list[int]:
    """Entries of v of a label or of a joint."""
    model = mechanism.model
    if name in mechanism.v_labels:
        return [mechanism.v_labels.index(name)]
    if name in model.joint_index:
        slot = model.slots[model.joint_index[name]].v
        return list(range(slot.start, slot.stop))
    raise unknown_name("joint", name, dict.fromkeys([*mechanism.v_labels, *model.joint_index]))
