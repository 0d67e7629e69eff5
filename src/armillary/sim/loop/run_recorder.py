"""What is handed to the recorder: one instant, or many of them from the native loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.loop.events import Bound
from armillary.sim.loop.restraint import restraint
from armillary.sim.loop.resuming import happened, held, states_of
from armillary.sim.loop.signal_recorder import RecordedSignals
from armillary.sim.loop.states import State, StepBatch, instants
from armillary.sim.methods.system import System
from armillary.sim.record.recorder import Recorder

# what can be computed from q and v alone
FROM_STATES = {
    "q", "v", "kinetic", "potential", "energy", "momentum", "drift", "body_velocity", "condition",
    "states",
}  # fmt: skip


class RunRecorder:
    """Asks the parts of a run for what is to be recorded.  watched: the events of the run."""

    def __init__(
        self, system: System, recorder: Recorder, names: tuple[str, ...], watched: list[Any]
    ):
        self.system, self.recorder, self.watched = system, recorder, watched
        self._from_states = set(names) <= FROM_STATES
        self._wants_states = "states" in names
        self._sampled = bool(system.chain.sampled)
        other = (
            system.nz or self._sampled or watched or system.setup.prescribed or system.modes.ended
        )
        self._plain = self._from_states and not other
        self._asked = [n for n in names if n not in FROM_STATES and n not in ("a", "tau")]
        self._holds = any(isinstance(e, Bound) or hasattr(e, "stuck") for e in watched)
        self._signals: tuple[str, ...] = ()  # those of the asked names that parts tell
        self._recorded: RecordedSignals | None = None

    def __call__(self, state: State) -> None:
        system, recorder = self.system, self.recorder
        if recorder.mechanism is not system.mechanism:
            recorder.switch(system.mechanism)
        t, q, v, z = state.t, state.q, state.v, state.z
        if self._plain:
            recorder.add(t, q, v)
            return
        extras = self._states(t, v, z)
        if self._from_states:
            recorder.add(t, q, v, None, None, extras)
            return
        view = system.view()
        tau, _ = view.forces(t, q, v, z)
        tau = np.ascontiguousarray(tau)
        a = view.acceleration(t, q, v, tau)
        external = system.setup.external(t, q, v) if system.setup.external else None
        if external:
            extras["external"] = {
                k: np.broadcast_to(x, (*q.shape[:-1], 6)) for k, x in external.items()
            }
        if self._asked and system.chain.stages:
            signals = {k: x for k, x in view.signals(t, q, v, z).items() if k in self._asked}
            self._signals = tuple(signals)
            extras |= signals
        if self._holds:
            extras["restraint"] = restraint(view, t, q, v, tau, a)
        recorder.add(t, q, v, a, tau, extras)

    def _states(self, t: float, v: Array, z: Array) -> dict[str, Any]:
        """What the run needs to go on, beside q and v."""
        system = self.system
        extras: dict[str, Any] = {"z": z} if system.nz else {}
        if self._wants_states:
            extras["states"] = z
        if self._sampled:
            extras |= held(system, v)
        if system.setup.prescribed:
            extras["prescribed"] = system.setup.prescribed.flat(t, v)
        if self.watched or system.modes.ended:
            extras |= happened(system, self.watched, v)
        return extras

    def many(self, times: list[float], batch: StepBatch) -> None:
        """All instants of a batch of steps at once, where no part has to be asked in Python."""
        if self.recorder.mechanism is self.system.mechanism and not self.watched:
            a, tau, extras = None, None, states_of(self.system, batch)
            extras |= self._given(times, batch)
            if self._wants_states:
                extras["states"] = batch.z
            recorded = None if self._from_states else self._recorded_signals()
            if recorded is not None and recorded.possible:
                numbers = recorded(times, batch)
                tau = numbers.pop("tau")
                a = self._accelerations(batch, tau, extras)
                extras |= numbers
            if self._from_states or tau is not None:
                self.recorder.extend(np.array(times), batch.q, batch.v, a, tau, extras)
                return
        for state in instants(self.system, times, batch):
            self(state)

    def _recorded_signals(self) -> RecordedSignals:
        """Made with the first batch of steps: then the signals are known."""
        if self._recorded is None:
            self._recorded = RecordedSignals(self.system, self._signals)
        return self._recorded

    def _given(self, times: list[float], batch: StepBatch) -> dict[str, Any]:
        """Prescribed motion, and wrenches where they are wanted, of all instants (T, ...)."""
        system, v = self.system, batch.v
        wanted = (
            system.setup.external.of_time and bool(system.setup.external) and not self._from_states
        )
        if not (wanted or system.setup.prescribed):
            return {}
        moved, wrenches = [], []
        for k, t in enumerate(times):
            system.setup.enter(t - batch.step, t)
            if system.setup.prescribed:
                moved.append(system.setup.prescribed.flat(t, v[k]))
            if wanted:
                wrenches.append(system.setup.external.at(t))
        found: dict[str, Any] = {"prescribed": np.array(moved)} if system.setup.prescribed else {}
        if wanted:
            shape = (*v.shape[1:-1], 6)
            found["external"] = {
                name: np.array([np.broadcast_to(x[name], shape) for x in wrenches])
                for name in wrenches[0]
            }
        return found

    def _accelerations(self, batch: StepBatch, tau: Array, extras: dict[str, Any]) -> Array:
        """extras: as `_given`."""
        system = self.system
        q, v, forces = (x.reshape(-1, x.shape[-1]) for x in (batch.q, batch.v, tau))
        external = {name: x.reshape(-1, 6) for name, x in extras.get("external", {}).items()}
        options: dict[str, Any] = {}
        if system.setup.prescribed:
            moved = extras["prescribed"].reshape(len(q), -1)
            options["prescribed"] = system.setup.prescribed.unflat(system.mechanism, moved)
        a = system.mechanism.forward_dynamics(q, v, forces, external or None, **options)
        return np.asarray(a).reshape(tau.shape)
