"""What a kind of force element exerts, and how that changes with the motion of the bodies at its
ends.

    stiffness = d(wrenches)/d(poses)      damping = d(wrenches)/d(velocities)

Wrenches change as their bodies see them, bodies move by small turns and shifts, and all of it is
given in the world frame, at its origin: blocks (6, 6) of two bodies, or the same body twice.  What
moves all bodies of an element together changes nothing, unless the world is at one of its ends:

    K_aa = R_a - Σ_b K_ab,    R_a = 0 without the world.

Between coordinates there is a number for every two of them.  Traced once per kind with dual
numbers, and called for all elements of the kind.  Of the six directions of the world only those
count along which bodies move (motion_structure.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from armillary.algorithms.forces.loops import PlacedCoordinate, PlacedEnd, distinct
from armillary.codegen.abi import Arrays
from armillary.codegen.jit import Library
from armillary.codegen.target import Lanes
from armillary.evaluate.element_code import ElementKind
from armillary.evaluate.fingerprint import identity
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.motion_structure import MotionStructure, Pattern, filled, varying
from armillary.evaluate.straight_code import StraightCode
from armillary.model.lowering.elements import KernelElement
from armillary.scalar import Dual, Scalar
from armillary.spatial import Force, Matrix, Motion, Transform, Vector

if TYPE_CHECKING:
    from armillary.graph.function import FunctionGraph

_PLACE, _ALL = 12, 18  # numbers that tell where a body is (X_KW), and how it moves, too
Block = list[list[Scalar]]  # (6, 6)


def bodies_of(kind: ElementKind) -> int:
    """How many moving bodies an element of the kind has at its ends."""
    return len(distinct(kind.element))


def on_world(kind: ElementKind) -> bool:
    """Is the world at one of its ends?"""
    return -1 in kind.ends


def moving(kind: ElementKind) -> list[int]:
    """Those of its coordinates that are not locked."""
    return [k for k, record in enumerate(kind.ends) if record >= 0]


@dataclass(frozen=True)
class SlopedKind:
    """Elements of one kind whose bodies stand in one order.  order: their records, the body with
    the highest number first; given: numbers are given in their stead; numbers: which of their own
    are the same whole ones in all of them; motion: what is known of that of all bodies."""

    kind: ElementKind
    order: tuple[int, ...]
    given: bool
    numbers: Pattern
    motion: MotionStructure

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Records of every two bodies, the one with the higher number first."""
        return list(combinations(self.order, 2))

    @property
    def own(self) -> list[int]:
        """Records of the bodies that have an R of their own."""
        return list(self.order) if on_world(self.kind) else []

    @property
    def results(self) -> int:
        """Numbers of an element."""
        n = len(moving(self.kind))
        if self.kind.numbers:
            return 2 * n**2 + n
        size = len(self.motion.axes)
        blocks = 4 * len(self.pairs) + 2 * len(self.own)
        return blocks * size**2 + bodies_of(self.kind) * size

    @property
    def inputs(self) -> dict[str, int]:
        """What its kernel reads: of the bodies (or of coordinates, and of their rates), and of the
        element."""
        kind = self.kind
        if kind.numbers:
            found = {"bodies": 2 * len(moving(kind))}
        else:
            found = {"bodies": bodies_of(kind) * len(self.motion.leaves)}
        found["numbers"] = len(varying(self.numbers))
        if self.given:
            found["given"] = kind.element.count
        return found


@cache
def slopes_code(sloped: SlopedKind) -> StraightCode:
    """(bodies, numbers[, given]) -> results, as runtime/slopes_elements.py has them: of every two
    bodies K, D, and transposed those the other way round; of every body R of K and D; wrenches on
    the bodies.  Of coordinates K, D and forces.

    numbers: `KernelElement.parameters`; given: those of `KernelElement.given`, in their stead."""
    kind, s = sloped.kind, sloped
    what = (kind.key, kind.ends, kind.numbers, s.order, s.given, s.numbers, s.motion)
    return StraightCode(lambda most: _traced(sloped, most), identity("element slopes", *what))


@cache
def of_one_state(sloped: SlopedKind, lanes: Lanes) -> Kernel:
    """Code of several elements side by side."""
    outputs = {"results": (sloped.results,)}
    return Kernel(sloped.inputs, outputs, lanes, slopes_code(sloped))


@cache
def of_states(sloped: SlopedKind, lanes: Lanes) -> Library:
    """Code of one element in several states side by side."""
    arrays = Arrays(sloped.inputs, {"results": sloped.results})
    return slopes_code(sloped).within(lanes, arrays)


