"""Welded bodies as part of those that carry them."""

from __future__ import annotations

from dataclasses import replace

from armillary.model.model import Model
from armillary.model.parts import WORLD, Body, Frame, Pose, inertia_of, mass_of


def merge_welded(model: Model) -> Model:
    """An open tree without welded bodies: their mass is that of the carrier, their names are
    frames.  What is welded to the world has no mass any more."""
    where: dict[str, tuple[str, Pose]] = {WORLD: (WORLD, Pose())}
    bodies: dict[str, Body] = {}
    frames: list[Frame] = []
    for body in model.bodies:
        carrier, place = where[body.parent]
        at = place.then(body.at)
        if body.joint.kind != "fixed":
            where[body.name] = (body.name, Pose())
            bodies[body.name] = replace(body, parent=carrier, at=at)
            continue
        where[body.name] = (carrier, at)
        frames.append(Frame(body.name, carrier, at))
        if carrier != WORLD:
            X = at.transform()
            total = inertia_of(bodies[carrier].mass) + X.T @ inertia_of(body.mass) @ X
            bodies[carrier] = replace(bodies[carrier], mass=mass_of(total))
    for frame in model.frames:
        carrier, place = where[frame.body]
        frames.append(replace(frame, body=carrier, pose=place.then(frame.pose)))
    return replace(model, bodies=tuple(bodies.values()), frames=tuple(frames))
