"""Spatial vectors as arrays (..., 6) of many states: the equations of `armillary.spatial`, in one
numpy call for all states and constraints."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array

_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])  # the axes after x, y, z, and before


def rotated(E: Array, x: Array) -> Array:
    """E x."""
    return np.einsum("...ij,...j->...i", E, x)


def rotated_back(E: Array, x: Array) -> Array:
    """E^T x."""
    return rotated(np.swapaxes(E, -1, -2), x)


def cross(x: Array, y: Array) -> Array:
    """x × y; for one state in a quarter of the time of np.cross."""
    return x[..., _NEXT] * y[..., _LAST] - x[..., _LAST] * y[..., _NEXT]


def moved(E: Array, r: Array, m: Array) -> Array:
    """X m of motions, X = (E, r)."""
    w = rotated(E, m[..., :3])
    return np.concatenate([w, rotated(E, m[..., 3:] + cross(m[..., :3], r))], axis=-1)


def crossed(v: Array, m: Array) -> Array:
    """v × m of motions."""
    w = cross(v[..., :3], m[..., :3])
    u = cross(v[..., :3], m[..., 3:]) + cross(v[..., 3:], m[..., :3])
    return np.concatenate([w, u], axis=-1)


def shifted(wrench: Array, arm: Array) -> Array:
    """The same wrench about a point that lies `arm` before:  n + arm × f."""
    moment = wrench[..., :3] + cross(arm, wrench[..., 3:])
    return np.concatenate([moment, wrench[..., 3:]], axis=-1)


def turned(E: Array, wrench: Array) -> Array:
    """(E n; E f)."""
    return np.concatenate([rotated(E, x) for x in np.split(wrench, 2, axis=-1)], axis=-1)


def turned_back(E: Array, wrench: Array) -> Array:
    """(E^T n; E^T f)."""
    return turned(np.swapaxes(E, -1, -2), wrench)


def diameter(points: Array) -> float:
    """Largest distance between two points."""
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    out = np.linalg.norm(points - centre, axis=1)
    known = float(np.linalg.norm(points - points[np.argmax(out)], axis=1).max())
    far = points[out >= known - out.max()]  # two others are closer than `known`
    return max((float(np.linalg.norm(far - p, axis=1).max()) for p in far), default=0.0)
