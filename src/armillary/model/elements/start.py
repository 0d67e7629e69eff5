"""Lengths of lines where a model starts."""

from __future__ import annotations

import math
from itertools import pairwise

from armillary.model.edit import joint_transform
from armillary.model.elements.element import ForceElement
from armillary.model.model import Model
from armillary.model.parts import WORLD, Frame
from armillary.spatial import Vector


def start_length(model: Model, part: ForceElement) -> float:
    """Of the line through the ends of an element in the initial configuration, m."""
    places = [_place(model, end) for end in part.ends]
    arms = (two - one for one, two in pairwise(places))
    return sum(math.sqrt(float(arm.dot(arm))) for arm in arms)


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
