"""How well a frame can be moved: manipulability, singular positions, lost directions.

    w   = √det(A Aᵀ)                                       manipulability (Yoshikawa 1985)
    w_d = √det(B Bᵀ),  B = A (Vᵀ M V)⁻¹ Vᵀ F               dynamic manipulability (Yoshikawa 1985)

A: Jacobian of the task by the drives, F: forces of the drives at their limits (or 1).  The image of
all drive rates |rates| ≤ 1 is an ellipsoid with the left singular vectors of A as axes and its
singular values as radii; that of all forces is the one of B.

Where A loses rank, uᵀ A = 0 names the lost directions u.  Along one of them the frame moves at
second order only, by  ½ uᵀ (J a_0 + J̇ v)  over the self-motions A y = 0, v = V y: where all of
these point to one side it stands on the boundary of what it can reach, else inside [Lecture].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armillary.analysis.allowed import Allowed
from armillary.analysis.columns import columns
from armillary.analysis.task import Task, task
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism
from armillary.shown import shown

_LOST = 1e-7  # of the largest singular value, lengths over the machine's size
_FLAT = 1e-7  # of the largest curvature: less is none


@dataclass(frozen=True)
class Ellipsoid:
    """rows: names of its coordinates; axes (rows, rows): unit vectors in columns; radii (rows,),
    the largest first; shift (rows,): its centre.  In m/s or rad/s, of accelerations per s²."""

    rows: tuple[str, ...]
    axes: Array
    radii: Array
    shift: Array

    @property
    def volume(self) -> float:
        """Product of the radii: √det(A Aᵀ)."""
        return float(np.prod(self.radii))

    @property
    def condition(self) -> float:
        """Largest over smallest radius; inf where it is flat."""
        least = float(self.radii.min())
        return float(self.radii.max()) / least if least > 0 else float("inf")


@shown
@dataclass(frozen=True)
class Dexterity:
    """A frame at one configuration.  linear, angular: ellipsoids of its velocity at unit rates of
    the drives (None where it cannot move so); `of_forces` the same of its acceleration, at rest,
    for drive forces at their limits (or of 1), about what gravity does alone.

    rank, reachable: of the task here and in general position; lost (rows, k): directions that
    are lost here, unit vectors in columns; singular: "", "boundary" or "interior"."""

    task: Task
    linear: Ellipsoid | None
    angular: Ellipsoid | None
    linear_of_forces: Ellipsoid | None
    angular_of_forces: Ellipsoid | None
    limited: bool
    manipulability: float
    condition: float
    rank: int
    reachable: int
    lost: Array
    singular: str

    def lost_words(self) -> tuple[str, ...]:
        """Lost directions by name: "dx", or "0.6 dx + 0.8 dz"; mixed ones over the machine's
        size."""
        return tuple(_direction(self.task.rows, u) for u in self.lost.T)

    def __str__(self) -> str:
        t = self.task
        lines = [f"frame '{t.frame}' of '{t.mechanism.name}', along {', '.join(t.rows)} (world)"]
        rows: list[list[str | float | int]] = [
            ["manipulability √det(A Aᵀ)", self.manipulability, self._unit()],
            ["condition of A, lengths over the machine's size", self.condition, "1"],
            ["rank here", self.rank, "1"],
            ["rank in general", self.reachable, "1"],
        ]
        lines += columns(["quantity", "value", "unit"], rows)
        if self.singular:
            lines.append(f"singular ({self.singular}): lost {'; '.join(self.lost_words())}")
        else:
            lines.append("not singular")
        force = "limits" if self.limited else "1 N m or 1 N each"
        for title, ellipsoid, unit in (
            ("displacement per unit rates of the drives", self.linear, "m/s"),
            ("turn per unit rates of the drives", self.angular, "rad/s"),
            (f"displacement by drive forces ({force})", self.linear_of_forces, "m/s²"),
            (f"turn by drive forces ({force})", self.angular_of_forces, "rad/s²"),
        ):
            lines += _ellipsoid(title, ellipsoid, unit)
        return "\n".join(lines)

    def _unit(self) -> str:
        turns = sum(row[0] == "r" for row in self.task.rows)
        parts = [f"rad^{turns}" if turns > 1 else "rad" * turns]
        shifts = len(self.task.rows) - turns
        parts.append(f"m^{shifts}" if shifts > 1 else "m" * shifts)
        return " ".join(filter(None, parts)) + " at unit rates"


def dexterity(
    mechanism: Mechanism,
    q: State | None = None,
    frame: str | None = None,
    rows: str | Sequence[str] = "all",
    *,
    actuators: Sequence[str] | None = None,
) -> Dexterity:
    """Manipulability, ellipsoids and singularity of a frame at q (default: where it starts).

    rows: "all", "linear", "angular" or names of rx .. dz along the world's axes; rows along which
    the frame never moves are left out.  actuators: of a closed mechanism, the joints whose rates
    and forces count, as many as it has freedoms (default: its free motions, unit length)."""
    t = task(mechanism, "dexterity", q, frame, rows, actuators)
    scaled = t.lengths[:, None] * t.A * _drive_scale(t)
    U, values, _ = np.linalg.svd(scaled)
    values = np.concatenate([values, np.zeros(len(t.rows) - len(values))])
    rank = int(np.sum(values > _LOST * values.max(initial=0.0)))
    allowed = Allowed(mechanism)
    N = allowed.motions(t.q)
    nearby = [allowed.near(t.q, N, seed) for seed in range(3)]
    reachable = max(
        [rank, *(allowed.rank(x, allowed.motions(x), t.frame, t.places) for x in nearby)]
    )
    lost = _upright(_named_basis(U[:, rank:]) if reachable > rank else np.zeros((len(t.rows), 0)))
    B, shift, limited = _by_forces(t)
    least = values[reachable - 1] if reachable else 0.0
    return Dexterity(
        task=t,
        linear=_part(t, t.A, 0.0 * shift, "d"),
        angular=_part(t, t.A, 0.0 * shift, "r"),
        linear_of_forces=_part(t, B, shift, "d"),
        angular_of_forces=_part(t, B, shift, "r"),
        limited=limited,
        manipulability=_volume(t.A),
        condition=float(values.max() / least) if least > 0 and rank == reachable else float("inf"),
        rank=rank,
        reachable=reachable,
        lost=lost,
        singular=_kind(t, lost) if lost.size else "",
    )


def _volume(A: Array) -> float:
    """√det(A Aᵀ), by singular values; 0 where there are fewer drives than rows."""
    if A.shape[0] > A.shape[1]:
        return 0.0
    return float(np.prod(np.linalg.svd(A, compute_uv=False)))


def _part(t: Task, A: Array, shift: Array, first: str) -> Ellipsoid | None:
    """The ellipsoid of the turns ("r") or displacements ("d") alone."""
    rows = [k for k, row in enumerate(t.rows) if row[0] == first]
    if not rows:
        return None
    U, values, _ = np.linalg.svd(A[rows])
    radii = np.concatenate([values, np.zeros(len(rows) - len(values))])
    return Ellipsoid(tuple(t.rows[k] for k in rows), _upright(U), radii, shift[rows])


def _drive_scale(t: Task) -> Array:
    size = Allowed(t.mechanism).length
    return np.array([size if unit == "m" else 1.0 for unit in t.drive_units])


def _by_forces(t: Task) -> tuple[Array, Array, bool]:
    """B (rows, drives) and the acceleration under gravity alone; were the limits used?"""
    m = t.mechanism
    limits = effort_limits(m)
    chosen = [m.v_labels.index(name) for name in t.drives if name in m.v_labels]
    limited = bool(chosen) and bool(np.isfinite(limits[chosen]).all())
    forces = np.eye(m.nv)[:, chosen] * limits[chosen] if limited else np.eye(m.nv)[:, chosen]
    if not chosen:
        forces = np.eye(m.nv)
    M = np.asarray(m.mass_matrix(t.q))
    N = Allowed(m).motions(t.q)
    B = t.J @ N @ np.linalg.solve(N.T @ M @ N, N.T @ forces)
    falls = N @ np.linalg.solve(N.T @ M @ N, -N.T @ np.asarray(m.static_torques(t.q)))
    return B, t.J @ falls, limited


def effort_limits(mechanism: Mechanism) -> Array:
    """(nv,) N m or N: of the joints; inf where the model gives none."""
    model, found = mechanism.model, np.full(mechanism.nv, np.inf)
    for body, slot in zip(model.bodies, model.slots, strict=True):
        for k, limit in enumerate(body.joint.limits):
            if limit.effort is not None:
                found[slot.v.start + k] = limit.effort
    return found


# -- singular positions ------------------------------------------------------------------------


def _kind(t: Task, lost: Array) -> str:
    """boundary: along some lost direction every self-motion bends to the same side."""
    selves = _null(t.lengths[:, None] * t.A * _drive_scale(t)) * _drive_scale(t)[:, None]
    if not selves.size:
        return "boundary"
    bends = t.lengths[:, None, None] * _curvatures(t, t.V @ selves)
    flat = _FLAT * max(float(np.abs(bends).max()), 1.0)
    rng = np.random.default_rng(0)
    more = rng.normal(size=(lost.shape[1], 64 if lost.shape[1] > 1 else 0))
    for u in np.hstack([lost, lost @ more]).T:
        values = np.linalg.eigvalsh(np.tensordot(u, bends, axes=1))
        up, down = values.max() > flat, values.min() < -flat
        if up != down:
            return "boundary"
    return "interior"


def _curvatures(t: Task, V: Array) -> Array:
    """(rows, k, k): second-order motion of the frame over self-motions V, a symmetric form."""
    k = V.shape[1]
    single = [_second(t, V[:, i]) for i in range(k)]
    found = np.zeros((len(t.rows), k, k))
    for i in range(k):
        for j in range(k):
            both = single[i] if i == j else _second(t, V[:, i] + V[:, j])
            found[:, i, j] = both if i == j else (both - single[i] - single[j]) / 2
    return found


def _second(t: Task, v: Array) -> Array:
    """J a_0 + J̇ v, a_0 what the constraints ask of the accelerations alone."""
    m = t.mechanism
    a = np.asarray(m.project_acceleration(t.q, v)) if m.constraints else np.zeros(m.nv)
    dJ = np.asarray(m.jacobian_dot(t.q, v, t.frame, coordinates="world_aligned"))[t.places]
    return np.asarray(t.J @ a + dJ @ v)


def _null(A: Array) -> Array:
    _, values, rows = np.linalg.svd(A)
    rank = int(np.sum(values > _LOST * values.max(initial=0.0)))
    return np.asarray(rows[rank:].T)


def _named_basis(U: Array) -> Array:
    """The same space by vectors with as few rows each as elimination gives, unit length."""
    if not U.size:
        return U
    left, found = U.T.copy(), []
    while len(left):
        k = int(np.argmax(np.linalg.norm(left, axis=0)))
        row = left.T @ (left[:, k] / np.linalg.norm(left[:, k]))
        row /= np.linalg.norm(row)
        found.append(row)
        left = left - np.outer(left @ row, row)
        _, values, rest = np.linalg.svd(left, full_matrices=False)
        left = rest[values > 1e-9]
    return np.array(found).T


def _upright(U: Array) -> Array:
    """Signs such that the largest entry of every column is positive; rounding is zero."""
    U = np.where(np.abs(U) < 1e-12, 0.0, U)
    signs = [1.0 if column[np.argmax(np.abs(column))] >= 0 else -1.0 for column in U.T]
    return np.asarray(U * np.array(signs)) + 0.0


# -- words -------------------------------------------------------------------------------------


def _direction(rows: Sequence[str], u: Array) -> str:
    shown = [(x, row) for x, row in zip(u, rows, strict=True) if abs(x) > 1e-6]
    if len(shown) == 1:
        return shown[0][1]
    text = " + ".join(f"{x:.3g} {row}" for x, row in shown)
    return text.replace("+ -", "- ")


def _ellipsoid(title: str, part: Ellipsoid | None, unit: str) -> list[str]:
    if part is None:
        return []
    heads = ["radius", "unit", *part.rows]
    rows = [
        [float(r), unit, *map(float, axis)] for r, axis in zip(part.radii, part.axes.T, strict=True)
    ]
    return ["", title, *columns(heads, rows, 4)]
