"""Frames for the kernels, and wrenches that act in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armillary.evaluate.inputs import Array, as_floats
from armillary.spatial import Matrix, Transform, Vector


@dataclass(frozen=True)
class Place:
    """A frame for the kernels: the kernel body that carries it (-1: the world) and X_FK."""

    kernel: int
    X: Transform

    def numbers(self) -> Array:
        return np.array([float(x) for x in self.X.leaves()])

    def carried(self, wrenches: Array, own: Matrix) -> Array:
        """Wrenches (B, 6) in this frame as those at the origin of the kernel body, along the axes
        of its body frame.  own: from the axes of the kernel frame to those."""
        matrix = _force_matrix(Transform(own, Vector()) @ self.X.inverse())
        # not BLAS: its rounding depends on the number of rows
        return np.asarray((wrenches[:, None, :] * matrix).sum(-1))


def side_by_side(wrenches: Sequence[Array]) -> Array:
    """(B, 6 k), or (1, 6 k) where every wrench is the same for all states."""
    rows = max(len(wrench) for wrench in wrenches)
    return np.concatenate([np.broadcast_to(x, (rows, 6)) for x in wrenches], axis=1)


def _force_matrix(X: Transform) -> Array:
    """6x6 matrix of X.force: wrenches from B to A."""
    E, r = as_floats("E", X.E.rows), as_floats("r", X.r.skew().rows)
    return np.block([[E, -E @ r], [np.zeros((3, 3)), E]])
