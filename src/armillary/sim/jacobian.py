"""The Jacobian of the right-hand side in the chart of a step, at its start."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from armillary.functions.inputs import Array
from armillary.sim.system import System

_STEP = 1e-7


def jacobian(system: System, t: float, q0: Array, x0: Array) -> Array:
    """d(dx/dt)/dx (..., N, N) at x = (0, v, z).

    Mechanics by `forward_dynamics.derivatives`, under constraints by differences (derivatives
    there exist along admissible variations only); controllers and actuators by differences."""
    if x0.ndim == 2 and (system.stages or system.mechanism.model.constraints or system.own):
        return np.stack([_of_row(system, t, q, x, k) for k, (q, x) in enumerate(zip(q0, x0))])  # noqa: B905
    n, N = system.nv, system.size
    v, z = x0[..., n : 2 * n], x0[..., 2 * n :]
    tau, _ = system.forces(t, q0, v, z)
    tau = np.ascontiguousarray(tau)
    J = np.zeros((*x0.shape, N))
    turning = system.chart.half_brackets(v)
    if turning is not None:
        J[..., :n, :n] = turning
    J[..., :n, n : 2 * n] = np.eye(n)
    a_q, a_v, a_tau = _mechanics(system, t, q0, v, tau)
    J[..., n : 2 * n, :n], J[..., n : 2 * n, n : 2 * n] = a_q, a_v
    if system.stages:
        tau_x, rate_x = _parts(system, t, q0, x0)
        J[n : 2 * n] += a_tau @ tau_x
        J[2 * n :] = rate_x
    return J


def _of_row(system: System, t: float, q: Array, x: Array, row: int) -> Array:
    with system.only(row):
        return jacobian(system, t, q, x)


def _mechanics(
    system: System, t: float, q: Array, v: Array, tau: Array
) -> tuple[Array, Array, Array]:
    external = system.wrenches(t, q, v)
    if not system.mechanism.model.constraints:
        d = system.mechanism.forward_dynamics.derivatives(q, v, tau, external)
        return d.dq, d.dv, d.dtau
    n = system.nv
    dynamics: Any = system.mechanism.forward_dynamics
    if system.drives:
        dynamics = partial(dynamics, drives=system.moving(t))
    kick = _STEP * np.eye(n)
    many = lambda x: np.tile(x, (n, 1))  # noqa: E731
    base = dynamics(q, v, tau, external)
    moved = system.chart.move(many(q), kick)
    a_q = (dynamics(moved, many(v), many(tau), external) - base).T / _STEP
    a_v = (dynamics(many(q), v + kick, many(tau), external) - base).T / _STEP
    a_tau = (dynamics(many(q), many(v), tau + kick, external) - base).T / _STEP
    return a_q, a_v, a_tau


def _parts(system: System, t: float, q0: Array, x0: Array) -> tuple[Array, Array]:
    """d tau / dx and d(dz/dt) / dx of the controllers and actuators, a single state."""
    n = system.nv
    columns = []
    for k in range(system.size):
        ends = []
        for sign in (1.0, -1.0):
            x = x0.copy()
            x[k] += sign * _STEP * max(1.0, abs(x0[k]))
            q = system.chart.move(q0, x[:n])
            tau, rate = system.forces(t, q, x[n : 2 * n], x[2 * n :])
            ends.append(np.concatenate([tau, rate]))
        columns.append((ends[0] - ends[1]) / (2.0 * _STEP * max(1.0, abs(x0[k]))))
    J = np.array(columns).T
    return J[:n], J[n:]
