"""Checks of the arguments of `simulate`: each error names the argument and what it takes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable

import numpy as np

from armillary.constraints.drift import AnyPenalty, CorrectiveForce, DrawnBack, baumgarte_rates
from armillary.errors import InputError, Remedy
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.methods.system import System
from armillary.sim.motion.schedules import Schedule
from armillary.sim.motion.user_functions import several
from armillary.sim.record.quantities import Labels, acting

_GREATEST = int(np.finfo(float).max)  # a whole number that is one of the floats


def check_types(arguments: dict[str, object]) -> dict[str, object]:
    """Every argument by name, given back; states, motions, projection and parameters are checked
    where they are read."""
    for name, check in _CHECKS.items():
        check(name, arguments[name])
    for name, (fits, expected, example) in _PLAIN.items():
        if not fits(arguments[name]):
            cure = f" Give {name}={example}, say." if example else ""
            raise _refused(name, expected, arguments[name], cure)
    return arguments


def _refused(name: str, expected: str, value: object, cure: str = "") -> InputError:
    text = repr(value) if isinstance(value, (str, bytes, int, float, complex)) else ""
    found = text if text and len(text) < 60 else type(value).__name__
    return InputError(f"{name}: expected {expected}, found {found}.{cure}")


def _is_number(value: object) -> bool:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isinstance(value, float) or abs(value) <= _GREATEST


def _mechanism(name: str, value: object) -> None:
    if not isinstance(value, Mechanism):
        raise InputError(
            f"simulate: expected a Mechanism (armillary.load(...), armillary.example(...)), found "
            f"{type(value).__name__}."
        )


def _is_whole(value: object) -> bool:
    return _is_number(value) and float(value).is_integer() and abs(value) < 1 << 53  # type: ignore


def _is_path(value: object) -> bool:
    path = isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)
    return value is None or isinstance(value, str) or path


def _is_period(value: object) -> bool:
    return value is None or (_is_number(value) and 0.0 < value < np.inf)  # type: ignore[operator]


def _several_names(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (bytes, dict, np.ndarray))


def _is_flag(value: object) -> bool:
    return isinstance(value, (bool, np.bool_))


def _progress(name: str, value: object) -> None:
    if callable(value):
        _takes(name, value, "t, end")
    elif not (value is None or isinstance(value, bool)):
        raise _refused(name, "True, False or a function (t, end)", value)


def _parts(name: str, value: object) -> None:
    """Controllers and actuators: parts, or functions (t, q, v)."""
    for part in several(value):
        if isinstance(part, Schedule):
            raise _refused(
                name,
                "a part with `force`, or a function (t, q, v)",
                part,
                " A table over time is no controller: joint forces are inputs=Schedule(...), "
                "voltages of motors voltages={joint: Schedule(...)}.",
            )
        if hasattr(part, "force"):
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
    for event in several(value):
        if callable(event):
            _takes(name, event, "t, q, v")


def _takes(name: str, function: Callable[..., object], arguments: str) -> None:
    """Refuse a function that cannot be called with these arguments."""
    if isinstance(function, type):
        own = function.__name__
        cure = f" {own} is a class: give {own}(), say."
        raise _refused(name, f"a function ({arguments})", function, cure)
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


_SECONDS = (_is_number, "a number of seconds", "2.0")
_FLAG = (_is_flag, "True or False", "")
# what a plain argument must be, in words, and an example
_PLAIN: dict[str, tuple[Callable[[object], bool], str, str]] = {
    "duration": _SECONDS,
    "step": _SECONDS,
    "t0": _SECONDS,
    "tolerance": (_is_number, "a number", "1e-8"),
    "every": (_is_whole, "a whole number from 1 on", "10"),
    "method": (lambda x: isinstance(x, str), "a name such as 'rk4'", ""),
    "record": (_several_names, "names such as 'q,v' or ('q', 'energy')", ""),
    "out": (_is_path, "a file name or None", "'run.nc'"),
    "period": (_is_period, "a positive time in seconds or None", ""),
    "geometry_tolerance": (
        lambda x: x is None or _is_number(x), "a part of the machine's size or None", "1e-6",
    ),
    "beside": _FLAG,
    "resume": _FLAG,
    "overwrite": _FLAG,
    "project_start": _FLAG,
    "balance": _FLAG,
    "estimate_error": _FLAG,
    "stick": _FLAG,
}  # fmt: skip
_CHECKS: dict[str, Callable[[str, object], None]] = {
    "mechanism": _mechanism,
    "controller": _parts,
    "actuators": _parts,
    "inputs": _forces,
    "voltages": _forces,
    "external": _wrenches,
    "events": _events,
    "progress": _progress,
}
_EXPLICIT = ("euler", "heun", "rk3", "rk4", "dopri5", "semi-implicit")


def projection_or_rates(
    project: object, method: str, names: tuple[str, ...], parameters: bool
) -> tuple[bool, DrawnBack | None]:
    """Whether steps end with a projection, and the rates or gains that take its place:

        J a = gamma - 2 alpha (J v) - beta² (residual)      [Baumgarte 1972]

    What these terms add to the forces of the constraints is the corrective force.  parameters: the
    run has inertias of its own."""
    rates: DrawnBack | None = None
    if not isinstance(project, bool):
        several_numbers = isinstance(project, (tuple, list)) or getattr(project, "ndim", 0) > 0
        if not (several_numbers or isinstance(project, CorrectiveForce | AnyPenalty)):
            raise InputError(
                f"project: expected True, False, rates (alpha, beta) in 1/s, "
                f"CorrectiveForce(kp, kv), Penalty(stiffness, damping) or "
                f"StabilizedPenalty(weight, rate), found {type(project).__name__}."
            )
        if method not in _EXPLICIT or parameters:
            raise InputError(
                f"project: what draws constraints back goes with the methods "
                f"{', '.join(_EXPLICIT)}, and without `parameters`.",
                Remedy("keep by projection"),
            )
        if isinstance(project, CorrectiveForce | AnyPenalty):
            rates = project
        else:
            rates = baumgarte_rates(tuple(project), "project")  # type: ignore[arg-type]
        project = False
    refuse_corrective(names, rates)
    return project, rates


def wrenches_of(
    system: System, names: Iterable[str], who: str = "record"
) -> dict[str, tuple[Labels, Labels]]:
    """Labels and units of `external`, if it is among the names: an error where nothing acts."""
    wrenches = system.setup.external
    return acting(names, wrenches.frames if wrenches.of_time else system.mechanism.frames, who)


def refuse_corrective(names: Iterable[str], rates: DrawnBack | None, who: str = "record") -> None:
    """A corrective force that nobody gives.  names: quantities that are looked at."""
    if "corrective_force" in names and rates is None:
        raise InputError(
            f"{who}: there is no corrective force where constraints are kept by projection.",
            Remedy("draw back"),
        )
