"""Blocks stand between the clock and the joints: controllers, actuators and sensors with states.

A block maps a command to joint forces and may own states z that are integrated with the mechanism:

    force(t, q, v, z, u) -> nv scalars        rate(t, q, v, z, u) -> dz/dt

q, v, z, u are lists of scalars: floats, columns (B,) of a batch, duals or nodes of a graph; so the
same lines run in Python and, traced, in the native loop.  A controller adds its force to the
command u (feed-forward, usually zero).  An actuator turns the command into a force; a joint that it
does not drive passes its command on unchanged.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar, where
from armillary.sim.motion.schedules import Schedule

Scalars = Sequence[Scalar]
Made = tuple[tuple[object, ...], Mapping[str, object]]  # arguments by place and by name


def _remembering(make: Callable[..., None]) -> Callable[..., None]:
    """A constructor that keeps what it was called with."""

    @functools.wraps(make)
    def made(self: Block, *args: object, **named: object) -> None:
        vars(self).setdefault("made_with", (args, named))  # the outermost call is the user's
        make(self, *args, **named)

    return made


class Block:
    """A controller, an actuator or a sensor.

    states: names of its own states.  period: None for a continuous block.  Else the time (s)
    between two samples: a controller's force is held between them, and so is the *command* u of an
    actuator (a converter holds its voltage; current and back EMF go on in continuous time).
    entries: those of v that an actuator drives; without them it is asked which commands it changes.
    array_level: it calls the mechanism or numpy, so it takes floats and columns only; then
    `scalar_force` and `scalar_rate`, where it has them, are what the native loop traces."""

    states: tuple[str, ...] = ()
    state_units: tuple[str, ...] = ()  # one per state, or none
    period: float | None = None
    entries: Sequence[int] | None = None
    schedules: Sequence[Schedule] = ()  # given over time: steps end at their jumps
    built_for: tuple[str, ...] = ()  # name and degrees of freedom of the mechanism, see `made_for`
    array_level: bool = False
    what: str = ""  # how messages name it; by default its class
    is_sensor: bool = False  # see sensors.py
    needs_motion: bool = False  # a sensor that reads accelerations or forces
    starts_steady: bool = False  # its states begin as `steady` says
    signal_units: Mapping[str, str] = MappingProxyType({})  # of its signals, by name
    argument_units: Mapping[str, str] = MappingProxyType({})  # of numbers it is made with
    alarms: Sequence[Any] = ()  # of sim/loop/alarms.py: what it watches in its runs

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _remembering(cls.__init__)  # type: ignore[method-assign]

    @functools.cached_property
    def made_with(self) -> Made:
        """Arguments of its constructor, from which a file of the experiment makes it again."""
        return (), {}

    def __repr__(self) -> str:
        of = f" of {_shown(self.built_for)}" if self.built_for else ""
        states = f", {len(self.states)} states of its own" if self.states else ""
        held = f", sampled every {self.period:g} s" if self.period else ""
        return f"<{type(self).__name__}{of}{states}{held}>"

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Those it is made of: itself, unless it is a chain."""
        return (self,)

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        """States at the first instant; q, v: where the mechanism starts, if known."""
        return [0.0] * len(self.states)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """Joint forces (nv), N m or N."""
        raise NotImplementedError

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """Derivatives of the block's own states."""
        return []

    def steady(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """States that this command would keep as they are, at this q and v."""
        return list(z)

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        """What may be recorded beside the force: name -> nv scalars."""
        return {}

    def undone(self, t: float, z: Array) -> str:
        """What it was for and has not done where a run ends with its states z (nz): then that run
        is not complete.  Empty: nothing."""
        return ""


class StartNumbers:
    """Numbers (n) or (B, n) with which states of a block begin.  Code does not depend on them: any
    two are equal where blocks are compared."""

    def __init__(self, values: Array):
        self.values = values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StartNumbers)

    def __hash__(self) -> int:
        return hash(StartNumbers)


# -- small tools over scalars --------------------------------------------------------------------


def clip(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x kept in [low, high]; not-a-number stays so."""
    return where(x < low, low, where(x > high, high, x))


# -- the mechanism it was built for --------------------------------------------------------------


def made_for(mechanism: Mechanism) -> tuple[str, ...]:
    """What tells mechanisms apart for a block: the name, and the labels of v."""
    return (mechanism.name, *mechanism.v_labels)


def check_block(block: Block, mechanism: Mechanism) -> None:
    """Refuse a block that was built for a mechanism with other degrees of freedom."""
    here = made_for(mechanism)
    for own in block.blocks:
        if own.built_for and own.built_for[1:] != here[1:]:
            raise InputError(
                f"{type(own).__name__}: it was built for {_shown(own.built_for)}, the run is of "
                f"{_shown(here)}. Build it with the mechanism that is simulated."
            )


def _shown(made: tuple[str, ...]) -> str:
    name, *labels = made
    shown = ", ".join([*labels[:4], *(["..."] if len(labels) > 4 else [])])
    return f"'{name}' with {len(labels)} degrees of freedom ({shown})"
