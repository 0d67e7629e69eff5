"""Fields of a JSON object out of a file, each of its kind; a ValueError says what was expected."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

_NEEDED = object()


def field(content: object, name: str, kind: type | tuple[type, ...], default: Any = _NEEDED) -> Any:
    """A field of one of these kinds; True and False are no numbers."""
    if not isinstance(content, dict):
        _refuse("a record", "a mapping", content)
    value = content.get(name, default)
    if value is _NEEDED:
        _refuse(f"'{name}'", "to be there", "nothing")
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        if value is default:
            return value
        _refuse(f"'{name}'", " or ".join(x.__name__ for x in kinds), value)
    if isinstance(value, str) and "\x00" in value:
        _refuse(f"'{name}'", "a text without NUL", value)
    return value


def number(content: object, name: str, default: Any = _NEEDED) -> float:
    """A finite number, 0 or more."""
    value = field(content, name, (int, float), default)
    if not 0.0 <= value < math.inf:
        _refuse(f"'{name}'", "a number from 0 on", value)
    return float(value)


def count(content: object, name: str, default: Any = _NEEDED) -> int:
    """A whole number that an array may have of rows."""
    value = field(content, name, int, default)
    if not 0 <= value < 1 << 53:
        _refuse(f"'{name}'", "a whole number from 0 on", value)
    return int(value)


def texts(name: str, value: object) -> tuple[str, ...]:
    """A list of texts."""
    found = tuple(value) if isinstance(value, (list, tuple)) else (None,)
    if not all(isinstance(x, str) and "\x00" not in x for x in found):
        _refuse(f"'{name}'", "a list of texts", value)
    return found


def numbers(name: str, value: object) -> Any:
    """A number as a float, a list of numbers, or of such lists of one length, as an array."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError, OverflowError):
        _refuse(f"'{name}'", "numbers", value)
    return array if array.ndim else float(array)


def events(content: object) -> list[tuple[float, str]]:
    """[[time, text], ...]"""
    found = []
    for entry in field(content, "events", list):
        match entry:
            case [int() | float() as t, str() as text]:
                found.append((float(t), text))
            case _:
                _refuse("'events'", "pairs of a time and a text", entry)
    return found


def _refuse(what: str, expected: str, found: object) -> NoReturn:
    raise ValueError(f"{what}: expected {expected}, found {found!r:.60}")
