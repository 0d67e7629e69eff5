"""How joint forces and accelerations change with the bodies: their inertias and their places."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.interpreter import Run
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, common_rows
from armillary.joints.closures import moving
from armillary.scalar import Dual
from armillary.spatial import Motion, Vector

State = Mapping[str, list[float]]  # q, v, a


def offset_jacobian(evaluator: Evaluator, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """d tau / d offsets (nv, 6 * bodies) or (B, nv, 6 * bodies), by dual numbers through the
    steps.

    A placement moves by a small twist of the joint frame: turns about and shifts along its own
    axes (rad, m); everything beyond goes along."""
    return _by_rows(evaluator, q, v, a, 6 * len(evaluator.model.bodies), _of_one)


def element_jacobian(evaluator: Evaluator, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """d tau / d numbers of the force elements (nv, n) or (B, nv, n), likewise."""
    count = sum(element.count for element in evaluator.tables().elements)
    return _by_rows(evaluator, q, v, a, count, _of_elements)


def _by_rows(
    evaluator: Evaluator,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    columns: int,
    of_one: Callable[[Evaluator, State], Array],
) -> Array:
    """(nv, columns) of one state, or (B, nv, columns)."""
    parts = evaluator.checked({"q": q, "v": v, "a": a})
    count, single = common_rows(parts)
    given = {name: np.broadcast_to(x, (count, x.shape[1])) for name, (x, _) in parts.items()}
    result = np.full((count, evaluator.model.nv, columns), np.nan)
    finite = np.all([np.isfinite(x).all(axis=1) for x in given.values()], axis=0)
    for row in np.flatnonzero(finite):
        with contextlib.suppress(OverflowError, ZeroDivisionError):  # not a number, then
            result[row] = of_one(evaluator, {name: x[row].tolist() for name, x in given.items()})
    if single:
        evaluator.refuse_not_finite(given, result)
    return result[0] if single else result


def _of_elements(evaluator: Evaluator, inputs: State) -> Array:
    """(nv, numbers of the elements) at the state q, v, a."""
    tables, columns = evaluator.tables(), []
    for k, (element, part) in enumerate(
        zip(tables.elements, evaluator.model.elements, strict=True)
    ):
        values = part.parameter_values()
        for n in range(len(values)):
            moved = element.given([Dual(x, float(i == n)) for i, x in enumerate(values)])
            others = (*tables.elements[:k], moved, *tables.elements[k + 1 :])
            run = Run(inverse_dynamics, replace(tables, elements=others), evaluator.base(), inputs)
            columns.append([x.slope if isinstance(x, Dual) else 0.0 for x in run.result("tau")])
    return np.array(columns, float).T.reshape(evaluator.model.nv, -1)


def _of_one(evaluator: Evaluator, inputs: State) -> Array:
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


def accelerations_by(M: Array, forces: Array) -> Array:
    """d a = -M^-1 d tau (..., nv, columns), column by column."""
    return np.asarray(-np.linalg.solve(M, forces))
