"""How joint forces and accelerations change with the bodies: their inertias and their places."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.inverse_dynamics import inverse_dynamics
from armillary.algorithms.run import Run
from armillary.functions.inputs import Array, common_rows
from armillary.joints.closures import moving
from armillary.scalar import Dual
from armillary.spatial import Motion, Vector

if TYPE_CHECKING:
    from armillary.functions.dynamics import Dynamics


def by_placements(owner: Dynamics, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """d tau / d placements (nv, 6 * bodies) or (B, nv, 6 * bodies), by dual numbers through the
    steps.

    A placement moves by a small twist of the joint frame: turns about and shifts along its own
    axes (rad, m); everything beyond goes along."""
    parts = {name: owner._check(name, value) for name, value in (("q", q), ("v", v), ("a", a))}
    count, single = common_rows(parts)
    given = {name: np.broadcast_to(x, (count, x.shape[1])) for name, (x, _) in parts.items()}
    result = np.full((count, owner.model.nv, 6 * len(owner.model.bodies)), np.nan)
    finite = np.all([np.isfinite(x).all(axis=1) for x in given.values()], axis=0)
    for row in np.flatnonzero(finite):
        with contextlib.suppress(OverflowError, ZeroDivisionError):  # not a number, then
            result[row] = _of_one(owner, {name: x[row].tolist() for name, x in given.items()})
    if single:
        owner._refuse_not_finite(given, result)
    return result[0] if single else result


def _of_one(owner: Dynamics, inputs: dict[str, Any]) -> Array:
    """(nv, 6 * bodies) at the state q, v, a."""
    tables, columns = owner.tables(fuse=False), []
    for k, body in enumerate(tables.bodies):
        for n in range(6):
            twist = [1.0 if i == n else 0.0 for i in range(6)]
            back = body.own.T  # the joint frame's own axes to the kernel's
            motion = Motion(back @ Vector(*twist[:3]), back @ Vector(*twist[3:]))
            placed = moving(_floats(body.placement), motion)
            bodies = (*tables.bodies[:k], replace(body, placement=placed), *tables.bodies[k + 1 :])
            run = Run(inverse_dynamics, replace(tables, bodies=bodies), owner.base(), inputs)
            columns.append([x.slope if isinstance(x, Dual) else 0.0 for x in run.result("tau")])
    return np.array(columns, float).T.reshape(owner.model.nv, -1)


def _floats(X: Any) -> Any:
    """No structural numbers: every leaf may move."""
    return type(X).from_leaves([float(x) for x in X.leaves()])


def accelerations_by(owner: Dynamics, q: ArrayLike, forces: Array) -> Array:
    """d a = -M^-1 d tau (..., nv, columns), column by column; q: one state or one per row."""
    return np.asarray(-np.linalg.solve(owner.mass_matrix(q), forces))
