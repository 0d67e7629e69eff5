"""MuJoCo's equality constraints as loops and couplings."""

from __future__ import annotations

from armillary.formats.mjcf_source import HINGE, SLIDE, Source
from armillary.formats.notes import unique
from armillary.model import Builder, Coupling, Frame, JointSpec, Pose

CONNECT, WELD, JOINT = range(3)  # mjtEq
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
            source.note("ignored", "equality", name, "only connect, weld and joint are read")


def _add_loop(source: Source, builder: Builder, e: int, name: str, type_: int) -> None:
    """connect -> spherical, weld -> fixed.  Anchors as in MuJoCo's mjModel.eq_data:
    connect (point in body 1, point in body 2), weld (point in 2, point in 1, turn of 2 in 1)."""
    m = source.m
    ends = [int(m.eq_obj1id[e]), int(m.eq_obj2id[e])]
    data = m.eq_data[e].tolist()
    if int(m.eq_objtype[e]) == _SITE:
        first, second = (_site_frame(source, k) for k in ends)
    elif type_ == CONNECT:
        poses = (source.pose_in(ends[0], data[0:3]), source.pose_in(ends[1], data[3:6]))
        first, second = _frames(source, name, ends, poses)
    else:
        poses = (source.pose_in(ends[0], data[3:6], data[6:10]), source.pose_in(ends[1], data[0:3]))
        first, second = _frames(source, name, ends, poses)
    if type_ == WELD and data[10] == 0.0:
        source.note("assumed", "equality", name, "torquescale 0 is read as a full weld")
    kind = "spherical" if type_ == CONNECT else "fixed"
    builder.loop(name, first, second, JointSpec(name, kind))
    source.note("read", "equality", name, "read as a loop: rigid here, soft in MuJoCo")


def _frames(
    source: Source, name: str, ends: list[int], poses: tuple[Pose, Pose]
) -> tuple[Frame, Frame]:
    first, second = (
        Frame(f"{name}_{k + 1}", source.body_name(i), pose)
        for k, (i, pose) in enumerate(zip(ends, poses, strict=True))
    )
    return first, second


def _site_frame(source: Source, k: int) -> Frame:
    m, i = source.m, int(source.m.site_bodyid[k])
    pose = source.pose_in(i, m.site_pos[k], m.site_quat[k])
    return Frame(m.site(k).name or f"site{k}", source.body_name(i), pose)


def _add_coupling(source: Source, builder: Builder, e: int, name: str) -> None:
    """q1 - ref1 = a0 + a1 (q2 - ref2) + a2 (...)² ...: the straight lines among them."""
    m = source.m
    j1, j2 = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    a0, a1, *higher = m.eq_data[e].tolist()[:5]
    if j2 < 0:
        source.note("ignored", "equality", name, "it holds one joint in place; lock the joint")
        return
    if any(higher):
        source.note("ignored", "equality", name, "a curve between joints; only lines are read")
        return
    if not {int(m.jnt_type[j]) for j in (j1, j2)} <= {HINGE, SLIDE}:
        source.note("ignored", "equality", name, "it couples joints that are not hinge or slide")
        return
    ref1, ref2 = (float(m.qpos0[m.jnt_qposadr[j]]) for j in (j1, j2))
    offset = ref1 + a0 - a1 * ref2
    builder.coupling(Coupling(name, source.joint_name(j1), source.joint_name(j2), a1, offset))
    text = "a coupling: only constrained dynamics enforces it"
    source.note("warning", "equality", name, text)
