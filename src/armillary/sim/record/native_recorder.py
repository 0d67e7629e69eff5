"""What is handed to the recorder: one instant, or many of them from the native loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.loop.events import Bound
from armillary.sim.loop.loop import State, instants
from armillary.sim.loop.restraint import restraint
from armillary.sim.loop.system import System
from armillary.sim.record.recorder import Recorder
from armillary.sim.record.resuming import happened, held, states_of

if TYPE_CHECKING:
    from armillary.sim.loop.native import Stretch
    from armillary.sim.record.recorded_signals import Told

# what can be computed from q and v alone
FROM_STATES = {
    "q", "v", "kinetic", "potential", "energy", "momentum", "drift", "body_velocity", "condition",
}  # fmt: skip


class Handing:
    """Asks the parts of a run for what is to be recorded.  watched: the events of the run."""

    def __init__(
        self, system: System, recorder: Recorder, names: tuple[str, ...], watched: list[Any]
    ):
        self.system, self.recorder, self.watched = system, recorder, watched
        self._from_states = set(names) <= FROM_STATES
        self._sampled = any(stage.period is not None for stage in system.stages)
        other = system.nz or self._sampled or watched or system.prescribed or system.ended
        self._plain = self._from_states and not other
        self._asked = [n for n in names if n not in FROM_STATES and n not in ("a", "tau")]
        self._holds = any(isinstance(e, Bound) or hasattr(e, "stuck") for e in watched)
        self._signals: tuple[str, ...] = ()  # those of the asked names that parts tell
        self._told: Told | None = None

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
        tau, _ = system.forces(t, q, v, z)
        tau = np.ascontiguousarray(tau)
        a = system.acceleration(t, q, v, tau)
        external = system.external(t, q, v) if system.external else None
        if external:
            extras["external"] = {
                k: np.broadcast_to(x, (*q.shape[:-1], 6)) for k, x in external.items()
            }
        if self._asked and system.stages:
            told = {k: x for k, x in system.signals(t, q, v, z).items() if k in self._asked}
            self._signals = tuple(told)
            extras |= told
        if self._holds:
            extras["restraint"] = restraint(system, t, q, v, tau, a)
        recorder.add(t, q, v, a, tau, extras)

    def _states(self, t: float, v: Array, z: Array) -> dict[str, Any]:
        """What the run needs to go on, beside q and v."""
        system = self.system
        extras: dict[str, Any] = {"z": z} if system.nz else {}
        if self._sampled:
            extras |= held(system, v)
        if system.prescribed:
            extras["prescribed"] = system.prescribed.flat(t, v)
        if self.watched or system.ended:
            extras |= happened(system, self.watched, v)
        return extras

    def many(self, times: list[float], stretch: Stretch) -> None:
        """All instants of a stretch at once, where no part has to be asked in Python."""
        if self.recorder.mechanism is self.system.mechanism and not self.watched:
            a, tau, extras = None, None, states_of(self.system, stretch)
            extras |= self._given(times, stretch)
            told = None if self._from_states else self._asked_natively()
            if told is not None and told.possible:
                numbers = told(times, stretch)
                tau = numbers.pop("tau")
                a = self._accelerations(stretch, tau, extras)
                extras |= numbers
            if self._from_states or tau is not None:
                self.recorder.extend(np.array(times), stretch.q, stretch.v, a, tau, extras)
                return
        for state in instants(self.system, times, stretch):
            self(state)

    def _asked_natively(self) -> Told:
        """Made with the first stretch: then the signals are known."""
        if self._told is None:
            from armillary.sim.record.recorded_signals import Told

            self._told = Told(self.system, self._signals)
        return self._told

    def _given(self, times: list[float], stretch: Stretch) -> dict[str, Any]:
        """Prescribed motion, and wrenches where they are wanted, of all instants (T, ...)."""
        system, v = self.system, stretch.v
        wanted = system.external.of_time and bool(system.external) and not self._from_states
        if not (wanted or system.prescribed):
            return {}
        moved, wrenches = [], []
        for k, t in enumerate(times):
            system.enter(t - stretch.step, t)
            if system.prescribed:
                moved.append(system.prescribed.flat(t, v[k]))
            if wanted:
                wrenches.append(system.external.at(t))
        found: dict[str, Any] = {"prescribed": np.array(moved)} if system.prescribed else {}
        if wanted:
            shape = (*v.shape[1:-1], 6)
            found["external"] = {
                name: np.array([np.broadcast_to(x[name], shape) for x in wrenches])
                for name in wrenches[0]
            }
        return found

    def _accelerations(self, stretch: Stretch, tau: Array, extras: dict[str, Any]) -> Array:
        """extras: as `_given`."""
        system = self.system
        q, v, forces = (x.reshape(-1, x.shape[-1]) for x in (stretch.q, stretch.v, tau))
        external = {name: x.reshape(-1, 6) for name, x in extras.get("external", {}).items()}
        options: dict[str, Any] = {}
        if system.prescribed:
            moved = extras["prescribed"].reshape(len(q), -1)
            options["prescribed"] = system.prescribed.unflat(system.mechanism, moved)
        a = system.mechanism.forward_dynamics(q, v, forces, external or None, **options)
        return np.asarray(a).reshape(tau.shape)
