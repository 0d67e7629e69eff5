"""Springs, dampers, cables, bushings and loads in the symbols of textbooks."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.model.parts import WORLD
from armillary.viewer.sketch.canvas import Canvas
from armillary.viewer.sketch.display import INK, PAPER, Disc, Line, Mark
from armillary.viewer.sketch.furniture import pixel, pixels
from armillary.viewer.sketch.skeleton import Element
from armillary.viewer.sketch.symbols import arrow, hatched

_WIDE = 7.0  # pixels: half the width of a spring
_TEETH = 6
_APART = 7.0  # pixels of a spring and its damper from the line between the ends
_LOAD = 46.0  # pixels of a constant load, whatever its size
_WIDTH = 1.6
_LINES = ("cable", "spring", "damper", "actuator", "series")


def element_marks(canvas: Canvas, part: Element, plain: bool = False) -> list[Mark]:
    """One element; plain: without the ground."""
    points = canvas.at(part.points)
    marks: list[Mark] = []
    symbol = part.symbols[0]
    if symbol == "cable":
        marks += _cable(points, part.name)
    elif symbol in ("spring", "damper", "actuator"):
        marks += _strut(points[0], points[-1], part)
    elif symbol == "series":
        marks += _series(points[0], points[-1], part.name)
    elif symbol == "torsion":
        marks += _spiral(points[0], part.name)
    elif symbol == "bushing":
        marks += _bushing(points[0], points[-1], part, plain)
    elif symbol == "tyre":
        pass  # a rim, as of wheels
    elif symbol == "drag":
        marks += _drag(points[-1], part.name)
    else:
        marks += _load(canvas, points, part)
    if not plain and symbol in _LINES:
        for k, other in ((0, 1), (-1, -2)):
            if part.bodies[k] == WORLD:
                marks += _wall(points[k], points[k] - points[other], part.name)
    return marks


def _wall(spot: Array, outward: Array, name: str) -> list[Mark]:
    """A hatched piece of ground across a line that ends there; below it where there is none."""
    length = float(np.linalg.norm(outward))
    along = outward / length if length > 1.0 else np.array([0.0, 1.0])
    aside = np.array([-along[1], along[0]])
    return hatched(np.array([spot - 13.0 * aside, spot + 13.0 * aside]), along, name)


def _strut(start: Array, end: Array, part: Element) -> list[Mark]:
    """Spring, damper or actuator along a line; two of them side by side between plates."""
    length = float(np.linalg.norm(end - start))
    if length < 6.0:
        return [Disc(pixel(start), 5.0, INK, _WIDTH, PAPER, part.symbols[0], part.name)]
    along = (end - start) / length
    aside = np.array([-along[1], along[0]])
    if len(part.symbols) == 1:
        return _single(start, end, _WIDE, part.symbols[0], part.name)
    lead = min(10.0, 0.12 * length) * along
    marks: list[Mark] = []
    for symbol, off in zip(part.symbols, (_APART * aside, -_APART * aside), strict=True):
        a, b = start + lead + off, end - lead + off
        marks += _single(a, b, 0.75 * _WIDE, symbol, part.name)
    for spot, inner in ((start, start + lead), (end, end - lead)):
        plate = [inner - 1.4 * _APART * aside, inner + 1.4 * _APART * aside]
        marks += [
            _line([spot, inner], part.symbols[0], part.name),
            _line(plate, part.symbols[0], part.name),
        ]
    return marks


def _series(start: Array, end: Array, name: str) -> list[Mark]:
    """A spring and behind it a damper, one force in both."""
    if float(np.linalg.norm(end - start)) < 6.0:
        return [Disc(pixel(start), 5.0, INK, _WIDTH, PAPER, "spring", name)]
    middle = 0.5 * (start + end)
    first = _zigzag(start, middle, _WIDE, "spring", name)
    return [*first, *_dashpot(middle, end, _WIDE, "damper", name)]


def _single(a: Array, b: Array, width: float, symbol: str, name: str) -> list[Mark]:
    return (_zigzag if symbol == "spring" else _dashpot)(a, b, width, symbol, name)


def _zigzag(a: Array, b: Array, width: float, role: str, name: str) -> list[Mark]:
    along, aside = b - a, _across(a, b)
    inner = np.linspace(0.15, 0.85, 2 * _TEETH + 1)
    heights = [0.0, *(1.0 - 2.0 * (k % 2) for k in range(2 * _TEETH - 1)), 0.0]
    teeth = [a + s * along + width * y * aside for s, y in zip(inner, heights, strict=True)]
    return [_line([a, *teeth, b], role, name)]


def _dashpot(a: Array, b: Array, width: float, role: str, name: str) -> list[Mark]:
    """A pot, open towards b, and a piston on the rod from b; an actuator has a closed pot."""
    along, aside = b - a, width * _across(a, b)
    bottom, rim, piston = a + 0.28 * along, a + 0.72 * along, a + 0.5 * along
    pot = [rim + aside, bottom + aside, bottom - aside, rim - aside]
    if role == "actuator":
        pot.append(rim + aside)
    return [
        _line([a, bottom], role, name),
        _line(pot, role, name),
        _line([piston + 0.8 * aside, piston - 0.8 * aside], role, name),
        _line([piston, b], role, name),
    ]


def _cable(points: Array, name: str) -> list[Mark]:
    """A thin line, over a small wheel at every point between its ends."""
    marks: list[Mark] = [Line(pixels(points), INK, 1.2, role="cable", name=name)]
    marks += [Disc(pixel(p), 4.0, INK, 1.2, PAPER, "cable", name) for p in points[1:-1]]
    return [*marks, *(Disc(pixel(p), 2.0, INK, 1.0, INK, "cable", name) for p in points[[0, -1]])]


def _spiral(spot: Array, name: str) -> list[Mark]:
    """A flat spiral around the axis, whatever it looks along."""
    turn = np.linspace(0.0, 4.5 * np.pi, 60)
    radius = np.linspace(8.0, 19.0, 60)
    path = spot + radius[:, None] * np.stack([np.cos(turn), -np.sin(turn)], axis=1)
    return [Line(pixels(path), INK, 1.3, role="torsion", name=name)]


def _bushing(spot: Array, other: Array, part: Element, plain: bool) -> list[Mark]:
    """A block of rubber: a square with a cross, on the ground where its first end is."""
    half, name = 10.0, part.name
    corners = [spot + half * np.array(c) for c in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    block = Line(pixels(np.array(corners)), INK, _WIDTH, True, PAPER, role="bushing", name=name)
    marks: list[Mark] = [block, *(_line(corners[k::2], "bushing", name) for k in (0, 1))]
    if np.linalg.norm(other - spot) > half:
        marks.append(_line([spot, other], "bushing", name))
    if part.bodies[0] == WORLD and not plain:
        foot = spot + half * np.array([[-1.6, 1.0], [1.6, 1.0]])
        marks += hatched(foot, np.array([0.0, 1.0]), name)
    return marks


def _drag(spot: Array, name: str) -> list[Mark]:
    """Three waves of air beside the place."""
    t = np.linspace(0.0, 1.0, 16)
    wave = np.stack([12.0 + 20.0 * t, 2.5 * np.sin(2.0 * np.pi * t)], axis=1)
    rows = (spot + wave + np.array([0.0, y]) for y in (-7.0, 0.0, 7.0))
    return [Line(pixels(row), INK, 1.2, role="drag", name=name) for row in rows]


def _load(canvas: Canvas, points: Array, part: Element) -> list[Mark]:
    """An arrow at the body where the direction is known; a dashed line for a law of the user."""
    spot, role = points[-1], part.symbols[0]
    marks: list[Mark] = []
    for direction, heads in ((part.force, 1), (part.moment, 2)):
        if direction is not None:
            tip = spot + _LOAD * canvas.along(direction[None])[0]
            marks += arrow(spot, tip, INK, role, part.name, heads)
    if role == "law" and len(points) > 1:
        middle = 0.5 * (points[0] + spot)
        marks.append(Line(pixels(points), INK, 1.2, dash="2 4", role=role, name=part.name))
        marks.append(Disc(pixel(middle), 4.0, INK, 1.2, PAPER, role, part.name))
    elif not marks:
        marks.append(Disc(pixel(spot), 6.0, INK, 1.2, PAPER, role, part.name))
    return marks


def _across(a: Array, b: Array) -> Array:
    along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    return np.array([-along[1], along[0]])


def _line(points: list[Array], role: str, name: str) -> Line:
    return Line(pixels(np.array(points)), INK, _WIDTH, role=role, name=name)
