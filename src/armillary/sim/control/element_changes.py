"""Force elements whose numbers change along a run: own states z, and inputs given over time.

The mechanism itself has its elements at the states that their laws hold, and without inputs; what
others give beyond that, this block adds to the joint forces, and it integrates the states:

    force = J^T (wrenches(z, inputs(t)) - wrenches of the model),      dz/dt = rates(q, v, z)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.forces.changing import changing_elements
from armillary.algorithms.forces.elements import READINGS
from armillary.errors import InputError
from armillary.evaluate.inputs import Array, Keywords, as_floats
from armillary.evaluate.lean_call import OneOrMany
from armillary.evaluate.program import Program
from armillary.evaluate.request import Request
from armillary.mechanism.mechanism import Mechanism
from armillary.model.elements.element import OUTPUTS, ForceElement, filled
from armillary.model.elements.tyre import Tyre
from armillary.scalar import Scalar
from armillary.sim.control.block import Block, Scalars, StartNumbers, made_for
from armillary.sim.control.element_inputs import ElementInputs
from armillary.sim.control.element_loops import (
    input_rows,
    loop_program,
    numbers_of_loops,
    served_by_loops,
)
from armillary.sim.motion.schedules import Schedule
from armillary.sim.motion.user_functions import array_of, columns

_TURNS = 50  # of Newton's method for steady states
_STEP = 1e-6  # of its differences, relative to the state
_STEADY = 1e-9  # rates that count as zero, relative to those at the start


@dataclass(frozen=True)
class Added:
    """What changing elements give beyond the model, at S instants: forces along the joints (S, nv),
    those of elements between coordinates alone, wrenches by body (S, 6), energy (S,), and the
    readings of all elements (S, elements, 10), and what tyres say (S, elements, 15)."""

    force: Array
    along: Array
    wrenches: dict[str, Array]
    energy: Array
    readings: Array
    outputs: Array

    def put(self, extras: Keywords, shape: tuple[int, ...]) -> None:
        """Into what a recorder takes beside the joint forces: outer wrenches, and restraints."""
        outer = dict(extras.get("external", {}))
        for name, wrench in self.wrenches.items():
            outer[name] = outer.get(name, 0.0) + wrench.reshape(*shape[:-1], 6)
        if outer:
            extras["external"] = outer
        if self.along.any():
            extras["restraint"] = extras.get("restraint", 0.0) + self.along.reshape(shape)


class ElementChanges(Block):
    """inputs: {element: constant, Schedule or f(t)}, added to what its law says: the force of a
    spring (N or N m, tension is positive), moment and force of a fixed wrench (6), height of the
    road under a tyre and its rate (2: m, m/s)."""

    entries = ()

    def __init__(
        self, mechanism: Mechanism, inputs: Mapping[str, object], parameters: Array | None = None
    ):
        """parameters (n) or (B, n): of `mechanism.parameters`, instead of the model's; those of
        changing elements that differ stand behind their states, and stay."""
        self.mechanism, self.built_for = mechanism, made_for(mechanism)
        self.inputs = ElementInputs(mechanism, inputs)
        named = ", ".join(f"'{name}'" for name in inputs)
        self.what = f"force elements with inputs ({named})" if inputs else "own states of elements"
        names: list[str] = []
        units: list[str] = []
        changing: list[tuple[int, int, int, int]] = []
        numbers_of: list[int] = []
        for k, part in enumerate(mechanism.model.elements):
            law = part.law
            given = law.input_count() if part.name in inputs else 0
            if law.state_names() or given:
                own = _given_numbers(mechanism, part, parameters)
                changing.append((k, len(law.state_names()), given, len(own)))
                numbers_of += own
            names += [f"{part.name}.{name}" for name in law.state_names()]
            units += law.state_units()
        self._own = len(names)
        names += [f"{mechanism.parameter_names[k]} (given)" for k in numbers_of]
        self.states, self.state_units = tuple(names), (*units, *[""] * len(numbers_of))
        self._changing = tuple(changing)
        self._numbers_of_run = StartNumbers(
            np.zeros(0) if parameters is None else np.asarray(parameters)[..., numbers_of]
        )

    @property
    def schedules(self) -> Sequence[Schedule]:  # type: ignore[override]
        return self.inputs.schedules

    @property
    def names(self) -> tuple[str, ...]:
        """Of the elements."""
        return tuple(self.mechanism.model.elements[k].name for k, *_ in self._changing)

    @cached_property
    def in_loops(self) -> bool:
        """Do loops over bodies and elements serve it?"""
        return served_by_loops(self.mechanism.evaluator, self._changing)

    def loops(self, told: bool = False, fuse: bool = True) -> Program:
        """(q, v, states, time, tau, inputs) -> tau and what is added, rates; told: and all else."""
        states = len(self.states)
        return loop_program(self.mechanism.evaluator, self._changing, states, told, fuse)

    def given_rows(self, t: object, table: Scalars | None = None) -> list[Scalar]:
        """Inputs at a time as `loops` reads them; empty where it does not.  table: as of
        `ElementInputs.at`."""
        given = self.inputs.at(t, table)
        return input_rows(self.mechanism.evaluator, self._changing, given)[1]

    @property
    def loop_inputs(self) -> int:
        """How many numbers those are."""
        none = [0.0] * sum(given for _, _, given, _ in self._changing)
        return len(input_rows(self.mechanism.evaluator, self._changing, none)[1])

    # -- the elements at a state -----------------------------------------------------------------

    def traced(
        self, what: str, t: Scalar, lists: Sequence[Scalars], table: Scalars
    ) -> list[Scalar]:
        """`force` or `rate` over nodes of a graph.  lists: q, v, z, u; table: inputs that tables
        give (`ElementInputs.at`)."""
        q, v, z, u = map(list, lists)
        inputs = {"q": q, "v": v, "states": z, "inputs": self.inputs.at(t, table)}
        found = self.mechanism.evaluator.inlined(changing_elements(self._changing), inputs)
        if what == "rate":
            return list(found.result("rates")) if self.states else []
        return [x + y for x, y in zip(u, found.result("force"), strict=True)]

    def _answer(self, name: str, t: Scalar, q: Scalars, v: Scalars, z: Scalars) -> list[Scalar]:
        """A result of the algorithm over floats or columns."""
        places = array_of(q)
        states = array_of(z) if len(z) else np.zeros((*places.shape[:-1], 0))
        if places.ndim == 1:
            at = (t, *q, *v, *z)
            if name == "force" or self._latest.get("at") != at:  # a schedule may jump at t
                t_, q_, v_, z_ = (np.array([x], float) for x in (t, q, v, z))
                self._latest.update(at=at, found=self._numbers(t_, q_, v_, z_))
            return list(self._latest["found"][name][0].tolist())
        return columns(self._numbers(np.full(1, t), places, array_of(v), states)[name])

    @cached_property
    def _latest(self) -> dict[str, Any]:
        """The last state of a single run with all results there: of one instant the force is asked
        for, then the rates."""
        return {}

    def _numbers(
        self, t: Array, q: Array, v: Array, z: Array, fuse: bool = True
    ) -> dict[str, Array]:
        """All results at S instants; t (S,), or (1,) for all.  fuse: those that a run needs are
        enough."""
        evaluator = self.mechanism.evaluator
        if self.in_loops:
            program, given = self.loops(not fuse, fuse), _by_instant(self.given_rows(t), len(t))
            return numbers_of_loops(program, evaluator.base_numbers, (q, v, z), given)
        reads, nz = ("q", "v", "states", "inputs"), len(self.states)
        count = sum(given for _, _, given, _ in self._changing)

        def make() -> OneOrMany:
            sizes = (("states", nz), ("inputs", count))
            tables = replace(evaluator.tables(fuse), extra=sizes)
            request = Request(changing_elements(self._changing), reads, evaluator.moving_base)
            program = Program(request, tables, replace(evaluator.options, tier=2))
            return OneOrMany(program, evaluator.base_numbers)

        ask = evaluator.memo.once(("element changes", self._changing, fuse), make)
        given = _by_instant(self.inputs.at(t), len(t))
        arrays = {"q": q, "v": v, "states": z, "inputs": given}
        return ask(arrays, len(q))

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return [x + y for x, y in zip(u, self._answer("force", t, q, v, z), strict=True)]

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return self._answer("rates", t, q, v, z) if self.states else []

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        """The states that the laws hold; where they say so, those whose rates are zero."""
        given = self._numbers_of_run.values
        state = np.array([self._begin(row) for row in np.atleast_2d(given)])
        state = state if given.ndim == 2 else state[0]
        steady = [
            part.law.begins_steady
            for part in self.mechanism.model.elements
            for _ in part.law.state_names()
        ]
        free = np.array(steady + [False] * (len(self.states) - self._own), bool)
        if q is None or v is None or not self.states:
            return list(state) if state.ndim == 1 else columns(state)
        q_, v_ = array_of(q), array_of(v)
        if q_.ndim == 1:
            return list(self._steady(q_, v_, state.reshape(-1, len(free))[0], free))
        rows = zip(q_, v_, np.broadcast_to(state, (len(q_), len(free))), strict=True)
        return columns(np.array([self._steady(*row, free) for row in rows]))

    def _begin(self, given: Array) -> list[float]:
        """Own states and given numbers of one run."""
        held: list[float] = []
        rest = iter(given.tolist())
        parts = self.mechanism.model.elements
        for k, own, _, count in self._changing:
            law = parts[k].law
            if count:
                changed = {name: filled(getattr(law, name), rest) for name in law.named}
                law = replace(law, **changed)
                for _ in parts[k].ends:  # their places
                    next(rest), next(rest), next(rest)
            held += [float(x) for x in vars(law)["state"]] if own else []
        return held + given.tolist()

    def _steady(self, q: Array, v: Array, z: Array, free: Array) -> Array:
        """z with rates of zero in the free ones, by Newton's method from the given ones."""

        def rates(x: Array) -> Array:
            Q, V = (np.broadcast_to(y, (len(x), len(y))) for y in (q, v))
            return np.asarray(self._numbers(np.zeros(1), Q, V, x)["rates"][:, free])

        if not free.any():
            return z
        z, first = z.copy(), np.abs(rates(z[None])).max()
        for _ in range(_TURNS):
            d = np.diag(_STEP * np.maximum(1.0, np.abs(z)))[free]
            found, *sides = np.split(
                rates(np.concatenate([z[None], z + d, z - d])), [1, 1 + len(d)]
            )
            if np.abs(found).max() <= _STEADY * max(first, 1e-12):
                return z
            slopes = (sides[0] - sides[1]) / (2.0 * d.sum(axis=1)[:, None])
            z[free] -= np.linalg.lstsq(slopes.T, found[0], rcond=1e-12)[0]
        names = ", ".join(name for name, own in zip(self.states, free, strict=True) if own)
        raise InputError(
            f"the states {names} have no steady values where the run begins: their rates do not "
            f"vanish. Give the values instead (steady=False)."
        )

    # -- for recordings --------------------------------------------------------------------------

    def added(
        self, t: Array, q: Array, v: Array, z: Array, parameters: Array | None = None
    ) -> Added:
        """t (S,), q (S, nq), v (S, nv), z (S, states); parameters (S, n): of the other elements."""
        found = self._numbers(t, q, v, z, fuse=False)
        bodies: Keywords = {} if parameters is None else {"parameters": parameters}
        full = self.mechanism.element_forces(q, v, **bodies)
        readings = np.concatenate([full.wrench, full.along, full.power[..., None]], axis=-1)
        outputs = np.zeros((len(q), len(self.mechanism.model.elements), len(OUTPUTS)))
        if any(isinstance(part.law, Tyre) for part in self.mechanism.model.elements):
            outputs[:] = self.mechanism.tyre_forces(q, v, **bodies).outputs
        for n, (k, *_) in enumerate(self._changing):
            readings[:, k] = found["readings"][:, READINGS * n : READINGS * (n + 1)]
            outputs[:, k] = found["outputs"][:, len(OUTPUTS) * n : len(OUTPUTS) * (n + 1)]
        parts = self.mechanism.model.elements
        pushed = {end.body for k, *_ in self._changing for end in parts[k].ends}
        wrenches = {
            name: found["wrench"][:, k]
            for k, name in enumerate(self.mechanism.bodies)
            if name in pushed
        }
        energy = found["energy"][:, 0]
        return Added(found["force"], found["along"], wrenches, energy, readings, outputs)


