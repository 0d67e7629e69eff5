"""Where names go: near what they name, off everything else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.viewer.sketch.display import Disc, Line, Mark, Text

_SIZE = 12.0
_WIDTH = 0.56  # of a letter, as a part of the size
_LONGEST = 24  # letters
# candidate positions about a spot: distance (pixels) and direction
_RADII = np.repeat((0.0, 14.0, 18.0, 22.0, 28.0, 34.0, 42.0, 50.0, 60.0, 72.0), 24)
_COSINES = np.tile(np.cos(np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)), 10)
_SINES = np.tile(np.sin(np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)), 10)


def place_labels(
    names: Iterable[tuple[Array, str, str]], marks: Sequence[Mark], width: float, height: float
) -> list[Text]:
    """Labels (spot, text, colour): the cheapest of 240 positions around each spot, where distance
    costs and covering a mark or another label costs more."""
    taken = _spots(marks)
    labels: list[Text] = []
    boxes = np.zeros((0, 4))  # x, y, half width, half height of the labels so far
    for spot, text, color in names:
        short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
        half = np.array([0.5 * _WIDTH * _SIZE * len(short) + 2.0, 0.5 * _SIZE + 2.0])
        offset = np.stack([_RADII + 0.8 * half[0] * np.abs(_COSINES), _RADII], axis=-1)
        places = spot + offset * np.stack([_COSINES, _SINES], axis=-1)
        near = taken[(np.abs(taken - spot) < 2.0 * half + 80.0).all(axis=1)]
        covered = (np.abs(near[None] - places[:, None]) < half).all(axis=-1).sum(axis=1)
        apart = np.abs(boxes[None, :, :2] - places[:, None])
        hidden = (apart < boxes[None, :, 2:] + half).all(axis=-1).sum(axis=1)
        outside = ((places < half) | (places > np.array([width, height]) - half)).any(axis=1)
        best = places[np.argmin(_RADII + 8.0 * covered + 80.0 * hidden + 200.0 * outside)]
        boxes = np.concatenate([boxes, [[*best, *half]]])
        labels.append(Text((float(best[0]), float(best[1])), short, color, _SIZE, "label", text))
    return labels


def _spots(marks: Sequence[Mark]) -> Array:
    """Points that labels should not cover, about every 8 pixels along lines."""
    found: list[tuple[float, float]] = []
    for mark in marks:
        if isinstance(mark, Line):
            if mark.role == "casing":
                continue
            points = [*mark.points, mark.points[0]] if mark.closed else list(mark.points)
            for (x0, y0), (x1, y1) in pairwise(points):
                count = max(1, min(200, int(math.hypot(x1 - x0, y1 - y0) / 8.0)))
                found += [
                    (x0 + (x1 - x0) * k / count, y0 + (y1 - y0) * k / count)
                    for k in range(count + 1)
                ]
        elif isinstance(mark, Disc):
            x, y = mark.center
            r = mark.radius
            found += [(x, y), (x + r, y), (x - r, y), (x, y + r), (x, y - r)]
    return np.array(found).reshape(-1, 2)
