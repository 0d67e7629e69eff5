"""Constraints as the algorithms see them: closures between kernel bodies, and linear rows.

Every constraint answers `rows_at(bodies, wanted)` over any scalars: floats, dual numbers, symbols.
The rows of all constraints, in the order of the table, are the rows of J.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from armillary.joints.closures import Closure, rate_bias
from armillary.joints.loops import LoopClosure
from armillary.model.passive import Passive
from armillary.scalar import Scalar, atan2, cos, sin
from armillary.spatial import Force, Matrix, Motion, RigidMotion, Transform

Number = Callable[[Scalar], Scalar]  # how a constant of the mechanism becomes another scalar


@dataclass
class RightSides:
    """Of some rows."""

    gamma: list[Scalar]  # with bodies that move as accelerated: what J a is short of
    rate: list[Scalar]  # J v, from the prescribed one: 0 where the row is kept
    residual: list[Scalar]  # how far the row is open

    def add(self, others: RightSides) -> None:
        """Further rows."""
        self.gamma += others.gamma
        self.rate += others.rate
        self.residual += others.residual


@dataclass
class ConstraintRows(RightSides):
    """Some rows of one constraint at a state:  J a = gamma."""

    entries: list[dict[int, Scalar]]  # of J, by degree of freedom
    known: dict[int, Scalar]  # generalised force of contacts that push, friction and springs


@dataclass(frozen=True)
class RelativeMotion:
    """Frame 2 of a constraint as seen from frame 1, at a state."""

    top: int  # the nearest body that carries both
    X_21: Transform
    v: Motion  # of 2 in 1, in frame 2
    rate: Motion  # of v as seen in frame 2; gravity is in both bodies and cancels
    near: Scalar | None  # the angle of a loop's joint, where the tree counts it


class MovingBodies(Protocol):
    """What a constraint asks of the mechanism it belongs to; body -1 is the world."""

    q: Sequence[Scalar]
    v: Sequence[Scalar]
    a: Sequence[Scalar] | None  # None: bodies move without joint accelerations

    def meeting(self, one: int, two: int) -> int:
        """The nearest body that carries both."""

    def pose(self, body: int, carrier: int) -> Transform:
        """X: from the carrier's to the body's frame."""

    def motion(self, body: int) -> tuple[Motion, RigidMotion]:
        """Velocity and acceleration, in the body's frame."""

    def push(self, body: int, carrier: int, force: Force) -> dict[int, Scalar]:
        """Generalised force of a wrench on a body, up to the carrier, by degree of freedom."""


@dataclass(frozen=True)
class TurnCount:
    """The angle of a loop's joint as a sum of angles of the tree, which count turns: offset +
    Σ coefficient * q.  Exact where all of them turn about parallel axes."""

    offset: float
    terms: tuple[tuple[int, float], ...]  # (index in q, coefficient)

    def angle(self, q: Sequence[Scalar]) -> Scalar:
        total: Scalar = self.offset
        for k, coefficient in self.terms:
            total = total + coefficient * q[k]
        return total

    def turned(self, number: Number) -> TurnCount:
        return TurnCount(number(self.offset), tuple((k, number(x)) for k, x in self.terms))


