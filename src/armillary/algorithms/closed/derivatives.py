"""Derivatives of constrained accelerations along the variations that the rows admit, for mechanisms
that are small enough for one straight line of code (constraints/derivatives.py has the equations).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armillary.algorithms.closed.constrained import (
    MASS_PAIRS,
    Plan,
    inward,
    outward,
    slopes_along,
    world,
)
from armillary.algorithms.closed.residual import CONVERGED, UNCONVERGED, in_units, with_status
from armillary.algorithms.closed.split import SolvedState
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Inward, Outward, made_for
from armillary.algorithms.sparse import product, times
from armillary.scalar import Scalar, where
from armillary.spatial.small import orthonormal

ALONG = ("motions", "dq", "carried", "moved", "dv")
Column = list[Scalar]


@made_for
def derivative_dynamics(plan: Plan, row_weights: Sequence[float], singular: float) -> Algorithm:
    """plan, row_weights: as of split.py, all rows holonomic.  singular: of the velocities; where a
    variation that rows admit breaks them by more, it leads nowhere, and nothing has converged.

    Results: a, which has the mark of what has not converged; dtau (n, n); `ALONG` (n, l) each; full
    dq and dv (2, n, n)."""
    n, size = len(plan.scale), plan.scale
    free = n - len(plan.pivots or ())
    shapes = {"a": (n,), "dtau": (n, n), "along": (len(ALONG), n, free), "full": (2, n, n)}

    def close(run: Run) -> None:
        x = SolvedState(run, plan, row_weights)
        held = {"a": x.a, "multipliers": x.multipliers}
        respond, nothing = _responses(x), [0] * n
        scaled = [[column.get(k, 0) * (1.0 / size[k]) for k in range(n)] for column in x.N]
        basis = orthonormal(scaled, n)
        motions = [[y * size[k] for k, y in enumerate(column)] for column in basis]

        change = _changes(x, respond)
        dq, carried, by_carried, dv = [], [], [], []
        status: Scalar = CONVERGED
        limit = in_units(run.inputs["v"], size) * singular**2
        for motion in motions:
            along = slopes_along(run, motion, nothing, held)
            dq.append(change(along))
            follows = [-y for y in _times(x.P, along["rates"], n)]
            for _ in range(2):
                back = respond(times(x.M, follows))
                follows = [y - z for y, z in zip(follows, back, strict=True)]
            carried.append(follows)
            for (entries, _), rate, weight in zip(
                x.lines, along["rates"], row_weights, strict=True
            ):
                left = (product(entries, follows) + rate) * weight
                status = where(left * left <= limit, status, UNCONVERGED)
            by_carried.append(change(slopes_along(run, nothing, follows, held)))
            dv.append(change(slopes_along(run, nothing, motion, held)))
        moved = [_sum(one, two) for one, two in zip(dq, by_carried, strict=True)]
        dtau = [respond([int(i == k) for i in range(n)]) for k in range(n)]  # symmetric
        nearest = [times(x.M, line) for line in dtau]  # rows of R M
        onto = _onto(basis, nearest, size)
        run.results = {
            "a": with_status(x.a, status),
            "dtau": dtau,
            "along": [_lines(x) for x in (motions, dq, carried, moved, dv)],
            "full": [_product(x, onto) for x in (moved, dv)],
        }

    return Algorithm(
        name="derivative_dynamics",
        passes=(Outward(outward), Inward(inward), MASS_PAIRS, GlobalStep(close)),
        world=world,
        reads=("q", "v", "tau", "external"),
        writes=dict.fromkeys(shapes, "results"),
        shapes=dict(shapes),
    )


def _sum(one: Column, two: Column) -> Column:
    return [y + z for y, z in zip(one, two, strict=True)]


def _onto(
    basis: list[Column], nearest: list[list[Scalar]], size: Sequence[float]
) -> list[list[Scalar]]:
    """Coordinates along the motions of the nearest change, R M."""
    n = len(size)
    return [
        [sum((column[i] * (1.0 / size[i])) * nearest[i][j] for i in range(n)) for j in range(n)]
        for column in basis
    ]


def _changes(
    x: SolvedState, respond: Callable[[Sequence[Scalar]], Column]
) -> Callable[[dict[str, Column]], Column]:
    """da that balances slopes of both equations."""

    def change(along: dict[str, Column]) -> Column:
        da = [-y for y in _times(x.P, along["rows"], len(x.M))]
        for _ in range(2):
            rest = [f + g for f, g in zip(along["balance"], times(x.M, da), strict=True)]
            da = [y - z for y, z in zip(da, respond(rest), strict=True)]
        return da

    return change


def _responses(x: SolvedState) -> Callable[[Sequence[Scalar]], Column]:
    """N (N^T M N)^-1 N^T f."""
    n = len(x.M)

    def respond(force: Sequence[Scalar]) -> Column:
        pushed = [product(column, force) for column in x.N]
        found: Column = [0] * n
        for column, line in zip(x.N, x.inverse, strict=True):
            y = sum(p * q for p, q in zip(line, pushed, strict=True))
            for dof, entry in column.items():
                found[dof] = found[dof] + entry * y
        return found

    return respond


def _times(columns: list[dict[int, Scalar]], x: Sequence[Scalar], n: int) -> Column:
    found: Column = [0] * n
    for column, y in zip(columns, x, strict=True):
        for dof, entry in column.items():
            found[dof] = found[dof] + entry * y
    return found


def _lines(columns: list[Column]) -> list[list[Scalar]]:
    return [list(line) for line in zip(*columns, strict=True)]


def _product(columns: list[Column], lines: list[list[Scalar]]) -> list[list[Scalar]]:
    """Σ column line."""
    pairs = list(zip(columns, lines, strict=True))
    return [
        [sum(column[i] * line[j] for column, line in pairs) for j in range(len(lines[0]))]
        for i in range(len(columns[0]))
    ]
