"""Forces and moments as arrows, with the length that stands for a round number of N and N m."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array, as_floats
from armillary.viewer.sketch.canvas import Canvas
from armillary.viewer.sketch.display import INK, Mark, Text
from armillary.viewer.sketch.skeleton import Skeleton
from armillary.viewer.sketch.symbols import arrow

_FORCE, _MOMENT = "#b2182b", "#5e3c99"
_LENGTH = 80.0  # pixels of the largest arrow
_NOTHING = 1e-9  # of the largest: rounding


def arrow_marks(canvas: Canvas, shown: Skeleton, forces: Mapping[str, ArrayLike]) -> list[Mark]:
    """Arrows of wrenches (n; f) by name: of joints and bodies in the frame of the body, of loops,
    rods and force elements in that of their second (or last) end."""
    if not isinstance(forces, Mapping):
        raise InputError(
            f"forces: expected wrenches by name, {{name: (n; f)}}, found {forces!r:.60}."
        )
    # forces along coordinates have no place
    placed = [_placed(shown, n, x) for n, x in forces.items() if n not in shown.placeless]
    if not placed:
        return []
    marks: list[Mark] = []
    for k, (part, color, unit, heads) in enumerate(
        ((slice(3, 6), _FORCE, "N", 1), (slice(0, 3), _MOMENT, "N m", 2))
    ):
        sizes = [float(np.linalg.norm(wrench[part])) for _, _, wrench in placed]
        largest = max(sizes)
        if largest <= 0.0:
            continue
        scale = _LENGTH / largest
        for (name, spot, wrench), size in zip(placed, sizes, strict=True):
            if size > _NOTHING * largest:
                start = canvas.at(spot)
                end = start + scale * (canvas.view.flat(wrench[part]) * (1.0, -1.0))
                marks += arrow(start, end, color, "force" if unit == "N" else "moment", name, heads)
        marks += _legend(largest, scale, color, unit, heads, k)
    return marks


def _placed(shown: Skeleton, name: str, value: ArrayLike) -> tuple[str, Array, Array]:
    """(name, where, wrench along the world's axes)."""
    wrench = as_floats(f"forces['{name}']", value)
    if wrench.shape != (6,) or not np.isfinite(wrench).all():
        raise InputError(
            f"forces: '{name}' must be a wrench of 6 finite numbers (moment, force), found "
            f"{np.shape(value)}."
        )
    links = {link.body: (link.origin, link.axes) for link in shown.links}
    known = links | {rod.name: (rod.end, rod.axes) for rod in shown.rods}
    known |= {rim.name: (rim.contact, links[rim.body][1]) for rim in shown.rims}
    known |= {joint.name: (joint.outboard, joint.axes) for joint in shown.joints}
    known |= {part.name: (part.points[-1], part.axes) for part in shown.elements}
    if name not in known:
        raise unknown_name("joint, body, constraint or force element", name, known)
    spot, axes = known[name]
    return name, spot, np.concatenate([axes @ wrench[:3], axes @ wrench[3:]])


def _legend(
    largest: float, scale: float, color: str, unit: str, heads: int, row: int
) -> list[Mark]:
    """An arrow of a round size, top left."""
    decade = 10.0 ** np.floor(np.log10(largest))
    value = max(k * decade for k in (1.0, 2.0, 5.0) if k * decade <= largest * 1.0001)
    start = np.array([20.0, 18.0 + 18.0 * row])
    end = start + np.array([scale * value, 0.0])
    text = f"{value:g} {unit}"
    where = (float(end[0]) + 12.0 + 3.5 * len(text), float(end[1]))
    return [
        *arrow(start, end, color, "legend", unit, heads),
        Text(where, text, INK, 11.0, "legend"),
    ]
