"""States of controllers and actuators with which a run begins in balance.

Integrals, currents and the like so that the accelerations of the first state are zero,

    a(z) = forward_dynamics(q, v, forces(z)) = 0,

and among those the ones whose own rates are smallest: Newton's method over all blocks at once, so
every block can take part, own ones too.  Readings of sensors stay as they are.
"""

from __future__ import annotations

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System

_STEP = 1e-6  # of the differences, relative to the state
_ITERATIONS = 20
_RANK = 1e-9
_LEFT = 1e-6  # of the accelerations without blocks: what may be left


def balanced_states(system: System, t: float, q: Array, v: Array, z: Array) -> Array:
    """z (..., nz) in balance, from the usual start."""
    if all(stage.block.is_sensor or not stage.count for stage in system.chain.stages):
        raise InputError(
            "balance: no controller or actuator has states that could be chosen. Give one an "
            "integral (ki), or leave balance out."
        )
    runs = system.view().runs((q, v, z))
    return np.reshape([_balanced(view, t, *own) for view, own in runs], z.shape)


def _balanced(view: RunView, t: float, q: Array, v: Array, z: Array) -> Array:
    def answer(states: Array) -> Array:
        """Accelerations and rates, one behind the other."""
        tau, rates = view.forces(t, q, v, states)
        return np.concatenate([view.acceleration(t, q, v, tau), rates])

    n, stages = view.nv, view.setup.chain.stages
    own = [range(s.z.start, s.z.stop) for s in stages if not s.block.is_sensor]
    chosen = [k for span in own for k in span]
    fall = float(np.abs(view.acceleration(t, q, v, np.zeros(n))).max())
    for _ in range(_ITERATIONS):
        found = answer(z)
        slope = np.empty((len(found), len(chosen)))
        for column, k in enumerate(chosen):
            d = np.zeros(len(z))
            d[k] = _STEP * max(1.0, abs(z[k]))
            slope[:, column] = (answer(z + d) - answer(z - d)) / (2.0 * d[k])
        step, free = _solved(slope[:n], -found[:n])
        rest, _ = _solved(slope[n:] @ free, -found[n:] - slope[n:] @ step)
        step = step + free @ rest
        z = z.copy()
        z[chosen] += step
        if np.abs(step).max() <= 1e-12 * max(1.0, float(np.abs(z).max())):
            break
    left = np.abs(answer(z)[:n])
    if not left.max() <= _LEFT * max(fall, 1e-3):
        k = int(np.argmax(left))
        raise InputError(
            f"balance: no states of the blocks keep '{view.mechanism.v_labels[k]}' from "
            f"accelerating by {left[k]:.3g} {view.mechanism.v_units[k]}/s². Give its controller an "
            f"integral (ki), add GravityCompensation, or begin elsewhere."
        )
    return z


def _solved(A: Array, b: Array) -> tuple[Array, Array]:
    """The smallest x with A x = b, least squares, and a basis of those with A x = 0."""
    if not A.size:
        return np.zeros(A.shape[1]), np.eye(A.shape[1])
    size = np.abs(A).max(axis=1, initial=0.0)
    rows = np.where(size > 0.0, 1.0 / np.where(size > 0.0, size, 1.0), 1.0)
    U, s, Vt = np.linalg.svd(rows[:, None] * A)
    rank = int(np.sum(s > _RANK * s.max(initial=0.0)))
    x = Vt[:rank].T @ ((U[:, :rank].T @ (rows * b)) / s[:rank])
    return np.asarray(x), np.asarray(Vt[rank:].T)
