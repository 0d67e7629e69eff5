"""Words and numbers with commas, as options give them."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.errors import InputError


def words(given: Sequence[str] | None) -> list[str]:
    """Single words of "a,b" and repeated options."""
    return [word.strip() for text in given or () for word in text.split(",") if word.strip()]


def numbers(text: str, part: str) -> list[float]:
    try:
        return [float(x) for x in text.split(",") if x.strip()]
    except ValueError:
        raise InputError(f"{part}: expected numbers with commas, found '{text}'.") from None


def pair(text: str, part: str) -> tuple[float, float]:
    found = numbers(text, part)
    if len(found) != 2:
        raise InputError(f"{part}: expected two numbers with a comma, found '{text}'.")
    return found[0], found[1]
