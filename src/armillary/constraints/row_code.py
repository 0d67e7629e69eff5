"""Machine code of the rows of constraints: each kind is traced once, with its numbers as symbols.

A kind is a group of rows.py, and which of its two bodies is the world.  The code of a kind is a
loop over its members, W states side by side; it reads the motion of the two bodies
(closed/elimination_terms.py) and writes the values of its rows and the wrenches of their unit
forces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from armillary.algorithms.closed.elimination_terms import BodyMotion
from armillary.algorithms.closed.motion_slopes import duals
from armillary.algorithms.closed.row_terms import along_axes
from armillary.codegen.cache import remembered
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.model.lowering.constraint_table import FrameConstraint, TurnCount, missing
from armillary.scalar import Dual, Scalar
from armillary.spatial import Force, Matrix, Motion, RigidMotion, Transform, Vector

if TYPE_CHECKING:
    from armillary.graph.expr import Graph
    from armillary.graph.function import Block

_SYMBOL = "constraint_rows"
_FIRST, _SECOND = 0, 1
_PLACES = {_FIRST: "parent_sum", _SECOND: "parent"}  # of the two bodies; see codegen/abi.py
WRENCH = 6


def numbers_of(constraint: FrameConstraint) -> list[float]:
    """The numbers in which members of a kind differ."""
    parts: list[Scalar] = [*constraint.X_1A.leaves(), *constraint.X_2B.leaves()]
    parts += constraint.closure.parameters()
    parts += [x for passive in constraint.passive for x in passive.parameters()]
    return [float(x) for x in parts]


class _TwoBodies:
    """The two bodies of a constraint as it sees them (`MovingBodies`), from the second's origin.

    Generalised forces are those of a wrench: (n; f) along the world's axes at the origin of the
    body, numbers 0 to 5 for the first, 6 to 11 for the second."""

    v: Sequence[Scalar] = ()
    a: Sequence[Scalar] | None = None

    def __init__(
        self,
        motions: dict[int, BodyMotion],
        world: BodyMotion,
        near: Scalar,
        multipliers: Sequence[Scalar] = (),
    ):
        self.motions, self.world, self.multipliers = motions, world, multipliers
        self.q: Sequence[Scalar] = (near,)

    def _of(self, body: int) -> BodyMotion:
        return self.motions.get(body, self.world)

    def origin(self, body: int) -> Vector:
        """Of a body, in the world."""
        return self._of(body).Y.r

    def meeting(self, one: int, two: int) -> int:
        return -1

    def pose(self, body: int, carrier: int) -> Transform:
        Y = self._of(body).Y
        return Transform(Y.E, Vector() if body == _SECOND else Y.r - self._of(_SECOND).Y.r)

    def motion(self, body: int) -> tuple[Motion, RigidMotion]:
        seen = self._of(body)
        return seen.v, seen.m

    def push(self, body: int, carrier: int, force: Force) -> dict[int, Scalar]:
        if body not in self.motions:
            return {}
        back = self.motions[body].Y.E.T
        wrench = Force(back @ force.angular, back @ force.linear)
        return {WRENCH * body + k: x for k, x in enumerate(wrench.leaves())}


@dataclass(frozen=True)
class KindCode(ABC):
    """Code of the constraints of one kind, which stands on one of them."""

    constraint: FrameConstraint
    moving_base: bool

    @property
    def bodies(self) -> tuple[int, ...]:
        """Which of the two are no world: 0, 1."""
        ends = ((_FIRST, self.constraint.first), (_SECOND, self.constraint.second))
        return tuple(side for side, body in ends if body >= 0)

    @property
    @abstractmethod
    def size(self) -> int:
        """Numbers of a record."""

    @property
    def further(self) -> int:
        """Constants of a member behind `numbers_of`."""
        return 0

    @abstractmethod
    def found(
        self, constraint: FrameConstraint, seen: _TwoBodies, more: Sequence[Scalar]
    ) -> tuple[list[Scalar], tuple[bool, ...]]:
        """The numbers of a record, and what it is worth to know of them.  more: the further
        constants."""

    def seen(self, graph: Graph, world: BodyMotion) -> _TwoBodies:
        """The bodies, by what stands in the memory."""
        motions = {
            side: BodyMotion.from_leaves(
                [graph.load(_PLACES[side], k, 0) for k in range(BodyMotion.size)]
            )
            for side in self.bodies
        }
        return _TwoBodies(motions, world, graph.load("sum", 0, 0))

    @cached_property
    def flags(self) -> tuple[bool, ...]:
        """What is known of the numbers of a record; see `found`."""
        return tuple(remembered(self._identity, "flags", lambda: self._traced[1]))

    def library(self, lanes: Lanes) -> Library:
        def text() -> str:
            from armillary.codegen.emit import BlockWriter

            writer = BlockWriter(lanes, _SYMBOL)
            return with_declarations(writer.write(self._traced[0]), lanes)

        return Library(text, [_SYMBOL], identity=of_lanes(self._identity, lanes), quick=lanes.quick)

    @cached_property
    def _identity(self) -> str | None:
        """Numbers and names in which members differ are none of it."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        kind = _symbolic(self.constraint, [0.5] * len(numbers_of(self.constraint)))
        parts["constraint"] = replace(kind, name="", body="", own=Matrix.identity())
        return identity("constraint rows", type(self).__name__, *parts.values())

    @cached_property
    def _traced(self) -> tuple[Block, tuple[bool, ...]]:
        """The code, and what is known of its numbers."""
        from armillary.evaluate.specialise import symbolic_base
        from armillary.graph.expr import Graph
        from armillary.graph.function import Block, Store

        graph, count = Graph(), len(numbers_of(self.constraint))
        values = [graph.load("const", k) for k in range(count + self.further)]
        g = symbolic_base(graph, self.moving_base)
        world = BodyMotion(
            Transform.identity(),
            g.velocity,
            RigidMotion.from_motions(g.velocity, g.felt_acceleration()),
        )
        seen = self.seen(graph, world)
        constraint = _symbolic(self.constraint, values[:count])
        numbers, flags = self.found(constraint, seen, values[count:])
        stores = [Store(("own", k), graph.lift(x)) for k, x in enumerate(numbers)]
        return Block(_SYMBOL, 0, stores), flags


