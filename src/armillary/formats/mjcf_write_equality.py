"""Constraints as MuJoCo's equalities: connect, weld and joint; the others are losses."""

from __future__ import annotations

from collections.abc import Iterator

from armillary.formats.losses import Losses, joint_of_loop, written_name
from armillary.formats.notes import unique
from armillary.model import Frame, Loop, Model, PrescribedMotion
from armillary.model.constraint_parts import titled

_CLOSURES = {"spherical": "connect", "fixed": "weld"}
_NO_SCALAR = ("free", "spherical")  # joints of which MuJoCo has no single coordinate


def equality_lines(model: Model, losses: Losses, sites: dict[str, list[Frame]]) -> list[str]:
    """The lines inside <equality>; frames of loops become sites."""
    taken = {frame.name for frame in model.frames}
    lines = []
    for loop in model.loops:
        if loop.joint.kind not in _CLOSURES:
            what = f"a closure by a {loop.joint.kind} joint (only spherical and fixed)"
            losses.add(titled(loop), what)
            continue
        joint_of_loop(loop, losses)
        ends = " ".join(_ends(loop, model, sites, taken))
        tag, name = _CLOSURES[loop.joint.kind], written_name(loop.name, "loop")
        lines.append(f"    <{tag} name={name} {ends}/>")
    return [*lines, *_couplings(model, losses), *_prescribed(model, losses)]


def _ends(
    loop: Loop, model: Model, sites: dict[str, list[Frame]], taken: set[str]
) -> Iterator[str]:
    for k, frame in ((1, loop.first), (2, loop.second)):
        if frame not in model.frames:
            name = unique(frame.name or f"{loop.name}_{k}", taken)
            taken.add(name)
            frame = Frame(name, frame.body, frame.pose)
            sites[frame.body].append(frame)
        yield f"site{k}={written_name(frame.name, 'frame')}"


def _couplings(model: Model, losses: Losses) -> Iterator[str]:
    scalar = _scalar_joints(model)
    for c in model.couplings:
        if not {c.joint, c.source} <= scalar:
            losses.add(titled(c), "a coupling of a ball or free joint")
            continue
        ends = f"joint1={written_name(c.joint, 'joint')} joint2={written_name(c.source, 'joint')}"
        line = f"{float(c.offset)!r} {float(c.ratio)!r} 0 0 0"
        name = written_name(c.name, "coupling")
        yield f'    <joint name={name} {ends} polycoef="{line}"/>'


def _prescribed(model: Model, losses: Losses) -> Iterator[str]:
    scalar = _scalar_joints(model)
    for motion in model.prescribed:
        if not _holds(motion):
            losses.add(titled(motion), "a prescribed motion (only a position that is held)")
        elif motion.joint not in scalar:
            losses.add(titled(motion), "a prescribed motion of a ball or free joint")
        else:
            name = written_name(motion.name, "prescribed motion")
            joint = written_name(motion.joint, "joint")
            line = f"{motion.position!r} 0 0 0 0"
            yield f'    <joint name={name} joint1={joint} polycoef="{line}"/>'


def _holds(motion: PrescribedMotion) -> bool:
    return motion.position is not None and not motion.velocity and not motion.acceleration


def _scalar_joints(model: Model) -> set[str]:
    """Labels of the coordinates that are joints of their own in MJCF."""
    pairs = zip(model.bodies, model.slots, strict=True)
    return {
        label
        for body, slot in pairs
        if body.joint.kind not in _NO_SCALAR
        for label in model.v_labels[slot.v]
    }
