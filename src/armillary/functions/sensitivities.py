"""How joint forces and accelerations change with the bodies: their inertias and their places."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.inverse_dynamics import inverse_dynamics
from armillary.algorithms.run import Run
from armillary.functions.inputs import Array
from armillary.joints.closures import moving
from armillary.scalar import Dual
from armillary.spatial import Motion, Vector

if TYPE_CHECKING:
    from armillary.functions.dynamics import Dynamics


def by_placements(owner: Dynamics, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """d tau / d placements (nv, 6 * bodies) of a single state, by dual numbers through the steps.

    A placement moves by a small twist of the joint frame: turns about and shifts along its own
    axes (rad, m); everything beyond goes along."""
    tables = owner.tables(fuse=False)
    inputs: dict[str, Any] = {
        name: owner._check(name, value)[0][0].tolist()
        for name, value in (("q", q), ("v", v), ("a", a))
    }
    columns = []
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
    """d a = -M^-1 d tau, column by column."""
    return np.asarray(-np.linalg.solve(owner.mass_matrix(q), forces))
