"""Write MJCF, the model format of MuJoCo.  What it cannot express is an error that names the
part, or, on request, left out and listed in a comment at the head of the file."""

from __future__ import annotations

import warnings

import numpy as np

from armillary.errors import FormatError
from armillary.formats.losses import Losses, common_losses, start_remark, written_name, written_row
from armillary.formats.mjcf_write_equality import equality_lines
from armillary.formats.mjcf_write_joints import joint_lines
from armillary.formats.xml import MAX_DEPTH, shortened
from armillary.model import WORLD, Body, Frame, Mass, Model, Pose, Shape
from armillary.model.checks import principal_moments

_MIN_MASS = 1e-15  # below it MuJoCo refuses a moving body (mjMINVAL)


def write_mjcf(model: Model, *, lossy: bool = False) -> str:
    """The model as MJCF text; numbers keep all their digits.

    Frames become sites.  Joints with several axes become several joints in one body, in their
    order; planar joints count (x, y, angle) in MuJoCo.  Mesh shapes are left out, because MuJoCo
    refuses a model whose mesh files it cannot open.  Spherical and fixed loops, couplings and
    prescribed motions that hold a position become equalities.  lossy: leave out what the format
    cannot express and let MuJoCo balance impossible inertias, and say so in a comment.  Where
    MuJoCo is installed it is asked whether it takes the text."""
    losses = Losses("MJCF", lossy)
    common_losses(model, losses)
    start_remark(model, losses)
    balance = _check_masses(model, losses)
    names = [body.name for body in model.bodies]
    sites: dict[str, list[Frame]] = {name: [] for name in (WORLD, *names)}
    for frame in model.frames:
        sites[frame.body].append(frame)
    equality = equality_lines(model, losses, sites)
    world = [*_sites(sites[WORLD], "    "), *_bodies(model, losses, sites)]
    balance_text = ' balanceinertia="true"' if balance else ""
    lines = [
        f"<mujoco model={written_name(model.name, 'the mechanism')}>",
        f'  <compiler angle="radian" inertiafromgeom="false" fusestatic="false"{balance_text}/>',
        f'  <option gravity="{written_row(model.gravity)}"/>',
        "  <worldbody>",
        *world,
        "  </worldbody>",
    ]
    if equality:
        lines += ["  <equality>", *equality, "  </equality>"]
    text = "\n".join([*losses.comment(), *lines, "</mujoco>", ""])
    _ask_mujoco(text, model.name)
    return text


def _ask_mujoco(text: str, name: str) -> None:
    """An error where MuJoCo would refuse the file; nothing where it is not installed."""
    try:
        import mujoco
    except ImportError:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mujoco.MjSpec.from_string(text).compile()
    except Exception as fault:
        words = shortened(" ".join(str(fault).split()), 300)
        raise FormatError(
            f"'{name}': MuJoCo would refuse the file: {words}. Write the native YAML format."
        ) from None


# -- bodies ---------------------------------------------------------------------------------------


def _bodies(model: Model, losses: Losses, sites: dict[str, list[Frame]]) -> list[str]:
    """Nested elements, written from the depth-first list with a stack of open ones."""
    lines: list[str] = []
    open_: list[str] = []

    def close() -> None:
        open_.pop()
        lines.append("  " * (len(open_) + 2) + "</body>")

    for body in model.bodies:
        while open_ and open_[-1] != body.parent:
            close()
        margin = "  " * (len(open_) + 2)
        lines += [margin + line for line in _body_head(body, losses)]
        lines += _sites(sites[body.name], margin + "  ")
        open_.append(body.name)
        # <mujoco>, <worldbody> and what stands inside the body
        if len(open_) + 3 >= MAX_DEPTH:
            raise FormatError(
                f"body '{body.name}': it is {len(open_)} bodies deep, and MuJoCo reads at most "
                f"{MAX_DEPTH - 4}. Write the native YAML format."
            )
    while open_:
        close()
    return lines


