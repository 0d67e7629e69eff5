"""Solids that the client has no word for, as triangles: cone, hollow and half cylinder, prism.

Each is an outline below and one above, with walls between them and lids.  Triangles are seen
counter-clockwise from outside.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armillary.model.parts import Shape
from armillary.viewer.places import Array

KINDS = ("cone", "hollow-cylinder", "semi-cylinder", "prism")
SIDES = 48  # of a circle

Triangles = NDArray[np.int64]


def triangles(shape: Shape) -> tuple[Array, Triangles]:
    """Corners (n, 3), m, in the solid's frame, and three numbers of corners for each triangle."""
    turn = 2.0 * np.pi * np.arange(SIDES) / SIDES
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    match shape.kind:
        case "cone":
            radius, length, top = shape.size
            return _drawn_out(radius * circle, top * circle, length)
        case "hollow-cylinder":
            radius, inner, length = shape.size
            return _tube(radius * circle, inner * circle, length)
        case "semi-cylinder":
            radius, length = shape.size
            half = turn[: SIDES // 2 + 1] - np.pi / 2.0
            arc = radius * np.stack([np.cos(half), np.sin(half)], axis=1)
            return _drawn_out(arc, arc, length)
    outline = np.array(shape.outline)
    if _area(outline) < 0.0:
        outline = outline[::-1]
    return _drawn_out(outline, outline, shape.size[0])


def _drawn_out(below: Array, above: Array, length: float) -> tuple[Array, Triangles]:
    """From an outline at z = -length/2 to one at +length/2, both counter-clockwise."""
    n = len(below)
    lid = _cut_up(below if _area(below) > _area(above) else above)
    walls = _walls(np.arange(n), n + np.arange(n))
    return _kept(_levels(below, above, length), [walls, lid[:, ::-1], lid + n])


def _tube(outer: Array, inner: Array, length: float) -> tuple[Array, Triangles]:
    n = len(outer)
    at = [np.arange(n) + k * n for k in range(4)]  # outer below, above; inner below, above
    corners = np.concatenate([_levels(outer, outer, length), _levels(inner, inner, length)])
    faces = [_walls(at[0], at[1]), _walls(at[3], at[2]), _walls(at[2], at[0]), _walls(at[1], at[3])]
    return _kept(corners, faces)


def _levels(below: Array, above: Array, length: float) -> Array:
    levels = ((below, -0.5 * length), (above, 0.5 * length))
    return np.concatenate([np.column_stack([xy, np.full(len(xy), z)]) for xy, z in levels])


def _walls(low: Triangles, high: Triangles) -> Triangles:
    """Between two closed rings of corners."""
    a, b = np.roll(low, -1), np.roll(high, -1)
    return np.concatenate([np.stack([low, a, b], axis=1), np.stack([low, b, high], axis=1)])


def _kept(corners: Array, faces: list[Triangles]) -> tuple[Array, Triangles]:
    """Without triangles that have no area, as at the tip of a cone."""
    found = np.concatenate(faces)
    a, b, c = (corners[found[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return corners, found[areas > 1e-12 * areas.max(initial=0.0)]


def _area(outline: Array) -> float:
    x, y = outline.T
    return 0.5 * float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def _cut_up(outline: Array) -> Triangles:
    """A counter-clockwise outline as triangles: ears that hold no other corner are cut off."""
    left, found = list(range(len(outline))), []
    while len(left) > 3:
        ear = next((k for k in range(len(left)) if _is_ear(outline, left, k)), 0)
        found.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return np.array([*found, tuple(left)], np.int64)


def _is_ear(outline: Array, left: list[int], k: int) -> bool:
    a, b, c = outline[left[k - 1]], outline[left[k]], outline[left[(k + 1) % len(left)]]
    if _side(a, b, c) <= 0.0:
        return False
    ends = (left[k - 1], left[k], left[(k + 1) % len(left)])
    others = (outline[i] for i in left if i not in ends)
    return not any(min(_side(a, b, p), _side(b, c, p), _side(c, a, p)) >= 0.0 for p in others)


def _side(a: Array, b: Array, p: Array) -> float:
    """Positive where p is to the left of the way from a to b."""
    return float((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]))
