"""Arguments of `simulate` of a wrong type: each error names the argument and what it takes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.schedules import Schedule


def check_types(arguments: dict[str, object]) -> dict[str, object]:
    """Every argument by name (see `_CHECKS`), given back; states, motions, projection and
    parameters are checked where they are read."""
    for name, check in _CHECKS.items():
        check(name, arguments[name])
    return arguments


def _refused(name: str, expected: str, value: object, cure: str = "") -> InputError:
    text = repr(value) if isinstance(value, (str, bytes, int, float, complex)) else ""
    found = text if text and len(text) < 60 else type(value).__name__
    return InputError(f"{name}: expected {expected}, found {found}.{cure}")


def _is_number(value: object) -> bool:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _mechanism(name: str, value: object) -> None:
    if not isinstance(value, Mechanism):
        raise InputError(
            f"simulate: expected a Mechanism (armillary.load(...), armillary.example(...)), found "
            f"{type(value).__name__}."
        )


def _seconds(name: str, value: object) -> None:
    if not _is_number(value):
        raise _refused(name, "a number of seconds", value, f" Give {name}=2.0, say.")


def _number(name: str, value: object) -> None:
    if not _is_number(value):
        raise _refused(name, "a number", value, f" Give {name}=1e-8, say.")


def _whole(name: str, value: Any) -> None:
    if not _is_number(value) or not np.isfinite(value) or int(value) != value:
        raise _refused(name, "a whole number from 1 on", value, f" Give {name}=10, say.")


def _part(name: str, value: object) -> None:
    if not (value is None or _is_number(value)):
        raise _refused(
            name, "a part of the machine's size or None", value, f" Give {name}=1e-6, say."
        )


def _flag(name: str, value: object) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise _refused(name, "True or False", value)


def _word(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise _refused(name, "a name such as 'rk4'", value)


def _record(name: str, value: object) -> None:
    several = isinstance(value, Iterable) and not isinstance(value, (bytes, dict, np.ndarray))
    if not several:
        raise _refused(name, "names such as 'q,v' or ('q', 'energy')", value)


def _path(name: str, value: object) -> None:
    path = isinstance(value, str) or (
        isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)
    )
    if not (value is None or path):
        raise _refused(name, "a file name or None", value, " Give out='run.nc', say.")


def _progress(name: str, value: object) -> None:
    if callable(value):
        _takes(name, value, "t, end")
    elif not (value is None or isinstance(value, bool)):
        raise _refused(name, "True, False or a function (t, end)", value)


def _period(name: str, value: Any) -> None:
    if not (value is None or (_is_number(value) and np.isfinite(value) and value > 0.0)):
        raise _refused(name, "a positive time in seconds or None", value)


def _parts(name: str, value: object) -> None:
    """Controllers and actuators: parts, or functions (t, q, v)."""
    for part in value if isinstance(value, Sequence) else (value,):
        if isinstance(part, Schedule):
            raise _refused(
                name,
                "a part with `force`, or a function (t, q, v)",
                part,
                " A table over time is no controller: joint forces are inputs=Schedule(...), "
                "voltages of motors voltages={joint: Schedule(...)}.",
            )
        if part is None or hasattr(part, "force"):
            continue
        if not callable(part) or isinstance(part, type):
            raise _refused(name, "a part with `force`, or a function (t, q, v)", part)
        _takes(name, part, "t, q, v")


def _forces(name: str, value: object) -> None:
    given = value.values() if isinstance(value, dict) else (value,)
    for signal in given:
        if callable(signal) and not isinstance(signal, Schedule):
            _takes(name, signal, "t")


def _wrenches(name: str, value: object) -> None:
    if isinstance(value, Schedule):
        raise _refused(
            name,
            "wrenches by frame name",
            value,
            " Name the frame: external={'hand': Schedule(...)}.",
        )
    if callable(value):
        _takes(name, value, "t, q, v")
    elif isinstance(value, dict):
        _forces(name, value)


def _events(name: str, value: object) -> None:
    for event in value if isinstance(value, Sequence) else (value,):
        if callable(event) and not hasattr(event, "watched"):
            _takes(name, event, "t, q, v")


def _takes(name: str, function: Callable[..., object], arguments: str) -> None:
    """Refuse a function that cannot be called with these arguments."""
    if isinstance(function, type):
        raise _refused(name, f"a function ({arguments})", function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of C: it tells nothing about itself
        return
    try:
        signature.bind(*arguments.split(", "))
    except TypeError:
        who = getattr(function, "__name__", type(function).__name__)
        raise InputError(
            f"{name}: expected a function ({arguments}), found {who}{signature}. Let it take these "
            f"arguments."
        ) from None


_CHECKS: dict[str, Callable[[str, object], None]] = {
    "mechanism": _mechanism,
    "duration": _seconds,
    "step": _seconds,
    "t0": _seconds,
    "tolerance": _number,
    "every": _whole,
    "method": _word,
    "controller": _parts,
    "actuators": _parts,
    "inputs": _forces,
    "voltages": _forces,
    "external": _wrenches,
    "events": _events,
    "record": _record,
    "out": _path,
    "progress": _progress,
    "period": _period,
    "beside": _flag,
    "resume": _flag,
    "overwrite": _flag,
    "project_start": _flag,
    "balance": _flag,
    "geometry_tolerance": _part,
}
