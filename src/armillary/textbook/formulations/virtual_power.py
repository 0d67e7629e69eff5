"""Kane's equations: forces of inertia and gravity, each times its partial velocity, in the world.

τ_r = Σ_k  J_v,r · m (a_c - g)  +  J_ω,r · (I_c α + ω × I_c ω)
"""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.projection import central_tensor, partial_velocities
from armillary.textbook.formulations.tree_state import WRENCH, TreeState, cross
from armillary.textbook.formulations.workbook import JOINTS, WORLD


def virtual_power(s: TreeState, a: Array) -> Array:
    """τ_r = Σ J_v,r · m (a_c - g) + J_ω,r · (I_c α + ω × I_c ω)."""
    own = [S @ s.v[slot] for S, slot in zip(s.S, s.slots, strict=True)]
    velocity = s.outward(s.v_0, own)
    gains = [
        S @ a[slot] + c + cross(u) @ v_J
        for S, slot, c, u, v_J in zip(s.S, s.slots, s.c, velocity, own, strict=True)
    ]
    tau = s.rotors * a
    partial = partial_velocities(s)
    for k, (u, rate) in enumerate(zip(velocity, s.outward(s.a_0, gains), strict=True)):
        mass, R = s.model.bodies[k].mass, s.poses[k][0]
        c, w, alpha = np.array(mass.com), u[:3], rate[:3]
        # from the spatial acceleration to that of the origin, and on to the centre of mass
        a_c = rate[3:] + np.cross(w, u[3:]) + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
        I_c, (J_w, J_v) = central_tensor(s, k), partial[k]
        s.note("J_w", J_w, "partial angular velocities", "1, 1/m", k, frame=WORLD)
        s.note("J_v", J_v, "partial velocities of the centre of mass", "m, 1", k, frame=WORLD)
        s.note(
            "a_c",
            R @ a_c,
            "acceleration of the centre of mass, less gravity",
            "m/s²",
            k,
            frame=WORLD,
        )
        turn = I_c @ (R @ alpha) + np.cross(R @ w, I_c @ (R @ w))
        push = s.note("F", mass.mass * (R @ a_c), "m (a_c - g)", "N", k, frame=WORLD)
        s.note("N", turn, "I_c α + ω × I_c ω", "N m", k, frame=WORLD)
        if s.loads:
            n, f = s.load_at_centre(k)
            s.note("w", np.hstack([n, f]), "load about that centre", WRENCH, k, frame=WORLD)
            turn, push = turn - n, push - f
        tau = tau + s.note(
            "tau",
            J_v.T @ push + J_w.T @ turn,
            "power of the body, less that of its load, per unit of joint velocity",
            "N m or N",
            k,
            frame=JOINTS,
        )
    return tau
