"""Accelerations per joint force, of a tree or of what its constraints leave."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism


def accelerations_per_force(
    mechanism: Mechanism,
    dynamics: Any,
    q: Array,
    entries: NDArray[np.intp],
    parameters: Array | None,
) -> Array:
    """Y (..., nv, k) for forces along these entries of v; the inverse of M for trees.  dynamics: of
    the mechanism (step_dynamics.py).  parameters: inertias, where they are not the model's."""
    if not mechanism.model.constraints:
        M = mechanism.mass_matrix(q, parameters=parameters)
        return np.asarray(np.linalg.inv(M), float)[..., entries]
    # accelerations are linear in tau: differences of them are exact
    nv, count = mechanism.nv, len(entries) + 1
    kicks = np.zeros((count, nv))
    kicks[np.arange(1, count), entries] = 1.0
    many = np.repeat(np.atleast_2d(q), count, axis=0)
    kick = np.tile(kicks, (len(many) // count, 1))
    if parameters is not None and parameters.ndim == 2:
        parameters = np.repeat(parameters, count, axis=0)
    a = dynamics(many, np.zeros_like(kick), kick, parameters=parameters)
    a = a.reshape(*q.shape[:-1], count, nv)
    return np.asarray(np.swapaxes(a[..., 1:, :] - a[..., :1, :], -1, -2))
