"""A single chain whose tip touches a body with known motion  [VanDerMerwe1995, 5.7-5.30, 5.75].

The chain is opened at its tip: what it would do without the contact, and the force that makes the
difference.  Corrected: the solution of 5.129 is the particular one with the free variables zero
(errata 0-33), 5.108 needs H^-1 (0-30), the vectors 5.117 and 5.131 have six components (0-31),
and the corrective force of 5.75 acts *on* the tip (0-27).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats, choice
from armillary.textbook.linear import leading, rank_of, smallest, solve
from armillary.textbook.parts import (
    Directions,
    OverTime,
    at_time,
    directions,
    state,
    tree_state,
    vector,
)
from armillary.textbook.table import FORCE, INERTIA, TURN, WRENCH, Table

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism

COORDINATES = ("world_aligned", "local")
SOLUTIONS = {"leading": leading, "smallest": smallest}


@dataclass(frozen=True)
class TipConstraint(Table):
    """Single closed chain with a tip constraint [VanDerMerwe1995, chapter 5]

    6-vectors (angular; linear) at the tip, in the coordinates that were chosen."""

    H: Annotated[Array, "joint-space inertia (5.3)", INERTIA]
    bias: Annotated[Array, "C q̇ + G (5.3)", FORCE]
    J: Annotated[Array, "Jacobian of the tip (5.8)", "1, m"]
    Omega: Annotated[Array, "H^-1 J^T (5.12)"]
    Lambda_inverse: Annotated[Array, "J H^-1 J^T (5.20)"]
    qdd_open: Annotated[Array, "joint accelerations of the open chain (5.10)", TURN]
    xdd_open: Annotated[Array, "tip acceleration of the open chain (5.17)", TURN]
    phi: Annotated[Array, "free directions (5.22)"]
    phi_c: Annotated[Array, "constrained directions (5.22)"]
    A: Annotated[Array, "phi_c^T Lambda^-1 phi_c, class II: (phi_c + phi mu) (5.28)"]
    b: Annotated[Array, "right side of 5.28", TURN]
    rank: Annotated[int, "rank of A; what is missing are redundant constraints"]
    h: Annotated[Array, "force by the tip along phi (5.23)", WRENCH]
    h_c: Annotated[Array, "force by the tip along phi_c (5.29)", WRENCH]
    f: Annotated[Array, "force exerted by the tip (5.30)", WRENCH]
    f_corrective: Annotated[Array, "corrective force on the tip (5.75)", WRENCH]
    qdd: Annotated[Array, "joint accelerations (5.13)", TURN]
    xdd: Annotated[Array, "tip acceleration (5.21)", TURN]
    g: Annotated[Array, "tip acceleration along phi (5.22)", TURN]
    residual: Annotated[Array, "phi_c^T xdd - g_c without the corrective force (5.27)", TURN]

    @property
    def f_on_tip(self) -> Array:
        """All that acts on the tip: the contact and the corrective force (N m, N)."""
        return self.f_corrective - self.f


def tip_constraint(
    chain: Mechanism,
    tip: str,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    constrained: Directions,
    g_c: OverTime | None = None,
    h: OverTime | None = None,
    free: ArrayLike | None = None,
    friction: ArrayLike | None = None,
    corrective: ArrayLike | None = None,
    solution: str = "leading",
    coordinates: str = "world_aligned",
    external: External = None,
    passive: bool = True,
    t: float | None = None,
) -> TipConstraint:
    """Accelerations of a chain and the force at its constrained tip (5.7-5.30).

    constrained: phi_c, names among rx, ry, rz, dx, dy, dz or orthonormal columns (6, n_c), along
    the world's axes at the tip ("world_aligned") or the tip's own ("local").  g_c (n_c): given
    derivative of the tip's velocity along them, in their order; default: as the ground moves, 0
    unless the base moves as prescribed.  h (6 - n_c): given force *by* the tip along the free
    directions (class I); both may be functions of the time t, s.  friction mu (6 - n_c, n_c): plus
    mu h_c (class II); free: phi (6, 6 - n_c), where constrained directions are no unit vectors.
    solution of a deficient system: "leading" (free variables zero, as 5.129) or "smallest" norm.
    corrective: a force on the tip against drift, from `corrective_force`."""
    choice("coordinates", coordinates, COORDINATES)
    choice("solution", solution, tuple(SOLUTIONS))
    q, v, tau = tree_state(chain, moving_base=True, q=q, v=v, tau=tau)
    phi_c, phi = directions("constrained", constrained, free)
    h0 = vector("h", at_time("h", h, t), phi.shape[1])
    given = at_time("g_c", g_c, t)
    g_c = phi_c.T @ _ground(chain, tip, q, v, coordinates)
    if given is not None:
        g_c = vector("g_c", given, phi_c.shape[1])
    mu = _friction(friction, phi.shape[1], phi_c.shape[1])
    f_corrective = vector("corrective", corrective, 6)
    # the open chain (5.10-5.20)
    H = chain.mass_matrix(q, passive)
    bias = chain.bias_forces(q, v, external, passive)
    J = chain.jacobian(q, tip, coordinates)
    Jdot_qd = _rate(chain, q, v, tip, coordinates)
    Omega = solve(H, J.T)
    Lambda_inverse = J @ Omega
    qdd_open = solve(H, tau - bias)
    xdd_open = J @ qdd_open + Jdot_qd
    # the contact (5.28-5.30)
    A = phi_c.T @ Lambda_inverse @ (phi_c + phi @ mu)
    b = phi_c.T @ xdd_open - phi_c.T @ Lambda_inverse @ phi @ h0 - g_c
    h_c = SOLUTIONS[solution](A, b)
    h = h0 + mu @ h_c
    f = phi @ h + phi_c @ h_c
    # the closed chain (5.13, 5.21)
    qdd = qdd_open - Omega @ (f - f_corrective)
    xdd = xdd_open - Lambda_inverse @ (f - f_corrective)
    g = phi.T @ xdd
    residual = phi_c.T @ (xdd - Lambda_inverse @ f_corrective) - g_c
    return TipConstraint.of(locals(), rank=rank_of(A))


def _rate(chain: Mechanism, q: Array, v: Array, tip: str, coordinates: str) -> Array:
    """Derivative of the components of the tip's velocity while no joint accelerates."""
    rate = chain.acceleration(q, v, 0.0 * v, tip, coordinates)
    if coordinates == "local":  # the axes turn with the tip
        w, u = np.split(chain.velocity(q, v, tip), 2)
        rate = rate - np.concatenate([np.zeros(3), np.cross(w, u)])
    return np.asarray(rate)


