"""One mechanism mounted on another: an arm on a rover, a gripper on an arm, trailers in a row.

What was the world of the mounted mechanism becomes a frame of the carrying one: bodies that hung on
the world hang there, and so do the ends of loops, rods, surfaces, contacts and springs.  The ground
under wheels and tyres stays the world's, and so do forces in world axes, drag and gravity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, Unpack

from armillary.errors import InputError, ModelError
from armillary.model.builder import Builder
from armillary.model.checks import check_pose
from armillary.model.constraint_parts import (
    Contact,
    Coupling,
    Distance,
    Loop,
    PrescribedMotion,
    Surface,
    Wheel,
)
from armillary.model.edit import joint_transform
from armillary.model.elements.element import ForceElement
from armillary.model.elements.tyre import Tyre
from armillary.model.elements.world import WORLD_LAWS
from armillary.model.joints import JointOptions, joint_spec
from armillary.model.model import Model
from armillary.model.parts import WORLD, Body, Frame, JointSpec, Pose
from armillary.model.report import Report
from armillary.spatial import Transform

F = TypeVar("F", Loop, Distance, Surface, Contact)


def mount(
    model: Model,
    other: Model,
    on: str,
    at: Pose | Sequence[float] | None = None,
    prefix: str = "",
    by: str = WORLD,
    joint: JointSpec | str | None = None,
    **joint_options: Unpack[JointOptions],
) -> Model:
    """`model` that carries `other`: frame `by` of `other` stands in frame `on` with the pose `at`
    (or at that point, m).

    prefix: before every name of `other`.  joint: what connects them (default: rigidly), with its
    options as in `Builder.body`; a free-flying root of `other` is welded where it starts."""
    if not isinstance(other, Model):
        raise InputError(f"mount: expected a mechanism, found {type(other).__name__}.")
    if joint is None and joint_options:
        raise InputError(
            f"mount: {', '.join(map(repr, joint_options))} describes a joint, and none connects "
            f"the two: they are welded. Give joint='revolute', say, or leave it out."
        )
    if not isinstance(prefix, str):
        raise InputError(f"prefix: expected a text, found {prefix!r}.")
    frame, place = model.frame(on), _place(at)
    check_pose(f"mount on '{on}'", place)
    place = frame.pose.then(place)
    X_by = _rigid_pose(other, by)
    report = _reports(model, other, on, prefix)
    builder = Builder(model.name, model.gravity, report=report)
    add_model(builder, model)
    carrier = frame.body
    if joint is not None:
        link = _link(prefix, joint, joint_options)
        _refuse_taken(model, {link.name}, prefix)
        builder.body(link.name, carrier, link, place, mass=0.0)
        carrier, place = link.name, Pose()
    place = Pose.from_transform(X_by.inverse() @ place.transform())
    weld = carrier != WORLD
    mounted = _placed(_prefixed(other, prefix), carrier, place, weld)
    _refuse_taken(model, _names(mounted), prefix)
    add_model(builder, mounted)
    built = builder.build()
    aside = (*model.set_aside, *_behind(model, mounted))
    moved, accuracy = (*model.moved, *mounted.moved), max(model.accuracy, other.accuracy)
    return replace(built, set_aside=aside, moved=moved, accuracy=accuracy)


def _place(at: object) -> Pose:
    """Of a pose, of a point (x, y, z) in m, or of none."""
    if at is None or isinstance(at, Pose):
        return at or Pose()
    try:
        x, y, z = (float(c) for c in at)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InputError(
            f"mount, at: expected a point (x, y, z) in m or a Pose, such as Pose((0, 0, 0.1)), "
            f"found {at!r:.60}."
        ) from None
    return Pose((x, y, z))


def add_model(builder: Builder, model: Model) -> None:
    """Everything of a model into a builder, so that more can be added."""
    builder.base_velocity = builder.base_velocity or model.base_velocity
    builder.base_acceleration = builder.base_acceleration or model.base_acceleration
    for body in model.bodies:
        builder.add(body)
    for frame in model.frames:
        builder.frame(frame.name, frame.body, frame.pose)
    for part in model.constraints:
        builder.constrain(part)
    for element in model.elements:
        builder.element(element.name, element.ends, element.law, element.coordinates)
    if model.initial:
        pairs = zip(model.bodies, model.slots, strict=True)
        builder.initial |= {body.joint.name: model.initial[slot.q] for body, slot in pairs}


def _link(prefix: str, joint: JointSpec | str, options: JointOptions) -> JointSpec:
    """The joint of the massless body between the two."""
    name = f"{prefix}mount"
    if isinstance(joint, JointSpec):
        if options:
            raise InputError(f"mount: a JointSpec says it all; leave {sorted(options)} out.")
        return replace(joint, name=name)
    try:
        return joint_spec(joint, name=name, **options)
    except TypeError:
        raise InputError(f"mount: unknown arguments among {sorted(options)}.") from None


def _rigid_pose(model: Model, name: str) -> Transform:
    """X_FW of a frame that does not move in the model's world, a free root being held at its
    start."""
    frame = model.frame(name)
    X, body = frame.pose.transform(), frame.body
    while body != WORLD:
        k = model.index[body]
        part = model.bodies[k]
        if part.joint.kind != "fixed" and not _flies(part):
            raise ModelError(
                f"mount: frame '{name}' moves with joint '{part.joint.name}', so nothing can be "
                f"fixed by it. Name a frame of the root, or lock that joint first."
            )
        q = model.start()[model.slots[k].q]
        X = X @ joint_transform(part.joint, q) @ part.at.transform()
        body = part.parent
    return X


def _flies(body: Body) -> bool:
    return body.parent == WORLD and body.joint.kind == "free"


def _placed(model: Model, carrier: str, place: Pose, weld: bool) -> Model:
    """The model with its world at a place of the carrier; weld: free roots are fixed there."""
    start = model.start()
    q = {b.joint.name: start[s.q] for b, s in zip(model.bodies, model.slots, strict=True)}

    def hung(body: Body) -> Body:
        if body.parent != WORLD:
            return body
        at, joint = body.at, body.joint
        if weld and _flies(body):
            X = joint_transform(joint, q[joint.name]) @ at.transform()
            at, joint = Pose.from_transform(X), JointSpec(joint.name, "fixed")
        within = None if body.unlocked is None else hung(body.unlocked)
        return replace(body, parent=carrier, at=place.then(at), joint=joint, unlocked=within)

    def standing(frame: Frame) -> Frame:
        if frame.body != WORLD:
            return frame
        return Frame(frame.name, carrier, place.then(frame.pose))

    def element(part: ForceElement) -> ForceElement:
        own = isinstance(part.law, (*WORLD_LAWS, Tyre))
        return part if own else replace(part, ends=tuple(map(standing, part.ends)))

    bodies = tuple(map(hung, model.bodies))
    moving = [b.joint.name for b in bodies if b.joint.kind != "fixed"]
    initial = tuple(x for name in moving for x in q[name]) if model.initial else ()
    return replace(
        _with_parts(model, standing, element),
        bodies=bodies,
        frames=tuple(map(standing, model.frames)),
        initial=initial,
        base_velocity=(),
        base_acceleration=(),
    )


def _with_parts(
    model: Model, frame: Callable[[Frame], Frame], element: Callable[[ForceElement], ForceElement]
) -> Model:
    """Constraints between frames, and elements, with their ends changed."""

    def ends(parts: tuple[F, ...]) -> tuple[F, ...]:
        return tuple(replace(x, first=frame(x.first), second=frame(x.second)) for x in parts)

    return replace(
        model,
        loops=ends(model.loops),
        distances=ends(model.distances),
        surfaces=ends(model.surfaces),
        contacts=ends(model.contacts),
        elements=tuple(map(element, model.elements)),
    )


def _prefixed(model: Model, prefix: str) -> Model:
    """The same with a prefix before every name but the world's."""

    def name(text: str) -> str:
        return text if text == WORLD else prefix + text

    def frame(part: Frame) -> Frame:
        return replace(part, name=name(part.name), body=name(part.body))

    def body(part: Body) -> Body:
        spec = replace(part.joint, name=name(part.joint.name))
        within = None if part.unlocked is None else body(part.unlocked)
        own, parent = name(part.name), name(part.parent)
        return replace(part, name=own, parent=parent, joint=spec, unlocked=within)

    def element(part: ForceElement) -> ForceElement:
        ends, coordinates = tuple(map(frame, part.ends)), tuple(map(name, part.coordinates))
        return replace(part, name=name(part.name), ends=ends, coordinates=coordinates)

    def wheel(part: Wheel) -> Wheel:
        return replace(part, name=name(part.name), body=name(part.body), ground=name(part.ground))

    def axis(part: Coupling | PrescribedMotion) -> Any:
        if isinstance(part, Coupling):
            part = replace(part, source=name(part.source))
        return replace(part, name=name(part.name), joint=name(part.joint))

    model = _with_parts(model, frame, element)
    named: dict[str, Any] = {
        kind: tuple(replace(x, name=name(x.name)) for x in getattr(model, kind))
        for kind in ("distances", "surfaces", "contacts")
    }
    loops = tuple(
        replace(x, name=name(x.name), joint=replace(x.joint, name=name(x.joint.name)))
        for x in model.loops
    )
    return replace(
        model,
        bodies=tuple(map(body, model.bodies)),
        frames=tuple(map(frame, model.frames)),
        loops=loops,
        wheels=tuple(map(wheel, model.wheels)),
        couplings=tuple(map(axis, model.couplings)),
        prescribed=tuple(map(axis, model.prescribed)),
        set_aside=tuple((n, axis(part)) for n, part in model.set_aside),
        moved=tuple(map(name, model.moved)),
        **named,
    )


