"""Remarks of a reader, gathered: the same remark on many parts is one note that counts them."""

from __future__ import annotations

from collections.abc import Container

from armillary.formats.xml import shortened
from armillary.model import Report

_SHOWN = 4


class Notes:
    """Collects remarks while a file is read; `write` puts them into the model's report."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, str, str], dict[str, int | None]] = {}
        self._count: dict[tuple[str, str, str], int] = {}

    def add(self, level: str, kind: str, name: str, text: str, line: int | None = None) -> None:
        """One remark on the part `name` of a kind ("joint"); equal texts are grouped."""
        key = (level, kind, text)
        self._parts.setdefault(key, {}).setdefault(name, line)
        self._count[key] = self._count.get(key, 0) + 1

    def write(self, report: Report) -> None:
        for key, parts in self._parts.items():
            level, kind, text = key
            names = [f"'{shortened(name)}'" for name in parts if name][:_SHOWN]
            more = len(parts) - len(names)
            part = f"{_plural(kind) if len(parts) > 1 else kind} {', '.join(names)}".strip()
            if names and more > 0:
                part += f" and {more} more"
            if self._count[key] > len(parts):
                text += f" ({self._count[key]} times, first here)"
            report.add(level, part, text, next(iter(parts.values())))


def _plural(kind: str) -> str:
    return f"{kind[:-1]}ies" if kind.endswith("y") else "meshes" if kind == "mesh" else f"{kind}s"


def unique(name: str, taken: Container[str]) -> str:
    """The name, or the name with a number where it is taken already."""
    candidate, k = name, 2
    while candidate in taken:
        candidate, k = f"{name}_{k}", k + 1
    return candidate
