"""The exceptions of Armillary.

ArmillaryError
├── ModelError        a mechanism that cannot exist, or a name it does not have
│   └── FormatError   a file that cannot be read or written; carries file and line
├── InputError        an argument of the wrong shape, type or value
│   ├── InadmissibleError   a motion that the constraints do not allow; carries the nearest one
│   └── NotFiniteError  numbers so large that the answer is none
└── CompileError      an algorithm that cannot be traced or compiled

EnergyWarning         an energy that lacks a part nobody has told it of
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class ArmillaryError(Exception):
    """Base of every error this library raises on purpose."""


class ModelError(ArmillaryError):
    """The mechanism is impossible or does not have the named part."""


class FormatError(ModelError):
    """A file cannot be read or written.  `path` and `line` say where, when they are known."""

    def __init__(self, message: str, path: str | None = None, line: int | None = None):
        where = ""
        if path is not None:
            where = f"{path}:{line}: " if line is not None else f"{path}: "
        super().__init__(where + message)
        self.path = path
        self.line = line


class InputError(ArmillaryError, ValueError):
    """An argument has the wrong shape, type or value."""


class InadmissibleError(InputError):
    """A velocity or acceleration that the constraints do not allow.

    `nearest` (n,): the nearest one, by kinetic energy, that they do; `row`: of which state of a
    batch."""

    def __init__(self, message: str, nearest: Any, row: int | None = None):
        super().__init__(message)
        self.nearest = nearest
        self.row = row

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.nearest, self.row))


class NotFiniteError(InputError):
    """Finite numbers, of an argument or of the model, so large that the answer is not finite."""


class CompileError(ArmillaryError):
    """An algorithm breaks a rule of tracing."""


def how_to_install(extra: str = "") -> str:
    """The command that brings a missing library, for this Python; `extra` as in pyproject.toml."""
    import sys

    what = f"'.[{extra}]'" if extra else "."
    return f"Install it in a checkout of Armillary: {sys.executable} -m pip install {what}"


class EnergyWarning(UserWarning):
    """An energy lacks what a force law stores, because the law does not name its potential."""


def unknown_name(kind: str, name: object, known: Iterable[str], most: int = 12) -> ModelError:
    """The error for a name nobody has, with the nearest ones that exist, or up to `most` of all."""
    import difflib

    known = list(dict.fromkeys(known))
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    if near:
        hint = "Did you mean " + " or ".join(f"'{n}'" for n in near) + "?"
    elif known:
        shown = ", ".join(f"'{n}'" for n in known[:most])
        hint = f"Known: {shown}{', ...' if len(known) > most else ''}."
    else:
        hint = f"There is no {kind} in this mechanism."
    return ModelError(f"no {kind} named '{name}'. {hint}")
