"""Force elements in a page: springs, dampers and cables between bodies, coils, rubber, ground."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from armillary.model.elements.turning import TorsionSpring
from armillary.model.model import Model
from armillary.model.parts import WORLD, Frame
from armillary.viewer import colors
from armillary.viewer.elements import placed, symbols_of, title
from armillary.viewer.looks import Measure, shape, tie
from armillary.viewer.motion import Motion
from armillary.viewer.places import ORIGIN, Array, place_of, turned
from armillary.viewer.schema import Color, ShapePart, TiePart

_Look = tuple[str, float, Color]  # kind of tie, radius in bars, colour
_TIES: dict[str, _Look] = {
    "spring": ("coil", 2.4, colors.SPRING),
    "damper": ("damper", 1.2, colors.DAMPER),
    "actuator": ("damper", 1.4, colors.DAMPER),
    "series": ("damper", 1.2, colors.SPRING),
    "cable": ("bar", 0.4, colors.CABLE),
    "bushing": ("bar", 0.7, colors.RUBBER),
    "law": ("bar", 0.25, colors.SPRING),
}


def ties(model: Model, moving: Motion, measure: Measure) -> Iterator[TiePart]:
    """What reaches from end to end; a cable from point to point."""
    for part in placed(model):
        for symbol in symbols_of(part):
            if symbol not in _TIES or (symbol == "law" and WORLD in part.bodies):
                continue
            kind, radius, color = _TIES[symbol]
            for one, two in pairwise(part.ends):
                start, end = (_at(model, moving, x) for x in (one, two))
                ends = (
                    (model.index[one.body], model.index[two.body]),
                    (one.pose.position, two.pose.position),
                )
                length = float(np.linalg.norm(end - start))
                wide = radius * measure.bar
                yield tie(title(part), kind, "element", *ends, wide, color, length)


def solids(model: Model, measure: Measure) -> Iterator[ShapePart]:
    """The coil of a torsion spring, the sleeve of a bushing, blocks where lines end on the world,
    wheels that cables run over."""
    pin = measure.pin
    for part in placed(model):
        name, symbol, law = title(part), symbols_of(part)[0], part.law
        first, number = part.ends[0], model.index[part.ends[0].body]
        if isinstance(law, TorsionSpring):
            at = turned(law.axis, ORIGIN, first.pose)
            size = (3.0 * pin, 2.4 * pin)
            yield shape("element", "coil", number, at, size, colors.SPRING, name)
        elif symbol == "bushing":
            at, size = place_of(first.pose), (2.0 * pin, 0.7 * pin)
            yield shape("element", "ring", number, at, size, colors.RUBBER, name)
        elif symbol in _TIES and symbol != "law":
            yield from _feet(model, part.ends, name, measure)


def _feet(
    model: Model, ends: tuple[Frame, ...], name: str, measure: Measure
) -> Iterator[ShapePart]:
    pin = measure.pin
    for end in ends:
        number, at = model.index[end.body], place_of(end.pose)
        if end in ends[1:-1] or number >= 0:
            yield shape("element", "sphere", number, at, (0.6 * pin,), colors.DARK, name)
        else:
            yield shape("ground", "box", -1, at, (2.4 * pin,) * 3, colors.GROUND, WORLD)


def _at(model: Model, moving: Motion, end: Frame) -> Array:
    """Place of an end in the world at the first instant."""
    k, p = model.index[end.body], np.array(end.pose.position)
    return p if k < 0 else moving.p[0, k] + moving.R[0, k] @ p
