"""Inputs of force elements over time: constants and functions over scalars stand in the code of a
run; schedules and other functions of time are numbers that it is handed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array, Keywords, as_floats
from armillary.graph.expr import Graph, Node
from armillary.mechanism.mechanism import Mechanism
from armillary.model.elements.element import element_inputs
from armillary.scalar import Scalar
from armillary.sim.motion.schedules import Inputs, Schedule
from armillary.sim.motion.user_functions import numbers

_BEFORE = 1e-7  # of the times: how much before an instant the step that ends there lies


class HandedOver:
    """Inputs by element that code is handed as numbers: it depends on their names alone, and by
    these they are equal."""

    def __init__(self, signals: Mapping[str, Any]):
        self.signals = dict(signals)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HandedOver) and list(self.signals) == list(other.signals)

    def __hash__(self) -> int:
        return hash(tuple(self.signals))


class ElementInputs:
    """given: {element: constant, Schedule or f(t)}, in the order of the elements of the model; n
    numbers in all, of which `width` are handed over."""

    def __init__(self, mechanism: Mechanism, given: Mapping[str, object]):
        laws = {part.name: part.law for part in mechanism.model.elements}
        self._counts = {name: law.input_count() for name, law in laws.items() if name in given}
        own = {name: given[name] for name in self._counts}
        inside = [name for name, x in own.items() if _traceable(x, self._counts[name])]
        self._traced = {name: own[name] for name in inside}
        self._handed = HandedOver({name: x for name, x in own.items() if name not in inside})

    @property
    def schedules(self) -> list[Schedule]:
        return [x for x in self._handed.signals.values() if isinstance(x, Schedule)]

    @property
    def width(self) -> int:
        """Numbers that are handed over."""
        return sum(self._counts[name] for name in self._handed.signals)

    def at(self, t: object, table: Sequence[Scalar] | None = None) -> list[Scalar]:
        """All inputs (n) at a time: a scalar of any kind, or instants.  table: those that are
        handed over (width)."""
        found: list[Scalar] = []
        rest = list(table or ())
        for name, count in self._counts.items():
            if name in self._traced:
                found += _at(self._traced[name], t, count, _named(name))
            elif table is None:
                found += _at(self._handed.signals[name], t, count, _named(name))
            else:
                found, rest = found + rest[:count], rest[count:]
        return found

    # -- those that are handed over, as `Forces` of joints ---------------------------------------

    @property
    def steady(self) -> bool:
        return not self.width

    @property
    def tabled(self) -> bool:
        """Are all numbers those of tables?"""
        return len(self.schedules) == len(self._handed.signals)

    def __call__(self, t: float) -> Array:
        """(width) at t."""
        found = self._handed.signals.items()
        return np.array(
            [y for name, x in found for y in _at(x, t, self._counts[name], _named(name))]
        )

    def at_stages(self, begins: Array, h: float, c: Sequence[float]) -> Array:
        """(S, stages, 1, width) of S steps of h, from tables alone (`Schedule.at_stages`)."""
        shape = (len(begins), len(c), 1, -1)
        found = [s.at_stages(begins, h, c).reshape(shape) for s in self.schedules]
        return np.concatenate(found, axis=-1)


def _named(element: str) -> str:
    return f"inputs['{element}']"


def _traceable(given: object, count: int) -> bool:
    """Is it a constant, or a function over scalars?"""
    if isinstance(given, Schedule) or not callable(given):
        return not callable(given)
    try:
        found = _at(given, Graph().inputs({"time": 1})["time"][0], count, "")
    except Exception:  # of a function of the user: asked with a number it may answer
        return False
    return all(isinstance(x, (Node, Real)) for x in found)


def _at(given: Any, t: Any, count: int, what: str) -> list[Scalar]:
    """An input at a time: `count` scalars."""
    if not callable(given):
        return list(np.broadcast_to(as_floats(what, given), (count,)).tolist())
    if isinstance(t, np.ndarray):  # instants of a recording
        if isinstance(given, Schedule) and np.ptp(t):
            return _at_ends(given, t, count)
        values = [_at(given, float(x), count, what) for x in t]
        return list(np.array(values).T)
    found = given(t)
    if isinstance(t, Node):
        return _counted(what, list(found) if np.ndim(found) else [found], count)
    return _counted(what, np.atleast_1d(numbers(what, found, t)).tolist(), count)


def _at_ends(schedule: Schedule, t: Array, count: int) -> list[Scalar]:
    """A table at instants at which steps end: before a jump, as the accelerations there are."""
    h = _BEFORE * max(1.0, float(np.abs(t).max()))
    return list(schedule.at_stages(t - h, h, (1.0,)).reshape(len(t), count).T)


def _counted(what: str, found: list[Scalar], count: int) -> list[Scalar]:
    if len(found) != count or np.ndim(found[0]):
        raise InputError(
            f"{what}: expected {count} numbers at an instant, found shape {np.shape(found)}. "
            f"Every run of a batch gets the same."
        )
    return found


def split_inputs(mechanism: Mechanism, inputs: Inputs) -> tuple[Inputs, Keywords]:
    """Inputs of joints, and those of force elements."""
    if not isinstance(inputs, Mapping):
        return inputs, {}
    parts = {part.name: part for part in mechanism.model.elements}
    joints = {*mechanism.v_labels, *mechanism.model.joint_index}
    both = [name for name in inputs if name in parts and name in joints]
    if both and parts[both[0]].law.input_count():
        raise InputError(
            f"inputs['{both[0]}']: a joint and a {parts[both[0]].law.kind} have this name. Rename "
            f"one of them."
        )
    own = {name: x for name, x in inputs.items() if name in parts and name not in joints}
    for name, x in own.items():
        part, count = parts[name], parts[name].law.input_count()
        element_inputs(part, f"inputs['{name}']")
        values = (
            x.values
            if isinstance(x, Schedule)
            else None
            if callable(x)
            else as_floats(f"inputs['{name}']", x)
        )
        if values is None:
            continue
        axes = values.ndim - int(isinstance(x, Schedule))  # of one instant
        if axes > 1:
            raise InputError(
                f"inputs['{name}']: every run of a batch gets the same; found numbers of shape "
                f"{values.shape}. Constants per run are `parameters` ('{name}.force', ...)."
            )
        width = values.shape[-1] if axes else 1
        if width != count or not np.isfinite(values).all():
            raise InputError(
                f"inputs['{name}']: expected {count} finite numbers, constant or by the rows of a "
                f"Schedule, found shape {values.shape}."
            )
    unknown = [name for name in inputs if name not in own and name not in joints]
    if unknown and parts:
        takers = [name for name, part in parts.items() if part.law.inputs]
        raise unknown_name("joint or force element", unknown[0], [*sorted(joints), *takers])
    return {name: x for name, x in inputs.items() if name not in own} or None, own
