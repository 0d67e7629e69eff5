"""The kinematic skeleton of a mechanism in one configuration: what a sketch must show.

Points and directions are in the world, m.  A joint is told by what it allows: directions it turns
about and directions it slides along.  Nothing here knows a picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armillary.algorithms.tree import kinematics
from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.mechanism import Mechanism
from armillary.model.constraint_parts import Contact, Distance, Loop, Surface, Wheel
from armillary.model.elements.element import ForceElement
from armillary.model.elements.tyre import Tyre
from armillary.model.elements.world import FixedWrench, PointGravity
from armillary.model.joints import kernel_joint
from armillary.model.parts import WORLD, Frame, JointSpec, Shape, own_rotation
from armillary.spatial import Motion
from armillary.viewer.elements import anchors, placed, symbols_of, tyres

_SAME = 1e-9  # directions whose cross product is smaller are one


@dataclass(frozen=True)
class Joint:
    """A joint of the tree, or one that closes a loop.

    inboard: where it sits on the parent; outboard: where it holds the body.  They differ by what
    it has slid.  turns, slides: unit directions (n, 3)."""

    name: str
    kind: str
    parent: str
    body: str
    inboard: Array
    outboard: Array
    turns: Array
    slides: Array
    axes: Array  # of the frame on the body, as columns: its wrench is told along them
    closes: bool = False

    @property
    def floats(self) -> bool:
        """It holds nothing: three displacements are free, or it glides in a plane."""
        return len(self.slides) == 3 or (len(self.slides) == 2 and len(self.turns) > 0)

    @property
    def symbol(self) -> str:
        """How textbooks draw it: pin, slide, cylindrical, screw, universal, ball, weld or other."""
        if self.kind == "helical":
            return "screw"
        counts = (len(self.turns), len(self.slides))
        if counts == (1, 1) and np.linalg.norm(np.cross(self.turns[0], self.slides[0])) < _SAME:
            return "cylindrical"
        named = {(0, 0): "weld", (1, 0): "pin", (0, 1): "slide", (2, 0): "universal"}
        return named.get(counts, "ball" if counts == (3, 0) else "other")


@dataclass(frozen=True)
class Link:
    """A body: the points that joints hold it by, and where it ends if it holds nothing else."""

    body: str
    points: Array  # (n, 3), no two the same
    center: Array  # centre of mass
    origin: Array
    axes: Array  # (3, 3), columns are the body's axes


@dataclass(frozen=True)
class Rim:
    """A wheel on its ground."""

    name: str
    body: str
    center: Array
    axis: Array
    radius: float
    contact: Array
    normal: Array


@dataclass(frozen=True)
class Rod:
    """A massless rod; or a point that is kept on a surface, which has a normal there, toward the
    side of the body (the ends coincide)."""

    name: str
    first: str
    second: str
    start: Array
    end: Array
    axes: Array  # of the second frame
    normal: Array | None = None


@dataclass(frozen=True)
class Element:
    """A force element: the places of its ends, on bodies, and what stands for it in a sketch.

    force, moment: directions (3,) of a load that is known without its size, else None."""

    name: str
    symbols: tuple[str, ...]  # see viewer/elements.py
    bodies: tuple[str, ...]
    points: Array  # (n, 3)
    axes: Array  # of the last end
    force: Array | None = None
    moment: Array | None = None


@dataclass(frozen=True)
class Skeleton:
    """All that is drawn of a mechanism at q."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    rims: tuple[Rim, ...]
    rods: tuple[Rod, ...]
    elements: tuple[Element, ...]
    frames: dict[str, tuple[Array, Array]]  # extra frames: origin, axes as columns
    up: Array  # against gravity
    placeless: frozenset[str] = frozenset()  # elements between coordinates

    @cached_property
    def points(self) -> Array:
        """Everything that must be inside the picture (n, 3)."""
        found = [link.points for link in self.links]
        found += [np.array([j.inboard, j.outboard]) for j in self.joints if not j.floats]
        found += [rim_points(rim) for rim in self.rims]
        found += [np.array([rod.start, rod.end]) for rod in self.rods]
        found += [part.points for part in self.elements]
        return np.concatenate(found) if found else np.zeros((1, 3))

    @property
    def size(self) -> float:
        """Diagonal of the box around it, m."""
        return extent(self.points)


