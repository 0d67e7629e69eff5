"""What a reader should know of a state: contradictory rows, open loops, inconsistent velocities,
closures that are nearly singular, contacts that pull, rows without content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.nullspace import Answer, Factor
from armillary.constraints.pressing import pull_notes
from armillary.errors import InputError, Message, ProjectionWarning, Remedy, warn_caller
from armillary.evaluate.inputs import Array
from armillary.runtime.null_space_loop import CONFLICT

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.constraints.rows import Terms

OPEN = 1e-6  # of the machine's size, or of the velocities
NEARLY_SINGULAR = 1e5  # condition of the scaled rows, over their rank
_ROUNDING = 1e-9  # of the largest force


def state_notes(equations: Equations, system: System, k: int, answer: Answer) -> tuple[str, ...]:
    """Rows against the size of the terms they are made of, so that units do not matter."""
    labels, terms = equations.constraints.labels, system.terms
    if not labels:
        return ()
    texts = [*equations.constraints.uncounted, *clash_notes(equations, system, k, answer)]
    sizes = np.abs(terms.J[k])
    texts += open_notes(equations, terms.residual[k])
    scale = equations.scaling.rows / equations.length
    speed = float((sizes @ np.abs(system.v[k]) * scale).max())
    rate = np.abs(terms.rate[k]) * scale
    r = int(np.argmax(rate))
    if rate[r] > max(OPEN * speed, 1e-9):  # 1/s; less is rounding of a mechanism at rest
        text = f"the velocity violates '{labels[r]}' by {terms.rate[k, r]:.3g};"
        texts.append(Message(text, Remedy("project")))
    if near := nearness(equations, answer.factor):
        texts.append(near)
    return tuple(texts)


def clash_notes(equations: Equations, system: System, k: int, answer: Answer) -> list[str]:
    """A remark where rows contradict each other at state k."""
    if not answer.residual.any():
        return []
    labels = equations.constraints.labels
    weight = np.abs(np.diag(system.M[k]))
    heavy = weight > 1e-6 * weight.max()  # what forces do to bodies that have a mass
    pushed = np.where(heavy, np.abs(system.force[k]) / np.where(heavy, weight, 1.0), 0.0)
    asked = np.abs(system.target[k]) + np.abs(system.terms.J[k]) @ (np.abs(answer.a) + pushed)
    clash = np.abs(answer.residual) > CONFLICT * max(float(asked.max()), 1e-300)
    if not clash.any():
        return []
    worst = [r for r in np.argsort(-np.abs(answer.residual)) if clash[r]][:8]
    named = ", ".join(f"{labels[r]} ({abs(answer.residual[r]):.3g})" for r in worst)
    return [
        f"rows contradict each other: {named} cannot all be met; the accelerations are the nearest "
        f"in least squares"
    ]


def open_limit(equations: Equations) -> float:
    """Openings up to this part of the machine's size are none."""
    return max(OPEN, equations.geometry_tolerance)


def opening_weights(equations: Equations) -> Array:
    """(m,) what an opening of a row counts, as a part of the machine's size; 0 where it may be
    anywhere: rows of rolling have no position, and rows whose motion is prescribed know themselves
    when they are where."""

    def find() -> Array:
        constraints = equations.constraints
        held = np.array(constraints.holonomic, bool) & ~np.array(constraints.driven, bool)
        return np.asarray(held * equations.scaling.rows / equations.length)

    return equations.memo.once("weights of openings", find)


def _opening(equations: Equations, residual: Array) -> tuple[int, float]:
    """The row that is open most, and by how much of the machine's size."""
    opening = np.abs(residual) * equations.scaling.rows / equations.length
    r = int(np.argmax(opening))
    return r, float(opening[r])


def open_notes(equations: Equations, residual: Array) -> list[str]:
    """A remark where a position is open."""
    if not len(residual):
        return []  # a tree
    r, opening = _opening(equations, residual)
    if opening <= open_limit(equations):
        return []
    text = f"'{equations.constraints.labels[r]}' is open by {residual[r]:.3g};"
    return [Message(text, Remedy("assemble"))]


def refuse_open(
    equations: Equations, residual: Array, what: str, why: str, where: str = ""
) -> None:
    """Error where a position is open: by how much, and how to close it."""
    opening = np.abs(residual) * opening_weights(equations)
    if opening.max(initial=0.0) > open_limit(equations):
        raise InputError(
            f"{what}: {_open_text(equations, residual, opening, where)}, where {why}.",
            Remedy("assemble q"),
        )


