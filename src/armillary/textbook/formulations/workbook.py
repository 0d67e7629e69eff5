"""What a formulation computes on its way, written down as it goes.

    J = s.note("J", np.hstack([X @ J, phi]), "Jacobian of the link (5.38)", "1, m", k)

gives back the value: the line stays the equation.  Nobody writes anything down unless asked
(`Mechanism.explain`), so there is one derivation, shown or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import get_type_hints

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.textbook.linear import solve

MOTION, FORCE, INERTIA, PLAIN = "motion", "force", "inertia", "plain"
JOINTS = "joint axes"
WORLD = "world"
BODIES = "body frames, stacked"
ROWS = "rows of the constraints"


@dataclass(frozen=True)
class Note:
    """One quantity on the way: symbol, numbers, what it is (with its equation), unit, frame."""

    symbol: str
    value: Array
    about: str
    unit: str
    frame: str


class Workbook:
    """The notes of one derivation; places (6, 6) per body: from its frame to the one shown."""

    def __init__(self, names: Sequence[str], places: Sequence[Array]):
        self.names, self.places = names, places
        self.notes: list[Note] = []
        self.carried = False  # has a quantity of a single body been shown?

    def add(
        self,
        symbol: str,
        value: Array,
        about: str,
        unit: str,
        of: int | None,
        kind: str,
        frame: str,
    ) -> None:
        shown = np.array(value, float)
        if of is not None:
            symbol = f"{symbol}_{of + 1}"
            if kind != PLAIN:
                shown, self.carried = _CARRY[kind](self.places[of], shown), True
        self.notes.append(Note(symbol, shown, about, unit, frame or self.names[of or 0]))


_CARRY: dict[str, Callable[[Array, Array], Array]] = {
    MOTION: lambda Y, x: Y @ x,
    FORCE: lambda Y, f: solve(Y.T, f),
    INERTIA: lambda Y, I: solve(Y.T, solve(Y.T, I).T).T,
}


class Noting:
    """A state whose formulations write down what they find, if somebody asked for it."""

    workbook: Workbook | None = None

    def note(
        self,
        symbol: str,
        value: Array,
        about: str,
        unit: str = "",
        of: int | None = None,
        kind: str = PLAIN,
        frame: str = "",
    ) -> Array:
        """The value itself; of: number of the body it belongs to, whose frame it is in."""
        if self.workbook is not None:
            place = frame or ("" if of is not None else JOINTS)
            self.workbook.add(symbol, value, about, unit, of, kind, place)
        return value

    def note_fields(self, table: object, frame: str, rows: str = "") -> None:
        """All quantities of a result that prints as a table; rows: the field's rows are those of
        single bodies."""
        hints = get_type_hints(type(table), include_extras=True)
        for name in (field.name for field in fields(table)):  # type: ignore[arg-type]
            about, value = getattr(hints[name], "__metadata__", ()), getattr(table, name)
            if about and isinstance(value, np.ndarray) and value.size:
                text, unit = (*about, "")[:2]
                self.note(name, value, f"{text}{rows}", unit, frame=frame)