@dataclass(frozen=True)
class RowCode(KindCode):
    """The rows that elimination asks for: those that are wanted of one of the members.

    In the record of a member stand the values of its wanted rows, then their wrenches on each body
    that is not the world; then, where there are known forces, those; then how far its closing rows
    are open, squared, times the weights that stand behind its other numbers."""

    wanted: tuple[int, ...]
    level: str  # gamma, rate or residual of the wanted rows
    closing: tuple[int, ...] = ()  # rows that are looked at whether they are closed

    @property
    def rows(self) -> int:
        return len(self.wanted)

    @property
    def known(self) -> bool:
        """Are there known forces: of contacts that push, of friction and springs?"""
        return self.flags[0]

    @property
    def size(self) -> int:
        return self.openings + len(self.closing)

    @property
    def openings(self) -> int:
        """Where those of the closing rows begin."""
        return self.rows + (self.rows + self.known) * WRENCH * len(self.bodies)

    @property
    def further(self) -> int:
        return len(self.closing)

    def wrench(self, row: int, body: int) -> int:
        """Where the wrench of a row on a body (0, 1) begins; row `rows`: the known one."""
        return self.rows + (row * len(self.bodies) + self.bodies.index(body)) * WRENCH

    def found(
        self, constraint: FrameConstraint, seen: _TwoBodies, more: Sequence[Scalar]
    ) -> tuple[list[Scalar], tuple[bool, ...]]:
        """Flag: are there known forces?"""
        found = constraint.rows_at(seen, self.wanted)
        numbers: list[Scalar] = list(getattr(found, self.level))
        known = bool(found.known) and self.level == "gamma"
        for wrench in [*found.entries, *([found.known] if known else [])]:
            numbers += [wrench[WRENCH * side + k] for side in self.bodies for k in range(WRENCH)]
        squares = constraint.openings(seen) if self.closing else []
        numbers += [w * squares[k] for w, k in zip(more, self.closing, strict=True)]
        return numbers, (known,)


