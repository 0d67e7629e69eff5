"""Flexible joints apart from the others  [Yesiloglu2007, 4.1-4.31]: their reduced equation first,
then what the others do; closed mechanisms by free and correction accelerations.
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import svd

from armillary.evaluate.inputs import Array
from armillary.model.model import Model
from armillary.textbook.formulations.closed import ClosedState, half_of
from armillary.textbook.formulations.operators import Operators
from armillary.textbook.formulations.tree_state import TreeState
from armillary.textbook.formulations.workbook import JOINTS, ROWS
from armillary.textbook.linear import solve
from armillary.textbook.sorted_subspaces import (
    SortedSubspaces,
    Springs,
    Unsorted,
    reduced,
    springs,
)

_HERE = f"{JOINTS}, sorted: the others, then flexible ones"


def _reduced(model: Model, given: Unsorted, linear: Springs, F_t: Array) -> SortedSubspaces:
    """Springs sort the joints: those with one are flexible, all others are driven."""
    l = np.flatnonzero(linear.stiffness)
    others = np.flatnonzero(linear.stiffness == 0.0)
    names = {
        "base": (),
        "actuated": tuple(model.v_labels[k] for k in others),
        "free": (),
        "flexible": tuple(model.v_labels[k] for k in l),
    }
    return reduced(names, given, linear, np.concatenate([others, l]), l, F_t)


def _acting(model: Model, q: Array, passive: bool) -> Springs:
    """Springs as the model has them; they sort the joints, but do not push where nothing passive
    counts."""
    found = springs(model, q)
    if passive:
        return found
    return Springs(found.stiffness, 0.0 * found.damping, 0.0 * found.deflection)


def sorted_subspaces(s: TreeState, tau: Array) -> Array:
    """M* θ̈_l = B T - C* - L_d θ̇_l - L_s θ_l (4.7), then  M_1 θ̈ = T - C - M_2 θ̈_l (4.6)."""
    o = Operators(s)
    M = o.H.T @ o.Phi.T @ o.M @ o.Phi @ o.H + np.diag(s.rotors)
    linear = _acting(s.model, s.q, s.passive)
    bias = o.bias + s.given - _push(linear, s.v)
    none = np.zeros((0, len(M)))
    found = _reduced(s.model, Unsorted(M, bias, none, s.v, tau), linear, np.zeros(0))
    s.note_fields(found, _HERE)
    return found.theta_dd


def _push(linear: Springs, v: Array) -> Array:
    """What springs and dampers of the flexible joints ask of them."""
    flexible = linear.stiffness != 0.0
    return np.asarray(flexible * (linear.damping * v + linear.stiffness * linear.deflection))


def free_and_correction(c: ClosedState, tau: Array) -> Array:
    """θ̈ = θ̈^f + θ̈^δ (4.31): flexible joints apart, Ω = J M_1^-1 J^T + J* M*^-1 J*^T."""
    c.refuse_contradictions()
    model = c.machine.model
    linear = _acting(model, c.q, c.passive)
    bias = -c.force(0.0 * tau) - _push(linear, c.v)
    given = Unsorted(c.M, bias, c.J, c.v, tau)
    free = _reduced(model, given, linear, np.zeros(len(c.J)))
    c.note_fields(free, _HERE)
    # M^-1 = [M_1^-1 0; 0 0] + [B^T; 1] M*^-1 [B 1] in the sorted order
    half = np.vstack(
        [solve(half_of(free.M_1), free.J_baf.T), solve(half_of(free.M_star), free.J_star.T)]
    )
    _, s, Vt = svd(half, full_matrices=False)
    s, Vt = s[: c.rank], Vt[: c.rank]
    c.note("Omega", half.T @ half, "J M^-1 J^T, from M_1 and M* (4.29)", frame=ROWS)
    F = Vt.T @ ((Vt @ (c.J @ free.theta_dd - c.gamma)) / s**2)
    c.note(
        "F_t",
        F,
        "force by the tree along the rows, least where they are redundant (4.29)",
        "N m or N, by the scale of the rows",
        frame=ROWS,
    )
    whole = _reduced(model, given, linear, F)
    c.note("correction", whole.theta_dd - free.theta_dd, "θ̈^δ (4.30)", "rad/s² or m/s²")
    return whole.theta_dd
