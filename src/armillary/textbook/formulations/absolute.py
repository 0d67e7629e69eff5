"""Absolute coordinates: every body moves by itself, joints are constraints with multipliers.

    [ M  C^T ] [ A ]   [ E^T (τ + r) - b ]
    [ C   0  ] [-λ ] = [       γ         ]

A: accelerations of all bodies; C: what the joints forbid of relative motion, T_k^T (A_k - X_k A_p);
E: what they allow, ψ_k^T (A_k - X_k A_p), which are the joint accelerations [VanDerMerwe1995,
2.10-2.16].  The tree is not used: it is the method that takes closed loops for granted.
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import pinv

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.tree_state import INERTIAS, TURN, WRENCH, TreeState, cross
from armillary.textbook.formulations.workbook import BODIES
from armillary.textbook.linear import solve, split


def absolute_coordinates(s: TreeState, tau: Array) -> Array:
    """[M C^T; C 0] [A; -λ] = [E^T τ - b; γ], all bodies free and every joint a constraint."""
    n, nv = 6 * s.size, s.model.nv
    M, b, E, drift = np.zeros((n, n)), np.zeros(n), np.zeros((nv, n)), np.zeros(nv)
    forbidden, gamma = [np.zeros((0, n))], [np.zeros(0)]
    own = [S @ s.v[slot] for S, slot in zip(s.S, s.slots, strict=True)]
    for k, u in enumerate(s.outward(s.v_0, own)):
        rows, slot, parent = slice(6 * k, 6 * k + 6), s.slots[k], s.parents[k]
        M[rows, rows] = s.I[k]
        b[rows] = -cross(u).T @ s.I[k] @ u
        relative = np.zeros((6, n))
        relative[:, rows] = np.eye(6)
        rate = s.c[k] + cross(u) @ own[k]  # relative acceleration that is no joint's
        if parent >= 0:
            relative[:, 6 * parent : 6 * parent + 6] = -s.X[k]
        else:
            rate = rate + s.X[k] @ s.a_0
        psi, T = pinv(s.S[k]), split(s.S[k])[1].T if s.S[k].size else np.eye(6)
        E[slot], drift[slot] = psi @ relative, psi @ rate
        forbidden.append(T @ relative)
        gamma.append(T @ rate)
    C = np.vstack(forbidden)
    M = M + E.T @ (s.rotors[:, None] * E)  # rotors turn with the relative motion
    heavy = np.abs(M).max(initial=0.0) or 1.0  # as well solved at any mass
    system = np.block([[M / heavy, C.T], [C, np.zeros((len(C), len(C)))]])
    s.note("M_bodies", M, "inertia of all bodies and of the rotors", INERTIAS, frame=BODIES)
    s.note("b", b, "gyroscopic forces", WRENCH, frame=BODIES)
    s.note("C", C, "what the joints forbid of relative motion (2.10)", frame=BODIES)
    s.note("gamma", np.concatenate(gamma), "what C asks of the accelerations", TURN, frame=BODIES)
    s.note("E", E, "what they allow (2.10-2.15)", frame=BODIES)
    pushes = E.T @ (tau + s.rotors * drift) - b
    if s.loads:
        pushes = pushes + s.note("w", np.concatenate(s.loads), "loads", WRENCH, frame=BODIES)
    A, minus_lambda = np.split(solve(system, np.concatenate([pushes / heavy, *gamma])), [n])
    s.note("A", A, "accelerations of all bodies", TURN, frame=BODIES)
    s.note(
        "lambda",
        -heavy * minus_lambda,
        "forces of constraint along the rows of C (2.16)",
        WRENCH,
        frame="rows of C",
    )
    return E @ A - drift