def extent(points: Array) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


def rim_points(rim: Rim, count: int = 48) -> Array:
    """The circle of a wheel (count, 3)."""
    first, second = across(rim.axis)
    angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)[:, None]
    return rim.center + rim.radius * (np.cos(angles) * first + np.sin(angles) * second)


def across(direction: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed triple with a direction, before it."""
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = unit(np.cross(helper, direction))
    return first, np.cross(unit(direction), first)


def unit(vector: Array) -> Array:
    return vector / (np.linalg.norm(vector) or 1.0)


def skeleton(mechanism: Mechanism, q: State | None = None) -> Skeleton:
    """The skeleton at q (default: the initial configuration)."""
    if not isinstance(mechanism, Mechanism):
        raise InputError(f"draw: expected a mechanism, found {mechanism!r:.60}.")
    return _Reader(mechanism, one_configuration(mechanism, q)).skeleton()


def one_configuration(mechanism: Mechanism, q: State | None) -> Array:
    """q (nq) of a picture, checked; None: where the mechanism starts."""
    start = mechanism.initial if q is None else q
    rows, single = mechanism.evaluator.checked({"q": start})["q"]
    if not single:
        raise InputError(
            f"q: expected one configuration of {mechanism.nq} numbers, found {len(rows)} of them. "
            f"Give one row, such as q[0]."
        )
    return rows[0]


class _Reader:
    """Reads the skeleton off the poses of all bodies."""

    def __init__(self, mechanism: Mechanism, q: Array):
        self.model, self.q = mechanism.model, q
        run = mechanism.interpret(kinematics.poses, {"q": q.tolist()}, fuse=False)
        self.kernel = [np.array(b.Y.E.T.rows, float) for b in run.bodies]  # columns: axes of K
        self.poses = {WORLD: (np.zeros(3), np.eye(3))}
        for body, axes, state in zip(self.model.bodies, self.kernel, run.bodies, strict=True):
            own = np.array(own_rotation(body.joint).rows, float)  # R_BK
            self.poses[body.name] = (np.array(state.Y.r.leaves(), float), axes @ own.T)
        self.held: dict[str, list[Array]] = {name: [] for name in self.poses}  # points of bodies

    def skeleton(self) -> Skeleton:
        model = self.model
        joints = [self._joint(k, self._shift(k)) for k in range(len(model.bodies))]
        joints += [self._loop(loop) for loop in model.loops]
        rims = tuple(self._rim(wheel) for wheel in model.wheels)
        rims += tuple(self._tyre(part, law) for part, law in tyres(model))
        pairs: list[Distance | Contact] = [*model.distances, *model.contacts]
        rods = tuple(self._rod(p.name, p.first, p.second) for p in pairs)
        rods += tuple(self._on_surface(part) for part in model.surfaces)
        frames = {f.name: self._frame(f) for f in model.frames}
        for frame in model.frames:
            self.held[frame.body].append(frames[frame.name][0])
        elements = tuple(self._element(part) for part in placed(model))
        placeless = frozenset(part.name for part in model.elements if not part.ends)
        links = self._links()
        gravity = np.array(model.gravity, float)
        up = unit(-gravity) if gravity.any() else np.array([0.0, 0.0, 1.0])
        return Skeleton(
            name=model.name,
            links=links,
            joints=tuple(joints),
            rims=rims,
            rods=rods,
            elements=elements,
            frames=frames,
            up=up,
            placeless=placeless,
        )

    def _frame(self, frame: Frame) -> tuple[Array, Array]:
        origin, axes = self.poses[frame.body]
        position, rotation = np.array(frame.pose.position), np.array(frame.pose.rotation)
        return origin + axes @ position, axes @ rotation

    def _shift(self, k: int) -> Array:
        """How far along its axis a hinge is drawn from the body's origin, if the next hinge sits
        there too: to where the body ends.  Every point of the axis is as good."""
        body = self.model.bodies[k]
        if body.joint.kind != "revolute":
            return np.zeros(3)
        origin, axes = self.poses[body.name]
        axis = axes @ np.array(body.joint.axes[0])
        along = 2.0 * float(np.array(body.mass.com) @ np.array(body.joint.axes[0]))
        crowded = any(
            other.parent == body.name
            and other.joint.kind == "revolute"
            and np.linalg.norm(self.poses[other.name][0] - origin) < 0.05 * abs(along)
            for other in self.model.bodies[k + 1 :]
        )
        return along * axis if crowded else np.zeros(3)

    def _joint(self, k: int, shift: Array) -> Joint:
        body = self.model.bodies[k]
        inboard = self._frame(Frame("", body.parent, body.at))[0] + shift
        outboard = self.poses[body.name][0] + shift
        joint, slot = self.model.joints[k], self.model.slots[k]
        turns, slides = directions(joint.motion_space(self.q[slot.q].tolist()), self.kernel[k])
        found = Joint(
            name=body.joint.name,
            kind=body.joint.kind,
            parent=body.parent,
            body=body.name,
            inboard=inboard,
            outboard=outboard,
            turns=turns,
            slides=slides,
            axes=self.poses[body.name][1],
        )
        if not found.floats:
            self.held[body.parent].append(inboard)
            self.held[body.name].append(outboard)
        return found

    def _loop(self, loop: Loop) -> Joint:
        (start, first), (end, second) = self._frame(loop.first), self._frame(loop.second)
        turns, slides = _loop_directions(loop.joint, first, second)
        self.held[loop.first.body].append(start)
        self.held[loop.second.body].append(end)
        return Joint(
            name=loop.name,
            kind=loop.joint.kind,
            parent=loop.first.body,
            body=loop.second.body,
            inboard=start,
            outboard=end,
            turns=turns,
            slides=slides,
            axes=second,
            closes=True,
        )

    def _rim(self, wheel: Wheel) -> Rim:
        origin, axes = self.poses[wheel.body]
        _, ground = self.poses[wheel.ground]
        center, axis = origin + axes @ np.array(wheel.center), axes @ np.array(wheel.axis)
        normal = ground @ np.array(wheel.normal)
        down = normal if wheel.kind != "disc" else unit(normal - normal.dot(axis) * axis)
        self.held[wheel.body].append(center)
        contact = center - wheel.radius * down
        return Rim(wheel.name, wheel.body, center, unit(axis), wheel.radius, contact, normal)

    def _tyre(self, part: ForceElement, law: Tyre) -> Rim:
        """The rim of a tyre, on its road where it is near."""
        (center, axes), (origin, ground) = self._frame(part.ends[1]), self._frame(part.ends[0])
        axis, spot = axes @ np.array(law.axis), ground.T @ (center - origin)
        place = law.road.at(float(spot[0]), float(spot[1]))
        normal = ground @ np.array(list(place.normal), float)
        down = unit(normal - normal.dot(axis) * axis)
        above = normal.dot(center - origin) - normal.dot(ground @ [*spot[:2], float(place.z)])
        near = min(max(float(above / max(normal.dot(down), 0.1)), 0.0), law.radius)
        self.held[part.ends[1].body].append(center)
        name, body = part.name, part.ends[1].body
        return Rim(name, body, center, unit(axis), law.radius, center - near * down, normal)

    def _rod(self, name: str, first: Frame, second: Frame) -> Rod:
        (start, _), (end, axes) = self._frame(first), self._frame(second)
        self.held[first.body].append(start)
        self.held[second.body].append(end)
        return Rod(name, first.body, second.body, start, end, axes)

    def _on_surface(self, part: Surface) -> Rod:
        (origin, ground), (spot, axes) = self._frame(part.first), self._frame(part.second)
        self.held[part.second.body].append(spot)
        normal = ground[:, 2]
        if part.shape in ("sphere", "cylinder"):
            normal = spot - origin
            if part.shape == "cylinder":
                normal = normal - ground[:, 2] * (normal @ ground[:, 2])
        inside = (self.poses[part.second.body][0] - spot) @ normal < 0.0
        normal = unit(-normal if inside else normal)
        return Rod(part.name, part.first.body, part.second.body, spot, spot, axes, normal)

    def _element(self, part: ForceElement) -> Element:
        places = anchors(part)
        points = np.array([self._frame(end)[0] for end in places])
        for place, spot in zip(places, points, strict=True):
            self.held[place.body].append(spot)
        (start, first), (end, axes) = self._frame(part.ends[0]), self._frame(part.ends[-1])
        force = moment = None
        if isinstance(part.law, FixedWrench):
            force, moment = (first @ np.array(x) for x in (part.law.force, part.law.moment))
        elif isinstance(part.law, PointGravity):
            force = start - end
        force, moment = (None if x is None or not x.any() else unit(x) for x in (force, moment))
        bodies = tuple(place.body for place in places)
        return Element(part.name, symbols_of(part), bodies, points, axes, force, moment)

    def _links(self) -> tuple[Link, ...]:
        every = [p for points in self.held.values() for p in points]
        near = 1e-3 * extent(np.array(every)) if every else 1e-3
        links = []
        for body in self.model.bodies:
            origin, axes = self.poses[body.name]
            center = origin + axes @ np.array(body.mass.com)
            points = _different(self.held[body.name], near)
            rolls = any(wheel.body == body.name for wheel in self.model.wheels)
            if len(points) < 2 and not rolls:
                start = points[0] if points else origin
                end = _far_end(body.shapes, origin, axes, start)
                if end is None:
                    end = start + 2.0 * (center - start)  # a uniform rod's
                points = _different([start, end], near)
            links.append(Link(body.name, np.array(points or [origin]), center, origin, axes))
        return tuple(links)


def directions(columns: Iterable[Motion], axes: Array) -> tuple[Array, Array]:
    """Unit directions in the world of the motions S a joint allows: turns and slides."""
    turns, slides = [], []
    for column in columns:
        leaves = np.array([float(x) for x in column.leaves()])
        angular, linear = axes @ leaves[:3], axes @ leaves[3:]
        if angular.any():
            turns.append(unit(angular))
        else:
            slides.append(unit(linear))
    return np.array(turns).reshape(-1, 3), np.array(slides).reshape(-1, 3)


def _loop_directions(spec: JointSpec, first: Array, second: Array) -> tuple[Array, Array]:
    """Of a joint that closes a loop: its motions at q = 0, in the second frame."""
    if spec.kind == "universal":
        axes = np.array(spec.axes, float)
        return np.array([first @ axes[0], second @ axes[1]]), np.zeros((0, 3))
    joint = kernel_joint(spec)
    columns = joint.motion_space(joint.neutral())
    own = np.array(own_rotation(spec).rows, float)
    return directions(columns, second @ own)


def _different(points: Sequence[Array], near: float) -> list[Array]:
    """Points that are further apart than `near`, in order."""
    kept: list[Array] = []
    for point in points:
        if all(np.linalg.norm(point - other) > near for other in kept):
            kept.append(point)
    return kept


def _far_end(shapes: Sequence[Shape], origin: Array, axes: Array, start: Array) -> Array | None:
    """The end of the longest shape that is farther from the joint, or None."""
    ends = []
    for shape in (one.surrounding for one in shapes):
        if shape.kind not in ("box", "cylinder", "capsule") or not shape.size:
            continue
        lengths = np.zeros(3)
        if shape.kind == "box":
            lengths[:] = shape.size
        else:
            lengths[2] = shape.size[1]
        along = np.zeros(3)
        along[int(np.argmax(lengths))] = 0.5 * lengths.max()
        middle, turned = np.array(shape.pose.position), np.array(shape.pose.rotation)
        pair = [origin + axes @ (middle + s * (turned @ along)) for s in (1.0, -1.0)]
        ends.append(max(pair, key=lambda p: float(np.linalg.norm(p - start))))
    return max(ends, key=lambda p: float(np.linalg.norm(p - start)), default=None)
