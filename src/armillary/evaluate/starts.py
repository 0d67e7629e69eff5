"""Places to start a search from, spread evenly over the room of the joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.model.model import Model


def joint_bounds(model: Model) -> list[tuple[int, int, float, float]]:
    """(entry of q, entry of v, lower, upper) of every coordinate with a limit."""
    found = []
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        limits = body.joint.limits if joint.nq == joint.nv else ()
        for k, limit in enumerate(limits):
            low = -np.inf if limit.lower is None else float(limit.lower)
            high = np.inf if limit.upper is None else float(limit.upper)
            if np.isfinite(low) or np.isfinite(high):
                found.append((slot.q.start + k, slot.v.start + k, low, high))
    return found


def periodic(model: Model) -> NDArray[np.bool_]:
    """(nq) coordinates that mean the same after a whole turn."""
    found = np.zeros(model.nq, bool)
    for joint, slot in zip(model.joints, model.slots, strict=True):
        if joint.nq == joint.nv and joint.kind != "helical":
            found[slot.q] = [unit == "rad" for unit in joint.units]
    return found


def starts(model: Model, count: int, length: float, limits: bool, seed: int) -> Array:
    """(count, nq): angles within half a turn either way, slides within `length` of where they are
    at the start, all within their limits.

    Points of an additive sequence: multiples of powers of an irrational number, from a random
    point [Roberts 2018]."""
    center = np.array(model.start())
    bounds = {i: (low, high) for i, _, low, high in joint_bounds(model)} if limits else {}
    number = 2.0  # the root of x^(d + 1) = x + 1
    for _ in range(60):
        number = (1.0 + number) ** (1.0 / (model.nq + 1))
    steps = number ** -np.arange(1.0, model.nq + 1)
    shift = np.random.default_rng(seed).random(model.nq)
    points = (shift + np.arange(1, count + 1)[:, None] * steps) % 1.0
    for joint, slot in zip(model.joints, model.slots, strict=True):
        i = slot.q.start
        if joint.nq != joint.nv:
            points[:, i : i + 4] = _quaternions(points[:, i : i + 3])
            spread = 2.0 * length * (points[:, i + 4 : slot.q.stop] - 0.5)
            points[:, i + 4 : slot.q.stop] = center[i + 4 : slot.q.stop] + spread
            continue
        for k, unit in enumerate(joint.units):
            low, high = bounds.get(i + k, (-np.inf, np.inf))
            low, high = _room(low, high, (0.0, np.pi) if unit == "rad" else (center[i + k], length))
            points[:, i + k] = low + points[:, i + k] * (high - low)
    return points


def _room(low: float, high: float, usual: tuple[float, float]) -> tuple[float, float]:
    """The part of the usual room (its middle, and how far it goes) within the limits; all that the
    limits allow where they lie beside it."""
    middle, reach = usual
    if high <= middle - reach:
        return max(low, high - 2.0 * reach), high
    if low >= middle + reach:
        return low, min(high, low + 2.0 * reach)
    return max(low, middle - reach), min(high, middle + reach)


def _quaternions(points: Array) -> Array:
    """Even rotations (w, x, y, z) of points in the unit cube [Shoemake 1992]."""
    one, two, three = points.T
    a, b = np.sqrt(1.0 - one), np.sqrt(one)
    second, third = 2.0 * np.pi * two, 2.0 * np.pi * three
    return np.stack(
        [b * np.cos(third), a * np.sin(second), a * np.cos(second), b * np.sin(third)], axis=1
    )
