"""Rows of times and scores: a score has a target and is met or falls short of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    group: str = ""  # of rows with the same columns

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

    def groups(self) -> list[list[Row]]:
        """Rows that share columns, in order of appearance."""
        names = dict.fromkeys(row.group for row in self.rows)
        return [[row for row in self.rows if row.group == name] for name in names]

    def tables(self, width: int) -> list[Table]:
        """For a screen: one table for each group of rows; times and scores apart where they are
        wider than the screen together."""
        found: list[Table] = []
        for rows in self.groups():
            whole = cells(rows)
            parts = [whole] if _width(whole) <= width else [cells(rows, scores=False),
                                                            cells(rows, times=False)]  # fmt: skip
            found += [_table(piece) for part in parts for piece in _pieces(part, width)]
        return found

    def markdown(self) -> str:
        text = [f"## {self.title}", ""]
        for group in self.groups():
            head, *lines = cells(group)
            rule = ["---"] * len(head)
            text += ["| " + " | ".join(line) + " |" for line in (head, rule, *lines)] + [""]
        return "\n".join([*text, *self.notes, ""])

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


def cells(rows: Sequence[Row], times: bool = True, scores: bool = True) -> list[list[str]]:
    """A head and a line for each row: times, scores and notes."""
    timed = _union(r.times for r in rows) if times else []
    judged = _union(r.scores for r in rows) if scores else []
    lines = [["", "", *timed, *judged]]
    for row in rows:
        shown = [time_text(row.times.get(name, "")) for name in timed]
        lines.append(
            [row.robot, row.question, *shown, *(str(row.scores.get(name, "")) for name in judged)]
        )
    if scores and any(row.note for row in rows):
        lines = [[*line, note] for line, note in zip(lines, ["", *(r.note for r in rows)],
                                                     strict=True)]  # fmt: skip
    kept = [line for line in lines[1:] if any(line[2:])]
    return [lines[0], *kept]


def _width(lines: Sequence[Sequence[str]]) -> int:
    """Of a table whose cells are whole: a blank on either side of each."""
    return sum(2 + max(map(len, column)) for column in zip(*lines, strict=True))


def _pieces(lines: list[list[str]], width: int) -> list[list[list[str]]]:
    """The same in tables that are narrow enough, each with the names of the rows."""
    columns = list(zip(*lines, strict=True))
    pieces, first = [columns[:2]], columns[:2]
    for column in columns[2:]:
        taken = [*pieces[-1], column]
        if _width(list(zip(*taken, strict=True))) > width and len(pieces[-1]) > 2:
            taken = [*first, column]
            pieces.append(taken)
        else:
            pieces[-1] = taken
    return [[list(line) for line in zip(*piece, strict=True)] for piece in pieces]


def _table(lines: Sequence[Sequence[str]]) -> Table:
    head, *rows = lines
    table = Table(box=None)
    for k, name in enumerate(head):
        table.add_column(name, justify="left" if k < 2 else "right", no_wrap=k < 2)
    for row in rows:
        table.add_row(*(_coloured(cell) for cell in row))
    return table


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
