"""How what a kind of force element exerts changes with the motion of the bodies at its ends.

    stiffness = d(wrenches)/d(poses)      damping = d(wrenches)/d(velocities)

of the n bodies at its ends (6n, 6n): wrenches change as their bodies see them, bodies move by small
turns and shifts, and all of it is given in the world frame, at its origin.  Between coordinates six
numbers per joint stand in their place.  Traced once per kind with dual numbers, and called for all
elements of the kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from armillary.algorithms.forces.loops import DRIVEN, JOINT_PLACE, PLACE, PUSH, distinct
from armillary.codegen.target import Lanes
from armillary.evaluate.element_code import ElementKind, ends_at, pushed_by
from armillary.evaluate.fingerprint import identity
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.straight_code import StraightCode
from armillary.model.lowering.elements import KernelElement
from armillary.scalar import Dual, Scalar
from armillary.spatial import Force, Motion, Transform

if TYPE_CHECKING:
    from armillary.graph.function import FunctionGraph

MOTION_SIZE = 6


@dataclass(frozen=True)
class _Moved:
    """Which body moves, along which of the six directions, and whether it is the velocity."""

    record: int
    direction: int
    fast: bool


def bodies_of(kind: ElementKind) -> int:
    """How many moving bodies an element of the kind has at its ends."""
    return len(distinct(kind.element))


def place_size(kind: ElementKind) -> int:
    """Numbers that tell where a body is: X_KW, or the coordinates of its joint."""
    return MOTION_SIZE if kind.numbers else 12


@cache
def slopes_kernel(kind: ElementKind, given: bool, lanes: Lanes) -> Kernel:
    """(places, motions, numbers[, given]) -> (stiffness, damping).

    numbers: `KernelElement.parameters`; given: those of `KernelElement.given`, in their stead."""
    n, element = bodies_of(kind), kind.element
    inputs = {"places": n * place_size(kind), "motions": n * MOTION_SIZE}
    inputs["numbers"] = len(element.parameters())
    if given:
        inputs["given"] = element.count
    size = n * MOTION_SIZE
    name = identity("element slopes", kind.key, kind.ends, kind.numbers, given)
    code = StraightCode(lambda: _traced(kind, inputs), name)
    return Kernel(inputs, {"stiffness": (size, size), "damping": (size, size)}, lanes, code)


def _traced(kind: ElementKind, inputs: dict[str, int]) -> FunctionGraph:
    from armillary.graph.expr import Graph
    from armillary.graph.function import FunctionGraph

    graph = Graph()
    loads = graph.inputs(inputs)
    element = kind.element.with_parameters(loads["numbers"])
    if "given" in loads:
        element = element.given(loads["given"])
    outputs = {}
    for name, fast in (("stiffness", False), ("damping", True)):
        columns = [
            _column(kind, element, loads["places"], loads["motions"], _Moved(record, k, fast))
            for record in range(bodies_of(kind))
            for k in range(MOTION_SIZE)
        ]
        outputs[name] = [graph.lift(x) for row in zip(*columns, strict=True) for x in row]
    return FunctionGraph(dict(inputs), outputs)


def _column(
    kind: ElementKind,
    element: KernelElement,
    places: Sequence[Scalar],
    motions: Sequence[Scalar],
    moved: _Moved,
) -> list[Scalar]:
    """How all wrenches, or forces along coordinates, change with one motion."""
    size = place_size(kind)

    def own(record: int) -> Sequence[Scalar]:
        return places[size * record : size * (record + 1)]

    def loads(record: int, name: str) -> list[Scalar]:
        place = name in (PLACE, JOINT_PLACE)
        step, source = (size, places) if place else (MOTION_SIZE, motions)
        values = list(source[step * record : step * (record + 1)])
        if record != moved.record or place == moved.fast:
            return values
        rates = unit
        if not kind.numbers:
            motion_K = Transform.from_leaves(own(record)) @ Motion.from_leaves(unit)
            rates = _displaced(own(record), motion_K) if place else list(motion_K.leaves())
        pairs = zip(values, rates, strict=True)
        return [x if type(s) is int and s == 0 else Dual(x, s) for x, s in pairs]

    unit: list[Scalar] = [int(i == moved.direction) for i in range(MOTION_SIZE)]
    ends = ends_at(element, kind, loads)
    element.law.act(ends)
    found, column = pushed_by(kind, ends), list[Scalar]()
    for k in range(bodies_of(kind)):
        push = found.get((k, DRIVEN if kind.numbers else PUSH), (0,) * MOTION_SIZE)
        slopes = [x.slope if isinstance(x, Dual) else 0 for x in push]
        if not kind.numbers:
            wrench_W = Transform.from_leaves(own(k)).T @ Force.from_leaves(slopes)
            slopes = list(wrench_W.leaves())
        column += slopes
    return column


def _displaced(place: Sequence[Scalar], motion: Motion) -> list[Scalar]:
    """Rates of X_KW = (E, r) where the body moves, in its frame: dE = -(ω ×) E, dr = E^T v."""
    E = Transform.from_leaves(place).E
    columns = [(-motion.angular.cross(E.column(k))).leaves() for k in range(3)]
    return [*(x for row in zip(*columns, strict=True) for x in row), *(E.T @ motion.linear)]