def _traced(sloped: SlopedKind, most: float) -> FunctionGraph:
    from armillary.graph.expr import Graph
    from armillary.graph.function import FunctionGraph

    graph = Graph(most)
    loads = graph.inputs(sloped.inputs)
    element = sloped.kind.element.with_parameters(filled(sloped.numbers, loads["numbers"]))
    if sloped.given:
        element = element.given(loads["given"])
    found = _between_coordinates if sloped.kind.numbers else _between_bodies
    numbers = found(sloped, element, loads["bodies"])
    return FunctionGraph(sloped.inputs, {"results": [graph.lift(x) for x in numbers]})


def _slope(x: Scalar) -> Scalar:
    return x.slope if isinstance(x, Dual) else 0


def _value(x: Scalar) -> Scalar:
    return x.value if isinstance(x, Dual) else x


def _dual(x: Scalar, slope: Scalar) -> Scalar:
    return x if type(slope) is int and slope == 0 else Dual(x, slope)


# -- coordinates -----------------------------------------------------------------------------------


def _between_coordinates(
    sloped: SlopedKind, element: KernelElement, numbers: Sequence[Scalar]
) -> list[Scalar]:
    ends, found = moving(sloped.kind), list[Scalar]()
    places, rates = numbers[: len(ends)], numbers[len(ends) :]
    for fast in (False, True):
        columns = []
        for column in range(len(ends)):
            made = [PlacedCoordinate(held, 0) for held in element.held]
            for k, end in enumerate(ends):
                unit = int(k == column)
                place, rate = places[k], rates[k]
                made[end] = PlacedCoordinate(
                    _dual(place, unit * (not fast)), _dual(rate, unit * fast)
                )
            element.act(made)
            columns.append([_slope(made[end].force) for end in ends])
        found += [x for row in zip(*columns, strict=True) for x in row]
    made = [PlacedCoordinate(held, 0) for held in element.held]
    for k, end in enumerate(ends):
        made[end] = PlacedCoordinate(places[k], rates[k])
    element.act(made)
    return [*found, *(made[end].force for end in ends)]


# -- bodies ----------------------------------------------------------------------------------------


class _MovedEnd:
    """An end of an element (`End`) whose body moves: by a small turn and shift of it, or by
    so much more velocity (fast), along the axes of the world."""

    def __init__(self, placed: PlacedEnd, turn: Vector, shift: Vector, fast: bool):
        """shift: of the end."""
        self._placed, self._turn, self._shift, self._fast = placed, turn, shift, fast
        self._force, self._wrench = Vector(), Force.zero()  # pushes, and those along its own axes

    @property
    def position(self) -> Vector:
        p = self._placed.position
        return p if self._fast else _duals(p, self._shift)

    @property
    def velocity(self) -> Vector:
        u = self._placed.velocity
        return _duals(u, self._shift if self._fast else self._turn.cross(u))

    @property
    def X(self) -> Transform:
        X = self._placed.X
        if self._fast:
            return X
        rows = [Vector(*X.E.T.column(k).leaves()) for k in range(3)]  # body axes, in the world
        rows = [_duals(axis, self._turn.cross(axis)) for axis in rows]
        return Transform(Matrix.from_leaves([x for axis in rows for x in axis]), self.position)

    @property
    def motion(self) -> Motion:
        motion = self._placed.motion
        if not self._fast:
            return motion
        E = self._placed.X.E
        return Motion(
            _duals(motion.angular, E @ self._turn), _duals(motion.linear, E @ self._shift)
        )

    def push(self, f: Vector) -> None:
        self._force = self._force + f

    def twist(self, f: Force) -> None:
        self._wrench = self._wrench + f

    def change(self) -> Force:
        """Of the wrench on the body, as this sees it: along the axes of the world, at the end."""
        f = Vector(*map(_slope, self._force))
        if not self._fast:  # the body turns beneath it
            f = f - self._turn.cross(Vector(*map(_value, self._force)))
        own = Force.from_leaves([_slope(x) for x in self._wrench.leaves()])
        if all(type(x) is int and x == 0 for x in own.leaves()):
            return Force(Vector(), f)
        back = self._placed.X.E.T
        return Force(back @ own.angular, f + back @ own.linear)


def _duals(x: Vector, slopes: Vector) -> Vector:
    return Vector(*map(_dual, x, slopes))


def _between_bodies(
    sloped: SlopedKind, element: KernelElement, numbers: Sequence[Scalar]
) -> list[Scalar]:
    ends, found = _placed(sloped, element, numbers), list[Scalar]()
    K, D = (_blocks(sloped, element, ends, fast) for fast in (False, True))
    for one, two in sloped.pairs:
        for block in (K[one, two], D[one, two]):
            found += [x for row in block for x in row]
        for block in (K[two, one], D[two, one]):
            found += [x for row in zip(*block, strict=True) for x in row]
    for a in sloped.own:
        for blocks in (K, D):
            rows = (blocks[a, b] for b in sloped.order)
            found += [sum(x) for row in zip(*rows, strict=True) for x in zip(*row, strict=True)]
    return [*found, *_wrenches(sloped, element, numbers)]