@dataclass(frozen=True)
class FrameConstraint:
    """A closure between frame 1 on body `first` and frame 2 on body `second` (-1: the world)."""

    name: str
    kind: str  # loop, distance, surface, contact, wheel
    first: int
    second: int
    X_1A: Transform  # joint frame (z along its axis) of the first body to frame 1
    X_2B: Transform
    closure: Closure
    own: Matrix  # frame 2 to the frame a person sees
    joint: str = ""  # type of a loop's joint
    body: str = ""  # the body the force acts on
    passive: tuple[Passive, ...] = ()  # friction and springs of a loop's joint, or empty
    turns: TurnCount | None = None  # of its angle, where the tree can tell

    acceleration = 0.0  # no prescribed motion of its own

    @property
    def count(self) -> int:
        return len(self.closure.rows)

    @property
    def units(self) -> tuple[str, ...]:
        return self.closure.units

    def seen(self, bodies: MovingBodies) -> tuple[int, Transform]:
        """The nearest body that carries both frames, and frame 2 as seen from frame 1."""
        top = bodies.meeting(self.first, self.second)
        X_2 = self.X_2B @ bodies.pose(self.second, top)
        X_1 = self.X_1A @ bodies.pose(self.first, top)
        return top, X_2 @ X_1.inverse()

    def push(
        self, bodies: MovingBodies, top: int, X_21: Transform, f_2: Force
    ) -> dict[int, Scalar]:
        """Generalised force, by degree of freedom, of a force on 2 and its reaction on 1."""
        there = bodies.push(self.second, top, self.X_2B.T @ f_2)
        back = bodies.push(self.first, top, self.X_1A.T @ (X_21.T @ f_2))
        return there | {dof: -x for dof, x in back.items()}

    def relative(self, bodies: MovingBodies) -> RelativeMotion:
        """How frame 2 moves, as seen from frame 1."""
        top, X_21 = self.seen(bodies)
        (v_A, m_A), (v_B, m_B) = bodies.motion(self.first), bodies.motion(self.second)
        v_1, v_2 = X_21 @ (self.X_1A @ v_A), self.X_2B @ v_B
        m_1, m_2 = X_21 @ (self.X_1A @ m_A), self.X_2B @ m_B
        v = v_2 - v_1
        angular = m_2.alpha - m_1.alpha - m_2.w.cross(v.angular)
        linear = m_2.a - m_1.a - (m_1.w + m_2.w).cross(v.linear)
        near = None if self.turns is None else self.turns.angle(bodies.q)
        return RelativeMotion(top, X_21, v, Motion(angular, linear), near)

    def right_sides(
        self, seen: RelativeMotion, wrenches: Sequence[Force], wanted: Sequence[int]
    ) -> RightSides:
        """Of the wanted rows, whose wrenches are among those of the closure."""
        bias = rate_bias(self.closure, seen.X_21, seen.v)
        residual = self.closure.residual(seen.X_21)
        return RightSides(
            gamma=[bias[k] - seen.rate.dot(wrenches[k]) for k in wanted],
            rate=[seen.v.dot(wrenches[k]) for k in wanted],
            residual=[residual[k] for k in wanted],
        )

    def rows_at(self, bodies: MovingBodies, wanted: Sequence[int]) -> ConstraintRows:
        """The wanted rows, from the motion of frame 2 as seen from frame 1."""
        seen = self.relative(bodies)
        wrenches = self.closure.wrenches(seen.X_21)

        def push(f_2: Force) -> dict[int, Scalar]:
            return self.push(bodies, seen.top, seen.X_21, f_2)

        right = self.right_sides(seen, wrenches, wanted)
        known = self.closure.given_force(seen.X_21)
        known = known + self.resistance(seen.X_21, seen.v, seen.near)
        return ConstraintRows(
            entries=[push(wrenches[k]) for k in wanted],
            gamma=right.gamma,
            rate=right.rate,
            residual=right.residual,
            known={} if missing(known) else push(known),
        )

    def openings(self, bodies: MovingBodies) -> list[Scalar]:
        """Squares of how far the rows are open; see `Closure.openings`."""
        return self.closure.openings(self.seen(bodies)[1])

    def _freedoms(
        self, X_21: Transform, near: Scalar | None
    ) -> Iterator[tuple[Passive, Scalar, Force]]:
        """Friction and springs, coordinate and driving wrench of every freedom of a loop's joint.

        The relative pose of two frames counts no turns: an angle is the one nearest to `near`
        (`TurnCount.angle`), without it the one nearest to the rest of its spring."""
        if not self.passive or not isinstance(self.closure, LoopClosure):
            return
        coordinates, wrenches = self.closure.freedoms(X_21)
        for k, (p, x, psi) in enumerate(zip(self.passive, coordinates, wrenches, strict=True)):
            yield p, nearest_turn(x, p.rest if near is None else near) if self._turns(k) else x, psi

    def _turns(self, k: int) -> bool:
        """Is freedom k of a loop's joint an angle that may turn on and on?"""
        if not isinstance(self.closure, LoopClosure):
            return False
        joint = self.closure.joint
        return joint.units[k] == "rad" and joint.kind != "helical" and joint.nq == joint.nv

    def turned_springs(
        self, X_21: Transform, v: Motion, near: Sequence[Scalar]
    ) -> Iterator[tuple[Scalar, Scalar, Force, Scalar]]:
        """Of every angle of `winding`, with the turn nearest to `near` instead of that nearest to
        the rest of its spring: the angle, its rate, and what that adds to the force on 2 and to
        the energy of the spring."""
        freedoms = list(self._freedoms(X_21, None))
        for k, turn in zip(self.winding, near, strict=True):
            passive, x, psi = freedoms[k]
            angle, rate = nearest_turn(x, turn), v.dot(psi)
            more = passive.force(angle, rate) - passive.force(x, rate)
            yield angle, rate, psi * -more, passive.energy(angle) - passive.energy(x)

    @property
    def winding(self) -> tuple[int, ...]:
        """Freedoms whose springs pull at an angle that the tree does not count."""
        if not self.passive or self.turns or not isinstance(self.closure, LoopClosure):
            return ()
        pulls = [p.spring != 0.0 or p.law is not None for p in self.passive]
        return tuple(k for k, pull in enumerate(pulls) if pull and self._turns(k))

    def resistance(self, X_21: Transform, v: Motion, near: Scalar | None = None) -> Force:
        """What friction and springs of a loop's joint exert on 2, in frame 2; v: of 2 in 1."""
        total = Force.zero()
        for passive, x, psi in self._freedoms(X_21, near):
            total = total - psi * passive.force(x, v.dot(psi))
        return total

    def spring_energy(self, X_21: Transform, near: Scalar | None = None) -> Scalar:
        """Potential energy of the springs of a loop's joint (J)."""
        total: Scalar = 0
        for passive, x, _ in self._freedoms(X_21, near):
            total = total + passive.energy(x)
        return total

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return self.closure.holonomic

    def turned(self, number: Number) -> FrameConstraint:
        return replace(
            self,
            X_1A=Transform.from_leaves([*map(number, self.X_1A.leaves())]),
            X_2B=Transform.from_leaves([*map(number, self.X_2B.leaves())]),
            closure=self.closure.with_parameters([*map(number, self.closure.parameters())]),
            own=Matrix.from_leaves([*map(number, self.own.leaves())]),
            turns=None if self.turns is None else self.turns.turned(number),
            passive=tuple(p.with_parameters([*map(number, p.parameters())]) for p in self.passive),
        )

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows along the axes of the second frame as a person sees it; 1, 2, 3 count
        the joint's own axes (3: its axis) where those are turned."""
        return tuple(_own_name(row, self.own) for row in self.closure.rows)


