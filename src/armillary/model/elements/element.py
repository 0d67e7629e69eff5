"""Force elements as data, and what their laws are written against.

An element joins *ends*: frames on different bodies or on the world, or coordinates of joints.  Its
law is a function over scalars.  It sees where the ends are and how they move, from the body that
carries them all, and pushes at them; actio = reactio is the law's business, and tested.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self, TypeAlias

from armillary.errors import InputError
from armillary.model.parts import Frame
from armillary.scalar import Scalar
from armillary.spatial import Force, Motion, Transform, Vector

READINGS = ("force", "position", "rate")  # along the one coordinate of an element, if it has one
# what a tyre says of itself, in its axes at the point of contact: name and unit
OUTPUTS = (
    ("slip_ratio", "1"), ("slip_angle", "rad"), ("camber", "rad"), ("deflection", "m"),
    ("Fx", "N"), ("Fy", "N"), ("Fz", "N"), ("Mx", "N m"), ("My", "N m"), ("Mz", "N m"),
    ("loaded_radius", "m"), ("mu", "1"), ("x", "m"), ("y", "m"), ("z", "m"),
)  # fmt: skip


class End(Protocol):
    """One end of an element at a state.  The *observer* is the nearest body that carries all ends
    of the element; velocities are those relative to it."""

    @property
    def position(self) -> Vector:
        """Origin of the end, from the observer's origin along the observer's axes, m."""

    @property
    def velocity(self) -> Vector:
        """Velocity of that point along the observer's axes, m/s."""

    @property
    def X(self) -> Transform:
        """From the observer's frame to the end's."""

    @property
    def motion(self) -> Motion:
        """(ω; v) of the end, in its own frame."""

    def push(self, f: Vector) -> None:
        """A force on the end, at its origin, along the observer's axes, N."""

    def twist(self, f: Force) -> None:
        """A wrench (n; f) on the end, in its own frame at its origin."""


class CoordinateEnd(Protocol):
    """One coordinate of a joint at a state, for elements between coordinates."""

    @property
    def place(self) -> Scalar:
        """rad or m."""

    @property
    def rate(self) -> Scalar:
        """rad/s or m/s."""

    def drive(self, force: Scalar) -> None:
        """A force along the coordinate, N m or N."""


# what a law is handed: `End`, or `CoordinateEnd` of an element between coordinates
Ends: TypeAlias = Sequence[Any]


