"""Joint specifications: short makers for people, and the way from a spec to a kernel joint."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from armillary import joints
from armillary.errors import ModelError
from armillary.model.arguments import name_arguments
from armillary.model.checks import unit_axis
from armillary.model.parts import ONE_AXIS, WORLD, Body, JointSpec
from armillary.spatial import Motion
from armillary.units import AXIS_VECTORS

# type -> the joint of the algorithms, its axes rotated to z (see `own_rotation`)
_KERNELS: dict[str, Callable[[JointSpec], joints.Joint]] = {
    "fixed": lambda spec: joints.Fixed(),
    "revolute": lambda spec: joints.Revolute(),
    "prismatic": lambda spec: joints.Prismatic(),
    "helical": lambda spec: joints.Helical(spec.pitch),
    "cylindrical": lambda spec: joints.Cylindrical(),
    "universal": lambda spec: joints.Universal(),
    "planar": lambda spec: joints.Planar(),
    "spherical": lambda spec: joints.Spherical(),
    "free": lambda spec: joints.Free(),
    "gimbal": lambda spec: joints.Gimbal(spec.free),
    "general": lambda spec: joints.General([Motion.from_leaves(axis) for axis in spec.axes]),
}
KINDS = tuple(_KERNELS)
Axis = str | Sequence[float]


class JointOptions(TypedDict, total=False):
    """What describes a joint beside its kind (`joint_spec`)."""

    joint_name: str
    axis: Axis | None
    axes: Sequence[Axis]
    pitch: float
    free: Sequence[str]
    continuous: bool


def add_kind(kind: str, make: Callable[[JointSpec], joints.Joint]) -> None:
    """A joint type of your own, from now on known by this word: make(spec) gives its joint.

    It takes no axis: `Pose` turns its frame; `spec.pitch` is a number to use as you like."""
    if kind in _KERNELS:
        raise ModelError(f"joint type '{kind}': there is one already. Choose another word.")
    _KERNELS[kind] = make


def named_axis(axis: Axis, part: str = "axis") -> Sequence[float]:
    """'x', '-y', ... or three numbers."""
    if isinstance(axis, str):
        if axis not in AXIS_VECTORS:
            known = ", ".join(AXIS_VECTORS)
            raise ModelError(f"{part}: unknown axis '{axis}'. Use one of {known} or 3 numbers.")
        return AXIS_VECTORS[axis]
    return axis


@name_arguments
def joint_spec(
    kind: str,
    *,
    name: str = "",
    axis: Axis | None = None,
    axes: Sequence[Axis] = (),
    pitch: float = 0.0,
    free: Sequence[str] = (),
    **rest: Any,
) -> JointSpec:
    """A joint of the given kind; axes are 'x', 'y', 'z', '-x', ... or vectors in the joint frame.

    Axes are scaled to unit length; `armillary.model.Builder` reports when that changed them."""
    part = f"joint '{name}'" if name else f"{kind} joint"
    if kind not in _KERNELS:
        raise ModelError(f"{part}: unknown type '{kind}'. Known types: {', '.join(_KERNELS)}.")
    if axis is not None and axes:
        raise ModelError(f"{part}: give `axis` or `axes`, not both.")
    given = [axis] if axis is not None else list(axes)
    if kind in ONE_AXIS:
        given = given or ["z"]
        if len(given) != 1:
            raise ModelError(f"{part}: a {kind} joint has one axis, found {len(given)}.")
    units: list[tuple[float, ...]] = []
    if kind == "general":
        units = [_screw_axis(a, part) for a in given]
        if not 1 <= len(units) <= 6:
            raise ModelError(f"{part}: a general joint has 1 to 6 axes, found {len(units)}.")
    elif kind == "universal":
        given = given or ["x", "y"]
        units = [unit_axis(named_axis(a, part), part)[0] for a in given]
        _check_universal(units, part)
    elif kind in ONE_AXIS:
        units = [unit_axis(named_axis(given[0], part), part)[0]]
    elif given:
        raise ModelError(f"{part}: a {kind} joint takes no axis.")
    if kind == "gimbal":
        free = joints.in_order(free, part)
    elif free:
        raise ModelError(f"{part}: `free` belongs to gimbal joints only.")
    if pitch and kind in KINDS and kind != "helical":  # joints of your own use it as they like
        raise ModelError(
            f"{part}: `pitch` belongs to helical joints only, found {pitch!r} of a {kind} joint."
        )
    return JointSpec(
        name=name,
        kind=kind,
        axes=tuple(units),
        pitch=float(pitch),
        free=tuple(free),
        **rest,
    )


def _check_universal(units: list[tuple[float, ...]], part: str) -> None:
    if len(units) != 2:
        raise ModelError(f"{part}: a universal joint has two axes, found {len(units)}.")
    cosine = sum(a * b for a, b in zip(units[0], units[1], strict=True))
    if abs(cosine) > 1e-9:
        raise ModelError(
            f"{part}: the two axes of a universal joint must be perpendicular, found a cosine of "
            f"{cosine:.3g}. Use a general joint for skew axes."
        )


def _screw_axis(axis: Axis, part: str) -> tuple[float, ...]:
    """(ω; v) with |ω| = 1, or ω = 0 and |v| = 1; three numbers or a letter mean a rotation."""
    numbers = [float(x) for x in named_axis(axis, part)]
    if len(numbers) == 3:
        numbers += [0.0, 0.0, 0.0]
    if len(numbers) != 6 or not all(math.isfinite(x) for x in numbers):
        raise ModelError(
            f"{part}: an axis of a general joint is (ω; v), six finite numbers; found {axis!r}."
        )
    if not any(numbers[:3]):
        return (0.0, 0.0, 0.0, *unit_axis(numbers[3:], part)[0])
    length = sum(x * x for x in numbers[:3]) ** 0.5
    if abs(length - 1.0) <= 4e-16:
        length = 1.0
    return tuple(x / length for x in numbers)


def kernel_joint(spec: JointSpec) -> joints.Joint:
    return _KERNELS[spec.kind](spec)


def named(spec: JointSpec, name: str) -> JointSpec:
    return spec if spec.name else replace(spec, name=name)


def massless_joints(bodies: Sequence[Body]) -> tuple[str, ...]:
    """Names of the moving joints that move neither a mass nor a rotor; parents come first."""
    heavy = {WORLD}
    for body in reversed(bodies):
        if body.mass.mass > 0 or any(body.mass.tensor) or body.name in heavy:
            heavy |= {body.name, body.parent}
    return tuple(
        body.joint.name
        for body in bodies
        if body.name not in heavy
        and kernel_joint(body.joint).nv > 0
        and not any(rotor.reflected > 0 for rotor in body.joint.rotors)
    )
