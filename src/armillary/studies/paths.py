"""Paths: every number of an experiment by name, and experiments with other numbers in their place.

bodies.car.mass   bodies.arm.com.x   bodies.arm.inertia.yy   bodies.arm.at.z
elements.strut.stiffness   joints.elbow.viscous   joints.elbow.rotor   gravity.z
q0.elbow   v0.elbow   inputs.elbow   voltages.elbow   motors.elbow.resistance
controller.kp   controller.2.target.elbow   actuators.road.height   step   duration
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from armillary.errors import ArmillaryError, InputError, unknown_name
from armillary.evaluate.inputs import Keywords
from armillary.mechanism.mechanism import Mechanism
from armillary.model.edit import replace_parameters
from armillary.model.varied import applied, place_of
from armillary.sim.control.block import Block
from armillary.sim.loop.experiment import Experiment
from armillary.sim.motion.coordinates import freedoms
from armillary.sim.motion.user_functions import several
from armillary.studies.motors import motor_target
from armillary.studies.target import Target
from armillary.studies.varied_block import arguments_of, made_again, number_at, with_number
from armillary.units import FORCE

TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")
AXES = ("x", "y", "z")
TIMES = ("step", "duration", "tolerance", "period", "t0")
_POSITIVE = ("step", "duration", "tolerance", "period")
_KNOWN = (
    "bodies",
    "elements",
    "joints",
    "gravity",
    "q0",
    "v0",
    "inputs",
    "voltages",
    "motors",
    "controller",
    "actuators",
    *TIMES,
)


def target_of(experiment: Experiment, path: str) -> Target:
    """What a path names; InputError, with what there is, where it names nothing."""
    head, _, rest = path.partition(".")
    if head not in _KNOWN:
        model = experiment.mechanism.model
        owners = {
            "bodies": [body.name for body in model.bodies],
            "elements": [part.name for part in model.elements],
        }
        for word, names in owners.items():
            if head in names:
                raise InputError(f"path '{path}' names nothing. Say '{word}.{path}'.")
        raise unknown_name("number of an experiment: path", path, _KNOWN)
    try:
        return _FINDERS[head](experiment, path, rest)
    except InputError:
        raise
    except ArmillaryError as fault:
        raise InputError(f"path '{path}' names nothing: {fault}") from None


def _body(experiment: Experiment, path: str, rest: str) -> Target:
    model = experiment.mechanism.model
    words = rest.split(".")
    for cut in range(len(words), 0, -1):
        name = ".".join(words[:cut])
        if name in model.index and name != "world":
            return _of_body(model, path, name, words[cut:])
    raise unknown_name("body", words[0], [b.name for b in model.bodies])


def _of_body(model: Any, path: str, name: str, steps: list[str]) -> Target:
    mass = model.bodies[model.index[name]].mass
    match steps:
        case ["mass"]:
            return Target(path, "mass", name, ("mass",), mass.mass, "kg", 0.0)
        case ["com", x] if x in AXES:
            k = AXES.index(x)
            return Target(path, "com", name, (x,), mass.com[k], "m")
        case ["inertia", x] if x in TENSOR:
            least = 0.0 if x in TENSOR[:3] else -np.inf
            k = TENSOR.index(x)
            return Target(path, "inertia", name, (x,), mass.tensor[k], "kg m²", least)
        case ["at", x] if x in AXES:
            place = place_of(model, f"bodies.{name}.at.{x}")
            return Target(path, "varied", name, ("at", x), place.value(model), "m")
    known = ["mass", "com.x", "inertia.xx", "at.x"]
    raise unknown_name("number of a body", ".".join(steps) or "nothing", known)


def _element(experiment: Experiment, path: str, rest: str) -> Target:
    m = experiment.mechanism
    first = 10 * len(m.bodies)
    names = m.parameter_names[first : len(m.parameter_names) - len(m.model.varied)]
    if rest not in names:
        raise unknown_name("number of a force element", rest, names, 12)
    value = float(m.parameters[first + names.index(rest)])
    number = rest.rpartition(".")[2]
    least = 0.0 if number in ("stiffness", "damping") else -np.inf
    return Target(path, "element", rest, (), value, _element_unit(m, rest, number), least)


def _element_unit(mechanism: Mechanism, name: str, number: str) -> str:
    """Of springs and their ends; others are as their laws say."""
    part = next(p for p in mechanism.model.elements if name.startswith(f"{p.name}."))
    if number in AXES:
        return "m"
    force, place, _ = part.law.units if any(part.law.units) else ("", "", "")
    if not force:
        return ""
    known = {"stiffness": f"{force}/{place}", "damping": f"{force} s/{place}", "rest": place}
    return {**known, "force": force, "preload": force}.get(number, "")


def _joint(experiment: Experiment, path: str, rest: str) -> Target:
    model = experiment.mechanism.model
    place = place_of(model, f"joints.{rest}")
    least = 0.0 if place.name in ("viscous", "coulomb", "static", "rotor") else -np.inf
    unit = experiment.mechanism.v_units[model.slots[place.body].v.start + place.entry]
    known = {
        "viscous": f"{FORCE[unit]} s/{unit}",
        "coulomb": FORCE[unit],
        "static": FORCE[unit],
        "stribeck": f"{unit}/s",
        "smoothing": f"{unit}/s",
        "spring": f"{FORCE[unit]}/{unit}",
        "rest": unit,
        "rotor": "kg m²",
    }
    own = known.get(place.name, "")
    return Target(path, "varied", rest, (), place.value(model), own, least)


def _gravity(experiment: Experiment, path: str, rest: str) -> Target:
    place = place_of(experiment.mechanism.model, path)
    return Target(path, "varied", "", (), place.value(experiment.mechanism.model), "m/s²")


def _start(experiment: Experiment, path: str, rest: str) -> Target:
    m, name = experiment.mechanism, path.partition(".")[0]
    labels = m.q_labels if name == "q0" else m.v_labels
    units = m.model.q_units if name == "q0" else m.v_units
    if rest not in labels:
        raise unknown_name("coordinate", rest, labels)
    k, given = labels.index(rest), experiment[name]
    per = "" if name == "q0" else "/s"
    if isinstance(given, Mapping):
        found = given.get(rest, m.initial[k] if name == "q0" else 0.0)
    elif given is None:
        found = m.initial[k] if name == "q0" else 0.0
    else:
        found = np.asarray(given, float)[..., k]
    if np.ndim(found):
        raise InputError(f"{path}: the experiment is of several runs. Give it one start.")
    return Target(path, "start", name, (rest,), float(found), units[k] + per)


def _input(experiment: Experiment, path: str, rest: str) -> Target:
    name, m = path.partition(".")[0], experiment.mechanism
    given = experiment[name]
    if not isinstance(given, Mapping) and given is not None:
        given = dict(zip(m.v_labels, np.asarray(given, float).tolist(), strict=True))
    given = given or {}
    elements = [part.name for part in m.model.elements]
    if rest not in given and rest not in elements:
        freedoms(m, rest)  # it names a joint
    value = given.get(rest, 0.0)
    if callable(value) or np.ndim(value) != 0:
        raise InputError(
            f"{path}: it is given as {type(value).__name__}, and only a constant can vary. Vary a "
            f"number of a block instead."
        )
    if name == "voltages":
        return Target(path, "voltage", rest, (), float(value), "V")
    units = set() if rest in elements else {FORCE[m.v_units[i]] for i in freedoms(m, rest)}
    unit = units.pop() if len(units) == 1 else ""
    return Target(path, "input", rest, (), float(value), unit)


def _block(experiment: Experiment, path: str, rest: str) -> Target:
    role, words = path.partition(".")[0], rest.split(".")
    blocks = several(experiment[role])
    k = int(words.pop(0)) - 1 if words[0].isdigit() else 0
    if not 0 <= k < len(blocks):
        raise InputError(f"{path}: the experiment has {len(blocks)} of {role}, no number {k + 1}.")
    block = blocks[k]
    if not isinstance(block, Block) or not words:
        raise InputError(f"{path}: numbers of functions have no path. Write an am.Block.")
    value = number_at(block, words, path)
    units = block.argument_units
    unit = units.get(".".join(words), units.get(words[-1], ""))
    return Target(path, "block", f"{role}.{k}", tuple(words), value, unit)


def _time(experiment: Experiment, path: str, rest: str) -> Target:
    value = experiment[path] if not rest else None
    if value is None:
        raise InputError(f"{path}: the experiment gives none. Give it a number.")
    least = 0.0 if path in _POSITIVE else -np.inf
    unit = "" if path == "tolerance" else "s"
    return Target(path, "time", "", (), float(value), unit, least, path in _POSITIVE)


_FINDERS = {
    "bodies": _body,
    "elements": _element,
    "joints": _joint,
    "gravity": _gravity,
    "q0": _start,
    "v0": _start,
    "inputs": _input,
    "voltages": _input,
    "motors": motor_target,
    "controller": _block,
    "actuators": _block,
    **dict.fromkeys(TIMES, _time),
}


# -- one experiment with other numbers -------------------------------------------------------------


def with_numbers(experiment: Experiment, numbers: Mapping[str, float]) -> Experiment:
    """The experiment with other numbers at these paths: a new mechanism, new blocks.  Blocks that
    were built with the mechanism are built anew with the changed one."""
    targets = {path: target_of(experiment, path) for path in numbers}
    mechanism = _mechanism(experiment.mechanism, targets, numbers)
    changes: Keywords = {}
    for path, target in targets.items():
        if target.kind == "time":
            changes[path] = numbers[path]
        elif target.kind == "start":
            now = changes.get(target.owner, experiment[target.owner])
            changes[target.owner] = _started(mechanism, target, now, numbers[path])
        elif target.kind in ("input", "voltage"):
            name = "inputs" if target.kind == "input" else "voltages"
            now = changes.get(name, experiment[name])
            changes[name] = {**_named(mechanism, now), target.owner: numbers[path]}
    for role in ("controller", "actuators"):
        blocks: list[Any] = list(several(experiment[role]))
        own = {p: t for p, t in targets.items() if t.kind == "block" and t.owner.startswith(role)}
        for path, target in own.items():
            k = int(target.owner.partition(".")[2])
            blocks[k] = with_number(blocks[k], target.steps, numbers[path])
        if mechanism is not experiment.mechanism:
            blocks = [_rebuilt(block, mechanism) for block in blocks]
        if blocks and (own or mechanism is not experiment.mechanism):
            changes[role] = blocks
    return experiment.replace(mechanism, **changes)


def _named(mechanism: Mechanism, given: object) -> Keywords:
    if given is None or isinstance(given, Mapping):
        return dict(given or {})
    return dict(zip(mechanism.v_labels, np.asarray(given, float).tolist(), strict=True))


def _rebuilt(block: object, mechanism: Mechanism) -> Any:
    """The same block for another mechanism of the same freedoms."""
    if not isinstance(block, Block):
        return block
    given = arguments_of(block)
    changes = {k: _for_mechanism(x, mechanism) for k, x in given.items()}
    return made_again(block, {k: x for k, x in changes.items() if x is not given[k]})


def _for_mechanism(x: object, mechanism: Mechanism) -> Any:
    """An argument of a block for another mechanism: the mechanism, and blocks in it."""
    if isinstance(x, Mechanism):
        return mechanism
    if isinstance(x, tuple) and any(isinstance(y, Block) for y in x):
        return tuple(_for_mechanism(y, mechanism) for y in x)
    return _rebuilt(x, mechanism) if isinstance(x, Block) else x


def _started(mechanism: Mechanism, target: Target, given: object, value: float) -> Any:
    (label,) = target.steps
    if isinstance(given, Mapping) or (given is None and mechanism.constraints):
        return {**(given or {}), label: value}
    labels = mechanism.q_labels if target.owner == "q0" else mechanism.v_labels
    usual = mechanism.initial if target.owner == "q0" else np.zeros(mechanism.nv)
    found = np.array(usual if given is None else given, float)
    found[labels.index(label)] = value
    return found


def _mechanism(
    mechanism: Mechanism, targets: Mapping[str, Target], numbers: Mapping[str, float]
) -> Mechanism:
    model, bodies = mechanism.model, dict[str, Keywords]()
    elements: dict[int, float] = {}
    varied: dict[str, float] = {}
    for path, target in targets.items():
        value = float(numbers[path])
        if target.kind in ("mass", "com", "inertia"):
            entry = bodies.setdefault(target.owner, {})
            mass = model.bodies[model.index[target.owner]].mass
            if target.kind == "mass":
                entry["mass"] = value
            else:
                name, axes, own = (
                    ("com", AXES, mass.com)
                    if target.kind == "com"
                    else ("inertia", TENSOR, mass.tensor)
                )
                row = list(entry.get(name, own))
                row[axes.index(target.steps[0])] = value
                entry[name] = tuple(row)
        elif target.kind == "motor":
            body = model.bodies[model.index[target.owner]]
            motor: Any = bodies.setdefault(target.owner, {}).get("motor", body.motor)
            bodies[target.owner]["motor"] = replace(motor, **{target.steps[0]: value})
            varied |= dict.fromkeys(target.also, value)
        elif target.kind == "element":
            elements[mechanism.parameter_names.index(target.owner)] = value
        elif target.kind == "varied":
            varied[path] = value
    if not (bodies or elements or varied):
        return mechanism
    model = replace_parameters(model, bodies)
    model = applied(model, varied) if varied else model
    model = _with_elements(model, mechanism, elements) if elements else model
    return Mechanism(model, mechanism.options)


def _with_elements(model: Any, mechanism: Mechanism, numbers: Mapping[int, float]) -> Any:
    """Force elements with other numbers, those of their ends too."""
    first, parts = 10 * len(model.bodies), []
    for part in model.elements:
        names = part.parameter_names()
        values = list(part.parameter_values())
        for k in range(len(names)):
            values[k] = numbers.get(first + k, values[k])
        first += len(names)
        parts.append(part.with_parameter_values(values))
    return replace(model, elements=tuple(parts))
