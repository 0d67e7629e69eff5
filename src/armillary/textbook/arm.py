"""Inverse Arm and Forward Arm of revolute arms in Denavit-Hartenberg frames  [Swartz1982, 1-26].

Vectors of link i are along the axes of frame i, which sits at the far end of the link; A[i] takes
them from frame i to frame i - 1, and p_i leads from the origin of frame i - 1 to that of frame i.
Corrected: a_i counts along x_i (errata 1-1), the torque of joint N is one of them (1-6), H_NN too
(1-12), H_ij along z of frame i - 1 (1-13).  f_hand and n_hand are exerted *by* the hand (1-5).
Gravity is that of the mechanism; the document's is (0, 0, -9.80621) with z up (1-16).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import FormatError, InputError, ModelError
from armillary.evaluate.inputs import Array, as_floats
from armillary.formats.dh_table import dh_table
from armillary.model.parts import JointSpec, Pose
from armillary.model.passive import Passive
from armillary.textbook.parts import skew, tree_state
from armillary.textbook.table import FORCE, TURN, Table

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism

Z0 = np.array([0.0, 0.0, 1.0])
_CONVERGED = 1e-14  # of the first residual: the conjugate directions have done their work


@dataclass(frozen=True)
class InverseArm(Table):
    """Inverse Arm [Swartz1982, 1-10]

    One row per link, along the axes of its Denavit-Hartenberg frame."""

    omega: Annotated[Array, "angular velocity of the link (1)", "rad/s"]
    omega_d: Annotated[Array, "angular acceleration (2)", "rad/s²"]
    v: Annotated[Array, "velocity of the origin of its frame (3)", "m/s"]
    v_d: Annotated[Array, "acceleration of that origin, gravity as an upward one (4)", "m/s²"]
    v_d_c: Annotated[Array, "acceleration of the centre of mass (5)", "m/s²"]
    F: Annotated[Array, "net force (6)", "N"]
    N: Annotated[Array, "net moment about the centre of mass (7)", "N m"]
    f: Annotated[Array, "force by the link before (8)", "N"]
    n: Annotated[Array, "moment by the link before, about the joint (9)", "N m"]
    tau: Annotated[Array, "torque of every joint (10)", "N m"]


@dataclass(frozen=True)
class ForwardArm(Table):
    """Forward Arm [Swartz1982, 13-26]"""

    method: Annotated[int, "of Walker and Orin"]
    bias: Annotated[Array, "torques that keep the velocities, B (14)", "N m"]
    H: Annotated[Array | None, "inertia matrix (13); method 4 forms none", "kg m²"]
    steps: Annotated[int, "evaluations of the Inverse Arm for H, or conjugate directions"]
    alpha: Annotated[Array, "accelerations of the joints (15)", TURN]
    tau: Annotated[Array, "torques of the motors (12)", FORCE] = field(
        default_factory=lambda: np.zeros(0)
    )


@dataclass(frozen=True)
class _Arm:
    """The table of an arm, and its frames at one position."""

    A: list[Array]  # A_{i-1}^i: from frame i to frame i - 1
    p: list[Array]  # from origin i - 1 to origin i, in frame i
    s: list[Array]  # centre of mass, in frame i
    J: list[Array]  # tensor about the centre of mass, in frame i
    m: list[float]
    b: Array  # viscous friction, N m s/rad
    gravity: Array  # in frame 0
    base: Pose = field(default_factory=Pose)  # frame 0 in the world

    @property
    def z(self) -> list[Array]:
        """Axis of joint i, in frame i."""
        return [A.T @ Z0 for A in self.A]


def _arm(machine: Mechanism, theta: Array, passive: bool) -> _Arm:
    if passive and machine.model.elements:
        raise ModelError(
            f"'{machine.model.elements[0].name}': the Inverse Arm knows no force elements. Pass "
            f"passive=False, or use inverse_dynamics."
        )
    try:
        table = dh_table(replace(machine.model, elements=()))
    except FormatError as fault:
        raise ModelError(f"the Inverse Arm is one chain of revolute joints. {fault}") from None
    A, p, s, J, m, b = [], [], [], [], [], []
    for row, angle in zip(table.rows, theta, strict=True):
        name = row["name"]
        if row.get("type", "revolute") == "prismatic":
            raise ModelError(
                f"joint of '{name}' slides: the Inverse Arm knows revolute joints alone. Use "
                f"inverse_dynamics, which knows all."
            )
        numbers = [float(row[key]) for key in ("a", "alpha", "d", "theta")]  # type: ignore[arg-type]
        a, alpha, r, start = numbers
        (ct, st), (ca, sa) = ((np.cos(x), np.sin(x)) for x in (angle + start, alpha))
        A.append(np.array([[ct, -ca * st, sa * st], [st, ca * ct, -sa * ct], [0.0, sa, ca]]))
        p.append(np.array([a, r * sa, r * ca]))
        m.append(float(row.get("mass", 0.0)))  # type: ignore[arg-type]
        s.append(np.array(row.get("com", (0.0, 0.0, 0.0)), float))
        xx, yy, zz, xy, xz, yz = np.array(row.get("inertia", (0.0,) * 6), float)
        J.append(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if passive:
        b = [_viscous(body.joint) for body in machine.model.bodies if body.joint.kind != "fixed"]
    R_W0 = np.array(table.base.rotation)
    gravity = R_W0.T @ np.array(machine.model.gravity)
    friction = np.array(b) if passive else np.zeros(len(A))
    return _Arm(A, p, s, J, m, friction, gravity, table.base)


def _in_links(arm: _Arm, loads: ArrayLike | None) -> Array | None:
    """Wrenches on the links at the origins of their frames, along these."""
    if loads is None:
        return None
    found = np.array(as_floats("loads", loads), float)
    if found.shape != (len(arm.A), 6):
        raise InputError(f"loads: expected shape ({len(arm.A)}, 6), found shape {found.shape}.")
    R, o = np.array(arm.base.rotation, float), np.array(arm.base.position, float)
    for k, (A, p) in enumerate(zip(arm.A, arm.p, strict=True)):
        R = R @ A
        o = o + R @ p
        n, f = np.split(found[k], 2)
        found[k] = np.concatenate([R.T @ (n - np.cross(o, f)), R.T @ f])
    return found


def _viscous(joint: JointSpec) -> float:
    """b_i of eq 10; other forces in a joint are not part of the document."""
    (passive,) = joint.passive or (Passive(),)
    if passive != Passive(viscous=passive.viscous) or any(r.reflected for r in joint.rotors):
        raise ModelError(
            f"joint '{joint.name}': the Inverse Arm knows viscous friction alone, and it has "
            f"other friction, a spring or a rotor. Pass passive=False, or use inverse_dynamics."
        )
    return float(passive.viscous)


def inverse_arm(
    machine: Mechanism,
    theta: ArrayLike,
    omega: ArrayLike,
    alpha: ArrayLike,
    f_hand: ArrayLike = (0.0, 0.0, 0.0),
    n_hand: ArrayLike = (0.0, 0.0, 0.0),
    passive: bool = True,
    loads: ArrayLike | None = None,
) -> InverseArm:
    """τ = InvArm(θ, θ̇, θ̈): torques (N m) of a revolute arm, with everything on the way.

    f_hand (N), n_hand (N m): exerted by the hand, in the last frame at its origin.  loads
    (links, 6): wrenches (n, f) exerted *on* the links, about the world's origin along its axes.
    One state."""
    theta, omega, alpha = tree_state(machine, q=theta, v=omega, a=alpha)
    hand = [
        as_floats(name, x).astype(float) for name, x in (("f_hand", f_hand), ("n_hand", n_hand))
    ]
    for name, x in zip(("f_hand", "n_hand"), hand, strict=True):
        if x.shape != (3,):
            raise InputError(f"{name}: expected 3 numbers, found shape {x.shape}.")
    arm = _arm(machine, theta, passive)
    return _inverse(arm, omega, alpha, hand[0], hand[1], _in_links(arm, loads))


def _inverse(
    arm: _Arm,
    rates: Array,
    accelerations: Array,
    f_hand: Array,
    n_hand: Array,
    loads: Array | None = None,
) -> InverseArm:
    w = wd = v = np.zeros(3)
    vd = -arm.gravity
    rows: list[tuple[Array, ...]] = []
    for A, p, s, J, m, rate, acceleration in zip(
        arm.A, arm.p, arm.s, arm.J, arm.m, rates, accelerations, strict=True
    ):
        wd = A.T @ (wd + Z0 * acceleration + np.cross(w, Z0 * rate))  # (2)
        w = A.T @ (w + Z0 * rate)  # (1)
        v = np.cross(w, p) + A.T @ v  # (3)
        vd = np.cross(wd, p) + np.cross(w, np.cross(w, p)) + A.T @ vd  # (4)
        vdc = np.cross(wd, s) + np.cross(w, np.cross(w, s)) + vd  # (5)
        F = m * vdc  # (6)
        N = J @ wd + np.cross(w, J @ w)  # (7)
        rows.append((w, wd, v, vd, vdc, F, N))
    w, wd, v, vd, vdc, F, N = (np.array(column) for column in zip(*rows, strict=True))
    f, n = f_hand, n_hand
    fs: list[Array] = []
    ns: list[Array] = []
    torques: list[float] = []
    after = [*arm.A[1:], np.eye(3)]  # A_i^{i+1}; the hand is part of the last link
    for i in reversed(range(len(arm.A))):
        f_next = after[i] @ f
        n = (
            after[i] @ n + np.cross(arm.p[i], f_next) + np.cross(arm.p[i] + arm.s[i], F[i]) + N[i]
        )  # (9)
        f = f_next + F[i]  # (8)
        if loads is not None:  # beside the document: wrenches on links other than the hand
            moment, push = np.split(loads[i], 2)
            n, f = n - moment - np.cross(arm.p[i], push), f - push
        fs.insert(0, f)
        ns.insert(0, n)
        torques.insert(0, n @ arm.z[i] + arm.b[i] * rates[i])  # (10)
    return InverseArm(
        omega=w,
        omega_d=wd,
        v=v,
        v_d=vd,
        v_d_c=vdc,
        F=F,
        N=N,
        f=np.array(fs),
        n=np.array(ns),
        tau=np.array(torques),
    )


def forward_arm(
    machine: Mechanism,
    theta: ArrayLike,
    omega: ArrayLike,
    tau: ArrayLike,
    f_hand: ArrayLike = (0.0, 0.0, 0.0),
    n_hand: ArrayLike = (0.0, 0.0, 0.0),
    method: int = 3,
    passive: bool = True,
) -> ForwardArm:
    """θ̈ = ForArm(θ, θ̇, τ) by one of Walker and Orin's four methods.

    1: columns of H by unit accelerations; 2: the same, only the links that move and the half of H
    that is needed; 3: composite bodies (16-26); 4: no H, conjugate directions with the Inverse Arm
    as the product H x.  One state."""
    theta, omega, tau = tree_state(machine, q=theta, v=omega, tau=tau)
    if method not in _METHODS:
        raise InputError(f"method: expected 1, 2, 3 or 4, found {method!r}.")
    bias = inverse_arm(
        machine, theta, omega, np.zeros(len(theta)), f_hand, n_hand, passive
    ).tau  # (14)
    arm = _arm(machine, theta, passive=False)
    return _METHODS[method](arm, bias, tau)


def walker_orin(machine: Mechanism, theta: ArrayLike, method: int = 3) -> Array:
    """The inertia matrix H(θ) (kg m²) by Walker and Orin's method 1, 2 or 3."""
    (theta,) = tree_state(machine, q=theta)
    if method not in _MATRICES:
        raise InputError(f"method: expected 1, 2 or 3 (4 forms no matrix), found {method!r}.")
    return _MATRICES[method](_arm(machine, theta, passive=False))


