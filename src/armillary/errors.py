"""The exceptions of Armillary.

ArmillaryError
├── ModelError        a mechanism that cannot exist, or a name it does not have
│   ├── FormatError   a file that cannot be read or written; carries file and line
│   └── SingularError   a motion that nothing with inertia takes part in
├── InputError        an argument of the wrong shape, type or value
│   ├── InadmissibleError   a motion that the constraints do not allow; carries the nearest one
│   └── NotFiniteError  numbers so large that the answer is none
├── DisagreementError independent formulations that give different answers
└── CompileError      an algorithm that cannot be traced or compiled

EnergyWarning         an energy that lacks a part nobody has told it of
ProjectionWarning     a state that is not on its constraints, or cannot be brought onto them

A Remedy says what helps; a Message is text with one, in errors and in the messages of results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_LONG = 200  # characters of a name
_PACKAGE = __name__.partition(".")[0]
# What helps, by name, in the words of Python; cli/remedies.py has those of the command line.
PYTHON = {
    "overwrite": "Choose another name or pass overwrite=True.",
    "resume": "Make room, then go on with resume=True.",
    "resume or overwrite": "Go on with resume=True, or pass overwrite=True to begin anew.",
    "lossy": "Write the native YAML format, or pass lossy=True to leave it out.",
    "root": "{otherwise}, or pass root= a folder that holds both.",
    "format": "Or pass format= one of {formats}.",
    "no base": "Leave `base` out.",
    "derive tree": "Ask for equations(mechanism.tree).",
    "hold schedule": "Give more rows, a shorter run, or Schedule(..., hold=True).",
    "assemble": "assemble(q) closes the mechanism",
    "project": "project(q, v) corrects it",
    "assemble q": "Close it first: q = mechanism.assemble(q).q; if the numbers have few digits, "
    "compile(geometry_tolerance=...) tells how many.",
    "assemble q0": "Close it first: q0 = mechanism.assemble(q0).q.",
    "assemble q0 at motions": "The motions begin at t0 = {t0:g} s; close it there: put {joints} to "
    "their positions in q0, then q0 = mechanism.assemble(q0, hold={joints}).q.",
    "project v0": "Use q0, v0 = mechanism.project(q0, v0), or project=True.",
    "keep by projection": "Use project=True.",
    "draw back": "Draw them back instead: project=(alpha, beta), rates in 1/s.",
    "load a frame": "or give some: external={{'hand': (nx, ny, nz, fx, fy, fz)}}.",
    "hold v0": "Give v0={{'{joint}': {value:.6g}}} to hold the named joints and find the others, "
    "or project_start=True to begin with the nearest.",
    "project a": "project_acceleration(q, v, a) gives it, and with hold=[...] keeps those of the "
    "named joints; `.tree` answers for the open tree.",
    "rest": "mechanism.equilibrium(q).q is a place of rest; tau='hold' takes the forces that keep "
    "this one; linearize(q, v, tau) describes this instant.",
    "hold joint": "Hold the joint (hold=['{joint}']), give it a force, or try another guess.",
    "more actuators": "Name more actuators, or ask actuator_forces(q, v, a, actuators) for the "
    "nearest forces and what they lack.",
    "no limits": "Give them in the model (limits=...), or leave JointLimits out.",
    "fewer limits": "{otherwise}, or leave the joint out: JointLimits(joints=[...]).",
    "range of a joint": "Give them: limits={{'{joint}': (-1.5, 1.5)}}, rad or m.",
    "leading joints": "Name the joints that lead its motion: joints=['{joint}'].",
    "driven joints": "Name those that drive it: am.replay(mechanism, motion, actuators="
    "['{joint}']).",
    "excite": "The joints must move; am.exciting_trajectory(mechanism) proposes a motion.",
    "known masses": "Keep what is known in the model: inertias=False, or bodies=[...] the unknown "
    "ones alone (weigh the others, or a payload).",
    "fewer parameters": "Measure longer, raise the cutoff, or ask for less: bodies=, friction=.",
}


@dataclass(frozen=True)
class Remedy:
    """What helps, as a fact: each surface has a table that spells it.

    name: its row in the tables; values: what the words name, such as a joint."""

    name: str
    values: Mapping[str, object] = field(default_factory=dict)

    def spelled(self, words: Mapping[str, str]) -> str:
        return words[self.name].format(**self.values)


def visible(text: object) -> str:
    """Text in which characters that cannot be seen, or that a terminal would obey, are spelled out;
    line breaks and tabs stay."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode()
        for c in str(text)
    )


