"""How much dry friction holds at rest, and what it has to hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.model.passive import Passive

TINY = 1e-200  # rad/s or m/s: has a sign, and no other effect


@dataclass(frozen=True)
class Levels:
    """Of the friction of the watched entries (..., k): the level at rest against a slip backward
    and forward, N m or N, and how much of it fades over which velocity (0: nothing does)."""

    backward: Array
    forward: Array
    rise: Array
    width: Array

    @classmethod
    def of(cls, passives: list[Passive]) -> Levels:
        backward, forward = ([float(p.level(x, 0.0)) for p in passives] for x in (-TINY, TINY))
        rise = [max(0.0, float(p.static - min(p.each_way()))) for p in passives]
        width = [float(p.stribeck) * (x > 0.0) for p, x in zip(passives, rise, strict=True)]
        return cls(*map(np.array, (backward, forward, rise, width)))

    def level(self, r: Array) -> Array:
        """Against the slip that r holds back."""
        return np.where(r > 0.0, self.backward, self.forward)


@dataclass(frozen=True)
class Holding:
    """What holds entries that stick: accelerations (..., nv), forces r (..., k) with their
    rounding, N m or N (infinite: none holds them), and accelerations per force (..., k, k) of what
    sticks with their inverse."""

    a: Array
    r: Array
    slack: Array
    Y: Array
    inverse: Array

    @classmethod
    def none(cls, a: Array, shape: tuple[int, ...]) -> Holding:
        square = np.zeros((*shape, shape[-1]))
        return cls(a, np.zeros(shape), np.zeros(shape), square, square.copy())

    def shared(self, numbers: Levels) -> Array:
        """Forces that hold the same and stay within the levels, where there are such: of joints
        that move together those at their level leave the rest to the others."""
        r, free = self.r, np.isfinite(self.r)
        whole = np.where(free, r, 0.0)
        for _ in range(r.shape[-1]):
            within = np.clip(r, -numbers.forward, numbers.backward)
            over = free & (np.abs(r - within) > self.slack)
            if not over.any():
                break
            r, free = np.where(over, within, r), free & ~over
            missing = self.Y @ (whole - np.where(np.isfinite(r), r, 0.0))[..., None]
            rest = np.linalg.pinv(self.Y * free[..., None, :], rcond=1e-9)
            r = r + (rest @ missing)[..., 0]
        missing = self.Y @ (whole - np.where(np.isfinite(r), r, 0.0))[..., None]
        return r + (self.inverse @ missing)[..., 0]
