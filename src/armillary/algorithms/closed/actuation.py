"""Inverse dynamics of a closed mechanism: forces of chosen actuators that give a motion.

Only the part along free motions N matters:  N^T S u = N^T f,  f = M a + h.  Of all such forces the
smallest, Σ (w u)², are those of a mechanism that has an inertia 1/w² at every actuator and none
elsewhere: it answers the force f with x, and u = x / w².  So the solvers of forward dynamics
(constrained.py) serve here too, with their status.

With fewer actuators than free motions the nearest forces are taken: those that leave the least of
f to a mechanism with the inertias 1/size² at its joints.

`Strict`: motions that the rows do not allow, and those that the actuators cannot give, do not
converge; without it the forces are the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.algorithms.closed.constrained import (
    MASS_PAIRS,
    Plan,
    closed_check,
    inertias,
    inward,
    moved,
    moving_world,
    needed,
    outward,
    solved,
    world,
)
from armillary.algorithms.closed.constraint_rows import Lines, kept_rows
from armillary.algorithms.closed.residual import CONVERGED, UNCONVERGED, with_status
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Inward, Outward, made_for
from armillary.algorithms.sparse import SparseRows, times
from armillary.scalar import Scalar, nothing, where
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


@made_for
def actuation(
    plan: Plan,
    mobility: Sequence[float],
    sizes: Sequence[float],
    enough: bool,
    strict: Strict | None = None,
) -> Algorithm:
    """tau with the motion (q, v, a).

    mobility (nv): 1/w² of an actuator, 0 of a joint without one.  sizes (nv): 1 rad, or the size of
    the machine.  enough: there are actuators for all free motions."""

    def close(run: Run) -> None:
        closed = closed_check(run, plan)
        known: list[Scalar] = [0] * run.tables.nv  # forces of contacts that are known
        lines = kept_rows(run, plan.kept, "gamma", known)
        wanted = [x for j in run.joints for x in j.needed]
        force = [x - k for x, k in zip(wanted, known, strict=True)]
        tau = (
            _smallest(plan, mobility, sizes, force, lines)
            if enough
            else _nearest(plan, mobility, sizes, force, lines, strict)
        )
        if strict is not None:
            tau = with_status(tau, _allowed(strict, plan, sizes, run, lines))
        run.write("tau", with_status(tau, closed))

    return Algorithm(
        name="actuation",
        passes=(Outward(moved), Inward(needed), GlobalStep(close)),
        world=moving_world,
        reads=("q", "v", "a", "external"),
        writes={"tau": "dof"},
    )


def responses(plan: Plan, pushes: Sequence[Sequence[Scalar]], wish: Sequence[Scalar]) -> Algorithm:
    """run.matrices["pushed"]: the free motions x = N (N^T M N)^-1 N^T f of joint forces f;
    run.results["nearest"]: the accelerations that the rows allow and that are nearest to a wish, by
    kinetic energy."""

    def close(run: Run) -> None:
        lines = kept_rows(run, plan.kept, "gamma", [0] * run.tables.nv)
        free: Lines = [(entries, 0) for entries, _ in lines]
        M = inertias(run)
        run.matrices["pushed"] = [
            solved(inertias(run), plan, list(push), free, check=False) for push in pushes
        ]
        run.results["nearest"] = solved(inertias(run), plan, times(M, wish), lines, check=False)

    return Algorithm(
        name="responses",
        passes=(Outward(outward), Inward(inward), MASS_PAIRS, GlobalStep(close)),
        world=world,
        reads=("q", "v", "external"),
        writes={"h": "dof"},
    )


def _smallest(
    plan: Plan, mobility: Sequence[float], sizes: Sequence[float], force: list[Scalar], lines: Lines
) -> list[Scalar]:
    """Unconverged where the actuators hardly move in the motion x: they lose their hold."""
    x = _free_motion(plan, mobility, force, lines)
    own: Scalar = 0
    whole: Scalar = 0
    for m, size, y in zip(mobility, sizes, x, strict=True):
        own = own + y * y * m
        whole = whole + y * y * (1.0 / (size * size))
    status = where(whole * _HOLD <= own, CONVERGED, UNCONVERGED)
    return [0 if nothing(m) else m * y + status for m, y in zip(mobility, x, strict=True)]


def _nearest(
    plan: Plan,
    mobility: Sequence[float],
    sizes: Sequence[float],
    force: list[Scalar],
    lines: Lines,
    strict: Strict | None,
) -> list[Scalar]:
    """(S^T P S) u = S^T P f  with  P = N (N^T D N)^-1 N^T,  D = 1/size²."""
    n, inertia = len(force), [1.0 / (x * x) for x in sizes]
    chosen = [k for k, x in enumerate(mobility) if not nothing(x)]
    units = ([int(k == i) for k in range(n)] for i in chosen)
    answers = [_free_motion(plan, inertia, unit, lines) for unit in units]
    C = [[answer[k] for answer in answers] for k in chosen]
    x = _free_motion(plan, inertia, force, lines)
    factor = LDL(C)
    u = factor.solve([x[k] for k in chosen])
    status = _pivot_check([sizes[k] for k in chosen], factor)
    if strict is not None:
        status = status + _reached(strict.tolerance, inertia, x, answers, u)
    tau: list[Scalar] = [0] * n
    for k, value in zip(chosen, u, strict=True):
        tau[k] = value + status
    return tau


def _free_motion(
    plan: Plan, inertia: Sequence[float], force: list[Scalar], lines: Lines
) -> list[Scalar]:
    """How a mechanism with these inertias at its joints, and no others, answers a force."""
    rows: SparseRows = [{} if nothing(x) else {k: x} for k, x in enumerate(inertia)]
    return solved(rows, plan, force, [(entries, 0) for entries, _ in lines])


def _pivot_check(sizes: Sequence[float], factor: LDL) -> Scalar:
    """Unconverged where a pivot is small against that of an actuator which everything follows."""
    growth: Scalar = 0
    for size, inverse in zip(sizes, factor.inverse_D, strict=True):
        growth = growth + (inverse * (size * size)) * (inverse * (size * size))
    return where(growth < _HOLD**-2, CONVERGED, UNCONVERGED)


def _allowed(strict: Strict, plan: Plan, sizes: Sequence[float], run: Run, lines: Lines) -> Scalar:
    """Unconverged where J a differs from gamma.  Bodies move with a: what rows are short of is
    what they miss."""
    a, (still, moving) = run.inputs["a"], strict.rounding
    whole: Scalar = (still / strict.tolerance) ** 2
    for rate, size in zip(run.inputs["v"], sizes, strict=True):
        square = rate * rate * (moving / (strict.tolerance * size * size))
        whole = whole + square * square
    misses: list[Scalar] = []
    for k, (entries, short) in zip(plan.kept, lines, strict=True):
        weight = strict.rows[k]
        terms = [x * a[dof] * weight for dof, x in entries.items()]
        miss = short * weight
        for x in (miss, *terms):
            whole = whole + x * x
        misses.append(miss)
    status: Scalar = CONVERGED
    for miss in misses:
        status = where(miss * miss <= whole * strict.tolerance**2, status, UNCONVERGED)
    return status


def _reached(
    tolerance: float,
    inertia: Sequence[float],
    x: Sequence[Scalar],
    answers: Sequence[Sequence[Scalar]],
    u: Sequence[Scalar],
) -> Scalar:
    """Unconverged where the actuators leave a part of the motion x to others."""
    whole: Scalar = 0
    residual: Scalar = 0
    for k, (d, y) in enumerate(zip(inertia, x, strict=True)):
        rest = y
        for answer, force in zip(answers, u, strict=True):
            rest = rest - answer[k] * force
        whole, residual = whole + y * y * d, residual + rest * rest * d
    return where(residual <= whole * tolerance**2, CONVERGED, UNCONVERGED)
