"""Prescribed motion over time: x(t), x'(t), x''(t) from whatever the user gave.

A constant, a `Schedule` without jumps and bends, a function t -> x or t -> (x, x', x''), or a
trajectory.  Of a function that gives places alone the rates are five-point differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.sim.motion.curves import Sampled
from armillary.sim.motion.schedules import Schedule, wrong_columns
from armillary.sim.motion.trajectories import Pieces, PointToPoint, Succession, Trajectory
from armillary.sim.motion.user_functions import numbers

DELTA = 1e-3  # s, between the points of a difference
_LONGEST = 100_000  # instants that are looked at before a run
_PROBES = 7
_SPIKE = 30.0


@runtime_checkable
class Moving(Protocol):
    """An object that knows x, x', x'' and where they bend: a road under a wheel."""

    def __call__(self, t: float) -> Sequence[ArrayLike]: ...

    def enter(self, t0: float, t1: float) -> None: ...

    def breaks(self) -> ArrayLike: ...


# what may be given as a motion: a position, or t -> x or (x, x', x'')
Given = ArrayLike | Schedule | Trajectory | Moving | Callable[[float], Any]


class Motion:
    """Motion of n driven rows: x, x', x'' of shape (n,), or (B, n) for B runs."""

    runs: int | None = None  # B, where the numbers given tell it

    def __init__(self, what: str, count: int):
        self.what, self.count = what, count

    def __call__(self, t: float) -> Sampled:
        raise NotImplementedError

    def at_stages(self, begins: Array, h: float, c: Sequence[float]) -> Array | None:
        """x, x', x'' (steps, stages, 3, 1 or B, n) at t + c h of steps of h that begin at t, each
        as if its step was entered; None: it is asked instant by instant."""
        return None

    def breaks(self) -> Array:
        """Instants at which the acceleration may jump or bend."""
        return np.zeros(0)

    def enter(self, t0: float, t1: float) -> None:
        """The next step lies between these instants."""

    def covers(self, t0: float, t1: float, what: str = "") -> None:
        """Refuse a motion that does not cover the run, or has no acceleration somewhere."""

    def shaped(self, x: Any, t: float | None = None) -> Array:
        """(n,) or (B, n); one row may be given as a number, or one per run."""
        if self.count == 1 and isinstance(x, float) and isfinite(x):
            return np.array((x,))
        array = as_floats(self.what, x) if t is None else numbers(self.what, x, t)
        if array.ndim == 0:
            array = array.reshape(1) if self.count == 1 else array
        elif self.count == 1 and array.ndim == 1 and len(array) > 1:
            array = array[:, None]
        if array.ndim not in (1, 2) or array.shape[-1] != self.count:
            where = "" if t is None else f" at t = {t:g} s"
            raise InputError(
                f"{self.what}: expected {self.count} number{'s' if self.count > 1 else ''}{where}, "
                f"(B, {self.count}) for B runs; found shape {np.shape(x)}."
            )
        if not np.isfinite(array).all():
            where = "" if t is None else f" at t = {t:g} s"
            raise InputError(f"{self.what}: not a finite number{where}.")
        return array


class Still(Motion):
    """A place that is held."""

    def __init__(self, what: str, value: ArrayLike, count: int):
        super().__init__(what, count)
        self._x = self.shaped(as_floats(what, value))
        self._rest = np.zeros_like(self._x)
        self.runs = len(self._x) if self._x.ndim == 2 else None

    def __call__(self, t: float) -> Sampled:
        return self._x, self._rest, self._rest

    def at_stages(self, begins: Array, h: float, c: Sequence[float]) -> Array:
        still = np.array([np.atleast_2d(x) for x in self(0.0)])
        return np.broadcast_to(still, (len(begins), len(c), *still.shape))


