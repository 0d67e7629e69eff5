"""Symbols of joints: small solids that show the kind and the axes of each."""

from __future__ import annotations

from collections.abc import Iterator

from armillary.model.model import Model
from armillary.model.parts import WORLD, JointSpec, Pose
from armillary.viewer import colors
from armillary.viewer.elements import tyres
from armillary.viewer.looks import Measure, is_ground, shape
from armillary.viewer.places import ORIGIN, place_of, point, turned
from armillary.viewer.schema import AxisPart, Place, Point, ShapePart

Solid = tuple[str, str, Point, tuple[float, ...]]  # kind, on which side, axis, size


def joint_symbols(model: Model, measure: Measure) -> Iterator[ShapePart]:
    """Symbols of all joints, those that close loops too, of wheels and of the ground."""
    for k, body in enumerate(model.bodies):
        outer = model.index[body.parent]
        yield from _symbol(body.joint, body.joint.name, (outer, body.at), (k, Pose()), measure)
        if is_ground(body):
            yield _foot(body.joint, body.at, measure)
    for loop in model.loops:
        sides = (
            (model.index[loop.first.body], loop.first.pose),
            (model.index[loop.second.body], loop.second.pose),
        )
        yield from _symbol(loop.joint, f"{loop.name}, closes a loop", *sides, measure)
        for number, pose in sides:
            if number < 0:
                yield _foot(loop.joint, pose, measure)
    for wheel in model.wheels:
        if wheel.radius > 0.0:
            at = turned(wheel.axis, wheel.center)
            size = (wheel.radius, 0.9 * measure.bar)
            name = f"{wheel.name} (wheel of {wheel.radius:g} m)"
            number = model.index[wheel.body]
            yield shape("wheel", "ring", number, at, size, colors.WHEEL, name)
    for part, law in tyres(model):
        hub, tube = part.ends[1], 0.14 * law.radius
        at = turned(law.axis, ORIGIN, hub.pose)
        name, size = f"{part.name} (tyre of {law.radius:g} m)", (law.radius - tube, tube)
        yield shape("wheel", "ring", model.index[hub.body], at, size, colors.RUBBER, name)
    for rod in model.distances:
        for end in (rod.first, rod.second):
            at = place_of(end.pose)
            number = model.index[end.body]
            name = f"{rod.name} (rod)"
            yield shape("joint", "sphere", number, at, (0.8 * measure.pin,), colors.DARK, name)


def _solids(spec: JointSpec, pin: float) -> list[Solid]:
    """What stands for a joint; the side is "first" (the parent) or "second" (the child)."""
    axis = point(spec.axes[0][:3]) if spec.axes else (0.0, 0.0, 1.0)
    match spec.kind:
        case "revolute":
            return [("cylinder", "second", axis, (pin, 3.6 * pin))]
        case "prismatic":
            return [("box", "first", axis, (2.0 * pin, 2.0 * pin, 4.0 * pin))]
        case "cylindrical" | "helical":
            return [("cylinder", "first", axis, (1.2 * pin, 5.0 * pin))]
        case "universal":
            second = point(spec.axes[1])
            arm = (0.6 * pin, 4.4 * pin)
            return [("cylinder", "first", axis, arm), ("cylinder", "second", second, arm)]
        case "spherical":
            return [("sphere", "second", axis, (1.35 * pin,))]
        case "planar":
            return [("box", "first", axis, (7.0 * pin, 7.0 * pin, 0.5 * pin))]
        case "gimbal" | "general":
            return [("box", "second", (1.0, 1.0, 1.0), (1.7 * pin,) * 3)]
    return []  # fixed and free: nothing to see


def _symbol(
    spec: JointSpec,
    title: str,
    first: tuple[int, Pose],
    second: tuple[int, Pose],
    measure: Measure,
) -> Iterator[ShapePart]:
    for kind, side, axis, size in _solids(spec, measure.pin):
        number, pose = first if side == "first" else second
        at = turned(axis, ORIGIN, pose)
        yield shape("joint", kind, number, at, size, colors.DARK, f"{title} ({spec.kind})")


def _foot(spec: JointSpec, at: Pose, measure: Measure) -> ShapePart:
    """A block of the world in which a joint sits."""
    place: Place = place_of(at)
    pin = measure.pin
    if spec.axes and any(spec.axes[0][:3]):
        place = turned(spec.axes[0][:3], ORIGIN, at)
    size = (3.4 * pin, 3.4 * pin, 2.4 * pin)
    return shape("ground", "box", -1, place, size, colors.GROUND, WORLD)


def joint_axes(model: Model) -> Iterator[AxisPart]:
    """Axes of turning and sliding, in the frame of the body that the joint carries."""
    for k, body in enumerate(model.bodies):
        for axis in body.joint.axes:
            part = axis[:3] if any(axis[:3]) else axis[3:]
            yield AxisPart(name=body.joint.name, body=k, point=ORIGIN, direction=point(part))
    for loop in model.loops:
        number, pose = model.index[loop.second.body], loop.second.pose
        R = pose.rotation
        for axis in loop.joint.axes:
            part = axis[:3] if any(axis[:3]) else axis[3:]
            along = point([sum(r * a for r, a in zip(row, part, strict=True)) for row in R])
            yield AxisPart(name=loop.name, body=number, point=pose.position, direction=along)
