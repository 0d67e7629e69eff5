"""Joint forces that hold a mechanism at rest against its weight and loads, N m or N.

jacobian_transpose    τ = -Σ J_v^T (m g + f) + J_ω^T n: weights, loads times partial velocities
force_recursion       from link to link, joint torque as projection   [Lecture; errata 3-7]
"""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.projection import partial_velocities
from armillary.textbook.formulations.tree_state import TreeState, turn_and_shift
from armillary.textbook.formulations.workbook import JOINTS, PLAIN, WORLD


def jacobian_transpose(s: TreeState) -> Array:
    """τ = J^T F with F = -m g - w at every centre of mass."""
    tau = np.zeros(s.model.nv)
    s.note_loads(PLAIN)
    for k, (body, (J_w, J_v)) in enumerate(zip(s.model.bodies, partial_velocities(s), strict=True)):
        s.note("J", J_v, "Jacobian of the centre of mass", "m, 1", k, frame=WORLD)
        F = -body.mass.mass * s.gravity
        if s.loads:
            moment, push = s.load_at_centre(k)
            F = F - push
            s.note("J_w", J_w, "Jacobian of the turn", "1, 1/m", k, frame=WORLD)
            s.note("N", -moment, "what holds the load's moment", "N m", k, frame=WORLD)
            tau -= s.note("tau_w", J_w.T @ moment, "-J_w^T N", "N m", k, frame=JOINTS)
        s.note("F", F, "what holds the weight and the load", "N", k, frame=WORLD)
        tau += s.note("tau", J_v.T @ F, "J^T F", "N m or N", k, frame=JOINTS)
    return tau


def force_recursion(s: TreeState) -> Array:
    """f_k = R f_{k+1} + W_k and n_k = R n_{k+1} + P × (R f_{k+1}) + c × W_k, from the tips.

    A load w on body k is taken off its f_k and n_k: the document's tip exerts -w."""
    forces, moments = np.zeros((s.size, 3)), np.zeros((s.size, 3))
    tau = np.zeros(s.model.nv)
    s.note_loads(PLAIN)
    for k in reversed(range(s.size)):
        mass = s.model.bodies[k].mass
        weight = -mass.mass * s.poses[k][0].T @ s.gravity  # what holds the body
        forces[k] += weight
        moments[k] += np.cross(np.array(mass.com), weight)
        if s.loads:
            moments[k] -= s.loads[k][:3]
            forces[k] -= s.loads[k][3:]
        s.note("W", weight, "what holds the weight", "N", k)
        s.note("f", forces[k], "force by the body before", "N", k)
        s.note("n", moments[k], "its moment about the origin", "N m", k)
        tau[s.slots[k]] = s.S[k][:3].T @ moments[k] + s.S[k][3:].T @ forces[k]
        if (parent := s.parents[k]) >= 0:
            E, P = turn_and_shift(s.X[k])
            carried = E.T @ forces[k]
            forces[parent] += carried
            moments[parent] += E.T @ moments[k] + np.cross(P, carried)
    return tau
