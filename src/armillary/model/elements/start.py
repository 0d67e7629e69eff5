"""Where elements are when a model starts: lengths of lines, tyres on their roads."""

from __future__ import annotations

import math
from itertools import pairwise

from armillary.model.edit import joint_transform
from armillary.model.elements.element import ForceElement
from armillary.model.elements.tyre import Tyre
from armillary.model.model import Model
from armillary.model.parts import WORLD, Frame
from armillary.model.tyres.contact import touch
from armillary.spatial import Transform, Vector


def start_length(model: Model, part: ForceElement) -> float:
    """Of the line through the ends of an element in the initial configuration, m."""
    places = [_place(model, end) for end in part.ends]
    arms = (two - one for one, two in pairwise(places))
    return sum(math.sqrt(float(arm.dot(arm))) for arm in arms)


def start_deflection(model: Model, part: ForceElement, law: Tyre) -> float:
    """Of a tyre in the initial configuration, m; negative in the air."""
    first, second = (_pose(model, end) for end in part.ends)
    X, none = second @ first.inverse(), Vector(0.0, 0.0, 0.0)
    axis = X.E.T @ Vector(*law.axis)
    return float(touch(law.road, X.r, axis, none, none, law.radius, law.lift).deflection)


def _pose(model: Model, end: Frame) -> Transform:
    """X_FW in the initial configuration."""
    q, X, name = model.initial or model.neutral(), end.pose.transform(), end.body
    while name != WORLD:
        k = model.index[name]
        body = model.bodies[k]
        X = X @ joint_transform(body.joint, q[model.slots[k].q]) @ body.at.transform()
        name = body.parent
    return X


def _place(model: Model, end: Frame) -> Vector:
    """Origin of a frame in the world, in the initial configuration."""
    q, p, name = model.initial or model.neutral(), Vector(*end.pose.position), end.body
    while name != WORLD:
        k = model.index[name]
        body = model.bodies[k]
        for X in (joint_transform(body.joint, q[model.slots[k].q]), body.at.transform()):
            p = X.E.T @ p + X.r
        name = body.parent
    return p