def _torques(arm: _Arm, alpha: Array) -> Array:
    """H alpha: the Inverse Arm without velocities, gravity and hand (errata 1-8)."""
    still = _Arm(arm.A, arm.p, arm.s, arm.J, arm.m, arm.b, np.zeros(3))
    return _inverse(still, np.zeros(len(alpha)), alpha, np.zeros(3), np.zeros(3)).tau


def _unit_accelerations(arm: _Arm) -> Array:
    """Method 1."""
    return np.array([_torques(arm, unit) for unit in np.eye(len(arm.A))]).T


def _moving_links(arm: _Arm) -> Array:
    """Method 2: with joint j alone accelerated, the links before it stand still, and the torques
    from j on are the lower half of the column."""
    n = len(arm.A)
    H = np.zeros((n, n))
    for j in range(n):
        rest = _Arm(arm.A[j:], arm.p[j:], arm.s[j:], arm.J[j:], arm.m[j:], arm.b[j:], arm.gravity)
        H[j:, j] = H[j, j:] = _torques(rest, np.eye(n - j)[0])
    return H


def _composite_bodies(arm: _Arm) -> Array:
    """Method 3: links j to N as one hand of mass M, centre c and tensor E (16-26)."""
    n = len(arm.A)
    H = np.zeros((n, n))
    M, c, E = 0.0, np.zeros(3), np.zeros((3, 3))
    for j in reversed(range(n)):
        if j + 1 < n:
            A = arm.A[j + 1]  # A_j^{j+1}
            reach = A @ (c + arm.p[j + 1])
            total = M + arm.m[j]  # (16)
            centre = (arm.m[j] * arm.s[j] + M * reach) / total if total else np.zeros(3)  # (17)
            E = (
                A @ E @ A.T
                + _moved(M, reach - centre)
                + arm.J[j]
                + _moved(arm.m[j], arm.s[j] - centre)
            )  # (18)
            M, c = total, centre
        else:
            M, c, E = arm.m[j], arm.s[j], arm.J[j]
        z = arm.z[j]
        f = M * np.cross(z, c + arm.p[j])  # (19), (21)
        moment = E @ z + np.cross(c + arm.p[j], f)  # (20), (22)
        H[j, j] = moment @ z  # (23)
        for i in reversed(range(j)):
            f = arm.A[i + 1] @ f  # (24)
            moment = arm.A[i + 1] @ moment + np.cross(arm.p[i], f)  # (25)
            H[i, j] = H[j, i] = moment @ arm.z[i]  # (26)
    return H


