"""Open chains in inertial quasi-coordinates, and on to joint coordinates  [QuinnChang1991, 1-39].

Unknown are R̈, the acceleration of the first joint, and ω̇_i, those of the bodies in their own
frames.  Three transformations lead from there to the joints:

    A (R̈; ω̇) = f          inertial quasi-coordinates      (29)
    B = G^T A G             relative ones, ω = G Ω           (31, 32)
    M_c = D^T B D           joint coordinates, Ω = D α̇       (34-37)

The base is fixed, or free to translate: then the first joint is a floating one.  Corrected: S of
eq 16 (errata 4-4), R̈ and g inside the sum of 22b (4-7), Ḋ in the last term of 39 (4-8); g points
up (4-2).  Here x~ is the matrix of x × ..., the transpose of the document's (eq 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.tree_state import TreeState, turn_and_shift
from armillary.textbook.linear import solve
from armillary.textbook.parts import skew
from armillary.textbook.table import FORCE, INERTIA, TURN, Table


@dataclass(frozen=True)
class QuasiCoordinates(Table):
    """Open chain in inertial, relative and joint coordinates [QuinnChang1991, 22-39]

    Three rows for R, along the world's axes, then three per body, along its own."""

    A: Annotated[Array, "inertia in inertial quasi-coordinates (29)", INERTIA]
    g_0: Annotated[Array, "left side of 22 without accelerations", "N, N m"]
    G: Annotated[Array, "inertial from relative velocities, ω = G Ω (27)"]
    h: Annotated[Array, "what ω̇ has beside G Ω̇ (31a)", "m/s², rad/s²"]
    D: Annotated[Array, "relative velocities from joint rates, Ω = D α̇ (35)"]
    D_rate: Annotated[Array, "Ḋ α̇ (34a)", "m/s², rad/s²"]
    B: Annotated[Array, "G^T A G (32)", INERTIA]
    M_c: Annotated[Array, "D^T B D: inertia in joint coordinates (37)", INERTIA]

    def forces(self, acceleration: Array) -> Annotated[Array, "D^T G^T g (26)", FORCE]:
        """Joint forces of joint accelerations: the control problem, τ = D^T G^T g."""
        Omega_d = self.D @ acceleration + self.D_rate  # (34a)
        omega_d = self.G @ Omega_d + self.h  # (31a)
        return self.D.T @ self.G.T @ (self.A @ omega_d + self.g_0)  # (26)

    def accelerations(self, tau: Array) -> Annotated[Array, "α̈ (39)", TURN]:
        """The mixed form: α̈ = M_c^-1 D^T G^T [f - A h - A G Ḋ α̇], f being τ less g_0."""
        left = self.g_0 + self.A @ self.h + self.A @ self.G @ self.D_rate
        return solve(self.M_c, tau - self.D.T @ self.G.T @ left)


def quasi_coordinates(s: TreeState) -> QuasiCoordinates:
    """All matrices of the chain at one state."""
    chain = _Chain(s)
    A, g_0 = chain.inertia(), chain.forces_at_constant_velocity()
    G, h = chain.relative()
    D, D_rate = chain.joint_rates()
    B = G.T @ A @ G
    return QuasiCoordinates(A, g_0, G, h, D, D_rate, B, D.T @ B @ D + np.diag(s.rotors))


