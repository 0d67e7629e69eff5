"""A closed mechanism as arms between contact bodies  [Yesiloglu2007, 5.24-5.29].

Contact bodies are where arms meet; every other body is a link of one arm.  An arm starts at the
ground or at a contact body and ends at a contact body; joints, loops and the contacts of wheels are
its joints.  A floating joint between ground and a body is no arm, where the wheels reach the body.

All 6-vectors (angular; linear) are along inertial axes, of material points: V at a point p is the
velocity of the body's point there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from armillary.errors import ModelError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.joints.closures import Closure
from armillary.joints.rolling import RollingDisc
from armillary.model.constraint_parts import Constraint, Loop, Wheel
from armillary.model.model import Model
from armillary.model.parts import WORLD, Frame, Pose, own_rotation, z_to
from armillary.textbook.formulations.tree_state import TreeState, cross
from armillary.textbook.linear import null_space, solve
from armillary.textbook.parts import skew
from armillary.textbook.tip_joints import End, pose_of_2_in_1, row_rate, wrenches_at


@dataclass(frozen=True)
class Edge:
    """What connects two bodies: a joint of the tree, a loop, or a wheel on its ground."""

    name: str
    first: str
    second: str
    body: int = -1  # number of the body whose joint it is; -1: it closes a chain

    @property
    def key(self) -> tuple[str, bool]:
        """Joints and what closes chains may have the same name."""
        return self.name, self.body >= 0


@dataclass(frozen=True)
class Step:
    """An edge on the way of an arm; backward: from its second body to its first."""

    edge: Edge
    backward: bool

    @property
    def link(self) -> str:
        """The body it leads to."""
        return self.edge.first if self.backward else self.edge.second

    @property
    def start(self) -> str:
        return self.edge.second if self.backward else self.edge.first


@dataclass(frozen=True)
class Arm:
    """Joints from a base (ground or contact body) to a contact body."""

    steps: tuple[Step, ...]

    @property
    def base(self) -> str:
        return self.steps[0].start

    @property
    def tip(self) -> str:
        return self.steps[-1].link

    @property
    def name(self) -> str:
        return f"{self.steps[0].edge.name} to {self.tip}"


@dataclass(frozen=True)
class Arms:
    """The arms of a mechanism, its contact bodies, and floating joints that are no arm."""

    arms: tuple[Arm, ...]
    contacts: tuple[str, ...]
    floating: tuple[int, ...]  # numbers of the bodies


def refusal(model: Model) -> str:
    """Why a mechanism cannot be read as arms; empty where it can."""
    others: list[Constraint] = [*model.couplings, *model.distances, *model.surfaces]
    others += [*model.contacts, *model.prescribed]
    if others:
        return f"'{others[0].name}' is neither a loop nor a wheel, and it knows these"
    for loop in model.loops:
        if loop.joint.kind == "general":
            return f"loop '{loop.name}' is general: it does not know its directions"
        if any(not part.is_nothing() for part in loop.joint.passive):
            return f"loop '{loop.name}' has springs or friction, and it knows those of the tree"
    return ""


def edges_of(model: Model) -> list[Edge]:
    found = [Edge(b.joint.name, b.parent, b.name, k) for k, b in enumerate(model.bodies)]
    found += [Edge(x.name, x.first.body, x.second.body) for x in model.loops]
    return found + [Edge(x.name, x.ground, x.body) for x in model.wheels]


def arms_of(model: Model, contacts: Iterable[str] = ()) -> Arms:
    """Arms between contact bodies, each from the side nearer to the ground.

    Contact bodies: where three joints or more meet, ends of branches, those named, and the last
    body of a chain from ground to ground."""
    edges = edges_of(model)
    floating = _floating(model, edges)
    edges = [edge for edge in edges if edge.body not in floating]
    _reached(model, edges)
    nodes = _nodes(model, edges, contacts)
    while True:
        paths = _paths(edges, nodes)
        whole = [path for path in paths if path[0].start == path[-1].link == WORLD]
        if not whole:
            break
        nodes.update(path[-1].start for path in whole)
    level = _levels(paths)
    turned = [_reversed(p) if level[p[0].start] > level[p[-1].link] else p for p in paths]
    used = {path[-1].link for path in turned}
    order = tuple(b.name for b in model.bodies if b.name in used)
    return Arms(tuple(Arm(tuple(path)) for path in turned), order, floating)


def _floating(model: Model, edges: Sequence[Edge]) -> tuple[int, ...]:
    """Six freedoms between the ground and a body say nothing, where something else reaches it."""
    found = tuple(
        k for k, b in enumerate(model.bodies) if b.parent == WORLD and model.joints[k].nv == 6
    )
    rest = [edge for edge in edges if edge.body not in found]
    return found if len(_island(WORLD, rest)) == len(model.bodies) + 1 else ()


def _island(start: str, edges: Sequence[Edge]) -> set[str]:
    found = {start}
    while True:
        more = {x for e in edges for x in (e.first, e.second) if {e.first, e.second} & found}
        if more <= found:
            return found
        found |= more


def _reached(model: Model, edges: Sequence[Edge]) -> None:
    lost = [b.name for b in model.bodies if b.name not in _island(WORLD, edges)]
    if lost:
        raise ModelError(f"body '{lost[0]}' is not connected to the ground.")


def _nodes(model: Model, edges: Sequence[Edge], contacts: Iterable[str]) -> set[str]:
    degree: dict[str, int] = dict.fromkeys([b.name for b in model.bodies], 0)
    for edge in edges:
        for body in (edge.first, edge.second):
            if body != WORLD:
                degree[body] += 1
    for name in contacts:
        if name not in degree:
            raise unknown_name("body", name, degree)
    return {name for name, n in degree.items() if n != 2} | set(contacts)


def _paths(edges: Sequence[Edge], nodes: set[str]) -> list[list[Step]]:
    """Every edge on exactly one path between nodes or the ground."""
    ends, left, found = nodes | {WORLD}, list(edges), []
    while left:
        first = next(e for e in left if {e.first, e.second} & ends)
        path = [Step(first, first.first not in ends)]
        left.remove(first)
        while path[-1].link not in ends:
            here = path[-1].link
            edge = next(e for e in left if here in (e.first, e.second))
            left.remove(edge)
            path.append(Step(edge, edge.first != here))
        found.append(path)
    return found


def _reversed(path: Sequence[Step]) -> list[Step]:
    return [Step(step.edge, not step.backward) for step in reversed(path)]


def _levels(paths: Sequence[Sequence[Step]]) -> dict[str, int]:
    """How many arms lie between a contact body and the ground."""
    level = {WORLD: 0}
    while True:
        more = {}
        for path in paths:
            for one, two in ((path[0].start, path[-1].link), (path[-1].link, path[0].start)):
                if one in level and two not in level:
                    more[two] = level[one] + 1
        if not more:
            return level
        level |= more


# -- at one state --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A body at one state: origin, velocity, and acceleration while no joint accelerates."""

    R: Array
    o: Array
    V: Array
    rest: Array

    def velocity(self, p: Array) -> Array:
        return shift(p - self.o) @ self.V

    def resting(self, p: Array) -> Array:
        """Acceleration of the body's point at p, with `rest` at its origin."""
        return shift(p - self.o) @ self.rest + swing(self.V[:3], p - self.o)