def _moved(mass: float, R: Array) -> Array:
    """M [R² 1 - R R^T]: the parallel-axis rule."""
    return -mass * skew(R) @ skew(R)


_MATRICES: dict[int, Callable[[_Arm], Array]] = {
    1: _unit_accelerations,
    2: _moving_links,
    3: _composite_bodies,
}


def _by_matrix(method: int) -> Callable[[_Arm, Array, Array], ForwardArm]:
    def solved(arm: _Arm, bias: Array, tau: Array) -> ForwardArm:
        H = _MATRICES[method](arm)
        steps = 0 if method == 3 else len(tau)
        alpha = np.asarray(np.linalg.solve(H, tau - bias), float)  # (15)
        return ForwardArm(method, bias, H, steps, alpha, tau)

    return solved


def _conjugate_directions(arm: _Arm, bias: Array, tau: Array) -> ForwardArm:
    """Method 4: at most N directions, but for rounding; H x is the Inverse Arm of x."""
    x = np.zeros(len(tau))
    residual = tau - bias
    direction, size = residual, float(residual @ residual)
    least, steps = _CONVERGED**2 * size, 0
    while size > least and steps < 20 * len(tau):
        product = _torques(arm, direction)
        pace = size / float(direction @ product)
        x, residual = x + pace * direction, residual - pace * product
        size, before = float(residual @ residual), size
        direction, steps = residual + size / before * direction, steps + 1
    return ForwardArm(4, bias, None, steps, x, tau)


_METHODS = {1: _by_matrix(1), 2: _by_matrix(2), 3: _by_matrix(3), 4: _conjugate_directions}
