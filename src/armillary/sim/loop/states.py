"""Where a run is, and the states of many steps at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from armillary.evaluate.inputs import Array
from armillary.sim.methods.system import System


@dataclass
class State:
    """Where the run is."""

    t: float
    q: Array
    v: Array
    z: Array

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        return self.q, self.v, self.z


@dataclass(frozen=True)
class StepBatch:
    """Steps that were taken at once, and the states after those that are to be recorded.

    rest: parts of a step beyond the `done` ones.  fault: what a block raised when it was asked at
    the end of the batch."""

    done: int
    rest: int
    numbers: list[int]  # of the recorded steps
    q: Array
    v: Array
    z: Array
    held: Array
    step: float
    fault: BaseException | None = None


def instants(system: System, times: list[float], batch: StepBatch) -> Iterator[State]:
    """The recorded states of a batch; while each is looked at, blocks hold what they held."""
    samples = system.modes.samples
    now = list(samples.held)
    for n, t in enumerate(times):
        samples.hold(batch.held[n])
        system.setup.enter(t - batch.step, t)
        yield State(t, batch.q[n], batch.v[n], batch.z[n])
    samples.held = now
