"""Rows without content: the tree fulfils them already, in every configuration.

A wheel whose axle slides along the ground can neither rise nor sink: its normal row moves no joint.
What stands in such a row of J is rounding, and so is its residual; divided by each other they are
anything.  Rows are measured against the size that a row has when it moves something, not against
each other, and those without content have no say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.equations import OPEN_SAMPLES, Equations
from armillary.constraints.nullspace import RANK_TOLERANCE


def idle_rows(equations: Equations) -> NDArray[np.bool_]:
    """(m,) rows along which no joint moves, in any of a few random configurations."""
    return equations.memo.once("idle rows", lambda: _idle_rows(equations))


def _idle_rows(equations: Equations) -> NDArray[np.bool_]:
    if not equations.constraints.count:
        return np.zeros(0, bool)
    s = equations.scaling
    q = equations.random_configurations(np.random.default_rng(0), OPEN_SAMPLES)
    J = equations.terms(q).J * s.rows[:, None] * (s.columns / s.length)
    tolerance = max(RANK_TOLERANCE, equations.geometry_tolerance)
    return np.asarray(np.abs(J).max(axis=(0, 2), initial=0.0) <= tolerance, bool)


def idle_note(equations: Equations) -> str:
    """Which rows have no content, as a remark; empty where there are none.

    Loops are named only where all of their rows are idle: every planar loop has some."""
    names: list[str] = []
    for constraint in equations.constraints.all:
        rows = equations.constraints.slices[constraint.name]
        idle = idle_rows(equations)[rows]
        if idle.any() and (constraint.kind != "loop" or idle.all()):
            labels = equations.constraints.labels[rows]
            names += [f"'{label}'" for label, is_idle in zip(labels, idle, strict=True) if is_idle]
    if not names:
        return ""
    moves, those, has = (
        ("move", "these rows", "they have") if len(names) > 1 else ("moves", "this row", "it has")
    )
    return (
        f"{', '.join(names)} {moves} no joint: the tree keeps {those} already, so {has} no "
        f"influence, and no force along {those} is determined"
    )
