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
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.block import Scalars
from armillary.sim.control.chain import Chain, Instant, Stage


@dataclass(frozen=True)
class TracedChain:
    """command: constant numbers (nv) that come to the first block, voltages or zeros."""

    chain: Chain
    command: list[float]

    @property
    def key(self) -> Hashable | None:
        """Equal for chains of equal blocks; None where that cannot be told."""
        return memo_key([self.command, self.chain.stages], Mechanism)

    def check(self, between_samples: bool) -> None:
        """NotNative where a block takes arrays only; of those that work between samples, or all."""
        for stage in self.chain.stages:
            if stage.block.is_sensor and not (stage.block.needs_motion and not between_samples):
                continue
            if stage.sampled is None or stage.actuator or not between_samples:
                _law(stage, "force")

    def control(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, tau: Scalars
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Forces, those given beside the chain included, and rates of (z, held)."""
        own, held = self._split(z)
        u, rates = self.chain.forces(Instant(t, q, v, own, self.command, held, _traced))
        rates += [0.0] * (len(z) - len(rates))
        return [x + y for x, y in zip(u, tau, strict=True)], rates

    def sample(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, due: Scalars) -> list[Scalar]:
        """(z, held) after the blocks that are due (1.0, else 0.0) have looked at the state."""
        own, held = self._split(z)
        now = [x > 0.5 for x in due]
        own, kept = self.chain.sample(Instant(t, q, v, own, self.command, held, _traced), now)
        return own + [x for numbers in kept for x in numbers or ()]

    def signals(
        self, names: tuple[str, ...], t: Scalar, q: Scalars, v: Scalars, z: Scalars
    ) -> list[list[Scalar]]:
        """nv numbers for every name."""
        own, held = self._split(z)
        found = self.chain.all_signals(Instant(t, q, v, own, self.command, held, _traced))
        return [found.get(name, [0.0] * len(v)) for name in names]

    def _split(self, z: Scalars) -> tuple[Scalars, list[Scalars]]:
        nz, n = len(self.chain.states), len(self.command)
        return z[:nz], [z[k : k + n] for k in range(nz, len(z), n)]


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
