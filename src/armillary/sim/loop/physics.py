"""What a run was made with, as short texts: a recording goes on with the same physics only.

Numbers, tables, parts and mechanisms are told apart by their contents.  A function of the user is
told by its code and by what it holds: defaults, closure, and what its names mean in its module
(numbers, arrays, other functions there); an object of the user by its class and attributes.  What a
function reads from files or from other modules is not seen.  An attribute `fingerprint` (any
value) speaks for the function or object that carries it: it says what counts.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import types
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import as_floats
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.events import Event, Switch
from armillary.sim.motion.user_functions import several

_MOST = 200_000  # objects that are looked at
_PASSING = {"_piece", "_moved", "_middle", "_end", "_curve"}  # where our tables are just now
# the motion does not depend on them, or the file tells them itself (layout.py, resuming.py)
_TOLD_OTHERWISE = {
    "mechanism", "duration", "step", "method", "record", "every", "out", "progress", "t0", "resume",
    "overwrite", "estimate_error",
}  # fmt: skip


def physics_of(given: Mapping[str, Any]) -> dict[str, str]:
    """A text for every argument of a call of `simulate` that the motion depends on, by name."""
    mechanism = given["mechanism"]
    start = {"q0": mechanism.initial, "v0": np.zeros(mechanism.nv)}
    found = {}
    for name, x in given.items():
        if name in start:
            x = _rounded(start[name] if x is None else x)
        elif name == "events":
            x = [event for event in several(x) if _acts(event)]
        elif name in _TOLD_OTHERWISE:
            continue
        found[name] = digest(x)
    return found


def digest(x: object) -> str:
    """Equal for equal contents; behind an @ the Python that made it, where code is in it.  Empty:
    there is too much to look at."""
    writer = _Writer()
    try:
        writer.write(x)
    except (_TooMuchError, RecursionError):
        return ""
    text = writer.hash.hexdigest()[:24]
    return f"{text}@{sys.implementation.cache_tag}" if writer.code else text


def _rounded(given: object) -> Any:
    """A start to ten digits: it may have been computed, and on another machine."""
    try:
        numbers = as_floats("start", given).astype(float)
    except InputError:
        return given
    size = float(np.abs(numbers).max(initial=0.0))
    if not 0.0 < size < np.inf:
        return numbers
    return [f"{size:.9e}", np.round(numbers / size, 9) + 0.0]  # no -0


def _acts(event: object) -> bool:
    """Does it change the motion?  Events that only note or end may come and go."""
    if isinstance(event, types.FunctionType):
        return False
    return not isinstance(event, Event) or isinstance(event, Switch) or event.action is not None


class _TooMuchError(Exception):
    """More than can be looked at."""


class _Writer:
    """Writes contents into a hash, each object once."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self.code = False  # bytecode is in it
        self._known: dict[int, tuple[int, object]] = {}  # kept alive: an id is that of one object

    def _put(self, *words: str) -> None:
        for word in words:
            self.hash.update(f"{len(word)}:{word};".encode())

    def write(self, x: object) -> None:
        if x is None or type(x) in (str, bytes, complex):
            self._put(type(x).__name__, repr(x))
        elif (numbers := _numbers(x)) is not None:
            self._put("numbers", str(numbers.shape))
            self.hash.update(np.ascontiguousarray(numbers).tobytes())
        elif id(x) in self._known:
            self._put("again", str(self._known[id(x)][0]))
        else:
            if len(self._known) >= _MOST:
                raise _TooMuchError
            self._known[id(x)] = (len(self._known), x)
            self._compound(x)

    def _all(self, name: str, values: Any) -> None:
        self._put(name, str(len(values)))
        for value in values:
            self.write(value)

    def _compound(self, x: object) -> None:
        own = getattr(x, "__dict__", {})
        if not isinstance(x, type) and isinstance(own, Mapping) and "fingerprint" in own:
            self._all("fingerprint", (own["fingerprint"],))
        elif isinstance(x, (list, tuple)):
            self._all("row", x)
        elif isinstance(x, Mapping):
            self._sorted("mapping", [(key, value) for key, value in x.items()])
        elif isinstance(x, Set):
            self._sorted("set", list(x))
        elif isinstance(x, Mechanism):
            self._all("mechanism", (x.model,))
        elif isinstance(x, types.FunctionType):
            self._function(x)
        elif isinstance(x, types.CodeType):
            self._code(x)
        elif isinstance(x, types.MethodType):
            self._all("method", (x.__func__, x.__self__))
        elif isinstance(x, functools.partial):
            self._all("partial", (x.func, x.args, x.keywords))
        elif isinstance(x, type):
            self._class(x)
        elif isinstance(x, (types.ModuleType, types.BuiltinFunctionType, np.ufunc)):
            self._put("named", getattr(x, "__module__", None) or "", x.__name__)
        else:
            self._object(x)

    def _sorted(self, name: str, entries: list[object]) -> None:
        """Whatever order they stand in."""
        found = []
        for entry in entries:
            writer = _Writer()
            writer.write(entry)
            self.code |= writer.code
            found.append(writer.hash.hexdigest())
        self._put(name, *sorted(found))

    def _function(self, f: types.FunctionType) -> None:
        held = [_content(cell) for cell in f.__closure__ or ()]
        if _is_ours(f.__module__):
            self._put("ours", f.__module__, f.__qualname__)
            self._all("holds", (f.__defaults__, f.__kwdefaults__, held))
            return
        meant = {
            name: f.__globals__[name]
            for name in sorted(_names(f.__code__))
            if name in f.__globals__ and _same_module(f.__globals__[name], f.__module__)
        }
        self._all("function", (f.__code__, f.__defaults__, f.__kwdefaults__, held, meant))

    def _code(self, code: types.CodeType) -> None:
        self.code = True
        self._put("code", code.co_code.hex())
        self._all("uses", (code.co_names, code.co_varnames, code.co_freevars, code.co_consts))

    def _class(self, kind: type) -> None:
        """A class of the user by its functions; others by their name."""
        self._put("class", kind.__module__, kind.__qualname__)
        if _is_ours(kind.__module__) or kind.__module__ == "builtins":
            return
        functions = (f for f in vars(kind).values() if isinstance(f, types.FunctionType))
        self._all("does", [*functions, *kind.__bases__])

    def _object(self, x: object) -> None:
        kind, derived = type(x), _derived(type(x))
        slots = (name for c in kind.__mro__ for name in _slots(c))
        held = {name: getattr(x, name) for name in slots if hasattr(x, name)}
        held |= {k: y for k, y in getattr(x, "__dict__", {}).items() if k not in derived}
        if _is_ours(kind.__module__):
            held = {k: y for k, y in held.items() if k not in _PASSING}
        self._all("object", (kind, held))


