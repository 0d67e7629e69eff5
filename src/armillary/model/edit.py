"""New models from old ones: lock, unlock, replace, subtree, payload, base.  The old one stays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from armillary.errors import InputError, ModelError, unknown_name
from armillary.model.checks import (
    check_passives,
    check_pose,
    check_prescribed,
    check_turns,
    inertia_fault,
    mass_fault,
    number,
    numbers,
    per_axis,
    tensor_entries,
)
from armillary.model.constraint_parts import (
    FIELDS,
    Contact,
    Coupling,
    Distance,
    Loop,
    PrescribedMotion,
    Surface,
)
from armillary.model.element_numbers import with_numbers
from armillary.model.elements.element import ForceElement
from armillary.model.joints import kernel_joint
from armillary.model.model import Model
from armillary.model.parts import (
    WORLD,
    Body,
    JointSpec,
    Limits,
    Mass,
    Pose,
    Rotor,
    inertia_of,
    mass_of,
    own_rotation,
)
from armillary.model.passive import LOADS, Passive
from armillary.model.report import Report
from armillary.spatial import Transform

P = TypeVar("P")
F = TypeVar("F", Loop, Distance, Surface, Contact)
Coordinates = float | Sequence[float] | None


def joint_transform(spec: JointSpec, q: Sequence[float]) -> Transform:
    """X_BJ along the axes of the body frame."""
    own = own_rotation(spec)
    X = kernel_joint(spec).transform([float(x) for x in q])
    return Transform(own @ X.E @ own.T, own @ X.r)


def lock(model: Model, positions: Mapping[str, Coordinates] | Sequence[str]) -> Model:
    """Joints made rigid at the given coordinates; None: where the model starts, else neutral."""
    if isinstance(positions, str):
        positions = [positions]
    if not isinstance(positions, Iterable):
        raise InputError(f"lock: expected names of joints or {{joint: q}}, found {positions!r}.")
    wanted = (
        dict(positions)
        if isinstance(positions, Mapping)
        else dict.fromkeys(_names("lock", positions))
    )
    bodies = list(model.bodies)
    for name, position in wanted.items():
        k = model.joint_number(name)
        if position is None and model.initial:
            position = model.initial[model.slots[k].q]
        bodies[k] = _locked(bodies[k], position)
    report = _noted(model, "assumed", f"joints {sorted(wanted)}", "locked")
    changed = replace(model, bodies=tuple(bodies), initial=_carried(model, bodies), report=report)
    return _with_consequences(changed)


def _names(call: str, given: object) -> list[str]:
    """Of joints: one, or several."""
    names: list[Any] = [given]
    if (
        isinstance(given, Iterable)
        and getattr(given, "ndim", 1) != 0
        and not isinstance(given, str)
    ):
        names = [*given]
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{call}: expected names of joints, found {given!r:.60}.")
    return names


def _with_consequences(model: Model) -> Model:
    """Couplings and prescribed motions as its locked joints leave them.

    A coupling with one side locked holds the other side; with both sides locked it says nothing,
    nor does the prescribed motion of a locked joint.  What is changed or left out is set aside as
    it was."""
    locked = {b.joint.name: b for b in model.bodies if b.unlocked is not None}
    old = {part.name for _, part in model.set_aside}  # such couplings hold again, or not
    kept: list[Coupling] = []
    prescribed: list[PrescribedMotion] = []
    aside: list[tuple[int, Coupling | PrescribedMotion]] = []
    for n, d in enumerate(
        _all(model, PrescribedMotion, [d for d in model.prescribed if d.name not in old])
    ):
        if _of(d.joint) & set(locked):
            aside.append((n, d))
        else:
            prescribed.append(d)
    for n, c in enumerate(_all(model, Coupling, model.couplings)):
        follower, source = (_of(label) <= set(locked) for label in (c.joint, c.source))
        if not follower and not source:
            kept.append(c)
            continue
        aside.append((n, c))
        position = _locked_position(locked, c.source if source else c.joint)
        if source and not follower:
            there = None if position is None else c.ratio * position + c.offset
            prescribed.append(PrescribedMotion(c.name, c.joint, 0.0, 0.0, there))
        elif follower and not source and c.ratio:
            there = None if position is None else (position - c.offset) / c.ratio
            prescribed.append(PrescribedMotion(c.name, c.source, 0.0, 0.0, there))
    return replace(
        model, couplings=tuple(kept), prescribed=tuple(prescribed), set_aside=tuple(aside)
    )


def _all(model: Model, kind: type[P], parts: Sequence[P]) -> list[P]:
    """The parts together with those set aside, in their order."""
    every = list(parts)
    for n, part in sorted(model.set_aside, key=lambda x: x[0]):
        if isinstance(part, kind):
            every.insert(n, part)
    return every


def _locked_position(locked: Mapping[str, Body], label: str) -> float | None:
    """Where a coordinate is held; None where it has no position of its own (an axis of a ball)."""
    name, _, coordinate = label.partition(".")
    body = locked[name]
    names = kernel_joint(body.unlocked.joint).coordinates if body.unlocked is not None else ()
    if coordinate and coordinate not in names:
        return None
    return body.locked_at[names.index(coordinate) if coordinate else 0]


def open_tree(model: Model) -> Model:
    """The same without anything that constrains it beyond its tree."""
    none: dict[str, Any] = dict.fromkeys((*FIELDS.values(), "set_aside", "moved"), ())
    return replace(model, **none)


def _locked(body: Body, position: Coordinates) -> Body:
    joint = kernel_joint(body.joint)
    if joint.nv == 0:
        raise ModelError(f"joint '{body.joint.name}' is fixed already.")
    if position is None:
        q = joint.neutral()
    else:
        given = (position,) if isinstance(position, (int, float)) else position
        q = _finite(f"joint '{body.joint.name}', coordinates", given, (joint.nq,))
        check_turns(f"joint '{body.joint.name}', coordinates", joint, q)
    at = Pose.from_transform(joint_transform(body.joint, q) @ body.at.transform())
    fixed = JointSpec(body.joint.name, "fixed")
    return replace(body, joint=fixed, at=at, unlocked=body, locked_at=q)


def unlock(model: Model, names: Sequence[str]) -> Model:
    """Joints that `lock` made rigid, free again, with their couplings and prescribed motions."""
    bodies = list(model.bodies)
    positions: dict[str, tuple[float, ...]] = {}
    for name in _names("unlock", names):
        k = model.joint_number(name)
        before = bodies[k].unlocked
        if before is None:
            raise ModelError(f"joint '{name}' is not locked.")
        positions[name] = bodies[k].locked_at
        bodies[k] = replace(before, mass=bodies[k].mass)
    initial = _carried(model, bodies, positions)
    return _with_consequences(replace(model, bodies=tuple(bodies), initial=initial))


def _carried(
    model: Model, bodies: Sequence[Body], positions: Mapping[str, tuple[float, ...]] | None = None
) -> tuple[float, ...]:
    """`initial` for changed bodies: kept by joint name, neutral for joints that are new."""
    if not model.initial:
        return ()
    old = {b.joint.name: model.initial[s.q] for b, s in zip(model.bodies, model.slots, strict=True)}
    old |= positions or {}
    q: list[float] = []
    for body in bodies:
        joint = kernel_joint(body.joint)
        kept = old.get(body.joint.name, ())
        q += kept if len(kept) == joint.nq else joint.neutral()
    return tuple(q)


def replace_parameters(
    model: Model,
    bodies: Mapping[str, Mapping[str, Any]] | None = None,
    checks: str = "report",
    **changes: Any,
) -> Model:
    """Other gravity, name, base motion (`changes`), or other fields of named bodies.

    bodies={"hand": {"mass": 1.2, "com": (0, 0, 0.1), "inertia": (...), "passive": ..., ...}};
    elements={"strut": {"stiffness": 2e4}}: other numbers of force elements.
    checks: "report" notes a tensor that no rigid body has, "strict" refuses it."""
    known = {f.name for f in fields(Model)} - {"bodies", "report", "set_aside", "accuracy"}
    unknown = set(changes) - known
    if unknown:
        raise unknown_name(
            "parameter of a mechanism", sorted(unknown)[0], sorted(known | {"bodies"})
        )
    for name, size in (("gravity", 3), ("base_velocity", 6), ("base_acceleration", 6)):
        if name in changes:
            counts = (size,) if name == "gravity" else (0, size)
            changes[name] = _finite(name, changes[name], counts)
    if "initial" in changes:
        q = changes["initial"] = _finite("initial", changes["initial"], (0, model.nq))
        for body, joint, slot in zip(
            model.bodies, model.joints, model.slots if q else (), strict=False
        ):
            check_turns(f"joint '{body.joint.name}', initial", joint, q[slot.q])
    if isinstance(changes.get("elements"), Mapping):
        changes["elements"] = _changed_elements(model, changes["elements"])
    elif "elements" in changes and not all(
        isinstance(x, ForceElement) for x in _listed(changes["elements"])
    ):
        raise ModelError("elements: expected {name: {number: value}}, or force elements.")
    parts, report = list(model.bodies), model.report
    if not isinstance(bodies, Mapping | None):
        raise ModelError(f"bodies: expected {{name: {{what: value}}}}, found {bodies!r:.60}.")
    for name, entries in (bodies or {}).items():
        k = model.index[model.body(name).name]
        parts[k] = _changed(parts[k], entries)
        report = _judged(model.bodies[k], parts[k], checks, report)
    return replace(model, bodies=tuple(parts), report=report, **changes)


def _finite(name: str, given: Any, counts: Sequence[int]) -> tuple[float, ...]:
    """As many finite numbers as one of the counts says."""
    try:
        values = tuple(float(x) for x in given)
    except (TypeError, ValueError):
        values = (math.nan,)
    if len(values) not in counts or not all(math.isfinite(x) for x in values):
        raise InputError(f"{name}: expected {counts[-1]} numbers, all finite; found {given!r:.60}.")
    return values


def _listed(given: object) -> Sequence[object]:
    return given if isinstance(given, (tuple, list)) else (given,)


def _changed_elements(
    model: Model, changes: Mapping[str, Mapping[str, object]]
) -> tuple[ForceElement, ...]:
    """Named force elements with other numbers of their laws."""
    known = {part.name: part for part in model.elements}
    for name, values in changes.items():
        if name not in known:
            raise unknown_name("force element", name, known)
        known[name] = with_numbers(known[name], values)
    return tuple(known.values())


def _judged(before: Body, after: Body, checks: str, report: Report) -> Report:
    """The report with what is doubtful about a changed mass; an error where checks are strict."""
    if after.mass == before.mass:
        return report
    part, fault = f"body '{after.name}'", inertia_fault(after.mass)
    if fault and checks == "strict":
        raise ModelError(f"{part}: {fault}. Correct the mass, centre or tensor.")
    # what was said about the mass before is said no more
    kept = [n for n in report.notes if not (n.part == part and n.level == "warning")]
    report = Report(report.source, kept)
    if fault:
        report.add("warning", part, f"{fault}; kept as it is")
    return report


def without_loads(model: Model) -> Model:
    """The same, but no friction depends on the load of its joint."""
    none: dict[str, Any] = dict.fromkeys(LOADS, 0.0)
    bodies = []
    for body in model.bodies:
        passive = tuple(replace(p, **none) for p in body.joint.passive)
        bodies.append(replace(body, joint=replace(body.joint, passive=passive)))
    return replace(model, bodies=tuple(bodies))


def _changed(body: Body, values: Mapping[str, Any]) -> Body:
    if not isinstance(values, Mapping):
        raise ModelError(f"body '{body.name}': expected {{what: value}}, found {values!r:.60}.")
    same = {"rotor": "rotors", "friction": "passive", "spring": "passive"}
    values = {same.get(name, name): value for name, value in values.items()}
    part = f"body '{body.name}'"
    mass, joint = body.mass, body.joint
    for name in ("mass", "com", "inertia"):
        if name not in values:
            continue
        value = values.pop(name)
        if name == "mass":
            given = value if isinstance(value, Mass) else None
            mass = given or replace(mass, mass=number(value, f"{part}, mass"))
        elif name == "com":
            mass = replace(mass, com=numbers(value, 3, f"{part}, com"))  # type: ignore[arg-type]
        else:
            mass = replace(mass, tensor=tensor_entries(value, part))  # type: ignore[arg-type]
    kernel = kernel_joint(joint)
    nv = kernel.nv
    for name, kind in (("passive", Passive), ("rotors", Rotor), ("limits", Limits)):
        if name in values:
            entries = per_axis(f"joint '{joint.name}'", name, values.pop(name), kind, nv)
            changed: dict[str, Any] = {name: entries}
            joint = replace(joint, **changed)
    check_passives(joint, kernel.nq == nv)
    if "at" in values:
        at = values.pop("at")
        at = at if isinstance(at, Pose) else Pose(numbers(at, 3, f"{part}, at"))  # type: ignore[arg-type]
        check_pose(part, at)
        body = replace(body, at=at)
    for name in ("motor", "shapes"):
        if name in values:
            body = replace(body, **{name: values.pop(name)})
    if values:
        known = ("mass", "com", "inertia", "passive", "rotors", "limits", "at", "motor", "shapes")
        raise unknown_name("parameter of a body", sorted(values)[0], known)
    if fault := mass_fault(mass):
        raise ModelError(f"{part}: {fault}.")
    body = replace(body, mass=mass, joint=joint)
    check_prescribed(body)
    return body


def subtree(model: Model, root: str, base: str = "fixed") -> Model:
    """The named body and all beyond it, its frame at the world's origin ("fixed" or "free")."""
    model.body(root)
    keep = {root}
    bodies = []
    for body in model.bodies:
        if body.name == root:
            bodies.append(_rooted(body, base))
        elif body.parent in keep:
            keep.add(body.name)
            bodies.append(body)
    joints = {body.joint.name for body in bodies}
    root_joint = bodies[0].joint.name  # has another joint now
    report = _noted(model, "assumed", f"body '{root}'", f"taken as the {base} root of a subtree")
    elements = [
        part
        for part in model.elements
        if part.bodies <= keep | {WORLD} and set(part.joints(joints)) <= joints - {root_joint}
    ]
    for part in (part for part in model.elements if part not in elements):
        report.add("ignored", part.title, "it acts on bodies outside of the subtree")
    return replace(
        model,
        bodies=tuple(bodies),
        frames=tuple(f for f in model.frames if f.body in keep),
        loops=_within(model.loops, keep),
        distances=_within(model.distances, keep),
        surfaces=_within(model.surfaces, keep),
        contacts=_within(model.contacts, keep),
        couplings=tuple(c for c in model.couplings if _of(c.joint, c.source) <= joints),
        prescribed=tuple(d for d in model.prescribed if _of(d.joint) <= joints),
        set_aside=_still_aside(model, bodies),
        wheels=tuple(w for w in model.wheels if {w.body, w.ground} <= keep | {WORLD}),
        elements=tuple(elements),
        initial=_carried(model, bodies),
        report=report,
    )


