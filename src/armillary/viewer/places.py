"""Poses in the numbers of a scene: position, then quaternion x, y, z, w."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armillary.model.joints import z_to
from armillary.model.parts import IDENTITY, Pose, Rows
from armillary.spatial import Matrix
from armillary.viewer.schema import Place, Point

Array = NDArray[np.float64]
ORIGIN: Point = (0.0, 0.0, 0.0)


def point(values: Sequence[float] | Array) -> Point:
    x, y, z = (float(v) for v in values)
    return (x, y, z)


def place_of(pose: Pose) -> Place:
    w, x, y, z = pose.quaternion()
    return (*pose.position, x, y, z, w)


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
    rotation = rows_of(z_to([float(x) / length for x in axis])) if length > 0.0 else IDENTITY
    inner = Pose(point(position), rotation)
    return place_of(inner if within is None else within.then(inner))


def quaternions(R: Array) -> Array:
    """x, y, z, w (..., 4) of rotations (..., 3, 3) whose columns are the turned axes.

    The largest of the four is found from the diagonal, the others by division [Shepperd 1978]."""
    m = R.reshape(-1, 3, 3)
    diagonal = m[:, [0, 1, 2], [0, 1, 2]]
    trace = diagonal.sum(axis=1)
    squares = np.concatenate([diagonal * 2.0 - trace[:, None], trace[:, None]], axis=1) + 1.0
    largest = squares.argmax(axis=1)
    x, y, z = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    xy, xz, yz = (m[:, i, j] + m[:, j, i] for i, j in ((0, 1), (0, 2), (1, 2)))
    s = squares.T
    rows = np.array([[s[0], xy, xz, x], [xy, s[1], yz, y], [xz, yz, s[2], z], [x, y, z, s[3]]])
    found = rows[largest, :, np.arange(len(m))]
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found.reshape(*R.shape[:-2], 4)


def continuous(quaternion: Array) -> Array:
    """Signs along the first axis such that neighbours are near each other: q and -q are one turn,
    and a picture between two of them must take the short way."""
    dots = np.sum(quaternion[1:] * quaternion[:-1], axis=-1)
    signs = np.cumprod(np.where(dots < 0.0, -1.0, 1.0), axis=0)
    return np.concatenate([quaternion[:1], quaternion[1:] * signs[..., None]])