def missing(wrench: Force) -> bool:
    """Is it structurally zero?"""
    return all(type(x) is int and x == 0 for x in wrench.leaves())


def nearest_turn(x: Scalar, near: Scalar) -> Scalar:
    """The angle x, whole turns aside, within half a turn of another."""
    beyond = x - near
    return near + atan2(sin(beyond), cos(beyond))


def _own_name(row: str, own: Matrix) -> str:
    if len(row) != 2 or row[1] not in "xyz":
        return row
    k = "xyz".index(row[1])
    turned = [abs(float(line[k])) for line in own.rows]
    letters = [letter for letter, x in zip("xyz", turned, strict=True) if x == 1.0]
    return row[0] + (letters[0] if letters else str(k + 1))


@dataclass(frozen=True)
class LinearConstraint:
    """Σ coefficient * coordinate = offset, as one row; `acceleration` is its prescribed rate."""

    name: str
    kind: str  # coupling or prescribed
    terms: tuple[tuple[int, int, float], ...]  # (index in v, index in q or -1, coefficient)
    unit: str
    offset: float | None = 0.0  # None: the position is not prescribed
    velocity: float | None = 0.0
    acceleration: float = 0.0

    count = 1

    def rows_at(self, bodies: MovingBodies, wanted: Sequence[int]) -> ConstraintRows:
        """The row, where it is wanted: its entries are constant."""
        entries: dict[int, Scalar] = {}
        gamma: Scalar = self.acceleration
        rate: Scalar = 0 if self.velocity is None else self.velocity * -1
        residual: Scalar = 0 if self.offset is None else self.offset * -1
        for v, q, coefficient in self.terms:
            entries[v] = entries.get(v, 0) + coefficient
            if bodies.a is not None:
                gamma = gamma - coefficient * bodies.a[v]
            if self.velocity is not None:
                rate = rate + coefficient * bodies.v[v]
            if self.offset is not None:
                residual = residual + coefficient * bodies.q[q]
        return ConstraintRows(
            entries=[entries for _ in wanted],
            gamma=[gamma for _ in wanted],
            rate=[rate for _ in wanted],
            residual=[residual for _ in wanted],
            known={},
        )

    def openings(self, bodies: MovingBodies) -> list[Scalar]:
        (residual,) = self.rows_at(bodies, (0,)).residual
        return [residual * residual]

    def turned(self, number: Number) -> LinearConstraint:
        return replace(
            self,
            terms=tuple((v, q, number(x)) for v, q, x in self.terms),
            acceleration=number(self.acceleration),
            velocity=None if self.velocity is None else number(self.velocity),
            offset=None if self.offset is None else number(self.offset),
        )

    @property
    def units(self) -> tuple[str, ...]:
        return (self.unit,)

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (self.offset is not None,)

    @property
    def rows(self) -> tuple[str, ...]:
        return ("",)


