"""Limits on recorded quantities, as events: a force, an energy, the height of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError, InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.changed_states import changed_states, of_motion
from armillary.sim.loop.groups import groups
from armillary.sim.loop.held_scan import restraints
from armillary.sim.loop.signal_recorder import RecordedSignals
from armillary.sim.loop.states import StepBatch, given_at, instants
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.setup import Setup
from armillary.sim.methods.system import System
from armillary.sim.motion.coordinates import one_number
from armillary.sim.record.quantities import QUANTITIES, Quantity, columns, quantity_of
from armillary.sim.record.recorded_states import States

_ROUNDING = 1e-9  # of a bound: a run that ended there may go on
# sizes of three columns together
SIZES = {
    "force": ("fx", "fy", "fz"),
    "moment": ("nx", "ny", "nz"),
    "speed": ("vx", "vy", "vz"),
    "rotation": ("wx", "wy", "wz"),
}


@dataclass
class Limit:
    """An event where a recorded quantity passes a bound: `Limit("reactions.pin.force", above=500)`.

    quantity: a column as recordings name it (quantity.column, "energy", "reactions.pin.fx",
    "pose:tool.z", "wheel_forces.front.normal"), or the size of three: `force`, `moment`, `speed` or
    `rotation` in the place of fx, fy, fz; nx ...; vx ...; wx ....  States and signals of the parts
    of a run are watched as they are recorded ("states.damper.tension", "current.elbow").  terminal:
    the run ends there, and a start beyond the bound is refused; else it is noted whenever the bound
    is passed."""

    quantity: str
    above: float | None = None
    below: float | None = None
    terminal: bool = True

    def __post_init__(self) -> None:
        given = [x for x in (self.above, self.below) if x is not None]
        if not given:
            raise InputError(f"Limit('{self.quantity}'): give a bound, above= or below=.")
        for x in given:
            one_number(f"bound of Limit('{self.quantity}')", x)

    def watched(
        self, mechanism: Mechanism, of_parts: Mapping[str, Quantity] = MappingProxyType({})
    ) -> list[LimitEvent]:
        """of_parts: quantities that the parts of the run tell, by name."""
        _, quantity, entries, unit = column_of([mechanism], self.quantity, of_parts=of_parts)
        sides = ((1.0, self.above), (-1.0, self.below))
        return [
            LimitEvent(self.quantity, quantity, entries, unit, side, float(bound), self.terminal)
            for side, bound in sides
            if bound is not None
        ]


class Found(NamedTuple):
    """A column of a quantity: entries (none: its one number; three: their size is meant)."""

    name: str
    quantity: Quantity
    entries: tuple[int, ...]
    unit: str


def column_of(
    mechanisms: Sequence[Mechanism],
    text: str,
    noun: str = "quantity of a limit",
    of_parts: Mapping[str, Quantity] = MappingProxyType({}),
) -> Found:
    """A column by its name.  mechanisms: the one of a run and those that may take over, as
    `columns` takes them; noun: what a column is called where there is none; of_parts: quantities
    beside `QUANTITIES`."""
    if not isinstance(text, str):
        raise InputError(
            f"{noun}: expected a name such as 'reactions.crank.force', found {text!r}."
        )
    missing: ArmillaryError | None = None
    for k in (k for k, letter in enumerate(f"{text}.") if letter == "."):
        name, rest = text[:k], text[k + 1 :]
        try:
            quantity = of_parts.get(name) or quantity_of(name)
            if quantity is None:
                continue
            own = columns(name, mechanisms, quantity, "")
        except ArmillaryError as fault:  # 'check:0' of 'check:0.5.worst'
            missing = missing or fault
            continue
        labels = [label for label, _ in own]
        if not rest and len(own) <= 1:
            return Found(name, quantity, (0,) if own else (), own[0][1] if own else quantity.unit)
        for wanted in (rest, f"{name.split(':')[-2 if name.count(':') > 1 else -1]}.{rest}"):
            if found := _numbers(labels, wanted):
                return Found(name, quantity, found, own[found[0]][1])
        missing = missing or unknown_name(f"column of '{name}'", rest, labels)
        if not rest:
            raise InputError(
                f"'{name}' has {len(own)} columns. Name one of them, as in '{name}.{labels[0]}'."
            )
    known = (*QUANTITIES, *of_parts)
    raise missing or unknown_name(noun, text, known, len(known))


def _numbers(labels: list[str], wanted: str) -> tuple[int, ...]:
    """Of one column, or of three whose size is meant; none where there are none such."""
    if wanted in labels:
        return (labels.index(wanted),)
    owner, _, size = wanted.rpartition(".")
    parts = [f"{owner}.{part}" for part in SIZES.get(size, ())]
    return tuple(labels.index(x) for x in parts) if parts and set(parts) <= set(labels) else ()


@dataclass
class LimitEvent:
    """One bound of a quantity: side (x - bound) rises above zero."""

    text: str
    quantity: Quantity
    columns: tuple[int, ...]
    unit: str
    side: float
    bound: float
    terminal: bool
    _met: set[int | None] = field(default_factory=set, init=False)  # runs that have begun
    # how far beyond at the ends of the last steps: of native ones; by run, of two others
    _ends: tuple[dict[float, int], Array] = field(default=({}, np.zeros((0, 0))), init=False)
    _last: dict[int | None, dict[float, float]] = field(default_factory=dict, init=False)
    _signals: RecordedSignals | None = field(default=None, init=False)

    def value_in(self, view: RunView, t: float, parts: tuple[Array, Array, Array]) -> float:
        q, v, z = parts
        tau = np.zeros_like(v)
        a = None
        if not self.quantity.of_state:
            tau, a = view.dynamics(t, q, v, z)
            if view.modes.resting or view.friction is not None:
                tau = tau + view.restraint(t, q, v, tau, a)
        wrenches = {
            name: np.asarray(x, float)[None] for name, x in (view.wrenches(t, q, v) or {}).items()
        }
        moving = view.moving(t)
        bodies = view.bodies()
        states = States(
            view.mechanism,
            q[None],
            v[None],
            tau[None],
            None if a is None else a[None],
            wrenches,
            moving,
            view.setup.baumgarte,
            parameters=None if bodies is None else bodies[None],
            block_states=z[None],
        )
        if self.quantity.of_blocks:
            states.signals = {n: x[None] for n, x in view.signals(t, q, v, z).items()}
        states = self._changed(view.setup, states, np.full(1, t), z[None])
        return self._begun(view.row, float(self._beyond(states)[0]))

    def values(self, system: System, times: list[float], batch: StepBatch, count: int) -> Array:
        """(count, runs): the same at the ends of the first native steps.  times: of all ends."""
        runs = None if batch.v.ndim == 2 else batch.v.shape[1]
        found = np.empty((count, runs or 1))
        for group in groups(system, runs):
            rows = slice(None) if group.rows is None else group.rows
            found[:, rows] = self._values_of(system, group.mechanism, rows, times, batch, count)
        self._ends = ({x: k for k, x in enumerate(times[:count])}, found)
        return found

    def _values_of(
        self,
        system: System,
        mechanism: Mechanism,
        rows: slice | NDArray[np.intp],
        times: list[float],
        batch: StepBatch,
        count: int,
    ) -> Array:
        """Of some runs, which have this mechanism."""
        of_state, setup = self.quantity.of_state, system.setup
        numbers = np.arange(int(np.prod(batch.v.shape[1:-1])))

        def flat(x: Array) -> Array:
            whole = np.broadcast_to(x, (count, *batch.v.shape[1:-1], x.shape[-1]))
            own = whole.reshape(count, len(numbers), x.shape[-1])[:, rows]
            return np.ascontiguousarray(own.reshape(count * len(numbers[rows]), x.shape[-1]))

        q, v, z = (flat(x[:count]) for x in (batch.q, batch.v, batch.z))
        tau, a = np.zeros_like(v), None
        if not of_state:
            a, tau = (flat(x[:count]) for x in batch.forces(system, times))
            tau = tau + flat(restraints(system, times, batch)[:count])
        given = given_at(system, times[:count], batch, not of_state)
        moving = None
        if setup.prescribed and "prescribed" in given:
            moving = setup.prescribed.unflat(mechanism, flat(given["prescribed"]))
        wrenches = {name: flat(x) for name, x in given.get("external", {}).items()}
        p = None if setup.parameters is None else flat(setup.parameters)
        states = States(
            mechanism, q, v, tau, a, wrenches, moving, setup.baumgarte, parameters=p, block_states=z
        )
        if self.quantity.of_blocks:
            states.signals = {n: flat(x) for n, x in self._told(system, times, batch).items()}
        t = np.repeat(np.array(times[:count]), len(q) // count)
        return self._beyond(self._changed(setup, states, t, z)).reshape(count, -1)

    def _told(self, system: System, times: list[float], batch: StepBatch) -> dict[str, Array]:
        """Its signal at the ends of native steps, (T, ..., nv) by name."""
        name = self.quantity.of_blocks
        if self._signals is None:
            self._signals = RecordedSignals(system, (name,))
        if self._signals.possible:
            return self._signals(times, batch)
        view = system.view()
        told = [view.signals(x.t, *x.parts)[name] for x in instants(system, times, batch)]
        return {name: np.array(told)}

    def step_ended(self, row: int | None, t: float, beyond: float) -> None:
        """How far beyond it a run is at the end of a step."""
        earlier = [end for end in self._last.get(row, {}).items() if end[0] < t]
        self._last[row] = {**dict(earlier[-1:]), t: beyond}

    def known_at(self, row: int | None, t: float) -> float | None:
        """The same where the last step ended, before a force could jump there: when blocks are
        sampled, or a schedule begins a new row.  None: no step ended then."""
        last = self._last.get(row, {})
        numbers, found = self._ends
        if t in last or t not in numbers:
            return last.get(t)
        return float(found[numbers[t], row or 0])

    def _beyond(self, states: States) -> Array:
        """(S,) how far beyond the bound; NaN counts as within."""
        x = np.asarray(self.quantity.values(states), float)
        if self.columns:
            own = x[:, list(self.columns)]
            x = own[:, 0] if len(self.columns) == 1 else np.sqrt(np.sum(own * own, axis=1))
        return np.nan_to_num(self.side * (x - self.bound), nan=-np.inf, posinf=np.inf)

    def _begun(self, row: int | None, beyond: float) -> float:
        """A run that begins beyond a bound that is to end it would never pass it."""
        if row not in self._met:
            self._met.add(row)
            if self.terminal and beyond > _ROUNDING * abs(self.bound):
                run = "" if row is None else f" of run {row}"
                raise InputError(
                    f"Limit('{self.text}'): the start{run} is beyond it already, "
                    f"{self.bound + self.side * beyond:.6g} {self.unit} against {self.bound:.6g}. "
                    f"Start within the limit, or leave it out."
                )
        return beyond

    def _changed(self, setup: Setup, states: States, t: Array, z: Array) -> States:
        """With what elements with states or inputs of their own exert, where that matters."""
        if of_motion(self.quantity, self.text.split(".")[0]):
            return states
        return changed_states(states, setup.chain, t, z)

    def crossed(self, before: float, after: float, v: Array) -> bool:
        return before < 0.0 <= after

    def act(self, view: RunView, t: float, q: Array, v: Array) -> tuple[Array, Array, str]:
        word = "above" if self.side > 0.0 else "below"
        return q, v, f"{self.text} {word} {self.bound:.6g} {self.unit}"


def needs_forces(event: object) -> bool:
    """Is it a limit on something that takes accelerations or joint forces?"""
    return isinstance(event, LimitEvent) and not event.quantity.of_state


def first_crossing(starts: Array, found: Array) -> int:
    """The first of T steps in which the limit is passed in a run; T: none.  starts (runs,): how far
    beyond at the start; found (T, runs): at the ends of the steps."""
    before = np.concatenate([starts[None], found[:-1]])
    passed = ((before < 0.0) & (found >= 0.0)).any(axis=1)
    return int(np.argmax(passed)) if passed.any() else len(found)
