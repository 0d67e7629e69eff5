"""Force elements at a state: wrenches on the bodies, stored energy, and how both change.

Ends are seen from the nearest body that carries all of them: what is common to them drops out.
Points go inward along the path, p' = E^T p + r with their velocities, and forces go outward again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from armillary.algorithms.passes import Record
from armillary.model.elements.element import Ends
from armillary.model.lowering.elements import KernelElement
from armillary.scalar import Dual, Scalar
from armillary.spatial import Force, Motion, Transform, Vector

Coordinates = Sequence[Sequence[Scalar]]  # of every joint


class MovingTree:
    """Joint transforms of a tree at one state; body -1 is the world.  bodies: their records."""

    def __init__(
        self,
        bodies: Sequence[Record],
        parents: Sequence[int],
        q: Coordinates,
        v: Coordinates,
        turns: dict[int, Transform] | None = None,
        rates: dict[int, Motion] | None = None,
    ):
        """turns, rates: what is known of some bodies already."""
        self.bodies, self.parents, self.q, self.v = bodies, parents, q, v
        self._turns, self._rates = turns or {}, rates or {}

    def moved(self, body: int, q: Sequence[Scalar], v: Sequence[Scalar]) -> MovingTree:
        """The same with one joint elsewhere; what does not depend on it is shared."""
        places, rates = list(self.q), list(self.v)
        places[body], rates[body] = q, v
        turns = {k: X for k, X in self._turns.items() if k != body}
        known = {k: x for k, x in self._rates.items() if k != body}
        return MovingTree(self.bodies, self.parents, places, rates, turns, known)

    def turn(self, body: int) -> Transform:
        """From the joint's place to the body."""
        if body not in self._turns:
            self._turns[body] = self.bodies[body].joint.transform(self.q[body])
        return self._turns[body]

    def rate(self, body: int) -> Motion:
        """Velocity of the body relative to its parent, in its frame."""
        if body not in self._rates:
            joint = self.bodies[body].joint
            self._rates[body] = joint.motion_space(self.q[body]) @ self.v[body]
        return self._rates[body]

    def path(self, body: int, top: int) -> list[int]:
        """The body and all that carry it, up to but without `top`."""
        found = []
        while body != top:
            found.append(body)
            body = self.parents[body]
        return found

    def meeting(self, bodies: Sequence[int]) -> int:
        """The nearest body that carries all of these."""
        ways = [[*self.path(body, -1), -1] for body in bodies]
        return next(k for k in ways[0] if all(k in way for way in ways[1:]))


class PathEnd:
    """An end of an element (`End`) at the tip of a path of joints from the observer."""

    def __init__(self, tree: MovingTree, body: int, X_FK: Transform, top: int):
        self.tree, self.body, self.X_FK = tree, body, X_FK
        self.path = tree.path(body, top)
        self.wrench = Force.zero()  # on the body, in its kernel frame at its origin

    @cached_property
    def position(self) -> Vector:
        p = self.X_FK.r
        for k in self.path:
            for X in (self.tree.turn(k), self.tree.bodies[k].placement):
                p = X.E.T @ p + X.r
        return p

    @cached_property
    def velocity(self) -> Vector:
        p, u = self.X_FK.r, Vector()
        for k in self.path:
            rate = self.tree.rate(k)
            u = u + rate.linear + rate.angular.cross(p)
            for X in (self.tree.turn(k), self.tree.bodies[k].placement):
                p, u = X.E.T @ p + X.r, X.E.T @ u
        return u

    @cached_property
    def X(self) -> Transform:
        X = Transform.identity()
        for k in reversed(self.path):
            X = self.tree.turn(k) @ (self.tree.bodies[k].placement @ X)
        return self.X_FK @ X

    @cached_property
    def motion(self) -> Motion:
        v = Motion.zero()
        for k in reversed(self.path):
            v = self.tree.turn(k) @ (self.tree.bodies[k].placement @ v) + self.tree.rate(k)
        return self.X_FK @ v

    def push(self, f: Vector) -> None:
        for k in reversed(self.path):
            f = self.tree.turn(k).E @ (self.tree.bodies[k].placement.E @ f)
        self.wrench = self.wrench + Force(self.X_FK.r.cross(f), f)

    def twist(self, f: Force) -> None:
        self.wrench = self.wrench + self.X_FK.T @ f


class JointEnd:
    """A coordinate of a joint (`CoordinateEnd`); body -1: it is held at a place."""

    def __init__(self, tree: MovingTree, body: int, number: int, held: Scalar):
        self.body, self.number = body, number
        self.path = [] if body < 0 else [body]
        self.place = held if body < 0 else tree.q[body][number]
        self.rate = 0 if body < 0 else tree.v[body][number]
        self.force: Scalar = 0

    def drive(self, force: Scalar) -> None:
        self.force = self.force + force


def ends_of(element: KernelElement, tree: MovingTree) -> list[PathEnd | JointEnd]:
    """Its frames, or its coordinates."""
    if element.coordinates:
        own = zip(element.coordinates, element.held, strict=True)
        return [JointEnd(tree, body, number, held) for (body, number), held in own]
    top = tree.meeting(element.bodies)
    pairs = zip(element.bodies, element.places, strict=True)
    return [PathEnd(tree, body, X, top) for body, X in pairs]


def acting(element: KernelElement, tree: MovingTree) -> list[PathEnd | JointEnd]:
    """Its ends, with the wrenches on them."""
    ends = ends_of(element, tree)
    element.act(ends)
    return ends


READINGS = 10  # numbers


