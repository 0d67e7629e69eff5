"""Rows of times and scores: a score has a target and is met or falls short of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class Score:
    """A number to judge: at least the target, or at most where `low` is good."""

    value: float
    target: float | None = None
    low: bool = False
    form: str = "{:.2f}"

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value <= self.target if self.low else self.value >= self.target

    def __str__(self) -> str:
        number = self.form.format(self.value)
        if self.target is None:
            return number
        return f"{number} ({self.target:g}) {'met' if self.met else 'SHORT'}"


def ratio(peer: float, ours: float, target: float | None = None) -> Score:
    """How many times faster."""
    return Score(peer / ours, target)


def error(value: float, target: float | None = None) -> Score:
    return Score(value, target, low=True, form="{:.0e}")


@dataclass(frozen=True)
class Row:
    """One line: what was asked of what, times in seconds by contender, scores by name."""

    robot: str
    question: str
    times: dict[str, float | str]
    scores: dict[str, Score] = field(default_factory=dict)
    note: str = ""  # on the error
    reason: str = ""  # why a ratio may fall short

    def short(self) -> list[str]:
        lines = []
        for name, score in self.scores.items():
            told = self.note if name == "error" else self.reason
            if score.met is False:
                end = f"; {told}" if told else ""
                lines.append(f"{self.robot}, {self.question}: {name} {score}{end}")
        return lines


@dataclass(frozen=True)
class Section:
    """One table."""

    name: str
    title: str
    rows: list[Row]
    notes: tuple[str, ...] = ()

    def columns(self) -> tuple[list[str], list[str]]:
        """Names of times and of scores, in order of appearance."""
        return _union(r.times for r in self.rows), _union(r.scores for r in self.rows)

    def cells(self) -> list[list[str]]:
        times, scores = self.columns()
        head = ["", "", *times, *scores]
        lines = [head]
        for row in self.rows:
            shown = [time_text(row.times.get(name, "")) for name in times]
            judged = [str(row.scores.get(name, "")) for name in scores]
            lines.append([row.robot, row.question, *shown, *judged])
        if any(row.note for row in self.rows):
            head.append("")
            for line, row in zip(lines[1:], self.rows, strict=True):
                line.append(row.note)
        return lines

    def table(self) -> Table:
        head, *lines = self.cells()
        table = Table(title=self.title, title_justify="left", title_style="bold", box=None)
        for k, name in enumerate(head):
            table.add_column(name, justify="left" if k < 2 else "right", no_wrap=k < 2)
        for line in lines:
            table.add_row(*(_coloured(cell) for cell in line))
        return table

    def markdown(self) -> str:
        head, *lines = self.cells()
        rule = ["---"] * len(head)
        rows = ["| " + " | ".join(line) + " |" for line in (head, rule, *lines)]
        return "\n".join([f"## {self.title}", "", *rows, "", *self.notes, ""])

    def data(self) -> dict[str, Any]:
        """For JSON: plain numbers, seconds."""
        rows = []
        for row in self.rows:
            entry = asdict(row)
            for name, score in row.scores.items():
                entry["scores"][name] = {
                    "value": score.value,
                    "target": score.target,
                    "met": score.met,
                }
            rows.append(entry)
        return {"name": self.name, "title": self.title, "rows": rows, "notes": list(self.notes)}


def time_text(value: float | str) -> str:
    """1.04 us; texts stay."""
    if isinstance(value, str):
        return value
    sizes = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))
    unit, size = next((pair for pair in sizes if value >= pair[1]), sizes[-1])
    return f"{value / size:.0f} {unit}" if value >= 100 * size else f"{value / size:.3g} {unit}"


def _coloured(cell: str) -> str:
    text = escape(cell)
    return f"[red]{text}[/red]" if cell.endswith("SHORT") else text


def _union(groups: Iterable[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))
