"""Forces and signals of the parts at many recorded instants, in one native call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.evaluate.function_kernel import NotNative
from armillary.evaluate.inputs import Array
from armillary.sim.control.chain import traced_control, traced_signals
from armillary.sim.loop.system import System
from armillary.sim.record.signal_kernel import Telling

if TYPE_CHECKING:
    from armillary.sim.loop.native import Stretch

_MOST = 7  # signals of one kernel


class Told:
    """tau and the named signals of a run."""

    def __init__(self, system: System, names: tuple[str, ...]):
        self.system, self.names = system, names
        self._telling: Telling | None = None
        plain = system.external.of_time and system.parameters is None
        self.possible = plain and len(names) <= _MOST
        if self.possible and system.stages:
            try:
                self._telling = self._traced()
            except NotNative:
                self.possible = False

    def _traced(self) -> Telling:
        system = self.system
        control, signals = traced_control(system), traced_signals(system, self.names)
        held = sum(stage.period is not None for stage in system.stages) * system.nv

        def function(t: Any, q: list, v: list, z: list, tau: list) -> list[list]:
            forces, _ = control(t, q, v, z, tau) if control is not None else (tau, [])
            return [forces, *signals(t, q, v, z)]

        return Telling(system.mechanism, system.nz + held, function, 1 + len(self.names))

    def __call__(self, times: list[float], stretch: Stretch) -> dict[str, Array]:
        """{"tau": ..., signal: ...}, each (T, ..., nv)."""
        v, n = stretch.v, self.system.nv
        given = np.empty(v.shape)
        for k, t in enumerate(times):
            self.system.enter(t - stretch.step, t)
            given[k] = self.system.inputs(t)
        if self._telling is None:
            return {"tau": given}
        runs = int(np.prod(v.shape[1:-1], dtype=int))
        z = np.concatenate([stretch.z, stretch.held], axis=-1)
        q, speeds, z, tau = (
            x.reshape(len(times) * runs, x.shape[-1]) for x in (stretch.q, v, z, given)
        )
        found = self._telling(q, speeds, z, np.repeat(np.array(times), runs), tau)
        shaped = [x.reshape(*v.shape[:-1], n) for x in found]
        return dict(zip(("tau", *self.names), shaped, strict=True))
