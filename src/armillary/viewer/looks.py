"""What the bodies of a mechanism look like: their shapes, or links drawn from the kinematics.

A body without shapes is drawn as bars from its joint to every place where something else hangs on
it; a body with shapes has these bars as its skeleton, which the page can show instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armillary.model.constraint_parts import Contact, Distance, Loop, Surface
from armillary.model.model import Model
from armillary.model.parts import WORLD, Body, Mass, Shape
from armillary.viewer import colors, solids
from armillary.viewer.elements import anchors
from armillary.viewer.places import ORIGIN, Array, place_at, place_of, point, quaternions, turned
from armillary.viewer.schema import Color, Place, Point, ShapePart, TiePart

_SLIDING = ("prismatic", "cylindrical", "helical", "planar", "gimbal", "general")

MeshFinder = Callable[[Shape, str], list[ShapePart]]


@dataclass(frozen=True)
class Measure:
    """Lengths of a picture, m."""

    size: float  # of the mechanism
    bar: float  # radius of a link
    pin: float  # radius of a joint symbol

    @classmethod
    def of(cls, size: float, typical: float) -> Measure:
        """size: of the mechanism; typical: length of its links."""
        bar = min(max(min(0.011 * size, 0.07 * typical), 0.0008 * size), 0.02 * size)
        return cls(size, bar, 1.7 * bar)


def attached(model: Model) -> dict[int, list[Point]]:
    """The places of every body (-1: the world), in its own frame, where something hangs on it."""
    places: dict[int, list[Point]] = {k: [] for k in range(-1, len(model.bodies))}
    for body in model.bodies:
        if body.joint.kind != "free":
            places[model.index[body.parent]].append(body.at.position)
    parts: list[Loop | Distance | Surface | Contact] = [*model.loops, *model.distances]
    for part in [*parts, *model.surfaces, *model.contacts]:
        for end in (part.first, part.second):
            places[model.index[end.body]].append(end.pose.position)
    for wheel in model.wheels:
        places[model.index[wheel.body]].append(wheel.center)
    for end in (*model.frames, *(end for part in model.elements for end in anchors(part))):
        places[model.index[end.body]].append(end.pose.position)
    return places


def typical_length(model: Model, places: dict[int, list[Point]]) -> float:
    """Median distance between the joints of a body; 0 where there is none."""
    lengths = [float(np.linalg.norm(p)) for k, some in places.items() if k >= 0 for p in some]
    lengths = [x for x in lengths if x > 1e-9] or [
        float(np.linalg.norm(body.mass.com)) for body in model.bodies
    ]
    lengths = [x for x in lengths if x > 1e-9]
    return float(np.median(lengths)) if lengths else 0.0


def bar(
    role: str,
    body: int,
    a: Sequence[float],
    b: Sequence[float],
    radius: float,
    color: Color,
    name: str,
) -> ShapePart | None:
    """A round bar from a to b; None where they are one place."""
    start, along = np.asarray(a, float), np.subtract(b, a)
    length = float(np.linalg.norm(along))
    if length < 1e-9:
        return None
    at = turned(point(along), point(start + along / 2.0))
    return shape(role, "cylinder", body, at, (radius, length), color, name)


def shape(
    role: str, kind: str, body: int, at: Place, size: tuple[float, ...], color: Color, name: str
) -> ShapePart:
    fields = {"role": role, "kind": kind, "body": body, "at": at, "size": size}
    return ShapePart.model_validate({**fields, "color": color, "name": name})


def skeleton(
    model: Model, k: int, places: Sequence[Point], measure: Measure, role: str
) -> Iterator[ShapePart]:
    """Bars of a body from its joint, of a free one from the middle, to what hangs on it."""
    body = model.bodies[k]
    color = colors.body_color(k)
    ends = [p for p in dict.fromkeys(places) if np.linalg.norm(p) > 1e-9]
    start = np.zeros(3)
    if body.joint.kind == "free":
        start = np.mean(places, axis=0) if len(places) > 1 else np.asarray(body.mass.com)
    elif not ends and np.linalg.norm(body.mass.com) > 1e-9:
        ends = [point(2.0 * np.asarray(body.mass.com))]  # the centre of a bar is half way
    name = body.name
    bars = [bar(role, k, point(start), end, measure.bar, color, name) for end in ends]
    yield from (x for x in bars if x is not None)
    if not any(bars):
        size = (2.2 * measure.bar,)
        yield shape(role, "sphere", k, place_at(start), size, color, name)


def solid_shapes(body: Body, k: int, mesh: MeshFinder) -> list[ShapePart]:
    """The visible shapes of a body; where it has none, those that collide."""
    chosen = [s for s in body.shapes if s.role == "visual"] or list(body.shapes)
    found: list[ShapePart] = []
    for one in chosen:
        if one.kind in ("mesh", *solids.KINDS):
            found += mesh(one, body.name)
        else:
            color = one.color or colors.PLAIN
            found.append(
                shape("shape", one.kind, k, place_of(one.pose), one.size, color, body.name)
            )
    return found


def ties(model: Model, measure: Measure) -> Iterator[TiePart]:
    """Rods of constant length, and the bar along a slide."""
    for k, body in enumerate(model.bodies):
        if body.joint.kind in _SLIDING and body.joint.kind not in ("planar", "general"):
            ends = (model.index[body.parent], k), (body.at.position, ORIGIN)
            name = f"{body.joint.name} ({body.joint.kind})"
            yield tie(name, "bar", "joint", *ends, 0.55 * measure.bar, colors.DARK)
    for rod in model.distances:
        ends = (
            (model.index[rod.first.body], model.index[rod.second.body]),
            (rod.first.pose.position, rod.second.pose.position),
        )
        yield tie(f"{rod.name} (rod)", "bar", "link", *ends, 0.8 * measure.bar, colors.PLAIN)


def tie(
    name: str,
    kind: str,
    role: str,
    bodies: tuple[int, int],
    points: tuple[Point, Point],
    radius: float,
    color: Color,
    length: float = 0.0,
) -> TiePart:
    fields = {"name": name, "kind": kind, "role": role, "bodies": bodies, "points": points}
    return TiePart.model_validate({**fields, "radius": radius, "length": length, "color": color})


def masses(model: Model, measure: Measure) -> Iterator[ShapePart]:
    """Centres of mass, and the solid ellipsoid with the mass and the tensor of each body."""
    heavy = [(k, body) for k, body in enumerate(model.bodies) if body.mass.mass > 0.0]
    if not heavy:
        return
    halves, turns = ellipsoids([body.mass for _, body in heavy])
    for (k, body), half, turn in zip(heavy, halves, turns.tolist(), strict=True):
        mass = body.mass
        name = f"centre of mass of {body.name}, {mass.mass:.4g} kg"
        yield shape("com", "sphere", k, place_at(mass.com), (1.15 * measure.pin,), colors.COM, name)
        if half.max() > 0.0:
            x, y, z, w = turn
            at = (*mass.com, x, y, z, w)
            size = point(np.maximum(half, 1e-3 * half.max()))
            name = f"inertia of {body.name} as a solid ellipsoid"
            yield shape("inertia", "ellipsoid", k, at, size, colors.INERTIA, name)


def ellipsoids(masses: Sequence[Mass]) -> tuple[Array, Array]:
    """Half axes (n, 3) and quaternions (n, 4) of the solid ellipsoids with these tensors about
    their centres: I_x = m (b² + c²) / 5."""
    tensors = np.array([mass.tensor for mass in masses])
    moments, R = np.linalg.eigh(tensors[:, [[0, 3, 4], [3, 1, 5], [4, 5, 2]]])
    R[np.linalg.det(R) < 0.0, :, 2] *= -1.0
    weights = np.array([mass.mass for mass in masses])[:, None]
    squares = 2.5 / weights * (moments.sum(axis=1, keepdims=True) - 2.0 * moments)
    return np.sqrt(np.maximum(squares, 0.0)), quaternions(R)


def is_ground(body: Body) -> bool:
    """Whether a body stands on the world by a joint that holds it."""
    return body.parent == WORLD and body.joint.kind != "free"
