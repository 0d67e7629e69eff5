"""Passive forces of one degree of freedom: friction, damping, springs.

`force(x, v, load)` is what the drive must supply to move against them; it is a function over
scalars, so it runs in the interpreter, on symbols and in compiled kernels alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from armillary.model.law import Storing, called, hides_energy
from armillary.scalar import Scalar, dot, exp, sign, tanh, where
from armillary.spatial.small import length

# friction per load of the joint, in the order of `Joint.bearing`
LOADS = ("load_radial", "load_axial", "load_moment", "load_drive")
_NUMBERS = ("viscous", "coulomb", "static", "stribeck", "smoothing", "spring", "rest", *LOADS)
# the two numbers of a `coulomb` that differs between the directions
_EACH_WAY = ("coulomb forward", "coulomb backward")


@dataclass(frozen=True)
class Passive:
    """Friction and spring of one degree of freedom; x is its coordinate, v its velocity.

    viscous v + friction level * sign(v) + spring (x - rest) + table(v) + law(x, v), where the
    friction level is `coulomb`, rising to `static` at rest over the velocity `stribeck`
    (static + Gaussian, Stribeck).  `coulomb` may be a pair (forward, backward): the levels for
    v > 0 and v < 0, both counted positive.  `smoothing` > 0 replaces sign(v) by
    tanh(v / smoothing).
    `table` is a piecewise linear curve ((v, force), ...), constant outside its ends.
    `law` is a Python function over scalars (use `armillary.scalar`); where it stores energy, a
    `Law(force, potential)` or any function with a method `potential(x)` says how much.

    Of the wrench (n; f) in the joint the level takes, in addition,

        load_radial |f across the axis| + load_axial |f along it| + load_moment |n|
        + load_drive |S·f|

    with n across the axis (prismatic: all of n): journal, thrust and tilting loads, and the force
    that the drive hands on (gear meshes).  Joints of one axis only."""

    viscous: float = 0.0  # N m s/rad or N s/m
    coulomb: float | tuple[float, float] = 0.0  # N m or N; a pair: forward, backward
    static: float = 0.0  # N m or N, at least `coulomb`; 0: no rise
    stribeck: float = 0.0  # rad/s or m/s
    smoothing: float = 0.0  # rad/s or m/s
    spring: float = 0.0  # N m/rad or N/m
    rest: float = 0.0  # rad or m
    table: tuple[tuple[float, float], ...] = ()
    law: Callable[[Scalar, Scalar], Scalar] | None = None
    load_radial: float = 0.0  # μ times bearing radius, m; prismatic: μ
    load_axial: float = 0.0  # μ times radius of the thrust collar or thread, m
    load_moment: float = 0.0  # μ radius / half distance of the bearings; prismatic: 1/m
    load_drive: float = 0.0  # share of the transmitted force, below 1

    def __post_init__(self) -> None:
        if isinstance(self.coulomb, Sequence) and not isinstance(self.coulomb, str):
            object.__setattr__(self, "coulomb", tuple(self.coulomb))

    @property
    def dry(self) -> bool:
        """Has it friction that a standing joint has to overcome?"""
        return any(self.each_way()) or bool(self.static) or self.loaded

    def each_way(self) -> tuple[Scalar, Scalar]:
        """Coulomb friction forward (v > 0) and backward (v < 0), N m or N."""
        pair = self.coulomb if isinstance(self.coulomb, tuple) else (self.coulomb, self.coulomb)
        return pair[0], pair[1]

    @property
    def loaded(self) -> bool:
        """Does its level depend on the wrench in the joint?"""
        return any(not (isinstance(x, (int, float)) and x == 0) for x in self.loads())

    def loads(self) -> tuple[Scalar, ...]:
        return tuple(getattr(self, name) for name in LOADS)

    def is_nothing(self) -> bool:
        return self.key() == ((), 0, None)

    def key(self) -> tuple:
        """Which terms are present: equal keys share compiled code."""
        present = [name for name in _NUMBERS if not _is_zero(getattr(self, name))]
        dry = (*self.each_way(), self.static, *self.loads())
        if all(_is_zero(x) for x in dry):
            present = [name for name in present if name not in ("stribeck", "smoothing")]
        if _is_zero(self.spring):
            present = [name for name in present if name != "rest"]
        return (self._spelled(present), len(self.table), self.law)

    def parameters(self) -> tuple[float, ...]:
        """The numbers of the present terms, in the order `with_parameters` takes them."""
        names, _, _ = self.key()
        values = dict(zip(_EACH_WAY, self.each_way(), strict=True))
        own = tuple(values[n] if n in values else getattr(self, n) for n in names)
        return own + tuple(x for xy in self.table for x in xy)

    def with_parameters(self, values: Sequence[Scalar]) -> Passive:
        names, points, law = self.key()
        numbers: dict[str, Any] = dict(zip(names, values, strict=False))
        if _EACH_WAY[0] in numbers:
            numbers["coulomb"] = tuple(numbers.pop(name) for name in _EACH_WAY)
        rest = values[len(names) :]
        table = tuple((rest[2 * k], rest[2 * k + 1]) for k in range(points))
        return Passive(**numbers, table=table, law=law)

    def direction(self, v: Scalar) -> Scalar:
        """sign(v), or the smooth curve in its place."""
        return tanh(v / self.smoothing) if "smoothing" in self._present() else sign(v)

    def level(self, v: Scalar, load: Scalar = 0) -> Scalar:
        """Friction level at the velocity v: Coulomb, its rise to static, and the load's part."""
        names = self._present()
        forward, backward = self.each_way()
        level: Scalar = forward if "coulomb" in names else 0
        if _EACH_WAY[0] in names:
            level = where(v < 0, backward, forward)
        if "static" in names and "stribeck" in names:
            ratio = v / self.stribeck
            level = level + (self.static - level) * exp(-(ratio * ratio))
        return level + load

    def load_level(self, bearing: Sequence[Sequence[Scalar]]) -> Scalar:
        """What the loads of the joint (`Joint.bearing`) add to the friction level, N m or N."""
        return dot(self.loads(), [length(components) for components in bearing])

    def force(self, x: Scalar, v: Scalar, load: Scalar = 0) -> Scalar:
        """load: `load_level` of the wrench in the joint."""
        names = self._present()
        total: Scalar = 0
        if "viscous" in names:
            total = total + self.viscous * v
        if {"coulomb", "static", *_EACH_WAY} & set(names) or self.loaded:
            total = total + self.level(v, load) * self.direction(v)
        if "spring" in names:
            total = total + self.spring * (x - self.rest if "rest" in names else x)
        if self.table:
            total = total + interpolated(self.table, v)
        if self.law is not None:
            total = total + called(self.law, x, v)
        return total

    def _present(self) -> tuple[str, ...]:
        return self.key()[0] if _plain(self) else self._spelled(_traced_key(self))

    def _spelled(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names, with both of a `coulomb` that is a pair."""
        if not isinstance(self.coulomb, tuple):
            return tuple(names)
        return tuple(n for name in names for n in (_EACH_WAY if name == "coulomb" else (name,)))

    def energy(self, x: Scalar) -> Scalar:
        """Potential energy (J) of the spring and of a law that names its own."""
        total: Scalar = self.law.potential(x) if isinstance(self.law, Storing) else 0
        if _plain(self) and self.spring == 0.0:
            return total
        stretch = x - self.rest
        return total + self.spring * stretch * stretch * 0.5

    @property
    def hides_energy(self) -> bool:
        """Does its law store energy that `energy` does not know?"""
        return hides_energy(self.law)


def _is_zero(x: Scalar) -> bool:
    return all(_is_zero(y) for y in x) if isinstance(x, tuple) else bool(x == 0.0)


def _plain(passive: Passive) -> bool:
    numbers = (getattr(passive, name) for name in _NUMBERS if name != "coulomb")
    return all(isinstance(x, (int, float)) for x in (*numbers, *passive.each_way()))


def _traced_key(passive: Passive) -> tuple[str, ...]:
    """Present terms when some numbers are symbols: everything that is not the plain default."""
    defaults = {f.name: f.default for f in fields(Passive)}
    present = []
    for name in _NUMBERS:
        value = getattr(passive, name)
        if not (isinstance(value, (int, float)) and value == defaults[name]):
            present.append(name)
    return tuple(present)


def interpolated(table: Sequence[tuple[Scalar, Scalar]], v: Scalar) -> Scalar:
    """Piecewise linear through the points (increasing in v), constant outside."""
    result = table[0][1]
    for (v0, f0), (v1, f1) in pairwise(table):
        inside = f0 + (f1 - f0) * ((v - v0) / (v1 - v0))
        result = where(v > v0, where(v < v1, inside, f1), result)
    return result
