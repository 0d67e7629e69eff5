"""Where a run is, and the states of many steps at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array, Keywords
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
class LiveRows:
    """The runs of a batch that go on, where others are over."""

    rows: NDArray[np.intp]

    def whole(self, moved: Array, still: Array) -> Array:
        """(..., runs, n): those that moved beside those that stay where they are, (runs, n)."""
        found = np.array(np.broadcast_to(still, (*moved.shape[:-2], *still.shape)))
        found[..., self.rows, :] = moved
        return found


@dataclass(frozen=True)
class StepBatch:
    """Steps that were taken at once, and the states after those that are to be recorded.

    rest: parts of a step beyond the `done` ones.  a, tau: accelerations and joint forces, empty
    (T, ..., 0) where they are not recorded; those of the entries `unknown` are found by `forces`.
    fault: what a block raised when it was asked at the end of the batch."""

    done: int
    rest: int
    numbers: list[int]  # of the recorded steps
    q: Array
    v: Array
    z: Array
    held: Array
    a: Array
    tau: Array
    step: float
    unknown: list[int] = field(default_factory=list)
    fault: BaseException | None = None

    def first(self, done: int, every: int, fault: BaseException | None) -> StepBatch:
        """The first `done` of the steps, with every n-th of their states."""
        kept = [k for k, n in enumerate(self.numbers[:done]) if n % every == 0]
        states = {name: getattr(self, name)[kept] for name in ("q", "v", "z", "held", "a", "tau")}
        unknown = [k for k, n in enumerate(kept) if n in self.unknown]
        numbers = [self.numbers[k] for k in kept]
        return replace(self, done=done, numbers=numbers, unknown=unknown, fault=fault, **states)

    def forces(self, system: System, times: list[float]) -> tuple[Array, Array]:
        """a and tau (T, ..., nv) of all recorded instants.  The native loop knows them from the
        first stage of the next step: not at the last instant, and not just before a jump."""
        asked = list(self.unknown)
        for k, state in zip(asked, instants(system, times, self, asked), strict=True):
            self.tau[k], self.a[k] = system.view().dynamics(state.t, *state.parts)
            self.unknown.remove(k)
        return self.a, self.tau


def instants(
    system: System, times: list[float], batch: StepBatch, entries: Iterable[int] | None = None
) -> Iterator[State]:
    """The recorded states of a batch (default: all); while each is looked at, blocks hold what they
    held."""
    samples = system.modes.samples
    now = list(samples.held)
    for n in range(len(times)) if entries is None else entries:
        samples.hold(batch.held[n])
        system.setup.enter(times[n] - batch.step, times[n])
        yield State(times[n], batch.q[n], batch.v[n], batch.z[n])
    samples.held = now


def given_at(
    system: System, times: list[float], batch: StepBatch, wrenches: bool = True
) -> Keywords:
    """Prescribed motion (T, ..., 3 n) and wrenches by frame (T, ..., 6) of the recorded instants,
    where there are such."""
    setup, shape = system.setup, (*batch.v.shape[1:-1], 6)
    moved, pushed, wrenches = [], [], wrenches and bool(setup.external)
    for k, t in enumerate(times if setup.prescribed or wrenches else ()):
        setup.enter(t - batch.step, t)
        if setup.prescribed:
            moved.append(setup.prescribed.flat(t, batch.v[k]))
        if wrenches:
            pushed.append(setup.external(t, batch.q[k], batch.v[k]) or {})
    found: Keywords = {"prescribed": np.array(moved)} if moved else {}
    if pushed:
        none = np.zeros(6)
        found["external"] = {
            name: np.array([np.broadcast_to(x.get(name, none), shape) for x in pushed])
            for name in dict.fromkeys(name for x in pushed for name in x)
        }
    return found
