"""A controller or actuator in its place in the chain, and states as lists of scalars."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.control.block import positive_period
from armillary.sim.loop.answers import handed, name_of, numbers, scalars

SLACK = 1e-9  # of a period


class Stage:
    """A controller or actuator in its place in the chain."""

    def __init__(self, part: Any, first: int, period: float | None, actuator: bool):
        self.part, self.actuator = part, actuator
        self.plain = not hasattr(part, "force")  # a function f(t, q, v) -> tau over arrays
        if self.plain and not callable(part):
            raise InputError(
                f"controller: expected a part with `force`, or a function f(t, q, v); found "
                f"{type(part).__name__}."
            )
        self.what = f"{'actuator' if actuator else 'controller'} {name_of(part)}"
        self.count = 0 if self.plain else len(part.states)
        self.z = slice(first, first + self.count)
        own = getattr(part, "period", None)
        self.period = positive_period(own if own is not None else period)
        self.due = -inf  # next sample
        self.held: Any = None  # of a controller its force, of an actuator its command

    def next_sample(self, t: float) -> float:
        """The first multiple of the period after t."""
        period = float(self.period or inf)
        return period * (np.floor(t / period + SLACK) + 1.0)

    def given(self, t: float, q: Array, v: Array) -> Array:
        """Forces of a plain function."""
        found = numbers(self.what, self.part(t, q.copy(), v.copy()), t)
        if found.shape not in (v.shape, v.shape[-1:]):
            raise InputError(
                f"{self.what}: expected {v.shape[-1]} joint forces, found shape {found.shape} at "
                f"t = {t:g} s."
            )
        return found if found.shape == v.shape else np.broadcast_to(found, v.shape)

    def force(self, t: float, lists: Lists, z: Array, u: list) -> list:
        if self.plain:
            given = columns(self.given(t, lists.arrays[0], lists.arrays[1]))
            return [x + y for x, y in zip(u, given, strict=True)]
        found = self.part.force(t, *lists.copies(), columns(z[..., self.z]), handed(u))
        return scalars(self.what, found, lists.arrays[1], t, "joint forces")

    def rate(self, t: float, lists: Lists, z: Array, u: list) -> list:
        if not self.count:
            return []
        found = self.part.rate(t, *lists.copies(), columns(z[..., self.z]), handed(u))
        return scalars(self.what, found, z[..., self.z], t, "rates of its states")

    def start(self, mechanism: Mechanism, lists: Lists, like: Array, t: float) -> Array:
        """Its states at the first instant, in the shape of `like`."""
        found = self.part.start(mechanism, *lists.copies())
        return rows(scalars(self.what, found, like, t, "states to start with"), like)

    def signals(self, t: float, lists: Lists, z: Array, u: list) -> dict[str, Array]:
        tell = getattr(self.part, "signals", None)
        if tell is None:
            return {}
        told, v = tell(t, *lists.copies(), columns(z[..., self.z]), handed(u)), lists.arrays[1]
        return {
            name: rows(scalars(f"{self.what}, signal '{name}'", x, v, t, "numbers"), v)
            for name, x in told.items()
        }


class Lists:
    """A state as lists of scalars, floats or columns (B,): new ones for everyone who asks."""

    def __init__(self, q: Array, v: Array):
        self.arrays = (q, v)

    def copies(self) -> tuple[list, list]:
        return columns(self.arrays[0]), columns(self.arrays[1])


def columns(x: Array) -> list:
    """Floats, or columns (B,); copies."""
    return x.tolist() if x.ndim == 1 else list(x.T.copy())


def rows(values: list, like: Array) -> Array:
    """Scalars or columns as an array shaped like the given one."""
    result = np.empty(like.shape)
    for k, x in enumerate(values):
        result[..., k] = x
    return result
