"""States from the command line and from CSV files: numbers in order, joint=value, or columns.

A file has a header with q.<label>, v.<label>, a.<label>, tau.<label>, external.<frame>.<nx...fz>
and perhaps time; one line is one state.  What is missing has its default: q where the mechanism
starts, everything else zero.
"""

from __future__ import annotations

import csv
import difflib
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armillary import Mechanism
from armillary.cli.models import labels
from armillary.errors import FormatError, InputError, unknown_name
from armillary.model.elements.element import element_inputs
from armillary.units import WRENCH

Array = NDArray[np.float64]
KINDS = ("q", "v", "a", "tau")
RESULTS = ("reaction", "constraint", "current", "voltage")  # columns that are not read again
CARRIED = ("time", "t")  # columns that go unread into the results


@dataclass(frozen=True)
class States:
    """Numbers of one state (n,) or of a batch (B, n), by kind; wrenches by frame."""

    values: dict[str, Array]
    external: dict[str, Array] = field(default_factory=dict)
    carried: dict[str, list[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    named: dict[str, dict[str, Array]] = field(default_factory=dict)  # kinds given in part, by name


def start(mechanism: Mechanism, kind: str) -> Array:
    """What holds where nothing is given."""
    if kind != "q":
        return np.zeros(mechanism.nv)
    return np.array(mechanism.model.start(), float)


# -- numbers on the command line -----------------------------------------------------------------


def from_options(
    mechanism: Mechanism, given: dict[str, list[str] | None], wrenches: Sequence[str] | None
) -> States:
    values = {
        kind: from_words(mechanism, kind, words) if words else start(mechanism, kind)
        for kind, words in given.items()
    }
    named = _named(mechanism, given, values)
    return States(values, from_wrenches(mechanism, wrenches or ()), named=named)


def _named(
    mechanism: Mechanism, given: dict[str, list[str] | None], values: dict[str, Array]
) -> dict[str, dict[str, Array]]:
    """Numbers that were typed as joint=value, by kind and label."""
    found: dict[str, dict[str, Array]] = {}
    for kind, words in given.items():
        names = [pair.rpartition("=")[0].strip() for pair in _pairs(words or ()) if "=" in pair]
        if names:
            own = labels(mechanism, kind)
            found[kind] = {name: values[kind][..., own.index(name)] for name in names}
    return found


def from_words(mechanism: Mechanism, kind: str, words: Sequence[str]) -> Array:
    """'0.1,0.2' or '0.1 0.2' in the order of the labels, or 'joint=value,...'."""
    if not any("=" in word for word in words):
        texts = re.split(r"[,\s]+", " ".join(words).strip(" ,"))
        found = [_number(text, f"--{kind}") for text in texts if text]
        names = labels(mechanism, kind)
        if len(found) != len(names):
            raise InputError(
                f"--{kind}: expected {len(names)} numbers ({_few(names)}), found {len(found)}. "
                f"Give all of them in this order, or some as joint=value."
            )
        return np.array(found)
    values = start(mechanism, kind)
    seen: set[str] = set()
    for pair in _pairs(words):
        name, _, text = pair.rpartition("=")
        name = name.strip()
        if not name:
            raise InputError(f"--{kind}: expected joint=value, found '{pair}'.")
        k = _index(name, labels(mechanism, kind), f"--{kind}")
        if name in seen:
            raise InputError(f"--{kind}: '{name}' is given twice.")
        seen.add(name)
        values[k] = _number(text, f"--{kind} {name}")
    return values


def element_labels(mechanism: Mechanism) -> dict[str, tuple[str, int]]:
    """What force elements take, by name ("jack", "gust.fx"): the element, and which of its numbers.
    A joint of that name goes first."""
    found: dict[str, tuple[str, int]] = {}
    for part in mechanism.model.elements:
        if part.law.input_count():
            names = element_inputs(part, part.name)
            found |= {label: (part.name, k) for k, label in enumerate(names)}
    joints = {*mechanism.v_labels, *mechanism.model.joint_index}
    return {label: x for label, x in found.items() if label not in joints}


def forces_of_elements(
    mechanism: Mechanism, words: Sequence[str]
) -> tuple[list[str], dict[str, Array]]:
    """'element=force' among 'joint=force': the words that are left, and numbers by element."""
    known, rest, found = element_labels(mechanism), list[str](), dict[str, Array]()
    seen: set[str] = set()
    for pair in _pairs(words) if any("=" in word for word in words) else ():
        label, text = (part.strip() for part in pair.rpartition("=")[::2])
        if label not in known:
            rest.append(pair)
            continue
        if label in seen:
            raise InputError(f"--tau: '{label}' is given twice.")
        seen.add(label)
        name, k = known[label]
        count = sum(other == name for other, _ in known.values())
        found.setdefault(name, np.zeros(count))[k] = _number(text, f"--tau {label}")
    return (rest if found else list(words)), found


def from_wrenches(mechanism: Mechanism, wrenches: Sequence[str]) -> dict[str, Array]:
    """'frame=nx,ny,nz,fx,fy,fz', each frame once."""
    result: dict[str, Array] = {}
    for text in wrenches:
        name, _, rest = text.rpartition("=")
        found = [_number(x, f"--external {name}") for x in re.split(r"[,\s]+", rest.strip()) if x]
        if not name or len(found) != 6:
            raise InputError(
                f"--external: expected frame=nx,ny,nz,fx,fy,fz (N m, N), found '{text}'."
            )
        mechanism.model.frame(name)
        if name in result:
            raise InputError(f"--external: frame '{name}' is given twice.")
        result[name] = np.array(found)
    return result


def from_prescribed(mechanism: Mechanism, words: Sequence[str]) -> dict[str, Array]:
    """'name=acceleration' of a constraint or joint, or as many as it has rows or coordinates."""
    result: dict[str, Array] = {}
    for text in words:
        name, _, rest = text.rpartition("=")
        numbers = [x for x in re.split(r"[,\s]+", rest.strip(" ,")) if x]
        if not name or not numbers:
            raise InputError(f"--prescribe: expected name=acceleration, found '{text}'.")
        known = (*mechanism.constraints, *mechanism.v_labels, *mechanism.model.joint_index)
        if name not in known:
            raise InputError(f"--prescribe: {unknown_name('constraint or joint', name, known)}")
        if name in result:
            raise InputError(f"--prescribe: '{name}' is given twice.")
        found = np.array([_number(x, f"--prescribe {name}") for x in numbers])
        result[name] = found[0] if len(found) == 1 else found
    return result


def _pairs(words: Sequence[str]) -> list[str]:
    """Split at commas; at spaces only where several pairs stand without a comma."""
    pairs: list[str] = []
    for word in words:
        spaced = "," not in word and word.count("=") > 1
        pairs += [p for p in (word.split() if spaced else word.split(",")) if p.strip()]
    return pairs


def _index(name: str, known: Sequence[str], part: str) -> int:
    if name in known:
        return known.index(name)
    inside = [label for label in known if label.startswith(f"{name}.")]
    if inside:
        raise InputError(f"{part}: '{name}' has several coordinates: {', '.join(inside)}.")
    raise InputError(f"{part}: {unknown_name('coordinate', name, known)}")


def _number(text: str, part: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{part}: expected a number, found '{text.strip()}'.") from None
    if not math.isfinite(value):
        raise InputError(f"{part}: expected a finite number, found '{text.strip()}'.")
    return value


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


# -- files ---------------------------------------------------------------------------------------


def from_csv(
    mechanism: Mechanism,
    path: Path,
    given: dict[str, list[str] | None],
    wrenches: Sequence[str] | None,
) -> States:
    """A batch out of a file; options give what the file does not."""
    header, lines = _lines(path)
    columns = _columns(mechanism, header, path)
    used = {h: entry for h, entry in columns.items() if entry[0] in (*given, "external")}
    content = {
        entry: _column(header.index(h), f"column '{h}'", lines, path) for h, entry in used.items()
    }
    count = len(lines)
    values: dict[str, Array] = {}
    notes: list[str] = []
    named: dict[str, dict[str, Array]] = {}
    for kind, words in given.items():
        found = {label: x for (k, label), x in content.items() if k == kind}
        if found and words:
            raise InputError(f"{kind} is given twice: by --{kind} and by columns of {path}.")
        base = from_words(mechanism, kind, words) if words else start(mechanism, kind)
        batch = np.tile(base, (count, 1))
        for label, x in found.items():
            batch[:, labels(mechanism, kind).index(label)] = x
        missing = [x for x in labels(mechanism, kind) if x not in found]
        if found and missing:
            if kind in ("v", "a") and mechanism.constraints:
                named[kind] = found
            else:
                default = "its start value" if kind == "q" else "0"
                notes.append(f"{kind} of {_few(missing)} is not in the file: {default} is used")
        values[kind] = batch
    external: dict[str, Array] = dict(from_wrenches(mechanism, wrenches or ()))
    for (kind, label), x in content.items():
        if kind == "external":
            frame, _, entry = label.rpartition(".")
            batch = external.setdefault(frame, np.zeros((count, 6)))
            if batch.ndim == 1:
                raise InputError(f"the wrench on '{frame}' is given by --external and by {path}.")
            batch[:, WRENCH.index(entry)] = x
    unused = [h for h in columns if h not in used and h not in CARRIED]
    if unused:
        notes.append(f"columns that are not used: {_few(unused)}")
    carried = {h: [line[header.index(h)] for _, line in lines] for h in columns if h in CARRIED}
    named |= _named(mechanism, given, values)
    return States(values, external, carried, tuple(notes), named)


def _lines(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and every line with its number."""
    try:
        if path.exists() and not path.is_file():
            raise FormatError("expected an ordinary file with a table.", str(path))
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.reader(stream, strict=True)
            lines = [(reader.line_num, [c.strip() for c in row]) for row in reader if any(row)]
    except UnicodeDecodeError:
        raise FormatError("this is no UTF-8 text. Save the table as UTF-8.", str(path)) from None
    except csv.Error as fault:
        raise FormatError(f"this is no CSV table: {fault}.", str(path)) from None
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise FormatError(f"cannot be read: {reason}.", str(path)) from None
    if len(lines) < 2:
        raise FormatError(
            "expected a header (q.<label>, ...) and at least one line of numbers.", str(path)
        )
    header = lines[0][1]
    for line, row in lines[1:]:
        if len(row) != len(header):
            raise FormatError(
                f"expected {len(header)} cells as in the header, found {len(row)}.", str(path), line
            )
    return header, lines[1:]


def _columns(mechanism: Mechanism, header: Sequence[str], path: Path) -> dict[str, tuple[str, str]]:
    """Column -> (kind, label).  A column that nobody knows is an error, not a default."""
    frames = [f"{frame}.{x}" for frame in mechanism.frames for x in WRENCH]
    known = {f"{kind}.{label}" for kind in KINDS for label in labels(mechanism, kind)}
    known |= {f"external.{x}" for x in frames} | set(CARRIED)
    columns: dict[str, tuple[str, str]] = {}
    for name in header:
        kind, _, label = name.partition(".")
        if name not in known and kind not in RESULTS:
            near = (
                [f"q.{name}"]
                if f"q.{name}" in known
                else difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            )
            hint = f"Did you mean '{near[0]}'?" if near else "Columns are q.<label>, v.<label>, ..."
            raise FormatError(f"unknown column '{name}'. {hint}", str(path), 1)
        if name in columns:
            raise FormatError(f"the column '{name}' is there twice.", str(path), 1)
        columns[name] = (kind, label)
    return columns


def _column(k: int, name: str, lines: Sequence[tuple[int, list[str]]], path: Path) -> Array:
    """Numbers of one column; NaN and infinities are refused with their line."""
    column = np.empty(len(lines))
    for n, (line, row) in enumerate(lines):
        try:
            column[n] = _number(row[k], name)
        except InputError as fault:
            raise FormatError(str(fault), str(path), line) from None
    return column


def to_csv(carried: dict[str, list[str]], columns: Iterable[tuple[str, Array]]) -> str:
    """A table of columns (B,), every number with all its digits."""
    heads, bodies = list(carried), [*carried.values()]
    for name, column in columns:
        heads.append(name)
        bodies.append([repr(float(x)) for x in np.atleast_1d(column)])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(zip(*bodies, strict=True))
    return out.getvalue()
