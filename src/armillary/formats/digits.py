"""How exactly the numbers of a file are written.

Loops that close in exact numbers are open, and rows that follow from others no longer do, by the
rounding of the digits that were written: 3e-8 m in a file with eight places."""

from __future__ import annotations

import re
from statistics import median_high

_NUMBER = re.compile(r"(?<![\w.])[-+]?(\d*)\.(\d+)(?:[eE]([-+]?\d{1,3}))?(?![\w.])")
_TELLING = 6  # significant digits: fewer are round numbers, which may be meant exactly
_FULL = 13  # significant digits of a double that was not rounded on purpose
_SHARE = 0.2  # of the telling numbers in full digits: then the file was not rounded


def accuracy(text: str) -> float:
    """Value of the last written place, typical of the numbers of a file with many digits that were
    rounded; 0 where they are round numbers, or written in full."""
    places, full = [], 0
    for whole, part, exponent in _NUMBER.findall(text):
        digits = len((whole + part).lstrip("0"))
        if digits >= _FULL:
            full += 1
        elif digits >= _TELLING:
            places.append(10.0 ** (int(exponent or 0) - len(part)))
    if not places or full > _SHARE * (full + len(places)):
        return 0.0
    return median_high(places)
