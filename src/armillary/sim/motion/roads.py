"""Roads: height over distance, and what a wheel that travels on one sees over time."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array, as_floats
from armillary.model.roads.uneven import Profile
from armillary.sim.motion.curves import Curve, Sampled
from armillary.sim.motion.schedules import number_table

HEADS = ("s", "x", "distance", "station")  # of the first column of a file


@lru_cache(maxsize=64)
def _curve(road: Profile) -> Curve:
    s, z = np.array(road.rows).T
    return Curve(s, z + road.height, flat=True)


def heights_at(road: Profile, s: float, piece: int | None = None) -> Sampled:
    """Height (m), slope (1) and curvature (1/m) at the distance s; piece: see `Curve`."""
    return _curve(road)(_number("road profile", s, "a distance, m"), piece)


def motion_under(
    road: Profile, travel: float | Callable[[float], object], offset: float = 0.0
) -> RoadMotion:
    """The ground under a wheel over time.

    travel: a speed (m/s), from s = 0 at t = 0; or where it is, a function t -> s or
    t -> (s, s', s''), or a trajectory.  offset (m): of this wheel before that place, negative
    for one that follows."""
    return RoadMotion(road, travel, offset)


def profile_of_csv(path: str | os.PathLike[str], column: str | None = None) -> Profile:
    """A table with a head line: "distance" first, then heights; column: which one (the first).
    Lines that begin with # are remarks."""
    head, numbers = number_table(path, HEADS)
    if column is not None and column not in head[1:]:
        raise InputError(f"{path}: no column '{column}'; found {', '.join(head[1:])}.")
    k = 1 if column is None else head.index(column)
    return RoadProfile(numbers[:, 0], numbers[:, k])


class RoadProfile(Profile):
    """Another name of `roads.Profile.of`: height z(s) (m) over the distance s (m) along the track,
    a spline through the rows, level before the first and after the last."""

    def __new__(cls, distance: ArrayLike, height: ArrayLike) -> Profile:  # type: ignore[misc]
        s, z = as_floats("distance", distance), as_floats("height", height)
        if s.ndim != 1 or z.shape != s.shape or len(s) < 2:
            raise InputError(
                f"road: expected distances (T,) and heights (T,) with T > 1, found shapes "
                f"{s.shape} and {z.shape}."
            )
        try:
            return Profile.of(s.tolist(), z.tolist())
        except ModelError as fault:
            raise InputError(fault.message) from None


class RoadMotion:
    """x = z(s),  x' = z' s',  x'' = z'' s'² + z' s''  along a travel s(t)."""

    def __init__(self, road: Profile, travel: float | Callable[[float], object], offset: float):
        if not callable(travel):
            travel = _number("travel", travel, "a speed (m/s) or a function of t")
        self.road, self.travel = road, travel
        self.offset = _number("offset", offset, "a distance, m")
        self._curve = _curve(road)
        self._moved: Callable[[float], Sampled] | None = None  # the travel as x, v, a
        self._piece: int | None = None  # of the road, in the step that was entered

    def __call__(self, t: float) -> Sampled:
        s, rate, bend = self._travelled(t)
        z, slope, curve = self._curve(s + self.offset, self._piece)
        return z, slope * rate, curve * rate * rate + slope * bend

    def _travelled(self, t: float) -> tuple[float, float, float]:
        if not callable(self.travel):
            return self.travel * t, self.travel, 0.0
        if self._moved is None:
            from armillary.sim.motion.prescribed import motion_of

            self._moved = motion_of("travel", self.travel, 1)
        moved = self._moved(t)
        if moved[0].size != 1:
            raise InputError(
                f"travel: expected one place at t = {t:g} s, found shape {moved[0].shape}. "
                f"Simulate runs of different travels one by one."
            )
        s, v, a = (x.item() for x in moved)
        return s, v, a

    def enter(self, t0: float, t1: float) -> None:
        """The next step lies between these instants: at a steady speed, between two rows."""
        if not callable(self.travel):
            middle = 0.5 * (t0 + t1) * self.travel + self.offset
            self._piece = self._curve.piece(middle) if t1 > t0 else None

    def breaks(self) -> Array:
        """When rows of the road are passed, where that is known: the third derivative jumps."""
        if callable(self.travel) or self.travel == 0.0:
            return np.zeros(0)
        return np.sort((self._curve.x - self.offset) / self.travel)


def _number(name: str, value: object, what: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{name}: expected {what}, found {value!r:.60}.")
    return number
