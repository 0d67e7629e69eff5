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
from armillary.model.lowering.tree import Tables
from armillary.scalar import Dual, Scalar
from armillary.spatial import Motion, Vector

State = Mapping[str, list[Scalar]]  # q, v, a: numbers, or arrays (B, 1) of many states
_TOGETHER = 256  # states


def offset_jacobian(evaluator: Evaluator, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """d tau / d offsets (nv, 6 * bodies) or (B, nv, 6 * bodies), by dual numbers through the
    steps.

    A placement moves by a small twist of the joint frame: turns about and shifts along its own
    axes (rad, m); everything beyond goes along."""
    return _by_rows(evaluator, q, v, a, 6 * len(evaluator.model.bodies), _of_offsets)


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
    of_states: Callable[[Evaluator, State], Array],
) -> Array:
    """(nv, columns) of one state, or (B, nv, columns)."""
    parts = evaluator.checked({"q": q, "v": v, "a": a})
    count, single = common_rows(parts)
    given = {name: np.broadcast_to(x, (count, x.shape[1])) for name, (x, _) in parts.items()}
    result = np.full((count, evaluator.model.nv, columns), np.nan)
    finite = np.all([np.isfinite(x).all(axis=1) for x in given.values()], axis=0)
    rows = np.flatnonzero(finite)
    for start in range(0, len(rows), _TOGETHER):
        some = rows[start : start + _TOGETHER]
        if len(some) > 1:
            states = {name: list(x[some].T[:, :, None]) for name, x in given.items()}
        else:
            states = {name: x[some[0]].tolist() for name, x in given.items()}
        with contextlib.suppress(OverflowError, ZeroDivisionError), np.errstate(all="ignore"):
            result[some] = of_states(evaluator, states)  # not a number where it is none
    if single:
        evaluator.refuse_not_finite(given, result)
    return result[0] if single else result


def _of_elements(evaluator: Evaluator, inputs: State) -> Array:
    """(nv, numbers of the elements) at the state q, v, a."""
    tables = evaluator.tables()
    values = [part.parameter_values() for part in evaluator.model.elements]
    units = iter(np.eye(sum(map(len, values))))
    moved = [
        element.given([Dual(x, next(units)) for x in own])
        for element, own in zip(tables.elements, values, strict=True)
    ]
    return _slopes(evaluator, replace(tables, elements=tuple(moved)), inputs, sum(map(len, values)))


def _of_offsets(evaluator: Evaluator, inputs: State) -> Array:
    """(nv, 6 * bodies) at the state q, v, a."""
    tables = evaluator.tables(fuse=False)
    count = 6 * len(tables.bodies)
    bodies = []
    for body, twist in zip(tables.bodies, np.eye(count).reshape(-1, 6, count), strict=True):
        back = body.own.T  # the joint frame's own axes to the kernel's
        motion = Motion(back @ Vector(*twist[:3]), back @ Vector(*twist[3:]))
        bodies.append(replace(body, placement=moving(_floats(body.placement), motion)))
    return _slopes(evaluator, replace(tables, bodies=tuple(bodies)), inputs, count)


def _slopes(evaluator: Evaluator, tables: Tables, inputs: State, count: int) -> Array:
    """(nv, count) slopes of the joint forces, or (B, nv, count); those of the tables are arrays
    (count): all at once."""
    if not tables.nv:
        return np.zeros((0, count))
    found = Run(inverse_dynamics, tables, evaluator.base(), inputs).result("tau")
    slopes = [np.asarray(Dual.lift(x).slope, float) for x in found]
    shape = np.broadcast_shapes((count,), np.shape(inputs["q"][0]))
    return np.stack([np.broadcast_to(x, shape) for x in slopes], axis=-2)


def _floats(X: Any) -> Any:
    """No structural numbers: every leaf may move."""
    return type(X).from_leaves([float(x) for x in X.leaves()])


def accelerations_by(M: Array, forces: Array) -> Array:
    """d a = -M^-1 d tau (..., nv, columns), column by column."""
    return np.asarray(-np.linalg.solve(M, forces))
