"""What a URDF file shows and touches: visuals, collisions, colours, mesh references."""

from __future__ import annotations

from armillary.formats.notes import Notes
from armillary.formats.references import Bounds, why_refused
from armillary.formats.xml import Element, shortened
from armillary.model import Pose, Shape

Color = tuple[float, float, float, float]

# geometry -> (attribute, how many numbers) in the order of Shape.size
_SIZES = {
    "box": (("size", 3),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
    "sphere": (("radius", 1),),
}


def read_colors(robot: Element) -> dict[str, Color]:
    """Every named colour of the file: links may use materials that others define."""
    colors: dict[str, Color] = {}
    for element in robot.walk():
        if element.tag == "material" and (name := element.attributes.get("name")):
            color = _own_color(element)
            if color is not None:
                colors.setdefault(name, color)
    return colors


def _own_color(material: Element) -> Color | None:
    color = material.first("color")
    if color is None or "rgba" not in color.attributes:
        return None
    part = f"material '{shortened(material.attributes.get('name', ''))}'"
    r, g, b, a = color.numbers("rgba", part, 4)
    return (r, g, b, a)


def read_shapes(
    link: Element,
    part: str,
    colors: dict[str, Color],
    notes: Notes,
    bounds: Bounds | None = None,
) -> tuple[Shape, ...]:
    shapes = []
    for role in ("visual", "collision"):
        for element in link.named(role):
            shape = _read_shape(element, role, part, colors, notes, bounds)
            if shape is not None:
                shapes.append(shape)
    return tuple(shapes)


def _read_shape(
    element: Element,
    role: str,
    part: str,
    colors: dict[str, Color],
    notes: Notes,
    bounds: Bounds | None,
) -> Shape | None:
    geometry = element.first("geometry")
    forms = geometry.children if geometry is not None else []
    if not forms:
        notes.add("ignored", f"<{role}>", "", "it has no geometry", element.line)
        return None
    form = forms[0]
    pose = _origin(element, part)
    color = _color(element, colors, notes)
    if form.tag == "mesh":
        reference = form.text("filename", part)
        refusal = why_refused(reference, bounds)
        if refusal:
            text = f"refused, never opened: {refusal}; name a folder that holds both as root="
            notes.add("ignored", "mesh", shortened(reference, 80), text, form.line)
            return None
        x, y, z = form.numbers("scale", part, 3, (1.0, 1.0, 1.0))
        return Shape("mesh", (), pose, reference, (x, y, z), color, role)
    if form.tag not in _SIZES:
        text = f"geometry of unknown type <{shortened(form.tag)}>"
        notes.add("ignored", f"<{role}>", "", text, form.line)
        return None
    size = [x for key, count in _SIZES[form.tag] for x in form.numbers(key, part, count)]
    return Shape(form.tag, tuple(size), pose, color=color, role=role)


def _origin(element: Element, part: str) -> Pose:
    origin = element.first("origin")
    if origin is None:
        return Pose()
    zero = (0.0, 0.0, 0.0)
    return Pose.from_rpy(origin.numbers("xyz", part, 3, zero), origin.numbers("rpy", part, 3, zero))


def _color(element: Element, colors: dict[str, Color], notes: Notes) -> Color | None:
    material = element.first("material")
    if material is None:
        return None
    own = _own_color(material)
    name = material.attributes.get("name", "")
    if own is None and name and name not in colors and material.first("texture") is None:
        text = "no such material with a colour: drawn in the default colour"
        notes.add("assumed", "material", shortened(name), text, material.line)
    return own if own is not None else colors.get(name)
