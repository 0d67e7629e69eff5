"""Spatial operators: the whole tree in stacked matrices  [Yesiloglu2007, chapters 2, 3].

    V = Φ (H θ̇ + V_0),   V̇ = Φ (H θ̈ + a),   F = Φ^T (M V̇ + b),   τ = H^T F
    M = H^T Φ^T M Φ H = (1 + K Φ H)^T D (1 + K Φ H),   M^-1 = (1 - K Ψ H) D^-1 (1 - K Ψ H)^T

A mobile base is the joint of the first body, with H = 1: then its block of I_AB holds what all
arms add, and E_ψ its column (errata 2-11).  Joints of several axes have matrices D_k (2-10), bias
accelerations hold the motion of the axes themselves (2-2), and rotors stand in D.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.tree_state import (
    INERTIAS,
    TURN,
    VELOCITY,
    WRENCH,
    TreeState,
    cross,
)
from armillary.textbook.formulations.workbook import BODIES, JOINTS
from armillary.textbook.linear import solve


class Operators:
    """The stacked operators of a tree at one state, in body frames; n bodies, 6n rows."""

    def __init__(self, s: TreeState):
        self.state = s
        n, nv = 6 * s.size, s.model.nv
        self.E_phi, self.M = np.zeros((n, n)), np.zeros((n, n))
        self.H = np.zeros((n, nv))
        for k, parent in enumerate(s.parents):
            self.H[_rows(k), s.slots[k]] = s.S[k]
            self.M[_rows(k), _rows(k)] = s.I[k]
            if parent >= 0:
                self.E_phi[_rows(k), _rows(parent)] = s.X[k]  # (3.9)

    @cached_property
    def Phi(self) -> Array:
        """Φ = (1 - E_φ)^-1 (3.11)."""
        return solve(np.eye(len(self.E_phi)) - self.E_phi, np.eye(len(self.E_phi)))

    def _of_world(self, motion: Array) -> Array:
        """A motion of the world, as the bodies that hang on it see it."""
        s = self.state
        parts = [s.X[k] @ motion if p < 0 else np.zeros(6) for k, p in enumerate(s.parents)]
        return np.concatenate(parts)

    @cached_property
    def V(self) -> Array:
        """Velocities of all bodies (2.11)."""
        return self.Phi @ (self.H @ self.state.v + self._of_world(self.state.v_0))

    @cached_property
    def a(self) -> Array:
        """Bias accelerations (2.16; errata 2-2), and those of the world (2.29; 2-5)."""
        s, found = self.state, self._of_world(self.state.a_0)
        for k in range(s.size):
            joint_motion = s.S[k] @ s.v[s.slots[k]]
            found[_rows(k)] += s.c[k] + cross(self.V[_rows(k)]) @ joint_motion
        return found

    @cached_property
    def b(self) -> Array:
        """Gyroscopic forces V ×* (M V) (2.20)."""
        momentum = self.M @ self.V
        parts = [-cross(self.V[_rows(k)]).T @ momentum[_rows(k)] for k in range(self.state.size)]
        return np.concatenate(parts)

    @cached_property
    def I_AB(self) -> Array:
        """Articulated-body inertias, block by block from the tips (3.1, 3.17; errata 2-11)."""
        s, found = self.state, self.M.copy()
        for k in reversed(range(s.size)):
            if s.parents[k] >= 0:
                I, S, X = found[_rows(k), _rows(k)], s.S[k], s.X[k]
                D = S.T @ I @ S + np.diag(s.rotors[s.slots[k]])
                psi = X - S @ solve(D, S.T @ I @ X)  # Ψ_{k,k-1} (3.2; 2-10)
                there = _rows(s.parents[k])
                found[there, there] += X.T @ I @ psi
        return found

    @cached_property
    def D(self) -> Array:
        """H^T I_AB H, block diagonal (3.14; errata 2-15)."""
        return self.H.T @ self.I_AB @ self.H + np.diag(self.state.rotors)

    @cached_property
    def K(self) -> Array:
        """D^-1 H^T I_AB E_φ (3.16)."""
        return solve(self.D, self.H.T @ self.I_AB @ self.E_phi)

    @cached_property
    def Psi(self) -> Array:
        """Ψ = (1 - E_ψ)^-1 with E_ψ = E_φ - H K (3.18, 3.21)."""
        E_psi = self.E_phi - self.H @ self.K
        return solve(np.eye(len(E_psi)) - E_psi, np.eye(len(E_psi)))

    @property
    def bias(self) -> Array:
        """C = H^T Φ^T (M Φ a + b) (2.24; errata 2-4: gravity is in a)."""
        return self.H.T @ self.Phi.T @ (self.M @ self.Phi @ self.a + self.b)


def _rows(k: int) -> slice:
    return slice(6 * k, 6 * k + 6)


# what operators show: symbol, meaning, unit
_STACKED = {
    "E_phi": ("shifts from body to body (3.9)", "1, m"),
    "H": ("axes of all joints (2.11)", "1, m"),
    "M": ("spatial inertias of all bodies (2.21)", INERTIAS),
    "Phi": ("(1 - E_φ)^-1 (3.11)", "1, m"),
    "V": ("velocities of all bodies (2.11)", VELOCITY),
    "a": ("bias accelerations and those of the world (2.16, 2.29)", TURN),
    "b": ("gyroscopic forces (2.20)", WRENCH),
    "I_AB": ("articulated-body inertias (3.1, 3.17)", INERTIAS),
    "D": ("H^T I_AB H (3.14)", INERTIAS),
    "K": ("D^-1 H^T I_AB E_φ (3.16)", "1, m"),
    "Psi": ("(1 - E_ψ)^-1 (3.18, 3.21)", "1, m"),
    "bias": ("velocity forces and weight, H^T Φ^T (M Φ a + b) (2.24)", "N m or N"),
}


def _noted(s: TreeState, *symbols: str) -> Operators:
    """The operators, with those that a formulation uses written down."""
    o = Operators(s)
    for symbol in symbols if s.workbook is not None else ():
        along = JOINTS if symbol in ("D", "bias") else BODIES
        shown = {"M": "M_bodies", "a": "a_bias", "bias": "C"}.get(symbol, symbol)
        s.note(shown, getattr(o, symbol), *_STACKED[symbol], frame=along)
    return o


def operator_product(s: TreeState) -> Array:
    """M = H^T Φ^T M Φ H (2.33)."""
    o = _noted(s, "E_phi", "H", "M", "Phi")
    return o.H.T @ o.Phi.T @ o.M @ o.Phi @ o.H + np.diag(s.rotors)


def operator_factors(s: TreeState) -> Array:
    """M = (1 + K Φ H)^T D (1 + K Φ H) (3.34)."""
    o = _noted(s, "E_phi", "H", "M", "Phi", "I_AB", "D", "K")
    L = np.eye(s.model.nv) + o.K @ o.Phi @ o.H
    s.note("L", L, "1 + K Φ H (3.34)")
    return L.T @ o.D @ L


def operator_inverse(s: TreeState, tau: Array) -> Array:
    """θ̈ = (1 - K Ψ H) D^-1 (1 - K Ψ H)^T (τ - C) (3.38)."""
    o = _noted(s, "E_phi", "H", "M", "Phi", "V", "a", "b", "bias", "I_AB", "D", "K", "Psi")
    L = np.eye(s.model.nv) - o.K @ o.Psi @ o.H  # (3.35)
    s.note("L", L, "1 - K Ψ H (3.35)")
    return L @ solve(o.D, L.T @ (tau - o.bias))


def operator_torques(s: TreeState, a: Array) -> Array:
    """τ = H^T Φ^T [M Φ (H θ̈ + a) + b] (2.20-2.24)."""
    o = _noted(s, "E_phi", "H", "M", "Phi", "V", "a", "b")
    V_dot = o.Phi @ (o.H @ a + o.a)
    s.note("V_dot", V_dot, "accelerations of all bodies, Φ (H θ̈ + a) (2.17)", TURN, frame=BODIES)
    net, less = o.M @ V_dot + o.b, " - w" if s.loads else ""
    if s.loads:
        net = net - s.note("w", np.concatenate(s.loads), "loads", WRENCH, frame=BODIES)
    F = o.Phi.T @ net
    s.note("F", F, f"forces in all joints, Φ^T (M V̇ + b{less}) (2.21)", WRENCH, frame=BODIES)
    return o.H.T @ F + s.rotors * a
