"""A mechanism in a few lines for people."""

from __future__ import annotations

from armillary.model.model import Model
from armillary.model.parts import WORLD


def describe(model: Model) -> str:
    """Name, counts and the tree with joint types, masses and coordinates."""
    mass = sum(body.mass.mass for body in model.bodies)
    gravity = ", ".join(f"{g:g}" for g in model.gravity)
    lines = [
        f"{model.name}: {_count(len(model.bodies), 'body', 'bodies')}, "
        f"{_count(model.nv, 'degree', 'degrees')} of freedom, "
        f"{mass:.4g} kg, gravity ({gravity}) m/s²",
        WORLD,
    ]
    depth = {WORLD: 0}
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        depth[body.name] = depth[body.parent] + 1
        pad = "  " * depth[body.name]
        place = ""
        if joint.nv:
            last = slot.v.stop - 1
            place = f", v[{slot.v.start}]" if joint.nv == 1 else f", v[{slot.v.start}..{last}]"
        kind = "continuous" if body.joint.continuous else body.joint.kind
        lines.append(f"{pad}{body.name}  ({kind} '{body.joint.name}'{place}, "
                     f"{body.mass.mass:.4g} kg)")  # fmt: skip
    counts = (("loop", model.loops), ("coupling", model.couplings), ("wheel", model.wheels))
    extra = [
        f"{len(parts)} {name}{'s' if len(parts) > 1 else ''}" for name, parts in counts if parts
    ]
    if extra:
        lines.append("also: " + ", ".join(extra))
    return "\n".join(lines)


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
