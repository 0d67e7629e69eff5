"""Motors of the model beside joint forces: voltages that a motion takes, and forces of voltages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary import Mechanism
from armillary.cli import screen
from armillary.cli.options import Words
from armillary.cli.states import Array, from_words
from armillary.errors import InputError

if TYPE_CHECKING:
    from armillary.sim.actuators.dc_motor import Commands


def commands_of(mechanism: Mechanism, v: Array, tau: Array) -> Commands:
    """Currents and voltages for joint forces [Swartz1982, 11]."""
    from armillary.sim.actuators.dc_motor import DCMotor

    return DCMotor(mechanism).inverse(v, tau)


def fed_forces(mechanism: Mechanism, words: Words, v: Array, tau: Array) -> Array:
    """tau with the forces of the motors that are fed [Swartz1982, 12]; inductance has settled."""
    from armillary.sim.actuators.dc_motor import DCMotor

    volts = from_words(mechanism, "voltage", words or ())
    named = any("=" in word for word in words or ())
    motors = DCMotor(mechanism).drives
    given = {pair.split("=")[0].strip() for word in words or () for pair in word.split(",")}
    found = np.array(tau, float)
    for i, label in enumerate(mechanism.v_labels):
        if named and label not in given:
            continue
        if i not in motors:
            if volts[i]:
                raise InputError(f"--voltage: '{label}' has no motor in the model.")
            continue
        if np.any(found[..., i]):
            raise InputError(f"--tau, --voltage: both drive '{label}'. Give one of them.")
        drive, speed = motors[i], v[..., i]
        found[..., i] = drive.force(drive.steady_current(drive.supply(volts[i]), speed), speed)
    return found


def print_commands(mechanism: Mechanism, commands: Commands) -> None:
    """Of one state every number, of a batch the greatest of each."""
    limited = np.atleast_2d(commands.limited)
    rows = []
    for i, label in enumerate(mechanism.v_labels):
        if not np.any(commands.voltage[..., i]) and not _has_motor(mechanism, label):
            continue
        values = (commands.current, commands.voltage, commands.applied)
        numbers = [np.atleast_2d(x)[:, i] for x in values]
        most = [float(x[np.argmax(np.abs(x))]) for x in numbers]
        rows.append([label, *screen.numbers(most), "yes" if limited[:, i].any() else ""])
    many = "" if commands.voltage.ndim == 1 else ", greatest of all states"
    heads = ["motor of", ">current [A]", ">voltage [V]", ">within its limit [V]", "limited"]
    screen.table(heads, rows, f"motors{many}")


def _has_motor(mechanism: Mechanism, label: str) -> bool:
    return any(body.joint.name == label and body.motor for body in mechanism.model.bodies)