def _within(parts: Sequence[F], keep: set[str]) -> tuple[F, ...]:
    """Constraints with both ends on the kept bodies or on the world."""
    return tuple(x for x in parts if {x.first.body, x.second.body} <= keep | {WORLD})


def _of(*labels: str) -> set[str]:
    """Joint names of coordinate labels."""
    return {label.partition(".")[0] for label in labels}


def _still_aside(
    model: Model, bodies: Sequence[Body]
) -> tuple[tuple[int, Coupling | PrescribedMotion], ...]:
    """What was set aside for joints that these bodies still have, locked ones still locked."""
    locked = {b.joint.name: b.unlocked is not None for b in model.bodies}
    there = {b.joint.name for b in bodies if (b.unlocked is not None) == locked[b.joint.name]}
    return tuple((n, part) for n, part in model.set_aside if _joints_of(part) <= there)


def _joints_of(part: Coupling | PrescribedMotion) -> set[str]:
    return _of(part.joint, *((part.source,) if isinstance(part, Coupling) else ()))


def _rooted(body: Body, base: str) -> Body:
    spec = JointSpec(body.joint.name, _known_base(base))
    return replace(body, parent=WORLD, joint=spec, at=Pose(), unlocked=None, locked_at=())


def _known_base(base: str) -> str:
    if not isinstance(base, str) or base not in ("fixed", "free"):
        raise InputError(f"base: expected 'fixed' or 'free', found '{base}'.")
    return base