class _Chain:
    """The document's symbols; bodies count from 0, and rows of R come first."""

    def __init__(self, s: TreeState):
        self.s, self.n = s, s.size
        self.C_N = [R for R, _ in s.poses]  # C_Ni: from body i to the inertial frame
        self.L = [turn_and_shift(s.X[i + 1])[1] for i in range(s.size - 1)] + [np.zeros(3)]
        self.m = np.array([body.mass.mass for body in s.model.bodies])
        self.S = [body.mass.mass * np.array(body.mass.com) for body in s.model.bodies]
        self.I = [I[:3, :3] for I in s.I]  # about the joint
        self.Omega = [S[:3] @ s.v[slot] for S, slot in zip(s.S, s.slots, strict=True)]
        self.omega: list[Array] = []
        for i, Omega in enumerate(self.Omega):  # (30b), one after the other
            self.omega.append(Omega + (self.C(i, i - 1) @ self.omega[i - 1] if i else 0.0))
        # what body i carries: its first moment, and the masses beyond at the far end
        beyond = [float(self.m[i + 1 :].sum()) for i in range(self.n)]
        self.carried = [S + m * L for S, m, L in zip(self.S, beyond, self.L, strict=True)]
        self.beyond = beyond

    def C(self, i: int, j: int) -> Array:
        """C_ij: from body j to body i."""
        return self.C_N[i].T @ self.C_N[j]

    def inertia(self) -> Array:
        """A of 29: coefficients of R̈ and ω̇ in 22, with  A(b) = ω̇ × b + ... = -b~ ω̇ + ..."""
        A = np.zeros((3 + 3 * self.n, 3 + 3 * self.n))
        A[:3, :3] = self.m.sum() * np.eye(3)  # (22a)
        for i in range(self.n):
            here, arm = _rows(i), skew(self.carried[i])
            A[:3, here] = -self.C_N[i] @ arm
            A[here, :3] = A[:3, here].T
            L = skew(self.L[i])
            A[here, here] = self.I[i] - self.beyond[i] * L @ L  # (22b)
            for k in range(i + 1, self.n):
                # body i feels the first moment that body k carries, at the lever L_i
                A[here, _rows(k)] = -L @ self.C(i, k) @ skew(self.carried[k])
                A[_rows(k), here] = A[here, _rows(k)].T
        return A

    def forces_at_constant_velocity(self) -> Array:
        """Left side of 22 with R̈ = 0, ω̇ = 0: centrifugal terms and gravity, which points up."""
        g = -self.s.gravity
        swing = [np.cross(w, np.cross(w, b)) for w, b in zip(self.omega, self.carried, strict=True)]
        ends = [np.cross(w, np.cross(w, L)) for w, L in zip(self.omega, self.L, strict=True)]
        found = np.zeros(3 + 3 * self.n)
        found[:3] = self.m.sum() * g + sum(C @ x for C, x in zip(self.C_N, swing, strict=True))
        for i, w in enumerate(self.omega):
            up = self.C_N[i].T @ g
            inner = up + sum(self.C(i, j) @ ends[j] for j in range(i))  # of joint i
            outer = self.beyond[i] * ends[i] + sum(
                self.C(i, k) @ swing[k] for k in range(i + 1, self.n)
            )
            found[_rows(i)] = (
                np.cross(w, self.I[i] @ w)
                + np.cross(self.carried[i], inner)
                + np.cross(self.L[i], outer)
            )
        return found

    def relative(self) -> tuple[Array, Array]:
        """G (27) and h (31a):  ω̇_i = Σ C_ij Ω̇_j + (C_ij ω_j~ - ω_i~ C_ij) Ω_j."""
        G, h = np.eye(3 + 3 * self.n), np.zeros(3 + 3 * self.n)
        for i in range(self.n):
            for j in range(i + 1):
                C, Omega = self.C(i, j), self.Omega[j]
                G[_rows(i), _rows(j)] = C
                turned = C @ np.cross(self.omega[j], Omega)
                h[_rows(i)] += turned - np.cross(self.omega[i], C @ Omega)  # (30a)
        return G, h

    def joint_rates(self) -> tuple[Array, Array]:
        """D (35) and Ḋ α̇ (34a); a floating first joint moves R by its own velocity."""
        s = self.s
        D, rate = np.zeros((3 + 3 * self.n, s.model.nv)), np.zeros(3 + 3 * self.n)
        for i, slot in enumerate(s.slots):
            D[_rows(i), slot] = s.S[i][:3]
            rate[_rows(i)] = s.c[i][:3]
        if self.n and s.model.bodies[0].joint.kind == "free":
            C, (w, u) = self.C_N[0], np.split(s.v[s.slots[0]], 2)
            D[:3, s.slots[0]] = C @ s.S[0][3:]
            rate[:3] = C @ np.cross(w, u)  # R̈ = C (v̇ + ω × v)
        return D, rate


def _rows(i: int) -> slice:
    return slice(3 + 3 * i, 6 + 3 * i)


def _noted(s: TreeState) -> QuasiCoordinates:
    chain = quasi_coordinates(s)
    s.note_fields(chain, "rows of R in the world, then of every body in its frame")
    return chain


def mixed_form(s: TreeState, tau: Array) -> Array:
    """α̈ = M_c^-1 D^T G^T [f - A h - A G Ḋ α̇] (39)."""
    return _noted(s).accelerations(tau)


def quasi_torques(s: TreeState, a: Array) -> Array:
    """τ = D^T G^T g: forces in inertial quasi-coordinates, turned to the joints (22-26)."""
    return _noted(s).forces(a) + s.rotors * a


def configuration_inertia(s: TreeState) -> Array:
    """M_c = D^T G^T A G D (37)."""
    return _noted(s).M_c
