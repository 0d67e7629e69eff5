"""Write the native YAML file, version 1: every number by its shortest exact digits."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from armillary.errors import FormatError
from armillary.formats.native_tyres import written
from armillary.model import (
    WORLD,
    Body,
    Contact,
    Frame,
    JointSpec,
    Loop,
    Mass,
    Model,
    Passive,
    Pose,
    Shape,
    Wheel,
)
from armillary.model.checks import TENSOR, inertia_fault, limits_fault
from armillary.model.constraint_parts import Constraint, Distance, Surface
from armillary.model.elements.along import AlongForce
from armillary.model.elements.backlash import Backlash
from armillary.model.elements.element import ElementLaw, ForceElement, end_names
from armillary.model.elements.line import LineForce
from armillary.model.elements.maxwell import Maxwell
from armillary.model.elements.turning import Bushing, TorsionSpring
from armillary.model.elements.tyre import Tyre
from armillary.model.elements.user import UserForce
from armillary.model.elements.world import Drag, FixedWrench, PointGravity
from armillary.model.joints import kernel_joint
from armillary.model.parts import IDENTITY, Limits, Motor, Rotor
from armillary.model.roads.plane import Plane
from armillary.units import AXIS_NAMES

Framed = Loop | Distance | Surface | Contact
# Plain words that no YAML version takes for a number, a truth value or nothing.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*([-./ ][A-Za-z0-9_]+)*")
_RESERVED = {"yes", "no", "on", "off", "true", "false", "null", "inf", "nan"}


def write_native(model: Model) -> str:
    """The model as native YAML; `read_native(text=...)` gives an equal model back.

    A friction law that is a Python function cannot be written.  Locked joints are written as the
    fixed joints they are, with a comment."""
    lines = [f"armillary: 1\nname: {flow(model.name)}", f"gravity: {flow(model.gravity)}"]
    if any(map(_is_doubtful, model.bodies)):
        lines.append("checks: report  # some values are physically doubtful, kept as they are")
    for key in ("base_velocity", "base_acceleration"):
        if getattr(model, key):
            lines.append(f"{key}: {flow(getattr(model, key))}")
    lines.append("bodies:")
    for body in model.bodies:
        lines += _body(body)
    sections: list[tuple[str, list[tuple[str, object]]]] = [
        ("frames", [(f.name, {"body": f.body} | _pose(f.pose)) for f in model.frames]),
        *_constraints(model),
        ("forces", [(x.name, _force(x, model)) for x in model.elements]),
        ("initial", list(_initial(model))),
    ]
    for key, entries in sections:
        lines += _section(key, entries)
    return "\n".join(lines) + "\n"


def _is_doubtful(body: Body) -> bool:
    """Whether strict checks would refuse it, say one from a vendor's file."""
    return bool(inertia_fault(body.mass)) or any(map(limits_fault, body.joint.limits))


def _section(key: str, entries: Sequence[tuple[str, object]]) -> Iterator[str]:
    if not entries:
        return
    names = Counter(name for name, _ in entries)
    for name, times in names.items():
        if times > 1:
            raise FormatError(f"{key}: the name '{name}' is used {times} times. Rename one.")
    yield f"{key}:"
    for name, entry in entries:
        yield f"  {flow(name)}: {flow(entry)}"


# -- parts ---------------------------------------------------------------------------------------


def _body(body: Body) -> Iterator[str]:
    yield f"  {flow(body.name)}:"
    if body.unlocked is not None:
        yield f"    # locked at {flow(body.locked_at)}; it was a {body.unlocked.joint.kind} joint"
    yield f"    parent: {flow(body.parent)}"
    yield f"    joint: {flow(_joint(body.joint, body.name))}"
    if body.at != Pose():
        yield f"    at: {flow(_pose(body.at))}"
    if body.mass != Mass() or body.joint.kind != "fixed":
        yield f"    mass: {flow(body.mass.mass)}"
    if any(body.mass.com):
        yield f"    com: {flow(body.mass.com)}"
    if any(body.mass.tensor):
        tensor = dict(zip(TENSOR, body.mass.tensor, strict=True))
        yield f"    inertia: {flow({k: v for k, v in tensor.items() if v})}"
    if body.motor is not None:
        always = ("resistance", "torque_constant")
        yield f"    motor: {flow(_changed(body.motor, always=always))}"
    if body.shapes:
        yield "    shapes:"
        yield from (f"      - {flow(_shape(shape))}" for shape in body.shapes)


def _joint(spec: JointSpec, default_name: str) -> dict[str, object]:
    entry: dict[str, object] = {"type": "continuous" if spec.continuous else spec.kind}
    if spec.name != default_name:
        entry["name"] = spec.name
    axes = [_axis(axis) for axis in spec.axes]
    if spec.kind in ("universal", "general"):
        entry["axes"] = axes
    elif axes:
        entry["axis"] = axes[0]
    if spec.kind == "helical":
        entry["pitch"] = spec.pitch
    if spec.kind == "gimbal":
        entry["free"] = list(spec.free)
    entry |= _resistance(spec)
    if spec.rotors:
        entry["rotor"] = _one_or_each([_changed(r) for r in spec.rotors])
    if spec.limits:
        entry["limits"] = _one_or_each([_changed(x) for x in spec.limits])
    return entry


