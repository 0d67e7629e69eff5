"""The chain from set point to joint force, over scalars of any kind.

    u = command -> controllers -> actuators -> joint forces

Every block gets the force of the one before it as its command.  Blocks with a period are sampled:
a controller holds its force between two samples and its states move on by explicit Euler, an
actuator holds its command.  The Python loop, the tracer of the native loop and a `Chain` given as
one block walk the same lines; they differ in how a block is asked (`Ask`).  Controllers behind a
sensor see its readings in the place of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar, where
from armillary.sim.control.block import Block, Scalars
from armillary.sim.control.feed_forward import Function
from armillary.sim.control.sensors import Sensor
from armillary.sim.motion.coordinates import positive_period
from armillary.sim.motion.user_functions import handed, name_of, several

SLACK = 1e-9  # of a period


@dataclass(frozen=True)
class Stage:
    """A block in its place in the chain."""

    block: Block
    z: slice  # its states among those of the chain
    actuator: bool
    period: float | None
    sampled: int | None  # its number among the blocks with a period
    what: str  # for messages

    @property
    def count(self) -> int:
        """Of its states."""
        return self.z.stop - self.z.start

    def next_sample(self, t: float) -> float:
        """The first multiple of the period after t."""
        period = self.period or np.inf
        return float(period * (np.floor(t / period + SLACK) + 1.0))


# (stage, "force", "rate" or "signals", t, q, v, its own z, u) -> what the block answers
Ask = Callable[..., Any]
# of every sampled block what it holds (nv), None before its first sample
Held = Sequence[Scalars | None]


def plainly(stage: Stage, what: str, t: Scalar, *lists: Scalars) -> Any:
    """Asks the block itself, with lists of its own."""
    return getattr(stage.block, what)(t, *map(handed, lists))


class Chain(Block):
    """Blocks one after the other: the force of one is the command of the next.

    Controllers add up, actuators of different joints stand side by side.  As one block it has one
    period, that of all its blocks."""

    def __init__(self, *blocks: Block):
        periods = {block.period for block in blocks}
        if len(periods) > 1:
            raise InputError(
                f"a chain needs blocks of one period; found {sorted(map(str, periods))}. "
                "Give the same period to all of them."
            )
        self.period = periods.pop() if periods else None
        self._take([(block, None, False) for block in blocks])

    def _take(self, given: list[tuple[Block, float | None, bool]]) -> None:
        self.stages: list[Stage] = []
        first = sampled = 0
        for block, period, actuator in given:
            own = positive_period(block.period if block.period is not None else period)
            own = None if self.period is not None else own  # else the whole chain is sampled
            z = slice(first, first + len(block.states))
            what = f"{'actuator' if actuator else 'controller'} {name_of(block)}"
            what = block.what if isinstance(block, Function) else what
            number = None if own is None else sampled
            self.stages.append(Stage(block, z, actuator, own, number, what))
            first, sampled = z.stop, sampled + (own is not None)
        self.states = tuple(name for stage in self.stages for name in stage.block.states)
        self.state_units = tuple(
            unit
            for stage in self.stages
            for unit in stage.block.state_units or ("",) * len(stage.block.states)
        )
        self.array_level = any(stage.block.array_level for stage in self.stages)
        self.schedules = [x for stage in self.stages for x in stage.block.schedules]

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(own for stage in self.stages for own in stage.block.blocks)

    @property
    def sampled(self) -> list[Stage]:
        """The stages with a period, in their order."""
        return [stage for stage in self.stages if stage.sampled is not None]

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        return [x for stage in self.stages for x in stage.block.start(mechanism, q, v)]

    # -- as one block ----------------------------------------------------------------------------

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return self.forces(t, q, v, z, u)[0]

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return self.forces(t, q, v, z, u)[1]

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        return self.all_signals(t, q, v, z, u)

    # -- the walk --------------------------------------------------------------------------------

    def forces(
        self,
        t: Scalar,
        q: Scalars,
        v: Scalars,
        z: Scalars,
        u: Scalars,
        held: Held = (),
        ask: Ask = plainly,
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Joint forces (nv), and the rates of all states."""
        rates: list[Scalar] = []
        seen = (q, v)
        for stage in self.stages:
            now = (q, v) if stage.actuator else seen
            u, own = _through(stage, t, *now, z, u, held, ask)
            seen = _seen(stage, seen, z)
            rates += own
        return list(u), rates

    def sample(
        self,
        t: Scalar,
        q: Scalars,
        v: Scalars,
        z: Scalars,
        u: Scalars,
        held: Held,
        due: Sequence[Scalar],
        ask: Ask = plainly,
    ) -> tuple[list[Scalar], list[Scalars | None]]:
        """z and what is held after those sampled blocks have looked at the state that are due."""
        z, held, seen = list(z), list(held), (q, v)
        for stage in self.stages:
            k, now = stage.sampled, (q, v) if stage.actuator else seen
            if k is not None and due[k] is not False:
                own, before = z[stage.z], held[k]
                passes = stage.actuator or stage.block.is_sensor
                new = u if passes else ask(stage, "force", t, *now, own, u)
                if stage.count and not stage.actuator and not stage.block.needs_motion:
                    pairs = zip(_updated(stage, t, *now, own, u, ask), own, strict=True)
                    z[stage.z] = [where(due[k], x, old) for x, old in pairs]
                held[k] = (
                    new
                    if before is None
                    else [where(due[k], x, old) for x, old in zip(new, before, strict=True)]
                )
            u, _ = _through(stage, t, *now, z, u, held, ask)
            seen = _seen(stage, seen, z)
        return z, held

    def all_signals(
        self,
        t: Scalar,
        q: Scalars,
        v: Scalars,
        z: Scalars,
        u: Scalars,
        held: Held = (),
        ask: Ask = plainly,
    ) -> dict[str, list[Scalar]]:
        """Signals by name, summed over the blocks that give them."""
        found: dict[str, list[Scalar]] = {}
        seen = (q, v)
        for stage in self.stages:
            kept, now = _kept(stage, held), (q, v) if stage.actuator else seen
            command = kept if kept is not None and stage.actuator else u
            signals = ask(stage, "signals", t, *now, z[stage.z], command)
            for name, values in signals.items():
                known = found.get(name, [0.0] * len(values))
                found[name] = [x + y for x, y in zip(known, values, strict=True)]
            u, _ = _through(stage, t, *now, z, u, held, ask)
            seen = _seen(stage, seen, z)
        return found


