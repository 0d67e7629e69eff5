"""Motors of the model as factors: `motors.elbow.resistance`.

A run takes them through its blocks: a `DCMotor` that was given no motors of its own, or the one
that voltages bring along.  In a batch such a block gets them as its arguments, and their numbers
become numbers of the block, as others do (varied_block.py).  The gear is that of the
motor's rotor, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.compile_function import NotNative
from armillary.mechanism.mechanism import Mechanism
from armillary.model.model import Model
from armillary.model.parts import MOTOR_UNITS, Body
from armillary.sim.actuators.dc_motor import DCMotor
from armillary.sim.control.block import Block
from armillary.sim.loop.experiment import Experiment
from armillary.sim.loop.loads import fed
from armillary.sim.motion.user_functions import several
from armillary.studies.target import Target
from armillary.studies.varied_block import arguments_of, made_again

ROLES = ("controller", "actuators")
_ABOVE_ZERO = ("resistance", "torque_constant", "efficiency")


def motor_target(experiment: Experiment, path: str, rest: str) -> Target:
    """A number of a motor of the model that drives its joint in this experiment."""
    label, _, number = rest.rpartition(".")
    model = experiment.mechanism.model
    having = {b.joint.name: b for b in model.bodies if b.motor is not None}
    if label not in having:
        raise unknown_name("joint with a motor", label, having)
    body = having[label]
    value = getattr(body.motor, number, None)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        known = [k for k, x in vars(body.motor).items() if x is not None]
        raise unknown_name("number of a motor", number, known)
    if not any(True for _ in _of_joint(experiment, model, body)):
        raise InputError(
            f"{path}: no block of the experiment has the model's motor of '{label}'. Give "
            f"voltages: {{{label}: ...}}, or actuators: {{dc_motor: {{}}}}."
        )
    # without an inductance the current is no state: another code, and groups
    above = number in _ABOVE_ZERO or (number in ("gear", "inductance") and value > 0.0)
    least = -np.inf if number == "gear" and value < 0.0 else 0.0
    most = 1.0 if number == "efficiency" else 0.0 if least < 0.0 else np.inf
    rotors = _rotor_labels(model, body) if number == "gear" else ()
    also = tuple(f"joints.{x}.gear" for x in rotors)
    unit = MOTOR_UNITS.get(number, "")
    return Target(
        path=path,
        kind="motor",
        owner=body.name,
        steps=(number,),
        value=float(value),
        unit=unit,
        least=least,
        open=above,
        most=most,
        also=also,
    )


def _rotor_labels(model: Model, body: Body) -> tuple[str, ...]:
    """Degrees of freedom of its joint that have a rotor."""
    first = model.slots[model.index[body.name]].v.start
    rotors = enumerate(body.joint.rotors)
    return tuple(model.v_labels[first + k] for k, rotor in rotors if rotor.inertia > 0.0)


# -- the blocks that have them ---------------------------------------------------------------------


def _of_joint(
    experiment: Experiment, model: Model, body: Body
) -> Iterator[tuple[str, tuple[str, ...], DCMotor]]:
    """Which block, the steps to it, and the motors of the model that drive a body's joint."""
    slot = model.slots[model.index[body.name]].v
    entries = range(slot.start, slot.stop)
    for owner, block in _blocks(experiment):
        for steps, motors in _inside(block):
            if any(i in motors.drives for i in entries):
                yield owner, steps, motors


def _blocks(experiment: Experiment) -> Iterator[tuple[str, Any]]:
    for role in ROLES:
        given = experiment[role]
        if role == "actuators":
            given = fed(experiment.mechanism, given, experiment["voltages"])
        for k, block in enumerate(several(given)):
            yield f"{role}.{k}", block


def _inside(x: object, steps: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], DCMotor]]:
    """Motors of the model among a block and its arguments."""
    if isinstance(x, (list, tuple)):
        for k, y in enumerate(x):
            yield from _inside(y, (*steps, str(k)))
    elif isinstance(x, DCMotor):
        if arguments_of(x).get("motors") is None:
            yield steps, x
    elif isinstance(x, Block):
        for name, y in arguments_of(x).items():
            yield from _inside(y, (*steps, name))


def steps_to(experiment: Experiment, target: Target) -> dict[str, tuple[str, ...]]:
    """By block, the steps to a number of a motor once it is an argument
    (`with_motor_arguments`); NotNative where it is out of reach."""
    model = experiment.mechanism.model
    body = model.bodies[model.index[target.owner]]
    if model.joints[model.index[target.owner]].nv != 1:
        raise NotNative("a motor of several degrees of freedom")
    found = {}
    for owner, steps, _ in _of_joint(experiment, model, body):
        if len(steps) > 1:
            raise NotNative("motors inside a chain of blocks")
        found[owner] = (*steps, "motors", body.joint.name, *target.steps)
    return found


def with_motor_arguments(experiment: Experiment) -> Experiment:
    """The same experiment, whose blocks have the motors of the model as arguments.  (They are
    made for a model without rotors: its gears may differ from run to run.)"""
    mechanism = experiment.mechanism
    bare = _without_rotors(mechanism)
    blocks: dict[str, list[Any]] = {role: [] for role in ROLES}
    for owner, block in _blocks(experiment):
        blocks[owner.partition(".")[0]].append(_with_own(block, bare))
    return experiment.replace(mechanism, **{k: x for k, x in blocks.items() if x})


def _with_own(block: Any, mechanism: Mechanism) -> Any:
    if isinstance(block, DCMotor) and arguments_of(block).get("motors") is None:
        own = {mechanism.v_labels[i]: drive.motor for i, drive in block.drives.items()}
        changes = {"mechanism": mechanism, "motors": own, "joints": None}
        return made_again(block, {**arguments_of(block), **changes})
    if isinstance(block, Block):
        given = arguments_of(block)
        inner = {k: _with_own(x, mechanism) for k, x in given.items() if isinstance(x, DCMotor)}
        return made_again(block, {**given, **inner}) if inner else block
    return block


def _without_rotors(mechanism: Mechanism) -> Mechanism:
    geared = [b.name for b in mechanism.model.bodies if b.joint.rotors]
    return mechanism.replace(bodies={name: {"rotors": ()} for name in geared})


def numbers_of_blocks(
    experiment: Experiment, targets: Mapping[str, Target]
) -> dict[str, dict[str, Sequence[str]]]:
    """By block: the steps to each number of it that varies, by path.  NotNative where a motor is
    out of reach."""
    found: dict[str, dict[str, Sequence[str]]] = {}
    for path, target in targets.items():
        if target.kind == "block":
            found.setdefault(target.owner, {})[path] = target.steps
        elif target.kind == "motor":
            for owner, steps in steps_to(experiment, target).items():
                found.setdefault(owner, {})[path] = steps
    return found