@dataclass(frozen=True)
class AllRowsCode(KindCode):
    """All that `row_terms` has of the constraints of one kind.

    In the record of a member stand gamma, rate and residual of its rows; then, along the world's
    axes at the origin of its second frame, the wrenches whose powers are its rows of J, and those
    of its multipliers where these differ; then that origin, the axes of the frame as a person sees
    it, and the known wrenches: all of them, and that of friction and springs; then what its springs
    store."""

    @property
    def rows(self) -> int:
        return self.constraint.count

    @cached_property
    def places(self) -> dict[str, int]:
        """Where they begin, by name."""
        count, ideal = WRENCH * self.rows, self.constraint.closure.ideal
        sizes = {"right": 3 * self.rows, "wrench": count} | ({} if ideal else {"force": count})
        sizes |= {"origin": 3, "frame": 9, "known": WRENCH, "resisted": WRENCH, "stored": 1}
        found = dict(zip(sizes, accumulate(sizes.values(), initial=0), strict=False))
        return {"force": found["wrench"]} | found

    @property
    def size(self) -> int:
        return self.places["stored"] + 1

    @property
    def further(self) -> int:
        return 9  # the frame that a person sees

    def found(
        self, constraint: FrameConstraint, seen: _TwoBodies, more: Sequence[Scalar]
    ) -> tuple[list[Scalar], tuple[bool, ...]]:
        """Flags: are there known forces, and friction or springs among them?"""
        motion, closure = constraint.relative(seen), constraint.closure
        wrenches = closure.wrenches(motion.X_21)
        right = constraint.right_sides(motion, wrenches, range(self.rows))
        forces = [] if closure.ideal else closure.forces(motion.X_21)
        resisted = constraint.resistance(motion.X_21, motion.v, motion.near)
        known = closure.given_force(motion.X_21) + resisted
        X_2W = constraint.X_2B @ seen.pose(constraint.second, -1)  # from the second body's origin
        numbers = [*right.gamma, *right.rate, *right.residual]
        for wrench in (*wrenches, *forces):
            numbers += along_axes(X_2W, wrench)
        numbers += (X_2W.r + seen.origin(constraint.second)).leaves()
        numbers += (Matrix.from_leaves(more) @ X_2W.E).leaves()
        for wrench in (known, resisted):
            numbers += along_axes(X_2W, wrench)
        numbers.append(constraint.spring_energy(motion.X_21, motion.near))
        return numbers, (not missing(known), not missing(resisted))


@dataclass(frozen=True)
class SlopeCode(KindCode):
    """Slopes of one kind: of what its rows are short of when bodies are accelerated, of their
    rates; then, for each body that is not the world, the wrench of all multipliers and known forces
    and its slopes.  Where the turns are counted stand these, their slope, and the multipliers."""

    @property
    def size(self) -> int:
        return 2 * self.constraint.count + 2 * WRENCH * len(self.bodies)

    def wrench(self, body: int) -> int:
        return 2 * self.constraint.count + 2 * WRENCH * self.bodies.index(body)

    def seen(self, graph: Graph, world: BodyMotion) -> _TwoBodies:
        motions, size = {}, BodyMotion.size
        for side in self.bodies:
            numbers = [graph.load(_PLACES[side], k, 0) for k in range(2 * size)]
            motions[side] = duals(BodyMotion, numbers[:size], numbers[size:])
        near, rate, *multipliers = (
            graph.load("sum", k, 0) for k in range(2 + self.constraint.count)
        )
        return _TwoBodies(motions, world, Dual(near, rate), multipliers)

    def found(
        self, constraint: FrameConstraint, seen: _TwoBodies, more: Sequence[Scalar]
    ) -> tuple[list[Scalar], tuple[bool, ...]]:
        found = constraint.rows_at(seen, range(constraint.count))
        slopes: list[Scalar] = [-Dual.lift(x).slope for x in found.gamma]
        slopes += [Dual.lift(x).slope for x in found.rate]
        for side in self.bodies:
            total = [Dual.lift(found.known.get(WRENCH * side + k, 0)) for k in range(WRENCH)]
            for wrench, x in zip(found.entries, seen.multipliers, strict=True):
                total = [old + wrench[WRENCH * side + k] * x for k, old in enumerate(total)]
            slopes += [x.value for x in total] + [x.slope for x in total]
        return slopes, ()


def _symbolic(constraint: FrameConstraint, numbers: Sequence[Scalar]) -> FrameConstraint:
    """The constraint with other numbers, between bodies 0 and 1 or the world."""
    values = iter(numbers)

    def take(count: int) -> list[Scalar]:
        return [next(values) for _ in range(count)]

    X_1A, X_2B = (Transform.from_leaves(take(12)) for _ in range(2))
    closure = constraint.closure.with_parameters(take(len(constraint.closure.parameters())))
    return replace(
        constraint,
        first=_FIRST if constraint.first >= 0 else -1,
        second=_SECOND if constraint.second >= 0 else -1,
        X_1A=X_1A,
        X_2B=X_2B,
        closure=closure,
        passive=tuple(p.with_parameters(take(len(p.parameters()))) for p in constraint.passive),
        turns=None if constraint.turns is None else TurnCount(0.0, ((0, 1.0),)),
    )
