"""A name for what determines traced code, found without tracing it.

Numbers, joint types, parents, the steps of an algorithm and what they hold on to are written into
one text, class by class and number by number.  Only what stands in the package's own source (which
is hashed, too) can be identified by its name: a Python function of the user cannot, and what
depends on it has no identity.
"""

from __future__ import annotations

import functools
import types
from abc import ABC
from collections.abc import Callable, Hashable
from typing import Any, Generic, Protocol

import numpy as np

from armillary.codegen.cache import key_of
from armillary.codegen.sources import fingerprint, is_ours
from armillary.codegen.target import Lanes

_LONGEST = 2_000_000  # pieces of text


class NotPlainError(Exception):
    """A value that no text can stand for."""


def identity(*parts: object) -> str | None:
    """Equal where the same code would be traced; None where that cannot be known."""
    sources = fingerprint()
    if sources is None:
        return None
    try:
        return key_of([sources, np.__version__, described(parts)])
    except (NotPlainError, RecursionError):
        return None


def memo_key(value: object, *atoms: type) -> Hashable:
    """Equal in this process where the same code would be traced; None where that cannot be known.

    atoms: classes of objects that never change, which stand for themselves."""
    writer = _Writer(_of_package, atoms)
    try:
        writer.write(value)
    except (NotPlainError, RecursionError):
        return None
    return (" ".join(writer.pieces), *writer.held)


def of_lanes(name: str | None, lanes: Lanes, *more: str) -> str | None:
    """The identity of code for so many lanes, from that of what it computes."""
    return None if name is None else key_of([name, described(lanes), *more])


def described(value: object) -> str:
    """A text that differs where the value does.  Raises NotPlainError."""
    writer = _Writer()
    writer.write(value)
    return " ".join(writer.pieces)


class _Writer:
    def __init__(self, ours: Callable[[str], bool] = is_ours, atoms: tuple[type, ...] = ()) -> None:
        """ours: which modules, by name, may stand for what is in them."""
        self.pieces: list[str] = []
        self.held: list[object] = []  # atoms
        self._ours, self._atoms = ours, atoms
        self._within: dict[int, int] = {}  # objects that are being written, by depth

    def write(self, value: Any) -> None:
        kind = type(value)
        if kind is float:
            self.pieces.append(value.hex())
        elif kind is int or kind is bool or value is None:
            self.pieces.append(repr(value))
        elif kind is str:
            self.pieces.append(f"{len(value)}'{value}'")
        elif id(value) in self._within:
            self.pieces.append(f"^{self._within[id(value)]}")
        else:
            if len(self.pieces) > _LONGEST:
                raise NotPlainError("too long")
            self._within[id(value)] = len(self._within)
            self._compound(kind, value)
            del self._within[id(value)]

    def _compound(self, kind: type, value: object) -> None:
        if kind in _WRITERS:
            _WRITERS[kind](self, value)
        elif isinstance(value, np.generic):
            self.items("number", (str(value.dtype), value.tobytes().hex()))
        elif isinstance(value, self._atoms):
            self.pieces.append(f"@{len(self.held)}")
            self.held.append(value)
        elif isinstance(value, type):
            self.pieces.append(_class_name(value, self._ours))
        elif self._ours(kind.__module__):
            self._object(kind, value)
        else:
            raise NotPlainError(f"{kind.__module__}.{kind.__qualname__}")

    def _object(self, kind: type, value: object) -> None:
        """An object of our own: its slots and attributes, without what was derived from them."""
        slots, derived = _slots(kind, self._ours)
        self.pieces.append(f"<{_class_name(kind, self._ours)}")
        for name in slots:
            self.write(getattr(value, name, _MISSING))
        for name, held in getattr(value, "__dict__", {}).items():
            if name not in derived:
                self.pieces.append(name)
                self.write(held)
        self.pieces.append(">")

    def items(self, name: str, values: Any) -> None:
        self.pieces.append(f"{name}(")
        for value in values:
            self.write(value)
        self.pieces.append(")")

    def _set(self, values: Any) -> None:
        self.items("set", sorted(described(value) for value in values))

    def _mapping(self, values: Any) -> None:
        self.items("dict", (x for item in values.items() for x in item))

    def _array(self, value: np.ndarray) -> None:
        if value.dtype.hasobject:
            raise NotPlainError("an array of objects")
        self.items("array", (str(value.dtype), value.shape, value.tobytes().hex()))

    def _function(self, value: Any) -> None:
        module = value.__globals__.get("__name__", "")
        if not self._ours(module):
            raise NotPlainError(f"{module}.{value.__qualname__}")
        try:
            held = tuple(cell.cell_contents for cell in value.__closure__ or ())
        except ValueError as empty:
            raise NotPlainError("a function that is being made") from empty
        self.items(
            f"def {module}", (value.__code__, value.__defaults__, value.__kwdefaults__, held)
        )

    def _code(self, code: types.CodeType) -> None:
        """Which lines of the source: two functions may share one line."""
        self.items(
            "code",
            (
                code.co_name,
                code.co_firstlineno,
                code.co_code.hex(),
                code.co_names,
                code.co_freevars,
                code.co_consts,
            ),
        )

    def _builtin(self, value: Any) -> None:
        if not isinstance(value.__self__, types.ModuleType):
            raise NotPlainError(f"a method of a {type(value.__self__).__name__}")
        self.items("C", (value.__module__, value.__qualname__))


def _of_package(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]


_MISSING = ("not set",)
_EMPTY_BASES = (object, ABC, Generic, Protocol)
_WRITERS: dict[type, Callable[[_Writer, Any], None]] = {
    tuple: lambda w, x: w.items("", x),
    list: lambda w, x: w.items("list", x),
    dict: _Writer._mapping,
    types.MappingProxyType: _Writer._mapping,
    set: _Writer._set,
    frozenset: _Writer._set,
    slice: lambda w, x: w.items("slice", (x.start, x.stop, x.step)),
    range: lambda w, x: w.items("range", (x.start, x.stop, x.step)),
    bytes: lambda w, x: w.write(x.hex()),
    np.ndarray: _Writer._array,
    types.FunctionType: _Writer._function,
    types.CodeType: _Writer._code,
    types.MethodType: lambda w, x: w.items("method", (x.__func__, x.__self__)),
    types.BuiltinFunctionType: _Writer._builtin,
    functools.partial: lambda w, x: w.items("partial", (x.func, x.args, x.keywords)),
}


@functools.cache
def _class_name(kind: type, ours: Callable[[str], bool]) -> str:
    if not (ours(kind.__module__) or kind.__module__ == "builtins"):
        raise NotPlainError(f"{kind.__module__}.{kind.__qualname__}")
    return f"{kind.__module__}.{kind.__qualname__}"


@functools.cache
def _slots(kind: type, ours: Callable[[str], bool]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Slots of a class, and the names under which it keeps what it worked out."""
    slots: list[str] = []
    derived: set[str] = set()
    for base in kind.__mro__:
        if not (ours(base.__module__) or base in _EMPTY_BASES):
            raise NotPlainError(f"{kind.__qualname__} is a {base.__qualname__}")
        own = base.__dict__.get("__slots__", ())
        slots += [own] if isinstance(own, str) else own
        found = vars(base).items()
        derived |= {name for name, x in found if isinstance(x, functools.cached_property)}
    return tuple(slots), frozenset(derived)