class Table(Motion):
    """A schedule of places."""

    def __init__(self, what: str, schedule: Schedule, count: int):
        super().__init__(what, count)
        self.schedule = schedule
        width = 1 if schedule.values.ndim == 1 else schedule.values.shape[-1]
        if width != count:
            raise InputError(wrong_columns(what, count, schedule))
        self.runs = schedule.values.shape[1] if schedule.values.ndim == 3 else None

    def __call__(self, t: float) -> Sampled:
        x, v, a = (np.atleast_1d(y) for y in self.schedule.motion(t))
        return x, v, a

    def breaks(self) -> Array:
        return self.schedule.breaks()

    def enter(self, t0: float, t1: float) -> None:
        self.schedule.enter(t0, t1)

    def covers(self, t0: float, t1: float, what: str = "") -> None:
        self.schedule.covers(t0, t1, self.what)
        bends = self.schedule.bends(t0, t1)
        if len(bends):
            raise InputError(
                f"{self.what}: the schedule jumps or bends at t = {bends[0]:g} s, which would take "
                f"an infinite force. Use Schedule(..., kind='spline'), or a trajectory."
            )


class Path(Motion):
    """A trajectory, or another object that knows x, x', x''."""

    def __init__(self, what: str, path: Trajectory | Moving, count: int):
        super().__init__(what, count)
        self.path = path
        self._middle, self._end = np.nan, np.inf  # of the step
        if isinstance(path, Trajectory):
            width = len(path(path.start).v)
            if width != count:
                raise InputError(
                    f"{what}: expected a trajectory of {count} coordinate"
                    f"{'s' if count > 1 else ''}, found one of {width}."
                )

    def __call__(self, t: float) -> Sampled:
        path = self.path
        if not isinstance(path, Trajectory):
            x, v, a = (self.shaped(y, t) for y in path(t))
            return x, v, a
        # at the ends of a step the side counts on which the step lies
        x, v, a = path(t, "left" if t >= self._end else "right")
        if self._middle < path.start or self._middle > path.end:
            v, a = np.zeros_like(v), np.zeros_like(a)
        return x, v, a

    def at_stages(self, begins: Array, h: float, c: Sequence[float]) -> Array | None:
        path = self.path
        if not isinstance(path, Trajectory):
            return None
        t, ends = begins[:, None] + np.asarray(c) * h, (begins + h)[:, None]
        last = t >= ends - 1e-12 * np.maximum(1.0, np.abs(ends))
        left, right = (np.array(path(t.ravel(), side)) for side in ("left", "right"))
        found = np.where(last.ravel()[:, None], left, right)  # (3, instants, n)
        middle = np.repeat(begins + 0.5 * h, len(c))
        found[1:, (middle < path.start) | (middle > path.end)] = 0.0
        return np.moveaxis(found, 0, 1).reshape(*t.shape, 3, 1, -1)

    def enter(self, t0: float, t1: float) -> None:
        if not isinstance(self.path, Trajectory):
            self.path.enter(t0, t1)
        elif t1 > t0:
            self._middle, self._end = 0.5 * (t0 + t1), t1 - 1e-12 * max(1.0, abs(t1))

    def covers(self, t0: float, t1: float, what: str = "") -> None:
        path = self.path
        if not isinstance(path, Trajectory):
            return
        for b in self.breaks():
            if not t0 + 1e-9 < b < t1 - 1e-9:
                continue
            sides = [path(b, side).v for side in ("left", "right")]
            if abs(b - path.start) < 1e-9:
                sides[0] = np.zeros(self.count)
            if abs(b - path.end) < 1e-9:
                sides[1] = np.zeros(self.count)
            jump = float(np.abs(sides[1] - sides[0]).max())
            if jump > 1e-6 * (1.0 + float(np.abs(sides).max())):
                raise InputError(
                    f"{self.what}: the velocity of the trajectory jumps by {jump:.3g} at "
                    f"t = {b:g} s, which would take an infinite force. Let it pass there smoothly."
                )

    def breaks(self) -> Array:
        path = self.path
        if not isinstance(path, Trajectory):
            return as_floats(f"{self.what}, breaks", path.breaks())
        if isinstance(path, Pieces):
            return path.times
        inner: list[float] = []
        if isinstance(path, PointToPoint):
            inner = [path.start + x * path.duration for x in path.profile.corners]
        if isinstance(path, Succession):
            for begin, part in zip(path.begins, path.parts, strict=False):
                inner += [float(b - part.start + begin) for b in Path("", part, 1).breaks()]
        return np.array([path.start, *inner, path.end])


