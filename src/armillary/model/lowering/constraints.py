"""Constraints for the algorithms: closures between kernel bodies, and linear rows on coordinates.

A constraint between two frames becomes a `FrameConstraint`; couplings and prescribed motions
become `LinearConstraint`s.  The rows of all constraints, in this order, are the rows of J.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from armillary.joints.closures import Closure, Contact, Distance, OnCylinder, OnPlane
from armillary.joints.loops import LoopClosure, loop_closure
from armillary.joints.profiles import OnProfile, smooth_pieces
from armillary.joints.rolling import KnifeEdge, RollingDisc, RollingSphere
from armillary.model import constraint_parts
from armillary.model.joints import kernel_joint, own_rotation, z_to
from armillary.model.lowering.tree import Tables
from armillary.model.model import Model
from armillary.model.parts import WORLD, Frame, Pose
from armillary.model.passive import Passive
from armillary.scalar import Scalar, atan2, cos, sin
from armillary.spatial import Force, Matrix, Motion, Transform, Vector

_ONE_ANGLE = ("revolute", "cylindrical", "planar")  # joints that turn about z alone
_PARALLEL = 1e-9
_TAU = 6.283185307179586
_WHEELS: dict[str, type[RollingDisc]] = {
    "disc": RollingDisc, "sphere": RollingSphere, "knife": KnifeEdge,
}  # fmt: skip


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


@dataclass(frozen=True)
class FrameConstraint:
    """A closure between frame 1 on body `first` and frame 2 on body `second` (-1: the world)."""

    name: str
    kind: str  # loop, distance, surface, contact, wheel
    first: int
    second: int
    X_1A: Transform  # kernel frame of the first body to frame 1
    X_2B: Transform
    closure: Closure
    own: Matrix  # frame 2 to the frame a person sees
    joint: str = ""  # type of a loop's joint
    body: str = ""  # the body the force acts on
    passive: tuple[Passive, ...] = ()  # friction and springs of a loop's joint, or empty
    turns: TurnCount | None = None  # of its angle, where the tree can tell

    @property
    def count(self) -> int:
        return len(self.closure.rows)

    @property
    def units(self) -> tuple[str, ...]:
        return self.closure.units

    def _freedoms(
        self, X_21: Transform, near: Scalar | None
    ) -> Iterator[tuple[Passive, Scalar, Force]]:
        """Friction and springs, coordinate and driving wrench of every freedom of a loop's joint.

        The relative pose of two frames counts no turns: an angle is the one nearest to `near`
        (`TurnCount.angle`), without it the one nearest to the rest of its spring."""
        if not self.passive or not isinstance(self.closure, LoopClosure):
            return
        joint = self.closure.joint
        places, wrenches = self.closure.freedoms(X_21)
        for p, x, unit, psi in zip(self.passive, places, joint.units, wrenches, strict=True):
            turns = unit == "rad" and joint.kind != "helical" and joint.nq == joint.nv
            middle = p.rest if near is None else near
            beyond = x - middle
            yield p, middle + atan2(sin(beyond), cos(beyond)) if turns else x, psi

    def winds(self) -> bool:
        """Is there a spring that pulls at an angle?"""
        if not self.passive or not isinstance(self.closure, LoopClosure):
            return False
        joint = self.closure.joint
        plain = joint.kind != "helical" and joint.nq == joint.nv
        return plain and any(
            unit == "rad" and (p.spring != 0.0 or p.law is not None)
            for p, unit in zip(self.passive, joint.units, strict=True)
        )

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

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows along the axes of the second frame as a person sees it; 1, 2, 3 count
        the joint's own axes (3: its axis) where those are turned."""
        return tuple(_own_name(row, self.own) for row in self.closure.rows)


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
    kind: str  # coupling or drive
    terms: tuple[tuple[int, int, float], ...]  # (index in v, index in q or -1, coefficient)
    unit: str
    offset: float | None = 0.0  # None: the place is not prescribed
    velocity: float | None = 0.0
    acceleration: float = 0.0

    count = 1

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
        """Rows of prescribed: their places may change with time."""
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
            f"rest, for turns cannot be counted there (the axes round the loop are not parallel)"
            for constraint in self.frames if constraint.turns is None and constraint.winds()
        )  # fmt: skip

    @cached_property
    def bare(self) -> ConstraintTable:
        """The same constraints without friction and springs."""
        return ConstraintTable(
            tuple(replace(constraint, passive=()) for constraint in self.frames), self.axes
        )

    def __bool__(self) -> bool:
        return bool(self.frames or self.axes)


def lower_constraints(model: Model, tables: Tables) -> ConstraintTable:
    """Lower every constraint of a model."""
    frames = [
        *(_loop(model, tables, x) for x in model.loops),
        *(_between(model, tables, "distance", x, Distance(x.length)) for x in model.distances),
        *(_between(model, tables, "surface", x, _surface(x)) for x in model.surfaces),
        *(_between(model, tables, "contact", x,
                   Contact(x.constrained, x.force, x.friction, x.sticking))
          for x in model.contacts),
        *(_wheel(model, tables, x) for x in model.wheels),
    ]  # fmt: skip
    axes = [
        *(_coupling(model, x) for x in model.couplings),
        *(_prescribed(model, x) for x in model.prescribed),
    ]
    return ConstraintTable(tuple(frames), tuple(axes))


def _place(model: Model, tables: Tables, frame: Frame, turn: Matrix) -> tuple[int, Transform]:
    """Kernel body of a frame and X_FK, the frame turned to kernel axes."""
    X = Transform(turn.T, Vector()) @ frame.pose.transform()
    if frame.body == WORLD:
        return -1, X
    host = tables.hosts[model.index[frame.body]]
    return host.kernel, X @ host.X_BK


