"""Read URDF, the robot description of ROS: links in a tree of joints.

What the file leaves open is decided by its specification and reported; what this library does
not use is listed; nothing is repaired in silence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from armillary.errors import FormatError, InputError, ModelError, unknown_name
from armillary.formats.notes import Notes, unique
from armillary.formats.references import Bounds
from armillary.formats.urdf_parts import Joint, Link, read_joint, read_link
from armillary.formats.urdf_shapes import read_colors
from armillary.formats.xml import Element, parse_file, parse_text, path_text, shortened
from armillary.model import WORLD, Body, Builder, JointSpec, Model, Report
from armillary.model.builder import REPORT, STRICT

_SEARCHED = 500  # a misspelt name is compared with this many others
# element -> (attributes, children) that are read
_KNOWN: dict[str, tuple[set[str], set[str]]] = {
    "robot": ({"name", "version"}, {"link", "joint", "material"}),
    "link": ({"name"}, {"inertial", "visual", "collision"}),
    "inertial": (set(), {"origin", "mass", "inertia"}),
    "mass": ({"value"}, set()),
    "inertia": ({"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, set()),
    "visual": ({"name"}, {"origin", "geometry", "material"}),
    "collision": ({"name"}, {"origin", "geometry"}),
    "geometry": (set(), {"box", "cylinder", "capsule", "sphere", "mesh"}),
    "box": ({"size"}, set()),
    "cylinder": ({"radius", "length"}, set()),
    "capsule": ({"radius", "length"}, set()),
    "sphere": ({"radius"}, set()),
    "mesh": ({"filename", "scale"}, set()),
    "material": ({"name"}, {"color"}),
    "color": ({"rgba"}, set()),
    "origin": ({"xyz", "rpy"}, set()),
    "joint": (
        {"name", "type"},
        {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
    ),
    "parent": ({"link"}, set()),
    "child": ({"link"}, set()),
    "axis": ({"xyz"}, set()),
    "limit": ({"lower", "upper", "velocity", "effort"}, set()),
    "dynamics": ({"damping", "friction"}, set()),
    "mimic": ({"joint", "multiplier", "offset"}, set()),
}


@dataclass
class _Robot:
    """The file as links and joints by name, in file order."""

    root: Element
    notes: Notes
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    inboard: dict[str, Joint] = field(default_factory=dict)  # link -> the joint that carries it

    def outboard(self, link: str) -> list[Joint]:
        return [joint for joint in self.joints.values() if joint.parent == link]


def read_urdf(
    source: str | os.PathLike,
    *,
    base: str | None = None,
    strict: bool = False,
    root: str | os.PathLike | None = None,
    text: str | None = None,
) -> Model:
    """The mechanism of a URDF file; `model.report` says what was read, assumed and ignored.

    base: "fixed" welds the root link to the world (the default), "free" lets it float.
    strict: bodies that cannot exist are errors, not warnings.
    root: the folder that meshes must lie in (see `references.Bounds`).
    text: the XML itself, when it is at hand already; `source` then only names it.

    >>> read_urdf("dot", text='<robot name="dot"><link name="a"/></robot>').bodies[0].name
    'a'
    """
    if base not in (None, "fixed", "free"):
        raise InputError(f"base: expected 'fixed' or 'free', found {base!r}.")
    top = parse_file(source) if text is None else parse_text(text, path_text(source))
    _check_root(top)
    robot = _Robot(top, Notes())
    _note_unknown(top, robot.notes)
    _read_parts(robot, strict, Bounds.of(source, root) if text is None else None)
    _check_tree(robot)
    name = top.attributes.get("name", "").strip()
    if not name:
        robot.notes.add("assumed", "<robot>", "", "no name: called 'robot'", top.line)
    report = Report(source=top.path)
    builder = Builder(name or "robot", checks=STRICT if strict else REPORT, report=report)
    _assemble(robot, builder, base)
    robot.notes.write(report)
    try:
        model = builder.build()
    except ModelError as fault:
        raise FormatError(fault.message, top.path) from fault
    mass = sum(body.mass.mass for body in model.bodies)
    count = f"{len(robot.links)} links, {len(robot.joints)} joints"
    report.add("read", f"robot '{model.name}'", f"{count}, nv = {model.nv}, {mass:.6g} kg")
    report.add("assumed", "gravity", f"{model.gravity} m/s²: the format has none")
    return model


def _check_root(root: Element) -> None:
    if root.tag != "robot":
        cure = {
            "mujoco": "This is an MJCF file: use `read_mjcf`.",
            "sdf": "This is an SDF file: convert it to URDF first.",
        }.get(root.tag, "Is this a URDF file?")
        raise root.error(
            f"expected the root element <robot>, found <{shortened(root.tag)}>. {cure}"
        )
    for child in root.children:
        if child.tag.startswith("xacro:"):
            raise child.error(
                f"<{shortened(child.tag)}>: this is a xacro file, not yet a URDF file. "
                f"Expand it first: `xacro in.xacro > out.urdf`."
            )


def _note_unknown(root: Element, notes: Notes) -> None:
    """List the elements and attributes that nobody reads; below an unknown element nothing is."""
    stack = [root]
    while stack:
        element = stack.pop()
        attributes, children = _KNOWN[element.tag]
        for key in element.attributes:
            if key not in attributes and not key.startswith("xmlns"):
                part = f"attribute {shortened(key)} of <{element.tag}>"
                notes.add("ignored", part, "", "not used", element.line)
        for child in element.children:
            if child.tag not in children:
                part = f"<{shortened(child.tag)}> in <{element.tag}>"
                notes.add("ignored", part, "", "not used", child.line)
        stack.extend(c for c in reversed(element.children) if c.tag in children)


def _read_parts(robot: _Robot, strict: bool, bounds: Bounds | None) -> None:
    colors = read_colors(robot.root)
    for element in robot.root.named("link"):
        link = read_link(element, colors, robot.notes, strict, bounds)
        _new(link.name, robot.links, element)
        robot.links[link.name] = link
    for element in robot.root.named("joint"):
        joint = read_joint(element, robot.notes, strict)
        _new(joint.spec.name, robot.joints, element)
        robot.joints[joint.spec.name] = joint
    if not robot.links:
        raise robot.root.error('the file has no link. Add at least one <link name="..."/>.')


def _new(name: str, known: Mapping[str, Link | Joint], element: Element) -> None:
    if name in known:
        first = known[name].element.line
        raise element.error(
            f"{element.tag} '{name}' is there twice, first on line {first}. Rename one of them."
        )


def _check_tree(robot: _Robot) -> None:
    """Every joint connects two known links, every link hangs on one joint, no circle."""
    for joint in robot.joints.values():
        name = joint.spec.name
        for end in (joint.parent, joint.child):
            if end not in robot.links:
                known = (shortened(link, 80) for link in islice(robot.links, _SEARCHED))
                fault = unknown_name("link", shortened(end, 80), known)
                raise joint.element.error(f"joint '{shortened(name)}': {fault}")
        if joint.child in robot.inboard:
            other = robot.inboard[joint.child]
            raise joint.element.error(
                f"joint '{name}': link '{joint.child}' already hangs on joint "
                f"'{other.spec.name}' (line {other.element.line}), and a link has one parent. "
                f"URDF has no loops: leave one joint out and close the chain with a loop."
            )
        robot.inboard[joint.child] = joint
    _check_circle(robot)


def _kept_mimic(robot: _Robot, joint: Joint, source: str) -> bool:
    """A coupling needs a source that exists and moves in one way; reduced robots often lost it."""
    kind = robot.joints[source].spec.kind if source in robot.joints else ""
    if kind in ("revolute", "prismatic"):
        return True
    why = f"it is {kind}" if kind else "there is no such joint"
    text = f"<mimic> of '{shortened(source)}' is left out, the joint moves freely: {why}"
    robot.notes.add("warning", "joint", joint.spec.name, text, joint.element.line)
    return False


def _check_circle(robot: _Robot) -> None:
    reached: set[str] = set()
    for link in robot.links:
        path: dict[str, None] = {}
        while link not in reached and link in robot.inboard:
            if link in path:
                circle = [*list(path)[list(path).index(link) :], link]
                shown = " <- ".join(f"'{x}'" for x in circle[:6])
                raise robot.inboard[link].element.error(
                    f"joint '{robot.inboard[link].spec.name}': the links hang on each other in a "
                    f"circle: {shown}. Leave one joint out and close the chain with a loop."
                )
            path[link] = None
            link = robot.inboard[link].parent
        reached.update(path)


# -- from links and joints to bodies --------------------------------------------------------------


def _assemble(robot: _Robot, builder: Builder, base: str | None) -> None:
    """Add the roots, then every joint's child in file order: the builder sorts depth first."""
    body_of = {name: name for name in robot.links}
    roots = [name for name in robot.links if name not in robot.inboard]
    if WORLD in robot.links:
        _place_world(robot, body_of, roots, base)
    joint_names = set(robot.joints)
    for name in roots:
        wanted = "root_joint" if len(roots) == 1 else f"root_joint_{name}"
        spec = JointSpec(unique(wanted, joint_names), "free" if base == "free" else "fixed")
        joint_names.add(spec.name)
        _add_root(robot, builder, base, body_of[name], spec, name)
    if len(roots) > 1:
        shown = ", ".join(f"'{name}'" for name in roots[:6])
        text = f"the format wants one root; all of {shown} are kept, each on the world"
        robot.notes.add("warning", "<robot>", "", f"{len(roots)} root links: {text}")
    for joint in robot.joints.values():
        link = robot.links[joint.child]
        builder.add(
            Body(
                body_of[link.name],
                body_of[joint.parent],
                joint.spec,
                joint.at,
                link.mass,
                shapes=link.shapes,
            ),
            has_inertia=link.has_inertia,
        )
        if joint.mimic is not None and _kept_mimic(robot, joint, joint.mimic.source):
            builder.coupling(joint.mimic)
            text = "<mimic> is read as a coupling"
            robot.notes.add("read", "joint", joint.spec.name, text, joint.element.line)