def _resistance(spec: JointSpec) -> dict[str, object]:
    """Friction and spring entries of the passive forces."""
    if not spec.passive:
        return {}
    for passive in spec.passive:
        if passive.law is not None:
            raise FormatError(
                f"joint '{spec.name}': its friction law is a Python function, which no file can "
                f"hold. Use viscous, coulomb, static or a table."
            )
    own = ("spring", "rest", "law")
    friction = [_changed(p, omit=own) for p in spec.passive]
    springs = [_spring(p) for p in spec.passive]
    entry: dict[str, object] = {}
    if any(friction) or not any(springs):
        entry["friction"] = _one_or_each(friction)
    if any(springs):
        entry["spring"] = _one_or_each(springs)
    return entry


def _spring(passive: Passive) -> dict[str, float]:
    values = {"stiffness": passive.spring, "rest": passive.rest}
    return {key: value for key, value in values.items() if value}


def _one_or_each(entries: list[dict]) -> object:
    return entries[0] if all(entry == entries[0] for entry in entries) else entries


def _axis(axis: Sequence[float]) -> object:
    return AXIS_NAMES.get(tuple(axis), list(axis))


def _pose(pose: Pose) -> dict[str, object]:
    entry: dict[str, object] = {}
    if any(pose.position):
        entry["position"] = pose.position
    if pose.rotation != IDENTITY:
        rpy = pose.rpy()
        exact = Pose.from_rpy(pose.position, rpy).rotation == pose.rotation
        entry |= {"rpy": rpy} if exact else {"matrix": pose.rotation}
    return entry


def _shape(shape: Shape) -> dict[str, object]:
    entry = {"type": shape.kind} | _changed(shape, omit=("kind", "pose"))
    pose = _pose(shape.pose)
    return entry | ({"at": pose} if pose else {})


def _constraints(model: Model) -> Iterator[tuple[str, list[tuple[str, object]]]]:
    yield "loops", [(x.name, _loop(x, model)) for x in model.loops]
    always = ("joint", "source")
    yield "couplings", [(c.name, _changed(c, ("name",), always)) for c in model.couplings]
    yield "wheels", [(w.name, _wheel(w)) for w in model.wheels]
    yield "distances", [(d.name, _between_frames(d, model, ("length",))) for d in model.distances]
    yield "surfaces", [(s.name, _between_frames(s, model, ("shape",))) for s in model.surfaces]
    yield "contacts", [(c.name, _contact(c, model)) for c in model.contacts]
    yield "prescribed", [(d.name, _changed(d, ("name",), ("joint",))) for d in model.prescribed]


def _loop(loop: Loop, model: Model) -> dict[str, object]:
    return {"between": _between(loop, model), "joint": _joint(loop.joint, loop.name)}


def _between_frames(part: Framed, model: Model, always: Sequence[str]) -> dict[str, object]:
    rest = _changed(part, omit=("name", "first", "second"), always=always)
    return {"between": _between(part, model)} | rest


def _contact(contact: Contact, model: Model) -> dict[str, object]:
    entry = _between_frames(contact, model, ("constrained",))
    if contact.force:
        entry["force"] = dict(contact.force)
    if contact.friction:
        keys = ("along", "of", "coefficient")
        entry["friction"] = [dict(zip(keys, law, strict=True)) for law in contact.friction]
    return entry


def _between(part: Framed, model: Model) -> list[object]:
    return [
        _end(frame, f"{part.name}.{side}", model)
        for frame, side in ((part.first, "first"), (part.second, "second"))
    ]


# law -> word in the file, the key of its first frame, that of its second
_FORCES: dict[type[ElementLaw], tuple[str, str, str]] = {
    LineForce: ("coordinate_spring", "", ""),
    Backlash: ("backlash", "", ""),
    Maxwell: ("maxwell", "", ""),
    TorsionSpring: ("torsion_spring", "", ""),
    Bushing: ("bushing", "", ""),
    FixedWrench: ("fixed_wrench", "along", "frame"),
    Drag: ("drag", "", "frame"),
    PointGravity: ("point_gravity", "center", "frame"),
    Tyre: ("tyre", "on", "wheel"),
}


