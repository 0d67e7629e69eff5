"""`Mechanism.explain`: everything a formulation computes on its way, at one state.

The formulation itself writes it down (formulations/workbook.py); here it is asked and laid out.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.registry import QUANTITIES, Formulation, formulation
from armillary.textbook.formulations.tree_state import TreeState
from armillary.textbook.formulations.workbook import ROWS, Note, Workbook
from armillary.textbook.table import without_rounding

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism

# quantity -> the formulation that shows most, the symbol of the answer
DEFAULTS = {
    "mass matrix": ("structural growth", "M"),
    "statics": ("force recursion", "tau"),
    "inverse dynamics": ("Newton-Euler", "tau"),
    "forward dynamics": ("articulated bodies", "a"),
    "constrained dynamics": ("tip forces", "a"),
}
_COLUMNS = 12  # more are a picture, not numbers to read: they go on in the next lines


@dataclass(frozen=True)
class Explanation:
    """A formulation with all numbers on its way, at one state of one mechanism.

    notes: in the order they were found, the state first, the answer last; `explanation["v_2"]` are
    the numbers of one of them.  Bodies count from 1, in the order of `bodies`."""

    mechanism: str
    formulation: Formulation
    bodies: tuple[str, ...]
    labels: tuple[str, ...]
    notes: tuple[Note, ...]
    rows: tuple[str, ...] = ()  # of the constraints

    @property
    def answer(self) -> Array:
        """What the formulation gives."""
        return self.notes[-1].value

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(note.symbol for note in self.notes)

    def __getitem__(self, symbol: str) -> Array:
        for note in reversed(self.notes):
            if note.symbol == symbol:
                return note.value
        raise unknown_name("quantity", symbol, self.symbols)

    @property
    def title(self) -> str:
        return f"{self.formulation.name} of '{self.mechanism}' {self.formulation.source}"

    @property
    def _legend(self) -> tuple[tuple[str, str], ...]:
        bodies = ", ".join(f"{k} {name}" for k, name in enumerate(self.bodies, 1))
        legend = (
            ("idea", self.formulation.idea),
            ("bodies", bodies),
            ("joint axes", ", ".join(self.labels)),
        )
        return (*legend, (ROWS, ", ".join(self.rows))) if self.rows else legend

    def __str__(self) -> str:
        lines = [self.title, "-" * len(self.title)]
        lines += [f"{name}: {text}" for name, text in self._legend]
        for note in self.notes:
            lines += ["", _heading(note), *(f"    {row}" for row in _rows(note.value))]
        return "\n".join(lines)

    __repr__ = __str__

    def to_markdown(self) -> str:
        """A page: one heading per quantity, numbers in blocks."""
        parts = [f"# {self.title}", *(f"**{name}**: {text}" for name, text in self._legend)]
        for note in self.notes:
            block = "\n".join(_rows(note.value))
            parts += [f"**{note.symbol}**{_meaning(note)}", f"```text\n{block}\n```"]
        return "\n\n".join(parts) + "\n"

    def to_html(self) -> str:
        """A table: symbol, meaning, unit, frame, numbers; for a page or a notebook."""
        legend = "<br>".join(f"<b>{escape(n)}</b>: {escape(text)}" for n, text in self._legend)
        rows = "\n".join(
            "<tr>"
            + "".join(
                f'<td style="text-align:left;vertical-align:top">{escape(cell)}</td>'
                for cell in (note.symbol, note.about, note.unit, note.frame)
            )
            + f"<td><pre>{escape(chr(10).join(_rows(note.value)))}</pre></td></tr>"
            for note in self.notes
        )
        heads = "".join(f"<th>{x}</th>" for x in ("symbol", "what", "unit", "frame", "numbers"))
        return (
            f"<h3>{escape(self.title)}</h3>\n<p>{legend}</p>\n"
            f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n"
        )

    def _repr_html_(self) -> str:
        return self.to_html()


def _meaning(note: Note) -> str:
    unit = f" [{note.unit}]" if note.unit else ""
    return f"{unit}: {note.about}; {note.frame}"


def _heading(note: Note) -> str:
    return f"{note.symbol}{_meaning(note)}"


def _rows(value: Array) -> list[str]:
    """Numbers in columns; long rows go on below."""
    lines = []
    for row in np.atleast_2d(without_rounding(value)):
        for start in range(0, max(len(row), 1), _COLUMNS):
            part = " ".join(f"{x + 0.0:>12.7g}" for x in row[start : start + _COLUMNS])
            lines.append(("... " if start else "") + part)
    return lines


def explain(
    mechanism: Mechanism,
    method: str,
    *state: ArrayLike,
    external: External = None,
    passive: bool = True,
    frames_at_joints: bool = False,
) -> Explanation:
    """Every number on the way of a formulation, with its equation, frame and unit.

    method: a formulation (am.methods.FORMULATIONS), or a quantity, for the one that shows most;
    state: what it is asked with, one state: q of a mass matrix and of statics, q, v, a of inverse,
    q, v, tau of forward and constrained dynamics.  frames_at_joints: quantities of single bodies
    at the joint's place on the body before, as [VanDerMerwe1995] has those of slides."""
    row = chosen(mechanism, method)
    names, unit = QUANTITIES[row.quantity]
    if row.name.startswith("compiled"):
        raise InputError(
            f"{row.name} is machine code, which shows nothing on its way. Ask for "
            f"'{chosen(mechanism, row.quantity).name}'."
        )
    s, inputs = row.state(mechanism, *state, external=external, passive=passive)
    bodies = tuple(body.name for body in mechanism.model.bodies)
    moved = frames_at_joints and isinstance(s, TreeState)
    places = s.at_joints() if moved else [np.eye(6) for _ in bodies]
    book = s.workbook = Workbook(
        [f"frame of {name}{_place(Y)}" for name, Y in zip(bodies, places, strict=True)], places
    )
    units = {"q": "rad or m", "v": "rad/s or m/s", "a": "rad/s² or m/s²", "tau": "N m or N"}
    for name, x in zip(names, inputs, strict=True):
        s.note(name, x, "given", units[name])
    answer = row.at(s, *inputs[2:])
    if frames_at_joints and not book.carried:
        raise InputError(
            f"frames_at_joints: {row.name} has no quantities in frames of single bodies. Leave "
            f"it out, or ask for 'Newton-Euler' or 'structural growth'."
        )
    s.note(DEFAULTS[row.quantity][1], answer, f"{row.quantity}: the answer", unit)
    rows = mechanism.constraint_rows if row.quantity == "constrained dynamics" else ()
    labels = tuple(mechanism.v_labels)
    return Explanation(mechanism.name, row, bodies, labels, tuple(book.notes), rows)


def _place(Y: Array) -> str:
    return "" if np.array_equal(Y, np.eye(6)) else ", at its joint"


def chosen(mechanism: Mechanism, method: str) -> Formulation:
    """A formulation by its name or that of its quantity."""
    if not isinstance(method, str) or method not in DEFAULTS:
        return formulation(method)
    first = formulation(DEFAULTS[method][0])
    if method == "mass matrix" and first.refusal(mechanism.model):
        return formulation("composite bodies")  # which knows branches, too
    return first
