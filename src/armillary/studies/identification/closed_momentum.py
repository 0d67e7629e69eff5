"""Momentum along the motions that constraints allow.

Forces of the constraints, J^T λ, do no work along these motions: the part of a joint force that
moves the mechanism is  Q f,  with

    Q = 1 - J^T (J J^T)^-1 J,      Q J^T = 0

(lengths over the size of the machine; Q f are the least forces that move it as f does).  Of
d(M v)/dt = tau + u + tau_e + J^T λ  with p = M v there is left

    d(Q p)/dt = Q (tau + u + tau_e) + (dQ/dt) p,

so that a momentum observer of Q p follows Q tau_e: as many numbers as there are freedoms, whatever
coordinates lead, through dead centres, too.  What the constraints carry leaves no trace.  With
y = (J J^T)^-1 J p

    (dQ/dt) p = -Q (dJ/dt)^T y - J^T (J J^T)^-1 (dJ/dt) Q p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.algorithms.closed.row_terms import row_terms
from armillary.algorithms.interpreter import Run
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.plan import plan_of
from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Dual, Scalar, dot
from armillary.sim.control.block import Scalars
from armillary.spatial.small import LDL, Rows

_SMALL = 1e-13  # of the size of J J^T: it stays regular in singular positions
_LONG = 10  # rows: for more, compiling takes longer than what it saves
_MOVE = 1e-5  # rad, or sizes of the machine: of differences along the motion

Ask = Callable[..., Run]  # (algorithm, constraints=..., q=..., v=...)


def refuse_moving(mechanism: Mechanism, what: str) -> None:
    """Constraints that move by themselves, or that push beside their rows."""
    model = mechanism.model
    driven = [*(part.name for part in model.prescribed), *model.moved]
    if driven:
        raise InputError(
            f"{what}: motion of '{driven[0]}' is prescribed, and the force that this takes is not "
            f"known. Make it a joint with a measured force."
        )
    if not mechanism.constraint_solver.equations.constraints.ideal:
        raise InputError(
            f"{what}: constraints of '{mechanism.name}' have friction that depends on their loads, "
            f"which are not known before the external force. Take it out of the model."
        )


# -- over any scalars ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Free:
    """At a state.  along: Q f of joint forces (nv); given: forces of springs, friction and known
    contacts of constraints (nv); turning: (dQ/dt) p."""

    along: Callable[[Scalars], list[Scalar]]
    given: list[Scalar]
    turning: list[Scalar]


class ScalarFreedoms:
    """Q of a mechanism over whatever scalars come."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        equations = mechanism.constraint_solver.equations
        self._kept = plan_of(equations).kept
        self._rows = equations.scaling.rows.tolist()
        self._size: list[float] = equations.scaling.columns.tolist()

    @property
    def long(self) -> bool:
        """Is its straight-line code too long to be worth its making?"""
        return len(self._kept) > _LONG

    def at(self, ask: Ask, q: Scalars, v: Scalars, p: Scalars) -> Free:
        found = self._moving_rows(ask, q, v)
        J = [
            [
                Dual.lift(x) * (self._rows[k] * s)
                for x, s in zip(found["J"][k], self._size, strict=True)
            ]
            for k in self._kept
        ]
        H = [[x.value for x in line] for line in J]
        H_dot = [[x.slope for x in line] for line in J]
        square = [[dot(one, other) for other in H] for one in H]
        more = sum((square[k][k] for k in range(1, len(H))), square[0][0]) * _SMALL
        for k in range(len(H)):
            square[k][k] = square[k][k] + more
        solve = LDL(square).solve

        def across(lines: Rows, x: Scalars) -> list[Scalar]:
            return [dot(line, x) for line in lines]

        def back(lines: Rows, y: Scalars) -> list[Scalar]:
            return [dot([line[k] for line in lines], y) for k in range(len(v))]

        def free(x: Scalars) -> list[Scalar]:
            return [a - b for a, b in zip(x, back(H, solve(across(H, x))), strict=True)]

        def along(f: Scalars) -> list[Scalar]:
            moved = free([x * s for x, s in zip(f, self._size, strict=True)])
            return [x / s for x, s in zip(moved, self._size, strict=True)]

        own = [x * s for x, s in zip(p, self._size, strict=True)]
        y = solve(across(H, own))
        one = free(back(H_dot, y))
        two = back(H, solve(across(H_dot, free(own))))
        turning = [-(a + b) / s for a, b, s in zip(one, two, self._size, strict=True)]
        return Free(along, [Dual.lift(x).value for x in found["given"]], turning)

    def _moving_rows(self, ask: Ask, q: Scalars, v: Scalars) -> dict[str, Any]:
        """J with its rate, as dual numbers; forces that the constraints are known to have."""
        model = self.mechanism.model
        moving: list[Scalar] = []
        for joint, slot in zip(model.joints, model.slots, strict=True):
            own = tuple(q[slot.q])
            slopes = joint.rate(own, tuple(v[slot.v]))
            moving += [Dual(x, slope) for x, slope in zip(own, slopes, strict=True)]
        constraints = self.mechanism.constraint_solver.equations.constraints
        found = ask(row_terms, constraints=constraints, q=moving, v=list(v))
        return {"J": found.result("J"), "given": found.result("pushes")[0]}


# -- over recorded motion --------------------------------------------------------------------------


def projectors(mechanism: Mechanism, q: Array) -> Array:
    """Q (T, nv, nv) at states on the constraints."""
    size = mechanism.constraint_solver.equations.scaling.columns
    _, s, V = np.linalg.svd(mechanism.constraint_jacobian(q) * size, full_matrices=False)
    held = s > max(RANK_TOLERANCE, mechanism.geometry_tolerance) * s[:, :1]
    V = V * held[..., None]
    free = np.eye(mechanism.nv) - np.swapaxes(V, 1, 2) @ V
    return np.asarray(free / size[:, None] * size)


def turning_forces(mechanism: Mechanism, q: Array, v: Array, p: Array) -> Array:
    """(T, nv) (dQ/dt) p, by differences along the motion."""
    size = mechanism.constraint_solver.equations.scaling.columns
    fast = np.abs(v / size).max(axis=1)
    h = (_MOVE / np.where(fast > 0.0, fast, 1.0))[:, None]
    ahead, behind = (projectors(mechanism, mechanism.integrate(q, x * v)) for x in (h, -h))
    return np.asarray(((ahead - behind) / (2.0 * h[..., None]) @ p[..., None])[..., 0])


def known_forces(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """(T, nv) of springs, friction and known contacts of constraints."""
    return np.asarray(mechanism.constraint_solver.equations.terms(q, v).given)
