"""The Jacobian of the right-hand side in the chart of a step, at its start."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from armillary.algorithms.forces.element_forces import joint_pushes
from armillary.errors import NotFiniteError
from armillary.evaluate.inputs import Array, Keywords
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.variational_parts import loop_forces

_STEP = 1e-6


def jacobian(view: RunView, t: float, y0: Array, x0: Array) -> Array:
    """d(dx/dt)/dx (..., N, N) at x = (0, s, z).

    Mechanics by `forward_dynamics.derivatives`; with free joints and under constraints the stiff
    part of it (derivatives there exist along admissible variations only, and grow without bound
    near singular positions); controllers and actuators by differences."""
    by_row = view.setup.chain.stages or view.mechanisms.own or _by_mobility(view)
    if x0.ndim == 2 and by_row:
        return np.stack([jacobian(one, t, *own) for one, own in view.runs((y0, x0))])
    n, N = view.nv, view.size
    s = x0[..., n : 2 * n]
    q, v, z = view.leave_chart(y0, x0)
    tau, _ = view.forces(t, q, v, z)
    J = np.zeros((*x0.shape, N))
    rotation = view.chart.half_brackets(s)
    if rotation is not None:
        J[..., :n, :n] = rotation
    J[..., :n, n : 2 * n] = np.eye(n)
    if _by_mobility(view):
        a_q, a_v, a_tau = _stiff_part(view, t, y0, s, tau)
    else:
        derivatives, bodies = view.mechanism.forward_dynamics.derivatives, view.bodies()
        # friction by load knows no parameters
        own: Keywords = {} if bodies is None else {"parameters": bodies}
        try:
            d = derivatives(q, v, tau, view.wrenches(t, q, v), **own)
        except NotFiniteError:
            view.blame.elements(t, q, v, np.full_like(v, np.nan))
            raise
        a_q, a_v, a_tau = d.dq, d.dv, d.dtau
    J[..., n : 2 * n, :n], J[..., n : 2 * n, n : 2 * n] = a_q, a_v
    if view.setup.chain.stages:
        tau_x, rate_x = _parts(view, t, y0, x0)
        J[n : 2 * n] += a_tau @ tau_x
        J[2 * n :] = rate_x
    return J


def _by_mobility(view: RunView) -> bool:
    return bool(view.mechanism.model.constraints or view.center)


def _stiff_part(
    view: RunView, t: float, y: Array, s: Array, tau: Array
) -> tuple[Array, Array, Array]:
    """d(ds/dt) by θ, s and tau, of a single state: mobility times the slopes of friction,
    springs and force elements.  That stays finite in singular positions of closed mechanisms, and
    is what makes them stiff; the order of the method does not need the rest."""
    q, v = view.center.leave(y, s, view.bodies())
    Y = view.center.matrix(q, view.bodies()) @ view.mobility(q)
    by_position, by_speed = (np.diag(x) for x in _slopes(view.mechanism, q, v))
    linear = view.center.linear
    by_speed[linear, linear] = 0.0  # of body axes, not of the centre's
    if known := loop_forces(view.mechanism):
        at = partial(_of_loops, view, known)
        by_position = by_position + _differences(lambda d: at(view.chart.step(y, d), s), len(s))
        by_speed = by_speed + _differences(lambda d: at(y, s + d), len(s))
    if view.mechanism.model.elements:
        at = partial(_of_elements, view)
        by_position = by_position + _differences(lambda d: at(view.chart.step(y, d), s), len(s))
        by_speed = by_speed + _differences(lambda d: at(y, s + d), len(s))
    return Y @ by_position, Y @ by_speed, Y


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


def _of_loops(view: RunView, known: Callable[..., Array], y: Array, s: Array) -> Array:
    return known(*view.center.leave(y, s, view.bodies()))


def _of_elements(view: RunView, y: Array, s: Array) -> Array:
    q, v = view.center.leave(y, s, view.bodies())
    bodies = {"parameters": view.bodies()}
    return view.mechanism.evaluator.run(joint_pushes, {"q": q, "v": v}, bodies=bodies)["push"]


def _differences(force: Callable[[Array], Array], n: int) -> Array:
    columns = [(force(d) - force(-d)) / (2.0 * _STEP) for d in _STEP * np.eye(n)]
    return np.array(columns).T


def _parts(view: RunView, t: float, y0: Array, x0: Array) -> tuple[Array, Array]:
    """d tau / dx and d(dz/dt) / dx of the controllers and actuators, a single state."""
    n = view.nv
    columns = []
    for k in range(view.size):
        ends = []
        for sign in (1.0, -1.0):
            x = x0.copy()
            x[k] += sign * _STEP * max(1.0, abs(x0[k]))
            tau, rate = view.forces(t, *view.leave_chart(y0, x))
            ends.append(np.concatenate([tau, rate]))
        columns.append((ends[0] - ends[1]) / (2.0 * _STEP * max(1.0, abs(x0[k]))))
    J = np.array(columns).T
    return J[:n], J[n:]
