"""Who gave a number that is not finite, for the words with which a run ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.evaluate.needs import why_undefined
from armillary.mechanism.mechanism import Mechanism

_NAMED = 10  # runs of a batch, at most


@dataclass(frozen=True)
class Blame:
    """Keeps the first text of every run.  numbers: of the runs that rows of arrays belong to."""

    texts: dict[int | None, str]
    mechanism: Mechanism
    numbers: Callable[[Array], list[int | None]]

    def force(self, what: str, t: float, q: Array, v: Array, found: Array) -> None:
        """`what` gave numbers (..., n) that are not finite from a finite state."""
        sound = np.isfinite(np.concatenate([q, v], axis=-1)).all(axis=-1)
        found = np.atleast_2d(np.broadcast_to(found, (*v.shape[:-1], found.shape[-1])))
        bad, labels = ~np.isfinite(found), self.mechanism.v_labels
        for row in np.flatnonzero(bad.any(axis=-1) & sound):
            k = int(bad[row].argmax())
            named = f" for '{labels[k]}'" if found.shape[-1] == len(labels) else ""
            text = f"{what} gave {found[row, k]:g}{named} at t = {t:.6g} s"
            self.texts.setdefault(self.numbers(v)[row], text)

    def elements(self, t: float, q: Array, v: Array, found: Array) -> None:
        """Force elements that have no force, where accelerations or forces `found` (..., nv) are
        none."""
        evaluator, bad = self.mechanism.evaluator, ~np.isfinite(found).all(axis=-1)
        many = {"q": np.atleast_2d(q), "v": np.atleast_2d(v)}
        for row in np.flatnonzero(bad)[:_NAMED]:
            parts = evaluator.undefined_elements({name: x[row] for name, x in many.items()})
            if parts:
                names = " and ".join(part.title for part in parts[:2])
                why = why_undefined(parts[0])[0]
                text = f"{names}: force undefined at t = {t:.6g} s ({why})"
                self.texts.setdefault(self.numbers(v)[row], text)
