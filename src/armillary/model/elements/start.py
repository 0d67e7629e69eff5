"""Where elements are when a model starts: lengths of lines, tyres on their roads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from armillary.model.edit import joint_transform
from armillary.model.elements.element import ForceElement
from armillary.model.elements.tyre import Tyre
from armillary.model.model import Model
from armillary.model.parts import WORLD, Frame
from armillary.model.tyres.contact import touch
from armillary.spatial import Transform, Vector

_TOGETHER = 1e-12  # m
_MOVED = (0.7, -1.3)  # rad or m: moves to other configurations


def start_poses(model: Model, q: Sequence[float] | None = None) -> list[Transform]:
    """X_BW of all bodies in the initial configuration, or in another one."""
    q, poses = model.start() if q is None else q, list[Transform]()
    for body, slot in zip(model.bodies, model.slots, strict=True):
        X = joint_transform(body.joint, q[slot.q]) @ body.at.transform()
        poses.append(X if body.parent == WORLD else X @ poses[model.index[body.parent]])
    return poses


def start_length(model: Model, poses: Sequence[Transform], part: ForceElement) -> float:
    """Of the line through the ends of an element in the initial configuration, m.
    poses: of all bodies there (`start_poses`)."""
    places = [_pose(model, poses, end).r for end in part.ends]
    arms = (two - one for one, two in pairwise(places))
    return sum(math.sqrt(float(arm.dot(arm))) for arm in arms)


def coincide_always(model: Model, part: ForceElement) -> bool:
    """Are the ends of an element, which coincide in the initial configuration, together in others,
    too, whatever the joints of the tree do?"""
    start = model.start()
    for move in _MOVED:
        q = list(start)
        for k, (joint, slot) in enumerate(zip(model.joints, model.slots, strict=True)):
            own = [move * (1.0 + 0.1 * (k + i)) for i in range(joint.nv)]
            q[slot.q] = joint.integrate(start[slot.q], own)
        if start_length(model, start_poses(model, q), part) > _TOGETHER:
            return False
    return True


def start_deflection(
    model: Model, poses: Sequence[Transform], part: ForceElement, law: Tyre
) -> float:
    """Of a tyre in the initial configuration, m; negative in the air."""
    first, second = (_pose(model, poses, end) for end in part.ends)
    X, none = second @ first.inverse(), Vector(0.0, 0.0, 0.0)
    axis = X.E.T @ Vector(*law.axis)
    return float(touch(law.road, X.r, axis, none, none, law.radius, law.lift).deflection)


def _pose(model: Model, poses: Sequence[Transform], end: Frame) -> Transform:
    """X_FW of an end."""
    X = end.pose.transform()
    return X if end.body == WORLD else X @ poses[model.index[end.body]]
