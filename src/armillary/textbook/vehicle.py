"""Vehicles as arms between contact bodies  [Yesiloglu2007, 5.24-5.66].

θ are the rates of all joints of all arms, those that close loops and the turns of wheels about
their contacts among them.  Where arms meet, their tips move alike,  V_t = A_tc V^c;  the road lifts
the wheels by V^s.  Both are eliminated, and what is left to obey is  B_t θ̇ = V^r  (5.39).

Corrected, beside errata 2-28 to 2-34: the inertia of a contact body is shared by the tips of the
arms that end there, so it is in M and F^c is zero (2-36); F_ta and the accelerations come from the
null space of B_t, since M is singular for massless links and B_t M^-1 B_t^T for redundant rows
(2-24); σ_t φ a of 5.33 holds the rate of φ_tb times V_b as well, which that of L_t has already: it
is taken out here (2-37); F_b at the ground would do no work in 5.57, since L_a has no rows for it:
there it acts on the wheel (2-38).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.linalg import svd
from numpy.typing import ArrayLike
from scipy.linalg import qr

from armillary.errors import InputError, ModelError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.textbook.arm_operators import Operators, operators
from armillary.textbook.contact_arms import refusal
from armillary.textbook.linear import RANK, pseudo_inverse, rank_of, solve
from armillary.textbook.parts import Indices, state, vector
from armillary.textbook.sorted_subspaces import springs
from armillary.textbook.table import FORCE, INERTIA, TURN, WRENCH, Table

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class Sorted(Table):
    """Dependent and independent rates by a sorting matrix [Yesiloglu2007, 5.39-5.44]"""

    independent: Annotated[tuple[str, ...], "chosen rates, θ̇^ind"]
    dependent: Annotated[tuple[str, ...], "the others, θ̇^dep"]
    S_a: Annotated[Array, "sorting matrix: dependent ones first (5.40)"]
    E_dep: Annotated[Array, "columns of B_t of the dependent rates (5.40)"]
    E_ind: Annotated[Array, "those of the independent ones (5.40)"]
    V_r: Annotated[Array, "-Ã L_s V^s (5.39)"]
    C_r: Annotated[Array, "C^ind - C^dep E^dep^-1 E^ind (5.44)"]
    C_dep: Annotated[Array, "of Ã (Ȧ_tc A_tc^+ L_t - L̇_t) J (5.43)"]
    alpha_r: Annotated[Array, "α^r (5.43)"]
    rank: Annotated[int, "rank of E_dep: as many as there are dependent rates"]

    def rates(self, independent: ArrayLike) -> Array:
        """θ̇^dep = E^dep^-1 (V^r - E^ind θ̇^ind) (5.40); redundant rows follow."""
        x = vector("independent", independent, len(self.independent))
        return pseudo_inverse(self.E_dep) @ (self.V_r - self.E_ind @ x)

    def accelerations(self, independent: ArrayLike, rates: ArrayLike) -> Array:
        """θ̈^dep of θ̈^ind and θ̇^ind (5.44)."""
        a = vector("independent", independent, len(self.independent))
        x = vector("rates", rates, len(self.independent))
        inverse = pseudo_inverse(self.E_dep)
        right = -self.E_ind @ a + self.C_r @ x + self.alpha_r + self.C_dep @ inverse @ self.V_r
        return np.asarray(inverse @ right)


@dataclass(frozen=True)
class Vehicle(Table):
    """Vehicle as arms between contact bodies [Yesiloglu2007, 5.24-5.66]

    6-vectors along inertial axes; n rates θ̇ of all joints of all arms, named in `labels`."""

    arms: tuple[str, ...]
    contacts: tuple[str, ...]  # bodies where arms meet
    wheels: tuple[str, ...]  # in the order of V^s
    labels: tuple[str, ...]
    operators: Operators
    V_s: Annotated[Array, "speed of the road along its normal under each wheel (5.25)", "m/s"]
    alpha_s: Annotated[Array, "its acceleration, as given (5.32)", "m/s²"]
    V_c: Annotated[Array, "velocity of each contact body (5.35)", "rad/s, m/s"]
    theta_d: Annotated[Array, "rates of all joints", "rad/s, m/s"]
    M: Annotated[Array, "inertia of all joints, contact bodies in it (5.57)", INERTIA]
    C: Annotated[Array, "factor of θ̇ (5.57)", "N m s"]
    L_a: Annotated[Array, "factor of α^s (5.57)", "kg m, kg"]
    L_b: Annotated[Array, "factor of V^s (5.57)", "N s"]
    D: Annotated[Array, "velocity and gravity forces (5.57)", FORCE]
    B_b: Annotated[Array, "motion that F_b works on, -L_a J and the wheels' own (5.57)", "1, m"]
    B_t: Annotated[Array, "Ã L_t J: what must not move (5.57)", "1, m"]
    rank: Annotated[int, "rank of B_t"]
    dof: Annotated[int, "degrees of freedom left"]
    redundant: Annotated[int, "rows of B_t that follow from the others"]
    T: Annotated[Array, "forces of all joints: drives, springs, friction (5.57)", FORCE]
    F_b: Annotated[Array, "given base forces, one row per arm (5.45)", WRENCH]
    N_a: Annotated[Array, "θ̈ per force (5.60)"]
    N_b: Annotated[Array, "θ̈ per F_b (5.60, errata 2-30)"]
    N_c: Annotated[Array, "θ̈ per θ̇ (5.60, errata 2-31)", "1/s"]
    N_d: Annotated[Array, "θ̈ per α^s (5.60)"]
    N_e: Annotated[Array, "θ̈ per V^s (5.60, errata 2-31)", "1/s"]
    N_f: Annotated[Array, "the rest of θ̈ (5.60)", TURN]
    theta_dd: Annotated[Array, "N_a T + N_b F_b + N_c θ̇ + N_d α^s + N_e V^s + N_f (5.60)", TURN]
    F_ta: Annotated[Array, "forces along Ã, least where rows are redundant (5.59)", WRENCH]
    F_t: Annotated[Array, "force by the tip of each arm (5.54), one row per arm", WRENCH]
    F_base: Annotated[Array, "force on each arm at its base, F_b+ (5.51)", WRENCH]
    residual: Annotated[Array, "H^T F - T of all joints (5.57)", FORCE]
    balance: Annotated[Array, "A_0bc^T F_b- + A_tc^T F_t of the contact bodies (5.52)", WRENCH]
    acceleration: Annotated[Array, "of all degrees of freedom of the mechanism", TURN]

    @property
    def contact_forces(self) -> dict[str, Array]:
        """Force of the road on each wheel (3,), inertial axes, N."""
        o = self.operators
        return {w: self.F_base[k, 3:] for w, k in zip(self.wheels, o.wheel_arms, strict=True)}

    def sort(self, independent: Sequence[str] | None = None) -> Sorted:
        """Rates by a choice of the independent ones (5.39-5.44): names of `labels`, as many as
        there are freedoms; default: those that leave the best conditioned E^dep.

        A choice that leaves E^dep deficient is refused, with its rank."""
        names = self._independent() if independent is None else list(independent)
        for name in names:
            if name not in self.labels:
                raise unknown_name("rate", name, self.labels)
        free = [self.labels.index(name) for name in names]
        if len(set(free)) != self.dof:
            raise InputError(
                f"independent: expected {self.dof} rates, one per degree of freedom, found "
                f"{len(set(free))}."
            )
        held = [k for k in range(len(self.labels)) if k not in free]
        E_dep, E_ind = self.B_t[:, held], self.B_t[:, free]
        if (rank := rank_of(E_dep)) < len(held):
            raise ModelError(
                f"independent: E^dep has rank {rank} of {len(held)}, so {', '.join(names)} do not "
                f"determine the other rates. sort() without names finds some that do."
            )
        o = self.operators
        C_dep, C_ind = o.C_t[:, held], o.C_t[:, free]
        C_r = C_ind - C_dep @ pseudo_inverse(E_dep) @ E_ind
        return Sorted(
            independent=tuple(names),
            dependent=tuple(self.labels[k] for k in held),
            S_a=np.eye(len(self.labels))[held + free],
            E_dep=E_dep,
            E_ind=E_ind,
            V_r=-o.annihilator @ o.L_s @ self.V_s,
            C_r=C_r,
            C_dep=C_dep,
            alpha_r=o.alpha_r(self.alpha_s, self.V_s),
            rank=rank,
        )

    def _independent(self) -> list[str]:
        order = qr(self.B_t, mode="r", pivoting=True)[1]
        return [self.labels[k] for k in np.sort(order[self.rank :])]


@dataclass(frozen=True)
class Suspended(Table):
    """Vehicle with suspension and pseudo joints apart [Yesiloglu2007, 5.61-5.66]"""

    suspension: Annotated[tuple[str, ...], "joints with springs and dampers, θ^susp"]
    pseudo: Annotated[tuple[str, ...], "joints kept from moving, θ^pseudo"]
    true: Annotated[tuple[str, ...], "all others, θ^true"]
    d: Annotated[Array, "damper constants of the suspension (5.61)", "N m s/rad or N s/m"]
    k: Annotated[Array, "spring constants (5.61)", "N m/rad or N/m"]
    P_a: Annotated[Array, "θ̈ per force without suspension (5.63)"]
    P_b: Annotated[Array, "θ̈ per θ̇ (5.63, errata 2-32)", "1/s"]
    P_c: Annotated[Array, "θ̈ per θ (5.63, errata 2-32)", "1/s²"]
    B: Annotated[Array, "N_b F_b + N_d α^s + N_e V^s + N_f (5.60)", TURN]
    Y_a: Annotated[Array, "θ̈^true per force (5.65)"]
    Y_b: Annotated[Array, "θ̈^true per θ̇ (5.65)", "1/s"]
    Y_c: Annotated[Array, "θ̈^true per θ (5.65)", "1/s²"]
    Y_d: Annotated[Array, "the rest (5.65)", TURN]
    first_order: Annotated[Array, "[Y_b Y_c; 1 0] of (θ̇; θ) (5.66)"]
    theta: Annotated[Array, "deflections of the suspension from rest, 0 elsewhere", "rad or m"]
    T_pseudo: Annotated[Array, "what keeps the pseudo joints from moving (5.64)", FORCE]
    theta_dd: Annotated[Array, "accelerations of all joints, 0 of pseudo ones (5.65)", TURN]
    acceleration: Annotated[Array, "of all degrees of freedom of the mechanism", TURN]


def vehicle(
    machine: Mechanism,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    road: Mapping[str, float] | None = None,
    resistance: Mapping[str, ArrayLike] | None = None,
    contacts: Sequence[str] = (),
    external: External = None,
    passive: bool = True,
    freedoms: int | None = None,
) -> Vehicle:
    """Accelerations and all forces of a mechanism of loops and wheels (5.24-5.60).

    road: by wheel, acceleration of the ground along its normal, m/s² (its speed is in v).
    resistance: by wheel, moment (3,) on it at the contact along inertial axes, N m: rolling
    resistance, the torque of F_b (5.45).  contacts: more contact bodies than those where arms meet.
    freedoms: how many there are, where the geometry is known to few digits."""
    if reason := refusal(machine.model):
        raise ModelError(f"vehicle '{machine.name}': {reason}.")
    q, v, tau = state(machine, q=q, v=v, tau=tau)
    o = operators(machine, q, v, contacts)
    given = tau - machine.tree.bias_forces(q, v, external, passive)
    given = given + machine.tree.bias_forces(q, v, None, False)  # springs, friction, wrenches
    T, push = o.from_tree(given)
    rotors = o.of_tree(_rotors(machine, passive))
    V_s, alpha_s, F_b = o.V_s, _by_wheel(o, road), _resisting(o, resistance)
    # 5.57, contact bodies in M
    X = o.H + o.sigma_b @ o.L_a @ o.J
    lever = X.T @ o.phi.T
    M = lever @ o.M @ o.phi @ X + np.diag(rotors)
    C = lever @ o.M @ o.phi @ o.sigma_b @ o.L_b @ o.J
    L_a = lever @ o.M @ o.phi @ o.sigma_b @ o.L_c
    L_b = lever @ o.M @ o.phi @ o.sigma_b @ o.L_d
    b = o.b - push
    D = lever @ (o.M @ o.phi @ (o.sigma_b @ o.L_a @ o.Jdot_qd + o.a) + b)
    B_b = -(o.L_a @ o.J + o.own_base)
    B_t = o.annihilator @ o.L_t @ o.J
    rank, N_a, reach = _responses(M, B_t, freedoms)
    dof, redundant = len(M) - rank, len(B_t) - rank
    N_b = -N_a @ B_b.T  # errata 2-30
    N_c = -N_a @ C + reach @ o.C_t  # 2-31
    N_d = -N_a @ L_a - reach @ o.annihilator @ o.L_s
    N_e = -N_a @ L_b - reach @ o.V_t
    N_f = -N_a @ D - reach @ o.annihilator @ o.L_t @ o.Jdot_qd
    theta_d = o.theta_d
    theta_dd = N_a @ T + N_b @ F_b + N_c @ theta_d + N_d @ alpha_s + N_e @ V_s + N_f
    asked = o.C_t @ theta_d + o.alpha_r(alpha_s, V_s)  # 5.43
    _refuse_contradictions(machine.name, B_t @ theta_dd - asked, asked)
    given = T - C @ theta_d - L_a @ alpha_s - L_b @ V_s - D - B_b.T @ F_b
    theta_dd = theta_dd + reach @ (asked - B_t @ theta_dd)  # refined: constraints may carry most
    theta_dd = theta_dd + N_a @ (given - M @ theta_dd)
    F_ta = _of_rank(B_t.T, rank, given - M @ theta_dd)
    alpha, forces = _forces(o, x=theta_dd, alpha_s=alpha_s, b=b, F_ta=F_ta, F_b=F_b)
    forces["residual"] += rotors * theta_dd - T
    acceleration = o.to_tree(theta_dd, alpha)
    return Vehicle.of(
        locals() | forces, operators=o, arms=o.arms, contacts=o.contacts, wheels=o.wheels,
        labels=o.labels, V_c=o.V_c.reshape(-1, 6), F_b=F_b.reshape(-1, 6),
    )  # fmt: skip


def _forces(
    o: Operators, x: Array, alpha_s: Array, b: Array, F_ta: Array, F_b: Array
) -> tuple[Array, dict[str, Array]]:
    """Accelerations of all links and the forces of all arms, of θ̈ = x (5.47-5.54)."""
    alpha = o.accelerations(x, alpha_s)
    inertial, shared = o.M @ alpha + b, o.on_bases @ F_b
    F_t = (o.phi @ o.sigma_b @ o.L_a).T @ inertial - o.L_a.T @ shared
    F_t = F_t + (o.annihilator @ o.L_t).T @ F_ta
    F = o.phi.T @ (inertial + o.sigma_t.T @ F_t)
    F_base = o.sigma_b.T @ F
    balance = o.A_0bc.T @ (shared - F_base) + o.A_tc.T @ F_t
    return alpha, {
        "F_t": F_t.reshape(-1, 6),
        "F_base": F_base.reshape(-1, 6),
        "balance": balance.reshape(-1, 6),
        "residual": o.H.T @ F - o.own_base.T @ F_b,
    }


def suspended(
    machine: Mechanism,
    x: Vehicle,
    q: ArrayLike,
    suspension: Sequence[str] | None = None,
    pseudo: Sequence[str] = (),
) -> Suspended:
    """The suspension apart from the other joints, pseudo joints kept from moving (5.61-5.66).

    x: of `vehicle` at the state, q its position.  suspension, pseudo: names of `x.labels`; default:
    the joints with springs, and none (`augment` puts pseudo joints into a mechanism)."""
    q = state(machine, q=q)[0]
    linear = springs(machine.model, q)
    o = x.operators
    k, d, theta = (o.of_tree(values) for values in linear)
    chosen = np.flatnonzero(k) if suspension is None else _named(x, suspension, "suspension")
    apart, held = np.zeros(len(k), bool), np.zeros(len(k), bool)
    apart[chosen], held[_named(x, pseudo, "pseudo")] = True, True
    if (apart & held).any():
        raise InputError("pseudo: a joint of the suspension moves; expected others.")
    k, d, theta = (np.where(apart, values, 0.0) for values in (k, d, theta))
    # T^nosusp: without springs and dampers
    others = np.where(held, 0.0, x.T + k * theta + d * x.theta_d)
    B = x.N_b @ x.F_b.ravel() + x.N_d @ x.alpha_s + x.N_e @ x.V_s + x.N_f
    P_b, P_c = x.N_c - x.N_a * d, -x.N_a * k  # 2-32
    a_1, a_2 = x.N_a[np.ix_(held, held)], x.N_a[np.ix_(held, ~held)]
    a_3, a_4 = x.N_a[np.ix_(~held, held)], x.N_a[np.ix_(~held, ~held)]
    keep = a_3 @ pseudo_inverse(a_1, float(np.abs(x.N_a).max(initial=0.0)))
    # the pseudo joints stand still, so only columns of true ones are left (5.64)
    Y_a = a_4 - keep @ a_2
    Y_b = P_b[np.ix_(~held, ~held)] - keep @ P_b[np.ix_(held, ~held)]
    Y_c = P_c[np.ix_(~held, ~held)] - keep @ P_c[np.ix_(held, ~held)]
    Y_d = B[~held] - keep @ B[held]
    rates, places, forces = x.theta_d[~held], theta[~held], others[~held]
    theta_dd = np.zeros(len(k))
    theta_dd[~held] = Y_a @ forces + Y_b @ rates + Y_c @ places + Y_d
    moved = a_2 @ forces + P_b[np.ix_(held, ~held)] @ rates + P_c[np.ix_(held, ~held)] @ places
    T_pseudo = -pseudo_inverse(a_1, float(np.abs(x.N_a).max(initial=0.0))) @ (moved + B[held])
    first_order = np.block([[Y_b, Y_c], [np.eye(len(Y_b)), np.zeros_like(Y_b)]])
    names = np.array(x.labels)
    return Suspended(
        suspension=tuple(names[apart]),
        pseudo=tuple(names[held]),
        true=tuple(names[~held]),
        d=d[apart],
        k=k[apart],
        P_a=x.N_a[:, ~apart],
        P_b=P_b,
        P_c=P_c,
        B=B,
        Y_a=Y_a,
        Y_b=Y_b,
        Y_c=Y_c,
        Y_d=Y_d,
        first_order=first_order,
        theta=theta,
        T_pseudo=T_pseudo,
        theta_dd=theta_dd,
        acceleration=o.to_tree(theta_dd, o.accelerations(theta_dd, x.alpha_s)),
    )


def _responses(M: Array, B_t: Array, freedoms: int | None) -> tuple[int, Array, Array]:
    """(rank of B_t, N_a, (1 - N_a M) B_t^+): θ̈ per force, and per what B_t θ̈ must be."""
    U, s, Vt = svd(B_t)
    rank = int(np.sum(s > RANK * max(1.0, s.max(initial=0.0))))
    if freedoms is not None:
        rank = len(M) - freedoms
    Z = Vt[rank:].T
    inertia = Z.T @ M @ Z
    if rank_of(inertia) < len(inertia):
        raise ModelError(
            "a motion that the constraints allow moves nothing with inertia, so its acceleration "
            "is undefined. Give a body that takes part in it a mass, or lock a joint."
        )
    N_a = Z @ solve(inertia, Z.T) if Z.size else np.zeros_like(M)
    inverse = Vt[:rank].T / s[:rank] @ U[:, :rank].T
    return rank, N_a, inverse - N_a @ (M @ inverse)


def _refuse_contradictions(name: str, unmet: Array, asked: Array) -> None:
    """Where no motion obeys all rows, the method has no answer."""
    if (off := float(np.abs(unmet).max(initial=0.0))) > 1e-9 * (
        1.0 + np.abs(asked).max(initial=0.0)
    ):
        raise ModelError(
            f"'{name}': no accelerations keep all wheels and loops together at this state (off "
            f"by {off:.2g} m/s²). Steer all axles to one centre, or use solve(): its motion is the "
            f"nearest."
        )


def _of_rank(A: Array, rank: int, b: Array) -> Array:
    """The least x of A x = b, with the given rank of A."""
    U, s, Vt = svd(A, full_matrices=False)
    return np.asarray(Vt[:rank].T @ (U[:, :rank].T @ b / s[:rank]))


def _rotors(machine: Mechanism, passive: bool) -> Array:
    found = np.zeros(machine.nv)
    for body, slot in zip(machine.model.bodies, machine.model.slots, strict=True):
        if passive and body.joint.rotors:
            found[slot.v] = [rotor.reflected for rotor in body.joint.rotors]
    return found


def _by_wheel(o: Operators, given: Mapping[str, float] | None) -> Array:
    for name in given or {}:
        if name not in o.wheels:
            raise unknown_name("wheel", name, o.wheels)
    return np.array([float((given or {}).get(name, 0.0)) for name in o.wheels])


def _resisting(o: Operators, given: Mapping[str, ArrayLike] | None) -> Array:
    found = np.zeros((len(o.arms), 6))
    for name, moment in (given or {}).items():
        if name not in o.wheels:
            raise unknown_name("wheel", name, o.wheels)
        arm = o.wheel_arms[o.wheels.index(name)]
        found[arm, :3] = vector(f"resistance['{name}']", moment, 3)
    return found.ravel()


def _named(x: Vehicle, names: Sequence[str], what: str) -> Indices:
    for name in names:
        if name not in x.labels:
            raise unknown_name(f"joint of {what}", name, x.labels)
    return np.array([x.labels.index(name) for name in names], dtype=np.intp)
