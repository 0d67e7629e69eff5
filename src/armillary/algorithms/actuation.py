"""Inverse dynamics of a closed mechanism: forces of chosen actuators that give a motion.

Only the part along free motions N matters:  N^T S u = N^T f,  f = M a + h.  Of all such forces the
smallest, Σ (w u)², are those of a mechanism that has an inertia 1/w² at every actuator and none
elsewhere: it answers the force f with x, and u = x / w².  So the solvers of forward dynamics
(constrained.py) serve here too, with their marks of doubt (not a number).

With fewer actuators than free motions the nearest forces are taken: those that leave the least of
f to a mechanism with the inertias 1/size² at its joints.

`Strict` marks (not a number) motions that the rows do not allow, and those that the actuators
cannot give; without it the forces are the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from armillary.algorithms.constrained import (
    NAN,
    Lines,
    Plan,
    inertias,
    inward,
    kept_rows,
    moved,
    moving_world,
    needed,
    outward,
    solved,
    world,
)
from armillary.algorithms.mass_matrix import mass_matrix
from armillary.algorithms.passes import Algorithm, AncestorPairs, GlobalStep, Inward, Outward
from armillary.algorithms.sparse import SparseRows, times
from armillary.scalar import Scalar, where
from armillary.spatial.small import LDL

_HOLD = 1e-6  # (motion of the actuators / motion of all joints)² that is trusted


@dataclass(frozen=True)
class Strict:
    """Which motions are let pass.

    tolerance: how far the rows may be missed, as a part of the accelerations in them.  rows (m):
    weights that give all rows one unit, 1/s².  rounding: what a row may be missed by where the
    accelerations in it are zero, 1/s² and as a part of the squares of the velocities."""

    tolerance: float
    rows: tuple[float, ...]
    rounding: tuple[float, float]


def actuation(
    plan: Plan, mobility: Sequence[float], sizes: Sequence[float], enough: bool,
    strict: Strict | None = None,
) -> Algorithm:  # fmt: skip
    """tau with the motion (q, v, a).

    mobility (nv): 1/w² of an actuator, 0 of a joint without one.  sizes (nv): 1 rad, or the size of
    the machine.  enough: there are actuators for all free motions."""

    def close(run: Any) -> None:
        known: list[Scalar] = [0] * run.tables.nv  # forces of contacts that are known
        lines = kept_rows(run, plan, "gamma", known) if run.tables.constraints is not None else []
        wanted = [x for j in run.joints for x in j.needed]
        force = [x - k for x, k in zip(wanted, known, strict=True)]
        tau = (
            _smallest(plan, mobility, sizes, force, lines)
            if enough
            else _nearest(plan, mobility, sizes, force, lines, strict)
        )
        if strict is not None:
            doubt = _disallowed(strict, plan, sizes, run, lines)
            tau = [x + doubt for x in tau]
        for j, first in zip(run.joints, run.tables.v_offsets, strict=True):
            j.tau = tuple(tau[first : first + len(j.v)])

    return Algorithm(
        "actuation", (Outward(moved), Inward(needed), GlobalStep(close)), moving_world,
        ("q", "v", "a", "external"), {"tau": "dof"},
    )  # fmt: skip


def responses(plan: Plan, pushes: Sequence[Sequence[Scalar]], wish: Sequence[Scalar]) -> Algorithm:
    """run.pushed: the free motions x = N (N^T M N)^-1 N^T f of joint forces f; run.nearest: the
    accelerations that the rows allow and that are nearest to a wish, by kinetic energy."""

    def close(run: Any) -> None:
        lines = kept_rows(run, plan, "gamma", [0] * run.tables.nv)
        free = [(entries, 0) for entries, _ in lines]
        M = inertias(run)
        run.pushed = [solved(inertias(run), plan, list(push), free, prove=False) for push in pushes]
        run.nearest = solved(inertias(run), plan, times(M, wish), lines, prove=False)

    pairs = next(p for p in mass_matrix.passes if isinstance(p, AncestorPairs))
    return Algorithm(
        "responses", (Outward(outward), Inward(inward), pairs, GlobalStep(close)), world,
        ("q", "v", "external"), {"h": "dof"},
    )  # fmt: skip


def _smallest(
    plan: Plan, mobility: Sequence[float], sizes: Sequence[float], force: list[Scalar], lines: Lines
) -> list[Scalar]:
    """Not a number where the actuators hardly move in the motion x: they lose their hold."""
    x = _free_motion(plan, mobility, force, lines)
    own: Scalar = 0
    whole: Scalar = 0
    for m, size, y in zip(mobility, sizes, x, strict=True):
        own = own + y * y * m
        whole = whole + y * y * (1.0 / (size * size))
    doubt = where(whole * _HOLD <= own, 0.0, NAN)
    return [m * y + doubt if m else 0 for m, y in zip(mobility, x, strict=True)]


def _nearest(
    plan: Plan, mobility: Sequence[float], sizes: Sequence[float], force: list[Scalar],
    lines: Lines, strict: Strict | None,
) -> list[Scalar]:  # fmt: skip
    """(S^T P S) u = S^T P f  with  P = N (N^T D N)^-1 N^T,  D = 1/size²."""
    n, inertia = len(force), [1.0 / (x * x) for x in sizes]
    chosen = [k for k, x in enumerate(mobility) if x]
    units = ([int(k == i) for k in range(n)] for i in chosen)
    answers = [_free_motion(plan, inertia, unit, lines) for unit in units]
    C = [[answer[k] for answer in answers] for k in chosen]
    x = _free_motion(plan, inertia, force, lines)
    factor = LDL(C)
    u = factor.solve([x[k] for k in chosen])
    doubt = _doubt([sizes[k] for k in chosen], factor)
    if strict is not None:
        doubt = doubt + _unreached(strict.tolerance, inertia, x, answers, u)
    tau: list[Scalar] = [0] * n
    for k, value in zip(chosen, u, strict=True):
        tau[k] = value + doubt
    return tau


def _free_motion(
    plan: Plan, inertia: Sequence[float], force: list[Scalar], lines: Lines
) -> list[Scalar]:
    """How a mechanism with these inertias at its joints, and no others, answers a force."""
    rows: SparseRows = [{k: x} if x else {} for k, x in enumerate(inertia)]
    return solved(rows, plan, force, [(entries, 0) for entries, _ in lines])


def _doubt(sizes: Sequence[float], factor: LDL) -> Scalar:
    """Not a number where a pivot is small against that of an actuator which everything follows."""
    strain: Scalar = 0
    for size, inverse in zip(sizes, factor.inverse_D, strict=True):
        strain = strain + (inverse * (size * size)) * (inverse * (size * size))
    return where(strain < _HOLD**-2, 0.0, NAN)


def _disallowed(
    strict: Strict, plan: Plan, sizes: Sequence[float], run: Any, lines: Lines
) -> Scalar:
    """Not a number where J a differs from gamma."""
    a, (still, moving) = run.inputs["a"], strict.rounding
    constraints = run.tables.constraints.all if run.tables.constraints is not None else ()
    # the bodies move with a: what constraints between them are short of is what they miss
    moved = [
        hasattr(constraint, "closure")
        for constraint in constraints
        for _ in range(constraint.count)
    ]
    whole: Scalar = (still / strict.tolerance) ** 2
    for rate, size in zip(run.inputs["v"], sizes, strict=True):
        square = rate * rate * (moving / (strict.tolerance * size * size))
        whole = whole + square * square
    misses: list[Scalar] = []
    for k, (entries, short) in zip(plan.kept, lines, strict=True):
        weight = strict.rows[k]
        terms = [x * a[dof] * weight for dof, x in entries.items()]
        miss = short * weight
        if not moved[k]:
            miss = miss - sum(terms)
        for x in (miss, *terms):
            whole = whole + x * x
        misses.append(miss)
    doubt: Scalar = 0.0
    for miss in misses:
        doubt = where(miss * miss <= whole * strict.tolerance**2, doubt, NAN)
    return doubt


def _unreached(
    tolerance: float, inertia: Sequence[float], x: Sequence[Scalar],
    answers: Sequence[Sequence[Scalar]], u: Sequence[Scalar],
) -> Scalar:  # fmt: skip
    """Not a number where the actuators leave a part of the motion x to others."""
    whole: Scalar = 0
    left: Scalar = 0
    for k, (d, y) in enumerate(zip(inertia, x, strict=True)):
        rest = y
        for answer, force in zip(answers, u, strict=True):
            rest = rest - answer[k] * force
        whole, left = whole + y * y * d, left + rest * rest * d
    return where(left <= whole * tolerance**2, 0.0, NAN)
