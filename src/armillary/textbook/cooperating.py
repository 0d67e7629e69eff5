"""Arms on a common, mobile or free-flying base with a common load  [Yesiloglu2007, 2.44-2.53,
4.25-4.31].

All 6-vectors (angular; linear) along inertial axes; F_t is exerted by the tips on the load.
Corrected: A M_c^-1 b_c (errata 2-8) and the signs of 2.51 (2-9); 2.52, 2.53 and 4.29 are right
(2-35).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.linalg import inv
from numpy.typing import ArrayLike

from armillary.errors import ModelError
from armillary.evaluate.inputs import Array
from armillary.model.constraint_parts import DIRECTIONS
from armillary.textbook.linear import null_space, rank_of, smallest, solve
from armillary.textbook.parts import (
    Indices,
    direction_indices,
    external_on,
    loose_body,
    only_on_arms,
    rigid_inertia,
    skew,
    tree_state,
    vector,
    velocity_force,
)
from armillary.textbook.table import FORCE, INERTIA, TURN, WRENCH, Table

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class Grasp(Table):
    """Arms and load before they are constrained [Yesiloglu2007, 2.44-2.50]

    p tips and m rows of space each: stacked vectors have p m entries."""

    name: str  # of the machine
    tips: tuple[str, ...]
    rows: tuple[str, ...]
    arms: Indices  # entries of v of base and arms
    load: Indices  # entries of v of the load
    labels: tuple[str, ...]  # of the degrees of freedom of base and arms
    v: Array  # their velocities
    M: Annotated[Array, "generalised mass matrix of base and arms (2.33)", INERTIA]
    C: Annotated[Array, "velocity, gravity and other bias forces", FORCE]
    T_bar: Annotated[Array, "applied less bias forces, T - C (2.50)", FORCE]
    J: Annotated[Array, "Jacobian of all tips (2.44)", "1, m"]
    Jdot_qd: Annotated[Array, "its derivative times the velocity (2.43)", TURN]
    A: Annotated[Array, "tip motion from load motion, Φ_t,c (2.44)", "1, m"]
    a_c: Annotated[Array, "bias accelerations of the load at the tips (2.48)", TURN]
    M_c: Annotated[Array, "mass matrix of the load (2.46)", INERTIA]
    b_c: Annotated[Array, "bias and external forces of the load (2.46)", WRENCH]
    load_jacobian: Array  # V_c from the load's own coordinates
    load_rate: Array  # dV_c without their accelerations

    @property
    def Omega(self) -> Array:
        """J M^-1 J^T + A M_c^-1 A^T (2.52)."""
        mine = self.J @ solve(self.M, self.J.T)
        return np.asarray(mine + self.A @ solve(self.M_c, self.A.T))

    @property
    def closing(self) -> Array:
        """A M_c^-1 b_c - a_c + dJ/dt v: the part of 4.29 without joint forces."""
        return np.asarray(self.A @ solve(self.M_c, self.b_c) - self.a_c + self.Jdot_qd)

    @property
    def right_side(self) -> Array:
        """J M^-1 (T - C) + A M_c^-1 b_c - a_c + dJ/dt v (4.29)."""
        return np.asarray(self.J @ solve(self.M, self.T_bar) + self.closing)

    def load_acceleration(self, F_t: Array) -> Array:
        """α_c = M_c^-1 (A^T F_t - b_c) (2.47)."""
        return np.asarray(solve(self.M_c, self.A.T @ F_t - self.b_c))

    def all(self, theta_dd: Array, alpha_c: Array) -> Array:
        """Accelerations of every degree of freedom of the machine."""
        total = np.zeros(len(self.arms) + len(self.load))
        total[self.arms] = theta_dd
        total[self.load] = solve(self.load_jacobian, alpha_c - self.load_rate)
        return total


@dataclass(frozen=True)
class Cooperation(Table):
    """Cooperating arms with a common load [Yesiloglu2007, 2.53 and 4.31]"""

    grasp: Grasp
    Omega: Annotated[Array, "arm cooperation matrix (2.52)"]
    F_t: Annotated[Array, "force by each tip on the load (4.29), one row per tip", WRENCH]
    D: Annotated[Array, "θ̈ = D (T - C) + E (2.53)"]
    E: Annotated[Array, "θ̈ = D (T - C) + E (2.53)", TURN]
    free: Annotated[Array, "accelerations without the load, θ̈^f (4.31)", TURN]
    correction: Annotated[Array, "what the tip forces change, θ̈^δ (4.30)", TURN]
    theta_dd: Annotated[Array, "accelerations of base and arms (4.31)", TURN]
    alpha_c: Annotated[Array, "acceleration of the load (2.47)", TURN]
    acceleration: Annotated[Array, "of all degrees of freedom of the machine", TURN]


def cooperating(g: Grasp) -> Cooperation:
    """Accelerations and tip forces of arms that hold a load rigidly (2.44-2.53, 4.25-4.31).

    Ω must have full rank; `reduced_cooperation` and `pseudo_joints` are for arms that leave it
    singular."""
    Omega = g.Omega
    if (rank := rank_of(Omega)) < len(g.J):
        raise ModelError(
            f"'{g.name}': the arm cooperation matrix Ω has rank {rank} of {len(g.J)}, so the "
            f"tip forces are not unique. Use reduced_cooperation(), add pseudo joints "
            f"(pseudo_joints()), or fewer rows if the machine is plane."
        )
    Minv = np.asarray(inv(g.M), float)
    F_t = solve(Omega, g.right_side)  # 4.29
    D = Minv - Minv @ g.J.T @ solve(Omega, g.J @ Minv)
    E = -Minv @ g.J.T @ solve(Omega, g.closing)
    free = solve(g.M, g.T_bar)
    correction = -solve(g.M, g.J.T @ F_t)  # 4.30
    theta_dd = free + correction
    alpha_c = g.load_acceleration(F_t)
    acceleration = g.all(theta_dd, alpha_c)
    return Cooperation.of(locals(), grasp=g, F_t=F_t.reshape(len(g.tips), -1))


@dataclass(frozen=True)
class Squeeze(Table):
    """Joint forces of a wanted motion, with a chosen squeeze force [Yesiloglu2007, 5.14-5.16]"""

    grasp: Grasp
    squeezing: Annotated[Array, "columns: tip forces that the load does not feel, A^T Ã = 0 (5.11)"]
    eta: Annotated[Array, "their sizes, as chosen (5.16)", "N m, N"]
    F_load: Annotated[Array, "least tip forces of the load's motion (2.46)", WRENCH]
    F_t: Annotated[Array, "force by each tip on the load, one row per tip (5.16)", WRENCH]
    T: Annotated[Array, "joint forces of base and arms, M θ̈ + C + J^T F_t (2.24)", FORCE]
    residual: Annotated[Array, "hands against load, J θ̈ + dJ/dt v - A α_c - a_c (2.48)", TURN]


def squeezed(
    g: Grasp, theta_dd: ArrayLike, alpha_c: ArrayLike, squeeze: ArrayLike | None = None
) -> Squeeze:
    """Joint forces for accelerations of the arms and of the load that go together, and the forces
    of the tips: what the load needs, and a squeeze force between the arms as a free choice (5.16).

    theta_dd (base and arms), alpha_c (the load, as in 2.47); squeeze: η along
    `squeezing`, an orthonormal basis of the tip forces that cancel on the load; default: none."""
    acceleration = vector("theta_dd", theta_dd, len(g.arms))
    load = vector("alpha_c", alpha_c, len(g.load))
    squeezing = null_space(g.A.T)
    eta = vector("squeeze", squeeze, squeezing.shape[1])
    F_load = smallest(g.A.T, g.M_c @ load + g.b_c)
    F_t = F_load + squeezing @ eta
    T = g.M @ acceleration + g.C + g.J.T @ F_t
    residual = g.J @ acceleration + g.Jdot_qd - g.A @ load - g.a_c
    tips = len(g.tips)
    return Squeeze(g, squeezing, eta, F_load.reshape(tips, -1), F_t.reshape(tips, -1), T, residual)


def grasp(
    machine: Mechanism,
    load: str,
    tips: Sequence[str],
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    rows: Sequence[str] = DIRECTIONS,
    external: External = None,
    passive: bool = True,
) -> Grasp:
    """Arms and load at one state, for `cooperating`, `reduced_cooperation` and `pseudo_joints`.

    machine: base and arms, and the load as a body of its own on a free joint, nothing constrained.
    rows: the rows of space that count, as ("rz", "dx", "dy") for a plane machine, whose load is
    then on a planar joint."""
    q, v, tau = tree_state(machine, moving_base=True, q=q, v=v, tau=tau)
    own = loose_body(machine, load)
    arms = np.setdiff1d(np.arange(machine.nv), own)
    pick = _rows(rows, load, len(own))
    bias = machine.bias_forces(q, v, only_on_arms(machine, external, load), passive)[arms]
    still = 0.0 * v
    J, rate, A, a_c = [], [], [], []
    _, c = machine.pose(q, load)
    w = machine.velocity(q, v, load, "world_aligned")[:3]
    for tip in tips:
        J.append(machine.jacobian(q, tip, "world_aligned")[np.ix_(pick, arms)])
        rate.append(machine.acceleration(q, v, still, tip, "world_aligned")[pick])
        l = machine.pose(q, tip)[1] - c
        A.append(
            np.block([[np.eye(3), np.zeros((3, 3))], [-skew(l), np.eye(3)]])[np.ix_(pick, pick)]
        )
        a_c.append(np.concatenate([np.zeros(3), np.cross(w, np.cross(w, l))])[pick])
    M_c, b_c = _load_forces(machine, load, q, v, external)
    J_c = machine.jacobian(q, load, "world_aligned")[np.ix_(pick, own)]
    return Grasp(
        name=machine.name,
        tips=tuple(tips),
        rows=tuple(DIRECTIONS[k] for k in pick),
        arms=arms,
        load=own,
        labels=tuple(machine.v_labels[k] for k in arms),
        v=v[arms],
        M=machine.mass_matrix(q, passive)[np.ix_(arms, arms)],
        C=bias,
        T_bar=tau[arms] - bias,
        J=np.concatenate(J),
        Jdot_qd=np.concatenate(rate),
        A=np.concatenate(A),
        a_c=np.concatenate(a_c),
        M_c=M_c[np.ix_(pick, pick)],
        b_c=b_c[pick] - solve(J_c.T, tau[own]),
        load_jacobian=J_c,
        load_rate=machine.acceleration(q, v, still, load, "world_aligned")[pick],
    )


def _rows(rows: Sequence[str], load: str, axes: int) -> Indices:
    pick = direction_indices("rows", rows)
    if len(pick) != axes:
        raise ModelError(
            f"load '{load}': its joint has {axes} axes but {len(pick)} rows count "
            f"({', '.join(rows)}). Put the load on a free joint (six rows), or on a planar one "
            f"(rows=('rz', 'dx', 'dy'))."
        )
    return pick


def _load_forces(
    machine: Mechanism, load: str, q: Array, v: Array, external: External
) -> tuple[Array, Array]:
    """(M_c, b_c) along inertial axes at the load's origin; gravity and external forces in b_c."""
    R, _ = machine.pose(q, load)
    turn = np.kron(np.eye(2), R)
    I = rigid_inertia(machine, q, load)
    b = velocity_force(I, machine.velocity(q, v, load)[:3]) - external_on(
        machine, q, external, load
    )
    M_c = turn @ I @ turn.T
    return M_c, turn @ b - M_c[:, 3:] @ np.array(machine.gravity)
