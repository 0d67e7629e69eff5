"""Coordinates at rest at limits, or held by dry friction.

A limit pushes as far as needed and never pulls:

    a = a_free + Y_k s λ,    λ ≥ 0,  s a_k ≥ 0,  λ s a_k = 0      s: side of the limit, ±1
    Y_kk r = (a - a_free)_k                                       r: all that holds them, N m or N

Y are the accelerations per joint force.  Where coordinates stay held for a whole step, the
mechanism is one with a motion that is prescribed for them: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.constraint_parts import PrescribedMotion

_SWEEPS = 100


@dataclass(frozen=True)
class AtRest:
    """Rows of a batch with the same entries of v at rest, and on which side of their limits."""

    rows: NDArray[np.intp]
    entries: NDArray[np.intp]  # (k,)
    sides: Array  # (rows, k)


@dataclass(frozen=True)
class Held:
    """Entries of v that do not move for a whole step; places: where their coordinates stay, for
    methods that keep positions."""

    entries: tuple[int, ...] = ()
    places: tuple[float, ...] = ()


NOTHING_HELD = Held()


def at_rest(
    resting: Mapping[int | None, dict[int, float]],
    runs: Sequence[tuple[int | None, Mechanism]],
    a: Array,
) -> list[AtRest]:
    """Rows of a (B, nv) with entries at rest at limits, those of one mechanism with the same
    entries together.  runs: their numbers and mechanisms.  resting: entries with their sides, by
    run.  What is not finite does not rest."""
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for row, (run, mechanism) in enumerate(runs):
        if run in resting and np.isfinite(a[row]).all():
            groups.setdefault((id(mechanism), tuple(sorted(resting[run]))), []).append(row)
    return [
        AtRest(
            np.array(rows, np.intp),
            np.array(entries, np.intp),
            np.array([[resting[runs[row][0]][k] for k in entries] for row in rows]),
        )
        for (_, entries), rows in groups.items()
    ]


def limit_pushes(Y: Array, a: Array, sides: Array) -> Array:
    """λ (B, k), of Y_kk (B, k, k) and a_k (B, k) without limits: projected Gauss-Seidel.  What
    cannot move needs no push."""
    A = sides[:, :, None] * Y * sides[:, None, :]
    own, b, push = np.diagonal(A, axis1=1, axis2=2), sides * a, np.zeros_like(a)
    moves = own > 0.0
    for _ in range(_SWEEPS):
        before = push.copy()
        for i in range(push.shape[1]):
            more = ((A[:, i] * push).sum(axis=1) + b[:, i]) / np.where(moves[:, i], own[:, i], 1.0)
            push[:, i] = np.where(moves[:, i], np.maximum(0.0, push[:, i] - more), 0.0)
        if push.shape[1] == 1 or np.array_equal(push, before):
            break
    return push


def holding_forces(Y: Array, missing: Array) -> Array:
    """r (B, k), the smallest ones, of Y_kk (B, k, k) and (a - a_free)_k (B, k)."""
    inverse = np.linalg.pinv(Y, rcond=1e-12, hermitian=True)
    return np.asarray((inverse @ missing[..., None])[..., 0])


def held_variant(mechanism: Mechanism, held: Held) -> Mechanism:
    """The mechanism with these entries of v held.  What does not accelerate keeps still: only
    methods that keep positions have to be told where."""
    model, labels = mechanism.model, [mechanism.v_labels[k] for k in held.entries]
    motions = tuple(PrescribedMotion(f"{label} held", label) for label in labels)
    if held.places:
        pairs = zip(motions, held.places, strict=True)
        motions = tuple(replace(x, velocity=0.0, position=place) for x, place in pairs)
    changed = replace(model, prescribed=(*model.prescribed, *motions))
    return mechanism.variant(("held", held), changed)
