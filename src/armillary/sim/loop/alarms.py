"""What blocks watch in their runs, and what they have left undone where a run ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.control.block import Block
from armillary.sim.control.chain import Chain
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System

if TYPE_CHECKING:
    from armillary.sim.loop.states import State, StepBatch


@dataclass
class Alarm:
    """Something that a block watches in every run: function(t, q, v, z) rises above zero.

    function: of columns, t (S,), q (nq, S), v (nv, S) and the block's own states (nz, S), gives
    (S,); text: what has happened, or function(t, q, v) of one state that says so.  terminal: the
    run ends there and is not complete; else it is noted."""

    function: Callable[[Array, Array, Array, Array], Array]
    text: str | Callable[[float, Array, Array], str]
    terminal: bool = True
    states: slice = field(default_factory=lambda: slice(0))  # those of its block, set by the run

    def _of(self, t: Array, q: Array, v: Array, z: Array) -> Array:
        """(S,); NaN counts as quiet: the run tells it in other words."""
        found = self.function(t, q.T, v.T, z[:, self.states].T)
        return np.nan_to_num(np.asarray(found, float), nan=-np.inf)

    def value_in(self, view: RunView, t: float, parts: tuple[Array, Array, Array]) -> float:
        q, v, z = (x[None] for x in parts)
        return float(self._of(np.full(1, t), q, v, z)[0])

    def values(self, system: System, times: list[float], batch: StepBatch, count: int) -> Array:
        """(count, runs): the same at the ends of the first native steps."""
        q, v, z = (x[:count].reshape(-1, x.shape[-1]) for x in (batch.q, batch.v, batch.z))
        t = np.repeat(np.array(times[:count]), len(q) // count)
        return self._of(t, q, v, z).reshape(count, -1)

    def crossed(self, before: float, after: float, v: Array) -> bool:
        return before < 0.0 <= after

    def act(self, view: RunView, t: float, q: Array, v: Array) -> tuple[Array, Array, str]:
        return q, v, self.text if isinstance(self.text, str) else self.text(t, q, v)


def alarms_of(system: System) -> list[Alarm]:
    """Those of all blocks of a run."""
    return [replace(x, states=z) for block, z in _placed(system.chain) for x in block.alarms]


def undone(system: System, state: State) -> dict[int, str]:
    """What the blocks of runs that end here have left undone, by the number of the run."""
    found = dict(system.modes.failed)
    for row, z in enumerate(np.atleast_2d(state.z)):
        texts = [block.undone(state.t, z[own]) for block, own in _placed(system.chain)]
        if any(texts) and row not in system.modes.ended:
            found[row] = "; ".join(text for text in texts if text)
    return found


def _placed(chain: Chain, first: int = 0) -> Iterator[tuple[Block, slice]]:
    """Blocks with the places of their states; first: of those of the chain."""
    for stage in chain.stages:
        own = slice(first + stage.z.start, first + stage.z.stop)
        yield stage.block, own
        if isinstance(stage.block, Chain):
            yield from _placed(stage.block, own.start)
