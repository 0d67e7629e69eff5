"""Write URDF.  What the format cannot express is an error that names the part, or, on request,
left out and listed in a comment at the head of the file."""

from __future__ import annotations

from armillary.errors import FormatError
from armillary.formats.losses import Losses, common_losses, start_remark, written_name, written_row
from armillary.formats.notes import unique
from armillary.formats.urdf_parts import UNBOUNDED
from armillary.model import WORLD, Body, Coupling, JointSpec, Limits, Mass, Model, Pose, Shape
from armillary.model.constraint_parts import titled

_TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "free": "floating",
}
ROOT = "root_joint"  # what the reader calls the weld of a single root link


def write_urdf(model: Model, *, lossy: bool = False) -> str:
    """The model as URDF text; numbers keep all their digits.

    Roots that are more than one weld at the origin hang on a link 'world', which the reader takes
    as the world again.  Frames become massless links on fixed joints.  lossy: leave out what
    the format cannot express (springs, rotors, motors, gravity, all constraints but couplings) and
    say so in a comment, instead of raising an error.  Other joint types are always an error."""
    losses = Losses("URDF", lossy)
    common_losses(model, losses)
    start_remark(model, losses)
    _check_expressible(model, losses)
    mimics = _mimics(model, losses)
    names = _names(model)
    lines = [f"<robot name={written_name(model.name, 'the mechanism')}>"]
    plain_root = _plain_root(model)
    if not plain_root:
        lines.append(f'  <link name="{WORLD}"/>')
    for body in model.bodies:
        lines += _link(body, losses)
        if body.parent != WORLD or not plain_root:
            lines += _joint(
                body.joint, body.parent, body.name, body.at, mimics.get(body.joint.name)
            )
    for frame in model.frames:
        lines.append(f"  <link name={written_name(frame.name, 'frame')}/>")
        spec = JointSpec(unique(f"{frame.name}_frame", names), "fixed")
        names.add(spec.name)
        lines += _joint(spec, frame.body, frame.name, frame.pose, None)
    head = ['<?xml version="1.0" encoding="utf-8"?>', *losses.comment()]
    return "\n".join([*head, *lines, "</robot>", ""])


def _names(model: Model) -> set[str]:
    return {body.joint.name for body in model.bodies}


def _plain_root(model: Model) -> bool:
    """One root, welded at the origin under the reader's own name: no link 'world' is needed."""
    roots = [body for body in model.bodies if body.parent == WORLD]
    ground = any(frame.body == WORLD for frame in model.frames)
    return (
        len(roots) == 1
        and not ground
        and roots[0].at == Pose()
        and (roots[0].joint.kind == "fixed" and roots[0].joint.name == ROOT)
    )


# -- what the format has no words for -------------------------------------------------------------


def _check_expressible(model: Model, losses: Losses) -> None:
    if model.gravity != (0.0, 0.0, -9.81):
        losses.add("gravity", f"{model.gravity} m/s²")
    for loop in model.loops:
        losses.add(titled(loop), f"a {loop.joint.kind} joint that closes a chain")
    for motion in model.prescribed:
        losses.add(titled(motion), "a prescribed motion")
    for body in model.bodies:
        spec, part = body.joint, f"joint '{body.joint.name}'"
        if spec.kind not in _TYPES:
            raise FormatError(
                f"{part}: URDF has no {spec.kind} joint. Split it into revolute and prismatic "
                f"joints, or write the native YAML format."
            )
        if any(rotor.reflected for rotor in spec.rotors):
            losses.add(part, "rotor inertia")
        for passive in spec.passive:
            if passive.spring:
                losses.add(part, "a spring")
            one_axis = spec.kind in ("revolute", "prismatic")
            if not one_axis and (passive.viscous or any(passive.each_way())):
                losses.add(part, f"friction of a {spec.kind} joint")
        if spec.kind in ("planar", "free") and any(x != Limits() for x in spec.limits):
            losses.add(part, f"limits of a {spec.kind} joint")


def _mimics(model: Model, losses: Losses) -> dict[str, Coupling]:
    single = {b.joint.name for b in model.bodies if b.joint.kind in ("revolute", "prismatic")}
    mimics: dict[str, Coupling] = {}
    for coupling in model.couplings:
        part = titled(coupling)
        if coupling.joint in mimics:
            losses.add(part, f"a second coupling of joint '{coupling.joint}'")
        elif {coupling.joint, coupling.source} <= single:
            mimics[coupling.joint] = coupling
        else:
            losses.add(part, "a coupling of joints with several degrees of freedom")
    return mimics


