"""A force element as the algorithms know it: its ends on kernel bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

from armillary.errors import CompileError, Message, ModelError
from armillary.model.elements.element import ElementLaw, Ends
from armillary.scalar import Scalar
from armillary.spatial import Matrix, Transform, Vector


@dataclass(frozen=True)
class KernelElement:
    """An element for the algorithms: ends at `positions` in the frames of bodies of the model,
    which stand at `carriers` (X_BK) on kernel bodies (-1: the world); or coordinates of joints,
    (kernel body, number within its joint), and where those of locked joints (-1) are held."""

    name: str
    bodies: tuple[int, ...]
    carriers: tuple[Transform, ...]
    rotations: tuple[Matrix, ...]  # of the frames of the ends in those bodies
    positions: tuple[Vector, ...]
    law: ElementLaw
    coordinates: tuple[tuple[int, int], ...] = ()
    held: tuple[Scalar, ...] = ()

    @property
    def reach(self) -> tuple[int, ...]:
        """Kernel bodies of all its ends, frames first."""
        return (*self.bodies, *(body for body, _ in self.coordinates))

    @cached_property
    def places(self) -> tuple[Transform, ...]:
        """X_FK of every end."""
        parts = zip(self.carriers, self.rotations, self.positions, strict=True)
        return tuple(Transform(R.T, p) @ X_BK for X_BK, R, p in parts)

    def act(self, ends: Ends) -> None:
        """Its law pushes at the ends."""
        with self._naming():
            self.law.act(ends)

    def potential(self, ends: Ends) -> Scalar:
        """The energy it stores, J."""
        with self._naming():
            return self.law.potential(ends)

    def rates(self, ends: Ends) -> Sequence[Scalar]:
        """dz/dt of its own states."""
        with self._naming():
            return self.law.rates(ends)

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """What a function of the user cannot do is said of the element that has it."""
        try:
            yield
        except (CompileError, ModelError) as fault:
            before = f"{self.law.noun} '{self.name}': "
            raise type(fault)(Message(fault.message, before=before)) from fault

    def parameters(self) -> tuple[Scalar, ...]:
        """All numbers, in the order `with_parameters` takes them back."""
        places = [
            *(x for X_BK in self.carriers for x in X_BK.leaves()),
            *(x for R in self.rotations for x in R.leaves()),
            *(x for p in self.positions for x in p.leaves()),
            *self.held,
        ]
        return (*places, *self.law.parameters())

    def with_parameters(self, values: Sequence[Scalar]) -> KernelElement:
        """The same kind of element with other numbers (symbols, say)."""
        rest = list(values)

        def take(n: int) -> list[Scalar]:
            head, rest[:] = rest[:n], rest[n:]
            return head

        ends = range(len(self.bodies))
        return replace(
            self,
            carriers=tuple(Transform.from_leaves(take(12)) for _ in ends),
            rotations=tuple(Matrix.from_leaves(take(9)) for _ in ends),
            positions=tuple(Vector(*take(3)) for _ in ends),
            held=tuple(take(len(self.held))),
            law=self.law.with_parameters(rest),
        )

    def turned(self, number: Callable[[Scalar], Scalar]) -> KernelElement:
        """The same with every number turned into another scalar."""
        return self.with_parameters([number(x) for x in self.parameters()])

    @property
    def count(self) -> int:
        """How many numbers `given` takes: as `ForceElement.parameter_names`."""
        return len(self.law.named_values()) + 3 * len(self.bodies)

    def given(self, values: Sequence[Scalar]) -> KernelElement:
        """The same with other numbers of its law, and its ends elsewhere in their bodies."""
        own = len(self.law.named_values())
        rest = iter(values[own:])
        places = tuple(Vector(next(rest), next(rest), next(rest)) for _ in self.bodies)
        return replace(self, law=self.law.with_named(values[:own]), positions=places)


def given_elements(
    elements: Sequence[KernelElement], numbers: Sequence[Scalar]
) -> tuple[KernelElement, ...]:
    """Elements with other numbers, one after the other."""
    found, start = [], 0
    for element in elements:
        found.append(element.given(numbers[start : start + element.count]))
        start += element.count
    return tuple(found)
