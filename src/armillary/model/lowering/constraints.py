"""From the constraints of a model to those of the algorithms (constraint_table.py).

A constraint between two frames becomes a `FrameConstraint`; couplings and prescribed motions
become `LinearConstraint`s.
"""

from __future__ import annotations

from dataclasses import replace

from armillary.joints.closures import Closure, Contact, Distance, OnCylinder, OnPlane
from armillary.joints.loops import LoopClosure, loop_closure
from armillary.joints.profiles import OnProfile, smooth_pieces
from armillary.joints.rolling import KnifeEdge, RollingDisc, RollingSphere
from armillary.model import constraint_parts
from armillary.model.joints import kernel_joint
from armillary.model.lowering.constraint_table import (
    ConstraintTable,
    FrameConstraint,
    LinearConstraint,
    TurnCount,
)
from armillary.model.lowering.tree import Tables
from armillary.model.model import Model
from armillary.model.parts import WORLD, Frame, Pose, own_rotation, z_to
from armillary.model.passive import Passive
from armillary.spatial import Matrix, Transform, Vector

_ONE_ANGLE = ("revolute", "cylindrical", "planar")  # joints that turn about z alone
_PARALLEL = 1e-9
_TAU = 6.283185307179586
_WHEELS: dict[str, type[RollingDisc]] = {
    "disc": RollingDisc,
    "sphere": RollingSphere,
    "knife": KnifeEdge,
}

_BetweenFrames = (
    constraint_parts.Loop
    | constraint_parts.Distance
    | constraint_parts.Surface
    | constraint_parts.Contact
)


def lower_constraints(model: Model, tables: Tables) -> ConstraintTable:
    """Lower every constraint of a model."""
    frames = [
        *(_loop(model, tables, x) for x in model.loops),
        *(_between(model, tables, "distance", x, Distance(x.length)) for x in model.distances),
        *(_between(model, tables, "surface", x, _surface(x)) for x in model.surfaces),
        *(_between(model, tables, "contact", x, _contact(x)) for x in model.contacts),
        *(_wheel(model, tables, x) for x in model.wheels),
    ]
    axes = [
        *(_coupling(model, x) for x in model.couplings),
        *(_prescribed(model, x) for x in model.prescribed),
    ]
    return ConstraintTable(tuple(frames), tuple(axes))


def _located(model: Model, tables: Tables, frame: Frame, rotation: Matrix) -> tuple[int, Transform]:
    """Kernel body of a frame and X_FK, the frame rotated to kernel axes."""
    X = Transform(rotation.T, Vector()) @ frame.pose.transform()
    if frame.body == WORLD:
        return -1, X
    carrier = tables.carriers[model.index[frame.body]]
    return carrier.kernel, X @ carrier.X_BK


def _between(
    model: Model,
    tables: Tables,
    kind: str,
    part: _BetweenFrames,
    closure: Closure,
    rotation: Matrix | None = None,
    joint: str = "",
) -> FrameConstraint:
    axes = rotation if rotation is not None else Matrix.identity()
    first, X_1A = _located(model, tables, part.first, axes)
    second, X_2B = _located(model, tables, part.second, axes)
    return FrameConstraint(
        name=part.name,
        kind=kind,
        first=first,
        second=second,
        X_1A=X_1A,
        X_2B=X_2B,
        closure=closure,
        own=axes,
        joint=joint,
        body=part.second.body,
    )


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
    k = constraint.closure.joint.coordinates.index("angle")
    neutral = float(constraint.closure.coordinates(poses[1] @ poses[0].inverse())[k])
    start = TurnCount(neutral, tuple(terms)).angle(model.start())
    turns = round((passive[k].rest - float(start)) / _TAU)
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


def _contact(contact: constraint_parts.Contact) -> Contact:
    return Contact(contact.constrained, contact.force, contact.friction, contact.sticking)


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
    first, X_1A = _located(model, tables, ground, up)
    second, X_2B = _located(model, tables, center, axle)
    closure = _WHEELS[wheel.kind](wheel.radius, wheel.rows)
    return FrameConstraint(
        name=wheel.name,
        kind="wheel",
        first=first,
        second=second,
        X_1A=X_1A,
        X_2B=X_2B,
        closure=closure,
        own=axle,
        joint=wheel.kind,
        body=wheel.body,
    )


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
    position = part.position if q >= 0 else None
    rates = part.velocity, part.acceleration
    return LinearConstraint(
        part.name, "prescribed", ((v, q, 1.0),), model.v_units[v], position, *rates
    )
