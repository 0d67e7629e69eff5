"""Roads: height over distance, and what a wheel that travels on one sees over time."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.sim.motion.curves import Curve, Sampled
from armillary.sim.motion.schedules import number_table

HEADS = ("s", "x", "distance", "station")  # of the first column of a file


class RoadProfile:
    """Height z(s) (m) over the distance s (m) along the track: a spline through the rows, so that
    slope and curvature exist; level before the first and after the last row.

    `under(travel)` is the motion of the ground under a wheel, for `simulate(..., prescribed=)`."""

    def __init__(self, distance: ArrayLike, height: ArrayLike):
        s, z = as_floats("distance", distance), as_floats("height", height)
        if s.ndim != 1 or z.shape != s.shape or len(s) < 2:
            raise InputError(
                f"road: expected distances (T,) and heights (T,) with T > 1, found shapes "
                f"{s.shape} and {z.shape}."
            )
        if not (np.isfinite(s).all() and np.isfinite(z).all()):
            raise InputError("road: distances and heights must be finite numbers.")
        steps = np.diff(s)
        if (steps <= 0.0).any():
            row = int(np.flatnonzero(steps <= 0.0)[0])
            raise InputError(
                f"road: distances must rise; row {row + 1} has {s[row + 1]:g} m after "
                f"{s[row]:g} m. A step has no slope: give its edge a length, about that of the "
                f"patch of the tyre on the road."
            )
        self.distance, self.height = s, z
        self._curve = Curve(s, z, flat=True)

    def __repr__(self) -> str:
        s, z = self.distance, self.height
        return f"<RoadProfile: {s[0]:g} to {s[-1]:g} m, height {z.min():g} to {z.max():g} m>"

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], column: str | None = None) -> RoadProfile:
        """A table with a head line: "distance" first, then heights; column: which one (the first).
        Lines that begin with # are remarks."""
        head, numbers = number_table(path, HEADS)
        if column is not None and column not in head[1:]:
            raise InputError(f"{path}: no column '{column}'; found {', '.join(head[1:])}.")
        k = 1 if column is None else head.index(column)
        return cls(numbers[:, 0], numbers[:, k])

    def __call__(self, s: float, piece: int | None = None) -> Sampled:
        """Height (m), slope (1) and curvature (1/m) at the distance s; piece: see `Curve`."""
        return self._curve(s, piece)

    def piece(self, s: float) -> int:
        """Which of the pieces between the rows the distance s lies in."""
        return self._curve.piece(s)

    @property
    def rows(self) -> tuple[tuple[float, float], ...]:
        """(distance, height): the profile of a surface, for travel that is free."""
        return tuple(zip(self.distance.tolist(), self.height.tolist(), strict=True))

    def under(self, travel: float | Callable[[float], object], offset: float = 0.0) -> RoadMotion:
        """The ground under a wheel over time.

        travel: a speed (m/s), from s = 0 at t = 0; or where it is, a function t -> s or
        t -> (s, s', s''), or a trajectory.  offset (m): of this wheel before that place, negative
        for one that follows."""
        return RoadMotion(self, travel, offset)


class RoadMotion:
    """x = z(s),  x' = z' s',  x'' = z'' s'² + z' s''  along a travel s(t)."""

    def __init__(self, road: RoadProfile, travel: float | Callable[[float], object], offset: float):
        self.road, self.travel, self.offset = road, travel, float(offset)
        if not callable(travel) and not np.isfinite(travel):
            raise InputError(f"travel: expected a speed (m/s) or a function of t, found {travel}.")
        self._moved: Callable[[float], Sampled] | None = None  # the travel as x, v, a
        self._piece: int | None = None  # of the road, in the step that was entered

    def __call__(self, t: float) -> Sampled:
        s, rate, bend = self._travelled(t)
        z, slope, curve = self.road(s + self.offset, self._piece)
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
            self._piece = self.road.piece(middle) if t1 > t0 else None

    def breaks(self) -> Array:
        """When rows of the road are passed, where that is known: the third derivative jumps."""
        if callable(self.travel) or self.travel == 0.0:
            return np.zeros(0)
        return np.sort((self.road.distance - self.offset) / self.travel)
