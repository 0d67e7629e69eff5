"""What goes into a linear model and what comes out of it, by name.

Inputs: joint forces (a joint or an entry of v), what is added to force elements (the force of a
spring, moment and force of a fixed wrench), and wrenches on frames, in the frame's own axes.
Outputs, each linear in the small changes of q, v and a:

    elbow            change of a coordinate (of a joint: of all of its entries), rad or m
    v.elbow  a.elbow of its velocity, of its acceleration
    hand.position    of a frame's origin, world axes, m: three rows, hand.position.x alone is one
    hand.rotation    turn of the frame, world axes, rad: hand.rotation.x ...
    hand.velocity    angular and linear velocity, world axes: hand.velocity.wx ... hand.velocity.vz
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from armillary.algorithms.forces.changing import changing_elements
from armillary.algorithms.interpreter import Run
from armillary.analysis.own_states import state_names
from armillary.analysis.point import Point
from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import names_of, rate_entries
from armillary.mechanism.mechanism import Mechanism
from armillary.model.elements.element import element_inputs
from armillary.scalar import Dual
from armillary.units import FORCE, WRENCH, WRENCH_UNITS, unit_of

_PARTS = {  # of a frame: rows of its Jacobian, and how they are called
    "position": ((3, "x", "m"), (4, "y", "m"), (5, "z", "m")),
    "rotation": ((0, "x", "rad"), (1, "y", "rad"), (2, "z", "rad")),
    "velocity": (
        *((k, f"w{x}", "rad/s") for k, x in enumerate("xyz")),
        *((3 + k, f"v{x}", "m/s") for k, x in enumerate("xyz")),
    ),
}
_WRENCH = tuple(zip(WRENCH, WRENCH_UNITS, strict=True))
_ENTRIES = {f"{part}.{own[1]}": (part, own) for part, rows in _PARTS.items() for own in rows}


@dataclass(frozen=True)
class Inputs:
    """forces (nv, inputs): joint forces that one unit of each input amounts to; rates (own states,
    inputs): what it adds to the rates of own states of force elements."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    forces: Array
    rates: Array


