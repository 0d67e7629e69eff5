"""Responses of a study: numbers that are taken from the states of runs as they come.

    "max |a.car|"    "rms road_force.wheel"    {"settling": "q.elbow", "to": 0.5, "band": 0.02}

A statistic, and a column as recordings name it (quantity.column, `energy`, `reactions.pin.force`
for the size of three), or a signal of a block (signal.joint).  Bars take the size of the number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.sim.record.layout import Json

Text = str | Json


class Reducer(Protocol):
    """Takes a column (T, B) with its times (T,), again and again; gives one number per run."""

    def take(self, t: Array, x: Array) -> None: ...

    def result(self) -> Array: ...


class _End:
    def __init__(self, runs: int, **options: float):
        self._x = np.full(runs, np.nan)

    def take(self, t: Array, x: Array) -> None:
        self._x = x[-1].copy()

    def result(self) -> Array:
        return self._x


class _Start(_End):
    _known = False

    def take(self, t: Array, x: Array) -> None:
        if not self._known:
            self._x, self._known = x[0].copy(), True


class _Extreme:
    """The largest of sign * x, and when it was first met."""

    def __init__(self, runs: int, sign: float, of_time: bool):
        self._sign, self._of_time = sign, of_time
        self._most, self._when = np.full(runs, -np.inf), np.full(runs, np.nan)

    def take(self, t: Array, x: Array) -> None:
        x = x if self._sign > 0 else -x
        if not self._of_time:
            np.maximum(self._most, x.max(axis=0), out=self._most)
            return
        k = x.argmax(axis=0)
        top = x[k, np.arange(x.shape[1])]
        better = top > self._most
        self._most[better], self._when[better] = top[better], t[k[better]]

    def result(self) -> Array:
        if self._of_time:
            return self._when
        return np.where(np.isinf(self._most), np.nan, self._sign * self._most)


class _Range:
    def __init__(self, runs: int, **options: float):
        self._up, self._down = _Extreme(runs, 1.0, False), _Extreme(runs, -1.0, False)

    def take(self, t: Array, x: Array) -> None:
        self._up.take(t, x)
        self._down.take(t, x)

    def result(self) -> Array:
        return self._up.result() - self._down.result()


_FEW = 64  # runs, for which a call of numpy per instant would cost more than its numbers


class _Integral:
    """∫ x dt by the trapezoidal rule, of x or x²; over the time where a mean is meant.  Instants
    are added one by one: how many come at a time makes no difference, not to the last bit."""

    def __init__(self, runs: int, power: int, mean: bool):
        self._power, self._mean = power, mean
        self._sum = np.zeros(runs)
        self._t, self._x = np.nan, np.zeros(runs)
        self._begin = np.nan

    def take(self, t: Array, x: Array) -> None:
        x = x * x if self._power == 2 else x
        if np.isnan(self._begin):
            self._begin = self._t = float(t[0])
            self._x = x[0]
        if x.shape[1] < _FEW:
            before = np.concatenate([self._x[None], x[:-1]])
            steps = np.diff(t, prepend=self._t)
            parts = (0.5 * steps)[:, None] * (before + x)
            self._sum = np.add.accumulate(np.concatenate([self._sum[None], parts]))[-1]
            self._t, self._x = float(t[-1]), x[-1].copy()
            return
        for now, values in zip(t.tolist(), x, strict=True):
            self._sum += (0.5 * (now - self._t)) * (self._x + values)
            self._t, self._x = now, values
        self._x = self._x.copy()

    def result(self) -> Array:
        time = self._t - self._begin
        if not self._mean:
            return self._sum
        mean = self._sum / time if time > 0.0 else self._x
        return np.sqrt(mean) if self._power == 2 else mean


class Settling:
    """The last instant outside the band around the goal, since the start; NaN where the run ends
    outside.  to: the goal, one number or one per run."""

    def __init__(self, runs: int, to: float | Array, band: float):
        self._to, self._band = to, band
        self._last, self._begin = np.zeros(runs), np.nan
        self._inside = np.zeros(runs, bool)

    def take(self, t: Array, x: Array) -> None:
        if np.isnan(self._begin):
            self._begin = float(t[0])
        outside = ~(np.abs(x - self._to) <= self._band)
        last = len(t) - 1 - outside[::-1].argmax(axis=0)
        some = outside.any(axis=0)
        self._last[some] = t[np.minimum(last + 1, len(t) - 1)][some] - self._begin
        self._inside = ~outside[-1]

    def result(self) -> Array:
        return np.where(self._inside, self._last, np.nan)


# how many of the unit a response has: "" as the column, "s" a time, or a factor behind it
STATISTICS: dict[str, tuple[Any, str]] = {
    "end": (_End, ""),
    "start": (_Start, ""),
    "max": (lambda n: _Extreme(n, 1.0, False), ""),
    "min": (lambda n: _Extreme(n, -1.0, False), ""),
    "time_of_max": (lambda n: _Extreme(n, 1.0, True), "s"),
    "time_of_min": (lambda n: _Extreme(n, -1.0, True), "s"),
    "range": (_Range, ""),
    "mean": (lambda n: _Integral(n, 1, True), ""),
    "rms": (lambda n: _Integral(n, 2, True), ""),
    "integral": (lambda n: _Integral(n, 1, False), "{} s"),
    "settling": (Settling, "s"),
}
CHECK = "check"  # of the dynamics of the last state, against another formulation


@dataclass(frozen=True)
class Response:
    """One number per run.  to, band: of `settling`; to=None: where the run ends."""

    name: str
    statistic: str
    column: str = ""
    size: bool = False  # of the absolute value
    to: float | None = None
    band: float = 0.0

    def reducer(self, runs: int, ends: Array | None = None) -> Reducer:
        make = STATISTICS[self.statistic][0]
        if self.statistic != "settling":
            return make(runs)
        goal = self.to if ends is None else ends
        return Settling(runs, goal, self.band)  # type: ignore[arg-type]

    @property
    def two_runs(self) -> bool:
        """Does it ask where the run ends before it begins?"""
        return self.statistic == "settling" and self.to is None

    def unit(self, of_column: str) -> str:
        if self.statistic == CHECK:
            return "1"
        given = STATISTICS[self.statistic][1]
        return given.format(of_column) if given else of_column

    def as_plain(self) -> Json:
        if self.statistic == CHECK:
            return {CHECK: True}
        column = f"|{self.column}|" if self.size else self.column
        found: Json = {self.statistic: column}
        if self.statistic == "settling":
            found |= {"band": self.band} | ({} if self.to is None else {"to": self.to})
        return found


def response_of(name: str, given: Text) -> Response:
    """From what a person writes."""
    if isinstance(given, str):
        statistic, _, column = given.strip().partition(" ")
        given = {statistic: column.strip() or True}
    if not isinstance(given, Mapping):
        raise InputError(
            f"response '{name}': expected 'max q.elbow' or {{max: q.elbow}}, found {given!r:.60}."
        )
    known = (*STATISTICS, CHECK)
    words = [key for key in given if key not in ("to", "band")]
    if len(words) != 1 or words[0] not in known:
        wrong = next((word for word in words if word not in known), "")
        if wrong:
            raise unknown_name(f"response '{name}': statistic", wrong, known)
        raise InputError(f"response '{name}': expected one statistic of {', '.join(known)}.")
    (statistic,) = words
    column = given[statistic]
    if statistic == CHECK:
        return Response(name, CHECK)
    if not isinstance(column, str) or not column:
        raise InputError(f"response '{name}': {statistic} of what? Name a column, {statistic} q.a.")
    size = column.startswith("|") and column.endswith("|") and len(column) > 2
    column = column.strip("|") if size else column
    if statistic != "settling":
        if set(given) - {statistic}:
            raise InputError(f"response '{name}': `to` and `band` go with settling.")
        return Response(name, statistic, column, size)
    band = given.get("band")
    if not isinstance(band, (int, float)) or not band > 0.0:
        raise InputError(f"response '{name}': settling needs a band above 0, found {band!r}.")
    to = given.get("to")
    return Response(name, statistic, column, size, None if to is None else float(to), float(band))
