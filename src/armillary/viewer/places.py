"""Poses in the numbers of a scene: position, then quaternion x, y, z, w."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from armillary.model.parts import IDENTITY, Pose, Rows, z_to
from armillary.spatial import Matrix
from armillary.viewer.schema import Place, Point

Array = NDArray[np.float64]
ORIGIN: Point = (0.0, 0.0, 0.0)
_KEPT = 4096  # rotations that many joints of a mechanism share


def point(values: Sequence[float] | Array) -> Point:
    x, y, z = (float(v) for v in values)
    return (x, y, z)


def place_of(pose: Pose) -> Place:
    return (*pose.position, *_quaternion(pose.rotation))


def place_at(position: Sequence[float] | Array) -> Place:
    return (*point(position), 0.0, 0.0, 0.0, 1.0)


def rows_of(R: Matrix) -> Rows:
    a, b, c = (point(row) for row in R.rows)
    return (a, b, c)


def turned(
    axis: Sequence[float], position: Sequence[float] = ORIGIN, within: Pose | None = None
) -> Place:
    """A frame with z along the axis (of any length), both given in the frame `within`."""
    length = float(np.linalg.norm(axis))
    rotation = _z_to(point([float(x) / length for x in axis])) if length > 0.0 else IDENTITY
    inner = Pose(point(position), rotation)
    return place_of(inner if within is None or within == Pose() else within.then(inner))


@lru_cache(_KEPT)
def _z_to(axis: Point) -> Rows:
    return rows_of(z_to(axis))


@lru_cache(_KEPT)
def _quaternion(rotation: Rows) -> tuple[float, float, float, float]:
    w, x, y, z = Pose(ORIGIN, rotation).quaternion()
    return x, y, z, w


# 4 q_k q_j for every largest k, from entries (i, n) and (n, i) of the rotation; i = n: k itself
_X, _Y, _Z = (2, 1, -1.0), (0, 2, -1.0), (1, 0, -1.0)
_XY, _XZ, _YZ, _OWN = (0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (0, 0, 0.0)
_PAIRS = (
    (_OWN, _XY, _XZ, _X),
    (_XY, _OWN, _YZ, _Y),
    (_XZ, _YZ, _OWN, _Z),
    (_X, _Y, _Z, _OWN),
)


def quaternions(R: Array) -> Array:
    """x, y, z, w (..., 4) of rotations (..., 3, 3) whose columns are the turned axes.

    The largest of the four is found from the diagonal, the others by division [Shepperd 1978]."""
    m = R.reshape(-1, 3, 3)
    diagonal = m[:, [0, 1, 2], [0, 1, 2]]
    trace = diagonal.sum(axis=1)
    squares = np.concatenate([diagonal * 2.0 - trace[:, None], trace[:, None]], axis=1) + 1.0
    largest = squares.argmax(axis=1)
    found = np.empty((len(m), 4))
    for k in np.unique(largest):
        at = np.flatnonzero(largest == k)
        for j, (i, n, sign) in enumerate(_PAIRS[k]):
            found[at, j] = squares[at, k] if i == n else m[at, i, n] + sign * m[at, n, i]
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.reshape(*R.shape[:-2], 4)


def continuous(quaternion: Array) -> Array:
    """Signs along the first axis such that neighbours are near each other: q and -q are one turn,
    and a picture between two of them must take the short way."""
    dots = np.sum(quaternion[1:] * quaternion[:-1], axis=-1)
    signs = np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)
    return np.concatenate([quaternion[:1], quaternion[1:] * signs[..., None]])