def _ground(chain: Mechanism, tip: str, q: Array, v: Array, coordinates: str) -> Array:
    """What `_rate` is of a tip that stands still on a base that moves as prescribed, at the tip's
    place: constant components of its velocity relative to the base."""
    base = chain.evaluator.base()
    if not chain.evaluator.moving_base:
        return np.zeros(6)
    w_0, v_0 = np.split(np.array(base.velocity.leaves(), float), 2)
    alpha_0, a_0 = np.split(chain.acceleration(q, v, 0.0 * v, "world"), 2)
    R, p = chain.pose(q, tip)
    w, u = np.split(chain.velocity(q, v, tip, "world_aligned"), 2)
    turning = alpha_0 + np.cross(w_0, w)
    moving = a_0 + np.cross(alpha_0, p) + np.cross(w_0, u - v_0)
    if coordinates == "local":
        moving = moving - np.cross(w, v_0 + np.cross(w_0, p))
        return np.concatenate([R.T @ turning, R.T @ moving])
    return np.concatenate([turning, moving + np.cross(w_0, u - v_0 - np.cross(w_0, p))])


def _friction(given: ArrayLike | None, free: int, held: int) -> Array:
    mu = np.zeros((free, held)) if given is None else as_floats("friction", given).astype(float)
    if mu.shape != (free, held):
        raise InputError(
            f"friction: expected one coefficient per free and constrained direction, shape "
            f"({free}, {held}), found {mu.shape}."
        )
    return mu


def corrective_force(
    chain: Mechanism,
    tip: str,
    q: ArrayLike,
    v: ArrayLike,
    constrained: Directions,
    position: ArrayLike,
    K_p: float,
    K_v: float,
    rotation: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    coordinates: str = "world_aligned",
) -> Array:
    """f = K_v (ẋ_c - ẋ) + K_p (x_c - x) along the constrained directions, on the tip (5.75).

    position (3): where the tip belongs, in the world, m; rotation (3, 3): how it belongs there
    (default: as it is); velocity (6): ẋ_c along the world's axes
    (default: that of the ground).  K_p in N/m (N m/rad), K_v in
    N s/m.  It must act *on* the tip while f of 5.30 is exerted by it: f - f_corrective (0-27)."""
    choice("coordinates", coordinates, COORDINATES)
    q, v = state(chain, moving_base=True, q=q, v=v)
    phi_c, _ = directions("constrained", constrained)
    R, p = chain.pose(q, tip)
    turn = (
        np.zeros(3) if rotation is None else rotation_vector(as_floats("rotation", rotation) @ R.T)
    )
    error = np.concatenate([turn, vector("position", position, 3) - p])
    w_0, v_0 = np.split(chain.velocity(q, v, "world"), 2)
    ground = np.concatenate([w_0, v_0 + np.cross(w_0, p)])
    wanted = ground if velocity is None else vector("velocity", velocity, 6)
    rate = wanted - chain.velocity(q, v, tip, "world_aligned")
    pull = K_v * rate + K_p * error
    if coordinates == "local":
        pull = (pull.reshape(2, 3) @ R).ravel()
    return np.asarray(phi_c @ (phi_c.T @ pull))


def rotation_vector(R: Array) -> Array:
    """Axis times angle of a turn of less than a half."""
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    s, c = float(np.linalg.norm(axis)), 0.5 * (float(np.trace(R)) - 1.0)
    return axis if s == 0.0 else axis / s * np.arctan2(s, c)
