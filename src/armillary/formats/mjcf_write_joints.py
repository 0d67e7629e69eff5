"""Our joints as MuJoCo's: hinges and slides in sequence, balls and free bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.errors import FormatError
from armillary.formats.losses import Losses, written_name, written_row
from armillary.formats.urdf_parts import UNBOUNDED
from armillary.model import WORLD, Body, JointSpec, Limits, Passive, Pose, Rotor
from armillary.model.joints import kernel_joint
from armillary.model.parts import own_rotation
from armillary.spatial import Vector
from armillary.units import AXIS_VECTORS


@dataclass(frozen=True)
class _Axis:
    """One hinge or slide: its axis and a point of it in the body frame, and which entry of v."""

    type: str
    axis: Sequence[float]
    entry: int
    point: Sequence[float] = (0.0, 0.0, 0.0)


def joint_lines(body: Body, losses: Losses) -> list[str]:
    """The joint elements of one body; none for a weld."""
    spec, part = body.joint, f"joint '{body.joint.name}'"
    if spec.kind == "fixed":
        return []
    if spec.kind in ("free", "spherical"):
        return [_whole(body, losses, part)]
    axes = _axes(spec, part)
    if spec.kind == "planar":
        losses.remark(f"{part}: MuJoCo's qpos is (x, y, angle)")
    names = _names(spec, len(axes))
    return [
        f"<joint name={written_name(name, 'joint')} {_axis_text(axis)}"
        f"{_along(spec, axis.entry, losses, part)}/>"
        for name, axis in ((names[axis.entry], axis) for axis in axes)
    ]


def _names(spec: JointSpec, count: int) -> list[str]:
    if count == 1:
        return [spec.name]
    return [f"{spec.name}.{coordinate}" for coordinate in kernel_joint(spec).coordinates]


def _axes(spec: JointSpec, part: str) -> list[_Axis]:
    """The sequence of one-axis motions, outermost first, as the kernel joints carry them out."""
    if spec.kind == "revolute":
        return [_Axis("hinge", spec.axes[0], 0)]
    if spec.kind == "prismatic":
        return [_Axis("slide", spec.axes[0], 0)]
    if spec.kind == "cylindrical":
        return [_Axis("hinge", spec.axes[0], 0), _Axis("slide", spec.axes[0], 1)]
    if spec.kind == "universal":
        return [_Axis("hinge", axis, k) for k, axis in enumerate(spec.axes)]
    if spec.kind == "planar":
        # the position counts along axes that do not rotate: slides come first
        R = own_rotation(spec)
        x, y, z = (tuple(float(c) for c in R.column(k)) for k in range(3))
        return [_Axis("slide", x, 1), _Axis("slide", y, 2), _Axis("hinge", z, 0)]
    if spec.kind == "gimbal":
        return [
            _Axis("hinge" if name[0] == "r" else "slide", AXIS_VECTORS[name[1]], k)
            for k, name in enumerate(spec.free)
        ]
    if spec.kind == "general":
        return [_screw(axis, k, part) for k, axis in enumerate(spec.axes)]
    raise FormatError(
        f"{part}: MJCF has no {spec.kind} joint. Write the native YAML format, or a revolute and a "
        f"prismatic joint with a coupling."
    )


def _screw(axis: Sequence[float], entry: int, part: str) -> _Axis:
    """A motion (ω; v) rotates about the line through ω × v, if it does not translate along ω."""
    angular, linear = Vector(*axis[:3]), Vector(*axis[3:])
    if not any(angular.leaves()):
        return _Axis("slide", axis[3:], entry)
    pitch = angular.dot(linear)
    if abs(pitch) > 1e-12 * (1.0 + linear.dot(linear) ** 0.5):
        raise FormatError(
            f"{part}: axis {entry + 1} is a screw with a pitch of {pitch:g} m/rad, and MJCF has "
            f"none. Write the native YAML format."
        )
    return _Axis("hinge", axis[:3], entry, angular.cross(linear).leaves())


def _axis_text(axis: _Axis) -> str:
    point = f' pos="{written_row(axis.point)}"' if any(axis.point) else ""
    return f'type="{axis.type}" axis="{written_row(axis.axis)}"{point}'


def _along(spec: JointSpec, entry: int, losses: Losses, part: str) -> str:
    """Friction, spring, rotor and limits of one degree of freedom."""
    passive = spec.passive[entry] if spec.passive else Passive()
    rotor = spec.rotors[entry] if spec.rotors else Rotor()
    limits = spec.limits[entry] if spec.limits else Limits()
    text = _resistance(passive, rotor)
    if passive.spring:
        text += f' stiffness="{passive.spring!r}" springref="{passive.rest!r}"'
    if limits.lower is not None or limits.upper is not None:
        lower = limits.lower if limits.lower is not None else -UNBOUNDED
        upper = limits.upper if limits.upper is not None else UNBOUNDED
        if lower >= upper:
            losses.add(part, f"a lower limit {lower:g} that is not below the upper limit {upper:g}")
        else:
            text += f' limited="true" range="{lower!r} {upper!r}"'
    if limits.effort:
        range_ = f"{-limits.effort!r} {limits.effort!r}"
        text += f' actuatorfrclimited="true" actuatorfrcrange="{range_}"'
    if limits.velocity is not None:
        losses.remark(f"left out: {part}: velocity limit {limits.velocity:g}")
    return text


def _resistance(passive: Passive, rotor: Rotor) -> str:
    values = {
        "damping": passive.viscous,
        "frictionloss": sum(passive.each_way()) / 2,
        "armature": rotor.reflected,
    }
    return "".join(f' {key}="{x!r}"' for key, x in values.items() if x)


def _whole(body: Body, losses: Losses, part: str) -> str:
    """A ball or free joint: MuJoCo has one number for all its directions."""
    spec = body.joint
    if spec.kind == "free" and body.parent != WORLD:
        raise FormatError(
            f"{part}: in MJCF only bodies on the world can be free, and '{body.name}' hangs on "
            f"'{body.parent}'. Write the native YAML format."
        )
    if spec.kind == "free" and body.at != Pose():
        losses.remark(f"{part}: MuJoCo's qpos counts from the world's origin, ours from `at`")
    if len(set(spec.passive)) > 1 or len({rotor.reflected for rotor in spec.rotors}) > 1:
        losses.add(part, "friction or rotor inertia that differs between its directions")
        return f'<joint name={written_name(spec.name, "joint")} type="{_type(spec)}"/>'
    passive = spec.passive[0] if spec.passive else Passive()
    rotor = spec.rotors[0] if spec.rotors else Rotor()
    if any(limits != Limits() for limits in spec.limits):
        losses.remark(f"left out: {part}: limits of a {spec.kind} joint")
    text = _resistance(passive, rotor)
    return f'<joint name={written_name(spec.name, "joint")} type="{_type(spec)}"{text}/>'


def _type(spec: JointSpec) -> str:
    return {"free": "free", "spherical": "ball"}[spec.kind]