def reading(element: KernelElement, ends: Ends) -> list[Scalar]:
    """The wrench on the last end, in its frame at its origin (6; none between coordinates), force,
    position and rate along the element's own coordinate, and its power on the mechanism (W).  ends:
    they keep the wrenches, or the forces along coordinates, that act on them."""
    element.act(ends)
    power: Scalar = 0
    wrench = Force.zero()
    for end in ends:
        if element.coordinates:
            power = power + end.rate * end.force
        else:
            power = power + (end.X_FK.inverse() @ end.motion).dot(end.wrench)
            wrench = end.X_FK.force(end.wrench)
    return [*wrench.leaves(), *element.law.readings(ends), power]


def add_wrenches(
    elements: Sequence[KernelElement], tree: MovingTree, joints: Sequence[Record]
) -> None:
    """To the external wrench of every body, and to what drives every joint (`driven`)."""
    for element in elements:
        for end in acting(element, tree):
            if end.body < 0:
                continue
            joint = joints[end.body]
            if isinstance(end, JointEnd):
                driven = list(joint.driven)
                driven[end.number] = driven[end.number] + end.force
                joint.driven = tuple(driven)
            else:
                joint.external = joint.external + end.wrench


def driven_resistance(
    resistance: Callable[..., Sequence[Scalar]], driven: Sequence[Scalar]
) -> Callable[..., tuple[Scalar, ...]]:
    """What a drive needs against friction and springs of its joint, where elements between
    coordinates drive it, too."""

    def total(*state: object) -> tuple[Scalar, ...]:
        return tuple(r - f for r, f in zip(resistance(*state), driven, strict=True))

    return total


def stored(elements: Sequence[KernelElement], tree: MovingTree) -> Scalar:
    """Energy of all elements, J."""
    total: Scalar = 0
    for element in elements:
        total = total + element.potential(ends_of(element, tree))
    return total


def readings(elements: Sequence[KernelElement], tree: MovingTree) -> list[list[Scalar]]:
    """`reading` of every element."""
    return [reading(element, ends_of(element, tree)) for element in elements]


def shown(elements: Sequence[KernelElement], tree: MovingTree) -> list[list[Scalar]]:
    """What tyres say of themselves; zeros of all other elements."""
    return [list(element.law.outputs(ends_of(element, tree))) for element in elements]


# -- derivatives ---------------------------------------------------------------------------------

Entry = tuple[int, int, Scalar, Scalar]  # (row, column) of the matrices, d/dq and d/dv


def slopes(
    elements: Sequence[KernelElement], tree: MovingTree, offsets: Sequence[int]
) -> Iterator[Entry]:
    """How the generalised forces of the elements change with q (on its tangent space) and v,
    where the wrenches are held fast in their bodies' frames: what passes that take wrenches as
    given leave out.  By dual numbers along the paths.  offsets: of the bodies in v."""
    for element in elements:
        for body in sorted({k for end in ends_of(element, tree) for k in end.path}):
            joint, q, v = tree.bodies[body].joint, tree.q[body], tree.v[body]
            for k in range(joint.nv):
                unit = tuple(1 if i == k else 0 for i in range(joint.nv))
                turned = tree.moved(body, _dual(q, joint.rate(q, unit)), v)
                pushed = tree.moved(body, q, _dual(v, unit))
                by_q, by_v = (_pushed(element, x, tree, offsets) for x in (turned, pushed))
                for row in sorted({*by_q, *by_v}):
                    yield row, offsets[body] + k, by_q.get(row, 0), by_v.get(row, 0)


def _dual(values: Sequence[Scalar], rates: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """Numbers with slopes; what does not move stays plain."""
    pairs = zip(values, rates, strict=True)
    return tuple(x if type(s) is int and s == 0 else Dual(x, s) for x, s in pairs)


def _pushed(
    element: KernelElement, moved: MovingTree, tree: MovingTree, offsets: Sequence[int]
) -> dict[int, Scalar]:
    """Generalised forces, by degree of freedom, of how the wrenches of an element change.

    All the way to the root: actio and reactio stay opposite as seen by the observer, so their
    changes, each in the frame of its body, do not cancel in the joints below."""
    total: dict[int, Scalar] = {}
    for end in acting(element, moved):
        if isinstance(end, JointEnd):
            if end.body >= 0 and isinstance(end.force, Dual):
                row = offsets[end.body] + end.number
                total[row] = end.force.slope
            continue
        f = Force.from_leaves([x.slope if isinstance(x, Dual) else 0 for x in end.wrench.leaves()])
        if not all(type(x) is int and x == 0 for x in f.leaves()):
            _add_along(total, f, tree, tree.path(end.body, -1), offsets)
    return total


def _add_along(
    total: dict[int, Scalar],
    f: Force,
    tree: MovingTree,
    path: Sequence[int],
    offsets: Sequence[int],
) -> None:
    """What a wrench on the first body of a path does along its joints."""
    for k in path:
        b = tree.bodies[k]
        for n, s in enumerate(b.joint.motion_space(tree.q[k])):
            total[offsets[k] + n] = total.get(offsets[k] + n, 0) + s.dot(f)
        f = b.placement.T @ (tree.turn(k).T @ f)


def joint_forces(
    ends: Sequence[PathEnd | JointEnd], tree: MovingTree, offsets: Sequence[int]
) -> dict[int, Scalar]:
    """Generalised forces, by degree of freedom, of what acts on the ends of an element.

    Up to the body that carries them all: below it actio and reactio cancel."""
    total: dict[int, Scalar] = {}
    for end in ends:
        if isinstance(end, PathEnd):
            _add_along(total, end.wrench, tree, end.path, offsets)
        elif end.body >= 0:
            row = offsets[end.body] + end.number
            total[row] = end.force
    return total
