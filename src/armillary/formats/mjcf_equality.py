"""MuJoCo's equality constraints as loops, couplings and prescribed motions."""

from __future__ import annotations

import math

from armillary.errors import FormatError
from armillary.formats.mjcf_source import Source
from armillary.formats.notes import unique
from armillary.model import Builder, Coupling, Frame, JointSpec, Pose

CONNECT, WELD, JOINT = range(3)  # mjtEq
_OTHER = {3: "tendons", 4: "a flexible body", 5: "a flexible body", 6: "a flexible body"}
_SITE = 6  # mjtObj


def coupled_joints(source: Source) -> set[int]:
    """Joints that an equality names: they must stay joints of their own."""
    m = source.m
    ends: set[int] = set()
    for e in range(m.neq):
        if int(m.eq_type[e]) == JOINT:
            ends |= {int(m.eq_obj1id[e]), int(m.eq_obj2id[e])}
    return {j for j in ends if j >= 0}


def add_equalities(source: Source, builder: Builder) -> None:
    m, names = source.m, set[str]()
    if m.neq and not source.equalities:
        source.notes.add("ignored", "equalities", "", "the file switches them off")
        return
    for e in range(m.neq):
        name = unique(m.equality(e).name or f"equality{e}", names)
        names.add(name)
        type_ = int(m.eq_type[e])
        if not m.eq_active0[e]:
            source.note("ignored", "equality", name, "not active in the file")
        elif type_ in (CONNECT, WELD):
            _add_loop(source, builder, e, name, type_)
        elif type_ == JOINT:
            _add_coupling(source, builder, e, name)
        else:
            what = _OTHER.get(type_, "an unknown thing")
            text = f"it constrains {what}; only connect, weld and joint are read"
            source.note("ignored", "equality", name, text)


def _add_loop(source: Source, builder: Builder, e: int, name: str, type_: int) -> None:
    """connect -> spherical, weld -> fixed.  Anchors as in MuJoCo's mjModel.eq_data:
    connect (point in body 1, point in body 2), weld (point in 2, point in 1, rotation of 2 in 1,
    torquescale: MuJoCo multiplies the three rows of the rotation by it, so 0 leaves a ball)."""
    m = source.m
    ends = [int(m.eq_obj1id[e]), int(m.eq_obj2id[e])]
    data = m.eq_data[e].tolist()
    if int(m.eq_objtype[e]) == _SITE:
        first, second = (source.site_frame(k) for k in ends)
    elif type_ == CONNECT:
        poses = (source.pose_in(ends[0], data[0:3]), source.pose_in(ends[1], data[3:6]))
        first, second = _frames(source, name, ends, poses)
    else:
        poses = (source.pose_in(ends[0], data[3:6], data[6:10]), source.pose_in(ends[1], data[0:3]))
        first, second = _frames(source, name, ends, poses)
    if first.body == second.body:
        source.note("ignored", "equality", name, "both its ends are on one body")
        return
    ball = type_ == CONNECT or data[10] == 0.0
    builder.loop(name, first, second, JointSpec(name, "spherical" if ball else "fixed"))
    _note_read(source, name, "loop")


def _frames(
    source: Source, name: str, ends: list[int], poses: tuple[Pose, Pose]
) -> tuple[Frame, Frame]:
    first, second = (
        Frame(f"{name}_{k + 1}", source.body_name(i), pose)
        for k, (i, pose) in enumerate(zip(ends, poses, strict=True))
    )
    return first, second


def _add_coupling(source: Source, builder: Builder, e: int, name: str) -> None:
    """q1 - ref1 = a0 + a1 (q2 - ref2) + a2 (...)² ...: the straight lines among them.  MuJoCo takes
    hinges and slides only."""
    m = source.m
    j1, j2 = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    a0, a1, *higher = m.eq_data[e].tolist()[:5]
    if not all(math.isfinite(x) for x in (a0, a1, *higher)):
        raise FormatError(
            f"equality '{name}': expected finite numbers in polycoef, found {[a0, a1, *higher]}.",
            source.path,
            source.line("equality", name),
        )
    if j2 < 0:  # q1 - ref1 = a0
        position = float(m.qpos0[m.jnt_qposadr[j1]]) + a0
        builder.prescribe(name, source.joint_name(j1), 0.0, 0.0, position)
        _note_read(source, name, "prescribed motion")
        return
    if any(higher):
        source.note("ignored", "equality", name, "a curve between joints; only lines are read")
        return
    ref1, ref2 = (float(m.qpos0[m.jnt_qposadr[j]]) for j in (j1, j2))
    offset = ref1 + a0 - a1 * ref2
    builder.coupling(Coupling(name, source.joint_name(j1), source.joint_name(j2), a1, offset))
    _note_read(source, name, "coupling")


def _note_read(source: Source, name: str, what: str) -> None:
    source.note("read", "equality", name, f"read as a {what}: rigid here, soft in MuJoCo")