@dataclass(frozen=True)
class Outputs:
    """Rows (outputs, nv) on the small changes of q, v and a."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    by_q: Array
    by_v: Array
    by_a: Array


def _entries(mechanism: Mechanism, name: str, argument: str) -> list[int]:
    found = rate_entries(mechanism.model, name)
    if any(kind == "q" for kind, _ in found):
        raise InputError(
            f"{argument}: '{name}' is a coordinate along the world's axes. Name an entry of v: "
            f"{', '.join(mechanism.v_labels)}; or the position of a frame."
        )
    return [k for _, k in found]


# name and unit of an input; per unit of it, joint forces (nv), and rates of own states by name
Named = tuple[str, str, Array, dict[str, float]]


def inputs_of(
    mechanism: Mechanism,
    at: Point,
    chosen: str | Iterable[str] | None,
    wrenches: Iterable[str],
    states: Sequence[str],
) -> Inputs:
    """chosen: joints and force elements; default: the joints with motors, or all that move where
    there are none.  states: own ones of elements."""
    if chosen is None:
        chosen = tuple(b.joint.name for b in mechanism.model.bodies if b.motor is not None)
        chosen = chosen or mechanism.v_labels
    found: list[Named] = []
    for name in names_of("inputs", chosen):
        found += _of_element(mechanism, at, name) or _of_joint(mechanism, name)
    for frame in names_of("wrenches", wrenches):
        J = mechanism.jacobian(at.q, frame)  # tau = J^T (n; f), in the frame
        found += [(f"{frame}.{x}", u, J[k], {}) for k, (x, u) in enumerate(_WRENCH)]
    names, units = tuple(x[0] for x in found), tuple(x[1] for x in found)
    if len(set(names)) < len(names):
        raise InputError(f"inputs: the same input is named twice in {', '.join(names)}.")
    forces = np.array([x[2] for x in found]).reshape(len(found), mechanism.nv).T
    rates = np.array([[x[3].get(name, 0.0) for x in found] for name in states])
    return Inputs(names, units, forces, rates.reshape(len(states), len(found)))


def _of_joint(mechanism: Mechanism, name: str) -> list[Named]:
    """Forces along its degrees of freedom."""
    model = mechanism.model
    known = (*model.moving_joints, *model.v_labels, *model.q_labels)
    if name not in known and model.elements:
        takers = (part.name for part in model.elements if part.law.input_count())
        raise unknown_name("joint or force element", name, (*known, *takers))
    unit = np.eye(mechanism.nv)
    return [
        (mechanism.v_labels[k], FORCE[mechanism.v_units[k]], unit[k], {})
        for k in _entries(mechanism, name, "inputs")
    ]


def _of_element(mechanism: Mechanism, at: Point, name: str) -> list[Named]:
    """What is added to a force element: the force of a spring, "gust.fx" of a fixed wrench, or all
    six of them; empty: it is none.  By dual numbers through its law."""
    model = mechanism.model
    if name in model.v_labels or name in model.joint_index:
        return []
    for number, part in enumerate(model.elements):
        if name != part.name and not name.startswith(f"{part.name}."):
            continue
        units = element_inputs(part, f"inputs: '{name}'")
        if name not in (part.name, *units):
            raise unknown_name("input of an element", name, tuple(units))
        own = [k for k, label in enumerate(units) if name in (part.name, label)]
        labels, slopes = list(units.items()), _slopes(mechanism, at, number)
        return [(*labels[k], *slopes[k]) for k in own]
    return []


def _slopes(mechanism: Mechanism, at: Point, number: int) -> list[tuple[Array, dict[str, float]]]:
    """Per unit of each input of an element: joint forces (nv), and rates of its own states."""
    part, evaluator = mechanism.model.elements[number], mechanism.evaluator
    count, states = part.law.input_count(), state_names(part)
    held = [float(x) for x in vars(part.law)["state"]] if states else []
    algorithm = changing_elements(((number, len(states), count, 0),))
    found = []
    for k in range(count):
        inputs = [Dual(0.0, 1.0 if i == k else 0.0) for i in range(count)]
        state = {"q": at.q.tolist(), "v": at.v.tolist(), "states": held, "inputs": inputs}
        run = Run(algorithm, evaluator.tables(), evaluator.base(), state)
        rates = [Dual.lift(x).slope for x in run.result("rates")] if states else []
        force = np.array([Dual.lift(x).slope for x in run.result("force")])
        found.append((force, dict(zip(states, rates, strict=True))))
    return found


def outputs_of(mechanism: Mechanism, at: Point, names: str | Iterable[str] | None) -> Outputs:
    """Default: all coordinates, then their velocities."""
    if names is None:
        names = (*mechanism.v_labels, *(f"v.{label}" for label in mechanism.v_labels))
    frames = _Frames(mechanism, at)
    rows: list[tuple[str, str, Array]] = []  # name, unit, (3, nv) by q, v and a
    for name in names_of("outputs", names):
        rows += _coordinates(mechanism, name) or frames.rows(name)
    if not rows:
        raise InputError("outputs: none is named.")
    found = np.array([row for _, _, row in rows])
    labels, units = tuple(name for name, _, _ in rows), tuple(unit for _, unit, _ in rows)
    return Outputs(labels, units, found[:, 0], found[:, 1], found[:, 2])


def _coordinates(mechanism: Mechanism, name: str) -> list[tuple[str, str, Array]]:
    """Rows of "elbow", "v.elbow", "a.elbow"; empty: it is no such name."""
    head, _, tail = name.partition(".")
    model, level = mechanism.model, 0
    known = (*model.v_labels, *model.moving_joints)
    if name not in known:
        if head not in ("v", "a") or tail not in known:
            return []
        level, name = ("v", "a").index(head) + 1, tail
    found = []
    for k in _entries(mechanism, name, "outputs"):
        row = np.zeros((3, mechanism.nv))
        row[level, k] = 1.0
        unit = mechanism.v_units[k]
        label = mechanism.v_labels[k]
        if level:
            unit, label = unit_of("va"[level - 1], unit), f"{'va'[level - 1]}.{label}"
        found.append((label, unit, row))
    return found


class _Frames:
    """Rows of what frames do."""

    def __init__(self, mechanism: Mechanism, at: Point):
        self.mechanism, self.at = mechanism, at

    def rows(self, name: str) -> list[tuple[str, str, Array]]:
        for frame in self.mechanism.frames:
            part = name.removeprefix(f"{frame}.")
            if part != name and part in _PARTS:
                return [self._row(frame, part, *own) for own in _PARTS[part]]
            if part != name and part in _ENTRIES:
                kind, own = _ENTRIES[part]
                return [self._row(frame, kind, *own)]
        frame = name.partition(".")[0]
        rates = (f"{kind}.{label}" for kind in "va" for label in self.mechanism.v_labels)
        known = (*self.mechanism.v_labels, *rates)
        if frame in self.mechanism.frames:
            known = tuple(f"{frame}.{part}" for part in (*_PARTS, *_ENTRIES))
        raise unknown_name("output", name, known)

    def _row(self, frame: str, kind: str, k: int, name: str, unit: str) -> tuple[str, str, Array]:
        n, (q, v) = self.mechanism.nv, (self.at.q, self.at.v)
        J = self.mechanism.jacobian(q, frame, coordinates="world_aligned")
        row = np.zeros((3, n))
        if kind != "velocity":
            row[0] = J[k]
            return f"{frame}.{kind}.{name}", unit, row
        row[1] = J[k]
        if self.at.moving:  # d(J v) along every unit change of q
            many = np.tile(q, (n, 1))
            dJ = self.mechanism.jacobian_dot(many, np.eye(n), frame, coordinates="world_aligned")
            row[0] = dJ[:, k] @ v
        return f"{frame}.{kind}.{name}", unit, row
