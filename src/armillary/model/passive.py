"""Passive forces of one degree of freedom: friction, damping, springs.

`force(x, v)` is what the drive must supply to move against them; it is a function over scalars,
so it runs in the interpreter, on symbols and in compiled kernels alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from armillary.scalar import Scalar, exp, sign, tanh, where

_NUMBERS = ("viscous", "coulomb", "static", "stribeck", "smoothing", "spring", "rest")


@dataclass(frozen=True)
class Passive:
    """Friction and spring of one degree of freedom; x is its coordinate, v its velocity.

    viscous v + friction level * sign(v) + spring (x - rest) + table(v) + law(x, v), where the
    friction level is `coulomb`, rising to `static` at rest over the velocity `stribeck`
    (static + Gaussian, Stribeck).  `smoothing` > 0 replaces sign(v) by tanh(v / smoothing).
    `table` is a piecewise linear curve ((v, force), ...), constant outside its ends.
    `law` is a Python function over scalars (use `armillary.scalar`)."""

    viscous: float = 0.0  # N m s/rad or N s/m
    coulomb: float = 0.0  # N m or N
    static: float = 0.0  # N m or N, at least `coulomb`; 0: no rise
    stribeck: float = 0.0  # rad/s or m/s
    smoothing: float = 0.0  # rad/s or m/s
    spring: float = 0.0  # N m/rad or N/m
    rest: float = 0.0  # rad or m
    table: tuple[tuple[float, float], ...] = ()
    law: Callable[[Scalar, Scalar], Scalar] | None = None

    def is_nothing(self) -> bool:
        return self.key() == ((), 0, None)

    def key(self) -> tuple:
        """Which terms are present: equal keys share compiled code."""
        present = [name for name in _NUMBERS if getattr(self, name) != 0.0]
        if not (self.coulomb or self.static):
            present = [name for name in present if name not in ("stribeck", "smoothing")]
        if not self.spring:
            present = [name for name in present if name != "rest"]
        return (tuple(present), len(self.table), self.law)

    def parameters(self) -> tuple[float, ...]:
        """The numbers of the present terms, in the order `with_parameters` takes them."""
        names, _, _ = self.key()
        return tuple(getattr(self, n) for n in names) + tuple(x for xy in self.table for x in xy)

    def with_parameters(self, values: Sequence[Scalar]) -> Passive:
        names, points, law = self.key()
        numbers: dict[str, Any] = dict(zip(names, values, strict=False))
        rest = values[len(names) :]
        table = tuple((rest[2 * k], rest[2 * k + 1]) for k in range(points))
        return Passive(**numbers, table=table, law=law)

    def force(self, x: Scalar, v: Scalar) -> Scalar:
        names, points, law = self.key() if _plain(self) else _traced_key(self)
        total: Scalar = 0
        if "viscous" in names:
            total = total + self.viscous * v
        if "coulomb" in names or "static" in names:
            level: Scalar = self.coulomb if "coulomb" in names else 0
            if "static" in names and "stribeck" in names:
                ratio = v / self.stribeck
                level = level + (self.static - level) * exp(-(ratio * ratio))
            direction = tanh(v / self.smoothing) if "smoothing" in names else sign(v)
            total = total + level * direction
        if "spring" in names:
            total = total + self.spring * (x - self.rest if "rest" in names else x)
        if points:
            total = total + _interpolate(self.table, v)
        if law is not None:
            total = total + law(x, v)
        return total

    def energy(self, x: Scalar) -> Scalar:
        """Potential energy of the spring (J)."""
        if _plain(self) and self.spring == 0.0:
            return 0
        stretch = x - self.rest
        return self.spring * stretch * stretch * 0.5


def _plain(passive: Passive) -> bool:
    return all(isinstance(getattr(passive, name), (int, float)) for name in _NUMBERS)


def _traced_key(passive: Passive) -> tuple:
    """Present terms when some numbers are symbols: everything that is not the plain default."""
    defaults = {f.name: f.default for f in fields(Passive)}
    present = []
    for name in _NUMBERS:
        value = getattr(passive, name)
        if not (isinstance(value, (int, float)) and value == defaults[name]):
            present.append(name)
    return (tuple(present), len(passive.table), passive.law)


def _interpolate(table: Sequence[tuple[Scalar, Scalar]], v: Scalar) -> Scalar:
    """Piecewise linear through the points (increasing in v), constant outside."""
    result = table[0][1]
    for (v0, f0), (v1, f1) in pairwise(table):
        inside = f0 + (f1 - f0) * ((v - v0) / (v1 - v0))
        result = where(v > v0, where(v < v1, inside, f1), result)
    return result
