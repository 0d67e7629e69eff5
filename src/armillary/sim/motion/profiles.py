"""Time scaling of a path: s(t) from 0 to 1 in the time T, at rest at both ends.

A row of the table gives s, ds/dx, d²s/dx² over x = t/T in [0, 1], and the largest slopes.
Times are arrays, or scalars of any kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.scalar import Scalar, cos, sin, where

Scalars = tuple[Scalar, Scalar, Scalar]  # s and its first two derivatives
Scaling = Callable[[Scalar], Scalars]


@dataclass(frozen=True)
class Profile:
    """s(x), and the largest |ds/dx| and |d²s/dx²|."""

    name: str
    shape: Scaling
    fastest: float
    hardest: float
    corners: tuple[float, ...] = ()  # inner x where the acceleration jumps

    def __call__(self, t: Scalar, duration: float) -> Scalars:
        """s, ds/dt, d²s/dt² at times from 0 to `duration`; at rest outside."""
        x = t / duration
        before, after = x < 0.0, x > 1.0
        s, first, second = self.shape(where(before, 0.0, where(after, 1.0, x)))
        first, second = (where(before, 0.0, where(after, 0.0, y)) for y in (first, second))
        return s, first / duration, second / duration**2

    def duration(
        self, distance: float, velocity: float | None = None, acceleration: float | None = None
    ) -> float:
        """The shortest time (s) for a distance within limits of velocity and acceleration."""
        if velocity is None and acceleration is None:
            raise InputError(f"profile '{self.name}': a velocity or an acceleration is needed.")
        times = [0.0]
        for name, value in (("velocity", velocity), ("acceleration", acceleration)):
            if value is not None and not (np.ndim(value) == 0 and value > 0.0):
                raise InputError(f"{name}: expected a positive limit, found {value}.")
        if velocity is not None:
            times.append(self.fastest * abs(distance) / velocity)
        if acceleration is not None:
            times.append(sqrt(self.hardest * abs(distance) / acceleration))
        return max(times)


def _cubic(x: Scalar) -> Scalars:
    """[VanDerMerwe1995, section 4.6]"""
    return x * x * (3 - 2 * x), 6 * x * (1 - x), 6 - 12 * x


def _quintic(x: Scalar) -> Scalars:
    return (
        x * x * x * (10 - 15 * x + 6 * x * x),
        30 * x * x * (1 - x) * (1 - x),
        60 * x * (1 - x) * (1 - 2 * x),
    )


def _cosine(x: Scalar) -> Scalars:
    """Acceleration along cos(pi x)  [QuinnChang1991, section 5]."""
    return (1 - cos(pi * x)) / 2, pi / 2 * sin(pi * x), pi**2 / 2 * cos(pi * x)


def _cycloid(x: Scalar) -> Scalars:
    """Acceleration along sin(2 pi x): none at the ends."""
    turn = 2 * pi * x
    return x - sin(turn) / (2 * pi), 1 - cos(turn), 2 * pi * sin(turn)


def trapezoid(ramp: float = 0.25) -> Profile:
    """Constant acceleration, constant velocity, constant deceleration; ramp: part of the time."""
    if not 0.0 < ramp <= 0.5:
        raise InputError(f"ramp: expected a part of the time in (0, 0.5], found {ramp}.")
    top = 1 / (1 - ramp)  # velocity of the flat part
    push = top / ramp

    def shape(x: Scalar) -> Scalars:
        rising, falling = x < ramp, x > 1 - ramp
        left = 1 - x
        s = where(
            rising,
            push * x * x / 2,
            where(falling, 1 - push * left * left / 2, top * (x - ramp / 2)),
        )
        first = where(rising, push * x, where(falling, push * left, top))
        return s, first, where(rising, push, where(falling, -push, 0.0))

    return Profile("trapezoid", shape, top, push, (ramp, 1 - ramp) if ramp < 0.5 else (0.5,))


def quickest_trapezoid(
    distance: float, velocity: float | None, acceleration: float | None
) -> Profile:
    """The trapezoid that is over first: as long at the acceleration limit as it takes to come to
    the velocity limit, T = distance / velocity + velocity / acceleration."""
    if acceleration is None or distance == 0.0:
        return trapezoid()
    if velocity is None or velocity**2 >= distance * acceleration:
        return trapezoid(0.5)
    rise = velocity / acceleration
    return trapezoid(rise / (distance / velocity + rise))


PROFILES = {
    "cubic": Profile("cubic", _cubic, 1.5, 6.0),
    "quintic": Profile("quintic", _quintic, 1.875, 10 / sqrt(3)),
    "cosine": Profile("cosine", _cosine, pi / 2, pi**2 / 2),
    "cycloid": Profile("cycloid", _cycloid, 2.0, 2 * pi),
    "trapezoid": trapezoid(),
}


def profile_of(profile: str | Profile) -> Profile:
    if isinstance(profile, Profile):
        return profile
    if profile not in PROFILES:
        raise unknown_name("profile", profile, PROFILES)
    return PROFILES[profile]
