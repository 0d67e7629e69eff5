"""The chain of a run as functions over nodes of a graph, for the native loop.

The states are (z, held): what sampled blocks hold stands behind the states of all blocks, nv
numbers each, and changes at samples only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.fingerprint import memo_key
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.block import Scalars, StartNumbers
from armillary.sim.control.chain import Chain, Instant, Stage
from armillary.sim.control.element_changes import ElementChanges
from armillary.sim.control.element_inputs import ElementInputs, HandedOver


@dataclass(frozen=True)
class TracedChain:
    """command: what comes to the first block (nv), voltages or zeros.  Where its functions are
    given (tau, command), 2 nv numbers, these count instead.  Inputs of force elements that are
    handed over (`fed` numbers) stand behind."""

    chain: Chain
    command: list[Scalar]

    @property
    def key(self) -> Hashable | None:
        """Equal for chains of equal blocks; None where that cannot be told."""
        return memo_key([self.command, self.chain.stages], Mechanism, StartNumbers, HandedOver)

    @property
    def fed(self) -> int:
        """Numbers of inputs of force elements at the end of what is given."""
        inputs = inputs_of_elements(self.chain)
        return 0 if inputs is None else inputs.width

    def _parted(self, given: Scalars) -> tuple[Scalars, Scalars]:
        """(tau, command), and inputs of force elements."""
        end = max(0, len(given) - self.fed)
        return given[:end], given[end:]

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
        given, table = self._parted(given)
        ask = partial(_traced, table=table)
        u, rates = self.chain.forces(replace(self._instant(t, q, v, z, given), ask=ask))
        rates += [0.0] * (len(z) - len(rates))
        return [x + y for x, y in zip(u, given[: len(u)], strict=True)], rates

    def beside(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, given: Scalars
    ) -> tuple[list[Scalar], ...]:
        """As `control`, without the elements that loops serve: their force is left out, rates of
        their states are zero, and their inputs at this time come behind, if they have any."""
        given, table = self._parted(given)
        u, rates = self.chain.forces(self._instant(t, q, v, z, given))
        rates += [0.0] * (len(z) - len(rates))
        force = [x + y for x, y in zip(u, given[: len(u)], strict=True)]
        found = elements_in_loops(self.chain)
        inputs = found[0].given_rows(t, table) if found else []
        return (force, rates, inputs) if inputs else (force, rates)

    def sample(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, due: Scalars, given: Scalars = ()
    ) -> list[Scalar]:
        """(z, held) after the blocks that are due (1.0, else 0.0) have looked at the state."""
        now = [x > 0.5 for x in due]
        own, kept = self.chain.sample(self._instant(t, q, v, z, self._parted(given)[0]), now)
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
        """nv numbers for every name.  given: (tau, command) alone."""
        found = self.chain.all_signals(self._instant(t, q, v, z, given))
        return [found.get(name, [0.0] * len(v)) for name in names]

    def _instant(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, given: Scalars) -> Instant:
        """With force elements left out."""
        nz, n = len(self.chain.states), len(self.command)
        held = [z[k : k + n] for k in range(nz, len(z), n)]
        return Instant(t, q, v, z[:nz], given[n:] or self.command, held, _without_elements)


def _traced(stage: Stage, what: str, t: Scalar, *lists: Scalars, table: Scalars = ()) -> Any:
    """table: inputs of force elements that are handed over."""
    if what in ("force", "rate") and isinstance(stage.block, ElementChanges):
        return stage.block.traced(what, t, lists, table)
    return _law(stage, what)(t, *map(list, lists))


def _without_elements(stage: Stage, what: str, t: Scalar, *lists: Scalars) -> Any:
    """The same; force elements, always the last stage, to whose force nothing listens, add
    nothing."""
    if what in ("force", "rate") and isinstance(stage.block, ElementChanges):
        return list(lists[-1]) if what == "force" else [0.0] * stage.count
    return _traced(stage, what, t, *lists)


def elements_in_loops(chain: Chain) -> tuple[ElementChanges, int] | None:
    """Force elements that loops serve, and where their states begin in z."""
    stage = _elements(chain)
    if stage is None or not stage[0].in_loops:
        return None
    return stage


def inputs_of_elements(chain: Chain) -> ElementInputs | None:
    """Given over time."""
    stage = _elements(chain)
    return None if stage is None else stage[0].inputs


def _elements(chain: Chain) -> tuple[ElementChanges, int] | None:
    """The last stage, where it is that of force elements, and where its states begin in z."""
    last = chain.stages[-1] if chain.stages else None
    if last is None or not isinstance(last.block, ElementChanges):
        return None
    return last.block, last.z.start


def _law(stage: Stage, what: str) -> Callable[..., Any]:
    """The function of a block over scalars of any kind."""
    if not stage.block.array_level or what == "signals":
        return getattr(stage.block, what)
    found = getattr(stage.block, f"scalar_{what}", None)
    if found is None:
        raise NotNative("a block that takes arrays")
    return found
