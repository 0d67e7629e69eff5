"""Rows without content: the tree fulfils them already, in every configuration.

A wheel whose axle slides along the ground can neither rise nor sink: its normal row moves no joint.
What stands in such a row of J is rounding, and so is its residual; divided by each other they are
anything.  Rows are measured against the size that a row has when it moves something, not against
each other, and those without content have no say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.functions.constrained.nullspace import RANK_TOLERANCE
from armillary.functions.constrained.plan import OPEN_SAMPLES, random_configurations

if TYPE_CHECKING:
    from armillary.functions.constrained.engine import Engine


def idle_rows(engine: Engine) -> NDArray[np.bool_]:
    """(m,) rows along which no joint moves, in any of a few random configurations."""
    if not engine.ties.count:
        return np.zeros(0, bool)
    s = engine.scaling
    q = random_configurations(engine, np.random.default_rng(0), OPEN_SAMPLES)
    J = engine.terms(q).J * s.rows[:, None] * (s.columns / s.length)
    tolerance = max(RANK_TOLERANCE, engine.geometry_tolerance)
    return np.asarray(np.abs(J).max(axis=(0, 2), initial=0.0) <= tolerance, bool)


def idle_note(engine: Engine) -> str:
    """Which rows have no content, as a remark; empty where there are none.

    Loops are named only where all of their rows are idle: every planar loop has some."""
    names: list[str] = []
    for tie in engine.ties.all:
        rows = engine.ties.slices[tie.name]
        idle = engine.idle[rows]
        if idle.any() and (tie.kind != "loop" or idle.all()):
            labels = engine.ties.labels[rows]
            names += [f"'{label}'" for label, is_idle in zip(labels, idle, strict=True) if is_idle]
    if not names:
        return ""
    moves, which, has = (
        ("move", "these rows", "they have") if len(names) > 1 else ("moves", "this row", "it has")
    )
    return (
        f"{', '.join(names)} {moves} no joint: the tree keeps {which} already, so {has} no "
        f"influence, and no force along {which} is determined"
    )
