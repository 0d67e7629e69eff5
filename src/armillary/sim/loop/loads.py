"""Inputs of a joint that has an actuator: voltages feed it, forces act beside it.

A joint force of `inputs` would bypass the actuator silently: a motor at 0 V and 6 N m at its
joint.  It is refused unless it is meant so.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.actuators.dc_motor import DCMotor
from armillary.sim.control.block import Block
from armillary.sim.motion.schedules import Forces, Inputs, columns_of
from armillary.sim.motion.user_functions import scalars

Named = Mapping[str, object] | None


def fed(mechanism: Mechanism, actuators: object, voltages: Inputs) -> object:
    """The actuators of a run; where voltages are given and none are, the motors of the model."""
    if voltages is not None and not isinstance(voltages, Mapping):
        raise InputError(
            f"voltages: expected {{joint: volts, Schedule or f(t)}}, found "
            f"{type(voltages).__name__}."
        )
    if not voltages or actuators is not None:
        return actuators
    return DCMotor(mechanism, joints=list(voltages))


def check_fed(
    mechanism: Mechanism,
    parts: list[Block],
    inputs: Inputs,
    voltages: Mapping[str, object] | None,
    beside: bool,
) -> None:
    """parts: the actuators.  Refuse forces that bypass one, and voltages that feed none."""
    if inputs is None and not voltages:
        return
    driven: dict[int, Block] = {}
    for part in parts:
        for own in part.blocks:
            driven |= dict.fromkeys(entries_of(own, mechanism), own)
    for name in voltages or {}:
        for k in columns_of(mechanism, name):
            if not _takes_volts(driven.get(k)):
                raise InputError(
                    f"voltages['{name}']: no motor that takes a voltage drives this joint. Use "
                    f"actuators=DCMotor(mechanism, motors={{'{name}': Motor(...)}}, "
                    f"command='voltage')."
                )
    if beside:
        return
    for name, columns in _given(mechanism, inputs).items():
        passed = [k for k in columns if k in driven]
        if passed:
            label, part = mechanism.v_labels[passed[0]], driven[passed[0]]
            cure = (
                f"Feed the motor: voltages={{'{label}': ...}} (V)"
                if _takes_volts(part)
                else "Command it by a `controller`"
            )
            raise InputError(
                f"{name}: '{label}' has an actuator ({type(part).__name__}), and a joint force "
                f"would bypass it. {cure}; or add the force at the joint: inputs={{'{label}': "
                f"...}}, beside=True."
            )


def entries_of(part: Block, mechanism: Mechanism) -> list[int]:
    """Entries of v that an actuator prescribed: those it names, else those whose command it changes
    at the initial configuration."""
    if part.entries is not None:
        return list(part.entries)
    q, v = np.array(mechanism.initial, float).tolist(), [0.0] * mechanism.nv
    command = [1.0 + k for k in range(mechanism.nv)]
    found = part.force(0.0, q, v, list(part.start(mechanism, q, v)), command)
    what = f"actuator '{type(part).__name__}'"
    force = scalars(what, found, mechanism.nv, (), 0.0, "forces")
    return [k for k, (x, y) in enumerate(zip(force, command, strict=True)) if x != y]


def _takes_volts(part: Block | None) -> bool:
    """Does an actuator (None: there is none) take a voltage as its command?"""
    motors = getattr(part, "motors", part)
    return isinstance(motors, DCMotor) and motors.command == "voltage"


def _given(mechanism: Mechanism, inputs: Inputs) -> dict[str, list[int]]:
    """Entries of v that get a force, by what the user wrote."""
    if inputs is None:
        return {}
    if isinstance(inputs, Mapping):
        return {f"inputs['{name}']": columns_of(mechanism, name) for name in inputs}
    given = Forces(mechanism, inputs)
    columns = set(np.flatnonzero(np.atleast_2d(given.constant).any(axis=0)).tolist())
    for own, signal in given.signals:
        all_of_them = np.arange(mechanism.nv)[own]
        values = getattr(signal, "values", None)
        if values is not None:  # a schedule: columns that are zero throughout say nothing
            values = values.reshape(-1, len(all_of_them))
            all_of_them = all_of_them[values.any(axis=0)]
        columns |= set(all_of_them.tolist())
    return {"inputs": sorted(columns)}
