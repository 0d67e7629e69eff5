"""What stands beside the mechanism: axes, a scale, marks; and small geometry of the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.viewer.sketch.canvas import Canvas
from armillary.viewer.sketch.display import INK, PAPER, Disc, Line, Mark, Point, Text

AXIS_COLORS = ("#d55e00", "#009e73", "#0072b2")


def triad(canvas: Canvas) -> list[Mark]:
    """The world's axes, bottom left."""
    corner = np.array([30.0, canvas.height - 30.0])
    return axes_marks(corner, canvas.along(np.eye(3)), 24.0, "world", role="triad")


def axes_marks(
    spot: Array, axes: Array, length: float, name: str, role: str = "frame"
) -> list[Mark]:
    """Three axes with their letters; one that faces the viewer is a dot in a circle."""
    marks: list[Mark] = []
    for letter, axis, color in zip("xyz", axes, AXIS_COLORS, strict=True):
        if np.linalg.norm(axis) < 0.08:
            marks.append(Disc(pixel(spot), 3.5, color, 1.2, PAPER, role, name))
            continue
        tip = spot + length * axis
        marks.append(Line(pixels(np.array([spot, tip])), color, 2.0, role=role, name=name))
        where = spot + (length + 9.0 / max(float(np.linalg.norm(axis)), 0.4)) * axis
        marks.append(Text(pixel(where), letter, color, 11.0, role, name))
    return marks


def scale_bar(canvas: Canvas) -> list[Mark]:
    """A round length, bottom right."""
    target = 90.0 / canvas.scale
    decade = 10.0 ** np.floor(np.log10(target))
    length = max(k * decade for k in (1.0, 2.0, 5.0) if k * decade <= target * 1.0001)
    right, y = canvas.width - 24.0, canvas.height - 18.0
    left = right - length * canvas.scale
    bar = ((left, y - 4.0), (left, y), (right, y), (right, y - 4.0))
    text = f"{length:g} m" if length >= 0.01 else f"{length * 1000:g} mm"
    return [
        Line(bar, INK, 1.2, role="scale"),
        Text(((left + right) / 2.0, y - 9.0), text, INK, 10.0, "scale"),
    ]


def center_mark(spot: Array, name: str) -> list[Mark]:
    """A quartered circle."""
    x, y = pixel(spot)
    r = 5.0
    marks: list[Mark] = [Disc((x, y), r, INK, 1.2, PAPER, "center", name)]
    for start in (0.0, np.pi):
        turn = np.linspace(start, start + np.pi / 2.0, 7)
        wedge = ((x, y), *((x + r * np.cos(t), y + r * np.sin(t)) for t in turn))
        marks.append(Line(wedge, INK, 0.5, True, INK, role="center", name=name))
    return marks


def main_direction(points: Array) -> Array:
    centered = points - points.mean(axis=0)
    return np.linalg.svd(centered, full_matrices=False)[2][0]


def hull(points: Array) -> Array | None:
    """The convex hull in the picture, or None where the points lie on a line."""
    ordered = sorted(map(tuple, points))
    chain: list[tuple[float, ...]] = []
    for sweep in (ordered, ordered[::-1]):
        part: list[tuple[float, ...]] = []
        for p in sweep:
            while len(part) > 1 and _turn(part[-2], part[-1], p) <= 0.0:
                part.pop()
            part.append(p)
        chain += part[:-1]
    corners = np.array(chain)
    if len(corners) < 3:
        return None
    x, y = corners[:, 0], corners[:, 1]
    area = 0.5 * abs(float(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))))
    longest = float(np.linalg.norm(np.ptp(corners, axis=0)))
    return corners if area > 4.0 * longest else None


def _turn(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def pixel(point: Array) -> Point:
    return (float(point[0]), float(point[1]))


def pixels(points: Array) -> tuple[Point, ...]:
    return tuple(pixel(p) for p in points)
