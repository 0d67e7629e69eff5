"""Frozen data whose numbers can be exchanged for other scalars: models of tyres and of roads.

Fields of type `float` are the numbers, and so are those of fields that are such data themselves;
everything else is structure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from armillary.errors import ModelError, unknown_name
from armillary.model.arguments import fits
from armillary.scalar import Scalar


def quantity(default: float, unit: str, text: str) -> Any:
    """A field that is a number, with its unit and meaning."""
    return field(default=default, metadata={"unit": unit, "text": text})


@dataclass(frozen=True)
class Numbered:
    """Numbers are fields of type float, best made by `quantity`."""

    def _own(self) -> Iterator[tuple[str, object, bool]]:
        """(field, value, is it a number?)."""
        for f in fields(self):
            if not f.compare:
                continue
            value = getattr(self, f.name)
            number = str(f.type).startswith("float") and not isinstance(value, Numbered)
            yield f.name, value, number

    def unit_of(self, name: str) -> str:
        return str(next(f.metadata.get("unit", "") for f in fields(self) if f.name == name))

    def number_names(self) -> tuple[str, ...]:
        """One name per number; parts of parts by part.number."""
        found: list[str] = []
        for name, value, number in self._own():
            if isinstance(value, Numbered):
                found += [f"{name}.{inner}" for inner in value.number_names()]
            elif number:
                found.append(name)
        return tuple(found)

    def number_values(self) -> tuple[Scalar, ...]:
        found: list[Scalar] = []
        for _, value, number in self._own():
            if isinstance(value, Numbered):
                found += value.number_values()
            elif number:
                found.append(value)
        return tuple(found)

    def with_numbers(self, values: Iterator[Scalar]) -> Self:
        """The same with other numbers, in the order of `number_values`."""
        changed: dict[str, Scalar] = {}
        for name, value, number in self._own():
            if isinstance(value, Numbered):
                changed[name] = value.with_numbers(values)
            elif number:
                changed[name] = next(values)
        return replace(self, **changed)

    def structure(self) -> tuple[object, ...]:
        """What two of them share whose code is the same."""
        rest = tuple(
            value.structure() if isinstance(value, Numbered) else value
            for _, value, number in self._own()
            if not number
        )
        return (type(self), *rest)

    def changed(self, part: str, name: str, value: object) -> Self:
        """The same with one number by its name; part: how a message names it."""
        known = self.number_names()
        if name not in known:
            raise unknown_name(f"number of {part}", name, known)
        values = list(self.number_values())
        values[known.index(name)] = value
        return self.with_numbers(iter(values)).checked(part)

    def checked(self, part: str) -> Self:
        """The same with floats; a ModelError where a number is none, or makes no sense."""
        found = []
        for name, x in zip(self.number_names(), self.number_values(), strict=True):
            if not fits(x, float):
                raise ModelError(f"{part}, {name}: expected a finite number, found {x!r:.60}.")
            found.append(float(x))
        made = self.with_numbers(iter(found))
        made.check(part)
        return made

    def check(self, part: str) -> None:
        """Raise a ModelError where the numbers make no sense."""
        for _, value, _ in self._own():
            if isinstance(value, Numbered):
                value.check(part)

    def refuse_negative(self, part: str, *names: str) -> None:
        for name in names:
            x = getattr(self, name)
            if x < 0.0:
                unit = self.unit_of(name).removesuffix("1")
                raise ModelError(
                    f"{part}: its {name} is negative: {x:g} {unit}".rstrip() + ". Expected zero "
                    "or more."
                )

    def refuse_not_positive(self, part: str, *names: str) -> None:
        for name in names:
            x = getattr(self, name)
            if not x > 0.0:
                unit = self.unit_of(name).removesuffix("1")
                raise ModelError(
                    f"{part}: its {name} is {x:g} {unit}".rstrip() + "; expected more than 0."
                )
