"""What is odd in a parts database: sections that overlap, holes in nothing, other numbers in CAD.

Overlaps are found with points that fill the common box of two solids evenly; what is less than
one per cent of the smaller solid is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from armillary.formats.parts import Link, PartsDatabase, Section
from armillary.model import Mass, Pose

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
_POINTS = 4096
_SEEN = 0.01  # share of the smaller solid
_EVEN = (0.8191725133961645, 0.6710436067037893, 0.5497004779019703)  # of the plastic number
_TURNED = 0.05  # principal moments that differ less have no axes of their own


@dataclass(frozen=True)
class _Placed:
    """A section where it stands in the frame of its link's parts."""

    name: str
    section: Section
    pose: Pose

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Corners of the box around it, along the axes of the link's parts."""
        low, high = _own_bounds(self.section)
        R, p = np.array(self.pose.rotation), np.array(self.pose.position)
        middle, half = R @ ((low + high) / 2) + p, np.abs(R) @ ((high - low) / 2)
        return middle - half, middle + half

    def holds(self, points: Array) -> Mask:
        """Which of the points (n, 3) are inside."""
        R, p = np.array(self.pose.rotation), np.array(self.pose.position)
        return _inside(self.section, (points - p) @ R)


def warnings(database: PartsDatabase) -> tuple[str, ...]:
    """Overlaps and holes in nothing, by name, and meshes that were not looked at."""
    return tuple(text for link in database.links for text in _of_link(link))


def _of_link(link: Link) -> Iterator[str]:
    placed = [
        (part.name, _Placed(f"{part.name}/{section.name}", section, pose.then(section.pose)))
        for part in link.parts
        for pose in part.poses
        for section in part.sections
        if section.kind != "mesh"
    ]
    solid = [one for one in placed if not one[1].section.remove]
    holes = [one for one in placed if one[1].section.remove]
    told: set[tuple[str, ...]] = set()
    for (_, one), (_, two) in combinations(solid, 2):
        share = _common(one, two, [hole for _, hole in holes])
        if share > _SEEN and (one.name, two.name) not in told:
            told.add((one.name, two.name))
            yield (
                f"link '{link.name}': '{one.name}' and '{two.name}' overlap: {share:.0%} of the "
                f"smaller one is counted twice"
            )
    for part, hole in holes:
        around = [other for name, other in solid if name == part]
        if any(s.kind == "mesh" for p in link.parts if p.name == part for s in p.sections):
            continue
        empty = _outside(hole, around)
        if empty > _SEEN and (hole.name,) not in told:
            told.add((hole.name,))
            yield (
                f"link '{link.name}': '{hole.name}' removes material that is not there: "
                f"{empty:.0%} of the hole is outside the sections of its part"
            )


def _even(low: Array, high: Array) -> Array:
    """Points that fill a box evenly (an additive recurrence)."""
    return low + (high - low) * np.modf(np.outer(np.arange(1, _POINTS + 1), _EVEN))[0]


def _volume(low: Array, high: Array) -> float:
    return float(np.prod(np.maximum(high - low, 0.0)))


def _common(one: _Placed, two: _Placed, holes: list[_Placed]) -> float:
    """Volume in both, as a share of the smaller one."""
    (a, b), (c, d) = one.bounds, two.bounds
    low, high = np.maximum(a, c), np.minimum(b, d)
    if (high <= low).any():
        return 0.0
    points = _even(low, high)
    both = one.holds(points) & two.holds(points)
    for hole in holes:
        both &= ~hole.holds(points)
    smaller = min(float(one.section.moments.volume), float(two.section.moments.volume))
    return float(both.mean()) * _volume(low, high) / smaller


def _outside(hole: _Placed, solids: list[_Placed]) -> float:
    """Share of a hole that is in none of the solids."""
    points = _even(*hole.bounds)
    points = points[hole.holds(points)]
    if not len(points):
        return 0.0
    filled = np.zeros(len(points), bool)
    for solid in solids:
        filled |= solid.holds(points)
    return 1.0 - float(filled.mean())