def _numbers(x: object) -> np.ndarray | None:
    """Plain numbers, however they are held: 3, [3.0], np.array([3])."""
    if isinstance(x, (list, tuple)) and not (x and _plain(x)):
        return None
    if not isinstance(x, (bool, int, float, list, tuple, np.generic)) and not (
        hasattr(x, "__array__") and not isinstance(x, type)
    ):
        return None
    try:
        array = np.asarray(x)
    except Exception:
        return None
    return array.astype(float) if array.dtype.kind in "fiub" else None


def _plain(x: Any) -> bool:
    return all(
        _plain(y) if isinstance(y, (list, tuple)) else isinstance(y, (int, float, np.number))
        for y in x
    )


def _names(code: types.CodeType) -> set[str]:
    """Names that code, and functions within it, may look up in their module."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _same_module(x: object, module: str) -> bool:
    """Values, and functions and classes of this module: others are named by the code."""
    if isinstance(x, (types.FunctionType, type)):
        return x.__module__ == module
    return not isinstance(x, (types.ModuleType, types.BuiltinFunctionType))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return None


def _slots(kind: type) -> tuple[str, ...]:
    own = kind.__dict__.get("__slots__", ())
    return tuple(name for name in ((own,) if isinstance(own, str) else own) if name[:2] != "__")


def _derived(kind: type) -> set[str]:
    """Names under which a class keeps what it worked out."""
    found = (item for base in kind.__mro__ for item in vars(base).items())
    return {name for name, x in found if isinstance(x, functools.cached_property)}


def _is_ours(module: str | None) -> bool:
    return (module or "").partition(".")[0] == __name__.partition(".")[0]
