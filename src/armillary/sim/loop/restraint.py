"""Joint forces of limits and of dry friction at rest, which no part of a run knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.methods.run_view import RunView


def restraint(view: RunView, t: float, q: Array, v: Array, tau: Array, a: Array) -> Array:
    """Forces r (..., nv), N m or N, of the entries k of v that rest at a limit or may stick:

        a = forward_dynamics(q, v, tau + r),        Y_kk r_k = (a - forward_dynamics(q, v, tau))_k

    Zero for trees, whose reactions follow from a alone."""
    force = np.zeros(v.shape)
    if not (view.mechanism.constraints or (view.mechanisms.own and v.ndim == 2)):
        return force
    if v.ndim == 2:
        for row in np.flatnonzero(np.isfinite(a).all(axis=1)):
            force[row] = restraint(view.of(int(row)), t, q[row], v[row], tau[row], a[row])
        return force
    entries = set(view.modes.resting.get(view.row, {}))
    if view.friction is not None:
        entries |= {int(k) for k in view.friction.columns}
    if not entries:
        return force
    k, moving = np.array(sorted(entries)), view.moving(t)
    options: dict[str, Any] = {} if moving is None else {"prescribed": moving}
    wrenches = view.wrenches(t, q, v)
    free = view.mechanism.forward_dynamics(q, v, tau, wrenches, **options)
    Y = view.mobility(q, v, tau)[np.ix_(k, k)]
    force[k] = np.linalg.lstsq(Y, (a - free)[k], rcond=1e-12)[0]
    return force
