"""The frozen model of a mechanism: named bodies in a tree, frames, and what else belongs to it.

Bodies are numbered depth first in file order, parents before children; q and v follow the bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from armillary.errors import unknown_name
from armillary.joints import Joint
from armillary.model.constraint_parts import (
    Constraint,
    Contact,
    Coupling,
    Distance,
    Loop,
    PrescribedMotion,
    Surface,
    Wheel,
)
from armillary.model.elements.element import ForceElement
from armillary.model.joints import kernel_joint, massless_joints
from armillary.model.parts import WORLD, Body, Frame, Pose, Triple
from armillary.model.report import Report
from armillary.model.sizes import refuse_large


@dataclass(frozen=True)
class Slot:
    """Where the coordinates of one joint stand in q and v."""

    q: slice
    v: slice


@dataclass(frozen=True, repr=False)
class Model:
    """A mechanism as data.  Build one with `Builder` or a reader; nothing changes it."""

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    gravity: Triple = (0.0, 0.0, -9.81)
    base_velocity: tuple[float, ...] = ()  # (ω; v) of the world frame, empty: at rest
    base_acceleration: tuple[float, ...] = ()  # (α; a) of its origin, empty: none
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    wheels: tuple[Wheel, ...] = ()
    distances: tuple[Distance, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    contacts: tuple[Contact, ...] = ()
    prescribed: tuple[PrescribedMotion, ...] = ()
    elements: tuple[ForceElement, ...] = ()  # forces between bodies
    initial: tuple[float, ...] = ()  # q to start from, where the source gives one
    # couplings and prescribed motions of locked joints with their numbers:
    # what `unlock` brings back
    set_aside: tuple[tuple[int, Coupling | PrescribedMotion], ...] = ()
    moved: tuple[str, ...] = ()  # rows of other constraints that move as a run prescribes
    # accuracy of the lengths (m) and angles (rad) where the source gives fewer digits than a double
    # has; 0: all of them
    accuracy: float = 0.0
    varied: tuple[str, ...] = ()  # numbers that are further parameters: varied.py
    report: Report = field(default_factory=Report, compare=False)

    def __repr__(self) -> str:
        more = f", {len(self.constraints)} constraints" if self.constraints else ""
        return f"<Model '{self.name}': {len(self.bodies)} bodies, {self.nv} velocities{more}>"

    def __post_init__(self) -> None:
        own = ("bodies", "frames", "gravity", "base_velocity", "base_acceleration", "initial")
        named = tuple((name, getattr(self, name)) for name in own)
        refuse_large((*named, ("constraints", self.constraints), ("elements", self.elements)))

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """All that constrains the mechanism beyond its tree."""
        return (
            *self.loops,
            *self.distances,
            *self.surfaces,
            *self.contacts,
            *self.wheels,
            *self.couplings,
            *self.prescribed,
        )

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The kernel joint of every body."""
        return tuple(kernel_joint(body.joint) for body in self.bodies)

    @cached_property
    def index(self) -> dict[str, int]:
        """Body name -> number; the world is -1."""
        return {WORLD: -1} | {body.name: k for k, body in enumerate(self.bodies)}

    @cached_property
    def parents(self) -> tuple[int, ...]:
        return tuple(self.index[body.parent] for body in self.bodies)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        slots, nq, nv = [], 0, 0
        for joint in self.joints:
            slots.append(Slot(slice(nq, nq + joint.nq), slice(nv, nv + joint.nv)))
            nq, nv = nq + joint.nq, nv + joint.nv
        return tuple(slots)

    @cached_property
    def nq(self) -> int:
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def joint_index(self) -> dict[str, int]:
        """Joint name -> number of the body that hangs on it."""
        return {body.joint.name: k for k, body in enumerate(self.bodies)}

    @cached_property
    def moving_joints(self) -> tuple[str, ...]:
        """Names of the joints with at least one degree of freedom, in the order of v."""
        return tuple(
            body.joint.name
            for body, joint in zip(self.bodies, self.joints, strict=True)
            if joint.nv > 0
        )

    @cached_property
    def load_dependent_joints(self) -> tuple[str, ...]:
        """Names of the joints whose friction depends on their load."""
        return tuple(b.joint.name for b in self.bodies if any(p.loaded for p in b.joint.passive))

    @cached_property
    def massless_joints(self) -> tuple[str, ...]:
        """Names of the moving joints that move neither a mass nor a rotor: their acceleration
        follows from constraints, or is undefined."""
        return massless_joints(self.bodies)

    @cached_property
    def hidden_energy(self) -> tuple[str, ...]:
        """Names of the joints, those of loops too, and of the force elements whose law stores
        energy without a potential."""
        joints = (*(b.joint for b in self.bodies), *(loop.joint for loop in self.loops))
        names = (*(b.joint.name for b in self.bodies), *(loop.name for loop in self.loops))
        pairs = zip(names, joints, strict=True)
        hiding = [name for name, j in pairs if any(p.hides_energy for p in j.passive)]
        return (*hiding, *(part.name for part in self.elements if part.law.hides_energy))

    def _labels(self, entries: Callable[[Joint], Sequence[str]]) -> tuple[str, ...]:
        labels = []
        for body, joint in zip(self.bodies, self.joints, strict=True):
            names = entries(joint)
            single = len(names) == 1
            labels += [body.joint.name if single else f"{body.joint.name}.{n}" for n in names]
        return tuple(labels)

    @cached_property
    def q_labels(self) -> tuple[str, ...]:
        """One name per entry of q: the joint's, or joint.coordinate where it has several."""
        return self._labels(lambda joint: joint.coordinates)

    @cached_property
    def v_labels(self) -> tuple[str, ...]:
        """One name per entry of v."""
        return self._labels(velocity_names)

    @cached_property
    def q_units(self) -> tuple[str, ...]:
        """'rad', 'm' or '1' (quaternion) per entry of q."""
        units: list[str] = []
        for joint in self.joints:
            turn = ("1",) * 4 if joint.nq != joint.nv else ()
            units += [*turn, *(joint.units[3:] if turn else joint.units)]
        return tuple(units)

    @cached_property
    def v_units(self) -> tuple[str, ...]:
        """'rad' or 'm' per entry of v (torque unit N m or N)."""
        return tuple(unit for joint in self.joints for unit in joint.units)

    @cached_property
    def frame_index(self) -> dict[str, Frame]:
        """Every frame by name: the world, the body frames and the extra ones."""
        own = {body.name: Frame(body.name, body.name) for body in self.bodies}
        extra = {frame.name: frame for frame in self.frames}
        return {WORLD: Frame(WORLD, WORLD)} | own | extra

    def body(self, name: str) -> Body:
        if name not in self.index or name == WORLD:
            raise unknown_name("body", name, (b.name for b in self.bodies))
        return self.bodies[self.index[name]]

    def frame(self, name: str) -> Frame:
        if not isinstance(name, str) or name not in self.frame_index:
            raise unknown_name("frame", name, self.frame_index)
        return self.frame_index[name]

    def joint_number(self, name: str) -> int:
        """Number of the body that hangs on the named joint."""
        if name not in self.joint_index:
            raise unknown_name("joint", name, self.joint_index)
        return self.joint_index[name]

    def children(self, name: str) -> tuple[str, ...]:
        return tuple(body.name for body in self.bodies if body.parent == name)

    def neutral(self) -> tuple[float, ...]:
        return tuple(x for joint in self.joints for x in joint.neutral())

    def start(self) -> tuple[float, ...]:
        """q to start from: the one the source gives, else the neutral one."""
        return self.initial or self.neutral()


def velocity_names(joint: Joint) -> tuple[str, ...]:
    """Names of the entries of v of one joint."""
    if joint.nq == joint.nv:
        return joint.coordinates
    return ("wx", "wy", "wz", "vx", "vy", "vz")[: joint.nv]


__all__ = ["Model", "Pose", "Slot", "velocity_names"]