@dataclass(frozen=True)
class ArmJoint:
    """A joint between two bodies at one state, for the second against the first, at a point p.

    α_2(p) - α_1(p) = S θ̈ + bias."""

    p: Array
    S: Array
    bias: Array
    rate: Array  # θ̇
    labels: tuple[str, ...]
    entries: tuple[int, ...]  # of v; none: it closes a chain
    normal: Array | None = None  # of the ground under a wheel


def shift(l: Array) -> Array:
    """φ: velocities from a point to one that is l away, v + ω × l (2.5)."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [-skew(l), np.eye(3)]])


def swing(w: Array, l: Array) -> Array:
    """(0; ω × (ω × l))."""
    return np.concatenate([np.zeros(3), np.cross(w, np.cross(w, l))])


def places(s: TreeState) -> dict[str, Place]:
    """All bodies and the world, which is at rest."""
    found = {WORLD: Place(np.eye(3), np.zeros(3), np.zeros(6), np.zeros(6))}
    own = [S @ s.v[slot] for S, slot in zip(s.S, s.slots, strict=True)]
    velocity = s.outward(np.zeros(6), own)
    gains = [c + cross(V) @ v_J for c, V, v_J in zip(s.c, velocity, own, strict=True)]
    rate = s.outward(np.zeros(6), gains)
    for k, body in enumerate(s.model.bodies):
        (R, o), V = s.poses[k], velocity[k]
        turn = np.kron(np.eye(2), R)
        rest = rate[k] + np.concatenate([np.zeros(3), np.cross(V[:3], V[3:])])
        found[body.name] = Place(R, o, turn @ V, turn @ rest)
    return found


def tree_joint(s: TreeState, edge: Edge, where: Mapping[str, Place]) -> ArmJoint:
    """A joint of the tree, at the origin of its body."""
    slot, two = s.slots[edge.body], where[edge.second]
    entries = tuple(range(slot.start, slot.stop))
    S = np.kron(np.eye(2), two.R) @ s.S[edge.body]
    bias = two.rest - where[edge.first].resting(two.o)
    labels = tuple(s.model.v_labels[k] for k in entries)
    return ArmJoint(two.o, S, bias, s.v[slot], labels, entries)


def closing_joint(closure: Closure, part: Loop | Wheel, where: Mapping[str, Place]) -> ArmJoint:
    """A loop at its second frame, or a wheel where it touches the ground."""
    one, two = _ends(part, where)
    X = pose_of_2_in_1(one, two)
    p, normal = two.p, None
    if isinstance(closure, RollingDisc):
        normal = one.R[:, 2]
        p = two.p + two.R @ np.array(closure.contact(X).leaves(), float)
    T = wrenches_at(np.eye(3), p, two, closure.wrenches(X))
    rate = row_rate(closure, X, one, two, p)
    bias = T @ solve(T.T @ T, rate) if len(rate) else np.zeros(6)
    S = _free_of(T)
    V = where[two_body(part)].velocity(p) - where[one_body(part)].velocity(p)
    labels = tuple(f"{part.name}.{k + 1}" for k in range(S.shape[1]))
    return ArmJoint(p, S, bias, S.T @ V, labels, (), normal)


def one_body(part: Loop | Wheel) -> str:
    return part.ground if isinstance(part, Wheel) else part.first.body


def two_body(part: Loop | Wheel) -> str:
    return part.body if isinstance(part, Wheel) else part.second.body


def _ends(part: Loop | Wheel, where: Mapping[str, Place]) -> tuple[End, End]:
    if isinstance(part, Loop):
        turn = np.array(own_rotation(part.joint).rows, float)
        return _end(part.first, turn, where), _end(part.second, turn, where)
    lift = np.array(part.normal) * part.height
    ground = Frame("", part.ground, Pose((float(lift[0]), float(lift[1]), float(lift[2]))))
    axle, up = (np.array(z_to(x).rows, float) for x in (part.axis, part.normal))
    return _end(ground, up, where), _end(Frame("", part.body, Pose(part.center)), axle, where)


def _end(frame: Frame, turn: Array, where: Mapping[str, Place]) -> End:
    body = where[frame.body]
    p = body.o + body.R @ np.array(frame.pose.position)
    V = body.velocity(p)
    return End(body.R @ np.array(frame.pose.rotation) @ turn, p, V[:3], V[3:])


def _free_of(T: Array) -> Array:
    """Orthonormal motions (6, n) that the wrenches T do not feel; turns about x, y, z first where
    all wrenches are forces."""
    if np.abs(T[:3]).max(initial=0.0) > 1e-12:
        return null_space(T.T)
    slides = null_space(T[3:].T) if T.size else np.eye(3)
    return np.block([[np.eye(3), np.zeros((3, slides.shape[1]))], [np.zeros((3, 3)), slides]])
