"""Controllers that are functions: of time alone, or of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, Keywords
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.block import Block, Scalars
from armillary.sim.motion.coordinates import positive_period
from armillary.sim.motion.schedules import Schedule
from armillary.sim.motion.trajectories import Trajectory
from armillary.sim.motion.user_functions import array_of, columns, numbers

Given = TypeVar("Given")
External = Mapping[str, ArrayLike] | None  # wrenches by frame


class Voltages(Protocol):
    """Commands of motors."""

    @property
    def voltage(self) -> Array: ...


class Motors(Protocol):
    """What tells the voltages for joint forces: a `DCMotor`."""

    def inverse(self, v: ArrayLike, force: ArrayLike) -> Voltages: ...


class FeedForward(Block):
    """u + a force (or voltage) given over time: f(t) -> (nv), or rows of a table by `along`."""

    def __init__(
        self,
        function: Callable[[Scalar], Any],
        period: float | None = None,
    ):
        self.function = _callable(function, "FeedForward", "f(t)")
        self.period = positive_period(period)
        self.schedules = (function,) if isinstance(function, Schedule) else ()

    @classmethod
    def along(
        cls,
        mechanism: Mechanism,
        trajectory: Trajectory,
        motors: Motors | None = None,
        external: External | Callable[[float], External] = None,
        period: float | None = None,
        actuators: Sequence[str] | None = None,
    ) -> FeedForward:
        """Inverse dynamics of the wanted motion; with motors, the voltages for it
        [Swartz1982, 11].  external: wrenches by frame, or a function of time that gives them.
        actuators: joints of a closed mechanism that give the forces."""
        chosen: Keywords = {"actuators": actuators} if mechanism.constraints else {}
        if actuators is not None and not chosen:
            raise InputError(
                f"FeedForward.along: '{mechanism.name}' has no constraints; all its joints are "
                f"driven. Leave `actuators` out."
            )

        def force(t: float) -> Array:
            q, v, a = trajectory(t)
            wrench = external(t) if callable(external) else external
            tau = mechanism.inverse_dynamics(q, v, a, external=wrench, **chosen)
            return tau if motors is None else motors.inverse(v, tau).voltage

        return cls(force, period)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        given = self.function(t)
        if isinstance(t, float):  # else it is traced
            given = numbers("feed-forward", given, t)
        found = len(given) if np.ndim(given) else "a single number"
        if found != len(u):
            raise InputError(f"feed-forward: expected {len(u)} forces, found {found}.")
        return [x + y for x, y in zip(u, given, strict=True)]


class Function(Block):
    """u + f(t, q, v) with arrays q (nq), v (nv), or rows of them for a batch."""

    array_level = True

    def __init__(
        self,
        function: Callable[[float, Array, Array], ArrayLike],
        period: float | None = None,
        what: str = "controller function",
    ):
        self.function = _callable(function, "Function", "f(t, q, v)")
        self.period, self.what = positive_period(period), what

    def given(self, t: float, q: Array, v: Array) -> Array:
        """Its forces, in the shape of v; the function gets copies."""
        found = numbers(self.what, self.function(t, q.copy(), v.copy()), t)
        if found.shape not in (v.shape, v.shape[-1:]):
            raise InputError(
                f"{self.what}: expected {v.shape[-1]} forces (nv), found shape {found.shape} at "
                f"t = {t:g} s."
            )
        return found if found.shape == v.shape else np.broadcast_to(found, v.shape)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        given = columns(self.given(t, array_of(q), array_of(v)))
        return [x + y for x, y in zip(u, given, strict=True)]


def _callable(function: Given, part: str, form: str) -> Given:
    if not callable(function):
        raise InputError(f"{part}: expected a function {form}, found {type(function).__name__}.")
    return function
