"""The dynamics of a frame, seen from its task: operational-space inertia and forces.

    Λ ẍ + μ + p = F,    tau = J^T F  (F at the frame, the mechanism otherwise free)
    Λ⁻¹ = J M⁻¹ J^T                       [VanDerMerwe1995, 5.57, 5.58]
    μ = Λ (J M⁻¹ C v - J̇ v),   p = Λ J M⁻¹ g   [VanDerMerwe1995, 5.1-5.3]

Friction, springs, rotors' friction and force elements are left out of μ and p; the inertia of
rotors is in Λ.  Of a closed mechanism M⁻¹ is N (N^T M N)⁻¹ N^T, and the accelerations its
constraints ask for are in μ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armillary.analysis.allowed import Allowed
from armillary.analysis.columns import columns
from armillary.analysis.task import task
from armillary.constraints.states import one_state
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism
from armillary.shown import shown

_RANK = 1e-10  # of the largest entry of Λ⁻¹, lengths over the machine's size


@shown
@dataclass(frozen=True)
class TaskDynamics:
    """Rows along the world's axes at the frame's origin; turns first.

    inertia Λ (r, r): kg m², kg m, kg; velocity_force μ and gravity_force p (r,): N m or N; mobility
    Λ⁻¹; inverse J̄ (nv, r) = M⁻¹ J^T Λ, the dynamically consistent one: J J̄ = 1 on what can move;
    full: has Λ⁻¹ an inverse?  Where not, Λ is its pseudo-inverse and the equation holds for
    forces along motions that are possible."""

    mechanism_name: str
    frame: str
    rows: tuple[str, ...]
    inertia: Array
    velocity_force: Array
    gravity_force: Array
    mobility: Array
    inverse: Array
    J: Array
    rank: int

    @property
    def full(self) -> bool:
        return self.rank == len(self.rows)

    @property
    def null_projector(self) -> Array:
        """(nv, nv): joint forces (1 - J^T J̄^T) tau, which do not accelerate the frame."""
        return np.eye(len(self.inverse)) - self.J.T @ self.inverse.T

    def __str__(self) -> str:
        units = {"r": "N m", "d": "N"}
        heads = ["row", *(f"Λ {row}" for row in self.rows), "μ", "p", "unit of μ, p"]
        rows = [
            [
                row,
                *map(float, self.inertia[k]),
                float(self.velocity_force[k]),
                float(self.gravity_force[k]),
                units[row[0]],
            ]
            for k, row in enumerate(self.rows)
        ]
        words = "" if self.full else f"; rank {self.rank} of {len(self.rows)}: a pseudo-inverse"
        title = f"task dynamics of '{self.frame}' of '{self.mechanism_name}' (world axes){words}"
        return "\n".join([title, "Λ in kg m², kg m, kg", *columns(heads, rows)])


def task_dynamics(
    mechanism: Mechanism,
    q: State | None = None,
    v: State | None = None,
    frame: str | None = None,
    rows: str | Sequence[str] = "all",
) -> TaskDynamics:
    """Λ, μ and p of a frame at one state (default: where it starts, at rest).

    rows: "all", "linear", "angular" or names of rx .. dz; those that never move are left out."""
    t = task(mechanism, "task_dynamics", q, frame, rows, None)
    none = np.zeros(mechanism.nv)
    equations = mechanism.constraint_solver.equations
    state = one_state(equations, "task_dynamics", q=t.q, v=none if v is None else v)
    rate = state["v"]
    N, M = Allowed(mechanism).motions(t.q), np.asarray(mechanism.mass_matrix(t.q))
    M_inverse = N @ np.linalg.solve(N.T @ M @ N, N.T)
    J = t.J
    dJ = mechanism.jacobian_dot(t.q, rate, t.frame, coordinates="world_aligned")[t.places]
    W = J @ M_inverse @ J.T
    inertia, rank = _inverted(W, t.lengths)
    given = np.zeros(mechanism.nv)
    if mechanism.constraints:  # what the rows ask of the accelerations
        given = np.asarray(mechanism.project_acceleration(t.q, rate), float)
        given = given - M_inverse @ (M @ given)
    Cv = np.asarray(mechanism.coriolis_matrix(t.q, rate)) @ rate
    mu = inertia @ (J @ (M_inverse @ Cv - given) - dJ @ rate)
    p = inertia @ (J @ (M_inverse @ np.asarray(mechanism.gravity_forces(t.q))))
    inverse = M_inverse @ J.T @ inertia
    return TaskDynamics(
        mechanism_name=mechanism.name,
        frame=t.frame,
        rows=t.rows,
        inertia=inertia,
        velocity_force=mu,
        gravity_force=p,
        mobility=W,
        inverse=inverse,
        J=J,
        rank=rank,
    )


def _inverted(W: Array, lengths: Array) -> tuple[Array, int]:
    """The inverse, or the pseudo-inverse where lengths count over the machine's size; the rank."""
    scaled = lengths[:, None] * W * lengths
    values, U = np.linalg.eigh(scaled)
    kept = values > _RANK * values.max(initial=0.0)
    inverse = (U[:, kept] / values[kept]) @ U[:, kept].T
    return lengths[:, None] * inverse * lengths, int(kept.sum())
