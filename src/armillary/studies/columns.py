"""Columns that responses look at, from states as the loop over time hands them over."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from armillary.errors import ArmillaryError, InputError, unknown_name
from armillary.evaluate.inputs import Array, Keywords
from armillary.sim.loop.changed_states import changed_states
from armillary.sim.loop.limits import column_of
from armillary.sim.loop.signal_recorder import RecordedSignals
from armillary.sim.loop.states import State, StepBatch, given_at
from armillary.sim.methods.system import System
from armillary.sim.record.quantities import EXTRAS, Quantity, quantity_of
from armillary.sim.record.recorded_states import States

_DIRECT = ("q", "v", "a", "tau")


@dataclass(frozen=True)
class Column:
    """text: as it was asked for; kind: q, v, a, tau, states, signal or quantity; entries: numbers
    of its columns, several where their size is meant."""

    text: str
    kind: str
    entries: tuple[int, ...]
    unit: str
    name: str = ""  # of the signal
    quantity: Quantity | None = None

    @property
    def needs_forces(self) -> bool:
        if self.kind == "quantity":
            return self.quantity is not None and not self.quantity.of_state
        return self.kind in ("a", "tau", "signal")


def column_in(system: System, text: str, runs: int) -> Column:
    """A column by its name; InputError where the run has none such."""
    mechanism = system.mechanism
    head, _, rest = text.partition(".")
    if head in _DIRECT:
        labels = mechanism.q_labels if head == "q" else mechanism.v_labels
        if rest not in labels:
            raise unknown_name(f"column of '{head}'", rest, labels)
        quantity, _, unit = column_of(mechanism, text)
        return Column(text, head, (labels.index(rest),), unit)
    if head == "states":
        if rest not in system.chain.states:
            raise unknown_name("state of a block", rest, system.chain.states)
        k = system.chain.states.index(rest)
        return Column(text, "states", (k,), (system.chain.state_units or ("",) * (k + 1))[k])
    signals = _signals(system, runs)
    if head in signals:
        if rest not in mechanism.v_labels:
            raise unknown_name(f"column of '{head}'", rest, mechanism.v_labels)
        k = mechanism.v_labels.index(rest)
        return Column(text, "signal", (k,), signals[head][k], head)
    try:
        quantity, entries, unit = column_of(mechanism, text, "column or quantity")
    except ArmillaryError as fault:
        if near := difflib.get_close_matches(head, signals, 1):
            raise InputError(
                f"no column named '{text}'. Did you mean '{near[0]}.{rest}'?"
            ) from None
        known = f" Signals of its blocks: {', '.join(signals)}." if signals else ""
        raise InputError(f"{fault}{known}") from None
    return Column(text, "quantity", entries, unit, quantity=quantity)


def columns_in(system: System, name: str, runs: int) -> list[Column]:
    """A column, or all those of a quantity, of the states or of a signal, by its name."""
    m = system.mechanism
    labels: Sequence[str] = ()
    if name in _DIRECT:
        labels = m.q_labels if name == "q" else m.v_labels
    elif name == "states":
        labels = system.chain.states
    elif name in _signals(system, runs):
        labels = m.v_labels
    elif (quantity := _whole(name)) is not None:
        own = enumerate(quantity.columns_of(m))
        found = [Column(f"{name}.{x}", "quantity", (k,), u, quantity=quantity) for k, (x, u) in own]
        return found or [column_in(system, name, runs)]
    return [column_in(system, f"{name}.{x}", runs) for x in labels] or [
        column_in(system, name, runs)
    ]


def _whole(name: str) -> Quantity | None:
    """A quantity by its name; a column of one with a frame in its name is none."""
    return None if ":" in name and "." in name else quantity_of(name)


def _signals(system: System, runs: int) -> dict[str, tuple[str, ...]]:
    """Units of the signals that blocks have, by name."""
    m = system.mechanism
    q, v = np.tile(m.initial, (runs, 1)), np.zeros((runs, m.nv))
    if not system.chain.stages:
        return {}
    system.setup.enter(0.0, 1e-3)
    told = system.view().signals(0.0, q, v, system.start(0.0, q, v))
    own = {k: u for stage in system.chain.stages for k, u in stage.block.signal_units.items()}
    units = {}
    for name in told:
        known = [u for _, u in EXTRAS[name].columns_of(m)] if name in EXTRAS else None
        units[name] = tuple(known or (own.get(name, ""),) * m.nv)
    return units


class Parts(NamedTuple):
    """(T, B, n) each; a and tau are empty where nobody asks for them."""

    q: Array
    v: Array
    z: Array
    a: Array
    tau: Array


class Taken:
    """Instants of all runs: t (T,), and the parts of their states."""

    def __init__(
        self,
        system: System,
        t: Array,
        parts: Parts,
        signals: dict[str, Array],
        batch: StepBatch | None = None,
    ):
        self.system, self.t, self.signals, self.batch = system, t, signals, batch
        self.q, self.v, self.z, self.a, self.tau = parts
        self._values: dict[int, Array] = {}  # of quantities

    @cached_property
    def states(self) -> States:
        """All of them in a row, for quantities."""
        T, B = self.q.shape[:2]

        def flat(x: Array) -> Array:
            return np.ascontiguousarray(x.reshape(T * B, -1))

        setup = self.system.setup
        p = setup.parameters
        if p is not None:
            p = np.broadcast_to(p, (T, B, p.shape[-1])).reshape(T * B, -1)
        wrenches, moving = {}, None
        if self.batch is not None:
            given = given_at(self.system, self.t.tolist(), self.batch)
        else:
            given = self._given_now()
        for name, x in given.get("external", {}).items():
            wrenches[name] = flat(np.broadcast_to(x, (T, B, 6)))
        if "prescribed" in given and setup.prescribed:
            moving = setup.prescribed.unflat(self.system.mechanism, flat(given["prescribed"]))
        known = self.a.shape[-1] > 0
        states = States(
            self.system.mechanism,
            flat(self.q),
            flat(self.v),
            flat(self.tau) if known else np.zeros_like(flat(self.v)),
            flat(self.a) if known else None,
            wrenches,
            moving,
            setup.baumgarte,
            parameters=p,
        )
        return changed_states(states, self.system.chain, np.repeat(self.t, B), flat(self.z))

    def _given_now(self) -> Keywords:
        setup, t = self.system.setup, float(self.t[0])
        found: Keywords = {}
        if setup.prescribed:
            found["prescribed"] = setup.prescribed.flat(t, self.v[0])[None]
        if setup.external:
            outer = setup.external(t, self.q[0], self.v[0]) or {}
            found["external"] = {
                k: np.broadcast_to(x, (*self.q.shape[1:-1], 6))[None] for k, x in outer.items()
            }
        return found

    def column(self, column: Column) -> Array:
        """(T, B)."""
        if column.kind == "tau":  # without what elements with states of their own give
            return self.states.tau.reshape(self.v.shape)[..., column.entries[0]]
        if column.kind in ("q", "v", "a", "states"):
            source = self.z if column.kind == "states" else getattr(self, column.kind)
            return source[..., column.entries[0]]
        if column.kind == "signal":
            return self.signals[column.name][..., column.entries[0]]
        assert column.quantity is not None
        key = id(column.quantity)
        if key not in self._values:
            self._values[key] = np.asarray(column.quantity.values(self.states), float)
        values = self._values[key]
        shape = self.q.shape[:2]
        if not column.entries:
            return values.reshape(shape)
        own = values.reshape(*shape, -1)[..., list(column.entries)]
        return own[..., 0] if len(column.entries) == 1 else np.linalg.norm(own, axis=-1)


class Watcher:
    """Takes the states of a loop over time and hands them on: `Records` of the loop."""

    def __init__(
        self,
        system: System,
        columns: Sequence[Column],
        forces: bool,
        take: Callable[[Taken], None],
    ):
        self.system, self._take = system, take
        self.forces = forces or any(column.needs_forces for column in columns)
        self._names = tuple(dict.fromkeys(c.name for c in columns if c.kind == "signal"))
        self._recorded = RecordedSignals(system, self._names) if self._names else None

    def __call__(self, state: State) -> None:
        t, q, v, z = (state.t, *state.parts)
        view = self.system.view()
        tau = a = np.zeros((*v.shape[:-1], 0))
        if self.forces:
            tau, a = view.dynamics(t, q, v, z)
        signals = {}
        if self._names:
            found = view.signals(t, q, v, z)
            signals = {n: _one(np.broadcast_to(found[n], v.shape)) for n in self._names}
        parts = Parts(*(_one(x) for x in (q, v, z, a, tau)))
        self._take(Taken(self.system, np.array([t]), parts, signals))

    def many(self, times: list[float], batch: StepBatch) -> None:
        a, tau = batch.forces(self.system, times) if self.forces else (batch.a, batch.tau)
        signals = {}
        if self._recorded is not None:
            if self._recorded.possible:
                found = self._recorded(times, batch)
                signals = {name: _many(x) for name, x in found.items()}
            else:
                raise InputError("responses: a signal of a block that takes arrays alone.")
        parts = Parts(*(_many(x) for x in (batch.q, batch.v, batch.z, a, tau)))
        self._take(Taken(self.system, np.array(times), parts, signals, batch))


def _one(x: Array) -> Array:
    """(1, B, n) of one instant of one run or of several."""
    return x[None, None] if x.ndim == 1 else x[None]


def _many(x: Array) -> Array:
    return x[:, None] if x.ndim == 2 else x