def _behind(model: Model, mounted: Model) -> list[tuple[int, Coupling | PrescribedMotion]]:
    """What was set aside in the mounted model, numbered behind the parts of the carrying one."""

    def before(kind: type) -> int:
        parts = model.couplings if kind is Coupling else model.prescribed
        return len(parts) + sum(isinstance(part, kind) for _, part in model.set_aside)

    return [(n + before(type(part)), part) for n, part in mounted.set_aside]


def _names(model: Model) -> set[str]:
    """Names of bodies, joints, frames, constraints and force elements."""
    bodies = {x for b in model.bodies for x in (b.name, b.joint.name)}
    parts = (*model.frames, *model.constraints, *model.elements)
    return bodies | {part.name for part in parts}


def _refuse_taken(model: Model, names: set[str], prefix: str) -> None:
    taken = sorted(_names(model) & names)
    if taken:
        more = f" and {len(taken) - 1} more" if len(taken) > 1 else ""
        cure = "another prefix" if prefix else "a prefix"
        raise ModelError(
            f"mount: both mechanisms have a part named '{taken[0]}'{more}. Give the mounted one "
            f"{cure}, e.g. prefix='{prefix or 'tool_'}{'2_' if prefix else ''}'."
        )


def _reports(model: Model, other: Model, on: str, prefix: str) -> Report:
    """The notes of both, and what of the mounted mechanism's world is left behind."""
    report = Report(model.report.source, list(model.report.notes), model.report.root)
    title = f"'{other.name}' on '{on}'"
    for note in other.report.notes:
        report.notes.append(replace(note, part=f"{prefix or other.name}: {note.part}"))
    report.add("assumed", title, "mounted; its world is that frame now")
    welded = [f"'{prefix}{b.joint.name}'" for b in other.bodies if _flies(b)]
    if welded and on != WORLD:
        report.add("assumed", title, f"free base {', '.join(welded)} welded where it starts")
    if tuple(other.gravity) != tuple(model.gravity):
        report.add("ignored", title, f"its own gravity {tuple(other.gravity)} m/s²")
    if any(other.base_velocity) or any(other.base_acceleration):
        report.add("ignored", title, "the motion of its own base")
    return report


__all__ = ["add_model", "mount"]
