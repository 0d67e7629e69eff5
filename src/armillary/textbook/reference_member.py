"""Chains that hold a common reference member  [VanDerMerwe1995, 6.1-6.65].

Each chain is opened at its tip; what it reflects of its inertia across the tip joint is felt by
the member.  Type 0 (actuated at the ground, passive at the member) and Type 1 (the other way
round) are the same equations: a drive between tip and member is the given force h_k.

Corrected: S_k (errata 0-38), P_k (0-39), force transform (0-40), joint accelerations (0-41),
M_k as pseudo-inverse (0-45), relative acceleration with a moving tip frame (0-60), gravity turned
into frame r (0-59), the motion space of the member (0-47), the tip forces that chains exert where
they cannot move (0-52).

The source takes phi^c for constant in the tip's frame (6.4.1); here its rate is that of the joint,
whatever its directions follow (see tip_joints.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.linalg import cholesky, norm, svd
from numpy.typing import ArrayLike

from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array, choice
from armillary.joints.left_jacobian import se3_arm
from armillary.spatial import Vector
from armillary.spatial.rotation import from_quaternion, quaternion_exp
from armillary.textbook.linear import RANK, null_space, rank_of, smallest, solve, split
from armillary.textbook.parts import (
    Indices,
    OverTime,
    at_time,
    coordinates_of,
    external_on,
    loose_body,
    motion_transform,
    only_on_arms,
    rigid_inertia,
    tree_of,
    tree_state,
    vector,
    velocity_force,
)
from armillary.textbook.table import FORCE, INERTIA, TURN, WRENCH, Table
from armillary.textbook.tip_joints import Held, TipJoint, tip_joint

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class ChainTerms(Table):
    """One chain at its tip, in the tip's frame"""

    joints: Indices  # its entries of v
    H: Annotated[Array, "joint-space inertia (6.1)", INERTIA]
    bias: Annotated[Array, "C_k q̇_k + G_k (6.1)", FORCE]
    J: Annotated[Array, "Jacobian of the tip (6.1)", "1, m"]
    Omega: Annotated[Array, "H_k^-1 J_k^T (6.2)"]
    Lambda_inverse: Annotated[Array, "J_k H_k^-1 J_k^T (6.3)"]
    qdd_open: Annotated[Array, "open-chain joint accelerations (6.2)", TURN]
    xdd_open: Annotated[Array, "open-chain tip acceleration (6.3)", TURN]
    phi: Annotated[Array, "free directions of the tip joint (6.9)"]
    phi_c: Annotated[Array, "constrained directions of the tip joint (6.9)"]
    h: Annotated[Array, "given force along phi (6.18)", WRENCH]
    X: Annotated[Array, "kX_r, motions from frame r to the tip's frame (6.40)"]
    zeta: Annotated[Array, "bias acceleration of the interaction point (6.12)", TURN]
    asked: Annotated[Array, "alpha_c, and what the motion of phi_c asks for (6.9-6.19)", TURN]
    S: Annotated[Array, "S_k (6.20)", TURN]
    M_inverse: Annotated[Array, "phi_c^T Lambda^-1 phi_c (6.57)"]
    M: Annotated[Array, "its inverse where it has one (6.60)", INERTIA]
    rank: Annotated[int, "rank of M_k^-1"]
    stuck: Array  # N_k: directions, among the columns of phi_c, in which the tip cannot move
    P: Annotated[Array, "P_k (6.24)", WRENCH]
    R: Annotated[Array, "R_k (6.24)", INERTIA]


