"""Closed mechanisms as arms between contact bodies  [Yesiloglu2007, 5.24-5.60]; the equations stand
in textbook/vehicle.py.
"""

from __future__ import annotations

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.closed import ClosedState
from armillary.textbook.formulations.workbook import WORLD
from armillary.textbook.vehicle import vehicle

# operators that lead to the equation of motion: meaning, unit
_SHOWN = {
    "H": ("axes of all joints of all arms (5.28)", "1, m"),
    "phi": ("shifts along the arms (5.28)", "1, m"),
    "J": ("σ_t φ H: Jacobian of the tips (5.29)", "1, m"),
    "A_tc": ("tips per contact body (5.26)", "1, m"),
    "A_0bc": ("bases per contact body (5.25)", "1, m"),
    "A_bs0": ("bases per speed of the road (5.25)", "1"),
    "L_t": ("(1 - φ_tb A_0bc A_tc^+)^-1 (5.31)", "1, m"),
    "L_s": ("L_t φ_tb A_bs0 (5.31)", "1, m"),
    "V_tips": ("velocities of the tips, L_t J θ̇ + L_s V^s (5.31)", "rad/s, m/s"),
    "Jdot_qd": ("bias accelerations of the tips (5.33)", "rad/s², m/s²"),
    "annihilator": ("Ã, of A_tc (5.39)", ""),
}


def arms_between_contacts(c: ClosedState, tau: Array) -> Array:
    """θ̈ = N_a T + N_c θ̇ + N_d α^s + N_e V^s + N_f (5.60): arms whose tips meet, V_t = A_tc V^c."""
    c.refuse_contradictions()
    free = len(c.M) - c.rank
    x = vehicle(c.machine, c.q, c.v, tau, external=c.external, passive=c.passive, freedoms=free)
    place = f"{WORLD}, six rows per arm: {', '.join(x.arms)}"
    for symbol, (about, unit) in _SHOWN.items():
        c.note(symbol, getattr(x.operators, symbol), about, unit, frame=place)
    c.note_fields(x, f"joints of the arms: {', '.join(x.labels)}; 6-vectors in the world")
    return x.acceleration
