"""Joint symbols of textbooks, in pixels: pins, slides, balls, screws, and the ground they stand on.

A symbol is drawn at a spot; directions come as they look in the picture: the projection of a unit
vector (x right, y down), shorter the more it points at the viewer.
"""

from __future__ import annotations

import math

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.viewer.sketch.display import INK, PAPER, Disc, Line, Mark, Point

RADIUS = 6.0  # of a pin
_HALF = 9.0  # half the length of a hinge
_FACING = 0.35  # a direction that looks shorter than this points at the viewer


def marks_of(symbol: str, spot: Array, turns: Array, color: str, name: str) -> list[Mark]:
    """The turning part of a joint; turns (n, 2)."""
    if symbol in ("pin", "cylindrical", "screw"):
        return hinge(spot, turns[0], symbol, name)
    if symbol == "universal":
        return universal(spot, turns, name)
    if symbol == "ball":
        return [
            Disc(_at(spot), RADIUS + 2.5, INK, 1.8, PAPER, "ball", name),
            Disc(_at(spot), RADIUS - 1.5, INK, 1.0, color, "ball", name),
        ]
    if symbol == "weld":
        return [_box(spot, np.array([1.0, 0.0]), 4.0, 4.0, INK, INK, "weld", name)]
    d = RADIUS + 2.0
    corners = ((0.0, -d), (d, 0.0), (0.0, d), (-d, 0.0))
    points = tuple(_at(spot + np.array(c)) for c in corners)
    return [Line(points, INK, 1.8, True, PAPER, role="other", name=name)]


def hinge(spot: Array, axis: Array, symbol: str, name: str) -> list[Mark]:
    """A short cylinder along its axis; a circle where the axis faces the viewer."""
    seen = float(np.linalg.norm(axis))
    if seen < _FACING:
        found: list[Mark] = [Disc(_at(spot), RADIUS, INK, 1.8, PAPER, symbol, name)]
        if symbol != "pin":
            found.append(Disc(_at(spot), RADIUS - 3.5, INK, 1.2, PAPER, symbol, name))
        return found
    half = _HALF * (1.5 if symbol != "pin" else 1.0) * axis
    along = axis / seen
    aside = np.array([-along[1], along[0]])
    minor = RADIUS * math.sqrt(max(0.0, 1.0 - seen * seen)) + 0.4
    turn = np.linspace(0.0, 2.0 * np.pi, 28, endpoint=False)
    ring = RADIUS * np.cos(turn)[:, None] * aside + minor * np.sin(turn)[:, None] * along
    front, back = spot + half + ring, spot - half + ring
    upper, lower = np.sin(turn) >= -1e-9, np.sin(turn) <= 1e-9
    shell = np.concatenate([_sorted(front[upper], aside), _sorted(back[lower], -aside)])
    reach = 8.0 * along
    marks: list[Mark] = [
        _stroke([spot - half - reach, spot + half + reach], 1.0, "axis", name),
        Line(_points(shell), INK, 1.6, True, PAPER, role=symbol, name=name),
        Line(_points(front), INK, 1.0, True, PAPER, role=symbol, name=name),
    ]
    if symbol == "screw":
        for part in (-0.6, -0.1, 0.4):
            middle = spot + part * half
            ends = [middle - RADIUS * aside - 2.0 * along, middle + RADIUS * aside + 2.0 * along]
            marks.append(_stroke(ends, 1.0, "screw", name))
    return marks


def universal(spot: Array, turns: Array, name: str) -> list[Mark]:
    """A circle with the two axes as a cross."""
    marks: list[Mark] = [Disc(_at(spot), RADIUS + 1.5, INK, 1.6, PAPER, "universal", name)]
    for axis in turns:
        arm = (RADIUS + 6.0) * axis
        marks.append(_stroke([spot - arm, spot + arm], 1.8, "universal", name))
    return marks


def slide(spot: Array, axis: Array, color: str, name: str) -> list[Mark]:
    """A sleeve along its axis; a square with a dot where the axis faces the viewer."""
    seen = float(np.linalg.norm(axis))
    if seen < _FACING:
        return [
            _box(spot, np.array([1.0, 0.0]), 8.0, 8.0, INK, PAPER, "slide", name),
            Disc(_at(spot), 2.0, color, 1.0, color, "slide", name),
        ]
    return [_box(spot, axis / seen, 15.0 * max(seen, 0.55), 7.0, INK, PAPER, "slide", name)]