# -- elements -------------------------------------------------------------------------------------


def _link(body: Body, losses: Losses) -> list[str]:
    name = written_name(body.name, "body")
    around = [losses.surrounding(shape, body.name) for shape in body.shapes]
    inside = [*_inertial(body.mass), *(x for shape in around for x in _shape(shape))]
    if not inside:
        return [f"  <link name={name}/>"]
    return [f"  <link name={name}>", *inside, "  </link>"]


def _inertial(mass: Mass) -> list[str]:
    if mass == Mass():
        return []
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    tensor = " ".join(f'{k}="{x!r}"' for k, x in zip(keys, mass.tensor, strict=True))
    return [
        "    <inertial>",
        f'      <origin xyz="{written_row(mass.com)}"/>',
        f'      <mass value="{mass.mass!r}"/>',
        f"      <inertia {tensor}/>",
        "    </inertial>",
    ]


def _shape(shape: Shape) -> list[str]:
    if shape.kind == "mesh":
        file, scale = written_name(shape.mesh, "mesh"), written_row(shape.scale)
        geometry = f'<mesh filename={file} scale="{scale}"/>'
    elif shape.kind == "box":
        geometry = f'<box size="{written_row(shape.size)}"/>'
    else:  # sphere: radius; cylinder, capsule: radius, length
        pairs = zip(("radius", "length"), shape.size, strict=False)
        sizes = " ".join(f'{key}="{x!r}"' for key, x in pairs)
        geometry = f"<{shape.kind} {sizes}/>"
    lines = [f"      {_origin(shape.pose)}", f"      <geometry>{geometry}</geometry>"]
    if shape.color is not None and shape.role == "visual":
        color = f'<color rgba="{written_row(shape.color)}"/>'
        lines.append(f'      <material name="">{color}</material>')
    return [f"    <{shape.role}>", *lines, f"    </{shape.role}>"]


def _joint(spec: JointSpec, parent: str, child: str, at: Pose, mimic: Coupling | None) -> list[str]:
    limits = spec.limits[0] if spec.limits else Limits()
    type_ = "continuous" if spec.continuous else _TYPES[spec.kind]
    name = written_name(spec.name, "joint")
    lines = [
        f'  <joint name={name} type="{type_}">',
        f"    {_origin(at)}",
        f"    <parent link={written_name(parent, 'body')}/>",
        f"    <child link={written_name(child, 'body')}/>",
    ]
    if spec.axes:
        lines.append(f'    <axis xyz="{written_row(spec.axes[0])}"/>')
    if type_ in ("revolute", "prismatic") or (type_ == "continuous" and spec.limits):
        lines.append(_limit(type_, limits))
    if type_ in ("revolute", "prismatic", "continuous"):
        for passive in spec.passive:
            coulomb = sum(passive.each_way()) / 2
            if passive.viscous or coulomb:
                values = f'damping="{passive.viscous!r}" friction="{coulomb!r}"'
                lines.append(f"    <dynamics {values}/>")
    if mimic is not None:
        source = written_name(mimic.source, "joint")
        values = f'multiplier="{mimic.ratio!r}" offset="{mimic.offset!r}"'
        lines.append(f"    <mimic joint={source} {values}/>")
    return [*lines, "  </joint>"]


def _limit(type_: str, limits: Limits) -> str:
    """All four numbers, because other readers insist on them; far away where there is none."""
    values = {
        "effort": limits.effort if limits.effort is not None else UNBOUNDED,
        "velocity": limits.velocity if limits.velocity is not None else UNBOUNDED,
    }
    if type_ != "continuous":
        values["lower"] = limits.lower if limits.lower is not None else -UNBOUNDED
        values["upper"] = limits.upper if limits.upper is not None else UNBOUNDED
    return "    <limit " + " ".join(f'{key}="{x!r}"' for key, x in values.items()) + "/>"


def _origin(pose: Pose) -> str:
    rpy = "0 0 0" if pose.rotation == Pose().rotation else written_row(pose.rpy())
    return f'<origin xyz="{written_row(pose.position)}" rpy="{rpy}"/>'