def _force(part: ForceElement, model: Model) -> dict[str, object]:
    """A force element; a plain axis by its letter."""
    law = part.law
    if isinstance(law, UserForce):
        raise FormatError(
            f"{part.title}: its law is a Python function, which no file can hold. Leave it out "
            f"(replace(elements=...)), or use a spring with a table."
        )
    if isinstance(law, AlongForce) and law.of_coordinates:
        return _between_coordinates(part, law, model)
    names = end_names(len(part.ends))
    ends = [_end(e, f"{part.name}.{n}", model) for e, n in zip(part.ends, names, strict=True)]
    if isinstance(law, LineForce):
        cable = len(ends) > 2
        entry: dict[str, object] = {"type": "cable" if cable else "spring"}
        entry["over" if cable else "between"] = ends
        rest = _changed(law, omit=("weights", "unit"), always=("rest", "side"))
        if not cable and law.side == "both":
            del rest["side"]
        return entry | rest
    word, first, second = _FORCES[type(law)]
    entry = {"type": word}
    entry |= {second: ends[1]} if second else {"between": ends}
    entry |= {first: ends[0]} if first and ends[0] != WORLD else {}
    if isinstance(law, Tyre):
        return entry | _tyre(law)
    rest = _changed(law, omit=("unit", "state") if isinstance(law, AlongForce) else ())
    rest |= _tension(law)
    if isinstance(law, TorsionSpring):
        rest["axis"] = _axis(law.axis)
    return entry | rest


def _tyre(law: Tyre) -> dict[str, object]:
    entry: dict[str, object] = {"radius": law.radius, "axis": _axis(law.axis)}
    entry["model"] = written(law.model)
    return entry | ({} if law.road == Plane() else {"road": written(law.road)})


def _between_coordinates(part: ForceElement, law: AlongForce, model: Model) -> dict[str, object]:
    """What locked joints add to the sum is in its rest: a file knows no locked joints."""
    weights, rest = {}, getattr(law, "rest", 0.0)
    names = part.joints(model.joint_index)
    for label, name, weight in zip(part.coordinates, names, law.weights, strict=True):
        body = model.bodies[model.joint_index[name]]
        if body.unlocked is None:
            weights[label] = weight
            continue
        own = kernel_joint(body.unlocked.joint).coordinates
        k = own.index(label[len(name) + 1 :]) if label != name else 0
        rest -= weight * body.locked_at[k]
    if not weights:
        raise FormatError(
            f"{part.title}: all joints of its coordinates are locked, and a file knows no locked "
            f"joints. Leave it out (replace(elements=...)), or unlock one."
        )
    entry: dict[str, object] = {"type": _FORCES[type(law)][0], "coordinates": weights}
    fields = _changed(law, omit=("weights", "unit", "rest", "state"), always=("stiffness", "gap"))
    fields |= {"rest": rest} if rest and hasattr(law, "rest") else {}
    return entry | fields | _tension(law)


def _tension(law: ElementLaw) -> dict[str, object]:
    """Of a Maxwell element that does not begin relaxed."""
    return {"tension": law.state[0]} if isinstance(law, Maxwell) and law.state[0] else {}


def _end(frame: Frame, default_name: str, model: Model) -> object:
    if model.frame_index.get(frame.name) == frame:
        return frame.name
    name = {} if frame.name == default_name or not frame.name else {"name": frame.name}
    return name | {"body": frame.body} | _pose(frame.pose)


def _wheel(wheel: Wheel) -> dict[str, object]:
    own = ("name", "axis", "normal", "height", "ground")
    entry = _changed(wheel, omit=own, always=("body", "radius"))
    ground: dict[str, object] = {} if wheel.ground == WORLD else {"body": wheel.ground}
    ground |= {"normal": wheel.normal, "height": wheel.height}
    return entry | {"axis": _axis(wheel.axis), "ground": ground}


def _initial(model: Model) -> Iterator[tuple[str, object]]:
    if not model.initial:
        return
    for body, slot in zip(model.bodies, model.slots, strict=True):
        q = model.initial[slot.q]
        if q:
            yield body.joint.name, q[0] if len(q) == 1 else q


def _changed(
    part: Passive | Limits | Rotor | Motor | Shape | Constraint | ElementLaw,
    omit: Sequence[str] = (),
    always: Sequence[str] = (),
) -> dict[str, object]:
    """The fields of a part that differ from their defaults."""
    values = {f.name: (getattr(part, f.name), f.default) for f in fields(part)}
    return {
        key: value
        for key, (value, default) in values.items()
        if key not in omit and (key in always or value != default)
    }


# -- YAML text -----------------------------------------------------------------------------------


def flow(value: object) -> str:
    """A value in YAML's one-line style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    return _number(float(value)) if isinstance(value, (int, float)) else "null"


def _number(x: float) -> str:
    if math.isinf(x):
        return ".inf" if x > 0 else "-.inf"
    digits = repr(x)
    if "e" in digits and "." not in digits:  # 1e-05 is a text for YAML 1.1
        digits = digits.replace("e", ".0e")
    return digits


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED and len(text) < 100:
        return text
    return '"' + "".join(_character(c) for c in text) + '"'


def _character(c: str) -> str:
    if c in '"\\':
        return "\\" + c
    code = ord(c)
    if 0xD800 <= code < 0xE000:
        raise FormatError("a name holds half a surrogate pair, which no text file can hold.")
    if c.isprintable() and code != 0xFEFF:
        return c
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"


__all__ = ["write_native"]
