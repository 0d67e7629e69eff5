"""Derivatives of inverse dynamics by dual numbers through its steps, where no pass knows them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from armillary.algorithms.interpreter import Run
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.evaluate.derivatives import InverseDerivatives
from armillary.evaluate.evaluator import Evaluator, External
from armillary.evaluate.inputs import Array, Keywords, common_rows, wrenches
from armillary.evaluate.named_states import State
from armillary.scalar import Dual


def inverse_tangents(
    evaluator: Evaluator, q: State, v: State, a: State, external: External
) -> InverseDerivatives:
    """d tau / d(q, v, a), (nv, nv) each or (B, nv, nv); q moves on its tangent space."""
    tables = evaluator.tables()
    parts = evaluator.checked({"q": q, "v": v, "a": a})
    given = wrenches(external)
    count, single = common_rows(parts | {f"external['{name}']": x for name, x in given.items()})
    arrays = {name: np.broadcast_to(x, (count, x.shape[1])) for name, (x, _) in parts.items()}
    if given:
        arrays["external"] = evaluator.external_rows(given, count, tables)
    results = np.full((count, 3, evaluator.model.nv, evaluator.model.nv), np.nan)
    finite = np.all([np.isfinite(x).all(axis=1) for x in arrays.values()], axis=0)
    for row in np.flatnonzero(finite):
        state: Keywords = {name: x[row].tolist() for name, x in arrays.items()}
        with contextlib.suppress(OverflowError, ZeroDivisionError):  # not a number, then
            results[row] = _of_one(evaluator, state)
    if single:
        evaluator.refuse_not_finite(arrays, results)
    dq, dv, da = (results[0] if single else np.moveaxis(results, 1, 0))[:3]
    return InverseDerivatives(dq, dv, da)


def _of_one(evaluator: Evaluator, state: dict[str, object]) -> Array:
    """(3, nv, nv): d tau / d(q, v, a) of one state."""
    result = np.zeros((3, evaluator.model.nv, evaluator.model.nv))
    for n, columns in enumerate((_turned(evaluator, state), *(_moved(state, x) for x in "va"))):
        for k, inputs in enumerate(columns):
            tau = Run(inverse_dynamics, evaluator.tables(), evaluator.base(), inputs).result("tau")
            result[n, :, k] = [Dual.lift(x).slope for x in tau]
    return result


def _moved(state: Keywords, name: str) -> Iterator[Keywords]:
    """One state per entry of the named input, which has the slope 1 there."""
    values = state[name]
    for k in range(len(values)):
        yield state | {name: [Dual(x, 1.0 if i == k else 0.0) for i, x in enumerate(values)]}


def _turned(evaluator: Evaluator, state: Keywords) -> Iterator[Keywords]:
    """One state per tangent direction of q."""
    model = evaluator.model
    for k in range(model.nv):
        q: list[Any] = []
        for joint, slot in zip(model.joints, model.slots, strict=True):
            step = [Dual(0.0, 1.0 if i == k else 0.0) for i in range(slot.v.start, slot.v.stop)]
            q += joint.integrate(state["q"][slot.q], step)
        yield state | {"q": q}
