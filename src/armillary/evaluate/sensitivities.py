"""How joint forces and accelerations change with the bodies: their inertias and their places."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.interpreter import Run
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.algorithms.tree.regressor import regressor as torque_regressor
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, common_rows
from armillary.joints.closures import moving
from armillary.scalar import Dual
from armillary.spatial import Motion, Vector


def regressor(evaluator: Evaluator, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """Y (nv, 10 * bodies): tau = Y @ parameters of the tree, without friction and rotors."""
    inputs = {"q": q, "v": v, "a": a}
    return evaluator.run(torque_regressor, inputs, passive=False, fuse=False)["Y"]


def offset_jacobian(evaluator: Evaluator, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """d tau / d offsets (nv, 6 * bodies) or (B, nv, 6 * bodies), by dual numbers through the
    steps.

    A placement moves by a small twist of the joint frame: turns about and shifts along its own
    axes (rad, m); everything beyond goes along."""
    parts = evaluator.checked({"q": q, "v": v, "a": a})
    count, single = common_rows(parts)
    given = {name: np.broadcast_to(x, (count, x.shape[1])) for name, (x, _) in parts.items()}
    result = np.full((count, evaluator.model.nv, 6 * len(evaluator.model.bodies)), np.nan)
    finite = np.all([np.isfinite(x).all(axis=1) for x in given.values()], axis=0)
    for row in np.flatnonzero(finite):
        with contextlib.suppress(OverflowError, ZeroDivisionError):  # not a number, then
            result[row] = _of_one(evaluator, {name: x[row].tolist() for name, x in given.items()})
    if single:
        evaluator.refuse_not_finite(given, result)
    return result[0] if single else result


def _of_one(evaluator: Evaluator, inputs: dict[str, Any]) -> Array:
    """(nv, 6 * bodies) at the state q, v, a."""
    tables, columns = evaluator.tables(fuse=False), []
    for k, body in enumerate(tables.bodies):
        for n in range(6):
            twist = [1.0 if i == n else 0.0 for i in range(6)]
            back = body.own.T  # the joint frame's own axes to the kernel's
            motion = Motion(back @ Vector(*twist[:3]), back @ Vector(*twist[3:]))
            placed = moving(_floats(body.placement), motion)
            bodies = (*tables.bodies[:k], replace(body, placement=placed), *tables.bodies[k + 1 :])
            run = Run(inverse_dynamics, replace(tables, bodies=bodies), evaluator.base(), inputs)
            columns.append([x.slope if isinstance(x, Dual) else 0.0 for x in run.result("tau")])
    return np.array(columns, float).T.reshape(evaluator.model.nv, -1)


def _floats(X: Any) -> Any:
    """No structural numbers: every leaf may move."""
    return type(X).from_leaves([float(x) for x in X.leaves()])


def accelerations_by(evaluator: Evaluator, q: ArrayLike, forces: Array) -> Array:
    """d a = -M^-1 d tau (..., nv, columns), column by column; q: one state or one per row."""
    return np.asarray(-np.linalg.solve(evaluator.run(mass_matrix, {"q": q})["M"], forces))