def with_base(model: Model, base: str) -> Model:
    """All roots on a fixed or on a free-flying base, where they stand."""
    _known_base(base)
    for body in model.bodies:
        if body.parent == WORLD and body.joint.kind not in ("fixed", "free"):
            raise ModelError(
                f"body '{body.name}' hangs on the world by a {body.joint.kind} joint, so it has no "
                f"base to change. Put it on a body that is fixed to the world first."
            )
    bodies = [
        replace(_rooted(body, base), at=body.at)
        if body.parent == WORLD and body.joint.kind in ("fixed", "free")
        else body
        for body in model.bodies
    ]
    aside = _still_aside(model, bodies)
    return replace(model, bodies=tuple(bodies), initial=_carried(model, bodies), set_aside=aside)


def attach(model: Model, body: str, payload: Mass, at: Pose | None = None) -> Model:
    """A payload welded to a body; its mass data in the frame `at` (pose in the body frame)."""
    part, report = f"payload on '{body}'", model.report
    if fault := mass_fault(payload):
        raise ModelError(f"{part}: {fault}.")
    if fault := inertia_fault(payload):
        report = _noted(model, "warning", part, f"{fault}; kept as it is")
    k = model.index[model.body(body).name]
    X = (at or Pose()).transform()
    total = inertia_of(model.bodies[k].mass) + X.T @ inertia_of(payload) @ X
    bodies = list(model.bodies)
    bodies[k] = replace(bodies[k], mass=mass_of(total))
    return replace(model, bodies=tuple(bodies), report=report)


def _noted(model: Model, level: str, part: str, text: str) -> Report:
    report = Report(model.report.source, list(model.report.notes))
    report.add(level, part, text)
    return report


__all__ = ["attach", "lock", "open_tree", "replace_parameters", "subtree", "unlock", "with_base"]
