"""Quantities of a run as plots and tables of a page: one panel per quantity and unit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armillary.sim.record.panels import Panel, panels
from armillary.sim.record.run_data import RunData
from armillary.viewer.motion import Motion, member_of
from armillary.viewer.pack import packed
from armillary.viewer.places import Array
from armillary.viewer.schema import SeriesPart

_WRENCHES = ("reactions", "constraint_forces", "element_forces")
_SHOWN = ("q", "v", "tau", "energy")  # panels that are open when the page begins
_MOST_SHOWN = 4
_NOISE = 1e-9  # of the largest
_NOTHING = 1e-12  # in any unit
_TITLES = {"q": "position q", "v": "velocity v", "a": "acceleration a", "tau": "joint force tau"}


def series_of(run: RunData, member: int, motion: Motion) -> tuple[SeriesPart, ...]:
    """All recorded quantities; magnitudes of wrenches before their components."""
    found = [*_magnitudes(run, member, motion), *_recorded(run, member, motion)]
    order = {name: k for k, name in enumerate(_SHOWN)}
    found.sort(key=lambda s: order.get(s.name, len(order)))
    moving = [_varies(s) for s in found]
    wanted = [s.name in order and moves for s, moves in zip(found, moving, strict=True)]
    if not any(wanted):
        wanted = moving if any(moving) else [True] * len(found)
    shown = set(np.flatnonzero(wanted)[:_MOST_SHOWN].tolist())
    return tuple(s.model_copy(update={"shown": k in shown}) for k, s in enumerate(found))


def _varies(part: SeriesPart) -> bool:
    """Whether there is more to see than zeros and rounding noise."""
    pairs = [
        (low, high)
        for low, high in zip(part.least, part.greatest, strict=True)
        if low is not None and high is not None
    ]
    size = max((max(abs(low), abs(high)) for low, high in pairs), default=0.0)
    return any(high - low > max(_NOISE * size, _NOTHING) for low, high in pairs)


def _recorded(run: RunData, member: int, motion: Motion) -> Iterator[SeriesPart]:
    for panel in panels(run):
        title = _TITLES.get(panel.name, panel.name.replace("_", " "))
        yield _series(panel.name, title, panel, run, member, motion)


def _magnitudes(run: RunData, member: int, motion: Motion) -> Iterator[SeriesPart]:
    """Length of the force and of the moment of every recorded wrench."""
    wrenches = [name for name in _WRENCHES if name in run]
    found = panels(run, wrenches, magnitude=True) if wrenches else ()
    for panel in (x for x in found if x.magnitude):
        title = f"{panel.name.replace('_', ' ')}, size of the {panel.vector}"
        yield _series(f"|{panel.name} {panel.vector}|", title, panel, run, member, motion)


def _series(
    name: str, title: str, panel: Panel, run: RunData, member: int, motion: Motion
) -> SeriesPart:
    lines = [member_of(run, panel.line(run, label), member) for label in panel.labels]
    values = np.stack(lines, axis=1)
    return SeriesPart(
        name=name,
        title=title,
        unit=panel.unit,
        labels=panel.labels,
        values=packed(values[motion.rows], "f8"),
        least=tuple(_extreme(x, np.min) for x in values.T),
        greatest=tuple(_extreme(x, np.max) for x in values.T),
        shown=False,
    )


def _extreme(column: Array, of: np.ufunc | object) -> float | None:
    finite = column[np.isfinite(column)]
    return float(of(finite)) if len(finite) else None  # type: ignore[operator]
