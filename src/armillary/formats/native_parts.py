"""Single parts of the native file: joints, poses and shapes from their checked entries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TypeVar

from armillary.errors import ModelError
from armillary.formats.native_body import FrictionEntry, JointEntry, ShapeEntry, SpringEntry
from armillary.formats.native_fields import PoseEntry
from armillary.formats.tables import twist
from armillary.model import JointSpec, Limits, Passive, Pose, Report, Rotor, Shape, joint_spec
from armillary.model.joints import Axis, kernel_joint

T = TypeVar("T")


@dataclass
class Parts:
    """Turns entries into parts of a model; what it repairs goes into the report."""

    report: Report
    here: tuple[str, ...] = ()  # keys of the entry that is being read

    def joint(self, name: str, entry: JointEntry, part: str) -> JointSpec:
        continuous = entry.type == "continuous"
        kind = "revolute" if continuous else entry.type
        if (entry.pitch is not None) != (kind == "helical"):
            raise ModelError(f"{part}: `pitch` belongs to a helical joint, and it needs one.")
        spec = joint_spec(
            kind,
            name=entry.name or name,
            axis=entry.axis,
            axes=entry.axes or (),
            pitch=entry.pitch or 0.0,
            free=entry.free or (),
            continuous=continuous,
        )
        self._note_scaled(spec, [entry.axis] if entry.axis else entry.axes or [], part)
        nv = kernel_joint(spec).nv
        friction = _each(entry.friction, nv, part, "friction")
        spring = _each(entry.spring, nv, part, "spring")
        pairs = zip_longest(friction, spring)  # both have one entry per degree of freedom, or none
        passive = tuple(_passive(*pair) for pair in pairs)
        rotors = tuple(Rotor(r.inertia, r.gear) for r in _each(entry.rotor, nv, part, "rotor"))
        limits = tuple(
            Limits(x.lower, x.upper, x.velocity, x.effort)
            for x in _each(entry.limits, nv, part, "limits")
        )
        return replace(spec, passive=passive, rotors=rotors, limits=limits)

    def _note_scaled(self, spec: JointSpec, given: Sequence[Axis], part: str) -> None:
        for axis, unit in zip(given, spec.axes, strict=False):
            if not isinstance(axis, str) and math.dist(axis, unit[: len(axis)]) > 1e-6:
                self.report.add("repaired", part, f"axis {axis} scaled to unit length {unit}")

    def pose(self, entry: PoseEntry, part: str) -> Pose:
        if entry.rpy is not None:
            return Pose.from_rpy(entry.position, entry.rpy)
        if entry.quaternion is not None:
            norm = math.hypot(*entry.quaternion)
            if norm < 1e-9:
                raise ModelError(f"{part}: the quaternion is zero. Give (w, x, y, z) of length 1.")
            if abs(norm - 1.0) > 1e-6:
                self.report.add("repaired", part, f"quaternion of length {norm:.6g} scaled to 1")
            return Pose.from_quaternion(entry.position, [x / norm for x in entry.quaternion])
        if entry.matrix is None:
            return Pose(entry.position)
        pose = Pose(entry.position, entry.matrix)
        if twist(entry.matrix) > 1e-6:
            raise ModelError(
                f"{part}: the matrix is no rotation: its rows must be orthonormal and "
                f"right-handed. Write more digits, or use rpy."
            )
        return pose

    def shape(self, entry: ShapeEntry, part: str) -> Shape:
        return Shape(
            kind=entry.type,
            size=tuple(entry.size),
            pose=self.pose(entry.at, part),
            mesh=entry.mesh,
            scale=entry.scale,
            color=entry.color,
            role=entry.role,
        )


def _each(entry: T | list[T] | None, nv: int, part: str, what: str) -> list[T]:
    """One entry per degree of freedom: a single mapping serves all of them."""
    if entry is None:
        return []
    if nv == 0:
        raise ModelError(f"{part}: a fixed joint has no {what}. Remove it.")
    entries = entry if isinstance(entry, list) else [entry] * nv
    if len(entries) != nv:
        raise ModelError(
            f"{part}: `{what}` needs one entry per degree of freedom ({nv}), found {len(entries)}. "
            f"Write one mapping to use it for all."
        )
    return entries


def _passive(friction: FrictionEntry | None, spring: SpringEntry | None) -> Passive:
    numbers = friction.model_dump() if friction else {}
    numbers["table"] = tuple(numbers.get("table", ()))
    springs = {"spring": spring.stiffness, "rest": spring.rest} if spring else {}
    return Passive(**(numbers | springs))