@dataclass(frozen=True)
class ReferenceMember(Table):
    """Chains with a common reference member [VanDerMerwe1995, chapter 6]

    Quantities of the member in its own frame r; forces of a tip in the tip's frame, exerted by
    the tip on the member."""

    chains: Annotated[Mapping[str, ChainTerms], "by the name of the tip"]
    I_r: Annotated[Array, "inertia of the member (6.6)", INERTIA]
    b_r: Annotated[Array, "velocity forces of the member (6.6)", WRENCH]
    g_r: Annotated[Array, "external force on the member, with gravity (6.5)", WRENCH]
    I_reflected: Annotated[Array, "Σ (kX_r)^T R_k (6.30)", INERTIA]
    I_eff: Annotated[Array, "effective inertia (6.62)", INERTIA]
    force: Annotated[Array, "Σ (kX_r)^T P_k - b_r + g_r (6.30)", WRENCH]
    motion_space: Annotated[Array, "orthonormal basis of what the member can do (6.63)"]
    force_projected: Annotated[Array, "force along the motion space (6.64)", WRENCH]
    a_r: Annotated[Array, "acceleration of the member's origin (6.65)", TURN]
    f_motion: Annotated[Mapping[str, Array], "P_k - R_k a_r (6.33)", WRENCH]
    f: Annotated[Mapping[str, Array], "true force by each tip (6.33, errata 0-52)", WRENCH]
    self_stress: Annotated[int, "how many combinations of tip forces the motion leaves open"]
    qdd: Annotated[Mapping[str, Array], "joint accelerations of each chain (6.2)", TURN]
    acceleration: Annotated[Array, "of all degrees of freedom of the machine", TURN]
    residual: Annotated[Mapping[str, Array], "φ^cT (a - ẍ_k) less what is asked (6.9)", TURN]
    balance: Annotated[Array, "I_r a_r + b_r - g_r - Σ (kX_r)^T f_k (6.5)", WRENCH]

    @property
    def f_on_tip(self) -> dict[str, Array]:
        return {tip: -f for tip, f in self.f.items()}


PROJECTIONS = ("intersection", "document")


def reference_member(
    machine: Mechanism,
    member: str,
    tips: Mapping[str, TipJoint],
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    h: Mapping[str, OverTime] | None = None,
    alpha_c: Mapping[str, OverTime] | None = None,
    external: External = None,
    passive: bool = True,
    projection: str = "intersection",
    free: Mapping[str, ArrayLike] | None = None,
    t: float | None = None,
) -> ReferenceMember:
    """Accelerations of chains and member, and the force of every tip (6.1-6.65).

    machine: member (on a free joint) and chains, each a tree of its own, nothing constrained.
    tips: frame at the tip of each chain -> its joint with the member.  A `Loop` between the two is
    any joint at any angle.  Names among rx, ry, rz, dx, dy, dz are the constrained directions of a
    joint that stands at zero, its axes the tip's: turns about x, y, z in sequence, slides along
    the turned axes (two free turns: a universal joint, the first axis on the tip and the second on
    the member).  Orthonormal columns (6, n) are directions that stand still in the tip's frame.
    h, alpha_c: by tip, given force on the member along the free directions (a drive; of a loop:
    along its coordinates), and given acceleration of the member along the constrained ones as they
    are named (of a loop: along its rows); each may be a function of the time t, s.  free: by tip,
    the basis phi (6, 6 - n_c) that h counts along, where the constrained directions are columns.
    The ground that the chains stand on may move as prescribed (base_velocity, base_acceleration of
    the machine); a_r, velocities and accelerations are absolute then, along the axes they have.
    projection: "document" takes the motion space as 6.63 has it; right by symmetry only."""
    choice("projection", projection, PROJECTIONS)
    q, v, tau = tree_state(machine, moving_base=True, q=q, v=v, tau=tau)
    own = loose_body(machine, member)
    if len(own) != 6:
        raise ModelError(f"body '{member}': its joint to the world must be free; {len(own)} axes.")
    forces = tau - machine.bias_forces(q, v, only_on_arms(machine, external, member), passive)
    H = machine.mass_matrix(q, passive)
    chains: dict[str, ChainTerms] = {}
    for tip, given in _separate(machine, member, tips).items():
        joint = tip_joint(machine, member, tip, given, q, v, (free or {}).get(tip))
        drive = at_time(f"h['{tip}']", (h or {}).get(tip), t)
        rate = at_time(f"alpha_c['{tip}']", (alpha_c or {}).get(tip), t)
        chains[tip] = _chain(machine, member, tip, joint, q, v, H, tau, forces, drive, rate)
    J_r = machine.jacobian(q, member)[:, own]
    I_r, b_r, g_r = _member(machine, member, q, v, external)
    g_r = g_r + solve(J_r.T, tau[own])
    I_reflected = sum((c.X.T @ c.R for c in chains.values()), np.zeros((6, 6)))
    I_eff = I_r + I_reflected
    force = sum((c.X.T @ c.P for c in chains.values()), np.zeros(6)) - b_r + g_r
    moved = _as_printed if projection == "document" else _motion
    B, a_r, mu, stuck, self_stress = moved(chains, I_eff, force)
    f_motion = {tip: c.P - c.R @ a_r for tip, c in chains.items()}
    f = _true_forces(chains, f_motion, mu) if len(stuck) else f_motion
    qdd = {tip: c.qdd_open - c.Omega @ f[tip] for tip, c in chains.items()}
    known = [(c.joints, qdd[tip]) for tip, c in chains.items()]
    known += [(own, solve(J_r, a_r - machine.acceleration(q, v, 0.0 * v, member)))]
    acceleration = _all(known, H, forces)
    residual = {tip: _residual(c, a_r, f[tip]) for tip, c in chains.items()}
    balance = I_r @ a_r + b_r - g_r - sum(c.X.T @ f[tip] for tip, c in chains.items())
    return ReferenceMember.of(locals(), motion_space=B, force_projected=B @ (B.T @ force))