def _between(
    model: Model, tables: Tables, kind: str, part: constraint_parts.Constraint, closure: Closure,
    turn: Matrix | None = None, joint: str = "",
) -> FrameConstraint:  # fmt: skip
    turned = turn if turn is not None else Matrix.identity()
    first, X_1A = _place(model, tables, part.first, turned)  # type: ignore[union-attr]
    second, X_2B = _place(model, tables, part.second, turned)  # type: ignore[union-attr]
    body = part.second.body  # type: ignore[union-attr]
    return FrameConstraint(part.name, kind, first, second, X_1A, X_2B, closure, turned, joint, body)


def _loop(model: Model, tables: Tables, loop: constraint_parts.Loop) -> FrameConstraint:
    closure = loop_closure(kernel_joint(loop.joint))
    turn = own_rotation(loop.joint)
    constraint = _between(model, tables, "loop", loop, closure, turn, loop.joint.kind)
    passive = loop.joint.passive
    if all(p.is_nothing() for p in passive):
        return constraint
    return replace(
        constraint, passive=passive, turns=_turn_count(model, tables, constraint, passive)
    )


def _turn_count(
    model: Model, tables: Tables, constraint: FrameConstraint, passive: tuple[Passive, ...]
) -> TurnCount | None:
    """How the tree counts the turns of a loop's joint about one axis: where every joint on the way
    round the loop that turns at all does so about a parallel axis.  At the model's initial
    configuration the spring is in the turn nearest to its rest."""
    if constraint.joint not in _ONE_ANGLE:
        return None
    ends = [(constraint.first, constraint.X_1A, -1.0), (constraint.second, constraint.X_2B, 1.0)]
    poses = [X @ _neutral_pose(tables, body) for body, X, _ in ends]
    axes = [Vector(*X.E.rows[2]) for X in poses]
    terms: list[tuple[int, float]] = []
    for (body, _, sign), other in zip(ends, reversed(ends), strict=True):
        for k in _way(tables, body):
            if k in _way(tables, other[0]) or tables.bodies[k].joint.nv == 0:
                continue
            kind = tables.bodies[k].joint.kind
            if kind == "prismatic":
                continue
            along = float(Vector(*_neutral_pose(tables, k).E.rows[2]).dot(axes[1]))
            if kind not in (*_ONE_ANGLE, "helical") or abs(along) < 1.0 - _PARALLEL:
                return None
            terms.append((tables.q_offsets[k], sign * round(along)))
    if float(axes[0].dot(axes[1])) < 1.0 - _PARALLEL or not isinstance(
        constraint.closure, LoopClosure
    ):
        return None
    place = constraint.closure.joint.coordinates.index("angle")
    neutral = float(constraint.closure.coordinates(poses[1] @ poses[0].inverse())[place])
    start = TurnCount(neutral, tuple(terms)).angle(model.initial or model.neutral())
    turns = round((passive[place].rest - float(start)) / _TAU)
    return TurnCount(neutral + _TAU * turns, tuple(terms))


def _way(tables: Tables, body: int) -> list[int]:
    """The body and all that carry it."""
    way = []
    while body >= 0:
        way.append(body)
        body = tables.parents[body]
    return way


def _neutral_pose(tables: Tables, body: int) -> Transform:
    """X from the world to a kernel frame where all joints are closed and untwisted."""
    X = Transform.identity()
    for k in reversed(_way(tables, body)):
        part = tables.bodies[k]
        X = part.joint.transform(part.joint.neutral()) @ part.placement @ X
    return X


def _surface(surface: constraint_parts.Surface) -> Closure:
    if surface.shape == "plane":
        return OnPlane()
    if surface.shape == "profile":
        return OnProfile(smooth_pieces(surface.profile))
    return (Distance if surface.shape == "sphere" else OnCylinder)(surface.radius)


def _wheel(model: Model, tables: Tables, wheel: constraint_parts.Wheel) -> FrameConstraint:
    axle, up = z_to(wheel.axis), z_to(wheel.normal)
    lift = Vector(*wheel.normal) * wheel.height
    ground = Frame("", wheel.ground, Pose(tuple(float(x) for x in lift)))  # type: ignore[arg-type]
    center = Frame("", wheel.body, Pose(wheel.center))
    first, X_1A = _place(model, tables, ground, up)
    second, X_2B = _place(model, tables, center, axle)
    closure = _WHEELS[wheel.kind](wheel.radius, wheel.rows)
    return FrameConstraint(wheel.name, "wheel", first, second, X_1A, X_2B, closure, axle,
                    wheel.kind, wheel.body)  # fmt: skip


def _axis(model: Model, label: str) -> tuple[int, int]:
    """Where a coordinate stands in v and in q; -1 in q where it has no coordinate of its own."""
    v = model.v_labels.index(label)
    for joint, slot in zip(model.joints, model.slots, strict=True):
        if slot.v.start <= v < slot.v.stop:
            offset = v - slot.v.start
            return v, slot.q.start + offset if joint.nq == joint.nv else -1
    raise IndexError(label)


def _coupling(model: Model, part: constraint_parts.Coupling) -> LinearConstraint:
    follower, source = _axis(model, part.joint), _axis(model, part.source)
    known = follower[1] >= 0 and source[1] >= 0
    terms = ((*follower, 1.0), (*source, -part.ratio))
    unit = model.v_units[follower[0]]
    return LinearConstraint(part.name, "coupling", terms, unit, part.offset if known else None)


def _prescribed(model: Model, part: constraint_parts.PrescribedMotion) -> LinearConstraint:
    v, q = _axis(model, part.joint)
    place = part.position if q >= 0 else None
    rates = part.velocity, part.acceleration
    return LinearConstraint(
        part.name, "prescribed", ((v, q, 1.0),), model.v_units[v], place, *rates
    )
