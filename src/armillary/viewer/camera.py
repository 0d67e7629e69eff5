"""Where to look: bounds of what there is to see, directions of view, level ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from armillary.model.model import Model
from armillary.model.parts import WORLD, Pose
from armillary.model.roads.plane import Plane
from armillary.model.roads.road import Road
from armillary.viewer.elements import tyres
from armillary.viewer.motion import Motion
from armillary.viewer.places import Array, point
from armillary.viewer.schema import Camera, GroundPart, Point, ViewPart

_LOOKS = 60  # instants at which bounds are taken
_TRAVEL = 1.5  # a mechanism is followed where all its motion takes so much more room
_PARALLEL = 1e-6
_HOLDING = ("fixed", "revolute", "universal", "spherical")


@dataclass(frozen=True)
class Bounds:
    """Corners of everything."""

    low: Array
    high: Array
    size: float  # m, radius of the mechanism, the median over time
    reach: float  # m, of everything from the middle of the corners
    start: Array  # middle of the mechanism at the first instant
    rows: Array  # instants at which bounds were taken
    cloud: Array  # (rows, n, 3) m, points of the mechanism there, without the world


def bounds(
    model: Model,
    moving: Motion,
    places: dict[int, list[Point]],
    meshes: Mapping[int, list[Point]] = MappingProxyType({}),
) -> Bounds:
    """Joints, anchors, shapes, centres of mass, frames and wheels count, and corners of meshes."""
    rows = np.unique(np.linspace(0, len(moving.time) - 1, _LOOKS).astype(int))
    clouds = []
    for k, body in enumerate(model.bodies):
        local = [(0.0, 0.0, 0.0), *places[k], body.mass.com, *_corners(model, k)]
        local += meshes.get(k, [])
        if body.joint.kind == "free" and len(local) > 2:
            local = local[1:]
        world = np.einsum("tij,nj->tni", moving.R[rows, k], np.array(local))
        clouds.append(world + moving.p[rows, k, None])
    cloud = np.concatenate(clouds, axis=1) if clouds else np.zeros((1, 1, 3))
    low, high = cloud.min(axis=1), cloud.max(axis=1)  # of the mechanism at every instant
    size = float(np.median(np.linalg.norm(high - low, axis=1))) / 2.0
    start = (low[0] + high[0]) / 2.0
    everything = cloud
    if here := places[-1]:  # where it stands on the world
        stands = np.broadcast_to(np.array(here), (len(cloud), len(here), 3))
        everything = np.concatenate([cloud, stands], axis=1)
    lowest, highest = everything.min(axis=(0, 1)), everything.max(axis=(0, 1))
    reach = _reach(everything, (lowest + highest)[None] / 2.0)
    return Bounds(lowest, highest, size or 1.0, reach or 1.0, start, rows, cloud)


def _reach(cloud: Array, center: Array) -> float:
    """The largest distance of points (T, n, 3) from a centre (T or 1, 3)."""
    return float(np.linalg.norm(cloud - center[:, None], axis=-1).max())


def _corners(model: Model, k: int) -> list[Point]:
    """Ends of the shapes of a body, in its frame; of meshes the pose alone."""
    found: list[Point] = []
    body = model.bodies[k]
    for shape in (one.surrounding for one in body.shapes):
        R, p = np.array(shape.pose.rotation), np.array(shape.pose.position)
        half = {
            "box": [x / 2.0 for x in shape.size[:3]],
            "sphere": list(shape.size[:1]) * 3,
            "cylinder": [*list(shape.size[:1]) * 2, *(x / 2.0 for x in shape.size[1:2])],
            "capsule": [*list(shape.size[:1]) * 2, *(x / 2.0 for x in shape.size[1:2])],
        }.get(shape.kind, [0.0, 0.0, 0.0])
        signs = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
        found += [point(p + R @ (s * np.array(half))) for s in signs]
    for wheel in model.wheels:
        if model.index[wheel.body] == k:
            found += [
                point(np.array(wheel.center) + wheel.radius * np.array(d))
                for d in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
            ]
    for part, law in tyres(model):
        if model.index[part.ends[1].body] == k:
            center = np.array(part.ends[1].pose.position)
            found += [point(center + law.radius * s * d) for d in np.eye(3) for s in (1.0, -1.0)]
    return found


def up_of(model: Model) -> Point:
    """Against gravity; z where there is none."""
    g = np.array(model.gravity)
    length = float(np.linalg.norm(g))
    return point(-g / length + 0.0) if length > 0.0 else (0.0, 0.0, 1.0)


def camera_of(model: Model, moving: Motion, around: Bounds) -> Camera:
    """A machine that stays is seen whole over all its motion; one that travels is followed."""
    heaviest = max(range(len(model.bodies)), key=lambda k: model.bodies[k].mass.mass, default=-1)
    center, radius, follow = (around.low + around.high) / 2.0, around.reach, -1
    if heaviest >= 0 and not held(model):
        near = seen_from(heaviest, moving, around)
        if around.reach > _TRAVEL * near:
            center, radius, follow = around.start, near, heaviest
    return Camera(
        center=point(center), radius=max(radius, 1e-9), follow=follow, views=_views(model, moving)
    )


def seen_from(body: int, moving: Motion, around: Bounds) -> float:
    """How far from the origin of a body the mechanism ever reaches, m."""
    return _reach(around.cloud, moving.p[around.rows, body])


def held(model: Model) -> bool:
    """Whether a joint holds a place of the mechanism on the world: it cannot travel."""
    ends = [(body.parent, body.joint.kind) for body in model.bodies]
    ends += [(end.body, p.joint.kind) for p in model.loops for end in (p.first, p.second)]
    return any(body == WORLD and kind in _HOLDING for body, kind in ends)


def _views(model: Model, moving: Motion) -> tuple[ViewPart, ...]:
    """Along the axis of a planar mechanism, else from a corner; then front, side and top."""
    up = np.array(up_of(model))
    across = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = across - across.dot(up) * up
    right /= np.linalg.norm(right)
    front = np.cross(right, up)  # towards the viewer of the front: x to the right
    axis = planar_axis(model, moving)
    corner = 0.75 * right + front + 0.62 * up
    if axis is not None and abs(axis.dot(up)) < 0.5:
        towards = axis if axis.dot(front) >= -1e-9 else -axis
        corner = towards + 0.22 * np.cross(up, towards) + 0.16 * up
        front = towards
        right = np.cross(up, towards)
    named = (("corner", corner, up), ("front", front, up), ("side", right, up), ("top", up, -front))
    return tuple(
        ViewPart(name=name, direction=point(d / np.linalg.norm(d)), up=point(u))
        for name, d, u in named
    )


def planar_axis(model: Model, moving: Motion) -> Array | None:
    """The common direction of all turning axes at the first instant, world axes; else None."""
    axes = [
        moving.R[0, k] @ np.array(body.joint.axes[0])
        for k, body in enumerate(model.bodies)
        if body.joint.kind == "revolute"
    ]
    others = {b.joint.kind for b in model.bodies} - {"revolute", "prismatic", "fixed"}
    if not axes or others:
        return None
    same = all(np.linalg.norm(np.cross(axes[0], axis)) < _PARALLEL for axis in axes)
    return axes[0] if same else None


def _planes(road: Road) -> list[tuple[Point, float]]:
    """Normal of an even road, and its distance from the origin along it."""
    if not isinstance(road, Plane):
        return []
    n = np.array(list(road.at(0.0, 0.0).normal), float)
    return [(point(n), float(n[2] * road.height))]


def ground_of(model: Model, around: Bounds) -> tuple[GroundPart, ...]:
    """The level planes that wheels roll on; else one below everything."""
    planes = {(wheel.normal, wheel.height) for wheel in model.wheels if wheel.ground == WORLD}
    on_world = [
        x for x in tyres(model) if (x[0].ends[0].body, x[0].ends[0].pose) == (WORLD, Pose())
    ]
    fixed = [law for _, law in on_world]
    planes |= {plane for law in fixed for plane in _planes(law.road)}
    found = [GroundPart(point=point(np.array(n) * h), normal=n) for n, h in sorted(planes)]
    if found:
        return tuple(found)
    up = np.array(up_of(model))
    corners = np.array([around.low, around.high])
    lowest = float(np.minimum(*(corners * up)).sum())
    floating = any(body.joint.kind == "free" for body in model.bodies) and not model.constraints
    if floating:
        return ()
    middle = (around.low + around.high) / 2.0
    drop = 0.04 * around.size
    return (
        GroundPart(point=point(middle + (lowest - drop - middle.dot(up)) * up), normal=point(up)),
    )
