"""What a part of a run consists of, as a value: equal values make equal native code.

Only numbers, texts, arrays, containers and objects of this package are told apart; anything else
(functions of the user, classes of theirs) has no fingerprint, and its code is made anew.
"""

from __future__ import annotations

from collections.abc import Hashable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from armillary.mechanism.mechanism import Mechanism

_DEEP = 40
_PLAIN = (type(None), bool, int, str, bytes)


class NoFingerprint(Exception):  # noqa: N818 - no error: there is another way
    """An object that cannot be told from others by its contents."""


def fingerprint(x: Any, depth: int = 0) -> Hashable:
    """A value that differs wherever the contents differ; mechanisms, which never change, stand in
    it themselves."""
    kind = type(x)
    if depth > _DEEP:
        raise NoFingerprint("too deep, or it contains itself")
    if kind in _PLAIN:
        return (kind.__name__, x)
    if isinstance(x, (float, np.generic)):
        return (kind.__name__, np.asarray(x).tobytes())
    if kind is np.ndarray and x.dtype != object:
        return (x.dtype.str, x.shape, x.tobytes())
    if kind in (list, tuple):
        return (kind.__name__, *(fingerprint(y, depth + 1) for y in x))
    if kind is dict:
        return (
            "dict",
            *((fingerprint(k, depth + 1), fingerprint(y, depth + 1)) for k, y in x.items()),
        )
    if kind is slice:
        return ("slice", x.start, x.stop, x.step)
    if isinstance(x, Mechanism):
        return x
    if kind is MethodType:
        return ("method", *(fingerprint(y, depth + 1) for y in (x.__func__, x.__self__)))
    if kind is FunctionType and _ours(x.__module__):
        held = [
            x.__defaults__,
            x.__kwdefaults__,
            *(cell.cell_contents for cell in x.__closure__ or ()),
        ]
        return ("function", x.__module__, x.__code__, fingerprint(held, depth + 1))
    if _ours(kind.__module__):
        return (kind.__module__, kind.__qualname__, fingerprint(_contents(x), depth + 1))
    raise NoFingerprint(f"{kind.__qualname__}")


def _ours(module: str | None) -> bool:
    return (module or "").partition(".")[0] == __name__.partition(".")[0]


def _contents(x: Any) -> dict[str, Any]:
    """All attributes, in dictionaries and slots."""
    slots = (name for c in type(x).__mro__ for name in getattr(c, "__slots__", ()))
    held = {name: getattr(x, name) for name in slots if hasattr(x, name) and name != "__dict__"}
    return held | getattr(x, "__dict__", {})
