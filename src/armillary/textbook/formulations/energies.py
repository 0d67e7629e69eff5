"""Nothing but energies: the inertia as a Hessian, Lagrange's and the Boltzmann-Hamel equations.

T(q, v) = ½ Σ v_k · I_k v_k and V(q) = -Σ m g · c are all that is known of the mechanism here.  T is
quadratic in v, so its second derivatives are differences without error, and derivatives along q
are complex steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.tree_state import STEP, Axes, TreeState, cross, turn_and_shift


def kinetic_energy(s: TreeState, v: Array, axes: Sequence[Axes] | None = None) -> Array:
    """T (B,) of velocities v (nv, B), J; the ground is at rest."""
    joints = axes or s.axes
    own = [joint.S @ v[slot] for joint, slot in zip(joints, s.slots, strict=True)]
    start = np.zeros((6, v.shape[1]))
    T = np.sum(s.rotors[:, None] * v * v, axis=0) * 0.5
    for I, u in zip(s.I, s.outward(start, own, joints), strict=True):
        T = T + np.sum(u * (I @ u), axis=0) * 0.5
    return T


def potential_energy(s: TreeState, axes: Sequence[Axes] | None = None) -> complex:
    """V = -Σ m g · c, J; zero at the world's origin."""
    V: complex = 0.0
    poses: list[tuple[Array, Array]] = []
    for k, joint in enumerate(axes or s.axes):
        R, p = poses[s.parents[k]] if s.parents[k] >= 0 else (np.eye(3), np.zeros(3))
        E, r = turn_and_shift(joint.X)
        poses.append((R @ E.T, p + R @ r))
        mass = s.model.bodies[k].mass
        V -= mass.mass * s.gravity @ (poses[k][1] + poses[k][0] @ np.array(mass.com))
    return V


def kinetic_hessian(s: TreeState) -> Array:
    """M_ij = ∂²T/∂v_i∂v_j = T(e_i + e_j) - T(e_i) - T(e_j)."""
    n = s.model.nv
    i, j = np.triu_indices(n)
    unit = np.eye(n)
    single = kinetic_energy(s, unit)
    s.note("T", single, "kinetic energy T(e_i) at unit speed of every joint", "J")
    M = np.zeros((n, n))
    M[i, j] = M[j, i] = kinetic_energy(s, unit[:, i] + unit[:, j]) - single[i] - single[j]
    return M


def _momentum_rate(s: TreeState, a: Array) -> Array:
    """d/dt ∂T/∂v along the motion."""
    return np.asarray(_momenta(s, s.v + 1j * STEP * a, s.along_motion()).imag / STEP)


def _momenta(s: TreeState, v: Array, axes: Sequence[Axes] | None = None) -> Array:
    """∂T/∂v_i = (T(v + ε e_i) - T(v) - T(ε e_i)) / ε, with steps ε as large as v: of smaller
    speeds a step of 1 would leave rounding alone."""
    n, step = s.model.nv, float(np.abs(s.v).max(initial=0.0)) or 1.0
    steps = step * np.eye(n)
    states = np.hstack([v[:, None] + steps, steps, v[:, None]])
    T = kinetic_energy(s, states, axes)
    return np.asarray((T[:n] - T[n : 2 * n] - T[2 * n]) / step)


def _slopes(s: TreeState) -> Array:
    """∂(T - V)/∂π_i: along every joint axis."""
    found = np.zeros(s.model.nv)
    for k, slot in enumerate(s.slots):
        for n in range(slot.stop - slot.start):
            axes = list(s.axes)
            axes[k] = s.moved(k, n)
            T = kinetic_energy(s, s.v[:, None].astype(complex), axes)[0]
            found[slot.start + n] = (T - potential_energy(s, axes)).imag / STEP
    return found


def potential_slopes(s: TreeState) -> Array:
    """∂V/∂π_i: the forces that hold the mechanism at rest."""
    at_rest = TreeState(s.machine, s.q, 0.0 * s.v, s.passive)
    s.note("V", np.array([potential_energy(s)]).real, "potential energy of the weight", "J")
    return -_slopes(at_rest)


def lagrange(s: TreeState, a: Array) -> Array:
    """d/dt (∂L/∂q̇) - ∂L/∂q = τ, with L = T - V."""
    if s.workbook is not None:
        s.note("T", kinetic_energy(s, s.v[:, None]), "kinetic energy", "J")
        s.note("V", np.array([potential_energy(s)]).real, "potential energy of the weight", "J")
    rate = s.note("pdot", _momentum_rate(s, a), "d/dt (∂L/∂q̇)", "N m or N")
    return rate - s.note("dL/dq", _slopes(s), "∂L/∂q", "N m or N")


def boltzmann_hamel(s: TreeState, a: Array) -> Array:
    """d/dt (∂T/∂ω) + ω ×* ∂T/∂ω + ∂(V - T)/∂π = τ in quasi-velocities (18b).

    The middle term is that of joints whose velocities are no rates of coordinates: a ball's angular
    velocity, a floating body's motion (ω; v) in its own frame."""
    n = s.model.nv
    p = _momenta(s, s.v)
    turning = np.zeros(n)
    for slot, joint in zip(s.slots, s.model.joints, strict=True):
        if joint.nq != joint.nv:
            width = slot.stop - slot.start
            motion, momentum = np.zeros(6), np.zeros(6)
            motion[:width], momentum[:width] = s.v[slot], p[slot]
            turning[slot] = (-cross(motion).T @ momentum)[:width]
    s.note("p", p, "momenta ∂T/∂ω", "kg m²/s or kg m/s")
    s.note("w x p", turning, "ω ×* ∂T/∂ω of joints with quasi-velocities (18b)", "N m or N")
    return lagrange(s, a) + turning