def _open_text(equations: Equations, residual: Array, opening: Array, where: str) -> str:
    constraints, r = equations.constraints, int(np.argmax(opening))
    return (
        f"'{equations.model.name}' is open at this q{where} by {opening[r]:.2g} of its size (most "
        f"at '{constraints.labels[r]}', {abs(residual[r]):.3g} {constraints.units[r]})"
    )


def open_states(
    equations: Equations,
    residual: Array,
    question: str,
    least: float = 0.0,
    numbers: NDArray[np.intp] | None = None,
) -> tuple[NDArray[np.bool_], str]:
    """(B,) which of the states with these residuals (B, m) are open, and a warning about them, or
    nothing.  least: openings up to this part of the size are none, whatever the
    geometry.  numbers (B,): of the states in their batch; None: a single state."""
    opening = np.abs(residual) * opening_weights(equations)
    opening[~np.isfinite(opening)] = 0.0
    largest = opening.max(axis=1, initial=0.0)
    found = largest > max(open_limit(equations), least)
    if not found.any():
        return found, ""
    k, where = int(np.argmax(largest)), ""
    if numbers is not None:
        where, others = f" in state {numbers[k]}", int(found.sum()) - 1
        where += f" (and in {others} more, by less)" if others else ""
    told = _open_text(equations, residual[k], opening[k], where)
    text = f"{question}: {told}; the answer takes its rows as they stand, and no machine moves so."
    return found, Message(text, Remedy("assemble q"))


def warn_open(equations: Equations, terms: Terms, question: str, single: bool) -> None:
    """The same as a warning, of all states with these rows."""
    residual = terms.residual
    numbers = None if single else np.arange(len(residual))
    if text := open_states(equations, residual, question, numbers=numbers)[1]:
        warn_caller(text, ProjectionWarning)


def nearness(equations: Equations, factor: Factor) -> str:
    """A remark where the closure is nearly singular, with the constraints it comes from; else
    empty.

    Where rows of J almost depend on each other, a small force along one motion takes a large force
    in the constraints, and an error of the geometry comes back multiplied by the condition number:
    the numbers are those of the model, but no machine has them."""
    if factor.condition_below(NEARLY_SINGULAR):
        return ""
    size = factor.condition
    worst = np.abs(np.linalg.svd(factor.J_scaled, full_matrices=False)[0][:, factor.rank - 1])
    slices = equations.constraints.slices
    shares = {name: worst[rows].max(initial=0.0) for name, rows in slices.items()}
    limit = 0.3 * max(shares.values())
    names = [name for name in sorted(shares, key=lambda x: -shares[x]) if shares[name] > limit]
    named = ", ".join(f"'{name}'" for name in names[:4])
    return (
        f"the closure is nearly singular: condition number {size:.2g} of the rows of {named}. "
        f"Forces there may be very large, and errors of the geometry count {size:.2g} times in them"
    )


def idle_note(equations: Equations) -> str:
    """Which rows have no content, as a remark; empty where there are none.

    Loops are named only where all of their rows are idle: every planar loop has some."""
    names: list[str] = []
    for constraint in equations.constraints.all:
        rows = equations.constraints.slices[constraint.name]
        idle = equations.idle_rows[rows]
        if idle.any() and (constraint.kind != "loop" or idle.all()):
            labels = equations.constraints.labels[rows]
            names += [f"'{label}'" for label, is_idle in zip(labels, idle, strict=True) if is_idle]
    if not names:
        return ""
    moves, those, has = (
        ("move", "these rows", "they have") if len(names) > 1 else ("moves", "this row", "it has")
    )
    return (
        f"{', '.join(names)} {moves} no joint: the tree keeps {those} already, so {has} no "
        f"influence, and no force along {those} is determined"
    )


def contact_notes(
    equations: Equations, system: System, k: int, multipliers: Array
) -> tuple[str, ...]:
    """What pulls at state k, and friction that drives."""
    texts: list[str] = [*pull_notes(equations, system.force[k], multipliers)]
    terms, v = system.terms, system.v[k]
    arms = equations.scaling.rows  # m for moments
    small = _ROUNDING * float(np.abs(multipliers / arms).max(initial=0.0))
    # power of what acts beside the rows: (G - J) v is the sliding, times the coefficients
    extra = (terms.G[k] - terms.J[k]) @ v * multipliers
    slow = small * float(np.abs(terms.G[k] * v).sum(axis=1).max(initial=0.0))
    for contact in equations.model.contacts:
        span = equations.constraints.slices[contact.name]
        if extra[span].sum() > slow:
            texts.append(
                f"friction of contact '{contact.name}' drives the sliding ({extra[span].sum():.3g} "
                f"W): one state takes the coefficient with its sign, and this one goes with the "
                f"opposite velocity; `simulate` lets friction oppose the sliding"
            )
    return tuple(texts)
