"""The native loops of a run: one for each group of the runs of a batch that go on alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

from armillary.sim.loop.groups import Group
from armillary.sim.loop.native import NativeLoop
from armillary.sim.loop.states import State, StepBatch
from armillary.sim.methods.system import System

_STATES = ("q", "v", "z", "held", "a", "tau")


@dataclass(frozen=True)
class NativeGroups:
    """Takes the same steps with all loops.  complete: no run of the batch is over."""

    system: System
    groups: list[Group]
    loops: list[NativeLoop]
    complete: bool

    @property
    def asks_python(self) -> bool:
        """Some block is asked in Python."""
        return any(loop.asks_python for loop in self.loops)

    @property
    def samples_in_python(self) -> bool:
        """Some block takes samples in Python."""
        return any(loop.samples_in_python for loop in self.loops)

    @property
    def substeps(self) -> int:
        """Equal parts of a step."""
        return self.loops[0].substeps

    def advance(self, state: State, taken: int, steps: int, h: float, every: int) -> StepBatch:
        """Up to `steps` steps of h, after `taken` ones; moves the state (not its time)."""
        if len(self.loops) == 1:
            found = self.loops[0].advance(state, taken, steps, h, every)
            return found if self.complete else _unknown(found)
        steps = min(steps, *(loop.most(1) for loop in self.loops))
        found = self._each(state, taken, steps, h)
        if found.done:
            state.q, state.v, state.z = (x[found.done - 1] for x in (found.q, found.v, found.z))
        found = found.first(found.done, every, found.fault)
        return found if self.complete else _unknown(found)

    def _each(self, state: State, taken: int, steps: int, h: float) -> StepBatch:
        """As many steps as all loops take, with all their states."""
        whole: StepBatch | None = None
        unknown: set[int] = set()
        samples = self.system.modes.samples
        held, due = list(samples.held), list(samples.due)
        for group, loop in zip(self.groups, self.loops, strict=True):
            own = State(state.t, *state.parts)
            samples.held, samples.due = list(held), list(due)
            found = loop.advance(own, taken, steps, h, 1)
            steps = found.done  # the others need not go further
            unknown |= set(found.unknown)
            if whole is None:
                whole = found
            for name in _STATES:
                getattr(whole, name)[:steps, group.rows] = getattr(found, name)[:steps, group.rows]
            whole = replace(whole, fault=whole.fault or found.fault)
        assert whole is not None
        samples.held, samples.due = held, due
        if steps:
            samples.hold(whole.held[steps - 1], state.t + steps * h)
        whole = replace(whole, done=steps, rest=0, unknown=sorted(unknown))
        return whole.first(steps, 1, whole.fault)


def _unknown(found: StepBatch) -> StepBatch:
    """What acts on runs that are over is asked for at every instant."""
    count = len(found.numbers) if found.a.shape[-1] else 0
    return replace(found, unknown=list(range(count)))


def whole_batch(groups: list[Group], runs: int) -> bool:
    """Is every run in some group?"""
    return sum(runs if group.rows is None else len(group.rows) for group in groups) == runs