class Answered(Motion):
    """A user's function t -> x or t -> (x, x', x'')."""

    def __init__(self, what: str, function: Callable[[float], Any], count: int, delta: float):
        super().__init__(what, count)
        self.function, self.delta = function, delta

    def __call__(self, t: float) -> Sampled:
        found = self.function(t)
        if isinstance(found, tuple) and len(found) == 3:
            x, v, a = (self.shaped(y, t) for y in found)
            return x, v, a
        return self._differences(t, self.shaped(found, t))

    def _differences(self, t: float, x: Array) -> Sampled:
        d = self.delta
        p, m, pp, mm = (self._place(t + k * d) for k in (1, -1, 2, -2))
        v = (8.0 * (p - m) - (pp - mm)) / (12.0 * d)
        return x, v, (16.0 * (p + m) - (pp + mm) - 30.0 * x) / (12.0 * d * d)

    def _place(self, t: float) -> Array:
        found = self.function(t)
        known = isinstance(found, tuple) and len(found) == 3
        return self.shaped(found[0] if known else found, t)

    def covers(self, t0: float, t1: float, what: str = "") -> None:
        found = self.function(t0)
        if isinstance(found, tuple) and len(found) == 3:
            self._rates_agree(t0, t1)
        else:
            self._smooth(t0, t1)

    def _rates_agree(self, t0: float, t1: float) -> None:
        """x' and x'' against differences, at a few instants: most of them must agree."""
        wrong: dict[str, list[str]] = {"velocity": [], "acceleration": []}
        for t in t0 + (t1 - t0) * (np.arange(_PROBES) + 0.37) / _PROBES:
            x, v, a = self(float(t))
            _, v_found, a_found = self._differences(float(t), x)
            scale = np.abs(v_found) + np.abs(a_found) * self.delta + 1e-6
            for name, given, seen, size in (
                ("velocity", v, v_found, scale),
                ("acceleration", a, a_found, np.abs(a_found) + np.abs(v_found) + 1e-3),
            ):
                off = np.abs(given - seen) > 1e-2 * size
                if off.any():
                    k = np.unravel_index(int(off.argmax()), off.shape)
                    wrong[name].append(
                        f"at t = {t:.4g} s the {name} is {given[k]:.4g}, and the places change "
                        f"with {seen[k]:.4g}"
                    )
        for texts in wrong.values():
            if len(texts) > _PROBES // 2:
                raise InputError(
                    f"{self.what}: the function gives (x, x', x'') that do not fit: {texts[0]}. "
                    f"Correct its derivatives, or give x alone."
                )

    def _smooth(self, t0: float, t1: float) -> None:
        """No jump and no bend: second differences that stand far above those around them."""
        count = min(int((t1 - t0) / self.delta) + 1, _LONGEST)
        if count < 12:
            return
        x = np.array([self._place(t0 + k * self.delta) for k in range(count)]).reshape(count, -1)
        d = np.abs(np.diff(x, 2, axis=0))
        around = np.zeros_like(d)
        for k in (2, 3, 4):
            around[k:] = np.maximum(around[k:], d[:-k])
            around[:-k] = np.maximum(around[:-k], d[k:])
        floor = 1e-2 * self.delta**2 + 1e-13 * np.abs(x).max()
        spikes = np.argwhere(d[4:-4] > _SPIKE * around[4:-4] + floor)
        if len(spikes):
            k, column = spikes[0] + (4, 0)
            raise InputError(
                f"{self.what}: near t = {t0 + (k + 1) * self.delta:.4g} s the velocity jumps by "
                f"{d[k, column] / self.delta:.3g}, which would take an infinite force. Round the "
                f"motion: Schedule(..., kind='spline'), am.trajectories, am.RoadProfile; or give "
                f"t -> (x, x', x'')."
            )


def motion_of(what: str, value: Given, count: int, step: float = DELTA) -> Motion:
    """The motion of `count` rows from what the user gave; step: of the run."""
    if isinstance(value, Schedule):
        return Table(what, value, count)
    if isinstance(value, Trajectory | Moving):
        return Path(what, value, count)
    if callable(value):
        return Answered(what, value, count, min(step, DELTA))
    return Still(what, value, count)