@dataclass(frozen=True)
class ElementLaw:
    """What an element does, as numbers and a formula.

    numbers: fields that hold numbers (or nested tuples of them), which may be other scalars; all
    other fields are its structure."""

    kind: ClassVar[str] = ""
    numbers: ClassVar[tuple[str, ...]] = ()
    named: ClassVar[tuple[str, ...]] = ()  # those that differ from state to state of a batch
    units: ClassVar[tuple[str, str, str]] = ("", "", "")  # of the readings; empty: none
    inputs: ClassVar[tuple[str, ...]] = ()  # numbers that a run may add to over time

    @property
    def noun(self) -> str:
        """What people call it: its kind, or a special case of that."""
        return self.kind

    def value_names(self) -> tuple[str, ...]:
        """One name per number of `named`."""
        found: list[str] = []
        for name in self.named:
            value = getattr(self, name)
            count = len(list(flat(value)))
            found += [f"{name}.{k}" for k in range(count)] if isinstance(value, tuple) else [name]
        return tuple(found)

    def named_values(self) -> tuple[Scalar, ...]:
        """The numbers of `named`, in the order of `value_names`."""
        return tuple(x for name in self.named for x in flat(getattr(self, name)))

    def with_named(self, values: Sequence[Scalar]) -> Self:
        rest = iter(values)
        changed: dict[str, Scalar] = {n: filled(getattr(self, n), rest) for n in self.named}
        return replace(self, **changed)

    def act(self, ends: Ends) -> None:
        """Push at the ends: `End`, or `CoordinateEnd` of an element between coordinates."""
        raise NotImplementedError

    def potential(self, ends: Ends) -> Scalar:
        """The energy it stores, J; forces that store none have none."""
        return 0

    def readings(self, ends: Ends) -> tuple[Scalar, Scalar, Scalar]:
        """Force, position and rate along its one coordinate (`units`); zeros if it has none."""
        return (0, 0, 0)

    def outputs(self, ends: Ends) -> Sequence[Scalar]:
        """`OUTPUTS` of a tyre; zeros of all others."""
        return (0,) * len(OUTPUTS)

    def state_names(self) -> tuple[str, ...]:
        """Of its own states z, which stand in the field `state`: what they are where nothing else
        is given, and where a run begins."""
        return ()

    def state_units(self) -> tuple[str, ...]:
        return ("",) * len(self.state_names())

    def rates(self, ends: Ends) -> Sequence[Scalar]:
        """dz/dt of its own states, by their present values and the motion of the ends."""
        return ()

    @property
    def begins_steady(self) -> bool:
        """Does a run begin with dz/dt = 0, and not with `state`?"""
        return False

    @property
    def answers_steady(self) -> bool:
        """Do questions about one state take it where its own states are steady, so that these have
        no part in them?"""
        return False

    def changed(self, state: Sequence[Scalar], added: Sequence[Scalar]) -> Self:
        """The same at other states, and with something added to its inputs (none: as it is)."""
        rest = iter(added)
        changes: dict[str, Scalar] = {"state": tuple(state)} if state else {}
        for name in self.inputs if added else ():
            changes[name] = _sum(getattr(self, name), rest)
        return replace(self, **changes)

    def input_count(self) -> int:
        """Numbers that `changed` adds."""
        return len([x for name in self.inputs for x in flat(getattr(self, name))])

    def input_labels(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each of them; the only one needs no name."""
        return ()

    @property
    def hides_energy(self) -> bool:
        """Does it store energy that `potential` does not know?"""
        return False

    def check(self, part: str) -> None:
        """Raise a ModelError where the numbers make no sense; part: how to name the element."""

    def key(self) -> tuple[object, ...]:
        """Elements with equal keys differ in their numbers alone."""
        shape = tuple(_shape(getattr(self, name)) for name in self.numbers)
        rest = tuple(x for name, x in vars(self).items() if name not in self.numbers)
        return (type(self), shape, rest)

    def parameters(self) -> tuple[Scalar, ...]:
        """All numbers, in the order `with_parameters` takes them back."""
        return tuple(x for name in self.numbers for x in flat(getattr(self, name)))

    def with_parameters(self, values: Sequence[Scalar]) -> Self:
        rest = iter(values)
        changed: dict[str, Scalar] = {n: filled(getattr(self, n), rest) for n in self.numbers}
        return replace(self, **changed)


@dataclass(frozen=True)
class ForceElement:
    """A law between frames on different bodies, or on the world; or between coordinates of joints,
    each a joint with one coordinate, or joint.coordinate."""

    name: str
    ends: tuple[Frame, ...]
    law: ElementLaw
    coordinates: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How a message names it."""
        return f"{self.law.noun} '{self.name}'"

    @property
    def bodies(self) -> set[str]:
        """Those of its frames."""
        return {end.body for end in self.ends}

    def joints(self, known: Container[str]) -> list[str]:
        """Those of its coordinates, one for each; known: names of joints."""
        return [x if x in known else x.rpartition(".")[0] for x in self.coordinates]

    def parameter_names(self) -> tuple[str, ...]:
        """One name per number that may differ from state to state of a batch."""
        own = [f"{self.name}.{name}" for name in self.law.value_names()]
        places = [f"{self.name}.{end}.{x}" for end in end_names(len(self.ends)) for x in "xyz"]
        return (*own, *places)

    def parameter_values(self) -> tuple[float, ...]:
        own = self.law.named_values()
        return (*own, *(x for end in self.ends for x in end.pose.position))

    def with_parameter_values(self, values: Sequence[float]) -> ForceElement:
        """The same element with other numbers, in the order of `parameter_names`."""
        rest = iter(values)
        own = {name: filled(getattr(self.law, name), rest) for name in self.law.named}
        ends = []
        for end in self.ends:
            place = (next(rest), next(rest), next(rest))
            ends.append(replace(end, pose=replace(end.pose, position=place)))
        return replace(self, law=replace(self.law, **own), ends=tuple(ends))


def element_inputs(part: ForceElement, argument: str) -> dict[str, str]:
    """Units of the numbers that may be added to an element, by name: "jack", or "gust.fx" ...; an
    InputError where it takes none.  argument: where it was named."""
    labels = part.law.input_labels()
    if not part.law.input_count():
        raise InputError(
            f"{argument}: this {part.law.kind} takes none. Springs and cables with side='both' "
            f"take a force, fixed wrenches a moment and a force, tyres the height of the road and "
            f"its rate."
        )
    return {f"{part.name}.{name}" if name else part.name: unit for name, unit in labels}


def end_names(count: int) -> tuple[str, ...]:
    """How the ends of an element are called."""
    return ("first", "second") if count == 2 else tuple(f"point{k + 1}" for k in range(count))


def nothing(x: Scalar) -> bool:
    """Is it the number zero, and no symbol that may be zero?"""
    return isinstance(x, (int, float)) and x == 0


def flat(value: Scalar) -> Iterator[Scalar]:
    """The numbers of nested tuples."""
    if isinstance(value, tuple):
        for x in value:
            yield from flat(x)
    else:
        yield value


def filled(template: Scalar, values: Iterator[Scalar]) -> Scalar:
    """The same nesting with other numbers."""
    if isinstance(template, tuple):
        return tuple(filled(x, values) for x in template)
    return next(values)


def _sum(value: Scalar, more: Iterator[Scalar]) -> Scalar:
    """Numbers in their nesting, each with one more added."""
    return tuple(_sum(x, more) for x in value) if isinstance(value, tuple) else value + next(more)


def _shape(value: Scalar) -> object:
    return tuple(_shape(x) for x in value) if isinstance(value, tuple) else 0
