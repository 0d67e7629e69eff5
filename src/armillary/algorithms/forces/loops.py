"""Force elements in loops over bodies: where the bodies are and how they move is kept in their
records, elements read those of their ends and add to what pushes there.

Seen from the world here, not from the body that carries all ends: loops have no paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from armillary.algorithms.passes import Algorithm, Base, ElementStep, Inward, Outward, Record
from armillary.model.lowering.elements import KernelElement
from armillary.scalar import Scalar
from armillary.spatial import Force, Motion, Product, Transform, Vector

MOST_BODIES = 4  # at the ends of an element
MOST_COORDINATES = 6  # of a joint
PLACE, MOTION, PUSH = "place_W", "motion_W", "pushed"  # X_BW, (ω; v) in the body, wrench on it
# coordinates of the joint and their rates, and the forces along them, as elements between
# coordinates see them: six numbers each, whatever the joint
JOINT_PLACE, JOINT_RATE, DRIVEN = "joint_place", "joint_rate", "driven"
FIELDS = (PLACE, MOTION, PUSH, JOINT_PLACE, JOINT_RATE, DRIVEN)


def carry(rate: str, coordinates: bool) -> Outward:
    """Poses and velocities relative to the world frame, whatever that does."""

    def step(b: Record, p: Record, j: Record) -> None:
        if coordinates:
            nv = b.joint.nv
            b.joint_place = _six(j.q if len(j.q) == nv else ())
            b.joint_rate, b.driven = _six(getattr(j, rate)), Motion.zero()
        X = Product(b.joint.transform(j.q), b.placement)
        b.place_W = X @ p.place_W
        b.motion_W = X @ p.motion_W + b.joint.motion_space(j.q) @ getattr(j, rate)
        b.pushed = Force.zero()

    return Outward(step)


def _six(numbers: Sequence[Scalar]) -> Motion:
    return Motion.from_leaves([*numbers, *(0,) * (MOST_COORDINATES - len(numbers))])


@cache
def with_elements(algorithm: Algorithm, coordinates: bool) -> Algorithm:
    """The passes of an algorithm that force elements take part in, with theirs before: their
    wrenches are external ones.  Their energy is added once the algorithm has stored the bodies'.
    coordinates: some act between coordinates."""
    passes = list(algorithm.passes)
    if "potential" in algorithm.writes:
        first = next(k for k, p in enumerate(passes) if isinstance(p, Inward))
        passes.insert(first, ElementStep("store"))
    elif "external" in algorithm.reads:
        passes.insert(0, ElementStep("push"))

    def world(g: Base) -> dict[str, object]:
        own = {PLACE: Transform.identity(), MOTION: Motion.zero(), PUSH: Force.zero()}
        own |= dict.fromkeys((JOINT_PLACE, JOINT_RATE, DRIVEN) * coordinates, Motion.zero())
        return algorithm.world(g) | own

    return Algorithm(
        f"{algorithm.name} with force elements",
        (carry(algorithm.rate, coordinates), *passes),
        world,
        algorithm.reads,
        algorithm.writes,
        algorithm.shapes,
    )


class PlacedEnd:
    """An end of an element (`End`) on a body whose pose X_KW and velocity are known."""

    def __init__(self, X_KW: Transform, v_K: Motion, X_FK: Transform):
        self.X_KW, self.v_K, self.X_FK = X_KW, v_K, X_FK
        self.wrench = Force.zero()  # in the kernel frame

    @property
    def position(self) -> Vector:
        return self.X_KW.E.T @ self.X_FK.r + self.X_KW.r

    @property
    def velocity(self) -> Vector:
        return self.X_KW.E.T @ (self.v_K.linear + self.v_K.angular.cross(self.X_FK.r))

    @property
    def X(self) -> Transform:
        return self.X_FK @ self.X_KW

    @property
    def motion(self) -> Motion:
        return self.X_FK @ self.v_K

    def push(self, f: Vector) -> None:
        f_K = self.X_KW.E @ f
        self.wrench = self.wrench + Force(self.X_FK.r.cross(f_K), f_K)

    def twist(self, f: Force) -> None:
        self.wrench = self.wrench + self.X_FK.T @ f


class PlacedCoordinate:
    """A coordinate (`CoordinateEnd`) whose place and rate are known."""

    def __init__(self, place: Scalar, rate: Scalar):
        self.place, self.rate = place, rate
        self.force: Scalar = 0

    def drive(self, force: Scalar) -> None:
        self.force = self.force + force


def takes_part(algorithm: Algorithm) -> bool:
    """Do force elements change the results of an algorithm?"""
    reads = any(isinstance(p, ElementStep) for p in algorithm.passes)
    return reads or "external" in algorithm.reads or "potential" in algorithm.writes


def distinct(element: KernelElement) -> list[int]:
    """The moving bodies at its ends, each once."""
    return list(dict.fromkeys(body for body in element.reach if body >= 0))
