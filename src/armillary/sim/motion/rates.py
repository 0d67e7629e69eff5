"""Rates of a motion that is given at instants: polynomials through neighbouring instants.

On a manifold the neighbours of q_k are the tangent vectors θ_j = difference(q_k, q_j); with θ_k = 0

    v = dθ/dt ,    a = d²θ/dt²      at t_k       (the bracket ½ [v, v] of the second vanishes)

so quaternions need no other rule than angles.  Times may be unequally spaced.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism

POINTS = 7  # neighbours: exact for polynomials of the sixth degree


def windows(count: int, points: int) -> NDArray[np.intp]:
    """(T, points) numbers of the neighbours of every instant, itself among them."""
    first = np.clip(np.arange(count) - points // 2, 0, count - points)
    return np.asarray(first[:, None] + np.arange(points), np.intp)


def weights(t: Array, points: int) -> tuple[NDArray[np.intp], Array, Array]:
    """Neighbours and their weights (T, points) in the first and the second derivative."""
    near = windows(len(t), points)
    apart = t[near] - t[:, None]
    size = np.abs(apart).max(axis=1)
    powers = (apart / size[:, None])[:, None, :] ** np.arange(points)[:, None]
    unit = np.zeros((len(t), points, 2))
    unit[:, 1, 0] = 1.0
    unit[:, 2:3, 1] = 2.0  # of two points there is no second derivative
    found = np.linalg.solve(powers, unit)
    return near, found[:, :, 0] / size[:, None], found[:, :, 1] / size[:, None] ** 2


def slopes(t: Array, x: Array, points: int = POINTS) -> tuple[Array, Array]:
    """First and second derivatives of plain numbers x (T, n)."""
    near, first, second = weights(t, min(points, len(t)))
    own = x[near] - x[:, None]  # differences: large angles do not drown the slopes
    return np.einsum("tp,tpn->tn", first, own), np.einsum("tp,tpn->tn", second, own)


def rates(mechanism: Mechanism, t: Array, q: Array, points: int = POINTS) -> tuple[Array, Array]:
    """v and a (T, nv) of positions (T, nq)."""
    near, first, second = weights(t, min(points, len(t)))
    count, wide = near.shape
    here = np.repeat(q, wide, axis=0)
    theta = mechanism.difference(here, q[near.ravel()]).reshape(count, wide, -1)
    return np.einsum("tp,tpn->tn", first, theta), np.einsum("tp,tpn->tn", second, theta)
