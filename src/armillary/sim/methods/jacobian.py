"""The Jacobian of the right-hand side in the chart of a step, at its start."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.system import System
from armillary.sim.methods.variational_parts import loop_forces

_STEP = 1e-7


def jacobian(system: System, t: float, y0: Array, x0: Array) -> Array:
    """d(dx/dt)/dx (..., N, N) at x = (0, s, z).

    Mechanics by `forward_dynamics.derivatives`; with free joints and under constraints the stiff
    part of it (derivatives there exist along admissible variations only, and grow without bound
    near singular positions); controllers and actuators by differences."""
    by_row = system.stages or system.own or _by_mobility(system)
    if x0.ndim == 2 and by_row:
        return np.stack([_of_row(system, t, y, x, k) for k, (y, x) in enumerate(zip(y0, x0))])  # noqa: B905
    n, N = system.nv, system.size
    s = x0[..., n : 2 * n]
    q, v, z = system.leave_chart(y0, x0)
    tau, _ = system.forces(t, q, v, z)
    tau = np.ascontiguousarray(tau)
    J = np.zeros((*x0.shape, N))
    turning = system.chart.half_brackets(s)
    if turning is not None:
        J[..., :n, :n] = turning
    J[..., :n, n : 2 * n] = np.eye(n)
    if _by_mobility(system):
        a_q, a_v, a_tau = _stiff_part(system, t, y0, s, tau)
    else:
        d = system.mechanism.forward_dynamics.derivatives(q, v, tau, system.wrenches(t, q, v))
        a_q, a_v, a_tau = d.dq, d.dv, d.dtau
    J[..., n : 2 * n, :n], J[..., n : 2 * n, n : 2 * n] = a_q, a_v
    if system.stages:
        tau_x, rate_x = _parts(system, t, y0, x0)
        J[n : 2 * n] += a_tau @ tau_x
        J[2 * n :] = rate_x
    return J


def _of_row(system: System, t: float, y: Array, x: Array, row: int) -> Array:
    with system.only(row):
        return jacobian(system, t, y, x)


def _by_mobility(system: System) -> bool:
    return bool(system.mechanism.model.constraints or system.center)


def _stiff_part(
    system: System, t: float, y: Array, s: Array, tau: Array
) -> tuple[Array, Array, Array]:
    """d(ds/dt) by θ, s and tau, of a single state: mobility times the slopes of friction and
    springs.  That stays finite where a closed mechanism can go on in several ways, and is what
    makes a mechanism stiff; the method's order does not need the rest."""
    q, v = system.center.leave(y, s, system.bodies())
    Y = system.center.matrix(q, system.bodies()) @ system.mobility(q, v, tau)
    by_place, by_speed = (np.diag(x) for x in _slopes(system.mechanism, q, v))
    linear = system.center.linear
    by_speed[linear, linear] = 0.0  # of body axes, not of the centre's
    if known := loop_forces(system.mechanism):
        at = partial(_of_loops, system, known)
        by_place = by_place + _differences(lambda d: at(system.chart.step(y, d), s), len(s))
        by_speed = by_speed + _differences(lambda d: at(y, s + d), len(s))
    return Y @ by_place, Y @ by_speed, Y


def _slopes(mechanism: Mechanism, q: Array, v: Array) -> tuple[Array, Array]:
    """Of the forces of friction and springs in the joints of the tree, by q and by v (nv)."""
    tables, by_q, by_v = (
        mechanism.evaluator.tables(),
        np.zeros(mechanism.nv),
        np.zeros(mechanism.nv),
    )
    starts = zip(tables.bodies, tables.q_offsets, tables.v_offsets, strict=True)
    for body, at, first in starts:
        if not body.passive:
            continue
        joint, last = body.joint, first + body.joint.nv
        if any(p.loaded for p in body.passive):  # what does not depend on the load
            found = [(p.spring, p.viscous) for p in body.passive]
        else:
            place, speed = q[at : at + joint.nq].tolist(), v[first:last].tolist()
            found = [(float(x), float(y)) for x, y in body.resistance_slopes(place, speed)]
        by_q[first:last], by_v[first:last] = -np.array(found).T
    return by_q, by_v


def _of_loops(system: System, known: Callable[..., Array], y: Array, s: Array) -> Array:
    return known(*system.center.leave(y, s, system.bodies()))


def _differences(force: Callable[[Array], Array], n: int) -> Array:
    columns = [(force(d) - force(-d)) / (2.0 * _STEP) for d in _STEP * np.eye(n)]
    return np.array(columns).T


def _parts(system: System, t: float, y0: Array, x0: Array) -> tuple[Array, Array]:
    """d tau / dx and d(dz/dt) / dx of the controllers and actuators, a single state."""
    n = system.nv
    columns = []
    for k in range(system.size):
        ends = []
        for sign in (1.0, -1.0):
            x = x0.copy()
            x[k] += sign * _STEP * max(1.0, abs(x0[k]))
            tau, rate = system.forces(t, *system.leave_chart(y0, x))
            ends.append(np.concatenate([tau, rate]))
        columns.append((ends[0] - ends[1]) / (2.0 * _STEP * max(1.0, abs(x0[k]))))
    J = np.array(columns).T
    return J[:n], J[n:]
