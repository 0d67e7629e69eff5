"""Motion that constraints take away at once: a mechanism that locks, told in the events of the run.

Where rows of the constraints depend on each other, rounding may make them independent a step later:
the motion is then no longer allowed and the projection takes its velocity away.
"""

from __future__ import annotations

from collections.abc import Callable, Container

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism

SHARE = 0.1  # of the largest velocity, in one step
SLOW = 1e-6  # rad/s or m/s: below it nothing is lost that matters


class Locking:
    """Notes the first step of a run in which velocity is lost."""

    def __init__(self, note: Callable[[float, str], None]):
        self._note = note
        self._reported: set[int] = set()  # rows of a batch, 0 of a single run
        self._start: Array | None = None
        self.locked = ""  # since when rows that followed from others forbid the motion

    def begin(self, q: Array) -> None:
        """Where the run starts."""
        self._start = np.array(q, ndmin=2) if self._start is None else self._start

    def __call__(
        self,
        of_row: Callable[[int | None], Mechanism],
        t: float,
        q: Array,
        free: Array,
        kept: Array,
        over: Container[int] = (),
    ) -> None:
        """The state after a step to t: q, and v before and after the projection.  of_row: the
        mechanism of a run of a batch, or of the only one.  over: runs that do not move."""
        several = q.ndim == 2
        free, kept, q = np.atleast_2d(free), np.atleast_2d(kept), np.atleast_2d(q)
        size = np.abs(free).max(axis=1, initial=0.0)
        lost = np.abs(kept - free).max(axis=1, initial=0.0) > SHARE * size + SLOW
        if not lost.any() or self._start is None:
            return
        for row in {int(k) for k in np.flatnonzero(lost) if k not in over} - self._reported:
            mechanism = of_row(row if several else None)
            ranks = [_rank(mechanism, place[row]) for place in (self._start, q)]
            run = f"run {row}: " if len(q) > 1 else ""
            text = run + _text(mechanism, free[row], kept[row], ranks)
            self._note(t, text)
            self._reported.add(row)
            if ranks[1] > ranks[0] and not self.locked:
                self.locked = f"locked since t = {t:.6g} s: {text}"


def _rank(mechanism: Mechanism, q: Array) -> int:
    return int(np.linalg.matrix_rank(mechanism.constraint_jacobian(q), tol=1e-10))


def _text(mechanism: Mechanism, free: Array, kept: Array, ranks: list[int]) -> str:
    k = int(np.argmax(np.abs(kept - free)))
    label, unit = mechanism.v_labels[k], f"{mechanism.v_units[k]}/s"
    rows = f"{ranks[0]} independent rows at the start, {ranks[1]} now"
    stays = "locks" if np.abs(kept).max() < SHARE * np.abs(free).max() else "is braked"
    return (
        f"the constraints took velocity away in one step ({rows}), the mechanism {stays}: "
        f"'{label}' from {free[k]:.3g} to {kept[k]:.3g} {unit}. If it should move on, lock or "
        f"couple the joints that make the rows disagree, such as the steering of wheels"
    )
