"""The response `check`: the last accelerations of runs side by side against another formulation of
the same equations, with the numbers of each variant."""

from __future__ import annotations

import numpy as np

from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.evaluate.inputs import Array
from armillary.sim.record.recorded_states import States
from armillary.studies.columns import Taken


def disagreement(taken: Taken) -> Array:
    """(B,) of the last instant, as a part of the forces (and accelerations) in play.

    Of a tree |tau - inverse_dynamics(q, v, a)|.  Of a closed mechanism what the forces of the
    constraints cannot carry, |Nᵀ (M a - f)| with N all motions that they allow, and how far the
    accelerations are from what the constraints ask, |J a - γ|: the greater one."""
    last = taken.last()
    found = np.full(last.shape[1], np.nan)
    for own, s in last.states:
        found[own] = _of_closed(s) if s.mechanism.constraints else _of_tree(s)
    return found


def _of_tree(s: States) -> Array:
    m, external = s.mechanism, s.loads or None
    found = m.inverse_dynamics(s.q, s.v, s.a, external, **s.bodies)
    inert = m.inverse_dynamics(s.q, s.v, np.zeros_like(s.v), external, **s.bodies)
    return _part(found - s.tau, s.tau, inert)


def _of_closed(s: States) -> Array:
    equations = s.mechanism.constraint_solver.equations
    given = (s.moving, s.baumgarte, s.parameters)
    system = equations.system(s.q, s.v, s.tau, s.loads or None, True, *given)
    scale = equations.scaling
    inert = np.einsum("bij,bj->bi", system.M, s.a)
    unit = scale.columns  # a force at a length is a moment
    pushed = _free_part(system.terms.G * unit, (inert - system.force) * unit)
    wanted = np.einsum("bmn,bn->bm", system.terms.J, s.a)
    reached = np.abs(system.terms.J) @ np.abs(s.a)[..., None]
    rows = scale.rows
    off = _part((wanted - system.target) * rows, system.target * rows, reached[..., 0] * rows)
    return np.maximum(_part(pushed, s.tau * unit, inert * unit, system.force * unit), off)


def _free_part(G: Array, x: Array) -> Array:
    """x (B, n) without what the rows of G (B, m, n) can carry, Gᵀ λ."""
    _, sizes, V = np.linalg.svd(G, full_matrices=False)
    held = sizes > RANK_TOLERANCE * sizes[:, :1]
    V = V * held[..., None]
    return np.asarray(x - np.einsum("bmn,bm->bn", V, np.einsum("bmn,bn->bm", V, x)))


def _part(off: Array, *play: Array) -> Array:
    """The largest of `off` as a part of the largest number in play, row by row."""
    size = np.max([np.abs(x).max(axis=1, initial=0.0) for x in play], axis=0)
    return np.asarray(np.abs(off).max(axis=1, initial=0.0) / np.maximum(size, 1e-300))
