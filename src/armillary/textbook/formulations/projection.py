"""The joint-space inertia as a sum over bodies: each gives what its Jacobian projects.

inertia_projection    M = Σ m J_v^T J_v + J_ω^T I_c J_ω          world axes, at centres of mass
structural_growth     H_i = H*_{i-1} + J_i^T I_i J_i             one link after the other, its frame
                                                                  [VanDerMerwe1995, 5.31-5.46]
"""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.tree_state import INERTIAS, TreeState
from armillary.textbook.formulations.workbook import JOINTS, MOTION, WORLD
from armillary.textbook.parts import skew


def partial_velocities(s: TreeState) -> list[tuple[Array, Array]]:
    """(J_ω, J_v) of every body, (3, nv) each: angular velocity, and velocity of the centre of
    mass, per unit of every joint velocity, along the world's axes."""
    found = []
    for k, body in enumerate(s.model.bodies):
        R, p = s.poses[k]
        centre = p + R @ np.array(body.mass.com)
        J_w, J_v = np.zeros((3, s.model.nv)), np.zeros((3, s.model.nv))
        joint = k
        while joint >= 0:  # every joint on the way to the root moves the body
            R_j, p_j = s.poses[joint]
            turn, slide = R_j @ s.S[joint][:3], R_j @ s.S[joint][3:]
            J_w[:, s.slots[joint]] = turn
            J_v[:, s.slots[joint]] = slide - skew(centre - p_j) @ turn
            joint = s.parents[joint]
        found.append((J_w, J_v))
    return found


def central_tensor(s: TreeState, k: int) -> Array:
    """I_c of body k along the world's axes (kg m²):  R I' R^T  [VanDerMerwe1995, 3.34]."""
    xx, yy, zz, xy, xz, yz = s.model.bodies[k].mass.tensor
    R = s.poses[k][0]
    return R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T


def inertia_projection(s: TreeState) -> Array:
    """M = Σ m J_v^T J_v + J_ω^T I_c J_ω: what every body's motion costs, at its centre of mass."""
    M = s.note("M_0", np.diag(s.rotors), "rotors", INERTIAS)
    for k, (J_w, J_v) in enumerate(partial_velocities(s)):
        I_c = s.note("I_c", central_tensor(s, k), "R I' R^T (3.34)", "kg m²", k, frame=WORLD)
        s.note("J_w", J_w, "partial angular velocities", "1, 1/m", k, frame=WORLD)
        s.note("J_v", J_v, "partial velocities of the centre of mass", "m, 1", k, frame=WORLD)
        part = s.model.bodies[k].mass.mass * J_v.T @ J_v + J_w.T @ I_c @ J_w
        M = M + s.note(
            "M", part, "m J_v^T J_v + J_w^T I_c J_w: what the body adds", INERTIAS, k, frame=JOINTS
        )
    return M


def structural_growth(s: TreeState) -> Array:
    """H_i = H*_{i-1} + J_i^T I_i J_i: the chain grows by one link at a time (5.43-5.46)."""
    H, J = np.zeros((0, 0)), np.zeros((6, 0))
    s.note_parts()
    for k, (X, phi, I) in enumerate(zip(s.X, s.S, s.I, strict=True)):
        J = np.hstack([X @ J, phi])  # (5.38)
        s.note("J", J, "Jacobian of the link: [X J_before, phi] (5.38)", "1, m", k, MOTION)
        before, H = H, np.zeros((J.shape[1], J.shape[1]))
        H[: len(before), : len(before)] = before  # (5.43)
        H += J.T @ I @ J  # (5.46)
        s.note("H", H, "inertia of the chain up to this link (5.46)", INERTIAS, k, frame=JOINTS)
    return H + np.diag(s.rotors)