def _wrenches(
    sloped: SlopedKind, element: KernelElement, numbers: Sequence[Scalar]
) -> list[Scalar]:
    """On every body, in the world frame at its origin, along the axes that count."""
    ends = _placed(sloped, element, numbers)
    element.act(ends)
    total = [Force.zero() for _ in range(bodies_of(sloped.kind))]
    for record, end in zip(sloped.kind.ends, ends, strict=True):
        if record >= 0:
            total[record] = total[record] + end.X_KW.T @ end.wrench
    return [wrench.leaves()[axis] for wrench in total for axis in sloped.motion.axes]


def _placed(
    sloped: SlopedKind, element: KernelElement, numbers: Sequence[Scalar]
) -> list[PlacedEnd]:
    known, found = sloped.motion, []
    count = len(known.leaves)
    for record, X_FK in zip(sloped.kind.ends, element.places, strict=True):
        X, v = Transform.identity(), Motion.zero()
        if record >= 0:
            own = filled(known.numbers, numbers[count * record : count * (record + 1)])
            X, v = Transform.from_leaves(own[:_PLACE]), Motion.from_leaves(own[_PLACE:_ALL])
        found.append(PlacedEnd(X, v, X_FK))
    return found


def _blocks(
    sloped: SlopedKind, element: KernelElement, ends: Sequence[PlacedEnd], fast: bool
) -> dict[tuple[int, int], Block]:
    """Of every two records: how the wrench on the first changes with the motion of the second,
    along the axes that count."""
    records = sorted(sloped.order)
    still = None if on_world(sloped.kind) else records[0]  # the others move against it
    found: dict[tuple[int, int], Block] = {}
    for b in records:
        if b == still:
            continue
        columns = [_column(sloped.kind, element, ends, b, k, fast) for k in range(6)]
        for a in records:
            block = [list(row) for row in zip(*(x[a] for x in columns), strict=True)]
            whole = _to_origin(block, _point(sloped.kind, ends, a), _point(sloped.kind, ends, b))
            axes = sloped.motion.axes
            found[a, b] = [[whole[i][k] for k in axes] for i in axes]
    if still is not None:
        for a in records:
            others = [found[a, b] for b in records if b != still]
            found[a, still] = [
                [-sum(x) for x in zip(*rows, strict=True)] for rows in zip(*others, strict=True)
            ]
    return found


def _point(kind: ElementKind, ends: Sequence[PlacedEnd], record: int) -> Vector:
    """The point of a body where its motion and the wrench on it are known: its first end."""
    return ends[kind.ends.index(record)].position


def _column(
    kind: ElementKind,
    element: KernelElement,
    ends: Sequence[PlacedEnd],
    body: int,
    direction: int,
    fast: bool,
) -> list[list[Scalar]]:
    """How the wrench on every body changes, at its point, with one motion of a body at its."""
    unit = [int(k == direction) for k in range(6)]
    made = []
    for k, (record, end) in enumerate(zip(kind.ends, ends, strict=True)):
        turn, shift = Vector(0, 0, 0), Vector(0, 0, 0)
        if record == body:
            turn = Vector(*unit[:3])
            shift = Vector(*unit[3:]) + turn.cross(_arm(kind, ends, k))
        made.append(_MovedEnd(end, turn, shift, fast))
    element.act(made)
    total = [Force.zero() for _ in range(bodies_of(kind))]
    for k, (record, moved) in enumerate(zip(kind.ends, made, strict=True)):
        if record >= 0:
            f = moved.change()
            moment = f.angular + _arm(kind, ends, k).cross(f.linear)
            total[record] = total[record] + Force(moment, f.linear)
    return [list(f.leaves()) for f in total]


def _arm(kind: ElementKind, ends: Sequence[PlacedEnd], k: int) -> Vector:
    """From the point of its body to an end."""
    first = kind.ends.index(kind.ends[k])
    return Vector(0, 0, 0) if first == k else ends[k].position - ends[first].position


def _to_origin(block: Block, one: Vector, two: Vector) -> Block:
    """From wrenches at one point and motions at another to both at the origin of the world:
    a shift there is one of u + θ × p, a force there has the moment p × f."""
    turned = []
    for row in block:
        moment, f = Vector(*row[:3]), Vector(*row[3:])
        turned.append([*(moment + two.cross(f)), *f])
    columns = []
    for column in zip(*turned, strict=True):
        moment, f = Vector(*column[:3]), Vector(*column[3:])
        columns.append([*(moment + one.cross(f)), *f])
    return [list(row) for row in zip(*columns, strict=True)]