def _own_bounds(section: Section) -> tuple[Array, Array]:
    d = section.dimensions
    if section.kind == "prism":
        points = np.array(d["points"], float)
        low, high = points.min(0), points.max(0)
        half = d["length"] / 2
        return np.array([*low, -half]), np.array([*high, half])
    if section.kind == "box":
        half = np.array([d["x"], d["y"], d["z"]]) / 2
    elif section.kind == "ellipsoid":
        half = np.array([d["x"], d["y"], d["z"]])
    else:
        r = max(d["radius"], d.get("top_radius", 0.0))
        ends = r if section.kind in ("sphere", "capsule") else 0.0
        half = np.array([r, r, d.get("length", 0.0) / 2 + ends])
    low = -half
    if section.kind == "semi-cylinder":
        low = np.array([0.0, *low[1:]])
    return low, half


def _inside(section: Section, p: Array) -> Mask:
    """Which points, in the solid's own frame, are inside."""
    d, (x, y, z) = section.dimensions, p.T
    if section.kind == "box":
        half = np.array([d["x"], d["y"], d["z"]]) / 2
        return np.asarray((np.abs(p) <= half).all(1))
    if section.kind == "ellipsoid":
        return ((p / np.array([d["x"], d["y"], d["z"]])) ** 2).sum(1) <= 1.0
    if section.kind == "sphere":
        return (p**2).sum(1) <= d["radius"] ** 2
    r, half = np.hypot(x, y), d["length"] / 2
    if section.kind == "capsule":
        return r**2 + np.maximum(np.abs(z) - half, 0.0) ** 2 <= d["radius"] ** 2
    within = np.abs(z) <= half
    if section.kind == "prism":
        return within & _in_outline(np.array(d["points"], float), x, y)
    if section.kind == "cone":
        s = z / d["length"] + 0.5
        return within & (r <= d["radius"] * (1 - s) + d.get("top_radius", 0.0) * s)
    within &= r <= d["radius"]
    if section.kind == "semi-cylinder":
        return within & (x >= 0.0)
    return within & (r >= d.get("inner_radius", 0.0))


def _in_outline(points: Array, x: Array, y: Array) -> Mask:
    """By how often a ray along x crosses the outline."""
    odd = np.zeros(len(x), bool)
    for (a, b), (c, d) in zip(points, np.roll(points, -1, axis=0), strict=True):
        if b != d:
            odd ^= ((b > y) != (d > y)) & (x < (c - a) * (y - b) / (d - b) + a)
    return odd


# -- other sources --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """How given mass properties differ from those of the parts, and why."""

    mass: float  # given / own - 1
    shift: tuple[float, float, float]  # centre of mass, given - own, m
    moments: tuple[float, float, float]  # principal moments, given / own - 1, least first
    rotation: float | None  # rad between the principal axes; None where they are not distinct

    def words(self, source: str = "") -> tuple[str, ...]:
        """In words, with units."""
        away = math.dist(self.shift, (0.0, 0.0, 0.0))
        axes = "not distinct, so not compared"
        if self.rotation is not None:
            axes = f"turned by {math.degrees(self.rotation):.2f}°"
        moments = ", ".join(f"{100 * x:+.2f} %" for x in self.moments)
        where = ", ".join(f"{1000 * x:+.2f}" for x in self.shift)
        return (
            f"{source or 'given'}: mass {100 * self.mass:+.2f} %",
            f"centre of mass {1000 * away:.2f} mm away ({where})",
            f"principal moments {moments}; principal axes {axes}",
        )


def compared(own: Mass, given: Mass) -> Difference:
    """The given mass properties against those of the parts, both in one frame."""
    axes, moments = zip(*(_principal(mass) for mass in (own, given)), strict=True)
    shift = tuple(b - a for a, b in zip(own.com, given.com, strict=True))
    ratio = tuple(float(b / a) - 1.0 if a > 0 else math.nan for a, b in zip(*moments, strict=True))
    distinct = np.diff(moments[0]).min() > _TURNED * moments[0][-1]
    rotation = _angle(axes[0], axes[1]) if distinct else None
    return Difference(given.mass / own.mass - 1.0, shift, ratio, rotation)  # type: ignore[arg-type]


def _principal(mass: Mass) -> tuple[Array, Array]:
    """Principal axes as columns, right-handed, and moments, least first."""
    xx, yy, zz, xy, xz, yz = mass.tensor
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return axes * np.array([1.0, 1.0, np.sign(np.linalg.det(axes))]), moments


def _angle(one: Array, two: Array) -> float:
    """Least angle that takes the axes over; they have no direction, so two may be turned over."""
    cosines = np.diag(one.T @ two)
    trace = max(cosines @ signs for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)))
    return float(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0)))
