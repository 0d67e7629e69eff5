"""Options of `simulate` for what acts on joints: forces over time, voltages, motions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armillary.errors import InputError

if TYPE_CHECKING:
    from armillary.sim.motion.schedules import Schedule

Input = Annotated[Path | None, typer.Option(help="Joint forces over time, CSV: time, then joints.")]
Voltage = Annotated[
    list[str] | None,
    typer.Option(
        metavar="JOINT=VOLTS",
        help="Feeds the joint's motor of the model: a number, or a CSV (time, volts). Repeatable.",
    ),
]
Beside = Annotated[
    bool,
    typer.Option("--beside", help="--tau and --input act beside the motors that --voltage feeds."),
]
Motion = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=MOTION",
        help="Prescribed motion of a joint or of the ground under a wheel: a position, a CSV "
        "(time, position), or a road and a speed (road.csv@20: distance, height). Repeatable.",
    ),
]
Stay = Annotated[
    bool,
    typer.Option("--stay", help="The last line of --input, --voltage and --prescribe goes on."),
]


def named(option: str, texts: Sequence[str], example: str) -> dict[str, str]:
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


def number(text: str) -> float | None:
    """The number that a word is, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def voltages(texts: Sequence[str], stay: bool) -> dict[str, Any] | None:
    """Volts by joint: a number or a table over time."""
    found: dict[str, Any] = {}
    for name, value in named("--voltage", texts, "joint=volts or joint=table.csv").items():
        volts = number(value)
        found[name] = _table(name, Path(value), stay) if volts is None else volts
    return found or None


def _table(name: str, file: Path, stay: bool) -> Schedule:
    from armillary.cli.simulating import readable
    from armillary.sim.motion.schedules import Schedule

    with readable(file):
        table = Schedule.from_csv(file)
    labels = list(table.labels or ())
    if len(labels) > 1 and name not in labels:
        raise InputError(f"--voltage {name}: {file} has no column '{name}', found {labels}.")
    column = labels.index(name) if name in labels else 0
    return Schedule(table.times, table.values[:, column], hold=stay)


def check_beside(names: Sequence[str], volts: dict[str, Any] | None, beside: bool) -> None:
    """names: joints that get a force.  As `simulate` refuses it, in words of the command line."""
    for name in names if not beside else ():
        if name in (volts or {}):
            raise InputError(
                f"--tau, --input: --voltage feeds the motor of '{name}', and a joint force would "
                f"pass it by. Leave it out, or add it at the joint: --beside."
            )
