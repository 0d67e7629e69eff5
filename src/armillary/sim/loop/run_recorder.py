"""What is handed to the recorder: one instant, or many of them from the native loop."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from armillary.evaluate.inputs import Array, Keywords
from armillary.evaluate.tyre_forces import TyreForces
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.changed_states import BlockForces, adding, block_forces, of_motion
from armillary.sim.loop.events import Bound, Watched
from armillary.sim.loop.held_scan import restraints
from armillary.sim.loop.resuming import happened, held, states_of
from armillary.sim.loop.signal_recorder import RecordedSignals
from armillary.sim.loop.states import State, StepBatch, given_at, instants
from armillary.sim.loop.stick_slip import StickEvent
from armillary.sim.methods.system import System
from armillary.sim.record.quantities import Extras, element_columns, quantity_of
from armillary.sim.record.recorded_states import may_pull


def _of_state(name: str) -> bool:
    """Can it be computed from q and v alone?"""
    quantity = quantity_of(name)
    return name == "states" or (quantity is not None and quantity.of_state)


def _without(added: BlockForces | None, tau: Array, extras: Keywords) -> Array:
    """The joint forces of the user; what blocks add to the model's goes into the extras."""
    if added is None:
        return tau
    if added.elements is not None:
        added.elements.put(extras, tau.shape)
    return tau - added.force.reshape(tau.shape)


class Taker(Protocol):
    """A recorder, or whoever else takes instants as it does."""

    mechanism: Mechanism
    names: tuple[str, ...]

    def switch(self, mechanism: Mechanism) -> None: ...

    def add(
        self, t: float, q: ArrayLike, v: ArrayLike, a: ArrayLike | None, tau: ArrayLike | None,
        extras: Extras,
    ) -> None: ...  # fmt: skip

    def extend(
        self, t: ArrayLike, q: ArrayLike, v: ArrayLike, a: ArrayLike | None,
        tau: ArrayLike | None, extras: Extras,
    ) -> None: ...  # fmt: skip


class RunRecorder:
    """Asks the parts of a run for what is to be recorded.  watched: the events of the run."""

    def __init__(
        self, system: System, recorder: Taker, names: tuple[str, ...], watched: list[Watched]
    ):
        self.system, self.recorder, self.watched = system, recorder, watched
        mechanisms = (system.mechanism, *system.mechanisms.others)
        self.forces = not all(_of_state(name) for name in names) or any(map(may_pull, mechanisms))
        self._wants_states = "states" in names
        known = ((quantity_of(name), name) for name in names if name != "states")
        others = not all(x is not None and of_motion(x, name) for x, name in known)
        self._wants_blocks = others and bool(adding(system.chain))
        self._asked = [n for n in names if not _of_state(n) and n not in ("a", "tau")]
        self._holds = any(isinstance(e, (Bound, StickEvent)) for e in watched)
        self._signals: tuple[str, ...] = ()  # those of the asked names that blocks have
        self._recorded: RecordedSignals | None = None

    def __call__(self, state: State) -> None:
        system, (t, q, v, z) = self.system, (state.t, *state.parts)
        extras = self._events(v) | ({"z": z} if system.nz else {}) | held(system, v)
        if self._wants_states:
            extras["states"] = z
        if system.setup.prescribed:
            extras["prescribed"] = system.setup.prescribed.flat(t, v)
        added = self._added(np.full(q.shape[:-1], t), q, v, z, extras)
        if not self.forces:
            self.recorder.add(t, q, v, None, None, extras)
            return
        view = system.view()
        tau, a = view.dynamics(t, q, v, z)
        if system.setup.external:
            wrenches = system.setup.external(t, q, v) or {}
            extras["external"] = {
                k: np.broadcast_to(x, (*q.shape[:-1], 6)) for k, x in wrenches.items()
            }
        if self._asked and system.chain.stages:
            signals = {k: x for k, x in view.signals(t, q, v, z).items() if k in self._asked}
            self._signals = tuple(signals)
            extras |= signals
        if self._holds:
            extras["restraint"] = view.restraint(t, q, v, tau, a)
        self.recorder.add(t, q, v, a, _without(added, tau, extras), extras)

    def _added(
        self, t: Array, q: Array, v: Array, z: Array, extras: Keywords
    ) -> BlockForces | None:
        """What blocks add to the forces of the model; energy and what elements say as extras."""
        if not self._wants_blocks:
            return None
        parameters = self.system.setup.parameters
        if parameters is not None:
            parameters = np.broadcast_to(parameters, (*v.shape[:-1], parameters.shape[-1]))
            parameters = parameters.reshape(t.size, -1)
        Q, V, Z = (x.reshape(t.size, x.shape[-1]) for x in (q, v, z))
        found = block_forces(self.system.chain, t.ravel(), Q, V, Z, parameters)
        if found is None:
            return None
        batch, mechanism = q.shape[:-1], self.system.mechanism
        extras["turned"] = found.energy.reshape(*batch, 1)
        if found.turn_wrenches is not None:
            extras["turn_wrenches"] = found.turn_wrenches.reshape(*batch, -1)
        if found.elements is not None and "element_forces" in self.recorder.names:
            columns = element_columns(mechanism, found.elements.readings)
            extras["element_forces"] = columns.reshape(*batch, -1)
        if found.elements is not None and "tyres" in self.recorder.names:
            told = TyreForces(mechanism.model, found.elements.outputs).values
            extras["tyres"] = told.reshape(*batch, -1)
        return found

    def _events(self, v: Array) -> Keywords:
        """What events have left behind; first of all, the mechanism in force."""
        if self.recorder.mechanism is not self.system.mechanism:
            self.recorder.switch(self.system.mechanism)
        if not (self.watched or self.system.modes.ended):
            return {}
        return happened(self.system, self.watched, v)

    def many(self, times: list[float], batch: StepBatch) -> None:
        """All instants of a batch of native steps at once: no event happens in it."""
        signals = self._signals_of(times, batch)
        if signals is None:
            for state in instants(self.system, times, batch):
                self(state)
            return
        v, events = batch.v, self._events(batch.v[0])
        extras = {name: np.broadcast_to(x, (len(times), *x.shape)) for name, x in events.items()}
        extras |= states_of(self.system, batch) | given_at(self.system, times, batch, self.forces)
        extras |= signals
        if self._wants_states:
            extras["states"] = batch.z
        a, tau = self._forces_of(times, batch) if self.forces else (None, None)
        if self.forces and self._holds:
            extras["restraint"] = restraints(self.system, times, batch)
        at = np.broadcast_to(np.array(times).reshape(-1, *(1,) * (v.ndim - 2)), v.shape[:-1])
        added = self._added(at, batch.q, v, batch.z, extras)
        if tau is not None:
            tau = _without(added, tau, extras)
        self.recorder.extend(np.array(times), batch.q, v, a, tau, extras)

    def _forces_of(self, times: list[float], batch: StepBatch) -> tuple[Array, Array]:
        """a and tau; where a block raises, the instants before are recorded."""
        try:
            return batch.forces(self.system, times)
        except BaseException:
            if known := batch.unknown[0]:
                self.many(times[:known], batch.first(known, 1, None))
            raise

    def _signals_of(self, times: list[float], batch: StepBatch) -> dict[str, Array] | None:
        """None: the blocks have to be asked in Python."""
        if not self._signals:
            return {}
        if self._recorded is None:
            self._recorded = RecordedSignals(self.system, self._signals)
        return self._recorded(times, batch) if self._recorded.possible else None
