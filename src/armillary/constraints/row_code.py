"""Machine code of the rows of constraints: each kind is traced once, with its numbers as symbols.

A kind is a group of rows.py, and which of its two bodies is the world.  The code of a kind is a
loop over its members, W states side by side; it reads the motion of the two bodies
(closed/elimination_terms.py) and writes the values of its rows and the wrenches of their unit
forces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from armillary.algorithms.closed.elimination_terms import BodyMotion
from armillary.algorithms.closed.motion_slopes import duals
from armillary.codegen.cache import remembered
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.model.lowering.constraint_table import FrameConstraint, TurnCount
from armillary.scalar import Dual, Scalar
from armillary.spatial import Force, Motion, RigidMotion, Transform, Vector

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

    def __init__(self, motions: dict[int, BodyMotion], world: BodyMotion, near: Scalar):
        self.motions, self.world = motions, world
        self.q: Sequence[Scalar] = (near,)

    def _of(self, body: int) -> BodyMotion:
        return self.motions.get(body, self.world)

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


class _KindCode(ABC):
    """A loop over the members of a kind."""

    constraint: FrameConstraint

    @property
    def bodies(self) -> tuple[int, ...]:
        """Which of the two are no world: 0, 1."""
        ends = ((_FIRST, self.constraint.first), (_SECOND, self.constraint.second))
        return tuple(side for side, body in ends if body >= 0)

    def library(self, lanes: Lanes) -> Library:
        def text() -> str:
            from armillary.codegen.emit import BlockWriter

            writer = BlockWriter(lanes, _SYMBOL)
            return with_declarations(writer.write(self._block()), lanes)

        return Library(text, [_SYMBOL], identity=of_lanes(self._identity, lanes), quick=lanes.quick)

    @property
    @abstractmethod
    def _identity(self) -> str | None: ...

    @abstractmethod
    def _block(self) -> Block: ...


@dataclass(frozen=True)
class RowCode(_KindCode):
    """The rows of one kind: those that are wanted of one of its members.

    In the record of a member stand the values of its wanted rows, then their wrenches on each body
    that is not the world; then, where there are known forces, those; then how far its closing rows
    are open, squared, times the weights that stand behind its other numbers."""

    constraint: FrameConstraint
    wanted: tuple[int, ...]
    level: str  # gamma, rate or residual of the wanted rows
    moving_base: bool
    closing: tuple[int, ...] = ()  # rows that are looked at whether they are closed

    @property
    def rows(self) -> int:
        return len(self.wanted)

    @cached_property
    def known(self) -> bool:
        """Are there known forces: of contacts that push, of friction and springs?"""
        return bool(remembered(self._identity, "known", lambda: self._traced[1]))

    @property
    def size(self) -> int:
        """Numbers of a record."""
        return self.openings + len(self.closing)

    @property
    def openings(self) -> int:
        """Where those of the closing rows begin."""
        return self.rows + (self.rows + self.known) * WRENCH * len(self.bodies)

    def wrench(self, row: int, body: int) -> int:
        """Where the wrench of a row on a body (0, 1) begins; row `rows`: the known one."""
        return self.rows + (row * len(self.bodies) + self.bodies.index(body)) * WRENCH

    def _block(self) -> Block:
        return self._traced[0]

    @cached_property
    def _identity(self) -> str | None:
        parts = (self.constraint, self.wanted, self.level, self.moving_base, self.closing)
        return identity("constraint rows", *parts)

    @cached_property
    def _traced(self) -> tuple[Block, bool]:
        """The code, and whether there are known forces."""
        from armillary.graph.expr import Graph
        from armillary.graph.function import Block, Store

        graph, bodies = Graph(), self.bodies
        count = len(numbers_of(self.constraint))
        values = [graph.load("const", k) for k in range(count + len(self.closing))]
        motions = {
            side: BodyMotion.from_leaves(
                [graph.load(_PLACES[side], k, 0) for k in range(BodyMotion.size)]
            )
            for side in bodies
        }
        seen = _TwoBodies(motions, _world(graph, self.moving_base), graph.load("sum", 0, 0))
        constraint, weights = _symbolic(self.constraint, values[:count]), values[count:]
        found = constraint.rows_at(seen, self.wanted)
        numbers: list[Scalar] = list(getattr(found, self.level))
        known = bool(found.known) and self.level == "gamma"
        for wrench in [*found.entries, *([found.known] if known else [])]:
            numbers += [wrench[WRENCH * side + k] for side in bodies for k in range(WRENCH)]
        squares = constraint.openings(seen) if self.closing else []
        numbers += [w * squares[k] for w, k in zip(weights, self.closing, strict=True)]
        stores = [Store(("own", k), graph.lift(x)) for k, x in enumerate(numbers)]
        return Block(_SYMBOL, 0, stores), known


@dataclass(frozen=True)
class SlopeCode(_KindCode):
    """Slopes of one kind: of what its rows are short of when bodies are accelerated, of their
    rates; then, for each body that is not the world, the wrench of all multipliers and known forces
    and its slopes.  Where the turns are counted stand these, their slope, and the multipliers."""

    constraint: FrameConstraint
    moving_base: bool

    @property
    def size(self) -> int:
        """Numbers of a record."""
        return 2 * self.constraint.count + 2 * WRENCH * len(self.bodies)

    def wrench(self, body: int) -> int:
        return 2 * self.constraint.count + 2 * WRENCH * self.bodies.index(body)

    @cached_property
    def _identity(self) -> str | None:
        return identity("slopes of constraint rows", self.constraint, self.moving_base)

    def _block(self) -> Block:
        from armillary.graph.expr import Graph
        from armillary.graph.function import Block, Store

        graph, count, size = Graph(), self.constraint.count, BodyMotion.size
        values = [graph.load("const", k) for k in range(len(numbers_of(self.constraint)))]
        motions = {}
        for side in self.bodies:
            numbers = [graph.load(_PLACES[side], k, 0) for k in range(2 * size)]
            motions[side] = duals(BodyMotion, numbers[:size], numbers[size:])
        near, rate, *multipliers = (graph.load("sum", k, 0) for k in range(2 + count))
        seen = _TwoBodies(motions, _world(graph, self.moving_base), Dual(near, rate))
        found = _symbolic(self.constraint, values).rows_at(seen, range(count))
        slopes: list[Scalar] = [-Dual.lift(x).slope for x in found.gamma]
        slopes += [Dual.lift(x).slope for x in found.rate]
        for side in self.bodies:
            total = [Dual.lift(found.known.get(WRENCH * side + k, 0)) for k in range(WRENCH)]
            for wrench, x in zip(found.entries, multipliers, strict=True):
                total = [old + wrench[WRENCH * side + k] * x for k, old in enumerate(total)]
            slopes += [x.value for x in total] + [x.slope for x in total]
        stores = [Store(("own", k), graph.lift(x)) for k, x in enumerate(slopes)]
        return Block(_SYMBOL, 0, stores)


def _world(graph: Graph, moving_base: bool) -> BodyMotion:
    from armillary.evaluate.specialise import symbolic_base

    g = symbolic_base(graph, moving_base)
    return BodyMotion(
        Transform.identity(),
        g.velocity,
        RigidMotion.from_motions(g.velocity, g.felt_acceleration()),
    )


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
