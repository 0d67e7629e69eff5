"""A controller or actuator some of whose numbers differ from run to run of a batch.

The numbers are states of the block that never change: the same compiled code serves every run.
Which attributes a number reaches is found by making the block with other values of it; where it
reaches one otherwise than by itself, or the code cannot be traced, there is no such block.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from armillary.errors import ArmillaryError, InputError, unknown_name
from armillary.evaluate.compile_function import NotNative, function_graph
from armillary.evaluate.inputs import Array, Keywords
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.actuators.dc_motor import DCMotor
from armillary.sim.control.block import Block, Scalars
from armillary.sim.control.sensors import Sensor
from armillary.sim.motion.trajectories import Constant, Trajectory

Steps = tuple[str | int, ...]  # from an object to one of its numbers
_TRIALS = (1.0078125, 0.9140625, 1.1796875)  # times the number: exact in a few bits
_IGNORED = {"made_with", "built_for"}


# -- arguments of a block --------------------------------------------------------------------------


def arguments_of(block: Block) -> Keywords:
    """What its constructor was called with, by name."""
    args, named = block.made_with
    return dict(inspect.signature(type(block)).bind(*args, **named).arguments)


def number_at(block: Block, steps: Sequence[str], path: str) -> float:
    """A number among the arguments: kp, kp.elbow, target.elbow, road.height, motors.elbow.gear."""
    found: Any = arguments_of(block)
    for k, step in enumerate(steps):
        found = _inner(found, step, path)
        if found is None:
            lacks = ".".join(steps[: k + 1])
            raise InputError(f"{path}: '{lacks}' is not given. Give it a number.")
    if isinstance(found, (bool, str)) or np.ndim(found) != 0:
        raise InputError(f"{path}: expected a path to one number, found {type(found).__name__}.")
    return float(found)


def _inner(found: object, step: str, path: str) -> Any:
    if isinstance(found, Block):
        found = arguments_of(found)
    if isinstance(found, Mapping):
        if step not in found:
            raise unknown_name(f"'{path}': key", step, map(str, found))
        return found[step]
    if isinstance(found, (list, tuple, np.ndarray)) and step.isdigit() and int(step) < len(found):
        return found[int(step)]
    if is_dataclass(found) and hasattr(found, step):
        return getattr(found, step)
    known = vars(found) if hasattr(found, "__dict__") else ()
    raise unknown_name(f"'{path}': part", step, map(str, known))


def made_again(block: Block, arguments: Mapping[str, Any]) -> Block:
    """A block of the same kind, of other arguments by name."""
    args, named = block.made_with
    bound = inspect.signature(type(block)).bind(*args, **named)
    bound.arguments.update(arguments)
    return type(block)(*bound.args, **bound.kwargs)


def with_number(block: Block, steps: Sequence[str], value: float) -> Block:
    """The same block, made with another number."""
    return made_again(block, _put(arguments_of(block), steps, value))


def _put(found: object, steps: Sequence[str], value: float) -> Any:
    if not steps:
        return value
    head, *rest = steps
    if isinstance(found, Block):
        return with_number(found, steps, value)
    if isinstance(found, Mapping):
        return {k: _put(x, rest, value) if k == head else x for k, x in found.items()}
    if isinstance(found, (list, tuple, np.ndarray)):
        return [_put(x, rest, value) if str(k) == head else x for k, x in enumerate(found)]
    changed = copy.copy(found)
    object.__setattr__(changed, head, _put(getattr(found, head), rest, value))
    if hasattr(changed, "__post_init__"):
        changed.__post_init__()
    return changed


# -- attributes that a number reaches --------------------------------------------------------------


def _numbers(x: Any, steps: Steps = (), seen: frozenset[int] = frozenset()) -> Iterator[Any]:
    """(steps, number) of all numbers that an object holds."""
    if isinstance(x, (bool, str)) or x is None or id(x) in seen or len(steps) > 8:
        return
    if isinstance(x, (int, float, np.floating)):
        yield steps, float(x)
        return
    seen = seen | {id(x)}
    if isinstance(x, Constant):
        for k, y in enumerate(x.q):
            yield (*steps, "q", k), float(y)
    elif isinstance(x, np.ndarray):
        if x.dtype.kind == "f":
            yield from (((*steps, k), float(y)) for k, y in enumerate(x.ravel()))
    elif isinstance(x, (list, tuple)):
        for k, y in enumerate(x):
            yield from _numbers(y, (*steps, k), seen)
    elif isinstance(x, dict):
        for k, y in x.items():
            yield from _numbers(y, (*steps, k), seen)
    elif hasattr(x, "__dict__") and not isinstance(x, (Mechanism, type)):
        for k, y in vars(x).items():
            if k not in _IGNORED:
                yield from _numbers(y, (*steps, k), seen)


def places_of(block: Block, steps: Sequence[str], path: str) -> list[Steps]:
    """Where the number stands in the block; raises `NotNative` where it is not just there."""
    value = number_at(block, steps, path)
    trials = [value * x if value else x for x in _TRIALS]
    first = dict(_numbers(block))
    found: list[Steps] = []
    others = [dict(_numbers(with_number(block, steps, x))) for x in trials]
    if any(set(other) != set(first) for other in others):
        raise NotNative(f"{path} decides what the block is made of")
    for place, before in first.items():
        after = [other[place] for other in others]
        if after == trials and before == value:
            found.append(place)
        elif any(x != before for x in after):
            raise NotNative(f"{path} reaches '{place}' otherwise than by itself")
    if not found:
        raise NotNative(f"{path} reaches nothing that could vary")
    return found


class _Open(Trajectory):
    """A set-point whose numbers may be scalars of any kind."""

    def __init__(self, given: Constant):
        self.q: list[Scalar] = [float(x) for x in given.q]
        self.nv, self.start, self.end = given.nv, given.start, given.end

    def scalars(self, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        return list(self.q), [0.0] * self.nv, [0.0] * self.nv


def _replaced(x: object, steps: Steps, value: Scalar) -> Any:
    """A copy of x, and of what leads to the number, with another number in it."""
    if not steps:
        return value
    head, *rest = steps
    if isinstance(x, (list, tuple, np.ndarray)):
        return [_replaced(y, tuple(rest), value) if k == head else y for k, y in enumerate(x)]
    if isinstance(x, dict):
        return {k: _replaced(y, tuple(rest), value) if k == head else y for k, y in x.items()}
    changed = _Open(x) if isinstance(x, Constant) else copy.copy(x)
    inner = _replaced(getattr(changed, str(head)), tuple(rest), value)
    object.__setattr__(changed, str(head), inner)
    return changed


class VariedBlock(Block):
    """block: as the experiment has it; places: per varied number, where it stands in it.

    `numbers` (B, n) are set for each batch: code does not depend on them."""

    def __init__(self, block: Block, places: Sequence[Sequence[Steps]], names: Sequence[str]):
        self.block, self.places = block, [list(x) for x in places]
        self.own = len(block.states)
        self.states = (*block.states, *names)
        self.state_units = (*(block.state_units or ("",) * self.own), *("",) * len(names))
        self.period, self.entries, self.schedules = block.period, block.entries, block.schedules
        self.built_for, self.signal_units = block.built_for, block.signal_units
        self.starts_steady = block.starts_steady
        self.motors = block if isinstance(block, DCMotor) else getattr(block, "motors", None)

    @cached_property
    def numbers(self) -> Array:
        """(B, n), or (n,); not part of what the code is made for."""
        return np.zeros(len(self.places))

    def of(self, numbers: Array) -> VariedBlock:
        """The same with these numbers."""
        found = copy.copy(self)
        vars(found)["numbers"] = numbers
        return found

    def _made(self, z: Scalars) -> tuple[Block, list[Scalar]]:
        """The block with the numbers among its states, and its own states."""
        block = self.block
        for places, x in zip(self.places, z[self.own :], strict=True):
            for place in places:
                block = _replaced(block, place, x)
        return block, list(z[: self.own])

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        numbers = list(np.moveaxis(np.asarray(self.numbers, float), -1, 0))
        block, _ = self._made([*[0.0] * self.own, *numbers])
        return [*block.start(mechanism, q, v), *numbers]

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        block, own = self._made(z)
        return block.force(t, q, v, own, u)

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        block, own = self._made(z)
        rates = block.rate(t, q, v, own, u) if self.own else ()
        return [*rates, *(0.0 * x for x in z[self.own :])]

    def steady(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        block, own = self._made(z)
        return [*block.steady(t, q, v, own, u), *z[self.own :]]

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        block, own = self._made(z)
        return block.signals(t, q, v, own, u)


def varied_block(
    mechanism: Mechanism, block: Block, paths: Mapping[str, Sequence[str]]
) -> VariedBlock:
    """paths: {path: steps to a number among the arguments}.  Raises `NotNative` where the numbers
    cannot differ within a batch."""
    if isinstance(block, Sensor) or block.array_level or block.is_sensor:
        raise NotNative("a block that calls the mechanism")
    places = [places_of(block, steps, path) for path, steps in paths.items()]
    found = VariedBlock(block, places, [f"number {path}" for path in paths])
    nz = len(found.states)

    def function(
        q: Scalars, v: Scalars, z: Scalars, u: Scalars, t: Scalars
    ) -> tuple[list[Scalar], list[Scalar]]:
        return found.force(t[0], q, v, z, u), found.rate(t[0], q, v, z, u)

    sizes = {"q": mechanism.nq, "v": mechanism.nv, "z": nz, "u": mechanism.nv, "t": 1}
    try:
        function_graph(function, sizes, {"tau": mechanism.nv, "rates": nz})
    except (ArmillaryError, TypeError, ValueError) as reason:
        raise NotNative(f"its code asks the number: {reason}") from None
    _compare(mechanism, found, paths)
    return found


def _compare(mechanism: Mechanism, found: VariedBlock, paths: Mapping[str, Sequence[str]]) -> None:
    """With other numbers it does what a block does that was made with them."""
    rng = np.random.default_rng(0)
    values = [number_at(found.block, steps, path) for path, steps in paths.items()]
    for factor in _TRIALS:
        now = [x * factor if x else factor for x in values]
        block = found.block
        for x, steps in zip(now, paths.values(), strict=True):
            block = with_number(block, steps, x)
        q = mechanism.integrate(mechanism.initial, rng.normal(size=mechanism.nv)).tolist()
        v, u = rng.normal(size=(2, mechanism.nv)).tolist()
        z, t = rng.normal(size=found.own).tolist(), float(rng.random())
        right = np.array([*block.force(t, q, v, z, u), *block.rate(t, q, v, z, u)], float)
        own = [*found.force(t, q, v, [*z, *now], u), *found.rate(t, q, v, [*z, *now], u)]
        if not np.allclose(right, np.array(own[: len(right)], float), rtol=1e-12, atol=1e-12):
            raise NotNative("numbers reach the block in another way, too")
