"""What a run is made of, beside its mechanism: blocks, loads, motions, inertias."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.constraints.drift import DrawnBack
from armillary.evaluate.inputs import Array
from armillary.sim.control.chain import Chain
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.motion.prescribed import Motion
from armillary.sim.motion.schedules import Forces, Schedule, Wrenches


@dataclass(frozen=True)
class Setup:
    """chain: of controllers and actuators; inputs: joint forces beside it; voltages: what comes to
    it; external: wrenches on frames; parameters: inertias (10 bodies,) or one row per run;
    baumgarte: rates (alpha, beta) that draw constraints back, 1/s."""

    chain: Chain
    inputs: Forces
    external: Wrenches
    voltages: Forces | None = None
    prescribed: PrescribedMotions | None = None
    parameters: Array | None = None
    baumgarte: DrawnBack | None = None

    @property
    def nz(self) -> int:
        """Number of states of controllers and actuators."""
        return len(self.chain.states)

    @property
    def schedules(self) -> list[Schedule]:
        fed = self.voltages.schedules if self.voltages is not None else []
        own = [*self.inputs.schedules, *fed, *self.external.schedules]
        return own + list(self.chain.schedules)

    @property
    def timed(self) -> list[Schedule | Motion]:
        """All that has breaks in time: schedules and prescribed motions."""
        return [*self.schedules, *(self.prescribed.motions if self.prescribed else ())]

    @property
    def rests(self) -> bool:
        """Is nothing there but constant joint forces?"""
        beside = self.chain.stages or self.prescribed or self.external or self.baumgarte
        return not beside and self.parameters is None and self.inputs.steady

    def enter(self, t0: float, t1: float) -> None:
        """The next step lies between these instants."""
        for part in self.timed:
            part.enter(t0, t1)
