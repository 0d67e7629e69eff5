"""A motion as the user gives it, brought to one form: instants, places, and rates where known.

a trajectory (trajectories.py), sampled at instants
(t, q), (t, q, v) or (t, q, v, a): arrays; q, v, a by name, {"crank": (T,)}, give some of them
{"crank": trajectory, schedule, function of time or constant}, sampled
a recorded run: its time, q and, where recorded, v
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.evaluate.named_states import named_values
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.prescribed import Given, motion_of
from armillary.sim.motion.rates import slopes
from armillary.sim.motion.schedules import columns_of
from armillary.sim.motion.trajectories import Trajectory

_MOST = 20_000_000


@runtime_checkable
class Recorded(Protocol):
    """A run, or a table over time: arrays by name, with labels of their columns."""

    labels: dict[str, tuple[str, ...]]

    @property
    def time(self) -> Array: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def batch(self) -> int | None: ...

    def __contains__(self, name: object) -> bool: ...

    def __getitem__(self, name: str) -> Array: ...


Motion = Trajectory | Recorded | Sequence[ArrayLike] | Mapping[str, Given]


@dataclass(frozen=True)
class GivenMotion:
    """Places x (T, n) of all of q, or of the entries of v that are named; rates (T, ·) or None."""

    t: Array
    x: Array
    v: Array | None = None
    a: Array | None = None
    entries: tuple[int, ...] | None = None  # of v; None: x is q, v and a are (T, nv)
    notes: tuple[str, ...] = ()


def given_motion(
    mechanism: Mechanism,
    motion: Motion,
    times: ArrayLike | None,
    step: float,
    duration: float | None,
) -> GivenMotion:
    """The motion at its own instants, or at `times`, or every `step` seconds."""
    if isinstance(motion, Trajectory):
        t = _instants(times, step, motion.start, motion.end)
        sample = motion(t)
        _check_width(mechanism, sample.q, mechanism.nq)
        return GivenMotion(t, sample.q, sample.v, sample.a)
    if isinstance(motion, Mapping):
        return _sampled(mechanism, motion, times, step, duration)
    if times is not None or duration is not None:
        raise InputError("times, duration: a motion given as numbers has its own instants.")
    parts: Any = _columns(mechanism, motion) if isinstance(motion, Recorded) else motion
    if not isinstance(parts, (tuple, list)) and np.ndim(parts) == 0:
        raise InputError(
            f"replay: expected a trajectory, {{joint: motion}} or (t, q[, v[, a]]), found "
            f"{motion!r:.60}."
        )
    if not 2 <= len(parts) <= 4:
        raise InputError(
            f"replay: expected a trajectory, {{joint: motion}} or (t, q[, v[, a]]), found "
            f"{len(parts)} parts."
        )
    t = _rising(parts[0])
    if isinstance(parts[1], Mapping):
        return _by_name(mechanism, t, parts[1:])
    widths = (mechanism.nq, mechanism.nv, mechanism.nv)
    arrays = [_array(n, x, t, w) for n, x, w in zip("qva", parts[1:], widths, strict=False)]
    v, a = (*arrays[1:], None, None)[:2]
    return GivenMotion(t, arrays[0], v, a)


def _columns(mechanism: Mechanism, table: Recorded) -> tuple[object, ...]:
    """(t, q[, v[, a]]) of a recorded run, or by name of a table over time: columns are joints
    (crank) or q.crank, v.crank, a.crank; others are left aside."""
    if table.batch is not None:
        raise InputError(f"replay: the recording holds {table.batch} runs; take one of them.")
    if "q" not in table:
        known = (*mechanism.v_labels, *mechanism.joint_names)
        named = {name: table[name] for name in table.names if name in known}
        if not named:
            raise InputError(
                f"replay: found the columns {', '.join(table.names) or 'none'}, and none of them "
                f"is a coordinate of '{mechanism.name}' ({', '.join(mechanism.v_labels[:6])})."
            )
        return (table.time, named)
    parts: list[object] = [table.time]
    whole = set(table.labels["q"]) == set(mechanism.q_labels)
    for kind in "qva":
        labels = mechanism.q_labels if kind == "q" else mechanism.v_labels
        if kind not in table:
            break
        own = table.labels[kind]
        if whole and set(own) == set(labels):
            parts.append(table[kind][:, [own.index(label) for label in labels]])
        elif whole:
            break
        else:
            parts.append({label: table[kind][:, k] for k, label in enumerate(own)})
    return tuple(parts)


def _rising(given: object) -> Array:
    t = as_floats("t", given).astype(float)
    if t.ndim != 1 or len(t) < 2 or not np.isfinite(t).all() or not (np.diff(t) > 0.0).all():
        raise InputError(f"t: expected at least two finite times that rise, found shape {t.shape}.")
    return t


def _array(name: str, given: object, t: Array, width: int) -> Array:
    x = as_floats(name, given).astype(float)
    if x.shape != (len(t), width):
        raise InputError(
            f"{name}: expected {len(t)} rows of {width} numbers, found shape {x.shape}."
        )
    bad = ~np.isfinite(x).all(axis=1)
    if bad.any():
        raise InputError(f"{name}: not a finite number at t = {t[int(np.argmax(bad))]:g} s.")
    return x


def _check_width(mechanism: Mechanism, q: Array, width: int) -> None:
    if q.shape[1] != width:
        raise InputError(
            f"replay: the trajectory has {q.shape[1]} columns, and q of '{mechanism.name}' has "
            f"{width}. Name what they are: {{joint: trajectory}}."
        )


def _instants(times: ArrayLike | None, step: float, start: float, end: float) -> Array:
    if times is not None:
        return _rising(times)
    if not (isinstance(step, int | float) and np.isfinite(step) and step > 0.0 and end > start):
        raise InputError(
            f"step: expected a time above 0 and a motion that lasts, found {step!r} s from "
            f"{start:g} to {end:g} s."
        )
    count = int(np.ceil((end - start) / step - 1e-9))
    if count > _MOST:
        raise InputError(f"step: {count} instants are too many; take a longer step.")
    return np.append(start + step * np.arange(count), end)


def _sampled(
    mechanism: Mechanism,
    motions: Mapping[str, Given],
    times: ArrayLike | None,
    step: float,
    duration: float | None,
) -> GivenMotion:
    """Motions by name at common instants."""
    spans = [x for x in motions.values() if isinstance(x, Trajectory)]
    start = min((x.start for x in spans), default=0.0)
    end = max((x.end for x in spans), default=start) if duration is None else start + duration
    if times is None and end <= start:
        raise InputError("replay: how long? Give times= or duration= with functions of time.")
    t = _instants(times, step, start, end)
    entries, parts = [], []
    for name, value in motions.items():
        own = columns_of(mechanism, name)
        entries += own
        motion = motion_of(f"motion of '{name}'", value, len(own), float(np.diff(t).min()))
        motion.covers(float(t[0]), float(t[-1]))
        found = []
        for instant in t.tolist():
            motion.enter(instant, instant)
            found.append([np.atleast_1d(x) for x in motion(instant)])
        parts.append(np.array(found))
    x = np.concatenate(parts, axis=2)
    return GivenMotion(t, x[:, 0], x[:, 1], x[:, 2], _once(mechanism, entries))


def _once(mechanism: Mechanism, entries: Sequence[int]) -> tuple[int, ...]:
    """Plain coordinates, each named once."""
    if len(set(entries)) < len(entries):
        raise InputError("replay: the same coordinate is named twice.")
    plain_places(mechanism, entries)
    return tuple(entries)


def plain_places(mechanism: Mechanism, entries: Sequence[int]) -> list[int]:
    """Places in q of entries of v; those of joints with a quaternion are refused."""
    model, found = mechanism.model, dict[int, int]()
    for joint, slot in zip(model.joints, model.slots, strict=True):
        if joint.nq == joint.nv:
            found |= {slot.v.start + k: slot.q.start + k for k in range(joint.nv)}
    if not set(entries) <= set(found):
        raise InputError(
            "replay: a joint with a quaternion cannot be given by name over time. Give all of q: "
            "(t, q)."
        )
    return [found[k] for k in entries]


def _by_name(mechanism: Mechanism, t: Array, parts: Sequence[object]) -> GivenMotion:
    """{"crank": (T,)} of q, and perhaps of v and a."""
    found: list[Array] = []
    entries: tuple[int, ...] = ()
    for kind, given in zip("qva", parts, strict=False):
        if not isinstance(given, Mapping):
            raise InputError(f"{kind}: expected names as for q, found {type(given).__name__}.")
        columns = {name: _column(kind, name, x, t) for name, x in given.items()}
        named = named_values(mechanism.model, "v" if kind == "q" else kind, columns, kind)
        own = _once(mechanism, [k for _, k in named.entries])
        if entries and set(own) != set(entries):
            raise InputError(f"{kind}: expected the names of q, found {', '.join(given)}.")
        entries = entries or own
        found.append(named.values[:, [own.index(k) for k in entries]])
    notes = () if len(found) == 3 else (differentiated(len(found)),)
    if len(found) == 1:
        found += slopes(t, found[0])
    elif len(found) == 2:
        found.append(slopes(t, found[1])[0])
    return GivenMotion(t, found[0], found[1], found[2], entries, notes)


def _column(kind: str, name: str, given: object, t: Array) -> Array:
    x = as_floats(f"{kind}['{name}']", given).astype(float)
    if x.ndim not in (1, 2) or len(x) != len(t):
        raise InputError(f"{kind}['{name}']: expected {len(t)} instants, found shape {x.shape}.")
    return x[:, None] if x.ndim == 1 else x


def differentiated(known: int) -> str:
    """What is said of rates that were not given."""
    what = "velocities and accelerations" if known == 1 else "accelerations"
    return f"{what} were not given: those of polynomials through up to 7 instants"
