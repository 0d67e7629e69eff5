"""What can be identified: names, units and the numbers that the model has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from armillary.algorithms.tree.regressor import PARAMETERS
from armillary.errors import InputError, unknown_name
from armillary.mechanism.mechanism import Mechanism
from armillary.model.elements.element import ForceElement
from armillary.model.parts import JointSpec, Rotor
from armillary.model.passive import Passive
from armillary.sim.motion.coordinates import freedoms

INERTIA_UNITS = ("kg", *("kg m",) * 3, *("kg m²",) * 6)
FRICTION = ("viscous", "coulomb", "coulomb_each_way", "stribeck", "offset")
_PARTS = {
    "viscous": ("viscous",),
    "coulomb": ("coulomb",),
    "coulomb_each_way": ("coulomb_forward", "coulomb_backward"),
    "stribeck": ("static_rise", "stribeck"),
    "offset": ("offset",),
}
_FORCE = {"rad": "N m", "m": "N"}


@dataclass(frozen=True)
class Parameter:
    """One number: name "part.quantity", unit, its value in the model, what it is.

    entry: the entry of v it belongs to, the number of an element's parameter, or of a body.
    positive: no mechanism has a negative one."""

    name: str
    unit: str
    value: float
    kind: str
    entry: int = 0
    positive: bool = False


@dataclass(frozen=True)
class Asked:
    """What is to be identified, as the user names it."""

    inertias: bool = True
    bodies: Sequence[str] | None = None
    friction: Sequence[str] | Mapping[str, Sequence[str] | str] = ("viscous", "coulomb")
    rotors: bool = False
    springs: Sequence[str] = ()
    motor_constants: bool = False


def parameters_of(
    mechanism: Mechanism, asked: Asked, entries: Sequence[int], kind: str
) -> tuple[Parameter, ...]:
    """All that is asked for, inertias first.  entries: of v, whose forces were measured."""
    found = _inertias(mechanism, asked.bodies) if asked.inertias else []
    if asked.rotors:
        found += _rotors(mechanism, entries)
    for where, terms in _rubbing(mechanism, asked.friction, entries):
        for term in _friction_terms(terms):
            found += _friction(mechanism, term, where)
    found += _springs(mechanism, asked.springs)
    if asked.motor_constants:
        found += _motors(mechanism, entries, kind)
    if not found:
        raise InputError(
            "identify: nothing is asked for. Leave inertias=True, or name friction=, rotors=True, "
            "springs= or motor_constants=True."
        )
    return tuple(found)


def _inertias(mechanism: Mechanism, bodies: Sequence[str] | None) -> list[Parameter]:
    heavy = [b.name for b in mechanism.model.bodies if b.mass.mass or any(b.mass.tensor)]
    chosen = list(bodies) if bodies is not None else heavy or list(mechanism.bodies)
    for name in chosen:
        if name not in mechanism.bodies:
            raise unknown_name("body", name, mechanism.bodies)
    values, found = mechanism.parameters, []
    for k, body in enumerate(mechanism.bodies):
        if body not in chosen:
            continue
        for n, (name, unit) in enumerate(zip(PARAMETERS, INERTIA_UNITS, strict=True)):
            value = float(values[10 * k + n])
            found.append(Parameter(f"{body}.{name}", unit, value, "inertia", 10 * k + n))
    return found


def joint_of(mechanism: Mechanism, entry: int) -> tuple[int, int]:
    """The body of an entry of v, and the number of the axis in its joint."""
    for k, slot in enumerate(mechanism.model.slots):
        if slot.v.start <= entry < slot.v.stop:
            return k, entry - slot.v.start
    raise InputError(f"there is no entry {entry} of v.")


def passive_of(joint: JointSpec, axis: int) -> Passive:
    return joint.passive[axis] if joint.passive else Passive()


def rotor_of(joint: JointSpec, axis: int) -> Rotor:
    return joint.rotors[axis] if joint.rotors else Rotor()


def _rotors(mechanism: Mechanism, entries: Sequence[int]) -> list[Parameter]:
    """Reflected inertia of the drives, on the side of the joint."""
    found = []
    for entry in entries:
        body, axis = joint_of(mechanism, entry)
        rotor = rotor_of(mechanism.model.bodies[body].joint, axis)
        unit = "kg m²" if mechanism.v_units[entry] == "rad" else "kg"
        label = mechanism.v_labels[entry]
        found.append(
            Parameter(f"{label}.rotor", unit, rotor.reflected, "rotor", entry, positive=True)
        )
    return found


def _rubbing(
    mechanism: Mechanism,
    given: Sequence[str] | Mapping[str, Sequence[str] | str],
    entries: Sequence[int],
) -> list[tuple[Sequence[int], Sequence[str] | str]]:
    """Entries of v with the terms of their friction: the measured ones, or by joint.  In a closed
    mechanism the friction of a joint is felt at others: it need not be measured itself."""
    if not isinstance(given, Mapping):
        return [(entries, given)]
    found: list[tuple[Sequence[int], Sequence[str] | str]] = []
    for joint, terms in given.items():
        own = freedoms(mechanism, joint)
        blind = [mechanism.v_labels[k] for k in own if k not in entries]
        if blind and not mechanism.constraints:
            raise InputError(
                f"friction: the force of '{blind[0]}' was not measured, and nothing else tells its "
                f"friction. Leave it out."
            )
        found.append((own, terms))
    return found


def _friction_terms(terms: Iterable[str]) -> list[str]:
    terms = [terms] if isinstance(terms, str) else list(terms)
    for term in terms:
        if term not in FRICTION:
            raise unknown_name("term of friction", term, FRICTION)
    if {"coulomb", "coulomb_each_way"} <= set(terms):
        raise InputError("friction: 'coulomb' and 'coulomb_each_way' are one thing; name one.")
    if "stribeck" in terms and not {"coulomb", "coulomb_each_way"} & set(terms):
        raise InputError("friction: 'stribeck' rises above Coulomb friction; name 'coulomb', too.")
    return terms


def _friction(mechanism: Mechanism, term: str, entries: Sequence[int]) -> list[Parameter]:
    found = []
    for entry in entries:
        body, axis = joint_of(mechanism, entry)
        passive = passive_of(mechanism.model.bodies[body].joint, axis)
        forward, backward = (float(x) for x in passive.each_way())
        level = 0.5 * (forward + backward)
        length, label = mechanism.v_units[entry], mechanism.v_labels[entry]
        force = _FORCE[length]
        numbers = {
            "viscous": (f"{force} s/{length}", passive.viscous),
            "coulomb": (force, level),
            "coulomb_forward": (force, forward),
            "coulomb_backward": (force, backward),
            "static_rise": (force, max(passive.static - level, 0.0) if passive.static else 0.0),
            "stribeck": (f"{length}/s", passive.stribeck),
            "offset": (force, 0.0),
        }
        for part in _PARTS[term]:
            unit, value = numbers[part]
            found.append(
                Parameter(f"{label}.{part}", unit, float(value), part, entry, part != "offset")
            )
    return found


def _springs(mechanism: Mechanism, names: Sequence[str]) -> list[Parameter]:
    """Springs of joints by the label of their coordinate, numbers of elements by "strut.stiffness",
    all of the stiffnesses of an element by its name."""
    model, found = mechanism.model, []
    count = 10 * len(model.bodies)
    numbers = dict(zip(mechanism.parameter_names[count:], range(10**6), strict=False))
    elements = {part.name: part for part in model.elements}
    for name in [names] if isinstance(names, str) else names:
        whole = f"{name}.stiffness" if name in elements else name
        if whole in numbers:
            part = elements[_element_of(whole, elements)]
            value = float(mechanism.parameters[count + numbers[whole]])
            unit = _element_unit(part, whole)
            positive = whole.endswith((".stiffness", ".damping"))
            found.append(Parameter(whole, unit, value, "element", numbers[whole], positive))
        elif name in mechanism.v_labels:
            entry = mechanism.v_labels.index(name)
            body, axis = joint_of(mechanism, entry)
            passive = passive_of(model.bodies[body].joint, axis)
            if model.joints[body].nq != model.joints[body].nv:
                raise InputError(f"springs: '{name}' belongs to a quaternion and has no spring.")
            unit = f"{_FORCE[mechanism.v_units[entry]]}/{mechanism.v_units[entry]}"
            found.append(Parameter(f"{name}.spring", unit, passive.spring, "spring", entry, True))
        else:
            raise unknown_name("spring", name, [*numbers, *mechanism.v_labels])
    return found


def _element_of(name: str, elements: dict[str, ForceElement]) -> str:
    """The element whose parameter has this name; names of elements may hold dots."""
    return max((e for e in elements if name.startswith(f"{e}.")), key=len)


def _element_unit(part: ForceElement, name: str) -> str:
    force, place, rate = part.law.units
    quantity = name.removeprefix(f"{part.name}.")
    known = {"stiffness": f"{force}/{place}", "damping": f"{force}/({rate})", "preload": force}
    return known.get(quantity, place if quantity in ("length", "rest") else "") if force else ""


def _motors(mechanism: Mechanism, entries: Sequence[int], kind: str) -> list[Parameter]:
    if kind != "current":
        raise InputError(
            "motor_constants: they follow from currents; the data have joint forces. Give columns "
            "current.JOINT (A) in their place."
        )
    found = []
    for entry in entries:
        motor = mechanism.model.bodies[joint_of(mechanism, entry)[0]].motor
        label, rad = mechanism.v_labels[entry], mechanism.v_units[entry] == "rad"
        value = float("nan") if motor is None else motor.torque_constant
        unit = "N m/A" if rad else "N/A"
        found.append(Parameter(f"{label}.torque_constant", unit, value, "motor", entry, True))
    return found


def bare_tree(mechanism: Mechanism, parameters: Sequence[Parameter]) -> Mechanism:
    """The open tree without the friction, rotors and springs of joints that are identified."""
    changes: dict[str, dict[str, object]] = {}
    tree = mechanism.tree
    for body, slot in zip(tree.model.bodies, tree.model.slots, strict=True):
        entries = range(slot.v.start, slot.v.stop)
        own = {(p.entry, p.kind) for p in parameters if p.kind not in ("inertia", "element")}
        if not any(entry in entries for entry, _ in own):
            continue
        passives, rotors = [], []
        for axis, entry in enumerate(entries):
            passives.append(
                _without(passive_of(body.joint, axis), {k for e, k in own if e == entry})
            )
            rotor = rotor_of(body.joint, axis)
            rotors.append(Rotor(0.0, rotor.gear) if (entry, "rotor") in own else rotor)
        changes[body.name] = {"passive": tuple(passives), "rotors": tuple(rotors)}
    return tree.replace(bodies=changes) if changes else tree


def _without(passive: Passive, kinds: set[str]) -> Passive:
    """Its other terms: a rise of static friction that stays is counted from zero."""
    level = 0.5 * sum(float(x) for x in passive.each_way())
    if kinds & {"coulomb", "coulomb_forward"}:
        static = max(passive.static - level, 0.0) if passive.static else 0.0
        passive = replace(passive, coulomb=0.0, static=static)
    if "static_rise" in kinds:
        passive = replace(passive, static=0.0)
    if "viscous" in kinds:
        passive = replace(passive, viscous=0.0)
    if "spring" in kinds:
        passive = replace(passive, spring=0.0)
    return passive


def values_of(parameters: Sequence[Parameter]) -> np.ndarray:
    """The numbers of the model."""
    return np.array([p.value for p in parameters], float)
