"""From MuJoCo's bodies and joints to ours: one joint per body, in sequence where there are more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from armillary.formats.mjcf_shapes import shapes_of
from armillary.formats.mjcf_source import BALL, FREE, HINGE, SLIDE, Source, triple
from armillary.formats.notes import unique
from armillary.formats.urdf_parts import UNBOUNDED
from armillary.joints import General
from armillary.model import (
    Body,
    Builder,
    JointSpec,
    Limits,
    Mass,
    Passive,
    Pose,
    Rotor,
)
from armillary.model.parts import Triple
from armillary.spatial import Motion, Vector

_ZERO = (0.0, 0.0, 0.0)


def add_bodies(source: Source, builder: Builder, apart: set[int]) -> None:
    """All bodies, with frames for MuJoCo's own body frames and sites.

    `apart`: joints that need a name of their own because something refers to them."""
    m = source.m
    taken = {source.body_name(i) for i in range(m.nbody)}
    names = set(source.joint_names)
    for i in range(1, m.nbody):
        first, count = int(m.body_jntadr[i]), int(m.body_jntnum[i])
        joints = range(first, first + count)
        pieces = list(_pieces(source, joints, apart)) or [[]]
        _add_chain(source, builder, i, pieces, taken, names)
    _add_frames(source, builder, taken)


def _pieces(source: Source, joints: Sequence[int], apart: set[int]) -> Iterator[list[int]]:
    """Runs of hinges and slides that make one joint; balls, free and coupled joints stay alone."""
    run: list[int] = []
    for j in joints:
        alone = int(source.m.jnt_type[j]) in (FREE, BALL) or j in apart
        if run and alone:
            yield run
            run = []
        if alone:
            yield [j]
        else:
            run.append(j)
    if run:
        yield run


def _add_chain(
    source: Source,
    builder: Builder,
    i: int,
    pieces: list[list[int]],
    taken: set[str],
    names: set[str],
) -> None:
    """Body i behind its joints; all but the last piece carry a massless body."""
    m, name = source.m, source.body_name(i)
    up = int(m.body_parentid[i])
    parent, at = source.body_name(up), source.pose_in(up, m.body_pos[i], m.body_quat[i])
    before = _ZERO  # anchor of the piece before, in the frame of body i
    for k, joints in enumerate(pieces):
        spec, rest, anchor = _joint(source, i, joints)
        if len(joints) != 1:  # not a name of the file: it must not meet one
            spec = replace(spec, name=unique(spec.name, names))
            names.add(spec.name)
        _start(source, builder, spec, joints)
        step = Pose(tuple(a - b for a, b in zip(anchor, before, strict=True)))  # type: ignore[arg-type]
        at = at.then(step) if any(step.position) else at
        at = at.then(rest) if rest is not None else at
        if spec.kind == "free":
            at = Pose()  # MuJoCo counts the position of a free body from the world's origin
        if k < len(pieces) - 1:
            link = unique(f"{name}_{spec.name}", taken)
            taken.add(link)
            source.note("assumed", "body", name, "several joints: massless bodies stand between")
            builder.add(Body(link, parent, spec, at), has_inertia=False)
            parent, at, before = link, Pose(), anchor
    source.anchor[i] = anchor
    mass = source.mass(i)
    body = Body(name, parent, spec, at, mass, shapes=shapes_of(source, i))
    builder.add(body, has_inertia=mass != Mass())


def _start(source: Source, builder: Builder, spec: JointSpec, joints: list[int]) -> None:
    """q of the pose as it is drawn (MuJoCo's qpos0), where that is not the neutral one."""
    m = source.m
    addresses = [int(m.jnt_qposadr[j]) for j in joints]
    if spec.kind == "free":
        x, y, z, *quaternion = (float(value) for value in m.qpos0[addresses[0] : addresses[0] + 7])
        if (x, y, z, *quaternion) != (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0):
            builder.initial[spec.name] = [*quaternion, x, y, z]
    elif spec.kind not in ("spherical", "fixed"):
        start = [float(m.qpos0[k]) for k in addresses]
        if any(start):
            builder.initial[spec.name] = start


def _joint(source: Source, i: int, joints: list[int]) -> tuple[JointSpec, Pose | None, Triple]:
    """The joint, the rotation that makes its q = 0 MuJoCo's qpos = 0, and its anchor in body i."""
    m = source.m
    if not joints:
        return JointSpec(source.body_name(i), "fixed"), None, _ZERO
    spec = _bare_joint(source, joints)
    types = [int(m.jnt_type[j]) for j in joints]
    anchor = triple(m.jnt_pos[joints[0]])
    if types == [FREE]:
        _note_free(source, joints[0])
        return replace(spec, kind="free"), None, _ZERO
    if types == [BALL]:
        return replace(spec, kind="spherical"), None, anchor
    start = [-float(m.qpos0[m.jnt_qposadr[j]]) for j in joints]
    for j, ref in zip(joints, start, strict=True):
        if ref:
            text = "`ref` is not 0: q is MuJoCo's qpos, so the drawn pose is at q = ref"
            source.note("read", "joint", source.joint_name(j), text)
    single = len(joints) == 1
    sequence = General([_screw(source, j, single) for j in joints])
    back = Pose.from_transform(sequence.transform(start)) if any(start) else None
    if single:
        kind, at = ("revolute", anchor) if types == [HINGE] else ("prismatic", _ZERO)
        return replace(spec, kind=kind, axes=(triple(m.jnt_axis[joints[0]]),)), back, at
    text = "several joints in one body make one general joint, its axes in their order"
    source.note("read", "body", source.body_name(i), text)
    # the sequence begun at another place: its axes as they stand there
    axes = sequence.motion_space(start).columns if any(start) else sequence.axes
    screws = tuple(tuple(float(x) for x in axis.leaves()) for axis in axes)
    return replace(spec, axes=screws), back, _ZERO


def _bare_joint(source: Source, joints: list[int]) -> JointSpec:
    """Name, friction, rotors and limits of a joint whose kind is still open."""
    passive = tuple(p for j in joints for p in _passive(source, j))
    rotors = tuple(r for j in joints for r in _rotors(source, j))
    limits = tuple(x for j in joints for x in _limits(source, j))
    return JointSpec(
        _common_name([source.joint_name(j) for j in joints]),
        "general",
        passive=passive if any(p != Passive() for p in passive) else (),
        rotors=rotors if any(r.inertia for r in rotors) else (),
        limits=limits if any(x != Limits() for x in limits) else (),
    )


def _screw(source: Source, j: int, single: bool) -> Motion:
    """The axis of a hinge or slide as a motion (ω; v) of the body's origin:  v = p × ω."""
    axis = Vector(*triple(source.m.jnt_axis[j]))
    if int(source.m.jnt_type[j]) == SLIDE:
        return Motion(Vector(), axis)
    point = Vector() if single else Vector(*triple(source.m.jnt_pos[j]))
    return Motion(axis, point.cross(axis))


def _common_name(names: list[str]) -> str:
    """wrist.first, wrist.second -> wrist (as the writer names them); others are strung together."""
    stems = {name.rpartition(".")[0] for name in names}
    if len(names) > 1 and len(stems) == 1 and "" not in stems:
        return stems.pop()
    return "+".join(names)


def _note_free(source: Source, j: int) -> None:
    m, name = source.m, source.joint_name(j)
    body = int(m.jnt_bodyid[j])
    drawn = [f"{x:.6g}" for x in (*m.body_quat[body].tolist(), *m.body_pos[body].tolist())]
    if [float(x) for x in drawn] != [1.0, *[0.0] * 6]:
        text = f"q counts from the world's origin; the file draws the body at q = {' '.join(drawn)}"
        source.note("read", "joint", name, text)


# -- what acts along an axis ----------------------------------------------------------------------


def _passive(source: Source, j: int) -> list[Passive]:
    """Damping, friction and spring of each degree of freedom of a joint."""
    m, name = source.m, source.joint_name(j)
    type_, dof, q = int(m.jnt_type[j]), int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
    count = {FREE: 6, BALL: 3}.get(type_, 1)
    stiffness = float(m.jnt_stiffness[j]) if source.springs else 0.0
    if stiffness and count > 1:
        source.note("warning", "joint", name, "a spring of a ball or free joint is not read")
        stiffness = 0.0
    for field, k in (("dof_dampingpoly", dof), ("jnt_stiffnesspoly", j)):
        table = getattr(m, field, None)
        if table is not None and table[k].any():
            source.note("warning", "joint", name, "only the linear term of its spring or damper")
    entries = []
    for k in range(dof, dof + count):
        viscous = float(m.dof_damping[k]) if source.dampers else 0.0
        coulomb = float(m.dof_frictionloss[k]) if source.friction else 0.0
        if type_ == FREE and coulomb and k - dof < 3:
            text = "friction of the linear motion acts along body axes here, world axes in MuJoCo"
            source.note("warning", "joint", name, text)
        if count == 1 and source.dampers:
            viscous += source.geared(j, "damping")
        rest = float(m.qpos_spring[q]) if stiffness else 0.0
        entries.append(Passive(viscous=viscous, coulomb=coulomb, spring=stiffness, rest=rest))
    # MuJoCo counts a free joint's linear motion first
    return entries[3:] + entries[:3] if type_ == FREE else entries


def _rotors(source: Source, j: int) -> list[Rotor]:
    m, type_ = source.m, int(source.m.jnt_type[j])
    dof, count = int(m.jnt_dofadr[j]), {FREE: 6, BALL: 3}.get(type_, 1)
    entries = [Rotor(float(m.dof_armature[k])) for k in range(dof, dof + count)]
    if count == 1:
        entries = [Rotor(entries[0].inertia + source.geared(j, "armature"))]
    if type_ == FREE and any(rotor.inertia for rotor in entries):
        text = "armature of the linear motion acts along body axes here, world axes in MuJoCo"
        source.note("warning", "joint", source.joint_name(j), text)
    return entries[3:] + entries[:3] if type_ == FREE else entries


def _limits(source: Source, j: int) -> list[Limits]:
    m, name = source.m, source.joint_name(j)
    type_ = int(m.jnt_type[j])
    if type_ in (FREE, BALL):
        if m.jnt_limited[j]:
            source.note("ignored", "joint", name, "the limit of a ball joint is not read")
        return [Limits()] * (6 if type_ == FREE else 3)
    lower = upper = effort = None
    if m.jnt_limited[j]:
        low, high = (float(x) for x in m.jnt_range[j])
        lower = low if low > -UNBOUNDED else None
        upper = high if high < UNBOUNDED else None
    if m.jnt_actfrclimited[j]:
        low, high = (float(x) for x in m.jnt_actfrcrange[j])
        effort = max(abs(low), abs(high))
        if low != -high:
            source.note("assumed", "joint", name, "its force range is one-sided: the larger kept")
    return [Limits(lower, upper, None, effort)]


# -- frames ---------------------------------------------------------------------------------------


def _add_frames(source: Source, builder: Builder, taken: set[str]) -> None:
    """MuJoCo's frame of every body whose frame was moved to its joint, and the named sites."""
    m = source.m
    for i in range(1, m.nbody):
        if any(source.anchor[i]):
            name = source.body_name(i)
            frame = unique(f"{name}_mjcf", taken)
            taken.add(frame)
            builder.frame(frame, name, source.pose_in(i, _ZERO))
            text = "its frame sits at the joint; MuJoCo's own is the frame with `_mjcf` added"
            source.note("assumed", "body", name, text)
    for k in range(m.nsite):
        site, i = m.site(k).name, int(m.site_bodyid[k])
        if not site:
            source.notes.add("ignored", "sites without a name", "", "not read")
            continue
        frame = unique(site, taken)
        taken.add(frame)
        builder.frame(frame, source.body_name(i), source.pose_in(i, m.site_pos[k], m.site_quat[k]))
        if frame != site:
            source.note("repaired", "site", site, f"a body has that name: called '{frame}'")
