"""Accelerations that the constraints allow, and what to say of those they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike

from armillary.algorithms.closed.actuation import Strict
from armillary.algorithms.tree import mass_matrix
from armillary.constraints.holding import Held
from armillary.constraints.ladder import States
from armillary.constraints.notes import refuse_open
from armillary.constraints.nullspace import smallest
from armillary.constraints.splitting import compiled_split
from armillary.errors import InadmissibleError, ModelError, Remedy
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System

TOLERANCE = 1e-6  # of the accelerations in the rows
_SINGLE_PRECISION = 1e-4
_ROUNDING = 1e-10
_NO_MOTION = "no motion fits its rows"


def strictness(equations: Equations, dtype: DTypeLike = np.float64) -> Strict:
    """How exactly accelerations must fit the rows."""
    model, length = equations.model, equations.length
    felt = np.linalg.norm(model.gravity)
    if model.base_acceleration:
        felt += float(np.abs(model.base_acceleration).max())
    least = TOLERANCE if dtype == np.float64 else _SINGLE_PRECISION
    tolerance = max(least, equations.geometry_tolerance)
    rows = tuple(float(x) for x in equations.scaling.rows / length)
    return Strict(tolerance, rows, (_ROUNDING * float(felt) / length, _ROUNDING))


def nearest_acceleration(
    equations: Equations,
    system: System,
    a: Array,
    k: int = 0,
    held: Held | None = None,
    values: Array | None = None,
) -> Array:
    """The accelerations (nv) nearest to `a`, by kinetic energy, that the rows of state k allow.

    held: entries that keep those of `a`, or have the `values` (h,) instead."""
    terms = system.terms
    target = system.target[k] - terms.J[k] @ a
    labels = equations.model.v_labels
    M = equations.evaluator.run(mass_matrix.mass_matrix, {"q": system.q[k]})["M"]
    if not held:
        return a + smallest(M, equations.factor(terms, k), target, labels)
    wanted = np.zeros(len(held.entries))
    if values is not None:
        wanted = values - held.rows(system.q[k]) @ a
    tolerance = equations.rank_tolerance(terms.residual[k])
    factor = held.factor(terms.J[k], equations.scaling, system.q[k], tolerance)
    found = a + smallest(M, factor, np.concatenate([target, wanted]), labels)
    strict, H = strictness(equations), held.rows(system.q[k])
    missed = _misses(equations, system, found, system.target[k] - terms.J[k] @ found, strict, k)
    broken = np.abs(H @ (found - a) - wanted) * held.sizes / equations.length
    size = np.abs(found / equations.scaling.columns).max(initial=0.0)
    if missed.max(initial=0.0) > 1.0 or broken.max(initial=0.0) > strict.tolerance * (1.0 + size):
        refuse_open(equations, terms.residual[k], "accelerations", _NO_MOTION)
        raise ModelError(
            f"'{equations.model.name}': the constraints do not allow these accelerations of "
            f"{', '.join(held.names)} together. Hold fewer joints, or give other values."
        )
    return found


def nearest_accelerations(equations: Equations, arrays: Mapping[str, Array]) -> Array | None:
    """The same of many states (q, v, tau, a) by compiled code, x = a0 + R M (a - a0) from any a0
    that the rows allow; None: there is none, or it has not converged everywhere."""
    states = States({name: arrays[name] for name in ("q", "v", "tau")})
    found = compiled_split(equations, states, closed=True)
    if found is None:
        return None
    away = found.M @ (arrays["a"] - found.a)[..., None]
    nearest = found.a + (found.split.response @ away)[..., 0]
    return nearest if isfinite(nearest.sum()) else None


def _misses(
    equations: Equations, system: System, a: Array, miss: Array, strict: Strict, k: int
) -> Array:
    """(m,) how far rows are missed by accelerations, as a part of what is let pass; the same
    measure as in the traced kernel."""
    w, (still, moving) = np.array(strict.rows), strict.rounding
    whole = np.sum((w[:, None] * system.terms.J[k] * a) ** 2) + np.sum((w * system.target[k]) ** 2)
    squares = (system.v[k] / equations.scaling.columns) ** 2
    limit = np.sqrt(strict.tolerance**2 * whole + still**2 + moving**2 * np.sum(squares**2))
    return np.asarray(np.abs(w * miss) / max(float(limit), 1e-300))


def refuse_disallowed(
    equations: Equations, system: System, a: Array, strict: Strict, row: int | None, k: int = 0
) -> None:
    """Error where the rows of state k do not allow the accelerations `a`; row: its number in a
    batch.  Rows that contradict each other ask for no more than the nearest motion."""
    nearest = nearest_acceleration(equations, system, a, k)
    miss = system.terms.J[k] @ (a - nearest)
    found = _misses(equations, system, a, miss, strict, k)
    if found.max(initial=0.0) <= 1.0:
        return
    where = "" if row is None else f" in state {row}"
    refuse_open(equations, system.terms.residual[k], "inverse_dynamics", _NO_MOTION, where)
    worst = int(np.argmax(found))
    label, unit = equations.constraints.labels[worst], equations.constraints.units[worst]
    raise InadmissibleError(
        f"inverse_dynamics: the constraints do not allow these accelerations{where}: 'a' misses "
        f"'{label}' by {abs(float(miss[worst])):.3g} {unit}/s². The nearest that they "
        f"allow is a = {listed(equations, nearest)}.",
        nearest,
        row,
        Remedy("project a"),
    )


def listed(equations: Equations, x: Array, most: int = 12) -> str:
    """Numbers with their joints, for people."""
    labels: Sequence[str] = equations.model.v_labels
    shown = [f"{name} {value:.9g}" for name, value in zip(labels, x, strict=True)]
    return "(" + ", ".join(shown[:most]) + (", ...)" if len(shown) > most else ")")
