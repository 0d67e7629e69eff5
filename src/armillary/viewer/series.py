"""Quantities of a run as plots and tables of a page: one panel per quantity and unit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armillary.sim.record.plotting import panels
from armillary.sim.record.run_data import RunData
from armillary.viewer.motion import Motion, member_of
from armillary.viewer.pack import packed
from armillary.viewer.places import Array
from armillary.viewer.schema import SeriesPart

_WRENCHES = ("reactions", "constraint_forces")
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
    for panel in panels(run, ()):
        values = member_of(run, run[panel.name], member)
        values = values[:, list(panel.columns)] if panel.columns else values[:, None]
        title = _TITLES.get(panel.name, panel.name.replace("_", " "))
        yield _series(panel.name, title, panel.unit, panel.labels, values, motion)


def _magnitudes(run: RunData, member: int, motion: Motion) -> Iterator[SeriesPart]:
    """Length of the force and of the moment of every recorded wrench."""
    for name in (n for n in _WRENCHES if n in run):
        labels = run.labels[name]
        values = member_of(run, run[name], member)
        for letter, word, unit in (("f", "force", "N"), ("n", "moment", "N m")):
            parts = [x.removesuffix(f".{letter}x") for x in labels if x.endswith(f".{letter}x")]
            if not parts:
                continue
            columns = [[labels.index(f"{p}.{letter}{x}") for x in "xyz"] for p in parts]
            sizes = np.linalg.norm(values[:, columns], axis=-1)
            title = f"{name.replace('_', ' ')}, size of the {word}"
            yield _series(f"|{name} {word}|", title, unit, tuple(parts), sizes, motion)


def _series(
    name: str, title: str, unit: str, labels: tuple[str, ...], values: Array, motion: Motion
) -> SeriesPart:
    return SeriesPart(
        name=name,
        title=title,
        unit=unit,
        labels=labels,
        values=packed(values[motion.rows], "f8"),
        least=tuple(_extreme(x, np.min) for x in values.T),
        greatest=tuple(_extreme(x, np.max) for x in values.T),
        shown=False,
    )


def _extreme(column: Array, of: np.ufunc | object) -> float | None:
    finite = column[np.isfinite(column)]
    return float(of(finite)) if len(finite) else None  # type: ignore[operator]
