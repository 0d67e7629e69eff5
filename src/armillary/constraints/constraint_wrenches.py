"""What constraints exert, from their multipliers: on bodies, and in their second frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.evaluate.arrays import shifted, turned, turned_back
from armillary.evaluate.inputs import Array
from armillary.model.lowering.constraint_table import ConstraintTable

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.evaluate.evaluator import External


def _world_wrenches(system: System, constraints: ConstraintTable, multipliers: Array) -> Array:
    """(B, constraints, 6): what each constraint between frames exerts on its second body, along the
    world's axes, at the origin of the second frame."""
    total = system.terms.given_W.copy()
    for t, constraint in enumerate(constraints.frames):
        span = constraints.slices[constraint.name]
        unit = system.terms.wrench_W[:, span]
        total[:, t] = np.einsum("brm,br->bm", unit, multipliers[:, span]) + total[:, t]
    return total


def constraint_wrenches(
    equations: Equations, system: System, multipliers: Array
) -> dict[str, Array]:
    """Wrenches of all constraints on the bodies, {body: (B, 6)}, in the bodies' frames."""
    wrench_W = _world_wrenches(system, equations.constraints, multipliers)
    return on_bodies(equations, system.q, system.terms.origin, wrench_W)


def on_bodies(equations: Equations, q: Array, origin: Array, wrench_W: Array) -> dict[str, Array]:
    """The same of given wrenches on the second bodies (B, constraints, 6), along the world's axes
    at `origin`, the places of the second frames; the first bodies take the opposite ones."""
    model = equations.model
    R, origins = equations.tree.poses(q)
    total: dict[str, Array] = {}
    for t, ends in enumerate(equations.ends):
        for body, sign in zip(ends, (-1.0, 1.0), strict=True):
            if body < 0:
                continue
            there = shifted(wrench_W[:, t], origin[:, t] - origins[:, body])
            name = model.bodies[body].name
            total[name] = total.get(name, 0.0) + sign * turned_back(R[:, body], there)
    return total


def merged(external: External, constraints: dict[str, Array]) -> dict[str, Array]:
    """Given wrenches and those of the constraints; both may act in the same frame."""
    total: dict[str, Array] = {name: np.asarray(x, float) for name, x in (external or {}).items()}
    for name, wrench in constraints.items():
        total[name] = total[name] + wrench if name in total else wrench
    return total


def in_second_frames(equations: Equations, system: System, multipliers: Array) -> Array:
    """(B, constraints, 6): what each constraint between frames exerts, in its second frame."""
    wrench = _world_wrenches(system, equations.constraints, multipliers)
    return turned(system.terms.frame, wrench)
