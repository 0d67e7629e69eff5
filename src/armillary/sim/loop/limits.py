"""Limits on recorded quantities, as events: a force, an energy, the height of a frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.control.element_changes import ElementChanges
from armillary.sim.loop.changed_states import changed_states
from armillary.sim.loop.states import StepBatch, given_at
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System
from armillary.sim.motion.coordinates import one_number
from armillary.sim.record.quantities import QUANTITIES, Quantity, quantity_of
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
    `rotation` in the place of fx, fy, fz; nx ...; vx ...; wx ....  terminal: the run ends there,
    and a start beyond the bound is refused; else it is noted whenever the bound is passed."""

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

    def watched(self, mechanism: Mechanism) -> list[LimitEvent]:
        quantity, columns, unit = column_of(mechanism, self.quantity)
        sides = ((1.0, self.above), (-1.0, self.below))
        return [
            LimitEvent(self.quantity, quantity, columns, unit, side, float(bound), self.terminal)
            for side, bound in sides
            if bound is not None
        ]


def column_of(
    mechanism: Mechanism, text: str, noun: str = "quantity of a limit"
) -> tuple[Quantity, tuple[int, ...], str]:
    """The quantity, the columns whose size is meant (none: its one number), and their unit.  noun:
    what it is called where there is none."""
    if not isinstance(text, str):
        raise InputError(
            f"{noun}: expected a name such as 'reactions.crank.force', found {text!r}."
        )
    whole = quantity_of(text) if ":" not in text or "." not in text else None
    if whole is not None and not whole.columns_of(mechanism):
        return whole, (), whole.unit
    for k in (k for k, letter in enumerate(text) if letter == "."):
        name, rest = text[:k], text[k + 1 :]
        quantity = quantity_of(name)
        if quantity is None:
            continue
        columns = quantity.columns_of(mechanism)
        labels = [label for label, _ in columns]
        for wanted in (rest, f"{name.split(':')[-2 if name.count(':') > 1 else -1]}.{rest}"):
            found = _numbers(labels, wanted)
            if found:
                return quantity, found, columns[found[0]][1]
        raise unknown_name(f"column of '{name}'", rest, labels)
    raise unknown_name(noun, text, QUANTITIES, len(QUANTITIES))


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
        )
        states = self._changed(view, states, np.full(1, t), z[None])
        return self._begun(view.row, float(self._beyond(states)[0]))

    def values(self, system: System, times: list[float], batch: StepBatch, count: int) -> Array:
        """(count, runs): the same at the ends of the first native steps.  times: of all ends."""
        v = batch.v[:count]
        tau, a = np.zeros_like(v), None
        if not self.quantity.of_state:
            a, tau = (x[:count] for x in batch.forces(system, times))
        given = given_at(system, times[:count], batch, not self.quantity.of_state)
        rows: list[int | None] = [None] if v.ndim == 2 else list(range(v.shape[1]))
        found = np.empty((count, len(rows)))
        for k, row in enumerate(rows):
            own = (slice(count),) if row is None else (slice(count), row)
            view = system.view(row)
            moving, prescribed = None, system.setup.prescribed
            if prescribed and "prescribed" in given:
                moving = prescribed.unflat(view.mechanism, given["prescribed"][own])
            wrenches = {name: x[own] for name, x in given.get("external", {}).items()}
            bodies = view.bodies()
            states = States(
                view.mechanism,
                batch.q[own],
                batch.v[own],
                tau[own],
                None if a is None else a[own],
                wrenches,
                moving,
                system.setup.baumgarte,
                parameters=None if bodies is None else np.tile(bodies, (count, 1)),
            )
            z = batch.z[own]
            states = self._changed(view, states, np.array(times[:count]), z)
            found[:, k] = self._beyond(states)
        return found

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

    @property
    def _of_motion(self) -> bool:
        """Do q, v and a tell it, without a word of force elements?"""
        name = self.text.split(".")[0]
        moves = self.quantity.of_state and name not in ("potential", "energy")
        return moves or name == "a" or name.startswith("acceleration:")

    def _changed(self, view: RunView, states: States, t: Array, z: Array) -> States:
        """With what elements with states or inputs of their own exert, where that matters."""
        if self._of_motion:
            return states
        changes = any(isinstance(x, ElementChanges) for x in view.setup.chain.blocks)
        if changes and (view.row is not None or view.setup.parameters is not None):
            raise InputError(
                f"Limit('{self.text}'): in batches of runs, and with `parameters`, only the motion "
                f"of a mechanism is watched whose elements have states or inputs of their own: q, "
                f"v, a, places, velocities and accelerations of frames, kinetic energy, momentum, "
                f"drift and condition numbers. Run them one by one."
            )
        return changed_states(states, view.setup.chain, t, z)

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