@dataclass(frozen=True)
class ConstraintTable:
    """All constraints of a mechanism, lowered onto its tables."""

    frames: tuple[FrameConstraint, ...]
    axes: tuple[LinearConstraint, ...]

    @cached_property
    def all(self) -> tuple[FrameConstraint | LinearConstraint, ...]:
        return (*self.frames, *self.axes)

    @cached_property
    def count(self) -> int:
        return sum(constraint.count for constraint in self.all)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Rows of every constraint, by name."""
        result, start = {}, 0
        for constraint in self.all:
            result[constraint.name] = slice(start, start + constraint.count)
            start += constraint.count
        return result

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """One name per row: constraint.row."""
        return tuple(
            f"{constraint.name}.{row}" if row else constraint.name
            for constraint in self.all
            for row in constraint.rows
        )

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Unit of the motion each row forbids: its force is in N m (rad) or N (m)."""
        return tuple(unit for constraint in self.all for unit in constraint.units)

    @cached_property
    def holonomic(self) -> tuple[bool, ...]:
        return tuple(flag for constraint in self.all for flag in constraint.holonomic)

    @cached_property
    def driven(self) -> tuple[bool, ...]:
        """Rows of prescribed motions: their positions may change with time."""
        return tuple(
            constraint.kind == "prescribed"
            for constraint in self.all
            for _ in range(constraint.count)
        )

    @cached_property
    def ideal(self) -> bool:
        return all(constraint.closure.ideal for constraint in self.frames)

    @cached_property
    def uncounted(self) -> tuple[str, ...]:
        """What to know of springs whose turns the tree does not count."""
        return tuple(
            f"loop '{constraint.name}': the angle of its spring is taken within half a turn of the "
            f"rest, for one state does not tell its turns (the axes round the loop are not "
            f"parallel); `simulate` counts them from there"
            for constraint in self.frames
            if constraint.winding
        )

    def turned(self, number: Number) -> ConstraintTable:
        """The same with every number turned into another scalar."""
        return ConstraintTable(
            tuple(row.turned(number) for row in self.frames),
            tuple(row.turned(number) for row in self.axes),
        )

    @cached_property
    def bare(self) -> ConstraintTable:
        """The same constraints without friction and springs."""
        return ConstraintTable(
            tuple(replace(constraint, passive=()) for constraint in self.frames), self.axes
        )

    def __bool__(self) -> bool:
        return bool(self.frames or self.axes)