def _member(
    machine: Mechanism, member: str, q: Array, v: Array, external: External
) -> tuple[Array, Array, Array]:
    """(I_r, b_r, g_r) of the member (6.5, 6.6); gravity is turned into frame r (0-59)."""
    R_Wr, _ = machine.pose(q, member)
    I_r = rigid_inertia(machine, q, member)
    b_r = velocity_force(I_r, machine.velocity(q, v, member)[:3])
    g_r = I_r[:, 3:] @ (R_Wr.T @ np.array(machine.gravity))
    return I_r, b_r, g_r + external_on(machine, q, external, member)


def _residual(c: ChainTerms, a_r: Array, f: Array) -> Array:
    """How far the member's point and the tip are from the accelerations they owe each other."""
    xdd = c.xdd_open - c.Lambda_inverse @ f  # (6.3)
    return np.asarray(c.phi_c.T @ (c.X @ a_r + c.zeta - xdd) - c.asked)


def _separate(
    machine: Mechanism, member: str, tips: Mapping[str, TipJoint]
) -> Mapping[str, TipJoint]:
    """Every tip on a tree of its own."""
    seen: dict[frozenset[str], str] = {tree_of(machine, member): f"body '{member}'"}
    if not tips:
        raise InputError("tips: name the tip of at least one chain.")
    for tip in tips:
        tree = tree_of(machine, tip)
        if tree in seen:
            raise ModelError(
                f"tip '{tip}' stands on the same tree as {seen[tree]}; this method needs chains "
                f"that only the member connects. cooperating() takes arms on a common base."
            )
        seen[tree] = f"tip '{tip}'"
    return tips


def _chain(
    machine: Mechanism,
    member: str,
    tip: str,
    joint: Held,
    q: Array,
    v: Array,
    inertia: Array,
    tau: Array,
    forces: Array,
    h: ArrayLike | None,
    alpha_c: ArrayLike | None,
) -> ChainTerms:
    """Everything a chain tells the member."""
    k = coordinates_of(machine, tree_of(machine, tip))
    phi, phi_c = joint.phi, joint.phi_c
    h_k = vector(f"h['{tip}']", h, phi.shape[1])
    alpha = joint.given(vector(f"alpha_c['{tip}']", alpha_c, phi_c.shape[1]))
    asked = alpha + joint.rate
    H = inertia[np.ix_(k, k)]
    J = machine.jacobian(q, tip)[:, k]
    Omega = solve(H, J.T)
    Lambda_inverse = J @ Omega
    qdd_open = solve(H, forces[k])
    xdd_open = J @ qdd_open + machine.acceleration(q, v, 0.0 * v, tip)
    X = motion_transform(machine, q, tip, member)
    zeta = _centripetal(machine, member, tip, q, v, X)
    S = asked + phi_c.T @ (xdd_open - zeta - Lambda_inverse @ phi @ h_k)
    M_inverse = phi_c.T @ Lambda_inverse @ phi_c
    M, rank, stuck = _inverse_where_it_has_one(phi_c.T @ J, H, float(norm(J)))
    P = phi @ h_k + phi_c @ M @ S
    R = phi_c @ M @ phi_c.T @ X
    return ChainTerms.of(locals(), joints=k, bias=tau[k] - forces[k], h=h_k)


def _inverse_where_it_has_one(J_c: Array, H: Array, size: float) -> tuple[Array, int, Array]:
    """(M, rank, N): the pseudo-inverse of J_c H^-1 J_c^T (6.60) and a basis of its null space."""
    L = np.asarray(cholesky(H), float)
    W = solve(L, J_c.T).T  # J_c H^-1 J_c^T = W W^T
    U, s, _ = svd(W, full_matrices=True)
    rank = int(np.sum(s > RANK * max(s.max(initial=0.0), size / norm(L))))
    b = U[:, :rank]
    return b @ np.diag(s[:rank] ** -2) @ b.T, rank, U[:, rank:]


