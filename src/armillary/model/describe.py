"""A mechanism in a few lines for people."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.model.constraint_parts import (
    NOUNS,
    Constraint,
    Contact,
    Coupling,
    Distance,
    Loop,
    PrescribedMotion,
    Surface,
    Wheel,
)
from armillary.model.elements.element import ForceElement
from armillary.model.joints import kernel_joint
from armillary.model.model import Model
from armillary.model.parts import WORLD
from armillary.units import row_force


def describe(model: Model, freedoms: str) -> str:
    """Name, counts, the tree with joint types, masses and coordinates, and what constrains it.

    freedoms: how many there are, in words."""
    mass = sum(body.mass.mass for body in model.bodies)
    gravity = ", ".join(f"{g:g}" for g in model.gravity)
    lines = [
        f"{model.name}: {counted(len(model.bodies), 'body', 'bodies')}, {freedoms}, "
        f"{mass:.4g} kg, gravity ({gravity}) m/s²",
        WORLD,
    ]
    depth = {WORLD: 0}
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        depth[body.name] = depth[body.parent] + 1
        pad = "  " * depth[body.name]
        entries = ""
        if joint.nv:
            last = slot.v.stop - 1
            entries = f", v[{slot.v.start}]" if joint.nv == 1 else f", v[{slot.v.start}..{last}]"
        kind = "continuous" if body.joint.continuous else body.joint.kind
        lines.append(
            f"{pad}{body.name}  ({kind} '{body.joint.name}'{entries}, {body.mass.mass:.4g} kg)"
        )
    if model.constraints:
        lines.append("constrained by")
        for part in model.constraints:
            kind, what, rows = constraint_words(model, part)
            lines.append(f"  {part.name}  ({kind}: {what}; {counted(rows, 'row', 'rows')})")
    if model.elements:
        lines.append("pushed and pulled by")
        for element in model.elements:
            ends = " - ".join(f"'{end.body}'" for end in element.ends)
            ends = ends or coordinate_sum(element)
            lines.append(f"  {element.name}  ({element.law.noun}: {ends})")
    return "\n".join(lines)


def coordinate_sum(element: ForceElement) -> str:
    """The coordinates of an element with their weights, as a sum."""
    weights: Sequence[float] = getattr(element.law, "weights", ())
    terms = [f"{w:+g} {label}" for w, label in zip(weights, element.coordinates, strict=True)]
    return " ".join(terms).replace("+1 ", "+").replace("-1 ", "-").removeprefix("+")


def constraint_words(model: Model, part: Constraint) -> tuple[str, str, int]:
    """(kind, what it constrains and how, number of rows) of one constraint."""
    kind = NOUNS[type(part)]
    match part:
        case Loop(first=first, second=second, joint=joint):
            rows = 6 - kernel_joint(joint).nv
            passive = any(not p.is_nothing() for p in joint.passive)
            with_ = ", with friction or springs" if passive else ""
            return kind, f"{joint.kind} between '{first.body}' and '{second.body}'{with_}", rows
        case Distance(first=first, second=second, length=length):
            return kind, f"{length:g} m between '{first.body}' and '{second.body}'", 1
        case Surface(first=first, second=second, shape=shape, radius=radius):
            size = f" of radius {radius:g} m" if shape in ("sphere", "cylinder") else ""
            return kind, f"point of '{second.body}' on a {shape}{size} of '{first.body}'", 1
        case Contact(first=first, second=second, constrained=held):
            given = [f"{d} {x:g} {row_force(d)}" for d, x in part.force]
            given += [f"{d} {x:g} of {c}" for d, c, x in part.friction]
            forces = f", given forces {', '.join(given)}" if given else ""
            how = f"along {' '.join(held)}{forces}, held both ways"
            return kind, f"'{second.body}' follows '{first.body}' {how}", len(held)
        case Wheel(body=body, ground=ground, radius=radius):
            size = f" of radius {radius:g} m" if part.kind != "knife" else ""
            return kind, f"{part.kind}{size} on '{body}', rolls on '{ground}'", len(part.rows)
        case Coupling(joint=joint, source=source, ratio=ratio, offset=offset):
            unit = model.v_units[model.v_labels.index(joint)]
            shift = f" {'+' if offset > 0 else '-'} {abs(offset):g} {unit}" if offset else ""
            return kind, f"{joint} = {ratio:g} * {source}{shift}", 1
        case PrescribedMotion():
            unit = model.v_units[model.v_labels.index(part.joint)]
            levels = (("acceleration", f"{unit}/s²"), ("velocity", f"{unit}/s"), ("position", unit))
            given = [f"{x} {y:g} {u}" for x, u in levels if (y := getattr(part, x)) is not None]
            return kind, f"{part.joint} with {', '.join(given)}", 1


def counted(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
