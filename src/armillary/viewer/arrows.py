"""Arrows of a run: forces and moments in joints, loops, rods, surfaces, contacts and wheels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from armillary.mechanism.mechanism import Mechanism
from armillary.model.constraint_parts import Contact, Distance, Loop, Surface, Wheel
from armillary.model.parts import Frame, Pose
from armillary.sim.record.run_data import RunData
from armillary.units import WRENCH
from armillary.viewer.motion import Motion, contact_points, member_of
from armillary.viewer.places import ORIGIN, Array
from armillary.viewer.schema import ArrowPart, ArrowScale, Point

_PERCENTILE = 95.0  # of the magnitudes: the longest peaks must not shrink the rest to dots
_NOTHING = 1e-9  # of the largest: rounding noise


@dataclass
class Arrows:
    """parts[k] has the components values[k] (T, 3), world axes; tracks: moving points (T, 3)."""

    parts: list[ArrowPart] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)
    tracks: list[Array] = field(default_factory=list)

    def add(
        self,
        name: str,
        kind: str,
        group: str,
        body: int,
        at: Point,
        values: Array,
        track: int = -1,
    ) -> None:
        fields = {"name": name, "kind": kind, "group": group, "body": body, "point": at}
        self.parts.append(ArrowPart.model_validate({**fields, "track": track}))
        self.values.append(values)

    def scale(self) -> ArrowScale:
        """What a long arrow stands for."""
        return ArrowScale(force=self._large("force"), moment=self._large("moment"))

    def _large(self, kind: str) -> float:
        pairs = zip(self.parts, self.values, strict=True)
        sizes = [np.linalg.norm(x, axis=1) for part, x in pairs if part.kind == kind]
        flat = np.concatenate(sizes) if sizes else np.zeros(0)
        flat = flat[np.isfinite(flat)]
        flat = flat[flat > _NOTHING * flat.max(initial=0.0)]
        return float(np.percentile(flat, _PERCENTILE)) if len(flat) else 0.0

    def without_noise(self) -> Arrows:
        """The same without arrows that are nothing beside the others of their kind."""
        pairs = list(zip(self.parts, self.values, strict=True))
        most = {
            kind: max((_greatest(x) for part, x in pairs if part.kind == kind), default=0.0)
            for kind in ("force", "moment")
        }
        kept = [
            (part, values)
            for part, values in pairs
            if _greatest(values) > _NOTHING * most[part.kind]
        ]
        return Arrows([p for p, _ in kept], [x for _, x in kept], self.tracks)


def _greatest(values: Array) -> float:
    sizes = np.linalg.norm(values, axis=1)
    return float(sizes[np.isfinite(sizes)].max(initial=0.0))


def arrows_of(mechanism: Mechanism, run: RunData, member: int, motion: Motion) -> Arrows:
    """What the run has recorded of forces: `reactions`, `constraint_forces`, `element_forces`."""
    found = Arrows()
    _reactions(found, mechanism, run, member, motion)
    _constraint_forces(found, mechanism, run, member, motion)
    names = [part.name for part in mechanism.model.elements]
    wrenches = {name: _wrench(run, "element_forces", name, member, motion) for name in names}
    _element_forces(found, mechanism, wrenches, motion)
    return found.without_noise()


def arrows_at(mechanism: Mechanism, q: Array, motion: Motion) -> Arrows:
    """What force elements exert at rest in one configuration."""
    found = Arrows()
    if mechanism.model.elements:
        forces = mechanism.element_forces(q, np.zeros(mechanism.nv))
        _element_forces(
            found, mechanism, dict(zip(forces, forces.wrench[:, None], strict=True)), motion
        )
    return found.without_noise()


def _wrench(run: RunData, name: str, part: str, member: int, motion: Motion) -> Array | None:
    """(T, 6) of a joint or constraint; None where it was not recorded."""
    labels = run.labels.get(name, ())
    columns = [f"{part}.{component}" for component in WRENCH]
    if not set(columns) <= set(labels):
        return None
    values = member_of(run, run[name], member)
    return values[motion.rows][:, [labels.index(column) for column in columns]]


def _reactions(
    found: Arrows, mechanism: Mechanism, run: RunData, member: int, motion: Motion
) -> None:
    """By the parent on the body, at the body's origin."""
    for k, body in enumerate(mechanism.model.bodies):
        wrench = _wrench(run, "reactions", body.joint.name, member, motion)
        if wrench is None:
            continue
        for kind, columns in (("moment", slice(0, 3)), ("force", slice(3, 6))):
            world = np.einsum("tij,tj->ti", motion.R[:, k], wrench[:, columns])
            found.add(f"{kind} in joint {body.joint.name}", kind, "joint", k, ORIGIN, world)


def _constraint_forces(
    found: Arrows, mechanism: Mechanism, run: RunData, member: int, motion: Motion
) -> None:
    """On the second body, in the second frame; of a wheel where it touches the ground."""
    model = mechanism.model
    parts: list[Loop | Distance | Surface | Contact | Wheel] = [*model.loops, *model.distances]
    for part in [*parts, *model.surfaces, *model.contacts, *model.wheels]:
        wrench = _wrench(run, "constraint_forces", part.name, member, motion)
        if wrench is None:
            continue
        end = Frame("", part.body, Pose(part.center)) if isinstance(part, Wheel) else part.second
        if not isinstance(part, Wheel):
            _at_end(found, mechanism, part.name, "constraint", end, wrench, motion)
            continue
        k = model.index[end.body]
        force = _turned(mechanism, end, wrench[:, 3:], motion)
        track = len(found.tracks)
        found.tracks.append(contact_points(mechanism, motion, part))
        name = f"force of the ground on {part.name}"
        found.add(name, "force", "wheel", k, part.center, force, track)


def _element_forces(
    found: Arrows, mechanism: Mechanism, wrenches: Mapping[str, Array | None], motion: Motion
) -> None:
    """On the second (or last) end, in that frame."""
    for part in mechanism.model.elements:
        wrench = wrenches[part.name]
        if wrench is not None:
            _at_end(found, mechanism, part.name, "element", part.ends[-1], wrench, motion)


def _at_end(
    found: Arrows,
    mechanism: Mechanism,
    name: str,
    group: str,
    end: Frame,
    wrench: Array,
    motion: Motion,
) -> None:
    """Moment and force (T, 6) in a frame, at its origin."""
    k = mechanism.model.index[end.body]
    for kind, columns in (("moment", slice(0, 3)), ("force", slice(3, 6))):
        values = _turned(mechanism, end, wrench[:, columns], motion)
        found.add(f"{kind} of {name}", kind, group, k, end.pose.position, values)


def _turned(mechanism: Mechanism, end: Frame, values: Array, motion: Motion) -> Array:
    """Vectors (T, 3) in a frame along the world's axes."""
    k = mechanism.model.index[end.body]
    R = np.asarray(end.pose.rotation)
    if k >= 0:
        R = motion.R[:, k] @ R
    return np.einsum("...ij,...j->...i", R, values)
