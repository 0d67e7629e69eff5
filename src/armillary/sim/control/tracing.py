"""The chain of a run as functions over nodes of a graph, for the native loop.

The states are (z, held): what sampled blocks hold stands behind the states of all blocks, nv
numbers each, and changes at samples only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.fingerprint import memo_key
from armillary.evaluate.program import Program
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.block import Scalars, StartNumbers
from armillary.sim.control.chain import Chain, Instant, Stage
from armillary.sim.control.element_changes import ElementChanges


@dataclass(frozen=True)
class TracedChain:
    """command: what comes to the first block (nv), voltages or zeros.  Where its functions are
    given (tau, command), 2 nv numbers, these count instead."""

    chain: Chain
    command: list[Scalar]

    @property
    def key(self) -> Hashable | None:
        """Equal for chains of equal blocks; None where that cannot be told."""
        return memo_key([self.command, self.chain.stages], Mechanism, StartNumbers)

    @property
    def program(self) -> Program | None:
        """Of a chain that has one of its own: elements with states, and nothing else."""
        only = self.chain.stages[0].block if len(self.chain.stages) == 1 else None
        return only.loops() if isinstance(only, ElementChanges) and only.in_loops else None

    def check(self, between_samples: bool) -> None:
        """NotNative where a block takes arrays only; of those that work between samples, or all."""
        for stage in self.chain.stages:
            if stage.block.is_sensor and not (stage.block.needs_motion and not between_samples):
                continue
            if stage.sampled is None or stage.actuator or not between_samples:
                _law(stage, "force")

    def control(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, given: Scalars
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Forces, those given beside the chain included, and rates of (z, held)."""
        u, rates = self.chain.forces(self._instant(t, q, v, z, given))
        rates += [0.0] * (len(z) - len(rates))
        return [x + y for x, y in zip(u, given[: len(u)], strict=True)], rates

    def sample(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, due: Scalars, given: Scalars = ()
    ) -> list[Scalar]:
        """(z, held) after the blocks that are due (1.0, else 0.0) have looked at the state."""
        now = [x > 0.5 for x in due]
        own, kept = self.chain.sample(self._instant(t, q, v, z, given), now)
        return own + [x for numbers in kept for x in numbers or ()]

    def signals(
        self,
        names: tuple[str, ...],
        t: Scalar,
        q: Scalars,
        v: Scalars,
        z: Scalars,
        given: Scalars = (),
    ) -> list[list[Scalar]]:
        """nv numbers for every name."""
        found = self.chain.all_signals(self._instant(t, q, v, z, given))
        return [found.get(name, [0.0] * len(v)) for name in names]

    def _instant(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, given: Scalars) -> Instant:
        nz, n = len(self.chain.states), len(self.command)
        held = [z[k : k + n] for k in range(nz, len(z), n)]
        return Instant(t, q, v, z[:nz], given[n:] or self.command, held, _traced)


def _traced(stage: Stage, what: str, t: Scalar, *lists: Scalars) -> Any:
    return _law(stage, what)(t, *map(list, lists))


def _law(stage: Stage, what: str) -> Callable[..., Any]:
    """The function of a block over scalars of any kind."""
    if not stage.block.array_level or what == "signals":
        return getattr(stage.block, what)
    found = getattr(stage.block, f"scalar_{what}", None)
    if found is None:
        raise NotNative("a block that takes arrays")
    return found
