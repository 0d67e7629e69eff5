"""Property files of tyres (`.tir`): sections, units, comments; numbers alone, no code."""

from __future__ import annotations

import math
import os
import re

from armillary.errors import FormatError, ModelError
from armillary.formats.files import read_text
from armillary.model.tyres.coefficients import DIMENSIONS, NEEDED, RANGES, UNUSED, USED
from armillary.model.tyres.magic_formula import MagicFormula

_SECTION = re.compile(r"\[\s*([A-Za-z0-9_ ]+?)\s*\]")
_ENTRY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_UNITS = {
    "LENGTH": {
        "meter": 1.0,
        "metre": 1.0,
        "m": 1.0,
        "mm": 1e-3,
        "millimeter": 1e-3,
        "cm": 1e-2,
        "km": 1e3,
        "inch": 0.0254,
        "foot": 0.3048,
    },
    "FORCE": {
        "newton": 1.0,
        "n": 1.0,
        "knewton": 1e3,
        "kn": 1e3,
        "kilonewton": 1e3,
        "pound_force": 4.4482216152605,
        "kg_force": 9.80665,
    },
    "TIME": {"second": 1.0, "sec": 1.0, "s": 1.0, "millisecond": 1e-3, "minute": 60.0},
    "ANGLE": {"radian": 1.0, "radians": 1.0, "rad": 1.0},
}
_OLD = {"5": "5.2", "6": "5.2", "21": "5.2", "51": "5.2", "52": "5.2"}
_NEW = {"60": "6.1", "61": "6.1", "62": "6.1"}
_FORMATS = {"MF_05": "5.2", "PAC2002": "5.2", "MF-TYRE": "", "USER": "", "": ""}
_TABLES = ("SHAPE", "DEFLECTION_LOAD_CURVE", "BOTTOMING_CURVE")  # rows of numbers, not used here
_TOLD = 12  # keys in one note


def read_tir(path: str | os.PathLike[str]) -> MagicFormula:
    """The Magic Formula with the coefficients of a property file.

    Versions by FITTYP (5, 6, 21, 52: 5.2; 60-62: 6.1) or PROPERTY_FILE_FORMAT (PAC2002, MF_05).
    `notes` of the result says what was not known or not used; missing coefficients are named."""
    text, source = read_text(path), str(path)
    numbers, words, lines = _parsed(text, source)
    scale = {kind: _unit(kind, words, lines, source) for kind in _UNITS}
    version = _version(numbers, words, source)
    missing = [name for name in NEEDED if name not in numbers]
    if missing:
        raise FormatError(
            f"the coefficients {', '.join(missing)} are missing: this is no complete property file "
            f"of the Magic Formula 5.2 or 6.x.",
            source,
        )
    found = {}
    for name, value in numbers.items():
        if name in USED:
            length, force, time = DIMENSIONS.get(name, (0, 0, 0))
            unit = scale["LENGTH"] ** length * scale["FORCE"] ** force * scale["TIME"] ** time
            found[name] = value * unit
    try:
        made = MagicFormula.of(found, version, _notes(numbers, lines, source))
        return made.checked("tyre")
    except FormatError:
        raise
    except ModelError as fault:
        raise FormatError(fault.message, source) from None


Lines = dict[str, int]


def _parsed(text: str, source: str) -> tuple[dict[str, float], dict[str, str], Lines]:
    """Numbers and words by key (upper case), and the line of each."""
    numbers: dict[str, float] = {}
    words: dict[str, str] = {}
    lines: Lines = {}
    section = ""
    for k, raw in enumerate(text.splitlines(), 1):
        line = re.split(r"[$!]", raw, maxsplit=1)[0].strip()
        if not line:
            continue
        if head := _SECTION.fullmatch(line):
            section = head.group(1).upper()
            continue
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            if section in _TABLES or line.startswith(("{", "#")):
                continue
            raise FormatError(f"expected KEY = value or [SECTION], found {line!r:.60}.", source, k)
        key, value = entry.group(1).upper(), entry.group(2).strip()
        if key in lines:
            raise FormatError(
                f"the key {key} stands here and in line {lines[key]}. Remove one.", source, k
            )
        lines[key] = k
        if value[:1] in ("'", '"'):
            words[key] = value.strip("'\"").strip()
            continue
        try:
            numbers[key] = float(value.replace("D", "E").replace("d", "e"))
        except ValueError:
            raise FormatError(
                f"{key}: expected a number, found {value!r:.60}.", source, k
            ) from None
        if not math.isfinite(numbers[key]):
            raise FormatError(f"{key}: expected a finite number, found {value}.", source, k)
    return numbers, words, lines


def _unit(kind: str, words: dict[str, str], lines: Lines, source: str) -> float:
    word = words.get(kind)
    if word is None:
        return 1.0
    known = _UNITS[kind]
    if word.lower() not in known:
        raise FormatError(
            f"the unit {kind} = '{word}' is not read here; expected one of {', '.join(known)}.",
            source,
            lines[kind],
        )
    return known[word.lower()]


def _version(numbers: dict[str, float], words: dict[str, str], source: str) -> str:
    kind = words.get("PROPERTY_FILE_FORMAT", "").upper()
    fit = f"{numbers['FITTYP']:g}" if "FITTYP" in numbers else ""
    found = (_OLD | _NEW).get(fit) or _FORMATS.get(kind)
    if found or (found == "" and not fit):
        return found or "5.2"
    said = f"FITTYP = {fit}" if fit else f"PROPERTY_FILE_FORMAT = '{kind}'"
    raise FormatError(
        f"{said} is not read here: expected the Magic Formula 5.2 (FITTYP 5, 6, 21, 52; PAC2002, "
        f"MF_05) or 6.x (FITTYP 60, 61, 62).",
        source,
    )


def _notes(numbers: dict[str, float], lines: Lines, source: str) -> list[str]:
    """What was not known, and what has no effect."""
    unknown = [key for key in numbers if key not in USED and key not in UNUSED]
    silent = {"FITTYP", "FILE_VERSION", *RANGES}
    unused = [
        key for key, value in numbers.items() if key in UNUSED and key not in silent and value
    ]
    notes = []
    for what, keys in (("unknown key", unknown), ("not used here", unused)):
        if keys:
            shown = ", ".join(f"{key} (line {lines[key]})" for key in keys[:_TOLD])
            more = f" and {len(keys) - _TOLD} more" if len(keys) > _TOLD else ""
            notes.append(f"{os.path.basename(source)}: {what}: {shown}{more}")
    return notes
