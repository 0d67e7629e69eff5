"""What the rows of a closed mechanism leave free at a state, and what answers right sides there.

    J x = target                       x = P target + N y
    M x = f + J^T λ,  J x = 0          x = N H^-1 N^T f,   H = N^T M N

N and P solve independent rows for dependent coordinates (embedding.py).  The accelerations a are
those of forward dynamics, with its checks, and  λ = P^T (M a - f).  The other rows have to follow:
neither the free motions nor the accelerations may break them.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.closed.constrained import (
    MASS_PAIRS,
    Plan,
    closed_check,
    inertias,
    inward,
    outward,
    rounded_in,
    solved,
    world,
)
from armillary.algorithms.closed.constraint_rows import Lines, kept_rows
from armillary.algorithms.closed.embedding import embed, reduced_inertia
from armillary.algorithms.closed.residual import UNCONVERGED, fulfilled, in_units, with_status
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Inward, Outward, made_for
from armillary.algorithms.sparse import common, product
from armillary.scalar import Scalar, where
from armillary.spatial.small import LDL

FULFILLED = 1e-9  # what a row that follows from others may be off, as a part of its terms
Row = dict[int, Scalar]


@made_for
def split_dynamics(plan: Plan, places: Plan | None, row_weights: Sequence[float]) -> Algorithm:
    """plan: dependent coordinates of all rows; places: of the rows that positions have to keep,
    None where those are all.  row_weights (m): 1 over the size that a row has.

    Results: a (n), multipliers (m), M (n, n), J (m, n), N (n, l), P (n, m), H^-1 (l, l), and
    K (n, k), the motions that `places` leaves free."""
    n, m = len(plan.scale), len(row_weights)
    free = n - len(plan.pivots or ())
    shapes: dict[str, tuple[int, ...]] = {
        "a": (n,), "multipliers": (m,), "M": (n, n), "J": (m, n),
        "N": (n, free), "P": (n, m), "H": (free, free),
    }  # fmt: skip
    if places is not None:
        shapes["K"] = (n, n - len(places.pivots or ()))

    def close(run: Run) -> None:
        x = SolvedState(run, plan, row_weights)
        run.results = {
            "a": x.a,
            "multipliers": x.multipliers,
            "M": [[row.get(k, 0) for k in range(n)] for row in x.M],
            "J": [[entries.get(k, 0) for k in range(n)] for entries, _ in x.lines],
            "N": _dense(x.N, n),
            "P": _dense(x.P, n),
            "H": x.inverse,
        }
        if places is not None:
            run.results["K"] = _dense(_motions(x.lines, places), n)

    return Algorithm(
        name="split_dynamics",
        passes=(Outward(outward), Inward(inward), MASS_PAIRS, GlobalStep(close)),
        world=world,
        reads=("q", "v", "tau", "external"),
        writes=dict.fromkeys(shapes, "results"),
        shapes=dict(shapes),
    )


class SolvedState:
    """A state with what its rows leave free.  a is unconverged where any check fails."""

    def __init__(self, run: Run, plan: Plan, row_weights: Sequence[float]):
        m, closed = len(row_weights), closed_check(run, plan)
        force = [t - h for j in run.joints for t, h in zip(j.tau, j.h, strict=True)]
        self.lines, self.M = kept_rows(run, range(m), "gamma", force), inertias(run)
        kept = [self.lines[k] for k in plan.kept]
        a = solved(self.M, plan, force, kept, noise=rounded_in(run, plan))
        self.N = _motions(self.lines, plan)
        solving = {plan.kept[pivot.row] for pivot in plan.pivots or ()}
        others = {k: self.lines[k] for k in range(m) if k not in solving}
        status = closed + _following(others, self.N, plan, row_weights)
        noise = in_units(a, plan.scale) + rounded_in(run, plan)
        for entries, target in others.values():
            status = fulfilled(status, target, entries, a, plan.scale, noise, FULFILLED**2)
        self.a = with_status(a, status)
        self.P = _particular(kept, plan, m)
        missing = [product(row, self.a) - f for row, f in zip(self.M, force, strict=True)]
        self.multipliers = [product(column, missing) for column in self.P]
        free = len(self.N)
        factor = LDL(reduced_inertia(self.M, self.N))
        unit = [[int(i == k) for i in range(free)] for k in range(free)]
        self.inverse = [list(factor.solve(line)) for line in unit]  # of N^T M N


def _motions(lines: Lines, plan: Plan) -> list[Row]:
    """Columns of N."""
    entries = [lines[k][0] for k in plan.kept]
    return embed(entries, [0] * len(entries), plan.pivots or (), len(plan.scale)).motions


def _particular(kept: Lines, plan: Plan, m: int) -> list[Row]:
    """Columns of P: nothing where a row has no pivot."""
    columns: list[Row] = [{} for _ in range(m)]
    entries = [line for line, _ in kept]
    for pivot in plan.pivots or ():
        unit = [int(k == pivot.row) for k in range(len(kept))]
        found = embed(entries, unit, plan.pivots or (), len(plan.scale)).given
        columns[plan.kept[pivot.row]] = {dof: x for dof, x in enumerate(found) if not _nothing(x)}
    return columns


def _following(
    others: dict[int, tuple[Row, Scalar]],
    motions: list[Row],
    plan: Plan,
    row_weights: Sequence[float],
) -> Scalar:
    """Unconverged where a free motion, of size 1, moves a row that is to follow from others."""
    independent = sorted(set(range(len(plan.scale))) - {p.dof for p in plan.pivots or ()})
    status: Scalar = 0.0
    for k, (entries, _) in others.items():
        for dof, motion in zip(independent, motions, strict=True):
            moved = common(entries, motion) * (row_weights[k] * plan.scale[dof])
            status = where(moved * moved <= FULFILLED**2, status, UNCONVERGED)
    return status


def _dense(columns: list[Row], n: int) -> list[list[Scalar]]:
    return [[column.get(k, 0) for column in columns] for k in range(n)]


def _nothing(x: Scalar) -> bool:
    return type(x) is int and x == 0
