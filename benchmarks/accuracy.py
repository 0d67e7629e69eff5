"""How far our numbers are from Pinocchio's and, where rounding parts the two, from the true ones.

The yardstick of such a state is the solution of the same equations in extended precision (80 bits
on most machines), by our step-by-step interpreter.  It knows our mechanism only: numbers that are
further apart than rounding explains are those of two mechanisms, and their difference counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import derivatives, forward_dynamics, inverse_dynamics, mass_matrix
from benchmarks.mechanisms import Array, states
from benchmarks.questions import DERIVATIVES, FORWARD, INVERSE, MASS, Case, Question, answer

EXACT = 1e-12  # relative, float64 against another engine
ROUNDED = 1e-9  # what rounding can do: numbers further apart belong to two mechanisms
# question -> algorithm, its inputs, its results
STEPS: dict[str, tuple[Algorithm, tuple[str, ...], tuple[str, ...]]] = {
    INVERSE.name: (inverse_dynamics.inverse_dynamics, ("q", "v", "a"), ("tau",)),
    FORWARD.name: (forward_dynamics.forward_dynamics, ("q", "v", "tau"), ("a",)),
    MASS.name: (mass_matrix.mass_matrix, ("q",), ("M",)),
    DERIVATIVES.name: (
        derivatives.forward_dynamics_derivatives,
        ("q", "v", "tau"),
        ("dq", "dv", "M"),
    ),
}


@dataclass(frozen=True)
class Accuracy:
    """The largest relative error of the compared states, and a word on it if it is large."""

    error: float
    note: str = ""


def relative_error(ours: Sequence[Any], theirs: Sequence[Any]) -> float:
    """Largest difference over the largest number, the worst of all arrays."""
    return max(
        float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(ours, theirs, strict=True)
    )


def compare(
    case: Case, question: Question, count: int | None = None, dtype: Any = np.float64
) -> Accuracy:
    """Ours, one state or a batch in one call, against Pinocchio's call for each state."""
    mine = answer(question, question.ours, case.ours(count, dtype))
    if count is None:
        mine = [part[None] for part in mine]
    found, notes = 0.0, dict[float, str]()
    for k, state in enumerate(zip(*states(case.arm, count or 1), strict=True)):
        own, theirs = [part[k] for part in mine], peer_answer(case, question, state)
        off = relative_error(own, theirs)
        if EXACT < off < ROUNDED and dtype == np.float64:
            off, peer = true_errors(case, question, state, own, theirs) or (off, 0.0)
            notes[peer] = f"against 80 bits; Pinocchio {peer:.0e}" if peer else ""
        found = max(found, off)
    return Accuracy(found, notes[max(notes)] if notes else "")


def peer_answer(case: Case, question: Question, state: Sequence[Array]) -> list[Array]:
    """Pinocchio's results for our state, in our order."""
    q, v, x = state
    arrays = {"q": case.peer.q(q), "v": case.peer.v(v), "x": case.peer.v(x)}
    found = answer(question, question.peer, {**case.theirs(), **arrays})
    return [case.peer.back(part, question.matrix) for part in found]


def true_errors(
    case: Case,
    question: Question,
    state: Sequence[Array],
    ours: Sequence[Array],
    theirs: Sequence[Array],
) -> tuple[float, float] | None:
    """Ours and Pinocchio's, against the same steps in extended precision; None: there is none."""
    if np.finfo(np.longdouble).eps >= np.finfo(float).eps:
        return None
    algorithm, reads, writes = STEPS[question.name]
    inputs = {
        name: [np.longdouble(x) for x in part] for name, part in zip(reads, state, strict=False)
    }
    run = case.arm.evaluator.interpret(algorithm, inputs)
    exact = [np.array(run.result(name), dtype=np.longdouble) for name in writes]
    return relative_error(ours, exact), relative_error(theirs, exact)
