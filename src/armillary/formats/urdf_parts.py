"""The links and joints of a URDF file, one by one, as parts of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass

from armillary.formats.notes import Notes
from armillary.formats.references import Bounds
from armillary.formats.urdf_shapes import Color, read_shapes
from armillary.formats.xml import Element, shortened
from armillary.model import Coupling, JointSpec, Limits, Mass, Passive, Pose, Shape
from armillary.model.checks import inertia_fault, limits_fault, unit_axis
from armillary.spatial import Matrix, Symmetric

# what the format calls a joint -> what we call it
KINDS = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}
# A limit has no "none" in the format; this far away is no limit (rad, m, N, ...).
UNBOUNDED = 1e9
_NO_AXIS = ("fixed", "floating")
_ONE_FREEDOM = ("revolute", "continuous", "prismatic")
_TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


@dataclass(frozen=True)
class Link:
    name: str
    mass: Mass
    has_inertia: bool
    shapes: tuple[Shape, ...]
    element: Element


@dataclass(frozen=True)
class Joint:
    """A joint with the links it connects."""

    spec: JointSpec
    parent: str
    child: str
    at: Pose
    mimic: Coupling | None
    element: Element


def single(element: Element, tag: str, part: str, notes: Notes) -> Element | None:
    """The one child with this tag; further ones are not used, and that is noted."""
    found = element.named(tag)
    for extra in found[1:]:
        notes.add("warning", part, "", f"only the first <{tag}> is used", extra.line)
    return found[0] if found else None


def read_origin(element: Element, part: str, notes: Notes) -> Pose:
    origin = single(element, "origin", part, notes)
    if origin is None:
        return Pose()
    zero = (0.0, 0.0, 0.0)
    return Pose.from_rpy(origin.numbers("xyz", part, 3, zero), origin.numbers("rpy", part, 3, zero))


# -- links ----------------------------------------------------------------------------------------


def read_link(
    element: Element,
    colors: dict[str, Color],
    notes: Notes,
    strict: bool,
    bounds: Bounds | None = None,
) -> Link:
    name = element.text("name", "a link")
    part = f"link '{shortened(name)}'"
    inertial = single(element, "inertial", part, notes)
    if inertial is None:
        notes.add("assumed", "link", name, "no <inertial>: taken as massless", element.line)
        mass = Mass()
    else:
        mass = _read_mass(inertial, name, part, notes)
        fault = inertia_fault(mass)
        if fault and (strict or mass.mass < 0.0):
            raise inertial.error(f"{part}: {fault}. Correct its mass, origin or inertia.")
    shapes = read_shapes(element, part, colors, notes, bounds)
    return Link(name, mass, inertial is not None, shapes, element)


def _read_mass(inertial: Element, name: str, part: str, notes: Notes) -> Mass:
    """Mass data along the link's own axes:  I = R I_file R^T."""
    heavy = single(inertial, "mass", part, notes)
    if heavy is None:
        raise inertial.error(f'{part}: <inertial> has no mass. Add <mass value="..."/> (kg).')
    value = heavy.number("value", part)
    pose = read_origin(inertial, part, notes)
    tensor = single(inertial, "inertia", part, notes)
    if tensor is None:
        notes.add("assumed", "link", name, "no <inertia>: taken as a point mass", inertial.line)
        return Mass(value, pose.position)
    for key in _TENSOR[3:]:
        if key not in tensor.attributes:
            notes.add("assumed", "link", name, f"no {key}: taken as 0", tensor.line)
    diagonal = [tensor.number(key, part) for key in _TENSOR[:3]]
    products = [tensor.number(key, part, 0.0) for key in _TENSOR[3:]]
    I = Symmetric(*diagonal, *products)
    if pose.rotation != Pose().rotation:
        I = I.rotate(Matrix(pose.rotation))
    return Mass(value, pose.position, I.leaves())


# -- joints ---------------------------------------------------------------------------------------


def read_joint(element: Element, notes: Notes, strict: bool) -> Joint:
    name = element.text("name", "a joint")
    part = f"joint '{shortened(name)}'"
    type_ = element.text("type", part)
    if type_ not in KINDS:
        known = ", ".join(KINDS)
        raise element.error(f"{part}: unknown type '{shortened(type_)}'. Known types: {known}.")
    at = read_origin(element, part, notes)
    axes = () if type_ in _NO_AXIS else (_read_axis(element, name, part, notes),)
    if type_ == "planar":
        text = "the axes in the plane are not in the format: chosen by the smallest rotation from z"
        notes.add("assumed", "joint", name, text, element.line)
    limits = _read_limits(element, name, part, type_, notes)
    for fault in filter(None, map(limits_fault, limits if strict else ())):
        raise element.error(f"{part}: {fault}. Correct its <limit>.")
    passive = _read_passive(element, name, part, type_, notes)
    spec = JointSpec(
        name, KINDS[type_], axes, limits=limits, passive=passive, continuous=type_ == "continuous"
    )
    parent, child = (_end(element, tag, part, notes) for tag in ("parent", "child"))
    return Joint(spec, parent, child, at, _read_mimic(element, name, type_, notes), element)


