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
from armillary.model.arguments import name_arguments
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


Held = Sequence[Scalars | None]  # of every sampled block (nv), None before its first sample


# (stage, method, t, q, v, its own z, u) -> what the block answers
Ask = Callable[..., Any]


def plainly(stage: Stage, what: str, t: Scalar, *lists: Scalars) -> Any:
    """Asks the block itself, with lists of its own."""
    return getattr(stage.block, what)(t, *map(handed, lists))


@dataclass(frozen=True)
class Instant:
    """What the chain is asked with: time, state, states of all blocks, command, what is held."""

    t: Scalar
    q: Scalars
    v: Scalars
    z: Scalars
    u: Scalars
    held: Held = ()
    ask: Ask = plainly


class Chain(Block):
    """Blocks one after the other: the force of one is the command of the next.

    Controllers add up, actuators of different joints stand side by side.  As one block it has one
    period, that of all its blocks."""

    @name_arguments
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
            what = block.what or f"{'actuator' if actuator else 'controller'} {name_of(block)}"
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
        self.starts_steady = any(stage.block.starts_steady for stage in self.stages)
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
        return self.forces(Instant(t, q, v, z, u))[0]

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return self.forces(Instant(t, q, v, z, u))[1]

    def steady(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return self.settled(Instant(t, q, v, z, u))

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        return self.all_signals(Instant(t, q, v, z, u))

    # -- the walk --------------------------------------------------------------------------------

    def forces(self, now: Instant) -> tuple[list[Scalar], list[Scalar]]:
        """Joint forces (nv), and the rates of all states."""
        walk, rates = _Walk(now), []
        for stage in self.stages:
            rates += walk.through(stage)
        return list(walk.u), rates

    def settled(self, now: Instant) -> list[Scalar]:
        """z with the blocks that start in a steady state in it, under what comes to them."""
        walk = _Walk(now)
        for stage in self.stages:
            if stage.block.starts_steady:
                walk.z[stage.z] = walk.ask(stage, "steady")
            walk.through(stage)
        return walk.z

    def sample(
        self, now: Instant, due: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalars | None]]:
        """z and what is held after those sampled blocks have looked at the state that are due."""
        walk = _Walk(now)
        for stage in self.stages:
            if stage.sampled is not None and due[stage.sampled] is not False:
                walk.sample(stage, stage.sampled, due[stage.sampled])
            walk.through(stage)
        return walk.z, walk.held

    def all_signals(self, now: Instant) -> dict[str, list[Scalar]]:
        """Signals by name, summed over the blocks that give them."""
        walk = _Walk(now)
        found: dict[str, list[Scalar]] = {}
        for stage in self.stages:
            for name, values in walk.ask(stage, "signals").items():
                known = found.get(name, [0.0] * len(values))
                found[name] = [x + y for x, y in zip(known, values, strict=True)]
            walk.through(stage)
        return found


class _Walk:
    """Along the chain: the command u that comes to the next stage, and the state it sees."""

    def __init__(self, now: Instant):
        self.now, self.u, self.seen = now, now.u, (now.q, now.v)
        self.z, self.held = list(now.z), list(now.held)

    def kept(self, stage: Stage) -> Scalars | None:
        """What a sampled stage holds."""
        return self.held[stage.sampled] if stage.sampled is not None and self.held else None

    def ask(self, stage: Stage, what: str) -> Any:
        """Asks a block; an actuator sees the true state, and the command that it holds."""
        kept = self.kept(stage) if stage.actuator else None
        q, v = (self.now.q, self.now.v) if stage.actuator else self.seen
        u = self.u if kept is None else kept
        return self.now.ask(stage, what, self.now.t, q, v, self.z[stage.z], u)

    def through(self, stage: Stage) -> list[Scalar]:
        """Pass a stage: its force is the next command.  Gives the rates of its states."""
        rates: list[Scalar] = [0.0] * stage.count
        kept, block = self.kept(stage), stage.block
        if isinstance(block, Sensor):
            self.seen = block.measured(*self.seen, self.z[stage.z])
        elif kept is not None and not stage.actuator:
            self.u = kept
        elif not block.is_sensor:
            force = self.ask(stage, "force")
            rates = list(self.ask(stage, "rate")) if stage.count else []
            self.u = force
        return rates

    def sample(self, stage: Stage, number: int, due: Scalar) -> None:
        """The stage looks at the state: it holds its force, an actuator its command, and its states
        move on, those of a sensor to its readings, others by explicit Euler."""
        passes, before = stage.actuator or stage.block.is_sensor, self.held[number]
        new = self.u if passes else self.ask(stage, "force")
        if stage.count and not stage.actuator and not stage.block.needs_motion:
            old, period = self.z[stage.z], float(stage.period or 0.0)
            if stage.block.is_sensor:
                moved = list(self.ask(stage, "update"))
            else:
                rates = self.ask(stage, "rate")
                moved = [x + period * rate for x, rate in zip(old, rates, strict=True)]
            self.z[stage.z] = _chosen(due, moved, old)
        self.held[number] = new if before is None else _chosen(due, new, before)


def _chosen(due: Scalar, new: Scalars, old: Scalars) -> list[Scalar]:
    return [where(due, x, y) for x, y in zip(new, old, strict=True)]


class RunChain(Chain):
    """All controllers, then all actuators of a run, each sampled by its own period.

    period: of controllers without one.  A controller may be a function f(t, q, v) -> tau."""

    def __init__(self, controllers: object, actuators: object, period: float | None):
        self._take(
            [(_block(x), period, False) for x in several(controllers)]
            + [(_block(x), None, True) for x in several(actuators)]
        )


def _block(given: object) -> Block:
    if isinstance(given, Block):
        return given
    if callable(given) and not hasattr(given, "force"):
        return Function(given, what=f"controller {name_of(given)}")
    raise InputError(
        f"controller: expected an am.Block, or a function f(t, q, v); found {type(given).__name__}."
    )