def _body_head(body: Body, losses: Losses) -> list[str]:
    name = written_name(body.name, "body")
    lines = [f"<body name={name}{_pose(body.at)}>"]
    lines += [f"  {line}" for line in joint_lines(body, losses)]
    if body.mass != Mass():
        lines.append(f"  {_inertial(body.mass)}")
    for given in body.shapes:
        shape = given if given.kind == "ellipsoid" else losses.surrounding(given, body.name)
        if shape.kind == "mesh":
            losses.remark(f"left out: body '{body.name}': mesh {shape.mesh}")
        elif min(shape.size, default=0.0) <= 0.0:
            losses.remark(f"left out: body '{body.name}': a {shape.kind} of size {shape.size}")
        else:
            lines.append(f"  {_geom(shape)}")
    return lines


def _inertial(mass: Mass) -> str:
    """With the tensor in full; one with a zero moment is taken along its principal axes only."""
    numbers = f'mass="{mass.mass!r}" pos="{written_row(mass.com)}"'
    if principal_moments(mass.tensor)[0] > _MIN_MASS:
        return f'<inertial {numbers} fullinertia="{written_row(mass.tensor)}"/>'
    xx, yy, zz, xy, xz, yz = mass.tensor
    moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    axes[:, 2] *= np.linalg.det(axes)  # right-handed
    rows = tuple(map(tuple, axes.tolist()))
    rotation = Pose((0.0, 0.0, 0.0), rows).quaternion()  # type: ignore[arg-type]
    diagonal = written_row(np.maximum(moments, 0.0))
    return f'<inertial {numbers} quat="{written_row(rotation)}" diaginertia="{diagonal}"/>'


def _geom(shape: Shape) -> str:
    """Half lengths, as MuJoCo wants; visuals touch nothing, collisions are in a hidden group."""
    radii = {"box": 0, "ellipsoid": 3}.get(shape.kind, 1)  # numbers that are half lengths already
    size = written_row([x if k < radii else x / 2 for k, x in enumerate(shape.size)])
    role = 'contype="0" conaffinity="0" group="2"' if shape.role == "visual" else 'group="3"'
    color = f' rgba="{written_row(shape.color)}"' if shape.color is not None else ""
    return f'<geom type="{shape.kind}" size="{size}"{_pose(shape.pose)} {role}{color}/>'


def _sites(frames: list[Frame], margin: str) -> list[str]:
    return [
        f"{margin}<site name={written_name(frame.name, 'frame')}{_pose(frame.pose)}/>"
        for frame in frames
    ]


def _check_masses(model: Model, losses: Losses) -> bool:
    """MuJoCo wants mass and a possible tensor on whatever moves; True: let it correct tensors."""
    heavy: set[str] = set()
    balance = False
    for body in reversed(model.bodies):
        low, mid, high = principal_moments(body.mass.tensor)
        if body.mass.mass > _MIN_MASS and low > _MIN_MASS:
            heavy.add(body.name)
        if high > (low + mid) * (1.0 + 1e-14):
            part = f"body '{body.name}'"
            losses.add(part, "principal moments that break the triangle inequality")
            balance = True
        if body.name in heavy and body.joint.kind == "fixed":
            heavy.add(body.parent)
        elif body.name not in heavy and body.joint.kind != "fixed":
            raise FormatError(
                f"body '{body.name}': MuJoCo wants mass and a positive inertia on every moving "
                f"body, found mass {body.mass.mass:g} kg and a smallest principal moment of "
                f"{low:g} kg m². Give it both, or weld it."
            )
    return balance


# -- numbers --------------------------------------------------------------------------------------


def _pose(pose: Pose) -> str:
    text = f' pos="{written_row(pose.position)}"' if any(pose.position) else ""
    if pose.rotation != Pose().rotation:
        text += f' quat="{written_row(pose.quaternion())}"'
    return text
