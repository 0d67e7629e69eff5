"""How far the numbers of a run with fixed steps may be off: one number per recorded quantity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from armillary.errors import unknown_name
from armillary.shown import shown
from armillary.sim.record import fields
from armillary.sim.record.layout import Json


@shown
@dataclass(frozen=True)
class ErrorEstimate:
    """run.error_estimate["reactions"]: the largest error of the quantity over all instants, columns
    and runs of a batch, as a part of its largest number with the same unit.  Numbers that are zero
    up to the rounding of others in the run (a drift beside positions) count as exact.

    absolute: the same in the quantity's own units (the largest over its columns).  until: the
    instant up to which it holds, where an event ends it; None: the whole run.  notes: why."""

    relative: Mapping[str, float]
    absolute: Mapping[str, float]
    until: float | None = None
    notes: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> float:
        if name not in self.relative:
            raise unknown_name("recorded quantity", name, self.relative)
        return self.relative[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.relative)

    def __len__(self) -> int:
        return len(self.relative)

    def words(self, name: str) -> str:
        """Of one quantity, for tables."""
        return f"{self.relative[name]:.1e}" if name in self.relative else ""

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {self.words(name)}" for name in self.relative)
        until = "" if self.until is None else f", until t = {self.until:g} s"
        if not parts:
            return f"estimated error: not known ({'; '.join(self.notes)})"
        notes = f" ({'; '.join(self.notes)})" if self.notes else ""
        return f"estimated error, part of the largest value{until}: {parts}{notes}"

    def as_json(self) -> Json:
        return {
            "relative": dict(self.relative),
            "absolute": dict(self.absolute),
            "until": self.until,
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, content: Json) -> ErrorEstimate | None:
        """None where nothing was estimated."""
        if not content:
            return None
        relative, absolute = (
            {name: float(fields.field(own, name, (int, float))) for name in own}
            for own in (fields.field(content, kind, dict) for kind in ("relative", "absolute"))
        )
        until = fields.field(content, "until", (int, float), None)
        notes = fields.texts("notes", content.get("notes", ()))
        return cls(relative, absolute, None if until is None else float(until), notes)