def _end(element: Element, tag: str, part: str, notes: Notes) -> str:
    end = single(element, tag, part, notes)
    if end is None:
        raise element.error(f'{part}: no <{tag}>. Add <{tag} link="..."/>.')
    return end.text("link", part)


def _read_axis(element: Element, name: str, part: str, notes: Notes) -> tuple[float, ...]:
    axis = single(element, "axis", part, notes)
    if axis is None:
        notes.add("assumed", "joint", name, "no <axis>: x, as the format says", element.line)
        return (1.0, 0.0, 0.0)
    given = axis.numbers("xyz", part, 3)
    if not any(given):
        raise axis.error(f"{part}: the axis is zero and has no direction. Give a unit vector.")
    # a very short or long vector must not overflow when it is squared
    largest = max(abs(x) for x in given)
    scaled = given if 1e-6 < largest < 1e6 else tuple(x / largest for x in given)
    unit, changed = unit_axis(scaled, part)
    if changed or scaled is not given:
        length = largest * math.sqrt(sum((x / largest) ** 2 for x in given))
        text = f"axis of length {length:.6g} scaled to 1"
        notes.add("repaired", "joint", name, text, axis.line)
    return unit


def _read_limits(
    element: Element, name: str, part: str, type_: str, notes: Notes
) -> tuple[Limits, ...]:
    limit = single(element, "limit", part, notes)
    if type_ not in _ONE_FREEDOM:
        if limit is not None and type_ != "fixed":
            text = f"<limit> of a {type_} joint has no meaning in the format"
            notes.add("ignored", "joint", name, text, limit.line)
        return ()
    if limit is None:
        if type_ != "continuous":
            text = f"a {type_} joint without <limit>: taken as unbounded"
            notes.add("assumed", "joint", name, text, element.line)
        return ()
    velocity, effort = (_bound(limit, key, part) for key in ("velocity", "effort"))
    if type_ == "continuous":
        return () if velocity is effort is None else (Limits(None, None, velocity, effort),)
    missing = [key for key in ("lower", "upper") if key not in limit.attributes]
    if missing:
        level = "assumed" if len(missing) == 1 else "warning"
        text = f"<limit> has no {' and no '.join(missing)}: 0, as the format says"
        notes.add(level, "joint", name, text, limit.line)
    lower, upper = limit.number("lower", part, 0.0), limit.number("upper", part, 0.0)
    bounds = (
        lower if lower > -UNBOUNDED else None,
        upper if upper < UNBOUNDED else None,
        velocity,
        effort,
    )
    return () if bounds == (None, None, None, None) else (Limits(*bounds),)


def _bound(limit: Element, key: str, part: str) -> float | None:
    value = limit.number(key, part, UNBOUNDED)
    return value if value < UNBOUNDED else None


def _read_passive(
    element: Element, name: str, part: str, type_: str, notes: Notes
) -> tuple[Passive, ...]:
    dynamics = single(element, "dynamics", part, notes)
    if dynamics is None:
        return ()
    values = {key: dynamics.number(key, part, 0.0) for key in ("damping", "friction")}
    for key, value in values.items():
        if value < 0.0:
            raise dynamics.error(f"{part}: {key} is negative: {value:g}. It must be 0 or more.")
    if not any(values.values()):
        return ()
    if type_ not in _ONE_FREEDOM:
        text = f"<dynamics> of a {type_} joint has no meaning in the format"
        notes.add("ignored", "joint", name, text, dynamics.line)
        return ()
    text = "damping and friction act in inverse and forward dynamics (passive=False: not)"
    notes.add("read", "joint", name, text, dynamics.line)
    return (Passive(viscous=values["damping"], coulomb=values["friction"]),)


def _read_mimic(element: Element, name: str, type_: str, notes: Notes) -> Coupling | None:
    part = f"joint '{shortened(name)}'"
    mimic = single(element, "mimic", part, notes)
    if mimic is None:
        return None
    source = mimic.text("joint", part)
    ratio, offset = mimic.number("multiplier", part, 1.0), mimic.number("offset", part, 0.0)
    if source == name:
        raise mimic.error(f"{part}: it mimics itself. Name another joint in <mimic>.")
    if type_ not in _ONE_FREEDOM:
        text = f"<mimic> of a {type_} joint has no meaning in the format"
        notes.add("ignored", "joint", name, text, mimic.line)
        return None
    return Coupling(f"{name}_mimic", name, source, ratio, offset)