def _by_instant(numbers_: Sequence[Scalar], count: int) -> Array:
    """Numbers, or columns over `count` instants, as (count, n)."""
    found = np.zeros((count, len(numbers_)))
    for k, x in enumerate(numbers_):
        found[:, k] = x
    return found


def _given_numbers(mechanism: Mechanism, part: ForceElement, parameters: Array | None) -> list[int]:
    """Where in the parameters the numbers of an element stand, if any are not the model's."""
    if parameters is None:
        return []
    own = [mechanism.parameter_names.index(name) for name in part.parameter_names()]
    return own if np.any(parameters[..., own] != mechanism.parameters[own]) else []


def check_changes(
    changes: list[ElementChanges],
    others: Sequence[Mechanism],
    mechanism: Mechanism,
) -> None:
    """What does not go together with elements that change along the run.  others: mechanisms that a
    Switch may put in place; the block goes on where they have the same bodies and elements."""
    if not changes:
        return
    names = ", ".join(changes[0].names)
    own = mechanism.model
    for other in others:
        if (other.model.bodies, other.model.elements) != (own.bodies, own.elements):
            raise InputError(
                f"events: {names} have states or inputs of their own, which go on behind a Switch "
                f"only where the bodies and force elements stay, and those of '{other.name}' are "
                f"others. Change constraints alone, or leave the Switch out."
            )


def element_changes(
    mechanism: Mechanism, inputs: Mapping[str, object], parameters: ArrayLike | None
) -> list[ElementChanges]:
    """The block of a mechanism that needs one.  parameters: as runs take them."""
    stateful = any(part.law.state_names() for part in mechanism.model.elements)
    if not stateful and not inputs:
        return []
    given = None if parameters is None else as_floats("parameters", parameters)
    if given is None or given.shape[-1:] != (len(mechanism.parameters),):
        return [ElementChanges(mechanism, inputs)]  # what has another shape is refused later
    varied = mechanism.model.varied
    first = len(mechanism.parameters) - len(varied)
    moved = [first + k for k, path in enumerate(varied) if ".at." in path]
    if np.any(given[..., moved] != mechanism.parameters[moved]):
        raise InputError(
            f"parameters: joints of '{mechanism.name}' are placed elsewhere "
            f"({mechanism.parameter_names[moved[0]]}), and force elements with states or inputs of "
            f"their own know the places of the model. Build a mechanism for each place."
        )
    return [ElementChanges(mechanism, inputs, given)]
