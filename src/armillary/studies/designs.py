"""Designs: which values the factors of a study take, variant by variant.

Rows are made when they are asked for, whichever part of the study that is, and are always the same
for the same seed: a study of a million variants holds none of them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.sim.record.layout import Json

KINDS = ("grid", "list", "latin", "sobol", "random")


@dataclass(frozen=True)
class Distribution:
    """uniform (low, high), loguniform (low, high), normal and lognormal (mean, deviation, cut off
    at low and high), triangular (low, high, mode)."""

    kind: str
    low: float = -math.inf
    high: float = math.inf
    mean: float = math.nan
    deviation: float = math.nan
    mode: float = math.nan

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in _NEEDS:
            raise unknown_name("distribution", self.kind, _NEEDS)
        for name in _NEEDS[self.kind]:
            x = getattr(self, name)
            if isinstance(x, bool) or not isinstance(x, (int, float)) or not math.isfinite(x):
                raise InputError(f"{self.kind}: expected a finite number as {name}, found {x!r}.")
        if not self.low < self.high:
            raise InputError(f"{self.kind}: low {self.low:g} is not below high {self.high:g}.")
        if self.kind in ("normal", "lognormal") and not self.deviation > 0.0:
            raise InputError(f"{self.kind}: expected a deviation above 0, found {self.deviation}.")
        if self.kind in ("loguniform", "lognormal") and (
            (self.kind == "loguniform" and self.low <= 0.0)
            or (self.kind == "lognormal" and self.mean <= 0.0)
        ):
            raise InputError(f"{self.kind}: expected positive numbers.")
        if self.kind == "triangular" and not self.low <= self.mode <= self.high:
            raise InputError(f"triangular: the mode {self.mode:g} is not within its ends.")

    @property
    def least(self) -> float:
        """The smallest value that may come."""
        return max(self.low, 0.0) if self.kind == "lognormal" else self.low

    @property
    def greatest(self) -> float:
        """The largest value that may come."""
        return self.high

    def of(self, u: Array) -> Array:
        """Values at probabilities u between 0 and 1: the inverse of the distribution function."""
        from scipy.special import ndtr, ndtri

        low, high = self.low, self.high
        if self.kind == "uniform":
            return low + u * (high - low)
        if self.kind == "loguniform":
            return np.exp(np.log(low) + u * (np.log(high) - np.log(low)))
        if self.kind == "triangular":
            split = (self.mode - low) / (high - low)
            up = low + np.sqrt(u * (high - low) * (self.mode - low))
            down = high - np.sqrt((1.0 - u) * (high - low) * (high - self.mode))
            return np.where(u < split, up, down)
        if self.kind == "lognormal":
            s2 = math.log1p((self.deviation / self.mean) ** 2)
            m, s = math.log(self.mean) - 0.5 * s2, math.sqrt(s2)
            ends = [math.log(x) if x > 0.0 else -math.inf for x in (low, high)]
        else:
            m, s, ends = self.mean, self.deviation, [low, high]
        a, b = (ndtr((x - m) / s) for x in ends)
        found = m + s * ndtri(np.clip(a + u * (b - a), 1e-300, 1.0 - 1e-16))
        return np.exp(found) if self.kind == "lognormal" else found

    def as_plain(self) -> Json:
        own = {k: x for k, x in vars(self).items() if k != "kind" and math.isfinite(x)}
        return {self.kind: own}


_NEEDS = {
    "uniform": ("low", "high"),
    "loguniform": ("low", "high"),
    "normal": ("mean", "deviation"),
    "lognormal": ("mean", "deviation"),
    "triangular": ("low", "high", "mode"),
}


@dataclass(frozen=True)
class Levels:
    """Values one by one."""

    values: tuple[float, ...]

    @property
    def least(self) -> float:
        return min(self.values)

    @property
    def greatest(self) -> float:
        return max(self.values)

    def of(self, u: Array) -> Array:
        """Each of them with the same probability."""
        k = np.minimum((u * len(self.values)).astype(int), len(self.values) - 1)
        return np.array(self.values)[k]

    def as_plain(self) -> Json:
        return {"values": list(self.values)}


Source = Distribution | Levels


def source_of(name: str, given: object) -> Source:
    """What a person writes: [1, 2, 3]; {uniform: [1, 2]}; {normal: {mean: 5, deviation: 1}};
    {from: 1, to: 2, count: 5}; a `Distribution`."""
    if isinstance(given, (Distribution, Levels)):
        return given
    if isinstance(given, Mapping):
        return _of_mapping(name, dict(given))
    return Levels(_levels(name, given))


def _levels(name: str, given: object) -> tuple[float, ...]:
    try:
        found = np.asarray(given, float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise InputError(
            f"factor '{name}': expected a list of finite numbers, or a distribution such as "
            f"{{uniform: [1, 2]}}, found {given!r:.60}."
        )
    return tuple(found.tolist())


def _of_mapping(name: str, given: Json) -> Source:
    if set(given) == {"values"}:
        return Levels(_levels(name, given["values"]))
    if set(given) in ({"from", "to", "count"}, {"from", "to", "count", "log"}):
        low, high, count = given["from"], given["to"], given["count"]
        if isinstance(count, bool) or not isinstance(count, int) or count < 2:
            raise InputError(f"factor '{name}': count: expected a whole number from 2 on.")
        log = bool(given.get("log", False))
        if log and not (low > 0 and high > 0):
            raise InputError(f"factor '{name}': a logarithmic range needs ends above 0.")
        space = np.geomspace if log else np.linspace
        return Levels(tuple(space(float(low), float(high), count).tolist()))
    if len(given) == 1:
        ((kind, numbers),) = given.items()
        if kind not in _NEEDS:
            raise unknown_name(f"factor '{name}': distribution", kind, (*_NEEDS, "values", "from"))
        if isinstance(numbers, Mapping):
            wrong = next((k for k in numbers if k not in vars(_PLAIN)), None)
            if wrong is not None:
                raise unknown_name(f"factor '{name}': {kind} has no number", wrong, vars(_PLAIN))
            return Distribution(kind, **{k: float(x) for k, x in numbers.items()})
        values = _levels(name, numbers)
        if len(values) != len(_NEEDS[kind]):
            raise InputError(f"factor '{name}': {kind}: expected {', '.join(_NEEDS[kind])}.")
        return Distribution(kind, **dict(zip(_NEEDS[kind], values, strict=True)))
    raise InputError(
        f"factor '{name}': expected values, {{from, to, count}} or one distribution, found "
        f"{given!r:.60}."
    )


_PLAIN = Distribution("uniform", 0.0, 1.0)


@dataclass(frozen=True)
class Design:
    """kind: grid (all combinations), list (side by side), latin (hypercube), sobol, random;
    samples: of the last three; seed: of their numbers."""

    kind: str
    sources: tuple[Source, ...]
    samples: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown_name("design", self.kind, KINDS)
        if self.kind in ("grid", "list"):
            if any(isinstance(x, Distribution) for x in self.sources):
                raise InputError(
                    f"design '{self.kind}': takes values one by one, and a factor has a "
                    f"distribution. Use design 'latin', 'sobol' or 'random' with samples=..."
                )
            counts = {len(x.values) for x in self.sources if isinstance(x, Levels)}
            if self.kind == "list" and len(counts) > 1:
                raise InputError(
                    f"design 'list': factors have {sorted(counts)} values; expected as many of "
                    f"each. Use design 'grid' for all combinations."
                )
        elif self.samples < 1:
            raise InputError(f"design '{self.kind}': give samples=, a whole number from 1 on.")

    def __len__(self) -> int:
        if self.kind in ("latin", "sobol", "random"):
            return self.samples
        counts = [len(x.values) for x in self.sources if isinstance(x, Levels)]
        return math.prod(counts) if self.kind == "grid" else counts[0]

    def rows(self, first: int, last: int) -> Array:
        """(last - first, factors): the values of these variants."""
        if self.kind == "list":
            return np.array([x.values[first:last] for x in self.sources]).T  # type: ignore[union-attr]
        if self.kind == "grid":
            shape = [len(x.values) for x in self.sources if isinstance(x, Levels)]
            places = np.unravel_index(np.arange(first, last), shape)
            pairs = zip(self.sources, places, strict=True)
            return np.stack([np.array(x.values)[k] for x, k in pairs], axis=1)  # type: ignore[union-attr]
        u = {"latin": self._latin, "sobol": self._sobol, "random": self._random}[self.kind]
        drawn = u(first, last)
        return np.stack([x.of(drawn[:, k]) for k, x in enumerate(self.sources)], axis=1)

    def _random(self, first: int, last: int) -> Array:
        """Blocks of numbers by the seed and their place: any part can be drawn alone."""
        found = []
        for block in range(first // _DRAWN, (last - 1) // _DRAWN + 1):
            rng = np.random.default_rng([self.seed, block])
            u = rng.random((_DRAWN, len(self.sources)))
            start = block * _DRAWN
            found.append(u[max(first - start, 0) : last - start])
        return np.concatenate(found)

    def _sobol(self, first: int, last: int) -> Array:
        """Sobol's sequence, moved by a random shift modulo 1."""
        from scipy.stats import qmc

        sequence = qmc.Sobol(len(self.sources), scramble=False)
        if first:
            sequence.fast_forward(first)
        shift = np.random.default_rng(self.seed).random(len(self.sources))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a part has any number of variants
            drawn = sequence.random(last - first)
        return np.mod(drawn + shift, 1.0)

    @cached_property
    def _order(self) -> Array:
        """(factors, samples): in which of the equal parts of its range each variant lies."""
        return np.stack(
            [
                np.random.default_rng([self.seed, 1, k]).permutation(self.samples)
                for k in range(len(self.sources))
            ]
        )

    def _latin(self, first: int, last: int) -> Array:
        own = self._order[:, first:last].T
        return (own + self._random(first, last)) / self.samples


_DRAWN = 1024  # variants whose random numbers are drawn together
