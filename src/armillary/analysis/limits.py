"""Coordinates beyond the limits of their joints."""

from __future__ import annotations

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism


def beyond_limits(mechanism: Mechanism, q: Array) -> tuple[str, ...]:
    """In words, of configurations q (T, nq): which joints, and where they are."""
    model, found = mechanism.model, []
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        for k, limit in enumerate(body.joint.limits if joint.nq == joint.nv else ()):
            place = slot.q.start + k
            least, most = float(q[:, place].min()), float(q[:, place].max())
            below = limit.lower is not None and least < limit.lower
            if below or (limit.upper is not None and most > limit.upper):
                where = f"{least:.6g}" if least == most else f"{least:.6g} to {most:.6g}"
                unit = mechanism.q_units[place]
                found.append(f"'{mechanism.q_labels[place]}' is beyond its limits: {where} {unit}")
    return tuple(found)