class Message(str):
    """Text and perhaps a remedy: a string in the words of Python, which other surfaces spell in
    theirs.  A message made of another keeps its remedy."""

    text: str
    remedy: Remedy | None

    def __new__(cls, text: str, remedy: Remedy | None = None, before: str = "") -> Message:
        if isinstance(text, Message):
            remedy = remedy or text.remedy
            text = text.text
        text = visible(before + text)
        message = super().__new__(cls, text if remedy is None else _joined(text, remedy, PYTHON))
        message.text, message.remedy = text, remedy
        return message

    def spelled(self, words: Mapping[str, str]) -> str:
        """In the words of a surface."""
        return self.text if self.remedy is None else _joined(self.text, self.remedy, words)


def _joined(text: str, remedy: Remedy, words: Mapping[str, str]) -> str:
    return f"{text} {remedy.spelled(words)}".rstrip()


class ArmillaryError(Exception):
    """Base of every error this library raises on purpose.  `remedy`: what helps, where known."""

    def __init__(self, text: str = "", remedy: Remedy | None = None):
        super().__init__(Message(text, remedy))

    @property
    def message(self) -> Message:
        """Text and remedy, for an error that says more or a surface with its own words."""
        return Message(self.args[0])

    @property
    def remedy(self) -> Remedy | None:
        return self.message.remedy


class ModelError(ArmillaryError):
    """The mechanism is impossible or does not have the named part."""


class FormatError(ModelError):
    """A file cannot be read or written.  `path` and `line` say where, when they are known."""

    def __init__(
        self,
        text: str,
        path: str | None = None,
        line: int | None = None,
        remedy: Remedy | None = None,
    ):
        where = ""
        if path is not None:
            where = f"{path}:{line}: " if line is not None else f"{path}: "
        super().__init__(Message(text, remedy, where))
        self.path = path
        self.line = line


class SingularError(ModelError):
    """A motion in which nothing with inertia takes part: its acceleration is undefined."""


class InputError(ArmillaryError, ValueError):
    """An argument has the wrong shape, type or value."""


class InadmissibleError(InputError):
    """A velocity or acceleration that the constraints do not allow.

    `nearest` (n,): the nearest one, by kinetic energy, that they do; `row`: of which state of a
    batch."""

    def __init__(
        self,
        text: str,
        nearest: object,
        row: int | None = None,
        remedy: Remedy | None = None,
    ):
        super().__init__(text, remedy)
        self.nearest = nearest
        self.row = row

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message, self.nearest, self.row))


class NotFiniteError(InputError):
    """Finite numbers, of an argument or of the model, so large that the answer is not finite."""


class DisagreementError(ArmillaryError):
    """Independent formulations of the same quantity give different answers."""


class CompileError(ArmillaryError):
    """An algorithm breaks a rule of tracing."""


def how_to_install(extra: str = "") -> str:
    """The command that brings a missing library, for this Python; `extra` as in pyproject.toml."""
    import sys

    what = f"'.[{extra}]'" if extra else "."
    return f"Install it in a checkout of Armillary: {sys.executable} -m pip install {what}"


class EnergyWarning(UserWarning):
    """An energy lacks what a force law stores, because the law does not name its potential."""


class ProjectionWarning(UserWarning):
    """A state is not on its constraints and what was answered holds for no machine; or one of a
    batch cannot be brought onto them, and its row is NaN."""


def warn_caller(text: str, category: type[Warning]) -> None:
    """A warning at the line that asked: the nearest one outside this package."""
    import inspect
    import warnings

    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def composed(text: str) -> str:
    """The one spelling of what looks the same: an accent is part of its letter (Unicode NFC)."""
    import unicodedata

    return text if text.isascii() else unicodedata.normalize("NFC", text)


def unknown_name(kind: str, name: object, known: Iterable[str], most: int = 12) -> ModelError:
    """The error for a name nobody has, with the nearest ones that exist, or up to `most` of all."""
    import difflib

    known, name = list(dict.fromkeys(known)), str(name)
    # what is far longer than any name is none that was mistyped
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) if len(name) < _LONG else []
    if composed(name) != name and composed(name) in known:
        hint = (
            f"There is one that looks the same and is spelled composed, as names are: "
            f"unicodedata.normalize('NFC', {name!a})."
        )
    elif near:
        hint = "Did you mean " + " or ".join(f"'{n}'" for n in near) + "?"
    elif known:
        shown = ", ".join(f"'{n}'" for n in known[:most])
        hint = f"Known: {shown}{', ...' if len(known) > most else ''}."
    else:
        hint = f"There is no {kind} in this mechanism."
    if len(name) >= _LONG:
        name = f"{name[:40]}...{name[-10:]} ({len(name)} characters)"
    return ModelError(f"no {kind} named '{name}'. {hint}")
