"""`draw`: a sketch of a mechanism, or snapshots of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from armillary.cli import screen, states
from armillary.cli.models import find
from armillary.cli.options import Source
from armillary.errors import InputError
from armillary.sim.record.storage import FORMATS
from armillary.viewer.sketch.display import Picture


@dataclass(frozen=True)
class Look:
    """How to draw it."""

    view: str | None
    labels: str
    frames: Sequence[str]
    centers: bool
    at: str | None
    overlay: bool

    @property
    def direction(self) -> str | list[float] | None:
        """A named view, or three numbers."""
        if self.view is None or "," not in self.view:
            return self.view
        return _numbers(self.view, "--view")


def draw(
    source: Source, q: list[str] | None, look: Look, out: Path | None, overwrite: bool
) -> None:
    """A picture beside the run, or in the current folder under the name of the mechanism."""
    path = Path(source.model)
    if path.suffix.lower() in FORMATS and path.exists() and not _is_table(path):
        picture = _of_run(path, look)
        target = out or path.with_suffix(".svg")
    else:
        mechanism = find(source)
        position = states.from_words(mechanism, "q", q) if q else None
        picture = mechanism.draw(
            position, view=look.direction, labels=look.labels,
            frames=[n for text in look.frames for n in text.split(",") if n], centers=look.centers,
        )  # fmt: skip
        target = out or Path(f"{path.stem if path.suffix else source.model}.svg")
    picture.save(target, overwrite=overwrite)
    screen.say(f"{'; '.join(picture.notes) or picture.title}: drawn in {target}")


def _of_run(path: Path, look: Look) -> Picture:
    from armillary.sim.record.stored_run import load_run

    at = None if look.at is None else _numbers(look.at, "--at")
    run = load_run(path)
    return run.draw(at, overlay=look.overlay, view=look.direction, labels=look.labels)


def _is_table(path: Path) -> bool:
    """Whether a .csv is a table of a mechanism, not a run."""
    if path.suffix.lower() != ".csv":
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return not file.readline().lower().startswith("time")


def _numbers(text: str, part: str) -> list[float]:
    try:
        return [float(x) for x in text.split(",") if x.strip()]
    except ValueError:
        raise InputError(f"{part}: expected numbers with commas, found '{text}'.") from None
