"""What is handed to the recorder: one instant, or many of them from the native loop."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array, Keywords
from armillary.evaluate.tyre_forces import TyreForces
from armillary.sim.control.element_changes import Added, ElementChanges
from armillary.sim.control.loop_turns import LoopTurns
from armillary.sim.loop.events import Bound, Watched
from armillary.sim.loop.resuming import happened, held, states_of
from armillary.sim.loop.signal_recorder import RecordedSignals
from armillary.sim.loop.states import State, StepBatch, given_at, instants
from armillary.sim.loop.stick_slip import StickEvent
from armillary.sim.methods.system import System
from armillary.sim.record.quantities import element_columns, quantity_of
from armillary.sim.record.recorder import Recorder


def _of_state(name: str) -> bool:
    """Can it be computed from q and v alone?"""
    quantity = quantity_of(name)
    return name == "states" or (quantity is not None and quantity.of_state)


class RunRecorder:
    """Asks the parts of a run for what is to be recorded.  watched: the events of the run."""

    def __init__(
        self, system: System, recorder: Recorder, names: tuple[str, ...], watched: list[Watched]
    ):
        self.system, self.recorder, self.watched = system, recorder, watched
        self.forces = not all(_of_state(name) for name in names)
        self._wants_states = "states" in names
        self._asked = [n for n in names if not _of_state(n) and n not in ("a", "tau")]
        self._holds = any(isinstance(e, (Bound, StickEvent)) for e in watched)
        self._signals: tuple[str, ...] = ()  # those of the asked names that blocks have
        self._recorded: RecordedSignals | None = None
        self._turns = [s for s in system.chain.stages if isinstance(s.block, LoopTurns)]
        self._changes = [s for s in system.chain.stages if isinstance(s.block, ElementChanges)]

    def __call__(self, state: State) -> None:
        system, (t, q, v, z) = self.system, (state.t, *state.parts)
        extras = self._events(v) | ({"z": z} if system.nz else {}) | held(system, v)
        if self._wants_states:
            extras["states"] = z
        if system.setup.prescribed:
            extras["prescribed"] = system.setup.prescribed.flat(t, v)
        turned, energy = self._turned(q, v, z)
        extras |= energy
        changed = self._changed(np.full(q.shape[:-1], t), q, v, z, extras)
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
        if energy:
            tau = tau - turned
        if changed is not None:
            tau = tau - changed.force.reshape(v.shape)
            changed.put(extras, v.shape)
        self.recorder.add(t, q, v, a, tau, extras)

    def _turned(self, q: Array, v: Array, z: Array) -> tuple[Array, dict[str, Array]]:
        """What the turns of springs in loops add to the forces, and their energy and wrenches as an
        extra (`LoopTurns.added`)."""
        for stage in self._turns:
            assert isinstance(stage.block, LoopTurns)
            flat = (x.reshape(-1, x.shape[-1]) for x in (q, v, z[..., stage.z]))
            force, added = stage.block.added(*flat)
            added = added.reshape(*q.shape[:-1], -1)
            told = {"turned": added[..., :1], "turn_wrenches": added[..., 1:]}
            return force.reshape(v.shape), told
        return np.zeros(0), {}

    def _changed(self, t: Array, q: Array, v: Array, z: Array, extras: Keywords) -> Added | None:
        """What elements with states or inputs of their own add; their energy and readings as
        extras."""
        for stage in self._changes:
            assert isinstance(stage.block, ElementChanges)
            own, p = [q, v, z[..., stage.z]], self.system.setup.parameters
            own += [] if p is None else [np.broadcast_to(p, (*q.shape[:-1], p.shape[-1]))]
            found = stage.block.added(t.ravel(), *(x.reshape(t.size, x.shape[-1]) for x in own))
            energy = extras.get("turned", 0.0)
            extras["turned"] = energy + found.energy.reshape(*q.shape[:-1], 1)
            if "element_forces" in self.recorder.names:
                columns = element_columns(self.system.mechanism, found.readings)
                extras["element_forces"] = columns.reshape(*q.shape[:-1], -1)
            if "tyres" in self.recorder.names:
                told = TyreForces(self.system.mechanism.model, found.outputs).values
                extras["tyres"] = told.reshape(*q.shape[:-1], -1)
            return found
        return None

    def _events(self, v: Array) -> Keywords:
        """What events have left behind; first of all, the mechanism in force."""
        if self.recorder.mechanism is not self.system.mechanism:
            self.recorder.switch(self.system.mechanism)
        if not (self.watched or self.system.modes.ended):
            return {}
        return happened(self.system, self.watched, v)

    def many(self, times: list[float], batch: StepBatch) -> None:
        """All instants of a batch of native steps at once: no event happens in it, and no joint
        rests at a limit."""
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
            extras["restraint"] = np.zeros(v.shape)
        turned, energy = self._turned(batch.q, v, batch.z)
        extras |= energy
        if energy and tau is not None:
            tau = tau - turned
        at = np.broadcast_to(np.array(times).reshape(-1, *(1,) * (v.ndim - 2)), v.shape[:-1])
        changed = self._changed(at, batch.q, v, batch.z, extras)
        if changed is not None and tau is not None:
            tau = tau - changed.force.reshape(v.shape)
            changed.put(extras, v.shape)
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