class RunChain(Chain):
    """All controllers, then all actuators of a run, each sampled by its own period.

    period: of controllers without one.  A controller may be a function f(t, q, v) -> tau."""

    def __init__(self, controllers: object, actuators: object, period: float | None):
        self._take(
            [(_block(x), period, False) for x in several(controllers)]
            + [(_block(x), None, True) for x in several(actuators)]
        )


def _kept(stage: Stage, held: Held) -> Scalars | None:
    return held[stage.sampled] if stage.sampled is not None and held else None


def _through(
    stage: Stage, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars, held: Held, ask: Ask
) -> tuple[Scalars, list[Scalar]]:
    """The force of a stage, and the rates of its states."""
    kept = _kept(stage, held)
    if stage.block.is_sensor:
        return u, [0.0] * stage.count
    if kept is not None and not stage.actuator:
        return kept, [0.0] * stage.count
    u, own = u if kept is None else kept, z[stage.z]
    force = ask(stage, "force", t, q, v, own, u)
    return force, list(ask(stage, "rate", t, q, v, own, u)) if stage.count else []


def _updated(
    stage: Stage, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars, ask: Ask
) -> list[Scalar]:
    """States of a sampled block after its sample: a sensor's readings, else an Euler step."""
    if stage.block.is_sensor:
        return list(ask(stage, "update", t, q, v, z, u))
    rates = ask(stage, "rate", t, q, v, z, u)
    return [x + float(stage.period or 0.0) * rate for x, rate in zip(z, rates, strict=True)]


def _seen(stage: Stage, seen: tuple[Scalars, Scalars], z: Scalars) -> tuple[Scalars, Scalars]:
    """The state as controllers behind this stage see it."""
    block = stage.block
    return block.measured(*seen, z[stage.z]) if isinstance(block, Sensor) else seen


def _block(given: object) -> Block:
    if isinstance(given, Block):
        return given
    if callable(given) and not hasattr(given, "force"):
        return Function(given, what=f"controller {name_of(given)}")
    raise InputError(
        f"controller: expected an am.Block, or a function f(t, q, v); found {type(given).__name__}."
    )