def pin_ground(spot: Array, down: float, name: str) -> list[Mark]:
    """The triangle of a planar bearing; down: 1 below the pin, -1 above it."""
    base = spot[1] + down * 20.0
    corners = ((spot[0], spot[1]), (spot[0] - 13.0, base), (spot[0] + 13.0, base))
    triangle = Line(corners, INK, 1.6, True, PAPER, role="ground", name=name)
    ends = np.array([[spot[0] - 19.0, base], [spot[0] + 19.0, base]])
    return [triangle, *hatched(ends, np.array([0.0, down]), name)]


def block_ground(spot: Array, down: float, name: str) -> list[Mark]:
    """A short post on the ground, for joints that turn in space."""
    foot = spot + np.array([0.0, down * 20.0])
    ends = foot + np.array([[-16.0, 0.0], [16.0, 0.0]])
    post = Line(_points([spot, foot]), INK, 5.0, role="ground", name=name)
    return [post, *hatched(ends, np.array([0.0, down]), name)]


def rail(spot: Array, axis: Array, reach: float, down: float, name: str) -> list[Mark]:
    """The hatched rail under a body that slides on the ground."""
    seen = float(np.linalg.norm(axis))
    along = axis / seen if seen >= _FACING else np.array([1.0, 0.0])
    aside = np.array([-along[1], along[0]])
    if abs(aside[1]) > 0.05:
        aside = aside * (down if aside[1] > 0 else -down)
    ends = np.array([spot - reach * along, spot + reach * along]) + 9.0 * aside
    return hatched(ends, aside, name)


def hatched(ends: Array, away: Array, name: str, step: float = 6.0) -> list[Mark]:
    """A line with short strokes on its far side."""
    marks: list[Mark] = [Line(_points(ends), INK, 1.8, role="ground", name=name)]
    length = float(np.linalg.norm(ends[1] - ends[0]))
    if length < 1.0:
        return marks
    along = (ends[1] - ends[0]) / length
    for s in np.arange(step / 2.0, length, step):
        start = ends[0] + s * along
        stroke = [start, start + 6.0 * (away - 0.6 * along)]
        marks.append(_stroke(stroke, 0.9, "hatching", name))
    return marks


def arrow(start: Array, end: Array, color: str, role: str, name: str, heads: int = 1) -> list[Mark]:
    """A straight arrow; a moment has two heads."""
    length = float(np.linalg.norm(end - start))
    if length < 1.0:
        return [Disc(_at(start), 2.5, color, 1.0, color, role, name)]
    along = (end - start) / length
    aside, size = np.array([-along[1], along[0]]), min(9.0, 0.6 * length)
    shaft_end = end - 0.8 * size * along
    marks: list[Mark] = [Line(_points([start, shaft_end]), color, 2.4, role=role, name=name)]
    for k in range(heads):
        tip = end - 0.75 * k * size * along
        corners = [
            tip,
            tip - size * along + 0.42 * size * aside,
            tip - size * along - 0.42 * size * aside,
        ]
        marks.append(Line(_points(corners), color, 0.5, True, color, role=role, name=name))
    return marks


def _box(
    spot: Array, along: Array, half: float, side: float, color: str, fill: str, role: str, name: str
) -> Line:
    aside = np.array([-along[1], along[0]])
    corners = [
        spot + a * half * along + b * side * aside for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    return Line(_points(corners), color, 1.8, True, fill, role=role, name=name)


def _stroke(points: list[Array], width: float, role: str, name: str) -> Line:
    return Line(_points(points), INK, width, role=role, name=name)


def _sorted(points: Array, direction: Array) -> Array:
    return points[np.argsort(points @ direction)]


def _at(point: Array) -> Point:
    return (float(point[0]), float(point[1]))


def _points(points: list[Array] | Array) -> tuple[Point, ...]:
    return tuple(_at(p) for p in points)