def _add_root(
    robot: _Robot, builder: Builder, base: str | None, body: str, spec: JointSpec, name: str
) -> None:
    link = robot.links[name]
    if base is None:
        text = "root link, welded to the world (base='free' lets it float)"
        robot.notes.add("assumed", "link", name, text, link.element.line)
    builder.add(
        Body(body, WORLD, spec, mass=link.mass, shapes=link.shapes), has_inertia=link.has_inertia
    )


def _place_world(
    robot: _Robot, body_of: dict[str, str], roots: list[str], base: str | None
) -> None:
    """A massless root link 'world' is our world; any other link of that name gets a new one."""
    link = robot.links[WORLD]
    heavy = link.mass.mass != 0.0 or any(link.mass.tensor)
    floats = all(joint.spec.kind == "free" for joint in robot.outboard(WORLD))
    if WORLD in roots and not heavy and (base != "free" or floats):
        roots.remove(WORLD)
        lost = " Its shapes are not kept." if link.shapes else ""
        text = f"root link without mass: taken as the world itself.{lost}"
        robot.notes.add("assumed", "link", WORLD, text, link.element.line)
        return
    body_of[WORLD] = unique("world_link", robot.links)
    reason = "it has mass" if heavy else "it is on a joint" if WORLD not in roots else "it floats"
    text = f"called '{body_of[WORLD]}' here: {reason}, so it is not the fixed world"
    robot.notes.add("repaired", "link", WORLD, text, link.element.line)
