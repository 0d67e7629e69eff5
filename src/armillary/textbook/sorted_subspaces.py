"""Joint space sorted into base, actuated, free and flexible joints  [Yesiloglu2007, 4.1-4.24].

Flexible joints push back,  T_l = -L_d θ̇_l - L_s θ_l,  θ_l counted from where the springs rest.
Eliminating the others leaves the motion of the flexible joints:

    M* θ̈_l + L_d θ̇_l + L_s θ_l + C* + J*^T F_t = B T_baf     (4.7)

Corrected: 4.7 as above (errata 2-16), J_s = [0 J*] side by side (2-17), M_2 in 4.19 (2-19).  The
solution 4.17 is exact for frozen M* (2-18); it is written here without L_sd^-1, so that joints with
a damper and no spring are known, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import expm

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.model.model import Model
from armillary.textbook.linear import solve
from armillary.textbook.parts import Indices, tree_state, vector
from armillary.textbook.table import FORCE, INERTIA, TURN, Table

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism

BASE, ACTUATED, FREE, FLEXIBLE = "base", "actuated", "free", "flexible"


class Springs(NamedTuple):
    """Linear springs and dampers of all degrees of freedom, zeros where there are none."""

    stiffness: Array  # N m/rad or N/m
    damping: Array  # N m s/rad or N s/m
    deflection: Array  # rad or m, from rest


def springs(model: Model, q: Array) -> Springs:
    """Of the joints of the tree, at q (nq)."""
    k, d, x = (np.zeros(model.nv) for _ in range(3))
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        if not body.joint.passive or joint.nq != joint.nv:
            continue
        for n, part in enumerate(body.joint.passive):
            at = slot.v.start + n
            k[at], d[at] = part.spring, part.viscous
            x[at] = q[slot.q.start + n] - part.rest
    return Springs(k, d, x)


@dataclass(frozen=True)
class SortedSubspaces(Table):
    """Joint space sorted into base, actuated, free and flexible joints [Yesiloglu2007, 4.1-4.20]

    baf: base, actuated and free coordinates, in this order; l: flexible ones, from their rest."""

    base: Annotated[tuple[str, ...], "coordinates of the base"]
    actuated: Annotated[tuple[str, ...], "coordinates with a drive"]
    free: Annotated[tuple[str, ...], "coordinates without"]
    flexible: Annotated[tuple[str, ...], "coordinates with springs and dampers"]
    S: Annotated[Array, "sorting matrix, rows of the identity (4.1)"]
    M_1: Annotated[Array, "inertia of baf (4.2)", INERTIA]
    M_2: Annotated[Array, "between baf and l (4.2)", INERTIA]
    M_3: Annotated[Array, "between l and baf, M_2^T (4.2)", INERTIA]
    M_4: Annotated[Array, "inertia of l (4.2)", INERTIA]
    C_baf: Annotated[Array, "velocity, gravity and other bias forces of baf (4.2)", FORCE]
    C_l: Annotated[Array, "those of l, without springs and dampers (4.2)", FORCE]
    J_baf: Annotated[Array, "Jacobian of the tips, columns of baf (4.2)", "1, m"]
    J_l: Annotated[Array, "its columns of l (4.2)", "1, m"]
    L_s: Annotated[Array, "stiffness of the flexible joints (4.3)", "N m/rad or N/m"]
    L_d: Annotated[Array, "their damping (4.3)", "N m s/rad or N s/m"]
    T_baf: Annotated[Array, "applied forces (4.2)", FORCE]
    M_star: Annotated[Array, "M_4 - M_3 M_1^-1 M_2 (4.8)", INERTIA]
    C_star: Annotated[Array, "C_l - M_3 M_1^-1 C_baf (4.9)", FORCE]
    J_star: Annotated[Array, "J_l - J_baf M_1^-1 M_3^T (4.10)", "1, m"]
    B: Annotated[Array, "-M_3 M_1^-1 (4.11)"]
    W: Annotated[Array, "deflections and their rates (4.12)", "rad or m; per s"]
    M_s: Annotated[Array, "[1 0; 0 M*] (4.12)", INERTIA]
    L_sd: Annotated[Array, "[0 -1; L_s L_d] (4.12)"]
    C_s: Annotated[Array, "[0; C*] (4.12)", FORCE]
    J_s: Annotated[Array, "[0 J*] (4.12, errata 2-17)", "1, m"]
    B_s: Annotated[Array, "[0; B] (4.12)"]
    T_s: Annotated[Array, "B_s T_baf - C_s (4.13)", FORCE]
    F_t: Annotated[Array, "given force by the tips, stacked (4.2)", "N m, N"]
    W_rate: Annotated[Array, "Ẇ of 4.14", "per s, per s²"]
    theta_dd_l: Annotated[Array, "accelerations of the flexible joints (4.7)", TURN]
    theta_dd_baf: Annotated[Array, "those of the others (4.6)", TURN]
    theta_dd: Annotated[Array, "sorted back (4.20)", TURN]
    residual: Annotated[Array, "M θ̈ + C + J^T F_t - T, unsorted (4.1)", FORCE]

    def after(self, step: float) -> tuple[Array, Array]:
        """(W, Ẇ) of the flexible joints after a time step, everything but them frozen (4.16, 4.17):

        W(t) = W_0 + ∫ e^{-M_s^-1 L_sd t} dt Ẇ_0,  Ẇ(t) = e^{-M_s^-1 L_sd t} Ẇ_0."""
        n = len(self.W)
        rate = np.zeros((2 * n, 2 * n))  # of (∫ Ẇ dt; Ẇ)
        rate[:n, n:], rate[n:, n:] = np.eye(n), -solve(self.M_s, self.L_sd)
        turn = expm(rate * step)
        return self.W + turn[:n, n:] @ self.W_rate, turn[n:, n:] @ self.W_rate

    def series(self, step: float, terms: int) -> Array:
        """Ẇ after a step by the truncated series of the exponential (4.24)."""
        Y = -solve(self.M_s, self.L_sd) * step
        found, power = self.W_rate.copy(), self.W_rate
        for n in range(1, terms + 1):
            power = Y @ power / n
            found = found + power
        return found

    def split(self, values: Array) -> dict[str, Array]:
        """Entries of v, a or tau by subspace."""
        sizes = np.cumsum([len(self.base), len(self.actuated), len(self.free)])
        parts = np.split(self.S @ values, sizes)
        return dict(zip((BASE, ACTUATED, FREE, FLEXIBLE), parts, strict=True))


def sorted_subspaces(
    machine: Mechanism,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    flexible: Sequence[str] | None = None,
    free: Sequence[str] = (),
    base: Sequence[str] | None = None,
    tips: Sequence[str] = (),
    F_t: ArrayLike | None = None,
    external: External = None,
) -> SortedSubspaces:
    """The equations of an underactuated tree with flexible joints, sorted and reduced (4.1-4.20).

    flexible, free, base: joints or coordinates by name; default: the joints with springs, none, and
    the floating joints on the ground.  All others are actuated.  tau: zero along free and flexible
    ones.  tips, F_t: frames, and the force (6 each, along the world's axes) they exert."""
    q, v, tau = tree_state(machine, q=q, v=v, tau=tau)
    linear = springs(machine.model, q)
    kinds = _sorted(machine, linear, flexible, free, base)
    order = np.concatenate([kinds[k] for k in (BASE, ACTUATED, FREE, FLEXIBLE)])
    _undriven(machine, tau, kinds)
    l = kinds[FLEXIBLE]
    M, bias = machine.mass_matrix(q), machine.bias_forces(q, v, external)
    bias = bias.copy()
    bias[l] -= linear.damping[l] * v[l] + linear.stiffness[l] * linear.deflection[l]
    J = np.zeros((6 * len(tips), machine.nv))
    for k, tip in enumerate(tips):
        J[6 * k : 6 * k + 6] = machine.jacobian(q, tip, "world_aligned")
    push = vector("F_t", None if F_t is None else np.ravel(np.asarray(F_t, float)), len(J))
    names = {kind: tuple(machine.v_labels[k] for k in found) for kind, found in kinds.items()}
    return reduced(names, Unsorted(M, bias, J, v, tau), linear, order, l, push)


class Unsorted(NamedTuple):
    """M θ̈ + bias + J^T F_t = tau + springs, in the order of v."""

    M: Array
    bias: Array
    J: Array
    v: Array
    tau: Array


def reduced(
    names: Mapping[str, tuple[str, ...]],
    given: Unsorted,
    linear: Springs,
    order: Indices,
    l: Indices,
    F_t: Array,
) -> SortedSubspaces:
    """4.1-4.20, as they stand; l: the flexible coordinates, the last ones of the order."""
    M, bias, J, v, tau = given
    S = np.eye(len(M))[order]
    n = len(M) - len(l)
    sorted_M, C, sorted_J = S @ M @ S.T, S @ bias, J @ S.T
    M_1, M_2, M_3, M_4 = sorted_M[:n, :n], sorted_M[:n, n:], sorted_M[n:, :n], sorted_M[n:, n:]
    C_baf, J_baf, J_l, T_baf = C[:n], sorted_J[:, :n], sorted_J[:, n:], (S @ tau)[:n]
    C_l = C[n:] - tau[l]
    L_s, L_d = np.diag(linear.stiffness[l]), np.diag(linear.damping[l])
    M_star = M_4 - M_3 @ solve(M_1, M_2)
    C_star = C_l - M_3 @ solve(M_1, C_baf)
    J_star = J_l - J_baf @ solve(M_1, M_3.T)
    B = -solve(M_1, M_3.T).T
    zero, one = np.zeros((len(l), len(l))), np.eye(len(l))
    W = np.concatenate([linear.deflection[l], v[l]])
    M_s = np.block([[one, zero], [zero, M_star]])
    L_sd = np.block([[zero, -one], [L_s, L_d]])
    C_s = np.concatenate([np.zeros(len(l)), C_star])
    J_s = np.hstack([np.zeros((len(J), len(l))), J_star])
    B_s = np.vstack([np.zeros((len(l), n)), B])
    T_s = B_s @ T_baf - C_s
    W_rate = solve(M_s, T_s - L_sd @ W - J_s.T @ F_t)  # 4.14
    theta_dd_l = W_rate[len(l) :]
    theta_dd_baf = solve(M_1, T_baf - M_2 @ theta_dd_l - C_baf - J_baf.T @ F_t)  # 4.6
    theta_dd = S.T @ np.concatenate([theta_dd_baf, theta_dd_l])  # 4.20
    T_l = -L_d @ v[l] - L_s @ linear.deflection[l]  # 4.3
    residual = M @ theta_dd + bias + J.T @ F_t - tau - S.T @ np.concatenate([0.0 * T_baf, T_l])
    return SortedSubspaces.of(locals(), **names)


def _sorted(
    machine: Mechanism,
    linear: Springs,
    flexible: Sequence[str] | None,
    free: Sequence[str],
    base: Sequence[str] | None,
) -> dict[str, Indices]:
    """Entries of v by subspace; every coordinate is in one of them."""
    sprung = np.flatnonzero(linear.stiffness)
    floating = [
        k
        for body, slot in zip(machine.model.bodies, machine.model.slots, strict=True)
        if body.parent == "world" and body.joint.kind == "free"
        for k in range(slot.v.start, slot.v.stop)
    ]
    found = {
        BASE: np.array(floating, dtype=np.intp) if base is None else _entries(machine, base),
        FREE: _entries(machine, free),
        FLEXIBLE: sprung if flexible is None else _entries(machine, flexible),
    }
    if not len(found[FLEXIBLE]):
        raise InputError(
            f"flexible: '{machine.name}' has no joint with a spring, so nothing is left to reduce "
            f"to. Name the joints that count as flexible, or use forward_dynamics()."
        )
    taken = np.concatenate([found[k] for k in (BASE, FREE, FLEXIBLE)])
    for k in np.unique(taken):
        if np.sum(taken == k) > 1:
            raise InputError(
                f"'{machine.v_labels[k]}' is named in more than one subspace; expected one of "
                f"base, free, flexible."
            )
    found[ACTUATED] = np.setdiff1d(np.arange(machine.nv), taken)
    return found


def _entries(machine: Mechanism, names: Sequence[str]) -> Indices:
    """Entries of v of joints (all of theirs) or single coordinates."""
    model, found = machine.model, []
    joints = {b.joint.name: s for b, s in zip(model.bodies, model.slots, strict=True)}
    for name in names:
        if name in joints:
            found += list(range(joints[name].v.start, joints[name].v.stop))
        elif name in machine.v_labels:
            found.append(machine.v_labels.index(name))
        else:
            raise unknown_name("joint or coordinate", name, [*joints, *machine.v_labels])
    return np.array(found, dtype=np.intp)


def _undriven(machine: Mechanism, tau: Array, kinds: Mapping[str, Indices]) -> None:
    for kind in (FREE, FLEXIBLE):
        driven = [machine.v_labels[k] for k in kinds[kind] if tau[k] != 0.0]
        if driven:
            raise InputError(
                f"tau: '{driven[0]}' is {kind} and has no drive; expected 0 there. Leave it out "
                f"of `{kind}=` if it has one."
            )
