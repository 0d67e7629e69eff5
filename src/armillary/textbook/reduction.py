"""Cooperating arms that cannot move their tips in every direction  [Yesiloglu2007, 4.32-4.38].

Null-space reduction turns the task space into what the tips can reach, R, and the rest, N.
Corrected: A_r = R A (errata 2-20).  As printed the rows N are dropped, and with them the forces
that such arms exert on the load where they cannot move; the load is then free in those directions.
Here they stay, as constraints of the load; `keep=False` drops them as printed, which is right only
where nothing pushes or carries the load there.

Pseudo joints make Ω regular by extra joints that are kept from moving; the force that this takes
is the stress along them.  4.36 rearranges the forward dynamics 2.53 (2-21).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.model.constraint_parts import DIRECTIONS
from armillary.model.joints import joint_spec
from armillary.model.parts import Mass, Pose
from armillary.textbook.cooperating import Cooperation, Grasp, cooperating
from armillary.textbook.linear import null_space, pseudo_inverse, rank_of, smallest, solve, split
from armillary.textbook.parts import vector
from armillary.textbook.table import FORCE, TURN, WRENCH, Table

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class Reduction(Table):
    """Cooperating arms by null-space reduction [Yesiloglu2007, 4.32-4.35]"""

    grasp: Grasp
    R: Annotated[Array, "rows: orthonormal basis of what the tips can do (4.32)"]
    N: Annotated[Array, "rows: orthonormal basis of what they cannot do"]
    J_r: Annotated[Array, "R J (4.33)", "1, m"]
    A_r: Annotated[Array, "R A (4.35, errata 2-20)", "1, m"]
    Omega_r: Annotated[Array, "J_r M^-1 J_r^T + A_r M_c^-1 A_r^T (2.52)"]
    F_r: Annotated[Array, "force of the tips along R (4.29)", WRENCH]
    F_n: Annotated[Array, "force of the tips along N, on the load alone", WRENCH]
    self_stress: Annotated[int, "combinations of F_n that the motion leaves open"]
    squeezing: Annotated[Array, "columns: those tip forces, which move nothing (5.16)"]
    eta: Annotated[Array, "their sizes, as chosen (5.16); 0: least norm", "N m, N"]
    F_t: Annotated[Array, "force by each tip on the load, one row per tip", WRENCH]
    theta_dd: Annotated[Array, "accelerations of base and arms (4.31)", TURN]
    alpha_c: Annotated[Array, "acceleration of the load (2.47)", TURN]
    acceleration: Annotated[Array, "of all degrees of freedom of the machine", TURN]


def reduced_cooperation(g: Grasp, keep: bool = True, squeeze: ArrayLike | None = None) -> Reduction:
    """As `cooperating`, for arms whose Jacobian or Ω is deficient (4.32-4.35).

    keep=False: the rows in which the tips cannot move are dropped, as printed.  squeeze: sizes η of
    the forces with which the arms press against each other through the load and which move
    nothing (5.16), along the columns of `squeezing`; default: none."""
    U, rest = split(g.J)
    R, N = U.T, rest.T  # N(N(J^T)^T)^T is the row basis of what J reaches
    J_r, A_r, A_n = R @ g.J, R @ g.A, N @ g.A
    b_r, b_n = R @ g.right_side, N @ g.right_side
    Omega_r = J_r @ solve(g.M, J_r.T) + A_r @ solve(g.M_c, A_r.T)
    F_n, squeezing = np.zeros(len(N)), np.zeros((len(g.J), 0))
    if keep and len(N):
        # both rows of  [Ω_r K; K^T A_n M_c^-1 A_n^T] [F_r; F_n] = [b_r; b_n]
        K = A_r @ solve(g.M_c, A_n.T)
        S = A_n @ solve(g.M_c, A_n.T) - K.T @ solve(Omega_r, K)
        F_n = smallest(S, b_n - K.T @ solve(Omega_r, b_r))
        squeezing = N.T @ null_space(S, floor=float(np.abs(Omega_r).max()))
        b_r = b_r - K @ F_n
    F_r = solve(Omega_r, b_r)
    self_stress = squeezing.shape[1]
    eta = vector("squeeze", squeeze, self_stress)
    F_t = R.T @ F_r + N.T @ F_n + squeezing @ eta
    theta_dd = solve(g.M, g.T_bar - g.J.T @ F_t)
    alpha_c = g.load_acceleration(F_t)
    acceleration = g.all(theta_dd, alpha_c)
    return Reduction.of(locals(), grasp=g, F_t=F_t.reshape(len(g.tips), -1))


# -- pseudo joints -------------------------------------------------------------------------------


@dataclass(frozen=True)
class PseudoJoints(Table):
    """Cooperating arms with pseudo joints [Yesiloglu2007, 4.36-4.38]"""

    augmented: Cooperation
    pseudo: tuple[str, ...]  # coordinates kept from moving
    D_r: Annotated[Array, "d1 - d2 d4^-1 d3 (4.38)"]
    E_r: Annotated[Array, "e1 - d2 d4^-1 e2 (4.38)", TURN]
    d_4: Annotated[Array, "the pseudo joints among themselves (4.37)"]
    dependent: Annotated[int, "pseudo joints that the others keep from moving (d4 loses rank)"]
    theta_dd: Annotated[Array, "accelerations of base and real joints (4.38)", TURN]
    stress: Annotated[Array, "force that keeps each pseudo joint from moving", FORCE]
    F_t: Annotated[Array, "force by each tip on the load, one row per tip", WRENCH]
    alpha_c: Annotated[Array, "acceleration of the load (2.47)", TURN]
    acceleration: Annotated[Array, "of all degrees of freedom, 0 along the pseudo joints", TURN]


def pseudo_joints(g: Grasp, pseudo: Sequence[str]) -> PseudoJoints:
    """As `cooperating`, with the named coordinates kept from moving (4.36-4.38).

    The machine has the pseudo joints in it (see `augment`); pseudo: their names in `v_labels`.
    With enough of them Ω has full rank and every tip force is unique.  Where pseudo joints cannot
    move anyway, or depend on each other, d4 has no inverse: the stresses are the smallest."""
    for name in pseudo:
        if name not in g.labels:
            raise unknown_name("degree of freedom of the arms", name, g.labels)
    x = cooperating(g)
    order = [g.labels.index(name) for name in pseudo]
    locked = np.isin(np.arange(len(g.arms)), order)
    if locked.sum() != len(pseudo) or g.v[locked].any():
        raise InputError(
            "pseudo: expected joints of the arms, each named once, and at rest (v = 0)."
        )
    # S rearranges the joint space: real joints first (4.36)
    d_1, d_2 = x.D[np.ix_(~locked, ~locked)], x.D[np.ix_(~locked, locked)]
    d_3, d_4 = x.D[np.ix_(locked, ~locked)], x.D[np.ix_(locked, locked)]
    e_1, e_2 = x.E[~locked], x.E[locked]
    size = float(np.abs(x.D).max())
    d_4_inverse = pseudo_inverse(d_4, size)
    D_r = d_1 - d_2 @ d_4_inverse @ d_3
    E_r = e_1 - d_2 @ d_4_inverse @ e_2
    T = g.T_bar.copy()
    T[locked] = -d_4_inverse @ (d_3 @ T[~locked] + e_2)  # θ̈_p = 0 in 4.37
    theta_dd = np.zeros(len(T))
    theta_dd[~locked] = D_r @ T[~locked] + E_r
    F_t = solve(x.Omega, g.J @ solve(g.M, T) + g.closing)
    alpha_c = g.load_acceleration(F_t)
    return PseudoJoints(
        augmented=x,
        pseudo=tuple(pseudo),
        D_r=D_r,
        E_r=E_r,
        d_4=d_4,
        dependent=len(d_4) - rank_of(d_4, size),
        theta_dd=theta_dd[~locked],
        stress=(T + g.C)[order],
        F_t=F_t.reshape(len(g.tips), -1),
        alpha_c=alpha_c,
        acceleration=g.all(theta_dd, alpha_c),
    )


def augment(machine: Mechanism, pseudo: Mapping[str, tuple[str, str]]) -> Mechanism:
    """A mechanism with pseudo joints: name -> (body, direction rx, ry, rz, dx, dy or dz of it).

    The pseudo joint stands between the body's own joint and the body, at its origin; a massless
    carrier takes the place in between.  `lock(names)` makes the original again."""
    bodies = list(machine.model.bodies)
    for name, (body, direction) in pseudo.items():
        if direction not in DIRECTIONS:
            raise InputError(
                f"pseudo joint '{name}': expected one of {', '.join(DIRECTIONS)}, found "
                f"{direction!r}."
            )
        k = [b.name for b in bodies].index(machine.model.body(body).name)
        kind = "revolute" if direction[0] == "r" else "prismatic"
        spec = joint_spec(kind, name=name, axis=direction[1])
        old = bodies[k]
        carrier = replace(old, name=f"{body}.{name}", mass=Mass(), shapes=(), unlocked=None)
        new = replace(old, parent=carrier.name, joint=spec, at=Pose(), motor=None, unlocked=None)
        bodies[k : k + 1] = [carrier, new]
    model = replace(machine.model, bodies=tuple(bodies), initial=())
    augmented = type(machine)(model, machine.options)
    if not machine.model.initial:
        return augmented
    return augmented.replace(initial=carried(machine, augmented, machine.model.initial, "q"))


def carried(machine: Mechanism, augmented: Mechanism, values: ArrayLike, kind: str = "v") -> Array:
    """q (kind "q") or v, tau (kind "v") of a mechanism for the augmented one: zeros are new."""
    of = {"q": ("q_labels", "q"), "v": ("v_labels", "v")}[kind][0]
    known = dict(zip(getattr(machine, of), np.asarray(values, float), strict=True))
    return np.array([known.get(label, 0.0) for label in getattr(augmented, of)])
