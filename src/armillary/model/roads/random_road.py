"""Random roads of ISO 8608."""

from __future__ import annotations

import math
import random

from armillary.errors import ModelError
from armillary.model.arguments import check_arguments
from armillary.model.roads.friction import Friction
from armillary.model.roads.uneven import Profile

# ISO 8608: G_d(n0) of the middle of each class, m³, at n0 = 0.1 cycles/m; G_d falls with n^-2
CLASSES = {name: 16e-6 * 4.0**k for k, name in enumerate("ABCDEFGH")}
N0 = 0.1  # cycles/m
_MOST = 1e9  # rows x m: minutes
_RANGE = (0.011, 2.83)  # cycles/m, of the standard


@check_arguments
def random_profile(
    grade: str | float = "C",
    *,
    length: float = 200.0,
    step: float = 0.1,
    seed: int = 0,
    mu: float | Friction = 1.0,
) -> Profile:
    """A random road of ISO 8608: class "A" (very good) to "H", or G_d(n0) itself (m³).

    A sum of waves of equal distance in frequency, n = 0.011 ... 2.83 cycles/m, with random phases
    (by the seed) and amplitudes √(2 G_d(n) Δn), G_d(n) = G_d(n0) (n/n0)^-2.  It begins and ends
    level, over 5 m.  step: between its rows, m."""
    level = CLASSES.get(grade) if isinstance(grade, str) else grade
    if level is None or not level > 0.0:
        raise ModelError(
            f"random road: its class is one of {', '.join(CLASSES)}, or G_d(n0) > 0 in m³; found "
            f"{grade!r:.40}."
        )
    if not (length > 20.0 and 0.0 < step <= 0.2):
        raise ModelError(
            f"random road: expected a length of more than 20 m and a step of at most 0.2 m (two "
            f"rows for the shortest wave), found {length:g} m and {step:g} m."
        )
    if length / step * length > _MOST:
        raise ModelError(
            f"random road: {length:g} m in steps of {step:g} m are too many rows of too many waves "
            f"(at most {_MOST:g} rows times m). Take a shorter road or a longer step."
        )
    waves = _waves(level, length, seed)
    count = round(length / step)
    rows = []
    for k in range(count + 1):
        x = k * step
        z = sum(a * math.cos(w * x + phase) for a, w, phase in waves)
        rows.append((x, z * _fade(x) * _fade(length - x)))
    return Profile(0.0, mu, tuple(rows))


def _waves(level: float, length: float, seed: int) -> list[tuple[float, float, float]]:
    """(amplitude m, rad/m, phase): as many as the length can tell apart."""
    low, high = _RANGE
    count = max(int((high - low) * length), 50)
    dn = (high - low) / count
    rng = random.Random(seed)
    found = []
    for k in range(count):
        n = low + (k + 0.5) * dn
        amplitude = math.sqrt(2.0 * level * (n / N0) ** -2 * dn)
        found.append((amplitude, 2.0 * math.pi * n, 2.0 * math.pi * rng.random()))
    return found


def _fade(x: float) -> float:
    t = min(max(x / 5.0, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)
