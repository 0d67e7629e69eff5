"""The response `check`: the last accelerations of runs side by side against another formulation of
the same equations, with the numbers of each variant."""

from __future__ import annotations

import numpy as np

from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.evaluate.forces_in_play import LEAST, forces_in_play
from armillary.evaluate.inputs import Array
from armillary.evaluate.tree import Tree
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
    return _part(found - s.tau, _in_play(s, Tree(m.evaluator)), s.tau, inert)


def _in_play(s: States, tree: Tree) -> Array:
    """(S, nv) forces that meet in every coordinate, by their sizes: at rest they cancel."""
    found = np.empty_like(s.v)
    for k, state in enumerate(zip(s.q, s.v, s.a, strict=True)):
        external = {frame: wrench[k] for frame, wrench in s.loads.items()}
        own = None if s.parameters is None else s.parameters[k]
        found[k] = forces_in_play(tree, *state, external or None, True, own)
    return found


def _of_closed(s: States) -> Array:
    equations = s.mechanism.constraint_solver.equations
    given = (s.moving, s.baumgarte, s.parameters)
    system = equations.system(s.q, s.v, s.tau, s.loads or None, True, *given)
    scale = equations.scaling
    inert, play = np.einsum("bij,bj->bi", system.M, s.a), _in_play(s, equations.tree)
    moved = np.einsum("bij,bj->bi", np.abs(np.linalg.pinv(system.M)), play)
    unit = scale.columns  # a force at a length is a moment
    pushed = _free_part(system.terms.G * unit, (inert - system.force) * unit)
    wanted = np.einsum("bmn,bn->bm", system.terms.J, s.a)
    J, rows = np.abs(system.terms.J), scale.rows
    reached, moved = (np.einsum("bmn,bn->bm", J, x) * rows for x in (np.abs(s.a), moved))
    off = _part((wanted - system.target) * rows, moved, system.target * rows, reached)
    forces = (x * unit for x in (play, s.tau, inert, system.force))
    return np.maximum(_part(pushed, *forces), off)


def _free_part(G: Array, x: Array) -> Array:
    """x (B, n) without what the rows of G (B, m, n) can carry, Gᵀ λ."""
    _, sizes, V = np.linalg.svd(G, full_matrices=False)
    held = sizes > RANK_TOLERANCE * sizes[:, :1]
    V = V * held[..., None]
    return np.asarray(x - np.einsum("bmn,bm->bn", V, np.einsum("bmn,bn->bm", V, x)))


def _part(off: Array, play: Array, *sums: Array) -> Array:
    """The largest of `off` as a part of the largest sum, or of a thousandth of what these are sums
    of where it cancels, row by row."""
    sizes = [np.abs(x).max(axis=1, initial=0.0) for x in (LEAST * play, *sums)]
    size = np.max(sizes, axis=0)
    return np.asarray(np.abs(off).max(axis=1, initial=0.0) / np.maximum(size, 1e-300))
