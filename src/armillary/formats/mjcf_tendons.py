"""MuJoCo's tendons as springs, dampers and cables, between points or between coordinates.

A tendon over sites alone, or over joints alone, with a stiffness or a damping, means what a
`LineForce` means; the length of one over joints is Σ coef qpos.  MuJoCo's spring has a dead band:
it pushes below `springlength[0]` and pulls above `springlength[1]`.
"""

from __future__ import annotations

from functools import partial

from armillary.formats.mjcf_source import Source
from armillary.formats.notes import unique
from armillary.model import Builder

_JOINT, _SITE = 1, 3  # mjtWrap
_WRAPS = {1: "joints", 2: "pulleys", 4: "spheres", 5: "cylinders"}
_EXTRAS = {
    "frictionloss": "friction",
    "armature": "armature",
    "limited": "limits",
    "stiffnesspoly": "nonlinear stiffness",
    "dampingpoly": "nonlinear damping",
}


def add_tendons(source: Source, builder: Builder) -> None:
    """Every tendon: read, or ignored with the reason."""
    m, names = source.m, set[str]()
    for t in range(m.ntendon):
        name = unique(m.tendon(t).name or f"tendon{t}", names)
        names.add(name)
        for what in _extras(source, t):
            source.note("warning", "tendon", name, f"not read: its {what}")
        why = _refused(source, t)
        if why:
            source.note("ignored", "tendon", name, why)
            continue
        source.note("read", "tendon", name, f"as {_add(source, builder, t, name)}")


def tendon_joints(source: Source) -> set[int]:
    """Joints that a tendon runs over: they must stay joints of their own."""
    m = source.m
    over = (w for t in range(m.ntendon) for w in _path(source, t))
    return {int(m.wrap_objid[w]) for w in over if int(m.wrap_type[w]) == _JOINT}


def _path(source: Source, t: int) -> range:
    first = int(source.m.tendon_adr[t])
    return range(first, first + int(source.m.tendon_num[t]))


def _refused(source: Source, t: int) -> str:
    """Why a tendon is not read; empty: it is."""
    m, path = source.m, _path(source, t)
    kinds = {int(m.wrap_type[w]) for w in path}
    if kinds not in ({_SITE}, {_JOINT}):
        others = ", ".join(sorted(_WRAPS.get(k, "other things") for k in kinds - {_SITE}))
        return f"it runs over {others}; only tendons over sites, or over joints, are read"
    if not (float(m.tendon_stiffness[t]) or float(m.tendon_damping[t])):
        return "it has neither stiffness nor damping"
    if kinds == {_JOINT}:
        return ""
    bodies = {int(m.site_bodyid[m.wrap_objid[w]]) for w in path}
    return "all its sites are on one body" if len(bodies) < 2 else ""


def _extras(source: Source, t: int) -> list[str]:
    found = ((what, getattr(source.m, f"tendon_{field}", None)) for field, what in _EXTRAS.items())
    return [what for what, values in found if values is not None and values[t].any()]


def _add(source: Source, builder: Builder, t: int, name: str) -> str:
    """The elements of one tendon; what they are, in words."""
    m, path = source.m, _path(source, t)
    if int(m.wrap_type[path[0]]) == _JOINT:
        weights: dict[str, float] = {}
        for w in path:
            joint = source.joint_name(int(m.wrap_objid[w]))
            weights[joint] = weights.get(joint, 0.0) + float(m.wrap_prm[w])
        line = partial(builder.coordinate_spring, coordinates=weights)
    else:
        line = partial(
            builder.cable, points=[source.site_frame(int(m.wrap_objid[w])) for w in path]
        )
    low, high = (float(x) for x in m.tendon_lengthspring[t])
    stiffness = float(m.tendon_stiffness[t]) if source.springs else 0.0
    damping = float(m.tendon_damping[t]) if source.dampers else 0.0
    if low == high or not stiffness:
        if stiffness or damping:
            line(name, stiffness=stiffness, damping=damping, rest=high, side="both")
            return "a spring and damper"
        return "nothing: the file switches springs and dampers off"
    pushes = low > 0.0 or int(m.wrap_type[path[0]]) == _JOINT
    line(name, stiffness=stiffness, rest=high, side="pull")
    if pushes:
        line(f"{name}.push", stiffness=stiffness, rest=low, side="push")
    if damping:
        line(f"{name}.damper", damping=damping, rest=high, side="both")
    return f"one that pulls beyond {high:g}" + f" and pushes below {low:g}" * pushes