def _centripetal(machine: Mechanism, member: str, tip: str, q: Array, v: Array, X: Array) -> Array:
    """ζ_r,k = kX_r (0; ω_r × (ω_r × p_k)) (6.12)."""
    R_Wr, p_r = machine.pose(q, member)
    p_k = R_Wr.T @ (machine.pose(q, tip)[1] - p_r)
    w = machine.velocity(q, v, member)[:3]
    return np.asarray(X @ np.concatenate([np.zeros(3), np.cross(w, np.cross(w, p_k))]))


def _motion(
    chains: Mapping[str, ChainTerms], I_eff: Array, force: Array
) -> tuple[Array, Array, Array, Array, int]:
    """The member moves as *every* chain allows (0-47): C a_r = c, with the basis B of C B = 0.

    a_r = a_p + B y,  (B^T I_eff B) y = B^T (f - I_eff a_p),  and  I_eff a_r = f + C^T μ."""
    C = np.concatenate([c.stuck.T @ c.phi_c.T @ c.X for c in chains.values()])
    c = np.concatenate([part.stuck.T @ part.S for part in chains.values()])
    if not len(C):
        return np.eye(6), solve(I_eff, force), np.zeros(0), C, 0
    B = null_space(C, floor=1.0)
    a_p = smallest(C, c)
    a_r = a_p + B @ solve(B.T @ I_eff @ B, B.T @ (force - I_eff @ a_p))
    mu = smallest(C.T, I_eff @ a_r - force)
    return B, a_r, mu, C, len(C) - rank_of(C, floor=1.0)


def _as_printed(
    chains: Mapping[str, ChainTerms], I_eff: Array, force: Array
) -> tuple[Array, Array, Array, Array, int]:
    """The motion space as the column space of Σ (kX_r)^T R_k (6.63-6.65), right by symmetry."""
    B = split(sum((c.X.T @ c.R for c in chains.values()), np.zeros((6, 6))))[0]
    return B, solve(I_eff, B @ (B.T @ force)), np.zeros(0), np.zeros((0, 6)), 0


def _true_forces(
    chains: Mapping[str, ChainTerms], f_motion: Mapping[str, Array], mu: Array
) -> dict[str, Array]:
    """f_k = P_k - R_k a_r + φ^c N_k μ_k: with the part that moves the member only (0-52)."""
    f, start = {}, 0
    for tip, c in chains.items():
        mine = slice(start, start + c.stuck.shape[1])
        f[tip] = f_motion[tip] + c.phi_c @ c.stuck @ mu[mine]
        start = mine.stop
    return f


def _all(known: Sequence[tuple[Indices, Array]], H: Array, forces: Array) -> Array:
    """Accelerations of every degree of freedom; trees that hold nothing move as open chains."""
    total, others = np.zeros(len(H)), np.ones(len(H), bool)
    for entries, values in known:
        total[entries], others[entries] = values, False
    if others.any():
        total[others] = solve(H[np.ix_(others, others)], forces[others])
    return total


def next_place(
    R: ArrayLike, p: ArrayLike, v_r: ArrayLike, v_r_next: ArrayLike, step: float
) -> tuple[Array, Array]:
    """Rotation (3, 3) and origin of the member after a time step, from its velocities (ω; v) in
    frame r before and after it (6.41-6.54).

    The mean of both is integrated as a steady twist (errata 0-42: also where ω is zero), exact for
    one and of second order in the step otherwise; the turn of 6.52 is an active one and acts from
    the right on R = (rA_0)^T (0-43).  v is turned to the base (0-44) along with the member, by the
    mean of the turn over the step: 6.54 holds frame r still and is of first order."""
    R, p = np.asarray(R, float), np.asarray(p, float)
    w, u = np.split(0.5 * (np.asarray(v_r, float) + np.asarray(v_r_next, float)), 2)
    angle = Vector(*(w * step).tolist())
    turn = np.array(from_quaternion(quaternion_exp(angle)).T.rows, float)  # 6.52
    mean = np.array(se3_arm(angle).rows, float)
    return R @ turn, p + R @ mean @ u * step
