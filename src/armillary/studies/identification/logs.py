"""Measured motion by name: time, positions, rates where they were measured, forces or currents."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import pi

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array, as_floats
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.record.run_data import RunData

Data = RunData | str | os.PathLike[str] | Mapping[str, object]

SHORTEST = 8  # instants
_EVEN = 1e-3  # of the step: how far instants may lie beside their grid
# what one of a unit is in the units of the mechanism (rad, m, N m, N, A); angular ones first
_ANGLES = {"rad": 1.0, "deg": pi / 180.0, "°": pi / 180.0, "turn": 2.0 * pi}
_LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
_FORCES = {
    "rad": {"N m": 1.0, "Nm": 1.0, "N·m": 1.0, "mN m": 1e-3, "N mm": 1e-3},
    "m": {"N": 1.0, "kN": 1e3, "mN": 1e-3},
}
_CURRENTS = {"A": 1.0, "mA": 1e-3}


@dataclass(frozen=True)
class Log:
    """time (T,), q (T, nq), v and a (T, nv) or None, effort (T, len(entries)): joint forces, or
    currents of their motors, of the entries of v that were measured."""

    time: Array
    q: Array
    v: Array | None
    a: Array | None
    effort: Array
    entries: tuple[int, ...]
    kind: str = "tau"  # or "current"
    name: str = "data"
    notes: tuple[str, ...] = field(default=())

    @property
    def step(self) -> float:
        """Time between two instants, s."""
        return float(self.time[-1] - self.time[0]) / (len(self.time) - 1)

    def even(self) -> bool:
        """Are the instants equally spaced?"""
        grid = self.time[0] + self.step * np.arange(len(self.time))
        return bool(np.abs(self.time - grid).max() <= _EVEN * self.step)

    def refuse_uneven(self, why: str) -> None:
        if self.even():
            return
        gaps = np.diff(self.time)
        k = int(np.argmax(np.abs(gaps - np.median(gaps))))
        raise InputError(
            f"{self.name}: {why} needs equally spaced instants, found steps from {gaps.min():.6g} "
            f"to {gaps.max():.6g} s (the oddest at t = {self.time[k]:g} s). Resample the log, or "
            "give v and a as well and no cutoff."
        )


def read_logs(mechanism: Mechanism, data: Data | Sequence[Data]) -> tuple[Log, ...]:
    """One log, or several that were measured one after the other."""
    given = list(data) if isinstance(data, list | tuple) else [data]
    if not given:
        raise InputError("data: expected a log, found an empty list.")
    logs = tuple(_read(mechanism, one, k, len(given)) for k, one in enumerate(given))  # type: ignore[arg-type]
    for log in logs[1:]:
        if (log.kind, log.entries) != (logs[0].kind, logs[0].entries):
            raise InputError(
                f"{log.name}: measured are {_listed(mechanism, log)}, in {logs[0].name} "
                f"{_listed(mechanism, logs[0])}. Identify from logs with the same columns."
            )
    return logs


def _listed(mechanism: Mechanism, log: Log) -> str:
    return f"{log.kind} of {', '.join(mechanism.v_labels[k] for k in log.entries)}"


def _read(mechanism: Mechanism, data: Data, k: int, count: int) -> Log:
    name = "data" if count == 1 else f"data[{k}]"
    if isinstance(data, str | os.PathLike):
        from armillary.sim.record.stored_run import load_run

        return _of_columns(mechanism, _table(load_run(data), os.fspath(data)), os.fspath(data))
    if isinstance(data, RunData):
        return _of_columns(mechanism, _table(data, name), name)
    if isinstance(data, Mapping):
        return _of_columns(mechanism, _given(mechanism, data, name), name)
    raise InputError(
        f"{name}: expected a Run, a file (.csv, .parquet, .nc) or arrays by name, "
        f"{{'time': (T,), 'q': (T, nq), 'tau': (T, nv)}}; found {type(data).__name__}."
    )


@dataclass(frozen=True)
class _Column:
    values: Array
    unit: str


Columns = dict[str, dict[str, _Column]]  # quantity -> label -> numbers and their unit


def _table(run: RunData, name: str) -> Columns:
    """The columns of a run by quantity and label; "elbow [deg]" has its unit in the label."""
    if run.batch is not None:
        raise InputError(f"{name}: expected one run, found a batch of {run.batch}.")
    found: Columns = {"time": {"": _Column(run.time, "s")}}
    for quantity in ("q", "v", "a", "tau", "current"):
        if quantity not in run:
            continue
        for k, label in enumerate(run.labels[quantity]):
            plain, unit = _with_unit(label)
            unit = unit or run.units[quantity][k]
            found.setdefault(quantity, {})[plain] = _Column(run[quantity][:, k], unit)
    return found


def _with_unit(label: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.*?)\s*[\[(]([^\])]*)[\])]\s*", label)
    return (match[1], match[2].strip()) if match else (label, "")


def _given(mechanism: Mechanism, data: Mapping[str, object], name: str) -> Columns:
    """Arrays (T, n) in the order of the mechanism, or {label: (T,)}."""
    labels = {
        "q": mechanism.q_labels,
        **dict.fromkeys(("v", "a", "tau", "current"), mechanism.v_labels),
    }
    found: Columns = {}
    for quantity, values in data.items():
        if quantity == "time":
            found["time"] = {"": _Column(as_floats(f"{name}['time']", values).astype(float), "s")}
        elif quantity not in labels:
            raise unknown_name(f"quantity of {name}", quantity, ["time", *labels])
        elif isinstance(values, Mapping):
            columns = {
                label: as_floats(f"{name}['{quantity}']['{label}']", x).astype(float)
                for label, x in values.items()
            }
            found[quantity] = {
                plain: _Column(columns[label], unit)
                for label in columns
                for plain, unit in [_with_unit(label)]
            }
        elif values is not None:
            array = as_floats(f"{name}['{quantity}']", values).astype(float)
            if array.ndim == 1 and len(labels[quantity]) == 1:
                array = array[:, None]
            if array.ndim != 2 or array.shape[1] != len(labels[quantity]):
                raise InputError(
                    f"{name}['{quantity}']: expected (T, {len(labels[quantity])}), one column per "
                    f"entry ({', '.join(labels[quantity][:8])}), found shape {array.shape}. Give "
                    f"some of them by name: {{'{labels[quantity][0]}': (T,)}}."
                )
            pairs = zip(labels[quantity], array.T, strict=True)
            found[quantity] = {label: _Column(x, "") for label, x in pairs}
    return found


def _of_columns(mechanism: Mechanism, found: Columns, name: str) -> Log:
    """Checked, in the order and the units of the mechanism."""
    time = _time(found, name)
    units = {"q": "{}", "v": "{}/s", "a": "{}/s²"}
    arrays: dict[str, Array | None] = {}
    for quantity, form in units.items():
        labels = mechanism.q_labels if quantity == "q" else mechanism.v_labels
        own = mechanism.q_units if quantity == "q" else mechanism.v_units
        columns = _by_label(found.get(quantity, {}), labels)
        missing = [label for label in labels if label not in columns]
        if len(missing) == len(labels) and quantity != "q":
            arrays[quantity] = None
            continue
        if missing:
            raise InputError(
                f"{name}: there is no column {_columns(quantity, missing)}. Found are "
                f"{_columns(quantity, columns) or 'none of them'}; every coordinate of "
                f"'{mechanism.name}' is needed."
            )
        scaled = [
            _scaled(columns[label], _motion_units(unit, form), f"{name}: {quantity}.{label}")
            for label, unit in zip(labels, own, strict=True)
        ]
        arrays[quantity] = _rows(np.column_stack(scaled), time, labels, f"{name}: {quantity}")
    kind = "tau" if found.get("tau") else "current"
    effort = _by_label(found.get(kind, {}), mechanism.v_labels)
    for label in effort:
        if label not in mechanism.v_labels:
            raise unknown_name(
                f"joint (column {kind}.{label} of {name})", label, mechanism.v_labels
            )
    if not effort:
        raise InputError(
            f"{name}: there are no joint forces. Expected columns tau.{mechanism.v_labels[0]}, ... "
            f"(N m or N) or current.{mechanism.v_labels[0]}, ... (A)."
        )
    entries = tuple(k for k, label in enumerate(mechanism.v_labels) if label in effort)
    names = [mechanism.v_labels[k] for k in entries]
    known = [_CURRENTS if kind == "current" else _FORCES[mechanism.v_units[k]] for k in entries]
    forces = [
        _scaled(effort[label], table, f"{name}: {kind}.{label}")
        for label, table in zip(names, known, strict=True)
    ]
    measured = _rows(np.column_stack(forces), time, names, f"{name}: {kind}")
    q = arrays["q"]
    assert q is not None
    return Log(time, q, arrays["v"], arrays["a"], measured, entries, kind, name)


def _by_label(columns: dict[str, _Column], labels: Sequence[str]) -> dict[str, _Column]:
    """Labels that are plain numbers stand for the order of the mechanism."""
    if columns and set(columns) == {str(k) for k in range(len(labels))}:
        return {label: columns[str(k)] for k, label in enumerate(labels)}
    return columns


def _columns(quantity: str, labels: object) -> str:
    shown = [f"{quantity}.{label}" for label in labels]  # type: ignore[attr-defined]
    return ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")


def _motion_units(unit: str, form: str) -> dict[str, float]:
    table = {"rad": _ANGLES, "m": _LENGTHS}.get(unit, {unit: 1.0})
    known = {form.format(name): factor for name, factor in table.items()}
    return known | {name.replace("²", "^2"): factor for name, factor in known.items()}


def _scaled(column: _Column, known: dict[str, float], what: str) -> Array:
    if column.unit in ("", *known):
        return column.values * known.get(column.unit, 1.0)
    raise InputError(
        f"{what}: the unit '{column.unit}' is not known here. Expected one of {', '.join(known)}."
    )


def _time(found: Columns, name: str) -> Array:
    if "time" not in found:
        raise InputError(f"{name}: there is no column 'time' (s).")
    time = found["time"][""].values
    if time.ndim != 1 or len(time) < SHORTEST:
        raise InputError(
            f"{name}: a log of {len(np.atleast_1d(time))} instants is too short; expected at least "
            f"{SHORTEST}."
        )
    if not np.isfinite(time).all():
        raise InputError(
            f"{name}: 'time' is not finite at row {int(np.argmin(np.isfinite(time)))}."
        )
    if (np.diff(time) <= 0.0).any():
        k = int(np.argmax(np.diff(time) <= 0.0))
        raise InputError(
            f"{name}: time must rise; row {k + 1} has {time[k + 1]:g} s after {time[k]:g} s. Sort "
            "the rows, and give several logs as a list."
        )
    return time


def _rows(values: Array, time: Array, labels: Sequence[str], what: str) -> Array:
    if len(values) != len(time):
        raise InputError(f"{what}: {len(values)} rows for {len(time)} instants.")
    bad = ~np.isfinite(values)
    if bad.any():
        row, column = (int(x[0]) for x in np.nonzero(bad))
        raise InputError(
            f"{what}.{labels[column]}: {values[row, column]} at t = {time[row]:g} s (row {row}); "
            f"{int(bad.any(axis=1).sum())} rows have such numbers. Cut the log there, or fill them."
        )
    return values
