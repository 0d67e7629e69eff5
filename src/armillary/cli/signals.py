"""What acts on joints over time, as it is typed: forces, voltages, prescribed motions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armillary.cli.options import Inputs
from armillary.cli.states import Array
from armillary.errors import InputError

VOLTAGE = "voltage."  # before the name of a joint, in the head of a column

if TYPE_CHECKING:
    from armillary.sim.motion.roads import RoadMotion
    from armillary.sim.motion.schedules import Schedule


def force_table(inputs: Inputs) -> Schedule | None:
    """A table over time whose columns are joints or force elements: time, crank or tau.crank."""
    if inputs.input is None:
        return None
    from armillary.sim.motion.schedules import Schedule

    table = Schedule.from_csv(inputs.input, hold=inputs.stay)
    labels = [label.removeprefix("tau.") for label in table.labels or ()]
    return Schedule(table.times, table.values, labels, table.kind, table.hold)


def by_name(
    table: Schedule, elements: Mapping[str, tuple[str, int]]
) -> Schedule | dict[str, Array | float | Schedule]:
    """Columns of force elements, as `element_labels` has them, beside those of joints; a table of
    joints alone as it is."""
    from armillary.sim.motion.schedules import Schedule

    labels = list(table.labels or ())
    if not set(labels) & set(elements):
        return table
    columns: dict[str, np.ndarray] = {}
    for k, label in enumerate(labels):
        name, entry = elements.get(label, (label, 0))
        count = sum(other == name for other, _ in elements.values()) or 1
        own = columns.setdefault(name, np.zeros((len(table.times), count)))
        own[:, entry] = table.values[:, k]
    return {
        name: Schedule(table.times, x if x.shape[1] > 1 else x[:, 0], None, table.kind, table.hold)
        for name, x in columns.items()
    }


def voltages(inputs: Inputs) -> dict[str, float | Schedule] | None:
    """Volts by joint: a number or a table over time."""
    from armillary.sim.motion.schedules import Schedule

    found: dict[str, float | Schedule] = {}
    example = "joint=volts or joint=table.csv"
    for name, text in _named("--voltage", inputs.voltage or (), example).items():
        volts = _number(text)
        if volts is not None:
            found[name] = volts
            continue
        table = Schedule.from_csv(text)
        column = _column("--voltage", name, text, table.labels or ())
        found[name] = Schedule(table.times, table.values[:, column], hold=inputs.stay)
    for name, volts_of in held_voltages(inputs.schedule).items():
        if name in found:
            raise InputError(f"--voltage and --schedule: '{name}' is given twice.")
        found[name] = volts_of
    return found or None


def held_voltages(path: Path | None, begin: float = 0.0) -> dict[str, Schedule]:
    """What a converter puts out: every row until the next, by the joints of the columns; torques
    beside them (`inverse_arm` writes both) do not count.  begin: when the file's 0 is."""
    if path is None:
        return {}
    from armillary.sim.motion.schedules import Schedule

    table = Schedule.from_csv(path, kind="hold", hold=True)
    labels = table.labels or ()
    told = any(label.startswith(VOLTAGE) for label in labels)
    return {
        label.removeprefix(VOLTAGE): Schedule(
            begin + table.times, table.values[:, k], kind="hold", hold=True
        )
        for k, label in enumerate(labels)
        if not told or label.startswith(VOLTAGE)
    }


def motions(inputs: Inputs) -> dict[str, float | Schedule | RoadMotion] | None:
    """Prescribed motion by name: a position, a table over time, or a road at a speed."""
    found: dict[str, float | Schedule | RoadMotion] = {}
    example = "name=position, name=table.csv or name=road.csv@speed"
    for name, text in _named("--prescribe", inputs.prescribe or (), example).items():
        position = _number(text)
        found[name] = _motion_of_file(name, text, inputs.stay) if position is None else position
    return found or None


def _motion_of_file(name: str, text: str, stay: bool) -> Schedule | RoadMotion:
    from armillary.sim.motion.roads import HEADS, RoadProfile
    from armillary.sim.motion.schedules import Schedule, number_table

    path, _, speed = text.rpartition("@")
    pace = _number(speed) if path else None
    file = Path(path if pace is not None else text)
    head, numbers = number_table(file, ("t", "time", *HEADS))
    column = 1 + _column("--prescribe", name, file, head[1:])
    if head[0].lower() not in HEADS:
        return Schedule(numbers[:, 0], numbers[:, column], kind="spline", hold=stay)
    if pace is None:
        raise InputError(
            f"--prescribe {name}: {file} is a road over distance; give a speed, "
            f"{name}={file}@20 (m/s)."
        )
    return RoadProfile(numbers[:, 0], numbers[:, column]).under(pace)


def check_beside(names: Sequence[str], volts: Mapping[str, object] | None, beside: bool) -> None:
    """names: joints that get a force.  As `simulate` refuses it, in words of the command line."""
    for name in names if not beside else ():
        if name in (volts or {}):
            raise InputError(
                f"--tau, --input: --voltage feeds the motor of '{name}', and a joint force would "
                f"pass it by. Leave it out, or add it at the joint: --beside."
            )


def _named(option: str, texts: Sequence[str], example: str) -> dict[str, str]:
    """{name: text} of words name=text."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            raise InputError(f"{option}: expected {example}, found '{text}'.")
        if name in found:
            raise InputError(f"{option}: '{name}' is given twice.")
        found[name] = value
    return found


def _number(text: str) -> float | None:
    """The number that a word is, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def _column(option: str, name: str, file: str | Path, labels: Sequence[str]) -> int:
    """The one of that name, or the only one."""
    if name in labels:
        return list(labels).index(name)
    if len(labels) > 1:
        raise InputError(f"{option} {name}: {file} has no column '{name}', found {list(labels)}.")
    return 0
