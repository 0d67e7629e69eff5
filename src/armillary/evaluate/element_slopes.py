"""How what a kind of force element exerts changes with the motion of the bodies at its ends.

    stiffness = d(wrenches)/d(poses)      damping = d(wrenches)/d(velocities)

of the n bodies at its ends (6n, 6n), each with its wrench, displacement (a small turn and shift)
and velocity in its own frame; between coordinates, of six numbers per joint in their place.  Traced
once per kind with dual numbers, and called for all elements of the kind.
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
from armillary.spatial import Matrix, Vector

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

    def loads(record: int, name: str) -> list[Scalar]:
        place = name in (PLACE, JOINT_PLACE)
        step, source = (size, places) if place else (MOTION_SIZE, motions)
        own = source[step * record : step * (record + 1)]
        if record != moved.record or place == moved.fast:
            return list(own)
        turns = place and not kind.numbers
        rates = _displaced(own, moved.direction) if turns else _unit(moved.direction)
        return [
            x if type(s) is int and s == 0 else Dual(x, s) for x, s in zip(own, rates, strict=True)
        ]

    ends = ends_at(element, kind, loads)
    element.law.act(ends)
    found = pushed_by(kind, ends)
    nothing = (0,) * MOTION_SIZE
    name = DRIVEN if kind.numbers else PUSH
    numbers = (x for k in range(bodies_of(kind)) for x in found.get((k, name), nothing))
    return [x.slope if isinstance(x, Dual) else 0 for x in numbers]


def _unit(k: int) -> list[int]:
    return [int(i == k) for i in range(MOTION_SIZE)]


def _displaced(place: Sequence[Scalar], k: int) -> Sequence[Scalar]:
    """Rates of X_KW = (E, r) where the body turns about (k < 3) or moves along its axis k:
    dE = -(e_k ×) E and dr = E^T e_k."""
    x, y, z = (Vector(*place[3 * i : 3 * i + 3]) for i in range(3))
    none = Vector()
    if k >= 3:
        return (*Matrix.zero().leaves(), *(x, y, z)[k - 3].leaves())
    rows = ((none, z, -y), (-z, none, x), (y, -x, none))[k]
    return [c for row in rows for c in row.leaves()] + [0] * 3
