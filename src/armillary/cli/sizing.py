"""`size` and `motors`: motors and gears for a motion, and the catalogue they come from."""

from __future__ import annotations

from math import inf
from pathlib import Path

from armillary.cli import models, screen
from armillary.cli.options import ClosedSource, Words


def size(
    source: ClosedSource,
    motion: Path,
    joint: Words,
    motor: Words,
    gear: Words,
    safety: float,
    json: bool,
) -> bool:
    """Whether there is a pair for every joint."""
    from armillary.sim.loop.replay import replay
    from armillary.sim.record.motor_loads import with_motors
    from armillary.sim.record.motor_sizing import size_motors
    from armillary.sim.record.stored_run import load_run

    mechanism = models.find(source)
    drives = (joint or with_motors(mechanism)) if mechanism.constraints else None
    run = replay(mechanism, load_run(motion), actuators=drives or None)
    found = size_motors(run, joint, motors=motor, gears=gear, safety=safety)
    if json:
        chosen = {
            name: None if x is None else {
                "motor": x.motor, "gear": x.gear, "ratio": x.ratio, "mass": x.mass,
                "rms_torque": x.rms_torque, "temperature": x.temperature, "used": x.uses,
            }
            for name, x in found.chosen.items()
        }  # fmt: skip
        screen.print_json({"safety": safety, "joints": chosen})
    else:
        screen.say(str(found))
        screen.say("the masses of motors and gears are not part of the load: put them on the arm")
    return None not in found.chosen.values()


def motors(json: bool) -> None:
    from armillary.formats.motors import GEARS, MOTORS

    if json:
        screen.print_json(
            {
                "motors": {name: vars(x) | {"data": vars(x.data)} for name, x in MOTORS.items()},
                "gears": {name: _finite(vars(x)) for name, x in GEARS.items()},
            }
        )
        return
    rows = [
        [
            name,
            *screen.numbers(
                _numbers(
                    x.data.voltage_limit, x.data.resistance, x.data.torque_constant, x.rotor_inertia
                ),
                4,
            ),
            _or(x.data.continuous_current),
            _or(x.mass),
            x.source,
        ]
        for name, x in MOTORS.items()
    ]
    heads = [
        "motor",
        ">[V]",
        ">R [ohm]",
        ">K [N m/A]",
        ">rotor [kg m²]",
        ">RMS [A]",
        ">[kg]",
        "source (rounded)",
    ]
    screen.table(heads, rows, "motors")
    rows = [
        [
            name,
            *screen.numbers(_numbers(x.ratio, x.efficiency), 4),
            _or(x.rated_torque),
            _or(x.peak_torque),
            screen.number(x.mass),
            x.source,
        ]
        for name, x in GEARS.items()
    ]
    heads = [
        "gear",
        ">ratio",
        ">efficiency",
        ">RMS [N m]",
        ">peak [N m]",
        ">[kg]",
        "source (rounded)",
    ]
    screen.table(heads, rows, "gears")


def _numbers(*values: float | None) -> tuple[float, ...]:
    return tuple(float("nan") if x is None else x for x in values)


def _or(value: float | None) -> str:
    return "-" if value is None or value == inf else screen.number(value, 4)


def _finite(values: dict[str, object]) -> dict[str, object]:
    """null for what has no limit."""
    return {name: None if x == inf else x for name, x in values.items()}
