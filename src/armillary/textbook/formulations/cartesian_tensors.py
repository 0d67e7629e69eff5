"""Inverse dynamics with tensors of the second order in the world's axes  [VanDerMerwe1995, ch. 3].

The motion of a body is its rotation R with two rates, and  A = R̈ R^T = ω~. + ω~ω~ (3.10, 3.11)
gives the acceleration of every point,  r̈ = s̈ + A (r - s) (3.17).  The Euler tensor J_c = R J' R^T
(3.29, 3.34) makes of it the torque tensor  M~ = A J_c - (A J_c)^T (3.75; errata 0-7 to 0-11).
"""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.tree_state import WRENCH, TreeState, turn_and_shift
from armillary.textbook.formulations.workbook import WORLD
from armillary.textbook.parts import skew


def cartesian_tensors(s: TreeState, a: Array) -> Array:
    """M~ = A J - (A J)^T and F = m (s̈ + A r_c) of every body, carried to every joint."""
    tau = s.rotors * a
    bodies: list[tuple[Array, ...]] = []
    w, alpha = skew(s.v_0[:3]), skew(s.a_0[:3])
    origin_acceleration = s.a_0[3:] + np.cross(s.v_0[:3], s.v_0[3:])
    world = (np.eye(3), w, alpha + w @ w, np.zeros(3), origin_acceleration)
    for k, (slot, parent) in enumerate(zip(s.slots, s.parents, strict=True)):
        bodies.append(_moved(s, k, bodies[parent] if parent >= 0 else world, a[slot]))
        R, _, R_dd, p, p_dd = bodies[k]
        s.note("R", R, "turn of the body", "1", k, frame=WORLD)
        s.note("p", p, "its origin", "m", k, frame=WORLD)
        s.note(
            "pdd",
            p_dd,
            "acceleration of the origin, gravity as an upward one (3.17)",
            "m/s²",
            k,
            frame=WORLD,
        )
        mass, A = s.model.bodies[k].mass, R_dd @ R.T  # (3.11)
        arm = R @ np.array(mass.com)
        F = mass.mass * (p_dd + A @ arm)  # (3.17, 3.57)
        s.note("A", A, "R̈ R^T = ω~. + ω~ω~ (3.10, 3.11)", "1/s²", k, frame=WORLD)
        s.note("J", _euler(mass.tensor, R), "Euler tensor (3.29, 3.34)", "kg m²", k, frame=WORLD)
        s.note("F", F, "m (p̈ + A r_c): net force (3.17, 3.57)", "N", k, frame=WORLD)
        moment = _dual(A @ _euler(mass.tensor, R) - (A @ _euler(mass.tensor, R)).T)  # (3.75)
        s.note(
            "M",
            moment,
            "dual of A J - (A J)^T: net moment about the centre of mass (3.75)",
            "N m",
            k,
            frame=WORLD,
        )
        if s.loads:  # the joints carry less by the load
            n, f = s.load_at_centre(k)
            s.note("w", np.hstack([n, f]), "load about that centre", WRENCH, k, frame=WORLD)
            moment, F = moment - n, F - f
        joint = k
        while joint >= 0:
            R_j, p_j = bodies[joint][0], bodies[joint][3]
            about = moment + np.cross(p + arm - p_j, F)  # (3.65)
            S = s.S[joint]
            tau[s.slots[joint]] += (R_j @ S[:3]).T @ about + (R_j @ S[3:]).T @ F
            joint = s.parents[joint]
    return tau


def _moved(s: TreeState, k: int, parent: tuple[Array, ...], a: Array) -> tuple[Array, ...]:
    """(R, Ṙ, R̈, p, p̈) of body k: products R_p E and p_p + R_p r, differentiated twice."""
    R, R_d, R_dd, p, p_dd = parent
    E, r = turn_and_shift(s.X[k])
    E = E.T  # from the body's axes to the parent's
    relative, rate = s.S[k] @ s.v[s.slots[k]], s.S[k] @ a + s.c[k]
    w, u = skew(relative[:3]), relative[3:]
    E_d, E_dd = E @ w, E @ (w @ w + skew(rate[:3]))
    r_d, r_dd = E @ u, E @ (w @ u + rate[3:])
    return (
        R @ E,
        R_d @ E + R @ E_d,
        R_dd @ E + 2.0 * R_d @ E_d + R @ E_dd,
        p + R @ r,
        p_dd + R_dd @ r + 2.0 * R_d @ r_d + R @ r_dd,
    )


def _euler(tensor: tuple[float, ...], R: Array) -> Array:
    """J_c = ½ tr(I_c) 1 - I_c (3.29), along the world's axes (3.34)."""
    xx, yy, zz, xy, xz, yz = tensor
    I_c = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return R @ (0.5 * np.trace(I_c) * np.eye(3) - I_c) @ R.T


def _dual(tensor: Array) -> Array:
    """The vector of a skew tensor (3.68)."""
    return np.array([tensor[2, 1], tensor[0, 2], tensor[1, 0]])
