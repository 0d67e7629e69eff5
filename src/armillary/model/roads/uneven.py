"""Uneven roads: profiles, bumps, tracks side by side, height fields."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from armillary.doors import RoadProfileDoors
from armillary.errors import ModelError
from armillary.model.arguments import check_arguments
from armillary.model.numbered import quantity
from armillary.model.roads.friction import Friction, checked_grid, friction_at
from armillary.model.roads.road import Ground, Road
from armillary.model.roads.splines import Patches, Spline, refuse_falling
from armillary.scalar import Scalar, cos, sin, where

_PROFILE = "road profile"


def checked_friction(part: str, mu: object) -> None:
    if not isinstance(mu, Friction) and mu < 0.0:  # type: ignore[operator]
        raise ModelError(f"{part}: its mu is negative: {mu:g}. Expected zero or more.")


@lru_cache(maxsize=64)
def _curve(rows: tuple[tuple[float, float], ...]) -> Spline:
    return Spline.through(_PROFILE, rows)


@dataclass(frozen=True, repr=False)
class Profile(Road, RoadProfileDoors):
    """z over x, the same for every y: a smooth curve through rows, level before the first and after
    the last.  `profile(x)` gives height, slope and curvature, `under(travel)` the motion of the
    ground under a wheel that travels on it, for `simulate(..., prescribed=)`."""

    height: float = quantity(0.0, "m", "added to all heights")
    mu: float | Friction = field(
        default=1.0, metadata={"unit": "1", "text": "friction relative to that of the tyre's data"}
    )
    rows: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        rows = checked_rows(_PROFILE, self.rows)
        refuse_falling(_PROFILE, rows)
        object.__setattr__(self, "rows", rows)

    def __repr__(self) -> str:
        (first, _), (last, _), z = self.rows[0], self.rows[-1], [z for _, z in self.rows]
        return f"<{_PROFILE}: {first:g} to {last:g} m, height {min(z):g} to {max(z):g} m>"

    @classmethod
    @check_arguments
    def of(
        cls, x: Iterable[float], z: Iterable[float], mu: float | Friction = 1.0, height: float = 0.0
    ) -> Profile:
        """By places x and heights z, m."""
        try:
            places, heights = list(x), list(z)
        except TypeError:
            raise ModelError(
                f"{_PROFILE}: expected places x and heights z in m, two lists of numbers; found "
                f"{x!r:.40} and {z!r:.40}."
            ) from None
        if len(places) != len(heights):
            raise ModelError(
                f"{_PROFILE}: found {len(places)} places x and {len(heights)} heights z. Give a "
                f"height at every place."
            )
        return cls(height, mu, tuple(zip(places, heights, strict=True)))

    def check(self, part: str) -> None:
        super().check(part)
        checked_friction(part, self.mu)
        _curve(self.rows)

    def at(self, x: Scalar, y: Scalar) -> Ground:
        z, slope = _curve(self.rows).at(x)
        return Ground(self.height + z, slope, 0, friction_at(self.mu, x, y))


def checked_rows(what: str, rows: object) -> tuple[tuple[float, float], ...]:
    try:
        found = tuple((float(x), float(z)) for x, z in rows)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise ModelError(f"{what}: expected rows (x, z) of two numbers each.") from None
    if not all(math.isfinite(x) for row in found for x in row):
        raise ModelError(f"{what}: places and heights must be finite numbers.")
    return found


SHAPES = ("half-sine", "cosine", "ramp")


@dataclass(frozen=True)
class Bump(Road):
    """An obstacle across the road, from `start` on: a half sine, a full cosine (level at both ends:
    a speed bump), or a ramp that stays up.  A pothole has a negative height."""

    start: float = quantity(5.0, "m", "x where it begins")
    length: float = quantity(1.0, "m", "along x")
    height: float = quantity(0.05, "m", "of the bump")
    mu: float | Friction = field(
        default=1.0, metadata={"unit": "1", "text": "friction relative to that of the tyre's data"}
    )
    shape: str = "cosine"

    def check(self, part: str) -> None:
        super().check(part)
        self.refuse_not_positive(part, "length")
        checked_friction(part, self.mu)
        if not isinstance(self.shape, str) or self.shape not in SHAPES:
            raise ModelError(f"{part}: shape is one of {', '.join(SHAPES)}, found {self.shape!r}.")

    def at(self, x: Scalar, y: Scalar) -> Ground:
        t = (x - self.start) / self.length
        inside = where(t > 0, where(t < 1, t, 1.0), 0.0)
        if self.shape == "ramp":  # level at both ends: 3 t² - 2 t³
            z = self.height * (inside * inside * (3.0 - 2.0 * inside))
            slope = self.height * (6.0 * inside * (1.0 - inside))
        elif self.shape == "cosine":
            z = self.height * 0.5 * (1.0 - cos(2.0 * math.pi * inside))
            slope = self.height * math.pi * sin(2.0 * math.pi * inside)
        else:
            z = self.height * sin(math.pi * inside)
            slope = self.height * math.pi * cos(math.pi * inside)
            slope = where(t > 0, where(t < 1, slope, 0.0), 0.0)
        return Ground(z, slope / self.length, 0, friction_at(self.mu, x, y))


@dataclass(frozen=True)
class Tracks(Road):
    """Two roads side by side: one for y > border, another for y < border.  A step between them is
    felt by no wheel that stays on its side."""

    left: Road
    right: Road
    border: float = quantity(0.0, "m", "y between them")

    def check(self, part: str) -> None:
        for name in ("left", "right"):
            if not isinstance(getattr(self, name), Road):
                raise ModelError(f"{part}: {name} is a road, found {getattr(self, name)!r:.60}.")
        super().check(part)

    def at(self, x: Scalar, y: Scalar) -> Ground:
        left, right, over = self.left.at(x, y), self.right.at(x, y), y > self.border
        names = ("z", "slope_x", "slope_y", "mu")
        return Ground(*(where(over, getattr(left, n), getattr(right, n)) for n in names))


@dataclass(frozen=True)
class HeightField(Road):
    """z(x, y) on an even grid, with smooth patches between the nodes; the edges go on level.

    z: one row for each y, heights along x in it, m; start: (x, y) of the first node; cell: (dx, dy)
    between nodes."""

    height: float = quantity(0.0, "m", "added to all heights")
    mu: float | Friction = field(
        default=1.0, metadata={"unit": "1", "text": "friction relative to that of the tyre's data"}
    )
    z: tuple[tuple[float, ...], ...] = ()
    start: tuple[float, float] = (0.0, 0.0)
    cell: tuple[float, float] = (1.0, 1.0)
    patches: Patches | None = None

    def __post_init__(self) -> None:
        if self.patches is None:
            rows, start, cell = checked_grid("height field", self.z, self.start, self.cell)
            for name, value in (("z", rows), ("start", start), ("cell", cell)):
                object.__setattr__(self, name, value)
            object.__setattr__(self, "patches", Patches.through(start, cell, rows))

    @classmethod
    @check_arguments
    def of(
        cls,
        x: Sequence[float],
        y: Sequence[float],
        z: Sequence[Sequence[float]],
        mu: float | Friction = 1.0,
    ) -> HeightField:
        """By evenly spaced places x and y and heights z[k][i] at (x[i], y[k])."""
        spacing = []
        for name, places in (("x", x), ("y", y)):
            steps = [float(b) - float(a) for a, b in pairwise(places)]
            if not steps or max(steps) - min(steps) > 1e-6 * abs(max(steps)):
                raise ModelError(f"height field: its {name} are two or more, evenly spaced.")
            spacing.append(sum(steps) / len(steps))
        if len(z) != len(y) or any(len(row) != len(x) for row in z):
            raise ModelError(
                f"height field: expected a height z[k][i] at every (x[i], y[k]), {len(y)} rows of "
                f"{len(x)}; found {len(z)} rows of {sorted({len(row) for row in z})}."
            )
        return cls(0.0, mu, tuple(map(tuple, z)), (x[0], y[0]), (spacing[0], spacing[1]))

    def check(self, part: str) -> None:
        super().check(part)
        checked_friction(part, self.mu)

    def at(self, x: Scalar, y: Scalar) -> Ground:
        z, slope_x, slope_y = self.patches.at(x, y) if self.patches else (0.0, 0, 0)
        return Ground(self.height + z, slope_x, slope_y, friction_at(self.mu, x, y))
