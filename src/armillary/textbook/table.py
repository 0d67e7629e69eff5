"""Results that print as a person would write them down: symbol, unit, equation, numbers.

Fields are declared as  H: Annotated[Array, "what it is (equation)", "unit"];  others stay silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self, get_type_hints

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.shown import shown

TURN = "rad/s², m/s²"
WRENCH = "N m, N"
FORCE = "N m or N"
INERTIA = "kg m², kg m, kg"


class Table:
    """Mixin of frozen dataclasses; they show all quantities with their units."""

    def __init_subclass__(cls) -> None:
        shown(cls)  # before `dataclass`, which keeps a repr that is there

    @classmethod
    def of(cls, symbols: Mapping[str, object], **others: object) -> Self:
        """The quantities of a derivation: its local variables, by the names of the fields."""
        found = {**symbols, **others}
        return cls(**{name: found[name] for name in get_type_hints(cls)})

    def __str__(self) -> str:
        title = (type(self).__doc__ or "").split("\n")[0]
        lines = [title, "-" * len(title)]
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            if about := getattr(hint, "__metadata__", ()):
                lines += _entry(name, getattr(self, name), *about)
        return "\n".join(lines)


def _entry(name: str, value: object, text: str, unit: str = "") -> Iterator[str]:
    head = f"{name} [{unit}]: {text}" if unit else f"{name}: {text}"
    if isinstance(value, np.ndarray):
        value = without_rounding(value)
        yield head
        yield from (f"    {_row(row)}" for row in np.atleast_2d(value))
    elif isinstance(value, Mapping):
        yield head
        for key, part in value.items():
            inner = (
                str(part).splitlines()
                if isinstance(part, Table)
                else [_row(without_rounding(part))]
            )
            yield f"  {key}:" + (f" {inner[0]}" if len(inner) == 1 else "")
            yield from (f"    {line}" for line in inner if len(inner) > 1)
    else:
        yield f"{head}: {value}"


def without_rounding(value: Array) -> Array:
    """Zeros where only rounding of the largest number is left."""
    return np.where(np.abs(value) < 1e-13 * np.abs(value).max(initial=0.0), 0.0, value)


def _row(values: Array) -> str:
    return " ".join(f"{x + 0.0:>12.7g}" for x in np.ravel(values))
