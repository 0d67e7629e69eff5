"""Wheels that roll without slip, by annihilators  [Yesiloglu2007, 4.39-4.66, 5.7-5.20].

A wheel is an arm: a massless leg turns about the axle and reaches down to the contact, massless
joints beyond it let the tip keep its orientation on the ground.  The tip runs along the ground
below the wheel:  V_t = A^T B θ̇, zero but for the speed r θ̇ along the track.  Two forms:

    "B"   the rolling speed is a term of its own, (A J - B) θ̇ = 0            (4.45-4.66)
    "H"   it is part of the leg's axis of motion, so that A J θ̇ = 0          (5.20)

Corrected: B and its sign follow from the axle and the leg (errata 2-22, so both forms agree); the
lateral row stays, η is the lateral force (2-23): the annihilator Ã holds only what is redundant,
the squeeze forces of 5.16; orthonormal (2-27).  Massless links make M singular, so the motion is
found in the null space instead of with M^-1 (2-24).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.linalg import norm
from numpy.typing import ArrayLike

from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array, as_floats, choice
from armillary.textbook.linear import constrained_motion, rank_of, solve, split
from armillary.textbook.parts import tree_state, vector
from armillary.textbook.table import FORCE, INERTIA, TURN, WRENCH, Table

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism

FORMS = ("B", "H")


@dataclass(frozen=True)
class Rolling(Table):
    """Rolling by annihilators [Yesiloglu2007, 4.39-4.66, 5.7-5.20]

    Stacked 6-vectors (angular; linear) of all tips along inertial axes; F_t is exerted by them."""

    tips: tuple[str, ...]
    M: Annotated[Array, "generalised mass matrix", INERTIA]
    T_c: Annotated[Array, "applied less bias forces, T_a - C (4.57)", FORCE]
    J: Annotated[Array, "Jacobian of the tips; form H: with the rolling in it", "1, m"]
    A: Annotated[Array, "rows: tip velocities that count (4.42, 5.12)"]
    annihilator: Annotated[Array, "columns: Ã, what A leaves out (4.40, 5.10)"]
    B: Annotated[Array, "rolling speeds, V_c = B θ̇ (4.45)", "m/rad"]
    G: Annotated[Array, "A J - B: what must not move (4.57)", "1, m"]
    rank: Annotated[int, "rank of G"]
    dof: Annotated[int, "degrees of freedom left"]
    lost: Annotated[int, "independent rows that the annihilator drops: 0, or the wheels slip"]
    eta: Annotated[Array, "squeeze forces along Ã, as chosen (5.16)", "N m, N"]
    F_c: Annotated[Array, "constraint forces along A (4.50)", WRENCH]
    F_t: Annotated[Array, "force by each tip on the ground, A^T F_c + Ã η (4.52, 5.16)", WRENCH]
    T_t: Annotated[Array, "B^T F_c: torques of the rolling on the wheels (4.55)", FORCE]
    theta_dd: Annotated[Array, "accelerations of all degrees of freedom (4.58)", TURN]

    @property
    def Omega(self) -> Array:
        """G M^-1 G^T (4.66, 5.19); it takes a regular M."""
        if rank_of(self.M) < len(self.M):
            raise ModelError(
                f"M has rank {rank_of(self.M)} of {len(self.M)} (massless links), so Ω of 4.66 "
                f"does not exist; F_c and theta_dd do."
            )
        return np.asarray(self.G @ solve(self.M, self.G.T))

    @property
    def force_on_wheel(self) -> Array:
        """(wheels, 3): the force of the ground at each contact, inertial axes, N."""
        return -self.F_t[:, 3:]


def rolling(
    machine: Mechanism,
    legs: Mapping[str, str],
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    form: str = "B",
    annihilator: ArrayLike | str | None = None,
    external: External = None,
    passive: bool = True,
    squeeze: ArrayLike | None = None,
) -> Rolling:
    """Accelerations and contact forces of wheels that roll (4.39-4.66, 5.7-5.20).

    legs: frame of the tip at each contact -> body of the leg, whose revolute joint is the axle
    and whose origin is the wheel's centre.  annihilator: columns Ã (6 wheels, m) whose forces are
    set to zero; "lateral": those of 4.40, which let a wheel slip sideways (errata 2-23); default:
    the combinations of rows that are redundant at this state.  squeeze: their forces η, N m and N,
    a free choice where they move nothing (5.16); default: none, the least tip forces."""
    choice("form", form, FORMS)
    q, v, tau = tree_state(machine, q=q, v=v, tau=tau)
    M = machine.mass_matrix(q, passive)
    T_c = tau - machine.bias_forces(q, v, external, passive)
    tips = tuple(legs)
    J = np.concatenate([machine.jacobian(q, tip, "world_aligned") for tip in tips])
    still = 0.0 * v
    Jdot_qd = np.concatenate(
        [machine.acceleration(q, v, still, tip, "world_aligned") for tip in tips]
    )
    W, Wdot_qd, lateral = _speeds(machine, legs, q, v)
    A, A_tilde = _annihilated(annihilator, lateral, J - W)
    if form == "B":
        B = A @ W  # V_t = A^T B θ̇ = W θ̇
        G = A @ J - B
        target = A @ (Wdot_qd - Jdot_qd)  # 4.63
    else:
        J, Jdot_qd = J - W, Jdot_qd - Wdot_qd  # the leg's column of H has the speed in it
        B = np.zeros((len(A), machine.nv))
        G = A @ J
        target = -A @ Jdot_qd
    x = constrained_motion(M, T_c, G, target)
    lost = rank_of(J if form == "H" else J - W, floor=1.0) - x.rank
    eta = vector("squeeze", squeeze, A_tilde.shape[1])
    if (
        eta.any()
        and (moved := float(np.abs((J - W if form == "B" else J).T @ A_tilde).max())) > 1e-9
    ):
        raise InputError(
            f"squeeze: the annihilator given moves the machine ({moved:.2g} per unit of force), so "
            f"its forces are no free choice. Leave `annihilator` out: then it does not."
        )
    F_t = (A.T @ x.F + A_tilde @ eta).reshape(len(tips), 6)
    dof, T_t = machine.nv - x.rank, B.T @ x.F
    return Rolling.of(locals(), annihilator=A_tilde, rank=x.rank, F_c=x.F, theta_dd=x.a)


def _speeds(
    machine: Mechanism, legs: Mapping[str, str], q: Array, v: Array
) -> tuple[Array, Array, Array]:
    """(W, dW/dt θ̇, lateral axes): the tip runs at W θ̇, one column s × l per leg.

    The wheel turns against its leg by -θ̇ s; with l from its centre to the contact the contact
    runs at (-θ̇ s) × (-l) = θ̇ s × l.  All of it turns with the leg."""
    W, rate, lateral = np.zeros((6 * len(legs), machine.nv)), [], []
    for k, (tip, leg) in enumerate(legs.items()):
        column = _axle(machine, leg)
        s = machine.jacobian(q, leg, "world_aligned")[:3, column]
        l = machine.pose(q, tip)[1] - machine.pose(q, leg)[1]
        if abs(s @ l) > 1e-9 * norm(l) or not norm(l):
            raise ModelError(
                f"leg '{leg}': the way from its origin to tip '{tip}' must be at right angles to "
                f"its axle; expected the wheel's centre there and the contact below it."
            )
        speed = np.cross(s, l)
        W[6 * k + 3 : 6 * k + 6, column] = speed
        w = machine.velocity(q, v, leg, "world_aligned")[:3]
        rate += [np.zeros(3), np.cross(w, speed) * v[column]]
        lateral.append(np.concatenate([np.zeros(6 * k + 3), s, np.zeros(6 * (len(legs) - k - 1))]))
    return W, np.concatenate(rate), np.array(lateral).T


def _axle(machine: Mechanism, leg: str) -> int:
    """The one coordinate of the leg's joint in v."""
    body = machine.model.body(leg)
    if body.joint.kind != "revolute":
        raise ModelError(
            f"leg '{leg}': expected a revolute joint (the axle), found {body.joint.kind}."
        )
    return machine.model.slots[machine.model.index[leg]].v.start


def _annihilated(given: ArrayLike | str | None, lateral: Array, G: Array) -> tuple[Array, Array]:
    """(A, Ã): orthonormal, A Ã = 0 (4.41-4.43)."""
    if given is None:
        U, N = split(G, floor=1.0)
        return U.T, N
    if isinstance(given, str):
        choice("annihilator", given, ("lateral",))
        columns = lateral
    else:
        columns = as_floats("annihilator", given).astype(float)
        if columns.ndim != 2 or len(columns) != len(G):
            raise InputError(
                f"annihilator: expected columns of {len(G)} entries, found {columns.shape}."
            )
    U, N = split(columns)
    return N.T, U
