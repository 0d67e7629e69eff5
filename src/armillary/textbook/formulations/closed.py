"""Closed mechanisms: accelerations that obey  M a = force + J^T λ,  J a = γ,  in ways that share
nothing but these rows.  Rows may be redundant: their rank is found first and is the same for all.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.linalg import svd
from scipy.linalg import qr

from armillary.constraints.equations import System
from armillary.constraints.nullspace import Factor
from armillary.errors import ModelError
from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.workbook import ROWS, Noting
from armillary.textbook.linear import pseudo_inverse, solve
from armillary.textbook.parts import single_wrenches

_FORCE, _ACCELERATION = "N m or N", "rad/s² or m/s²"
_NOTHING = 1e-14  # of the largest entry: a row or an inertia of less is none, and not scaled up
_ROW_FORCE = "N m or N, by the scale of the rows"


class ClosedState(Noting):
    """A closed mechanism at q, v; joint forces come with every question."""

    def __init__(
        self, machine: Any, q: Array, v: Array, passive: bool = True, external: Any = None
    ):
        self.machine, self.q, self.v = machine, q, v
        self.passive, self.external = passive, single_wrenches(external)
        self.equations = machine.constraint_solver.equations

    @cached_property
    def _without_drives(self) -> System:
        rest = np.zeros((1, self.equations.tables.nv))
        q, v = self.q[None], self.v[None]
        return self.equations.system(q, v, rest, self.external, self.passive)

    @property
    def M(self) -> Array:
        """Inertia of the tree."""
        return self._without_drives.M[0]

    @cached_property
    def factor(self) -> Factor:
        return self.equations.factor(self._without_drives.terms, native=False)

    @cached_property
    def J(self) -> Array:
        """Rows of the constraints, in units of one length."""
        return self.equations.scaling.rows[:, None] * self._without_drives.terms.J[0]

    @cached_property
    def gamma(self) -> Array:
        """What the rows ask of the accelerations."""
        return self.equations.scaling.rows * self._without_drives.target[0]

    @property
    def rank(self) -> int:
        return self.factor.rank

    def force(self, tau: Array) -> Array:
        """Drives, less velocity, gravity and resistance forces of the tree."""
        self.note("M", self.M, "inertia of the tree (2.33)", "kg m², kg m, kg")
        f = tau + self._without_drives.force[0]
        self.note(
            "f", f, "drives and loads less velocity, gravity and passive forces, T - C", _FORCE
        )
        self.note("J", self.J, "of J v = 0, in units of one length", frame=ROWS)
        self.note("gamma", self.gamma, "what the rows ask of J a", frame=ROWS)
        return f

    @property
    def contradictory(self) -> bool:
        """Is there no acceleration that obeys all rows?"""
        off = self.factor.motion(self._without_drives.target[0])[1] * self.equations.scaling.rows
        largest = np.abs(self.gamma).max(initial=0.0)
        return bool(np.abs(off).max(initial=0.0) > 1e-9 * (1.0 + largest))

    def refuse_contradictions(self) -> None:
        """Where no motion obeys all rows, every method has its own nearest one."""
        if self.contradictory:
            raise ModelError("rows of the constraints contradict each other at this state")
        if not self.equations.constraints.ideal:
            raise ModelError("constraints with friction push beside their rows")

    def responses(self) -> Array:
        """N (N^T M N)^-1 N^T: accelerations per unit of joint force."""
        N = self.factor.free
        return N @ solve(N.T @ self.M @ N, N.T) if N.size else np.zeros_like(self.M)


def compiled_closed(c: ClosedState, tau: Array) -> Array:
    """Embedded or regularised, whichever converges, as machine code."""
    return np.asarray(c.machine.forward_dynamics(c.q, c.v, tau, c.external, c.passive))


def null_space(c: ClosedState, tau: Array) -> Array:
    """a = a_p + N y with  (N^T M N) y = N^T (f - M a_p),  J N = 0."""
    c.force(tau)
    N = c.note("N", c.factor.free, "basis of the motions that the rows leave, J N = 0")
    c.note("N^T M N", N.T @ c.M @ N, "reduced inertia")
    system = c.equations.system(c.q[None], c.v[None], tau[None], c.external, c.passive)
    return np.asarray(c.equations.answer(system, 0, native=False).a)


def multipliers(c: ClosedState, tau: Array) -> Array:
    """[M -J^T; J 0] [a; λ] = [f; γ], all at once by least squares."""
    c.refuse_contradictions()
    n, m, heavy = len(c.M), len(c.J), np.abs(c.M).max(initial=0.0) or 1.0  # the same at any mass
    K = np.block([[c.M / heavy, -c.J.T], [c.J, np.zeros((m, m))]])
    largest = np.abs(K).max(axis=1)
    size = np.sqrt(np.where(largest > _NOTHING * largest.max(), largest, 1.0))
    right = np.concatenate([c.force(tau) / heavy, c.gamma]) / size
    x = _of_rank(K / np.outer(size, size), n + c.rank, right) / size
    c.note("lambda", heavy * x[n:], "multipliers: forces along the rows", _ROW_FORCE, frame=ROWS)
    return x[:n]


def least_constraint(c: ClosedState, tau: Array) -> Array:
    """a = a_f + M^-½ (J M^-½)^+ (γ - J a_f): nearest to the free motion a_f = M^-1 f (Gauss)."""
    c.refuse_contradictions()
    L = half_of(c.M)
    free = solve(L.T, solve(L, c.force(tau)))
    c.note("a_open", free, "accelerations of the open tree, M^-1 f", _ACCELERATION)
    c.note("gamma - J a_open", c.gamma - c.J @ free, "what the rows miss", frame=ROWS)
    scaled = solve(L, c.J.T).T  # J L^-T
    return free + solve(L.T, _of_rank(scaled, c.rank, c.gamma - c.J @ free))


def tip_forces(c: ClosedState, tau: Array) -> Array:
    """Ω F = J M^-1 f - γ with Ω = J M^-1 J^T, then  a = M^-1 (f - J^T F)."""
    c.refuse_contradictions()
    L = half_of(c.M)
    half, push = solve(L, c.J.T), solve(L, c.force(tau))  # Ω = half^T half
    U, s, Vt = svd(half, full_matrices=False)
    U, s, Vt = U[:, : c.rank], s[: c.rank], Vt[: c.rank]
    c.note(
        "a_open", solve(L.T, push), "accelerations of the open tree, M^-1 f (2.50)", _ACCELERATION
    )
    c.note("xdd_open", half.T @ push, "the same along the rows, J M^-1 f", frame=ROWS)
    c.note("Omega", half.T @ half, "J M^-1 J^T (2.52)", frame=ROWS)
    F = Vt.T @ ((Vt @ (half.T @ push - c.gamma)) / s**2)
    c.note(
        "F",
        F,
        "forces by the tree along the rows, least where they are redundant (2.51)",
        _ROW_FORCE,
        frame=ROWS,
    )
    c.note("tau_c", -c.J.T @ F, "what the constraints do to the joints, -J^T F (2.53)", _FORCE)
    return solve(L.T, push - half @ F)


def null_space_reduction(c: ClosedState, tau: Array) -> Array:
    """J_r = R J with R = N(N(J^T)^T)^T: the rows that the tree can move along, and no others."""
    c.refuse_contradictions()
    U = svd(c.J)[0]
    R = c.note(
        "R", U[:, : c.rank].T, "orthonormal basis of what the rows can do (4.32)", frame=ROWS
    )
    J_r = c.note("J_r", R @ c.J, "R J, of full rank (4.33)")
    L = half_of(c.M)
    half, push = solve(L, J_r.T), solve(L, c.force(tau))
    Omega = c.note("Omega_r", half.T @ half, "J_r M^-1 J_r^T (4.35 in 2.52)", frame=ROWS)
    F_r = solve(Omega, half.T @ push - R @ c.gamma)
    F_r = F_r + solve(Omega, half.T @ (push - half @ F_r) - R @ c.gamma)  # refined once
    c.note("F_r", F_r, "forces by the tree along R (2.51)", _ROW_FORCE, frame=ROWS)
    return solve(L.T, push - half @ F_r)


def pseudo_joints(c: ClosedState, tau: Array) -> Array:
    """Joints that are not there, kept from moving: Ω regular, then  θ̈ = D_r (T - C) + E_r (4.38).

    One per redundant row, along it, with the inertia of the rows, so that [J P] has full rank; and
    one that could move, along the row that moves most.  What keeps them from moving is
    d_4^+ (d_3 T + e_2), nothing where they could not move anyway."""
    c.refuse_contradictions()
    order = qr(c.J.T, mode="r", pivoting=True)[1]
    rows = np.concatenate([order[: min(c.rank, 1)], order[c.rank :]])
    n, extra = len(c.M), len(rows)
    P = c.note("P", np.eye(len(c.J))[:, rows], "rows that get a pseudo joint", frame=ROWS)
    L = half_of(c.M)
    half = solve(L, c.J.T)
    share = np.sqrt(float(np.sum(half**2)) / max(c.rank, 1))  # so that Ω has rows of one size
    # M_aug^-1/2 [J P]^T; the pseudo joints are the last entries
    G = np.vstack([half, share * P.T])
    Q, R = np.linalg.qr(G)  # G^T G = R^T R = Ω
    c.note("Omega", G.T @ G, "J M^-1 J^T + P m^-1 P^T (2.52)", frame=ROWS)
    D = np.eye(n + extra) - Q @ Q.T  # of forces and accelerations scaled by M_aug^±½ (2.53)
    E = Q @ solve(R.T, c.gamma)
    d_2, d_3, d_4 = D[:n, n:], D[n:, :n], D[n:, n:]
    T = solve(L, c.force(tau))
    stress = -pseudo_inverse(d_4, 1.0) @ (d_3 @ T + E[n:])
    c.note("d_4", d_4, "the pseudo joints among themselves, scaled (4.37)", frame="pseudo joints")
    c.note("T_p", stress, "what keeps them from moving, scaled (4.37)", frame="pseudo joints")
    return solve(L.T, D[:n, :n] @ T + d_2 @ stress + E[:n])


def independent_coordinates(c: ClosedState, tau: Array) -> Array:
    """Sorted into dependent and independent ones: a = N a_i + a_p, N = [-J_d^-1 J_i; 1]."""
    c.refuse_contradictions()
    columns = c.equations.scaling.columns
    scaled, n, r = c.J * columns, len(c.M), c.rank
    order = qr(scaled, mode="r", pivoting=True)[1]
    rows = qr(scaled.T, mode="r", pivoting=True)[1][:r]  # r rows that hold all of them
    dependent, free = order[:r], order[r:]
    J_d, J_i = scaled[np.ix_(rows, dependent)], scaled[np.ix_(rows, free)]
    N, a_p = np.zeros((n, n - r)), np.zeros(n)
    N[free] = np.eye(n - r)
    N[dependent], a_p[dependent] = -solve(J_d, J_i), solve(J_d, c.gamma[rows])
    N, a_p = columns[:, None] * N, columns * a_p
    c.note("independent", np.sort(free) + 1.0, "numbers of the independent coordinates (5.40)")
    c.note("N", N, "motions per independent coordinate, J N = 0 (5.40)")
    c.note("a_p", a_p, "accelerations with the independent ones zero", _ACCELERATION)
    c.note("N^T M N", N.T @ c.M @ N, "inertia of the independent coordinates")
    a, f = a_p, c.force(tau)
    for _ in range(2):  # refined once: the constraints may carry most of the force
        a = a + N @ solve(N.T @ c.M @ N, N.T @ (f - c.M @ a))
    return a


def half_of(M: Array) -> Array:
    """L with M = L L^T."""
    refusal = ModelError("a joint moves nothing with inertia: the tree has no free motion")
    if not (np.diag(M) > _NOTHING * np.diag(M).max(initial=0.0)).all():
        raise refusal
    size = np.sqrt(np.diag(M))
    try:
        return size[:, None] * np.linalg.cholesky(M / np.outer(size, size))
    except np.linalg.LinAlgError:
        raise refusal from None


def _of_rank(A: Array, rank: int, b: Array) -> Array:
    """The least x of A x = b, with the given rank of A."""
    U, s, Vt = svd(A, full_matrices=False)
    return np.asarray(Vt[:rank].T @ (U[:, :rank].T @ b / s[:rank]))
