"""What was read, assumed, repaired or ignored on the way from a file to a mechanism."""

from __future__ import annotations

from dataclasses import dataclass, field

from armillary.shown import shown

LEVELS = ("read", "assumed", "repaired", "warning", "ignored")


@dataclass(frozen=True)
class Note:
    """start: of the initial configuration, so that it says nothing of a run from elsewhere."""

    level: str
    part: str
    text: str
    line: int | None = None
    start: bool = False

    def __str__(self) -> str:
        where = f" (line {self.line})" if self.line is not None else ""
        return f"{self.level:>8}  {self.part}: {self.text}{where}"


@shown
@dataclass
class Report:
    """A growing list of notes while a model is read; part of the model afterwards.

    root: the folder that files named in the source must lie in, where one was given."""

    source: str = ""
    notes: list[Note] = field(default_factory=list)
    root: str = ""

    def add(
        self, level: str, part: str, text: str, line: int | None = None, start: bool = False
    ) -> None:
        self.notes.append(Note(level, part, text, line, start))

    def of(self, level: str) -> list[Note]:
        return [note for note in self.notes if note.level == level]

    def __str__(self) -> str:
        head = f"Report on {self.source or 'a mechanism built in Python'}"
        if not self.notes:
            return head + ": nothing assumed, nothing ignored."
        order = {level: k for k, level in enumerate(LEVELS)}
        lines = sorted(self.notes, key=lambda n: order.get(n.level, len(LEVELS)))
        return "\n".join([head, *(str(note) for note in lines)])
