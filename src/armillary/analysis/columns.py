"""Tables in plain text: heads, rows of words and numbers, columns as wide as they must be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def columns(heads: Sequence[str], rows: Iterable[Sequence[object]], digits: int = 6) -> list[str]:
    """Lines of a table; numbers stand to the right, words to the left."""
    cells = [list(row) for row in rows]
    shown = [[_text(cell, digits) for cell in row] for row in cells]
    wide = [max(map(len, column)) for column in zip(heads, *shown, strict=True)]
    right = [all(not isinstance(row[k], str) for row in cells) for k in range(len(heads))]

    def line(texts: Sequence[str]) -> str:
        parts = zip(texts, wide, right, strict=True)
        return "  ".join(t.rjust(w) if r else t.ljust(w) for t, w, r in parts).rstrip()

    return [line(heads), *map(line, shown)]


def _text(cell: object, digits: int) -> str:
    if isinstance(cell, float):
        return f"{cell + 0.0:.{digits}g}"
    return str(cell)
